"""Variants: one instrument against another, drawn evenly at joining, never told, each answer by its own wording."""

from collections import Counter

import pytest

from studies.models import Annotator, Response, StudyState
from studies.services import answering
from studies.services.creating import NotADraft, change_study
from studies.services.instruments import find_version, store_version
from studies.services.launching import start_preview
from studies.services.people import add_annotators
from studies.services.responses.importing import import_responses
from studies.services.spec import SpecError, check_spec
from tests.factory import make_item
from tests.stopping import FORM, UNCLEAR, draft_study, make_bank, make_live_study, spec
from tests.studies.world import Person, post

FLAT = [{"name": "stopping"}, {"name": "flat", "params": {"flat": True}}]


@pytest.fixture(autouse=True)
def bank(project):
    make_bank(project)


def people(study) -> list[Person]:
    return [Person(annotator) for annotator in study.annotators.order_by("seat")]


def answers(someone, values: dict):
    handle = someone.shown[0][0]
    return post(item=handle, **{f"{name}-{handle}": value for name, value in values.items()})


def test_annotators_are_drawn_evenly_in_each_group_when_they_join(project):
    study = make_live_study(project, variants=FLAT, plan={"annotators": 12, "seed": 5})
    assert not Annotator.objects.exclude(variant=None).exists()
    joined = people(study)[:8]
    for someone in joined:
        answering.join_study(someone.annotator)
    drawn = Counter(study.annotators.filter(joined_at__isnull=False).values_list("group", "variant__name"))
    assert drawn == {(group, name): 2 for group in study.groups for name in ("stopping", "flat")}


def test_who_joins_again_keeps_the_variant(project):
    study = make_live_study(project, variants=FLAT)
    for someone in people(study):
        answering.join_study(someone.annotator)
    before = list(study.annotators.order_by("pk").values_list("variant", flat=True))
    for someone in people(study):
        answering.join_study(someone.annotator)
    assert list(study.annotators.order_by("pk").values_list("variant", flat=True)) == before


def test_the_same_seed_draws_the_same(project):
    found = []
    for slug in ("one", "two"):
        study = make_live_study(project, slug=slug, variants=FLAT, plan={"annotators": 9, "seed": 11})
        for someone in people(study):
            answering.join_study(someone.annotator)
        found.append(list(study.annotators.order_by("seat").values_list("variant__name", flat=True)))
    assert found[0] == found[1]
    assert found[0] != sorted(found[0])


def in_variant(study, name: str) -> Person:
    """The first who is drawn to the variant, at their first item."""
    for someone in people(study):
        someone.start()
        if someone.annotator.variant.name == name:
            return someone
    raise AssertionError(name)


def test_each_is_asked_by_their_own_variant(project):
    study = make_live_study(project, variants=FLAT)
    stopping, flat = in_variant(study, "stopping"), in_variant(study, "flat")
    stopping.save(answers(stopping, UNCLEAR))
    stopping.hand_in()
    flat.save(answers(flat, UNCLEAR))
    with pytest.raises(answering.Incomplete):
        flat.hand_in()
    rest = {"rephrase": "no", "answerable": "no", "information_needed": "text", "central": "no", "would_use": "no"}
    flat.save(answers(flat, UNCLEAR | rest))
    flat.hand_in()
    given = Response.objects.filter(assignment__annotator=flat.annotator)
    assert set(given.values_list("question", flat=True)) == {*UNCLEAR, *rest} - {"rephrase"}
    assert Response.objects.filter(assignment__annotator=stopping.annotator).count() == len(UNCLEAR)


def test_every_answer_names_the_wording_of_its_variant(project):
    content = find_version("stopping-questionnaire/en", project).content
    own = store_version("other-words", "en", content | {"protocol": "stopping-questionnaire", "use": "people"}, project)
    study = make_live_study(project, variants=[{"name": "a"}, {"name": "b", "instrument": "other-words/en"}])
    for name, version in (("a", study.instrument_version), ("b", own)):
        someone = in_variant(study, name)
        someone.save(answers(someone, FORM | {"understandable": "no"}))
        someone.hand_in()
        assert {row.instrument_version for row in Response.objects.filter(assignment__annotator=someone.annotator)} == {
            version
        }


