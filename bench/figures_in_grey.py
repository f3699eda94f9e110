"""Every figure as it looks in greyscale and to people without one kind of cone, as pictures to be looked at.

    python bench/figures_in_grey.py --out DIR

Draws the figures of a small study of each protocol and the planner's curves, in colour and by each simulation of
tests/sight.py, and prints how far apart the colours of each figure's filled marks are at least. What must be told apart
by fill is tested in tests/analysis/test_colours.py; the pictures show whether dash, place and words do the rest.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|rgb\((\d+), ?(\d+), ?(\d+)\)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for name, svg in figures():
            write(out, name, svg)
    say_distances()


def prepare(folder: str) -> None:
    os.environ |= {"LESART_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)


def figures() -> Iterator[tuple[str, str]]:
    """Name and SVG of every figure."""
    from analysis.choices import Choices
    from analysis.figures.registry import as_svg
    from analysis.measures.power import Components, Plan
    from analysis.protocols.guess_then_read.planner import GuessPlan
    from analysis.services.figures import specify_figure
    from analysis.services.planning import compute_outlook, draw_outlook
    from analysis.services.reporting import build
    from projects.models import Project
    from tests.drawn import FIGURES

    for make in FIGURES:
        study = make(Project.objects.create(slug=make.__name__.replace("_", "-"), title=make.__name__))
        report = build(study, Choices())
        for name in report.figures:
            yield name, as_svg(specify_figure(study, report, name))
        if "dumbbell" in report.figures:
            table = compute_outlook(study, GuessPlan(Plan(6, 4), 0.58, 0.84, 0.1, Components()))
            yield "outlook", draw_outlook(study, table, "svg").decode()


def write(out: Path, name: str, svg: str) -> None:
    import vl_convert

    from tests.sight import SIGHTS

    for sight, seen in {"colour": lambda colour: colour, **SIGHTS}.items():
        simulated = COLOUR.sub(lambda found, seen=seen: seen(as_hex(found)), svg)
        (out / f"{name}-{sight}.png").write_bytes(vl_convert.svg_to_png(simulated, scale=1.5))


def as_hex(found: re.Match) -> str:
    return found[0] if found[0].startswith("#") else "#" + "".join(f"{int(part):02x}" for part in found.groups())


def say_distances() -> None:
    from analysis.figures.style import DARK, GUESS, LIGHT, PLATE, READ, list_shades
    from tests.sight import SIGHTS, distance

    pairs = {
        "open and filled marks": [(PLATE, READ)],
        "not stopped, stopped": [(LIGHT, DARK)],
        "steps of 5": list(pairwise(list_shades(5))),
        "steps of 7": list(pairwise(list_shades(7))),
        "lines of the planner (dashed, solid)": [(GUESS, READ)],
    }
    print(f"{'least ΔE between':38}" + "".join(f"{sight:>14}" for sight in SIGHTS))
    for label, compared in pairs.items():
        least = [min(distance(one, other, sight) for one, other in compared) for sight in SIGHTS]
        print(f"{label:38}" + "".join(f"{each:14.1f}" for each in least))


if __name__ == "__main__":
    main()
