"""Figures for the summary and for papers, drawn by the server as SVG: one drawing for page, print and file.

A drawing says what to show. On a page `draw` uses CSS pixels and the colors of the style sheet; in a file `draw_file`
uses points, the width of a column and its own colors. Shape and position repeat what colors say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil, floor, inf
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.formatting import MINUS, count, format_with_interval, localize_number

Style = Literal["with", "without", "base"]
BROAD, SLIM = re.compile("[mwMW@%]"), re.compile("[fijlrtI.,:;']")  # letters much wider and narrower than others


@dataclass(frozen=True)
class Mark:
    """A number with its interval: filled (with), hollow (without) or grey (base)."""

    value: float | None
    low: float | None = None
    high: float | None = None
    style: Style = "with"


@dataclass(frozen=True)
class Line:
    """One row of a figure: its name, its marks, and a number in bold with what follows it at the right."""

    label: str
    marks: tuple[Mark, ...]
    number: str = ""
    after: str = ""


@dataclass(frozen=True)
class Ranges:
    """Rows of numbers with intervals on one axis. joined: whether a bar connects the marks of a row. dashed: where a
    dashed line crosses the axis. ends: the limits of the axis."""

    lines: tuple[Line, ...]
    axis: str
    heading: str = ""
    legend: tuple[tuple[Style, str], ...] = ()
    dashed: float | None = None
    ends: tuple[float, float] | None = None
    joined: bool = False


@dataclass(frozen=True)
class Panels:
    """The same rows in several panels side by side. panels: a title, and the marks of each row."""

    labels: tuple[str, ...]
    panels: tuple[tuple[str, tuple[tuple[Mark, ...], ...]], ...]
    axis: str
    legend: tuple[tuple[Style, str], ...] = ()
    dashed: float | None = None
    ends: tuple[float, float] | None = None
    joined: bool = False


@dataclass(frozen=True)
class Bar:
    label: str
    counts: tuple[int, ...]
    after: str = ""


@dataclass(frozen=True)
class Bars:
    """Rows of bars of equal length, divided by counts. parts: what each piece counts."""

    lines: tuple[Bar, ...]
    parts: tuple[str, ...]
    axis: str


Drawing = Ranges | Panels | Bars


@dataclass(frozen=True)
class Sheet:
    """The space for a drawing. width, letter (letter size) and tallest are in the same unit.

    most: the largest number of rows that are drawn; the number of the others is printed beneath. tallest: above this
    height fewer rows are drawn, but never fewer than `FEWEST_ROWS`.
    """

    width: float
    letter: float
    most: int = 60
    tallest: float = inf
    breadth: float = 0.54  # average width of a letter, relative to its size

    def text_width(self, text: str) -> float:
        """The approximate width of a text in a sans-serif font."""
        return self.breadth * self.letter * (len(text) + 0.5 * len(BROAD.findall(text)) - 0.3 * len(SLIM.findall(text)))

    @property
    def is_narrow(self) -> bool:
        return self.width < 30 * self.letter


BOLD = 1.15  # how much wider bold letters are
FEWEST_ROWS = 4  # drawn even if they are taller than the sheet allows
# The fonts of readers' browsers may have wider letters than the font of the files.
PAGE, PHONE = (Sheet(width, 13, most=6, tallest=tallest, breadth=0.64) for width, tallest in ((618, 300), (326, 340)))
MILLIMETRES = (77, 84, 160)  # one column of ACL, one of many journals, both columns
POINT = 72 / 25.4


def make_sheet(millimetres: int) -> Sheet:
    return Sheet(millimetres * POINT, 8 if millimetres > 100 else 7.5)


# Drawing --------------------------------------------------------------------------------------------------------------

FONT = "'Liberation Sans', Arial, Helvetica, sans-serif"
SHADES = ("#f1e8d2", "#17494f", "#5f9a94", "#b9cfc0", "#2f6f73", "#8a7f5c", "#3a3a3a")
INKS = ("#1f1d1a", "#ffffff", "#000000", "#000000", "#ffffff", "#ffffff", "#ffffff")
FILE_CSS = (
    "text{fill:#1f1d1a}.soft{fill:#5e5a52}.axis,.grid,.dash{stroke:#8f887a;fill:none}.grid{stroke:#ddd7ca}"
    ".dash{stroke:#1f1d1a;stroke-dasharray:3 2}.bar{stroke:#c9c0ac}.with{fill:#0b5c8a;stroke:#0b5c8a}"
    ".without{fill:#ffffff;stroke:#a8560a}.base{fill:#ffffff;stroke:#6b665c}.end.with{stroke:#0b5c8a}"
    ".end.without{stroke:#a8560a}.strong{font-weight:bold}.over{stroke:#ffffff;stroke-width:2.5;paint-order:stroke}.piece{stroke:#ffffff}"
    + "".join(f".s{n}{{fill:{shade}}}.t{n}{{fill:{INKS[n]}}}" for n, shade in enumerate(SHADES))
)  # fmt: skip


def draw(drawing: Drawing, sheet: Sheet, *, label: str = "") -> str:
    """An SVG element for a page, styled by its style sheet; `label` describes it to those who cannot see it."""
    body, height = draw_body(drawing, sheet)
    attributes = f' role="img" aria-label="{escape(label)}"' if label else ' aria-hidden="true"'
    return (
        f'<svg class="paper" width="{sheet.width:g}" height="{height:g}" viewBox="0 0 {sheet.width:g} {height:g}" '
        f'font-size="{sheet.letter:g}"{attributes}>{body}</svg>'
    )


def draw_file(drawing: Drawing, millimetres: int) -> str:
    """A whole SVG document of this width in millimeters, with its own colors and fonts."""
    sheet = make_sheet(millimetres)
    body, height = draw_body(drawing, sheet)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{millimetres}mm" height="{height / POINT:.2f}mm" '
        f'viewBox="0 0 {sheet.width:.2f} {height:.2f}" font-size="{sheet.letter:g}" font-family="{FONT}">'
        f"<style>{FILE_CSS}</style>{body}</svg>\n"
    )


def draw_body(drawing: Drawing, sheet: Sheet) -> tuple[str, float]:
    """The SVG of the drawing, with as many rows as fit on the sheet, and its height."""
    body, height = draw_rows(drawing, sheet)
    shown = min(sheet.most, len(drawing.labels if isinstance(drawing, Panels) else drawing.lines))
    if height > sheet.tallest and shown > FEWEST_ROWS:
        return draw_body(drawing, replace(sheet, most=shown - 1))
    return body, height


def draw_rows(drawing: Drawing, sheet: Sheet) -> tuple[str, float]:
    if isinstance(drawing, Bars):
        return draw_bars(drawing, sheet)
    if isinstance(drawing, Panels):
        return draw_panels(drawing, sheet)
    return draw_ranges(drawing, sheet)


def draw_text(x: float, y: float, words: str, anchor: str = "start", css: str = "") -> str:
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def draw_line(x1: float, y1: float, x2: float, y2: float, css: str, width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}" stroke-width="{width:g}"/>'


def draw_circle(x: float, y: float, r: float, css: str, width: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" class="{css}" stroke-width="{width:.1f}"/>'


def draw_rectangle(x: float, y: float, width: float, height: float, css: str, line: float = 0) -> str:
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="{css}" stroke-width="{line:.2f}"/>'


def truncate(words: str, sheet: Sheet, room: float) -> str:
    """The words, cut off with “…” where they no longer fit."""
    if sheet.text_width(words) <= room + 0.01:
        return words
    fits = (n for n in range(len(words) - 1, 3, -1) if sheet.text_width(f"{words[:n]}…") <= room)
    return f"{words[: next(fits, 3)]}…"


@dataclass(frozen=True)
class Scale:
    """Maps numbers to positions between left and right."""

    low: float
    high: float
    left: float
    right: float

    def at(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / ((self.high - self.low) or 1)
        return self.left + share * (self.right - self.left)

    def ticks(self, most: int) -> list[float]:
        """Round numbers between low and high, at most `most` of them."""
        span = (self.high - self.low) or 1
        steps = (base * 10.0**power for power in range(-3, 6) for base in (1, 2, 5))
        step = next((step for step in steps if span / step <= most), span)
        return [n * step for n in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def choose_axis_ends(
    marks: Sequence[Mark], ends: tuple[float, float] | None, dashed: float | None
) -> tuple[float, float]:
    """The lower and the upper end of an axis: around everything drawn, rounded outward, but never beyond `ends`."""
    drawn = [each for mark in marks for each in (mark.value, mark.low, mark.high) if each is not None]
    drawn += [dashed] if dashed is not None else []
    if not drawn:
        return ends or (0, 1)
    unit = 10 ** floor(0 if max(drawn) - min(drawn) > 1 else -1)
    low, high = floor(min(drawn) / unit + 1e-9) * unit, ceil(max(drawn) / unit - 1e-9) * unit
    if ends:
        low, high = max(low, ends[0]), min(high, ends[1])
    return (low, high) if high > low else ends or (low - 1, high + 1)


def format_tick(value: float) -> str:
    digits = f"{abs(value):g}" if abs(value) < 1e-9 or abs(value - round(value)) < 1e-9 else f"{abs(value):.3g}"
    return (MINUS if value < -1e-9 else "") + localize_number(digits)


def draw_axis(
    scale: Scale, top: float, bottom: float, sheet: Sheet, dashed: float | None, most: int, *, numbers: bool = True
) -> Iterator[str]:
    """The grid, the dashed line, the base line and, by default, numbers beneath."""
    for tick in scale.ticks(most):
        yield draw_line(scale.at(tick), top, scale.at(tick), bottom, "grid", sheet.letter / 13)
        if not numbers:
            continue
        half = sheet.text_width(format_tick(tick)) / 2
        place = min(max(scale.at(tick), half), sheet.width - half)
        yield draw_text(place, bottom + 1.25 * sheet.letter, format_tick(tick), "middle", "soft")
    if dashed is not None:
        yield draw_line(scale.at(dashed), top, scale.at(dashed), bottom, "dash", sheet.letter / 11)
    yield draw_line(scale.left, bottom, scale.right, bottom, "axis", sheet.letter / 11)


def draw_marks(marks: Sequence[Mark], scale: Scale, y: float, sheet: Sheet, *, joined: bool) -> Iterator[str]:
    """The marks of a row: the intervals of two marks are above and beneath them, that of a single mark is behind it."""
    known = [mark for mark in marks if mark.value is not None]
    size, thin = 0.4 * sheet.letter, sheet.letter / 9
    if joined and len(known) > 1:
        places = [scale.at(mark.value) for mark in known if mark.value is not None]
        yield draw_line(min(places), y, max(places), y, "bar", 0.3 * sheet.letter)
    for mark in known:
        assert mark.value is not None
        hides = any(abs(scale.at(mark.value) - scale.at(each.value or 0)) < 1 for each in known if each is not mark)
        away = 0.0 if len(marks) < 2 else (-1 if mark.style == "with" else 1) * 0.68 * sheet.letter
        if mark.low is not None and mark.high is not None:
            yield draw_line(scale.at(mark.low), y + away, scale.at(mark.high), y + away, f"end {mark.style}", thin)
        yield draw_circle(
            scale.at(mark.value), y, size * (1.55 if hides and mark.style != "with" else 1), mark.style, thin
        )


def draw_legend(legend: Sequence[tuple[Style, str]], x: float, y: float, sheet: Sheet) -> Iterator[str]:
    for style, words in legend:
        r = 0.4 * sheet.letter
        yield draw_circle(x + r, y - r, r, style, sheet.letter / 9)
        yield draw_text(x + 1.2 * sheet.letter, y, words)
        x += 1.2 * sheet.letter + sheet.text_width(words) + 1.2 * sheet.letter


def say_more_lines(n: int) -> str:
    return ngettext("%(n)s more", "%(n)s more", n) % {"n": count(n)}


def draw_ranges(drawing: Ranges, sheet: Sheet) -> tuple[str, float]:
    """The SVG and its height: names at the left (above each row if space is short) and numbers at the right."""
    em, shown = sheet.letter, drawing.lines[: sheet.most]
    width = max((sheet.text_width(f"{each.number} {each.after}") for each in shown), default=0)
    width = max(width, BOLD * sheet.text_width(drawing.heading))
    names = max((sheet.text_width(each.label) for each in shown), default=0)
    is_above = sheet.is_narrow or names > 0.28 * sheet.width or names + width > 0.62 * sheet.width
    left = 0.5 * em if is_above else names + em
    right = sheet.width - (0.8 * em if is_above else width + em)
    low, high = choose_axis_ends([mark for each in shown for mark in each.marks], drawing.ends, drawing.dashed)
    scale = Scale(low, high, left, right)
    step = em * choose_row_height(is_above=is_above, joined=drawing.joined, n_rows=len(shown))
    top = (2.0 if drawing.legend or drawing.heading else 0.4) * em
    bottom = top + step * len(shown) + 0.2 * em
    parts = list(draw_legend(drawing.legend, left, 1.0 * em, sheet))
    if drawing.heading and not is_above:
        parts.append(draw_text(right + em, 1.0 * em, drawing.heading, css="strong"))
    parts += draw_axis(scale, top, bottom, sheet, drawing.dashed, 4 if sheet.is_narrow else 6)
    for place, each in enumerate(shown):
        y = top + step * place + step / 2
        if is_above:
            y = top + step * (place + 1) - 1.05 * em - (0.2 * em if drawing.joined else 0)
            up = 1.0 * em + (0.35 * em if drawing.joined else 0)
            parts += draw_name_above(each, left, y, up, sheet)
        else:
            parts += [
                draw_text(left - em, y + 0.35 * em, each.label, "end"),
                draw_number(each, right + em, y + 0.35 * em),
            ]
        parts += draw_marks(each.marks, scale, y, sheet, joined=drawing.joined)
    return finish(parts, drawing.axis, (left + right) / 2, bottom + 2.5 * em, sheet, len(drawing.lines) - len(shown))


def choose_row_height(*, is_above: bool, joined: bool, n_rows: int) -> float:
    """The height in letter sizes; many joined rows are closer together."""
    if is_above:
        return 3.8 if joined else 2.9
    if joined:
        return 2.2 if n_rows > 6 else 2.7
    return 2.1


def draw_name_above(each: Line, left: float, y: float, up: float, sheet: Sheet) -> Iterator[str]:
    """The name and the number above a row; in a row without marks the number is drawn where they would be."""
    room = sheet.width - 2 * sheet.letter
    if any(mark.value is not None for mark in each.marks):
        room -= sheet.text_width(f"{each.number} {each.after}")
        yield draw_number(each, sheet.width - 0.5 * sheet.letter, y - up, "end")
    else:
        yield draw_number(replace(each, after=truncate(each.after, sheet, room)), left, y + 0.35 * sheet.letter)
    yield draw_text(left, y - up, truncate(each.label, sheet, room / BOLD), css="strong over")


def draw_number(each: Line, x: float, y: float, anchor: str = "start") -> str:
    bold = f'<tspan class="strong">{escape(each.number)}</tspan>'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="over">{bold} {escape(each.after)}</text>'


def finish(parts: list[str], axis: str, x: float, y: float, sheet: Sheet, n_more: int) -> tuple[str, float]:
    """The SVG of all parts, and its height, after two more parts have been added at the bottom.

    These are the title of the axis, centered on x as far as the sheet allows, and the number of rows left out, which is
    on the same line if there is room.
    """
    lines, more = wrap(axis, sheet), say_more_lines(n_more)
    starts = []
    for place, words in enumerate(lines):
        half = sheet.text_width(words) / 2
        middle = min(max(x, half), sheet.width - half)
        starts.append(middle - half)
        parts.append(draw_text(middle, y + 1.25 * sheet.letter * place, words, "middle", "soft"))
    end = y + 1.25 * sheet.letter * len(lines)
    if n_more > 0:
        is_beside = sheet.text_width(more) + 1.5 * sheet.letter < min(starts, default=0)
        parts.append(draw_text(0.5 * sheet.letter, y if is_beside else end, more, css="soft"))
        end += 0 if is_beside else 1.25 * sheet.letter
    return "".join(parts), round(end - 0.6 * sheet.letter, 1)


def wrap(words: str, sheet: Sheet) -> list[str]:
    from textwrap import wrap as cut_lines

    return cut_lines(words, max(12, int(sheet.width / (sheet.breadth * sheet.letter))))


PANEL_GAP = 1.1  # in letters


def place_panels(drawing: Panels, labels: Sequence[str], sheet: Sheet) -> tuple[float, int]:
    """The width of the names, and the number of panels side by side. Long names get less width if that saves a line of
    panels."""
    em = sheet.letter
    longest = max((sheet.text_width(word) for title, _rows in drawing.panels for word in title.split()), default=0)
    least = max(4 * em, min(longest, 7 * em) if sheet.is_narrow else longest) + PANEL_GAP * em
    needed, found = max((sheet.text_width(each) for each in labels), default=0), []
    for share in (0.36, 0.28) if sheet.is_narrow else (0.26, 0.16):
        names = min(needed, share * sheet.width)
        found.append((names, max(1, min(len(drawing.panels), int((sheet.width - names - 0.8 * em) // least)))))
    return min(found, key=lambda each: ceil(len(drawing.panels) / each[1]))


def cut_names(names: Sequence[str], sheet: Sheet, room: float) -> list[str]:
    """The names, cut at the end to fit. If two would then look alike, the beginning that all share is cut instead."""
    cut = [truncate(each, sheet, room) for each in names]
    if len(set(cut)) == len(names):
        return cut
    start = max(n for n in range(len(names[0])) if len({each[:n] for each in names}) == 1)
    return [truncate(f"…{each[start:]}", sheet, room) for each in names]


def draw_panels(drawing: Panels, sheet: Sheet) -> tuple[str, float]:
    """As many panels side by side as fit, with the names of the rows left of the first. All have the same axis, so only
    the lowest panel of each column has numbers beneath."""
    em, labels = sheet.letter, drawing.labels[: sheet.most]
    names, n = place_panels(drawing, labels, sheet)
    left, gap = names + 0.8 * em, PANEL_GAP * em
    width = (sheet.width - left - 0.5 * em) / n
    every = [mark for _title, rows in drawing.panels for marks in rows[: sheet.most] for mark in marks]
    low, high = choose_axis_ends(every, drawing.ends, drawing.dashed)
    step, y = (2.4 if drawing.joined else 1.6) * em, (1.9 if drawing.legend else 0.2) * em
    parts = list(draw_legend(drawing.legend, left, 1.0 * em, sheet))
    for first in range(0, len(drawing.panels), n):
        here = drawing.panels[first : first + n]
        titles = [wrap_title(title, sheet, width - 0.4 * em) for title, _rows in here]
        top = y + 1.2 * em * max(map(len, titles)) + 0.5 * em
        bottom = top + step * len(labels)
        for place, (_title, rows) in enumerate(here):
            x = left + place * width
            scale = Scale(low, high, x, x + width - gap)
            parts += [
                draw_text(x, top - 0.6 * em - 1.2 * em * up, words, css="strong")
                for up, words in enumerate(titles[place][::-1])
            ]
            is_lowest = first + place + n >= len(drawing.panels)
            parts += draw_axis(scale, top, bottom, sheet, drawing.dashed, 3, numbers=is_lowest)
            for at, marks in enumerate(rows[: sheet.most]):
                parts += draw_marks(marks, scale, top + step * (at + 0.5), sheet, joined=drawing.joined)
        for at, label in enumerate(cut_names(labels, sheet, names)):
            parts.append(draw_text(names, top + step * (at + 0.5) + 0.35 * em, label, "end"))
        is_last = first + n >= len(drawing.panels)
        y = bottom + (2.1 if is_last else 0.8) * em
    return finish(parts, drawing.axis, (left + sheet.width) / 2, y + 0.5 * em, sheet, len(drawing.labels) - len(labels))


def wrap_title(words: str, sheet: Sheet, room: float) -> list[str]:
    from textwrap import wrap as cut_lines

    return [truncate(each, sheet, room) for each in cut_lines(words, max(5, int(room / (0.58 * sheet.letter))))][:2]


def draw_bars(drawing: Bars, sheet: Sheet) -> tuple[str, float]:
    """The SVG and its height. All bars have the same length; pieces that are wide enough contain their number."""
    em, shown = sheet.letter, drawing.lines[: sheet.most]
    width = max((sheet.text_width(each.after) for each in shown), default=0)
    names = max((sheet.text_width(each.label) for each in shown), default=0)
    is_above = sheet.is_narrow or names > 0.3 * sheet.width
    left, right = (0.2 * em, sheet.width - 0.2 * em) if is_above else (names + em, sheet.width - width - em)
    parts, y = draw_bar_legend(drawing.parts, left, sheet)
    step = (2.9 if is_above else 1.9) * em
    top = y
    for place, each in enumerate(shown):
        bar = top + step * place + (1.35 * em if is_above else 0.2 * em)
        if is_above:
            room = sheet.width - sheet.text_width(each.after) - em
            parts += [
                draw_text(left, bar - 0.4 * em, truncate(each.label, sheet, room / BOLD), css="strong"),
                draw_text(right, bar - 0.4 * em, each.after, "end"),
            ]
        else:
            parts += [
                draw_text(left - em, bar + 1.05 * em, each.label, "end"),
                draw_text(right + em, bar + 1.05 * em, each.after),
            ]
        parts += draw_pieces(each, left, right, bar, sheet)
    bottom = top + step * len(shown) + 0.3 * em
    parts += draw_axis(Scale(0, 100, left, right), bottom, bottom, sheet, None, 5)
    return finish(parts, drawing.axis, (left + right) / 2, bottom + 2.5 * em, sheet, len(drawing.lines) - len(shown))


def draw_bar_legend(words: Sequence[str], left: float, sheet: Sheet) -> tuple[list[str], float]:
    """The legend of bars, on as many lines as it needs, and the position below it."""
    em, x, y, parts = sheet.letter, left, 1.0 * sheet.letter, []
    for place, each in enumerate(words):
        each = truncate(each, sheet, sheet.width - left - 2 * em)
        width = 1.3 * em + sheet.text_width(each) + 0.9 * em
        if x > left and x + width > sheet.width:
            x, y = left, y + 1.35 * em
        shade = f"s{place % len(SHADES)} piece"
        parts.append(draw_rectangle(x, y - 0.8 * em, 0.9 * em, 0.9 * em, shade))
        parts.append(draw_text(x + 1.3 * em, y, each))
        x += width
    return parts, y + 0.8 * em


def draw_pieces(each: Bar, left: float, right: float, y: float, sheet: Sheet) -> Iterator[str]:
    total, x = sum(each.counts) or 1, left
    for place, n in enumerate(each.counts):
        width, tone = n / total * (right - left), place % len(SHADES)
        if not n:
            continue
        yield draw_rectangle(x, y, width, 1.45 * sheet.letter, f"s{tone} piece", sheet.letter / 16)
        if width > sheet.text_width(count(n)) + 0.4 * sheet.letter:
            yield draw_text(x + width / 2, y + 1.07 * sheet.letter, count(n), "middle", f"t{tone}")
        x += width


# As text --------------------------------------------------------------------------------------------------------------


def describe(drawing: Drawing) -> str:
    """The text alternative of the drawing."""
    if isinstance(drawing, Bars):
        return " ".join(f"{each.label}: {describe_pieces(each, drawing.parts)}." for each in drawing.lines)
    if isinstance(drawing, Panels):
        lines = zip(*(rows for _title, rows in drawing.panels), strict=True)
        named = [
            (
                label,
                [
                    f"{title} {describe_mark(mark)}"
                    for (title, _rows), marks in zip(drawing.panels, row, strict=True)
                    for mark in marks
                ],
            )
            for label, row in zip(drawing.labels, lines, strict=True)
        ]
        return " ".join(f"{label}: {', '.join(values)}." for label, values in named)
    styles = dict(drawing.legend)
    return " ".join(
        f"{each.label}: "
        + ", ".join(f"{styles.get(mark.style, '')} {describe_mark(mark)}".strip() for mark in each.marks)
        + (f"; {drawing.heading} {each.number} {each.after}".rstrip() if drawing.joined else "")
        + "."
        for each in drawing.lines
    )


def describe_pieces(each: Bar, parts: Sequence[str]) -> str:
    return ", ".join(f"{name} {count(n)}" for name, n in zip(parts, each.counts, strict=True) if n)


def describe_mark(mark: Mark) -> str:
    return _("undefined") if mark.value is None else format_with_interval(mark.value, mark.low, mark.high)


# Files ----------------------------------------------------------------------------------------------------------------

PPI = 300


def as_svg(drawing: Drawing, millimetres: int) -> bytes:
    return draw_file(drawing, millimetres).encode()


def as_pdf(drawing: Drawing, millimetres: int) -> bytes:
    import vl_convert

    found: bytes = vl_convert.svg_to_pdf(draw_file(drawing, millimetres))
    return found


def as_png(drawing: Drawing, millimetres: int) -> bytes:
    """300 dots per inch on white; the converter assumes 72 per inch, so the sheet is given in points."""
    import vl_convert

    points = re.sub(r'(width|height)="([\d.]+)mm"', convert_to_points, draw_file(drawing, millimetres))
    white = points.replace("</style>", '</style><rect width="100%" height="100%" fill="#fff"/>')
    found: bytes = vl_convert.svg_to_png(white, ppi=PPI)
    return found


def convert_to_points(length: re.Match[str]) -> str:
    return f'{length[1]}="{float(length[2]) * POINT:.2f}"'


FORMS = {"svg": as_svg, "pdf": as_pdf, "png": as_png}
TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def draw_track(before: float | None, after: float | None, width: int = 104, height: int = 18) -> str:
    """A small picture of one item on an axis from 0 to 1: hollow mark for answers without the text, filled with it."""
    scale, y = Scale(0, 1, 6, width - 6), height / 2
    known = [scale.at(value) for value in (before, after) if value is not None]
    parts = [
        draw_line(scale.left, y, scale.right, y, "grid"),
        draw_line(scale.at(0.5), 2, scale.at(0.5), height - 2, "dash"),
    ]
    if len(known) > 1:
        parts.append(draw_line(min(known), y, max(known), y, "bar", 4))
    for value, style in ((before, "without"), (after, "with")):
        if value is not None:
            parts.append(draw_circle(scale.at(value), y, 4.5, style, 1.6))
    return f'<svg class="paper track" width="{width}" height="{height}" aria-hidden="true">{"".join(parts)}</svg>'
