"""The interval of informativity by every method: what is drawn, in which order, and where there is none."""

import pytest

from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

READ = {"ada": "TF TF TT TF FF TF", "ben": "TF TT TF TF TF FF", "cem": "TF TF TF FT TF TF"}
GUESSED = {"ada": "TT FF TF TT FF TT", "ben": "TF TT FF TF TT FF", "cem": "FF TF TT FT TF FF"}


@pytest.fixture
def three(project):
    """Three people guess and read an item on each of six texts."""
    items = [make_item(make_text(project, f"t{number}"), "careful", f"c{number}", "TF") for number in range(6)]
    study = make_study(project, "three", items)
    for code in READ:
        person = make_annotator(study, code)
        for item, guessed, read in zip(items, GUESSED[code].split(), READ[code].split(), strict=True):
            answer(person, "guess", item, guessed)
            answer(person, "read", item, read)
    return study


def test_five_methods_stand_side_by_side_about_one_number(three, table):
    rows = [row for row in table(three, "informativity_intervals").rows if row["evaluator"] == "human"]
    assert [(row["unit"], row["method"], row["n_units"]) for row in rows] == [
        ("text × annotator", "two-way-t", 6),
        ("text", "jackknife-t", 6),
        ("text", "bootstrap-percentile", 6),
        ("text × annotator", "bootstrap-percentile", 6),
        ("judgment", "bootstrap-percentile", 72),
    ]
    assert [row["informativity"] for row in rows] == [pytest.approx(30 / 36 - 22 / 36)] * 5
    assert all(row["low"] < row["informativity"] < row["high"] for row in rows)
    assert all(row["width"] == pytest.approx(row["high"] - row["low"]) for row in rows)


def test_each_convention_has_its_row_as_in_the_main_table(three, table, row):
    both = row(three, "informativity", evaluator="human")["intervals"]["informativity"]
    default, first, *_others, last = table(three, "informativity_intervals").rows
    assert (default["low"], default["high"]) == (both["readers"]["low"], both["readers"]["high"])
    assert default["share_from_readers"] == both["readers"]["share_from_readers"]
    assert (first["low"], first["high"]) == (both["annotators"]["low"], both["annotators"]["high"])
    assert (last["low"], last["high"]) == (both["published"]["low"], both["published"]["high"])


def test_a_single_person_gives_no_interval_over_people_and_says_so(three, table):
    assert not [row for row in table(three, "informativity_intervals").rows if row["reason"]]
    three.annotators.exclude(code="ada").update(purpose="pilot")
    both = [row for row in table(three, "informativity_intervals").rows if row["unit"] == "text × annotator"]
    assert [row["low"] for row in both] == [None]
    assert "at least two texts and two annotators" in both[0]["reason"]


def test_who_answered_in_one_stage_only_has_no_rows(tiny, items, table):
    answer(make_annotator(tiny, "exact", kind="baseline"), "read", items["c1"], "TF")
    assert table(tiny, "informativity_intervals").rows == ()
