"""Labels and preferences as papers print them: what stands down, across and beneath, and what is behind it."""

import pytest

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.hiding import hide_effects
from analysis.protocols.stopping_questionnaire.report import say_agreement_range
from analysis.services.reporting import build_report, drill_down
from analysis.tables.page_grids import pivot
from studies.models import Study
from studies.services.responses.importing import import_responses
from tests import pairs, stopping
from tests.analysis.rows import find_row, lines_under, make_table
from tests.pairs import generator_of
from tests.studies.answer_files import as_csv

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def questionnaire_report(project):
    """The report of the planted questionnaire that stops."""
    stopping.make_bank(project)
    study = stopping.draft_study(project)
    import_responses(study, as_csv(stopping.rows()))
    study.refresh_from_db()
    return build_report(collect_evidence(study, Choices(seed=5)))


@pytest.fixture
def pairs_evidence(project):
    """The evidence of two pairs, which three people and a model have judged; alder and cedar never meet."""
    pairs.make_bank(project)
    rows = []
    for one, other in (("gen-birch", "gen-alder"), ("gen-birch", "gen-cedar")):
        ids = (f"p1-{one}-0", f"p1-{other}-0")
        shared = {"stage": "compare", "question": "better", "item_id": ids[0], "other_item_id": ids[1]}
        values = {"ann0": ids[0], "ann1": ids[1] if other == "gen-cedar" else ids[0], "ann2": ids[1], "judge-x": "tie"}
        for name, better in values.items():
            kind = "model" if name == "judge-x" else "human"
            rows.append(shared | {"annotator": name, "annotator_kind": kind, "value": better, "part": "calibration"})
    study = pairs.draft_study(project)
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    return collect_evidence(study, Choices(seed=3))


def grids(report, name, link=None):
    return pivot(report.table(name), "annotators", link)


def heads(grid):
    return [column.title for column in grid.head]


def test_agreement_stands_by_group_by_generator_and_by_source_in_both_views(questionnaire_report):
    across = {
        "By group": ["all people", *stopping.GROUPS],
        "By generator": ["all", *stopping.GENERATORS],
        "By source": ["all", *stopping.SOURCES.values()],
    }
    found = [(grid.title, heads(grid)) for grid in grids(questionnaire_report, "agreement")]
    assert found == [
        (f"{title} · View: {view}", ["Category", *names])
        for title, names in across.items()
        for view in ("with “not applicable”", "applicable only")
    ]


def test_a_cell_of_agreement_is_percent_over_kappa_ac1_and_pairs(questionnaire_report):
    grid = grids(questionnaire_report, "agreement")[0]
    assert len(grid.rows) == len(stopping.CATEGORIES)
    cell = grid.rows[0][1]  # worked by hand: 8 of 12 pairs alike, κ 7/31, AC1 7/15
    assert (cell.text, lines_under(cell)) == (".67", (".23 · .47 · 12",))
    alone = grid.rows[0][3]  # of one person
    assert (alone.text, lines_under(alone)) == ("undefined", ())
    assert grid.footnotes[alone.mark]


def test_a_cell_of_agreement_leads_to_its_own_row(questionnaire_report):
    by_source = grids(
        questionnaire_report, "agreement", lambda row, column: f"{row['source']}/{row['view']}/{column.name}"
    )[4]
    assert by_source.rows[0][2].href == "atlas/all/percent"


def test_each_number_beneath_percent_leads_to_its_own_rows(questionnaire_report):
    cell = grids(questionnaire_report, "agreement", lambda row, column: f"{row['view']}/{column.name}")[0].rows[0][1]
    wanted = ["all/kappa", "", "all/ac1", "", "all/n_pairs"]
    assert [part.href for part in cell.beneath] == wanted


def test_how_far_judgments_got_stands_by_group_with_those_that_stopped_beneath(questionnaire_report):
    (grid,) = grids(questionnaire_report, "flow")
    assert heads(grid) == ["Category", "all people", *stopping.GROUPS]
    assert (grid.rows[0][1].text, lines_under(grid.rows[0][1])) == ("12", ("3",))
    assert grid.notes == ("In each cell: Reached; below it: Stopped.",)


def test_labels_are_counted_by_generator_and_by_source_category_by_category(questionnaire_report):
    both = grids(questionnaire_report, "label_distributions")
    assert len(both) == 2 * len(stopping.CATEGORIES)
    assert both[3].title == "By generator · Category: clear"
    assert heads(both[3]) == ["Label", "all", *stopping.GENERATORS]
    assert [(line[1].text, lines_under(line[1])) for line in both[3].rows] == [
        ("5", (".42",)), ("3", (".25",)), ("1", (".08",)), ("3", (".25",)),
    ]  # fmt: skip


def test_while_effects_are_hidden_no_grid_tells_generators_apart(questionnaire_report):
    hidden = hide_effects(questionnaire_report)
    assert [grid.title for grid in grids(hidden, "agreement")] == [
        "By group · View: with “not applicable”", "By group · View: applicable only",
    ]  # fmt: skip


