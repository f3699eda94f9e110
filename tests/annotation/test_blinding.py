"""What an annotator must not know, in every answer of the server: bodies, headers, JSON, errors and parts."""

import json
import secrets
from itertools import count
from uuid import UUID

import pytest
from django.db import transaction
from django.urls import reverse

from analysis.items.coding_acts import CodePlacement, code_items
from config import middleware
from items.models import Generator, Item, Option
from studies.models import Assignment, Study
from tests.annotation.world import GENERATORS, HANDLE, PART, Walker, make_world

SECRETS = (
    *GENERATORS,
    "external-",
    "expected-",
    "explained-",
    "metadata",
    "example",
    "topic",
    "secret",
    "Secret title",
    "987654321",
    "correct=",
)


def try_everything(walker: Walker) -> None:
    """Every address, method and mistake that is to hand at this place."""
    join = reverse("join", args=[walker.annotator.token])
    here = walker.assignment
    data = walker.answers() if here else {}
    one_missing = {name: value for name, value in data.items() if not name.startswith("answer-")}
    for headers in ({}, PART):
        for path in (
            join,
            walker.work,
            walker.confirm,
            walker.draft,
            f"{walker.work}?stage=read",
            f"{walker.work}text/",
        ):
            walker.get(path, **headers)
        for path in (walker.work, walker.confirm, walker.draft):
            walker.post({"token": "a" * 32}, path, **headers)
            walker.post({"phase": "read"}, path, **headers)
            walker.post({"stage": "read", "text": "1"}, path, **headers)
        walker.post(one_missing, **headers)
        walker.post(data, walker.draft, **headers)


def whole_way(walker: Walker) -> Walker:
    """Through all texts, trying everything before and after each step."""
    walker.join()
    try_everything(walker)
    walker.start()
    while walker.assignment:
        for step in (walker.guess, walker.reveal, walker.read):
            try_everything(walker)
            step()
    try_everything(walker)
    return walker


def everything_seen(annotator, monkeypatch) -> list[bytes]:
    """The whole way as bytes, and nothing of it kept."""
    numbers = count(1)
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _bytes: f"token{next(numbers):027d}")
    monkeypatch.setattr(middleware.uuid, "uuid4", lambda: UUID(int=0))  # the id of a request is random
    with transaction.atomic():
        seen = list(whole_way(Walker(annotator)).bodies())
        transaction.set_rollback(True)
    return seen


def swap_keys() -> None:
    for option in Option.objects.all():
        option.correct = not option.correct
        option.save()


def swap_generators() -> None:
    """Each item goes to the next generator."""
    following = dict(zip(GENERATORS, GENERATORS[1:] + GENERATORS[:1], strict=True))
    for item in Item.objects.select_related("generator"):
        item.generator = Generator.objects.get(name=following[item.generator.name])
        item.save()


def rename_what_is_hidden() -> None:
    """Everything that no page may depend on, and that no answer is about."""
    for generator in Generator.objects.all():
        generator.name = generator.name[::-1]
        generator.save()
    Item.objects.update(expected_answer="another", metadata={"another": 1}, multiple=True, reference=True)
    Option.objects.update(explanation="another")


def code_everything() -> None:
    """Somebody codes all items of the study: what the team finds is no business of annotators."""
    study = Study.objects.get()
    items = [pk for pk in study.units.values_list("items", flat=True) if pk]
    code_items(
        study, [CodePlacement(pk, code) for pk in items for code in ("inference", "wrong_key", "tense=past")], None
    )


@pytest.mark.slow
def test_what_is_hidden_changes_no_byte(project, monkeypatch):
    """One change after another; the last is of something shown, so that the comparison is seen to notice it."""
    annotator = make_world(project, texts=1).annotators.first()
    before = everything_seen(annotator, monkeypatch)
    assert len(before) > 80
    for change in (swap_keys, swap_generators, rename_what_is_hidden, code_everything):
        change()
        assert everything_seen(annotator, monkeypatch) == before, change.__name__
    Option.objects.filter(position=1).update(text="Something else")
    assert everything_seen(annotator, monkeypatch) != before


@pytest.mark.slow
def test_nothing_of_a_text_before_its_reveal(walker):
    walker.join()
    try_everything(walker)
    walker.start()
    texts = []
    while walker.assignment:
        text = walker.assignment.unit.text
        texts.append(text)
        try_everything(walker)
        walker.guess()
        try_everything(walker)
        for response in walker.seen:
            seen = response.text + str(response.headers)
            for sentence in (
                text.title,
                text.external_id,
                f"Sentence{text.external_id[-1]}",
                f"Second{text.external_id[-1]}",
            ):
                assert sentence not in seen
        walker.reveal()
        assert text.title in walker.get().text
        walker.read()
    assert len(texts) == 2


def test_only_the_guessed_generators_items_before_the_reveal(walker):
    walker.start()
    here = walker.assignment
    try_everything(walker)
    walker.guess()
    hidden = here.unit.items.exclude(generator=here.slot.generator)
    assert hidden.count() == 4
    for item in hidden:
        assert not [response for response in walker.seen if item.stem in response.text]


@pytest.mark.slow
def test_no_page_of_the_whole_way_holds_a_secret(walker):
    whole_way(walker)
    for body in walker.bodies():
        for secret in SECRETS:
            assert secret.encode() not in body, secret


def test_the_form_names_random_handles_only(walker):
    page = walker.start().get()
    here = walker.assignment
    handles = {handle for row in here.shown["guess"] for handle in (row[0], *(option[0] for option in row[2]))}
    assert set(HANDLE.findall(page.text)) == handles


def test_handles_are_drawn_per_annotator(walker, other):
    mine = set(HANDLE.findall(str(list(walker.annotator.assignments.values_list("shown", flat=True)))))
    theirs = set(HANDLE.findall(str(list(other.annotator.assignments.values_list("shown", flat=True)))))
    assert not mine & theirs


def test_the_kind_of_text_is_told_only_if_it_is_the_same_for_all(project):
    study = make_world(project)
    text = study.units.first().text
    text.genre = "obituary"
    text.save()
    page = Walker(study.annotators.first()).start().get()
    assert "Kind of text" not in page.text
    assert "obituary" not in page.text


def test_a_draft_answer_says_how_many_and_nothing_else(walker):
    walker.start()
    walker.post(walker.answers(), walker.draft)
    assert json.loads(walker.seen[-1].content) == {"saved": 2}


def test_the_place_is_the_servers(walker):
    """A curious annotator who writes another stage into the request stays where they are."""
    walker.start()
    walker.post(walker.answers() | {"stage": "read", "assignment": Assignment.objects.last().pk})
    assert walker.assignment.stage == "guess"


def test_what_researchers_and_annotators_write_stays_text(project):
    study = make_world(project, texts=1)
    hostile = "<script>alert(1)</script>{{ 7|add:7 }}{n_options}"
    Item.objects.update(stem=hostile)
    Option.objects.update(text=hostile)
    text = study.units.first().text
    text.title, text.body = hostile, hostile
    text.save()
    walker = Walker(study.annotators.first()).start()
    walker.get()
    walker.guess()
    walker.reveal()
    for page in (*walker.seen[2:3], walker.get()):
        assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7|add:7 }}{n_options}" in walker.seen[-1].text
