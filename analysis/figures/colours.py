"""The colours of all figures, and which ink stands on them.

Nothing is told by hue alone: what must be told apart differs in lightness, fill, dash or place too
(tests/analysis/test_colours.py measures it, bench/figures_in_grey.py shows it).
"""

GUESS, READ = "#a8560a", "#0b5c8a"
INK, SOFT, LINE, PLATE = "#1f1d1a", "#5e5a52", "#c9c3b6", "#ffffff"
LIGHT, DARK = "#f1e8d2", "#17494f"
BLACK = "#000000"  # on shades: with a softer ink no colour in the middle would be readable
READS_EQUALLY = 0.1791  # the luminance on which black and white have the same contrast, √(1.05 · .05) − .05


def parts(colour: str) -> list[int]:
    """Red, green and blue of a colour like #a8560a, 0 to 255."""
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def between(share: float) -> str:
    """The colour at a share of the way from light to dark."""
    ends = zip(parts(LIGHT), parts(DARK), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in ends)


def shades(n: int) -> list[str]:
    """n colours, two at least, from light to dark in even steps."""
    return [between(step / (n - 1)) for step in range(n)]


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, 0 to 1 (WCAG 2.2)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in scaled(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def scaled(colour: str) -> list[float]:
    return [part / 255 for part in parts(colour)]


def ink_on(colour: str) -> str:
    """Black or white, whichever has more contrast on the colour: at least 4.5 : 1 on any."""
    return BLACK if luminance(colour) > READS_EQUALLY else PLATE
