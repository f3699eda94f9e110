"""Pairs through the real pages: what is shown, what is stored, who waits, and what stays on the server."""

from random import Random

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command

from annotation.simulation import simulate_study
from items.models import Generator, Item, Option
from studies.models import Assignment, Response
from studies.services.launching import open_main_part
from studies.services.places import find_place
from studies.services.spec import SpecError
from tests.annotation.world import Walker
from tests.pairs import (
    ANNOTATORS,
    GENERATORS,
    ITEMS,
    PAIRS,
    SECRETS,
    SHARED,
    TEXTS,
    Judge,
    annotators,
    draft_study,
    list_expected_judgments,
    make_bank,
    make_live_study,
    make_study_with_bank,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


def judge(study) -> list[Judge]:
    """Everybody as far as they get."""
    judges = [Judge(annotator, Random(1)) for annotator in annotators(study)]
    for each in judges:
        each.work_through()
    return judges


def read_preferences() -> set[tuple]:
    rows = Response.objects.filter(question="better").select_related("assignment__annotator", "item")
    found = set()
    for row in rows:
        one, other = (each.item.external_id for each in row.assignment.unit.unit_items.all())
        assert row.item.external_id == one
        found.add((row.assignment.annotator.code, one, other, row.value))
    return found


def test_after_the_calibration_everybody_waits_and_then_gets_texts_of_their_own(study):
    judges = judge(study)
    assert read_preferences() == list_expected_judgments(study, "calibration")
    assert len(read_preferences()) == ANNOTATORS * SHARED * PAIRS
    for each in judges:
        assert find_place(each.annotator).kind == "waiting"
        assert b"The second part is not open yet" in each.seen[-1]
    open_main_part(study)
    judge(study)
    assert read_preferences() == list_expected_judgments(study)
    assert len(read_preferences()) == ANNOTATORS * (SHARED + 1) * PAIRS
    own = Assignment.objects.filter(unit__part="main").order_by().values_list("annotator", "unit__text").distinct()
    assert len({text for _annotator, text in own}) == ANNOTATORS == len(own)


def test_the_main_part_is_opened_once_and_only_after_a_calibration(project, study):
    call_command("open_main_part", "pairs", verbosity=0)
    with pytest.raises(CommandError, match="is already open"):
        call_command("open_main_part", "pairs")
    plain = make_live_study(project, slug="plain", plan={"shared_texts": 0, "own_texts": 0})
    with pytest.raises(SpecError, match="no calibration"):
        open_main_part(plain)


def test_simulated_people_do_not_wait(study):
    (annotator,) = simulate_study(study, 1, seed=1)
    done = annotator.assignments.filter(finished_at__isnull=False)
    assert done.count() == annotator.assignments.count() == (SHARED + 1) * PAIRS


def page_of(study) -> BeautifulSoup:
    return BeautifulSoup(Walker(annotators(study)[0]).start().get().content, "html.parser")


def test_keys_stand_first_and_are_marked(study):
    page = page_of(study)
    for side in page.select(".side"):
        assert ["is-key" in option.get("class", ()) for option in side.select("li")] == [True, False, False]
        assert side.select_one("li").get_text().startswith("Answer z")


def test_options_may_be_shuffled_with_the_keys_marked(project):
    study = make_study_with_bank(project, params={"key_first": False})
    places = set()
    for annotator in annotators(study):
        page = BeautifulSoup(Walker(annotator).start().get().content, "html.parser")
        for side in page.select(".side"):
            marked = ["is-key" in option.get("class", ()) for option in side.select("li")]
            assert sum(marked) == 1
            assert side.select("li")[marked.index(True)].get_text().startswith("Answer z")
            places.add(marked.index(True))
    assert len(places) > 1


def test_no_page_tells_who_wrote_an_item_or_explains_an_option(study):
    open_main_part(study)
    pages = [body for each in judge(study) for body in each.seen]
    assert len(pages) > ANNOTATORS * PAIRS * (SHARED + 1)
    for body in pages:
        assert not [secret for secret in SECRETS if secret.encode() in body]


def test_generators_and_explanations_change_no_byte_of_a_page(study):
    walker = Walker(annotators(study)[0]).start()
    before = walker.get().content
    following = dict(zip(GENERATORS, GENERATORS[1:] + GENERATORS[:1], strict=True))
    for item in Item.objects.select_related("generator"):
        item.generator = Generator.objects.get(name=following[item.generator.name])
        item.metadata, item.reference = {"another": 1}, True
        item.save()
    Option.objects.update(explanation="another")
    assert walker.get().content == before
    Option.objects.filter(position=1).update(text="Something else")
    assert walker.get().content != before


def test_the_text_is_open_at_its_first_pair_and_folded_after(study):
    walker = Walker(annotators(study)[0]).start()
    folds = []
    for _pair in range(PAIRS + 1):
        page = BeautifulSoup(walker.get().content, "html.parser")
        folds.append(page.select_one(".text-fold").has_attr("open"))
        button = page.select_one("[data-arrow=down]")
        item, token = page.select_one("[data-item]")["data-item"], page.select_one("[name=token]")["value"]
        walker.post({"token": token, "item": item, button["name"]: button["value"]})
    assert folds == [True] + [False] * (PAIRS - 1) + [True]


def test_a_page_without_a_choice_does_not_lead_on(study):
    walker = Walker(annotators(study)[0]).start()
    before = walker.assignment.pk
    walker.post({"token": walker.assignment.token})
    assert walker.assignment.pk == before
    assert b"Not answered yet: Choice." in walker.seen[-1].content


def test_criteria_are_ticked_after_a_choice_and_not_after_a_tie(project):
    study = make_study_with_bank(project, params={"criteria_ticks": True})
    walker = Walker(annotators(study)[0]).start()
    for arrow, ticked in (("left", ["from_text"]), ("down", ["from_text"])):
        page = BeautifulSoup(walker.get().content, "html.parser")
        choice, item = page.select_one(f"[data-arrow={arrow}]"), page.select_one("[data-item]")["data-item"]
        ticks = {page.select_one(f"[data-name={name}] input")["name"]: "true" for name in ticked}
        token = page.select_one("[name=token]")["value"]
        walker.post({"token": token, "item": item, choice["name"]: choice["value"]} | ticks)
    first, second = annotators(study)[0].assignments.filter(finished_at__isnull=False).order_by("position")
    assert dict(first.responses.exclude(question="better").values_list("question", "value")) == {
        "only_key": False, "from_text": True, "not_trivial": False, "understanding": False,
    }  # fmt: skip
    assert list(second.responses.values_list("question", "value")) == [("better", "tie")]


def test_which_side_an_item_stands_on_follows_from_no_id(project):
    """Over many annotators each pair is seen both ways, and neither the first, the older nor the unit's parity wins."""
    study = make_study_with_bank(project, plan={"annotators": 20, "shared_texts": 0, "own_texts": 0})
    rows = Assignment.objects.filter(annotator__study=study).prefetch_related("unit__unit_items")
    left_is = {"first": [], "lower": [], "parity": [], "seat": []}
    by_unit: dict[int, set[int]] = {}
    for row in rows.select_related("annotator"):
        left, right = (shown[1] for shown in row.shown["compare"])
        first = row.unit.unit_items.all()[0].item_id
        by_unit.setdefault(row.unit_id, set()).add(left)
        left_is["first"].append(left == first)
        left_is["lower"].append(left < right)
        left_is["parity"].append((left < right) == (row.unit_id % 2 == 0))
        left_is["seat"].append((left < right) == (row.annotator.seat % 2 == 0))
    assert all(len(lefts) == 2 for lefts in by_unit.values())
    for name, seen in left_is.items():
        assert 0.42 < sum(seen) / len(seen) < 0.58, name  # of 600, more than three standard deviations
    handles = {row.shown["compare"][0][0] for row in rows}
    assert len(handles) == len(rows)


def test_the_published_numbers_come_out(project):
    """30 pairs a text of 4 generators with 5 items, 5 shared texts and 10 of one's own for 5 people."""
    from studies.services.launching import outline_draft
    from tests.studies.world import bank

    bank(project, texts=55, generators=("a", "b", "c", "d"), items=5)
    study = draft_study(
        project, params={"pairs_per_text": 30}, plan={"annotators": 5, "shared_texts": 5, "own_texts": 10}
    )
    found = outline_draft(study)
    assert len(found.units) == 1650
    assert sum(unit.part == "calibration" for unit in found.units) == 150
    assert sum(len(row) for row in found.who) == 2250


def test_a_text_of_fewer_pairs_gives_all_of_them_and_the_study_says_so(project):
    """Three generators with two items each: 3 · 2 · 2 = 12 pairs."""
    from studies.services.launching import outline_draft

    make_bank(project)
    found = outline_draft(draft_study(project, params={"pairs_per_text": 30}))
    pairs = [frozenset(item.pk for item in unit.items) for unit in found.units]
    assert len(pairs) == len(set(pairs)) == ITEMS**2 * 3 * len(found.chosen.texts) == 12 * TEXTS
    assert f"{TEXTS} texts allow fewer than 30 pairs; all of them are used." in found.chosen.notices
    assert outline_draft(draft_study(project, slug="few", params={"pairs_per_text": 12})).chosen.notices == []


def choose(walker, arrow: str) -> None:
    page = BeautifulSoup(walker.get().content, "html.parser")
    button = page.select_one(f"[data-arrow={arrow}]")
    item, token = page.select_one("[data-item]")["data-item"], page.select_one("[name=token]")["value"]
    walker.post({"token": token, "item": item, button["name"]: button["value"]})


def back_on(walker) -> str:
    """The token of the way back that stands on the page, or nothing."""
    field = BeautifulSoup(walker.get().content, "html.parser").select_one("[name=back]")
    return field["value"] if field else ""


def outcomes(study) -> list[tuple]:
    """Round and whether it is a tie, of every response, as they were given."""
    rows = Response.objects.filter(question="better").order_by("pk").values_list("assignment__round", "value")
    return [(number, value == "tie") for number, value in rows]


def test_the_pair_handed_in_last_can_be_answered_again_as_a_new_round(study):
    from analysis.choices import Choices
    from analysis.frames.evidence import collect_evidence

    walker = Walker(annotators(study)[0]).start()
    assert back_on(walker) == ""
    choose(walker, "left")
    first = BeautifulSoup(walker.get().content, "html.parser")
    page = BeautifulSoup(walker.client.post(walker.work, {"back": back_on(walker)}, follow=True).content, "html.parser")
    assert "This pair is open again." in page.get_text()
    assert "Pair 1 of 18" in page.select_one(".work-head").get_text()
    assert not page.select("[name=back]")
    choose(walker, "down")
    assert outcomes(study) == [(1, False), (2, True)]
    following = BeautifulSoup(walker.get().content, "html.parser")
    assert [tag.get_text() for tag in following.select(".side h2")] == [
        tag.get_text() for tag in first.select(".side h2")
    ]
    assert "Pair 2 of 18" in following.select_one(".work-head").get_text()
    frame = collect_evidence(study, Choices()).frame
    assert list(frame["value"]) == ["tie"]


def test_the_pair_stands_as_it_stood_and_its_sides_are_stored_again(study):
    walker = Walker(annotators(study)[0]).start()
    before = [tag.get_text() for tag in BeautifulSoup(walker.get().content, "html.parser").select(".side h2")]
    choose(walker, "left")
    walker.post({"back": back_on(walker)})
    assert [tag.get_text() for tag in BeautifulSoup(walker.get().content, "html.parser").select(".side h2")] == before
    first, again = Assignment.objects.filter(annotator=walker.annotator, unit=walker.assignment.unit).order_by("round")
    assert [row[1] for row in again.shown["compare"]] == [row[1] for row in first.shown["compare"]]
    assert not {row[0] for row in again.shown["compare"]} & {row[0] for row in first.shown["compare"]}


def test_only_the_last_pair_is_taken_back_and_only_once_at_a_time(study):
    walker = Walker(annotators(study)[0]).start()
    choose(walker, "left")
    early = back_on(walker)
    choose(walker, "left")
    response = walker.post({"back": early})
    assert response.status_code == 409
    assert "can no longer be undone" in response.content.decode()
    last = back_on(walker)
    assert walker.post({"back": last}).status_code == 302
    assert walker.post({"back": last}).status_code == 409
    assert walker.post({"back": "x" * 43}).status_code == 409
    assert Assignment.objects.filter(annotator=walker.annotator, round=2).count() == 1


def test_an_answer_to_the_page_that_was_left_by_going_back_is_not_taken(study):
    walker = Walker(annotators(study)[0]).start()
    choose(walker, "left")
    left = walker.assignment.token
    walker.post({"back": back_on(walker)})
    assert walker.post({"token": left}).status_code == 409
    assert Response.objects.count() == 1


def test_the_last_pair_of_all_can_be_taken_back_while_one_waits_and_at_the_end(study):
    first, *_others = judge(study)
    walker = Walker(first.annotator)
    walker.join()
    assert find_place(first.annotator).kind == "waiting"
    walker.post({"back": back_on(walker)})
    assert find_place(first.annotator).kind == "stage"
    choose(walker, "down")
    assert find_place(first.annotator).kind == "waiting"
    open_main_part(study)
    study.refresh_from_db()
    judge(study)
    walker.post({"back": back_on(walker)})
    place = find_place(annotators(study)[0])
    assert (place.kind, place.counts) == ("stage", (18, 18))