def test_no_page_tells_the_variant(project, client):
    study = make_live_study(project, variants=[{"name": "zebra"}, {"name": "yak", "params": {"flat": True}}])
    for annotator in study.annotators.all():
        pages = [client.post(f"/join/{annotator.token}/", follow=True)]
        work = pages[0].redirect_chain[-1][0]
        pages += [client.post(work, {"phase": phase}, follow=True) for phase in ("consent", "instructions")]
        for page in pages:
            assert page.status_code == 200
            assert b"zebra" not in page.content
            assert b"yak" not in page.content


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ([{"name": "alone"}], "at least two variants"),
        ([{"name": "same"}, {"name": "same", "params": {"flat": True}}], "each with its own"),
        ([{"name": "a"}, {"name": "b"}], "are identical"),
        ([{"name": "a"}, {"name": "b", "params": {"unheard": 1}}], "no parameter"),
        ([{"name": "a"}, {"name": "b", "instrument": "pairwise/en"}], "not belong to the protocol"),
    ],
)
def test_variants_that_compare_nothing_are_refused(project, variants, message):
    with pytest.raises(SpecError, match=message):
        draft_study(project, variants=variants)


def test_variants_with_other_units_are_refused(project):
    variants = [{"name": "many"}, {"name": "few", "params": {"pairs_per_text": 1}}]
    with pytest.raises(SpecError, match="other units"):
        draft_study(
            project, protocol="dimension-ratings", variants=[{"name": "a"}, {"name": "b", "params": {"rounds": 2}}]
        )
    for text in project.texts.all():
        for generator in ("gen-alder", "gen-birch"):
            for more in ("one", "two"):
                make_item(text, generator, f"{text.external_id}-{generator}-{more}")
    with pytest.raises(SpecError, match="other units"):
        draft_study(project, protocol="pairwise", params={"pairs_per_text": 2}, variants=variants)


def test_key_first_against_shuffled_is_a_variant(project):
    for text in project.texts.all():
        for generator in ("gen-alder", "gen-birch"):
            make_item(text, generator, f"{text.external_id}-{generator}-keyed")
    variants = [{"name": "first"}, {"name": "shuffled", "params": {"key_first": False}}]
    study = draft_study(project, protocol="pairwise", params={"pairs_per_text": 1}, variants=variants)
    assert list(study.variants.values_list("name", "params__key_first")) == [("first", True), ("shuffled", False)]


def test_they_are_frozen_at_launch(project):
    study = make_live_study(project, variants=FLAT)
    with pytest.raises(NotADraft):
        change_study(study, check_spec(spec(variants=[])))
    assert study.variants.count() == 2


def test_a_draft_may_change_them(project):
    study = draft_study(project, variants=FLAT)
    start_preview(study, "flat")
    change_study(study, check_spec(spec(variants=[])))
    assert not study.variants.exists()


def test_a_preview_shows_the_variant_asked_for(project):
    study = draft_study(project, variants=FLAT)
    annotator = start_preview(study, "flat")
    answering.join_study(annotator)
    annotator.refresh_from_db()
    assert annotator.variant.name == "flat"


def test_who_comes_later_fills_up_what_is_short(project):
    study = make_live_study(project, variants=FLAT, groups=[], plan={"annotators": 1, "seed": 5})
    answering.join_study(study.annotators.get())
    first = study.annotators.get().variant.name
    (late,) = add_annotators(study, 1)
    answering.join_study(late)
    assert {first, late.variant.name} == {"stopping", "flat"}


def test_finished_answers_are_not_taken_into_variants(project):
    study = draft_study(project, variants=FLAT)
    with pytest.raises(SpecError, match="variants"):
        import_responses(study, b"annotator,stage,item_id,question,value\nada,judge,s1-gen-alder,understandable,no\n")
    study.refresh_from_db()
    assert study.state == StudyState.DRAFT
