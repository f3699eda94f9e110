"""Figures that the server draws: every number in them, nothing of a name that is markup, files of the asked width."""

import re

import pytest

from analysis.figures.paper import (
    FEWEST_ROWS,
    FORMS,
    PAGE,
    PHONE,
    Bar,
    Bars,
    Line,
    Mark,
    Panels,
    Ranges,
    describe,
    draw,
    draw_file,
    place_panels,
    truncate,
)

HOSTILE = "<script>alert(1)</script>"
RANGES = Ranges(
    tuple(Line(name, (Mark(0.4, 0.3, 0.5, "without"), Mark(0.9)), ".50", "[.40, .60]") for name in ("ann", HOSTILE)),
    "share", "gain", (("without", "before"), ("with", "after")), 0.5, (0, 1), joined=True,
)  # fmt: skip
PANELS = Panels(("ann", HOSTILE), (("Clarity", ((Mark(2.5, 2, 3),), (Mark(None),))),), "mean")
BARS = Bars((Bar("ann", (3, 1), "4"), Bar(HOSTILE, (0, 0))), ("kept", "dropped"), "percent")


@pytest.mark.parametrize("drawing", [RANGES, PANELS, BARS], ids=["ranges", "panels", "bars"])
def test_no_name_is_markup(drawing):
    for svg in (draw(drawing, PAGE), draw(drawing, PHONE), draw_file(drawing, 77)):
        assert svg.count("<text") == svg.count("</text>")
        assert "<script" not in svg


@pytest.mark.parametrize("sheet", [PAGE, PHONE])
def test_nothing_is_drawn_beside_the_sheet(sheet):
    names = ("n" * 60, "אבג", "a")
    drawing = Ranges(tuple(Line(name, (Mark(0.4, -0.3, 0.9),), ".40", "[−.30, .90]") for name in names), "share")
    places = [float(x) for x in re.findall(r' (?:x|x1|x2|cx)="([-\d.]+)"', draw(drawing, sheet))]
    assert min(places) >= 0
    assert max(places) <= sheet.width


@pytest.mark.parametrize("name", ["dunlin", "marten", "alder", "il", "MW"])
def test_a_name_is_whole_where_it_has_its_room_and_fits_where_it_is_cut(name):
    assert truncate(name, PAGE, PAGE.text_width(name)) == name
    assert PAGE.text_width(truncate(name * 9, PAGE, PAGE.text_width(name * 5))) <= PAGE.text_width(name * 5)


def test_the_heading_ends_on_the_sheet():
    svg = draw(Ranges((Line("ann", (Mark(0.77),), ".77"),), "share", "strength"), PAGE)
    [start] = re.findall(r'<text x="([\d.]+)"[^>]*>strength<', svg)
    assert float(start) + 1.1 * PAGE.text_width("strength") <= PAGE.width


def test_of_many_rows_a_page_shows_the_first_and_counts_the_others():
    many = Ranges(tuple(Line(f"g{n}", (Mark(0.1 * n),), "") for n in range(30)), "share")
    assert draw(many, PAGE).count("<circle") == PAGE.most
    assert f"{30 - PAGE.most} more" in draw(many, PAGE)
    assert draw_file(many, 160).count("<circle") == 30


def draw_scores(labels: tuple[str, ...]) -> str:
    rows = tuple((Mark(2.0, 1.5, 2.5),) for _label in labels)
    titles = ("fluency", "clarity", "relevance", "consistency", "average")
    return draw(Panels(labels, tuple((title, rows) for title in titles), "mean score"), PAGE)


def test_long_names_leave_their_rows_apart_and_all_panels_in_a_line():
    svg = draw_scores(tuple(f"generator-{number:02}-{'n' * 47}" for number in range(30)))
    names = re.findall(r">(…[^<]*)<", svg)
    assert len(set(names)) == len(names) == PAGE.most
    assert float(re.search(r' height="([\d.]+)"', svg)[1]) <= PAGE.tallest


def test_panels_above_others_leave_the_numbers_of_the_axis_to_these():
    rows = ((Mark(2.0, 1.5, 2.5),), (Mark(1.0, 0.5, 1.5),))
    drawing = Panels(("ann", "bob"), tuple(("erantzungarritasuna", rows) for _n in range(7)), "mean score", ends=(0, 3))
    _names, n = place_panels(drawing, drawing.labels, PAGE)
    assert n < 7
    assert draw(drawing, PAGE).count(">2</text>") == n


def test_of_a_tall_drawing_fewer_rows_are_shown_but_not_too_few():
    lines = tuple(Line(f"{number} {'n' * 60}", (Mark(0.5, 0.4, 0.6), Mark(0.7)), ".5") for number in range(30))
    svg = draw(Ranges(lines, "share", joined=True), PAGE)
    assert FEWEST_ROWS <= len(re.findall("nnn…", svg)) < PAGE.most
    assert f"{30 - len(re.findall('nnn…', svg))} more" in svg


def test_a_file_has_the_width_of_a_column_and_fixed_colours():
    svg = draw_file(RANGES, 84)
    assert 'width="84mm"' in svg
    assert "var(" not in svg


def test_each_form_is_what_it_says():
    assert FORMS["pdf"](BARS, 77).startswith(b"%PDF")
    png = FORMS["png"](BARS, 77)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == pytest.approx(77 / 25.4 * 300, abs=2)


def test_the_words_say_every_number():
    text = describe(RANGES)
    assert text.startswith("ann: before .40 [.30, .50], after .90; gain .50 [.40, .60].")
    assert describe(BARS).startswith("ann: kept 3, dropped 1.")
    assert "Clarity undefined" in describe(PANELS)
