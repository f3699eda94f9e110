"""What a figure tells apart by colour differs in greyscale and to the colour-blind; what stands on it can be read."""

from itertools import pairwise

import pytest

from analysis.figures.style import DARK, GUESS, INK, LIGHT, PLATE, READ, SOFT, choose_ink, list_shades, mix_shade
from tests.sight import DEUTERANOPIA, SIGHTS, contrast, distance, lab, without

NEIGHBOURS = 9.0  # least ΔE of steps of a scale that touch; lines between them help
APART = 40.0  # of two kinds that only a fill or shade tells apart
LEVELS = range(2, 8)  # of the scales that ratings and labels have


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("n", LEVELS)
def test_steps_of_a_scale_are_told_apart(n, sight):
    assert min(distance(one, other, sight) for one, other in pairwise(list_shades(n))) >= NEIGHBOURS


@pytest.mark.parametrize("sight", SIGHTS)
def test_every_step_is_darker_than_the_one_before(sight):
    lightness = [lab(SIGHTS[sight](shade))[0] for shade in list_shades(7)]
    assert all(before - after >= 8 for before, after in pairwise(lightness))


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(PLATE, READ, id="fill without and with the text"),
        pytest.param(LIGHT, DARK, id="not stopped and stopped"),
        pytest.param(PLATE, GUESS, id="outline of an open mark"),
    ],
)
def test_kinds_are_told_apart_by_their_fill(one, other, sight):
    assert distance(one, other, sight) >= APART


@pytest.mark.parametrize("sight", ["protanopia", "deuteranopia", "tritanopia"])
def test_both_stages_keep_their_hues_apart_for_the_colour_blind(sight):
    assert distance(GUESS, READ, sight) >= 20


def test_in_greyscale_the_stages_have_the_same_shade_so_they_never_differ_by_hue_alone():
    """Why open and filled, dashed and solid, above and below are needed: this is the pair that a copier loses."""
    assert distance(GUESS, READ, "grey") < NEIGHBOURS


@pytest.mark.parametrize("colour", [INK, SOFT, GUESS, READ, DARK])
def test_words_and_lines_stand_out_from_the_plate(colour):
    assert contrast(colour, PLATE) >= 4.5


@pytest.mark.parametrize("percent", range(101))
def test_numbers_on_any_shade_can_be_read(percent):
    shade = mix_shade(percent / 100)
    assert contrast(choose_ink(shade), shade) >= 4.5


@pytest.mark.parametrize("shade", ["#202020", "#808080", "#ffffff"])
def test_every_simulation_leaves_grey_as_it_is(shade):
    assert {simulated(shade) for simulated in SIGHTS.values()} == {shade}


def test_red_and_green_come_near_each_other_without_the_middle_cone():
    """Machado et al.: linear (1, 0, 0) becomes (.367, .280, −.012), and what is below 0 cannot be shown."""
    assert without(DEUTERANOPIA)("#ff0000") == "#a39000"
    assert distance("#c04000", "#5f7a00", "deuteranopia") < 0.3 * distance("#c04000", "#5f7a00", "tritanopia")
