"""How colours look in greyscale and with a missing kind of cone, and how far apart two of them then are.

Simulation: Machado, Oliveira & Fernandes, "A physiologically-based model for simulation of color vision deficiency"
(IEEE TVCG 15(6), 2009), the matrices for severity 1.0, applied to linear RGB. Distance: ΔE of CIE 1976 in L*a*b* under
D65. Greyscale keeps the relative luminance.
"""

from collections.abc import Callable

from analysis.figures.style import compute_luminance, scale_channels

PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
TRITANOPIA = ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))
TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
WHITE = (0.95047, 1.0, 1.08883)


def linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def times(matrix, vector) -> list[float]:
    return [sum(weight * part for weight, part in zip(row, vector, strict=True)) for row in matrix]


def format_colour(linear_parts) -> str:
    """A colour like #a8560a from linear parts; what a screen cannot show is cut off."""
    return "#" + "".join(f"{round(255 * gamma(min(1, max(0, part)))):02x}" for part in linear_parts)


def without(matrix) -> Callable[[str], str]:
    return lambda colour: format_colour(times(matrix, [linear(part) for part in scale_channels(colour)]))


def grey(colour: str) -> str:
    return format_colour([compute_luminance(colour)] * 3)


SIGHTS: dict[str, Callable[[str], str]] = {
    "grey": grey,
    "protanopia": without(PROTANOPIA),
    "deuteranopia": without(DEUTERANOPIA),
    "tritanopia": without(TRITANOPIA),
}


def lab(colour: str) -> tuple[float, float, float]:
    xyz = times(TO_XYZ, [linear(part) for part in scale_channels(colour)])
    x, y, z = (bent(part / white) for part, white in zip(xyz, WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def bent(part: float) -> float:
    return part ** (1 / 3) if part > (6 / 29) ** 3 else part / (3 * (6 / 29) ** 2) + 4 / 29


def distance(one: str, other: str, sight: str) -> float:
    """ΔE of the two colours as this sight has them; in greyscale that is the difference in lightness."""
    seen = SIGHTS[sight]
    return sum((a - b) ** 2 for a, b in zip(lab(seen(one)), lab(seen(other)), strict=True)) ** 0.5


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2.2, 1 to 21."""
    dark, light = sorted((compute_luminance(one), compute_luminance(other)))
    return (light + 0.05) / (dark + 0.05)
