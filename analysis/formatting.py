"""Numbers as papers print them: .53, −.11, [.41, .65]. The one place where a number becomes words."""

MINUS = "−"
UNDEFINED = "undefined"


def number(value: float, digits: int = 2) -> str:
    """Rounded, with a real minus, and without the zero before the point: `-0.105` as `−.11`, `3.5` as `3.50`."""
    rounded = f"{abs(value):.{digits}f}"
    sign = MINUS if value < 0 and float(rounded) else ""
    return sign + (rounded[1:] if rounded.startswith("0.") else rounded)


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Both ends in brackets; nothing where they are undefined."""
    if low is None or high is None:
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def count(value: int) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}"
