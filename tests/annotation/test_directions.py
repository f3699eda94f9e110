"""Texts, questions and options in Hebrew and Arabic run from the right on every page that shows them."""

import re

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from items.models import Item, Option, Text
from tests import pairs, stopping
from tests.annotation.world import Walker

RIGHT_TO_LEFT = re.compile(r"[\u0590-\u06ff]")
WORDS = {"title": "הנהר", "body": "הנהר זורם אל הים.\nשנית.", "stem": "לאן זורם הנהר?", "option": "إلى البحر"}


@pytest.fixture
def right_to_left_study(study):
    """The study of the walker with its texts, questions and options in Hebrew and Arabic."""
    turn_words()
    return study


def turn_words():
    Text.objects.update(title=WORDS["title"], body=WORDS["body"], language="he")
    Item.objects.update(stem=WORDS["stem"], expected_answer=WORDS["option"])
    Option.objects.update(text=WORDS["option"], explanation=WORDS["option"])


def words_without_direction(html):
    """The texts that run from the right in an element whose direction nothing sets."""
    page = BeautifulSoup(html, "html.parser")
    for hidden in page.select("title, script, option, input, .visually-hidden, .breadcrumbs"):
        hidden.decompose()
    found = [text for text in page.find_all(string=RIGHT_TO_LEFT) if not text.find_parent(attrs={"dir": "auto"})]
    assert page.find_all(string=RIGHT_TO_LEFT)
    return [str(text).strip() for text in found]


def test_guessing_and_reading(right_to_left_study):
    walker = Walker(right_to_left_study.annotators.first())
    assert words_without_direction(walker.start().get().text) == []
    walker.guess()
    walker.reveal()
    assert words_without_direction(walker.get().text) == []


def test_the_text_in_the_bank(right_to_left_study, as_user, researcher):
    text = Text.objects.first()
    html = as_user(researcher).get(reverse("text", args=[right_to_left_study.project.slug, text.pk])).content
    assert words_without_direction(html) == []


def test_the_list_of_the_bank(right_to_left_study, as_user, researcher):
    html = as_user(researcher).get(reverse("text_list", args=[right_to_left_study.project.slug])).content
    assert words_without_direction(html) == []


def test_the_sheet_of_an_item_and_the_coding_list(right_to_left_study, as_user, researcher):
    item = right_to_left_study.units.first().items.first()
    for address in (
        reverse("study_item", args=[right_to_left_study.slug, item.pk]),
        reverse("study_coding", args=[right_to_left_study.slug]),
    ):
        assert words_without_direction(as_user(researcher).get(address).content) == []


def test_pairs(project):
    study = pairs.make_study_with_bank(project)
    turn_words()
    assert words_without_direction(Walker(study.annotators.first()).start().get().text) == []


def test_questionnaires(project):
    study = stopping.make_study_with_bank(project)
    turn_words()
    assert words_without_direction(Walker(study.annotators.first()).start().get().text) == []


def test_fields_for_texts_follow_what_is_written(right_to_left_study, as_user, researcher):
    item = Item.objects.first()
    html = as_user(researcher).get(reverse("item_edit", args=[right_to_left_study.project.slug, item.pk])).content
    page = BeautifulSoup(html, "html.parser")
    assert {field["dir"] for field in page.select("textarea[name=stem]")} == {"auto"}
