"""The picture of a stopping questionnaire: its gates from top to bottom, where each may stop, and every path."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from studies.protocols import Declaration, Question, Stage
from studies.protocols.base import Gate, Value
from studies.protocols.conditions import AllOf, AnyOf, Condition, Is, Not
from studies.protocols.gates import Path, Way, group_ways

# In the picture's units, which are pixels at full size.
WIDTH, BOX, STOP_AT, STOP_WIDTH = 780, 440, 589, 190
LINE, PAD, GAP = 20, 14, 46
IN_BOX, AT_ARROW = 58, 18  # letters per line


@dataclass(frozen=True)
class TextLine:
    """A line of text and its position."""

    x: int
    y: int
    text: str
    kind: str  # title, question, condition or ending


@dataclass(frozen=True)
class Box:
    """A gate or an ending."""

    x: int
    y: int
    width: int
    height: int
    kind: str  # gate, stop or end

    @property
    def middle(self) -> int:
        return self.y + self.height // 2


@dataclass(frozen=True)
class Picture:
    """Everything that is drawn; `arrows` are SVG path data."""

    height: int
    boxes: list[Box]
    words: list[TextLine]
    arrows: list[str]
    listed: list["ListedPath"]
    width: int = WIDTH


@dataclass(frozen=True)
class ListedPath:
    """One path in words: its length, its ending, its questions, and the answers that lead along it."""

    length: str
    ending: str
    questions: str
    answers: list[str]


def draw_flow(declaration: Declaration) -> Picture | None:
    """The picture of the first stage with gates; None if no stage has any."""
    stage = next((stage for stage in declaration.stages if stage.gates), None)
    return None if stage is None else draw_stage(stage)


def draw_stage(stage: Stage) -> Picture:
    found = group_ways(stage.questions, stage.gates)
    picture = Picture(0, [], [], [], [describe_path(path, stage) for path in found])
    y = PAD
    for number, gate in enumerate(stage.gates):
        box = draw_gate(picture, stage, gate, y)
        if gate.stop_if:
            draw_stop(picture, gate.stop_if, box, describe_endings(found, number))
        y = box.y + box.height + GAP
        picture.arrows.append(f"M {BOX // 2} {box.y + box.height} V {y - 4}")
    end = Box(BOX // 2 - STOP_WIDTH // 2, y, STOP_WIDTH, 2 * LINE + PAD, "end")
    picture.boxes.append(end)
    picture.words.extend(center_lines(end, [_("End"), describe_endings(found, None)]))
    return Picture(end.y + end.height + PAD, picture.boxes, picture.words, picture.arrows, picture.listed)


def draw_gate(picture: Picture, stage: Stage, gate: Gate, y: int) -> Box:
    lines = [("title", line) for line in wrap(gate.title, IN_BOX)]
    for name in gate.questions:
        lines += [*wrap_question(stage.question(name), stage.gates)]
    box = Box(1, y, BOX, len(lines) * LINE + 2 * PAD, "gate")
    picture.boxes.append(box)
    picture.words.extend(
        TextLine(PAD + (PAD if kind != "title" else 0), y + PAD + LINE * place + 15, text, kind)
        for place, (kind, text) in enumerate(lines)
    )
    return box


def wrap_question(question: Question, gates: tuple[Gate, ...]) -> Iterator[tuple[str, str]]:
    values = ", ".join(map(str, question.levels)) if question.levels else _("in words of one's own")
    for line in wrap(f"{question.name}: {values}", IN_BOX):
        yield "question", line
    own = find_own_condition(question, gates)
    if own is not None:
        for line in wrap(_("asked only if %(condition)s") % {"condition": describe_condition(own)}, IN_BOX):
            yield "condition", line


def draw_stop(picture: Picture, stop_if: Condition, box: Box, ending: str) -> None:
    lines = wrap(describe_condition(stop_if), AT_ARROW)
    height = 2 * LINE + PAD
    stop = Box(STOP_AT, box.middle - height // 2, STOP_WIDTH, height, "stop")
    picture.boxes.append(stop)
    picture.arrows.append(f"M {BOX + 1} {box.middle} H {STOP_AT - 4}")
    first = box.middle - 8 - LINE * (len(lines) - 1)
    picture.words.extend(
        TextLine(BOX + 10, first + LINE * place, line, "condition") for place, line in enumerate(lines)
    )
    picture.words.extend(center_lines(stop, [_("Stop"), ending]))


def center_lines(box: Box, lines: list[str]) -> Iterator[TextLine]:
    for place, line in enumerate(lines):
        yield TextLine(box.x + box.width // 2, box.y + PAD // 2 + LINE * place + 16, line, "ending")


def describe_endings(found: list[Path], stop: int | None) -> str:
    """After how many questions the paths end that stop at this gate (None: at the end)."""
    lengths = sorted({path.length for path in found if path.stop == stop})
    text = ", ".join(format_ranges(lengths))
    return ngettext("after %(n)s question", "after %(n)s questions", lengths[-1] if lengths else 0) % {"n": text}


def format_ranges(numbers: list[int]) -> Iterator[str]:
    """Rising numbers, with consecutive ones joined: 1, 5–7."""
    start = 0
    for place, number in enumerate(numbers):
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            yield str(number) if start == place else f"{numbers[start]}–{number}"
            start = place + 1


def find_own_condition(question: Question, gates: tuple[Gate, ...]) -> Condition | None:
    """The question's condition without the stops of the gates before it, which the arrows show."""
    parts = question.asked_if.parts if isinstance(question.asked_if, AllOf) else (question.asked_if,)
    stops = [Not(gate.stop_if) for gate in gates if gate.stop_if]
    own = tuple(part for part in parts if part is not None and part not in stops)
    return own[0] if len(own) == 1 else AllOf(own) if own else None


def describe_condition(condition: Condition) -> str:
    """A condition in words: clear = more_or_less or grammatical = no."""
    if isinstance(condition, Is):
        return describe_choice(condition.question, condition.values)
    if isinstance(condition, Not):
        return _("not (%(condition)s)") % {"condition": describe_condition(condition.part)}
    if isinstance(condition, AllOf | AnyOf):
        conjunction = _("and") if isinstance(condition, AllOf) else _("or")
        return f" {conjunction} ".join(
            f"({describe_condition(part)})" if isinstance(part, AllOf | AnyOf) else describe_condition(part)
            for part in condition.parts
        )
    raise TypeError(condition)


def describe_choice(question: str, values: tuple[Value, ...]) -> str:
    conjunction = " {} ".format(_("or"))
    return f"{question} = {conjunction.join(map(str, values))}"


def describe_path(path: Path, stage: Stage) -> ListedPath:
    if path.stop is None:
        ending = _("goes to the end")
    else:
        ending = _("ends at “%(gate)s”") % {"gate": stage.gates[path.stop].title}
    return ListedPath(
        length=ngettext("%(n)d question", "%(n)d questions", path.length) % {"n": path.length},
        ending=ending,
        questions=", ".join(path.questions),
        answers=[describe_answers(way) for way in path.ways],
    )


def describe_answers(way: Way) -> str:
    """The answers that determine this way."""
    return ", ".join(describe_choice(step.question, step.values) for step in way.steps if step.values)
