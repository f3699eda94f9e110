"""Answers kept as they are given."""

import json

import pytest

from studies.models import Draft

pytestmark = pytest.mark.database


def one_answer(walker, number: int = 0, tick: int = 0) -> dict:
    data = walker.answers(tick=tick)
    handle = data["item"][number]
    return {"token": data["token"], "item": handle, f"answer-{handle}": data[f"answer-{handle}"]}


def test_an_answer_is_kept(walker):
    walker.start()
    saved = walker.post(one_answer(walker), walker.draft)
    assert json.loads(saved.content) == {"saved": 1}
    assert Draft.objects.count() == 1


def test_the_same_answer_twice_is_one(walker):
    walker.start()
    walker.post(one_answer(walker), walker.draft)
    again = walker.post(one_answer(walker), walker.draft)
    assert json.loads(again.content) == {"saved": 0}
    assert Draft.objects.get().n_changes == 0


def test_a_changed_mind_is_counted(walker):
    walker.start()
    walker.post(one_answer(walker), walker.draft)
    walker.post(one_answer(walker, tick=2), walker.draft)
    assert Draft.objects.get().n_changes == 1


def test_an_answer_in_one_tab_leaves_the_other_items_alone(walker):
    walker.start()
    walker.post(one_answer(walker, number=0), walker.draft)
    walker.post(one_answer(walker, number=1), walker.draft)
    assert Draft.objects.count() == 2
    assert all(draft.values for draft in Draft.objects.all())


def test_an_answer_can_be_taken_back(walker):
    walker.start()
    given = one_answer(walker)
    walker.post(given, walker.draft)
    walker.post({"token": given["token"], "item": given["item"]}, walker.draft)
    assert Draft.objects.get().values == {}


def test_looking_at_the_draft_address_leads_to_the_work(walker):
    walker.start()
    assert walker.get(walker.draft)["Location"] == walker.work
