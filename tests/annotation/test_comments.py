"""Comments on items, where the study allows them: entered beside the answers, handed in with them."""

import csv
import io
from random import Random

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from annotation.simulation import SimulatedPerson, make_simulated_annotators
from studies.models import Draft, Purpose, Response, Study
from studies.protocols import PROTOCOLS
from studies.services.rights import list_own_answers
from tests.annotation.world import Walker, make_world
from tests.studies.world import bank, make_live_study

pytestmark = pytest.mark.slow

WORDS = "The reeds <b>matter</b>."


@pytest.fixture
def walker(project):
    study = make_world(project)
    Study.objects.filter(pk=study.pk).update(recruitment={"comments": True})
    return Walker(study.annotators.first()).start()


def comment_on_first(walker) -> dict:
    data = walker.answers()
    return data | {f"comment.-{data['item'][0]}": WORDS}


def test_a_study_offers_comments_only_if_it_says_so(project):
    walker = Walker(make_world(project).annotators.first()).start()
    assert "comment." not in walker.get().text
    walker.post(comment_on_first(walker), path=walker.draft)
    assert not any("comment" in str(draft.values) for draft in Draft.objects.all())


def test_a_comment_is_kept_as_a_draft_and_handed_in_with_the_answers(walker):
    data = comment_on_first(walker)
    walker.post(data, path=walker.draft)
    page = BeautifulSoup(walker.get().content, "html.parser")
    areas = page.select("details.comment textarea")
    assert [area.get_text() for area in areas if area.get_text()] == [WORDS]
    assert [box.has_attr("open") for box in page.select("details.comment")].count(True) == 1
    walker.post(data)
    walker.reveal()
    (answer,) = Response.objects.exclude(comment="")
    assert (answer.stage, answer.comment) == ("guess", WORDS)
    assert [each.comment for each in list_own_answers(walker.annotator) if each.comment] == [WORDS]


def test_a_comment_alone_is_no_answer(walker):
    data = walker.answers()
    walker.post({"token": data["token"], "item": data["item"], f"comment.-{data['item'][0]}": WORDS})
    assert not Response.objects.exists()
    assert WORDS in BeautifulSoup(walker.get().content, "html.parser").get_text()


def test_a_comment_is_on_people_on_the_item_and_in_the_export_and_viewers_do_not_see_it(
    walker, as_user, viewer, reviewer
):
    walker.post(comment_on_first(walker))
    walker.reveal()
    study, (answer,) = walker.annotator.study, Response.objects.exclude(comment="")
    client, shown = as_user(reviewer), "The reeds &lt;b&gt;matter&lt;/b&gt;."
    for name, args in (
        ("study_annotators", []),
        ("study_person", [walker.annotator.pk]),
        ("study_item", [answer.item_id]),
    ):
        assert shown in client.get(reverse(name, args=[study.slug, *args])).text, name
    content = b"".join(client.get(reverse("study_export", args=[study.slug, "csv"])).streaming_content)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert [row["item_id"] for row in rows if row["comment"]] == [answer.item.external_id]
    assert shown not in as_user(viewer).get(reverse("study_annotators", args=[study.slug])).text


class Commenting(SimulatedPerson):
    """Somebody who comments on everything."""

    def answers(self):
        sent = super().answers()
        return sent | {f"comment.-{handle}": WORDS for handle in sent["item"]}


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if PROTOCOLS[name].needs_items])
def test_every_protocol_that_asks_about_items_takes_comments(project, protocol):
    bank(project, texts=1, items=4)
    study = make_live_study(project, protocol=protocol, recruitment={"comments": True})
    (annotator,) = make_simulated_annotators(study, 1, seed=3)
    Commenting(annotator, Random(3)).work_through()
    answers = Response.objects.filter(assignment__annotator__purpose=Purpose.SIMULATED)
    commented = answers.exclude(comment="")
    subjects = answers.values("assignment", "stage", "item").distinct().count()
    assert commented.count() == subjects > 0