def test_the_findings_of_the_page_name_where_people_agree_most_and_least(questionnaire_report, monkeypatch, recompute):
    assert (
        say_agreement_range(questionnaire_report.table("agreement")) == []
    )  # nine pairs at most got to any category but the first
    monkeypatch.setattr("analysis.protocols.stopping_questionnaire.report.FEWEST", 5)
    study = Study.objects.get(slug="stops")
    text = " ".join(build_report(collect_evidence(study, Choices(seed=5))).sentences)
    assert "Among pairs of people who both reached a category, agreement is highest" in text


def list_agreement(*rows):
    columns = ("group", "generator", "source", "view", "category", "ac1", "kappa", "n_pairs")
    everything = {"group": "", "generator": "", "source": "", "view": "applicable", "kappa": 0.25, "n_pairs": 40}
    return make_table("agreement", columns, [everything | row for row in rows])


CLEAR, CENTRAL = {"category": "clear", "ac1": 0.75}, {"category": "central", "ac1": 0.5, "n_pairs": 1}


def test_the_categories_of_most_and_least_agreement_are_named_with_both_coefficients():
    table = list_agreement(
        CLEAR, {"category": "central", "ac1": -0.5, "n_pairs": 12}, {"category": "grammatical", "ac1": 0.5},
        {"category": "domain_related", "ac1": 0.99, "generator": "neural"},
        {"category": "domain_related", "ac1": 0.99, "group": "experts"},
        {"category": "domain_related", "ac1": 0.99, "view": "all"},
    )  # fmt: skip
    assert say_agreement_range(table) == [
        "Among pairs of people who both reached a category, agreement is highest for “clear” (AC1 .75, κ .25, 40 pairs)"
        " and lowest for “central to the text” (AC1 −.50, κ .25, 12 pairs)."
    ]


def test_an_undefined_kappa_is_called_so():
    (values,) = say_agreement_range(
        list_agreement(CLEAR | {"ac1": 1, "kappa": None}, {"category": "grammatical", "ac1": 0.5})
    )
    assert "(AC1 1.00, κ undefined, 40 pairs)" in values


def test_categories_of_few_pairs_or_without_a_coefficient_are_not_named_and_that_is_said():
    undefined = {"category": "rephrase", "ac1": None, "n_pairs": 0}
    sentences = say_agreement_range(list_agreement(CLEAR, CENTRAL, undefined, {"category": "grammatical", "ac1": 0.5}))
    assert "central" not in sentences[0]
    assert sentences[1] == "2 categories with fewer than 10 such pairs are left out."


@pytest.mark.parametrize("other", [CENTRAL, {"category": "grammatical", "ac1": 0.75}, {}])
def test_nothing_is_said_where_no_two_categories_differ(other):
    assert say_agreement_range(list_agreement(CLEAR, *([other] if other else []))) == []


def test_generators_stand_down_and_models_of_strength_across(pairs_evidence):
    ranked = build_report(pairs_evidence).table("ranking")
    (grid,) = pivot(ranked, "annotators")
    assert heads(grid)[:2] == ["Generator", "Davidson, ties modelled"]
    assert len(grid.rows) == len(pairs.GENERATORS)
    assert grid.notes == ("In each cell: Strength; below it: Rank · Possible ranks.",)
    best = next(row for row in ranked.rows if row["rank"] == 1)
    assert grid.rows[0][0].text == best["generator"]
    assert lines_under(grid.rows[0][1])[-1] == f"1 · {best['ranks']}"


def test_each_generator_has_its_wins_over_each_other_in_its_own_line(pairs_evidence):
    (grid,) = grids(build_report(pairs_evidence), "wins")
    cells = {line[0].text: [cell.text for cell in line[1:]] for line in grid.rows}
    assert heads(grid) == ["Generator", *pairs.GENERATORS]
    assert cells == {"gen-alder": ["", "1", "0"], "gen-birch": ["2", "", "1"], "gen-cedar": ["0", "2", ""]}
    assert lines_under(grid.rows[0][2]) == lines_under(grid.rows[1][1]) == ("0 · 3",)


def test_behind_a_cell_of_wins_stand_the_judgments_that_its_line_won(pairs_evidence):
    places = []

    def link(row, column):
        places.append((row, column.name))
        return str(len(places) - 1)

    (grid,) = grids(build_report(pairs_evidence), "wins", link)
    won = 0
    for line in grid.rows:
        for cell in line[1:]:
            if cell.href:
                judgments = drill_down(pairs_evidence, "wins", *places[int(cell.href)]).rows
                assert len(judgments) == int(cell.text)
                assert {generator_of(judgment["better"]) for judgment in judgments} == {line[0].text}
                won += len(judgments)
    assert won == 6  # no judgment of a person is a tie


def test_a_models_wins_and_ties_stand_as_such_a_grid_too(pairs_evidence):
    (grid,) = grids(build_report(pairs_evidence), "judge_wins")
    cells = {line[0].text: [(cell.text, lines_under(cell)) for cell in line[1:]] for line in grid.rows}
    assert cells["gen-birch"] == [("0", ("1 · 1",)), ("", ()), ("0", ("1 · 1",))]
    assert (
        find_row(build_report(pairs_evidence), "judge_wins", generator_a="gen-alder", generator_b="gen-birch")["ties"]
        == 1
    )
