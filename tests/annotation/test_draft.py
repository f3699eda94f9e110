"""Answers kept as they are given, by the address that a page sends them to; what is kept of them: test_drafts."""

import json

import pytest

from studies.models import Draft

pytestmark = pytest.mark.database


def one_answer(walker) -> dict:
    data = walker.answers()
    handle = data["item"][0]
    return {"token": data["token"], "item": handle, f"answer-{handle}": data[f"answer-{handle}"]}


def test_an_answer_is_kept_and_the_same_again_changes_nothing(walker):
    walker.start()
    for saved in (1, 0):
        assert json.loads(walker.post(one_answer(walker), walker.draft).content) == {"saved": saved}
    assert Draft.objects.get().n_changes == 0


def test_looking_at_the_draft_address_leads_to_the_work(walker):
    walker.start()
    assert walker.get(walker.draft)["Location"] == walker.work
