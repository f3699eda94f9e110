"""Figures are drawn from tables, say what is in them, and run nothing."""

import altair
import pytest
from altair.utils.schemapi import validate_jsonschema

from analysis.choices import Choices
from analysis.figures.registry import as_png, as_svg
from analysis.figures.style import list_shades, make_share_axis
from analysis.services.figures import specify_figure
from analysis.services.reporting import build
from tests.drawn import FIGURES as FIGURES_OF
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

FIGURES = ("dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating")  # of a guess-then-read study


def draw_svg(study, name, **choices):
    return as_svg(specify_figure(study, build(study, Choices(**choices)), name))


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_names_the_study_and_the_numbers(two_annotators, name):
    svg = draw_svg(two_annotators, name)
    assert svg.startswith("<svg")
    assert "Study tiny" in svg


EACH_PROTOCOL = pytest.mark.parametrize("make", FIGURES_OF, ids=lambda make: make.__name__)


@EACH_PROTOCOL
def test_every_specification_is_valid_vega_lite(project, make):
    """The product does not check it again: that takes as long as to make it."""
    study = make(project)
    report = build(study, Choices(seed=5))
    for name in report.figures:
        validate_jsonschema(specify_figure(study, report, name), altair.load_schema())


def test_the_dumbbell_has_both_shares_the_difference_and_n(two_annotators):
    svg = draw_svg(two_annotators, "dumbbell")
    for words in ("careful", ">.75<", ">.88<", "+.12", "n 4 and 8, 2 texts"):
        assert words in svg


@pytest.mark.parametrize("name", FIGURES)
def test_a_study_without_answers_still_has_figures(tiny, name):
    assert draw_svg(tiny, name).startswith("<svg")


def test_names_are_text_and_nothing_else(project):
    item = make_item(make_text(project, "t1"), "<script>alert(1)</script>&", "i1")
    study = make_study(project, "s", [item], title='"><image href=x onerror=alert(1)>')
    answer(make_annotator(study, "ada"), "read", item, "TF", rating=3)
    for name in FIGURES:
        svg = draw_svg(study, name)
        assert "<script" not in svg
        assert "<image" not in svg


def test_included_answers_are_named_under_the_title(two_annotators):
    assert "Pilot answers included." in draw_svg(two_annotators, "ratings", purposes=("main", "pilot"))


def test_a_png_is_a_png(two_annotators):
    spec = specify_figure(two_annotators, build(two_annotators, Choices()), "ratings")
    assert as_png(as_svg(spec)).startswith(b"\x89PNG")


def test_shades_run_from_light_to_dark():
    brightness = [sum(int(shade[place : place + 2], 16) for place in (1, 3, 5)) for shade in list_shades(7)]
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(list_shades(7))) == 7


@pytest.mark.parametrize(("top", "form"), [(1, ".1f"), (0.5, ".1f"), (0.15, ".2f"), (0.04, ".3f")])
def test_an_axis_of_small_shares_has_the_digits_that_tell_its_ticks_apart(top, form):
    assert f"'{form}'" in make_share_axis("width", top)["labelExpr"]
