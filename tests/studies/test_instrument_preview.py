"""The preview of a draft: the real pages of people, the exact bytes of prompts, nothing stored."""

import html
import re

import pytest
from django.urls import reverse

from items.models import Item, Option, Text
from studies.services.instruments import find_version, load_shipped_sources
from studies.strict_yaml import apply_changes
from tests.factory import make_text
from tests.studies.world import bank, counts

PEOPLE, PROMPT, WRITER = "guess-then-read/en", "guess-then-read-prompt/en", "generate-items/en"
SCRIPT = {"X-Lesart-Preview": "1"}
PRE = re.compile(r'<pre class="words" tabindex="0">\n(.*?)</pre>', re.DOTALL)


@pytest.fixture
def preview(as_user, researcher, project):
    """A function that sends a shipped instrument with changes by path as a draft, as the button does."""
    client = as_user(researcher)
    bank(project)

    def ask(name: str, changes: dict | None = None, headers: dict | None = None, **chosen):
        data = {"by": "yaml", "source": apply_changes(load_shipped_sources()[name], changes or {})}
        data |= {"subject": f"text-{Text.objects.get(external_id='t1').pk}"} | chosen
        return client.post(reverse("instrument_preview", args=["rivers"]), data, headers=headers or {})

    return ask


def prompts(response) -> list[str]:
    """What stands in the page, as a browser reads it."""
    return [html.unescape(words) for words in PRE.findall(response.content.decode())]


def item_of(text: str) -> dict:
    return {"subject": f"item-{Item.objects.filter(text__external_id=text).first().pk}"}


def test_the_guess_is_the_annotators_page_with_the_drafts_words_and_without_the_text(preview):
    body = preview(PEOPLE, {("guess", "title"): "Guess <now>"}, page="guess").content.decode()
    assert "Guess &lt;now&gt;" in body
    assert body.count('<fieldset class="item') == 1  # the one item of one generator
    assert "0 to 3 of these can be correct." in body
    assert "The text t1 is short" not in body


def test_the_reading_page_shows_text_rating_and_the_items_of_all(preview):
    body = preview(PEOPLE, {("read", "rating", "question"): "Any good?"}, page="read").content.decode()
    assert "The text t1 is short" in body
    assert body.count("Any good?") == 2
    assert "Preview: answers do not count." in body


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("consent", "I want to take part"),
        ("instructions", "Start now"),
        ("reveal", "Show the text"),
        ("done", "Thank you!"),
    ],
)
def test_every_page_can_be_looked_at(page, words, preview):
    assert words in preview(PEOPLE, page=page).content.decode()


def test_a_longer_scale_is_shown_as_long_as_it_is(preview):
    levels = [{"value": value, "label": f"step {value}"} for value in range(1, 8)]
    assert "step 7" in preview(PEOPLE, {("read", "rating", "levels"): levels}, page="read").content.decode()


def test_a_preview_stores_nothing(preview, project):
    find_version(PEOPLE, project)
    before = counts()
    preview(PEOPLE, {("guess", "title"): "Guess!"}, page="read")
    assert counts() == before


def test_a_preview_can_neither_run_nor_send(preview):
    assert "sandbox allow-same-origin" in preview(PEOPLE, page="read")["Content-Security-Policy"]


def test_prompts_are_shown_for_each_setting_and_option_with_their_size(preview):
    changes = {("guess",): "{question}|{option}", ("read",): "{text}|{question}|{option}", ("again",): "C or I"}
    page = preview(PROMPT, changes, **item_of("t1"))
    stem = "What does t1-alder-1 ask?"
    options = [f"Option {letter} of t1-alder-1" for letter in "abc"]
    text = "The text t1 is short. It has two sentences."
    guesses = [f"{stem}|{option}" for option in options]
    assert prompts(page) == [*guesses, *(f"{text}|{guess}" for guess in guesses), "C or I"]
    assert f"{len(guesses[0])} characters" in page.content.decode()


def test_a_prompt_is_shown_to_the_byte(preview):
    body, option = "\n  {answer} {option}\r\n\tzwei <b>&amp;</b> 😀 \u2028 \n", " {text}\r"
    Text.objects.filter(external_id="t1").update(body=body)
    Option.objects.filter(item__text__external_id="t1").update(text=option)
    page = preview(PROMPT, {("read",): "{text}{question}{option}"}, **item_of("t1"))
    assert prompts(page)[3] == f"{body}What does t1-alder-1 ask?{option}"
    assert "\r" not in page.content.decode()  # a browser would make it a line break; it stands as a reference


def test_a_generators_prompt_is_shown_on_a_text(preview):
    page = preview(WRITER, {("generate",): "{text}|{n_items}|{n_options}|{title}"})
    assert prompts(page)[0] == "The text t1 is short. It has two sentences.|3|3|"


def test_the_script_gets_page_and_problems_by_place(preview):
    told = preview(PROMPT, {("guess",): "{text}", ("labels", "incorrect"): "C"}, SCRIPT, **item_of("t1")).json()
    assert told["page"] == ""
    assert [problem["place"] for problem in told["problems"]] == ["labels.incorrect", "guess"]
    told = preview(PROMPT, None, SCRIPT, **item_of("t1")).json()
    assert (told["problems"], told["message"], "<pre" in told["page"]) == ([], "", True)


def test_the_script_gets_the_whole_page_of_people(preview):
    assert preview(PEOPLE, None, SCRIPT, page="guess").json()["page"].lstrip().startswith("<!doctype html>")


def test_without_a_script_problems_stand_on_a_page(preview):
    assert (
        "lacks the placeholder {option}"
        in preview(PROMPT, {("guess",): "{question}"}, **item_of("t1")).content.decode()
    )


def test_a_text_without_items_cannot_be_asked_about(preview, project):
    empty = make_text(project, "t9")
    told = preview(PEOPLE, None, SCRIPT, subject=f"text-{empty.pk}", page="guess").json()
    assert (told["page"], bool(told["message"])) == ("", True)
    assert "Choose an item" in preview(PROMPT, None, SCRIPT, subject=f"text-{empty.pk}").json()["message"]


@pytest.mark.parametrize("subject", ["", "text-", "text-x", "item-99999", "text-1e3", "item-²"])
def test_what_is_not_of_the_project_is_nothing_to_try_it_on(subject, preview):
    assert "a text with items" in preview(PEOPLE, None, SCRIPT, subject=subject).json()["message"]


def test_another_projects_text_is_not_shown(preview, stranger):
    foreign = make_text(stranger.memberships.get().project, "secret", body="Secret mountains.")
    told = preview(WRITER, None, SCRIPT, subject=f"text-{foreign.pk}").json()
    assert "needs a text with items" in told["message"]
