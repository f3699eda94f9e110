"""What is wrong or worth knowing about a file: line, field and a sentence; listed up to a bound, counted beyond."""

from dataclasses import dataclass, field

from items.formats.rows import TextRow

LISTED = 200


@dataclass(frozen=True)
class ImportProblem:
    """Something about a line. Line 0 is the file as a whole; `name` is what the line is called if not by its number."""

    line: int
    field: str
    reason: str
    name: str = ""


@dataclass
class Problems:
    """The first problems, and how many there are."""

    listed: list[ImportProblem] = field(default_factory=list)
    count: int = 0
    names: dict[int, str] = field(default_factory=dict)

    def add(self, line: int, field: str, reason: str) -> None:
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(ImportProblem(line, field, reason, self.names.get(line, "")))

    def __bool__(self) -> bool:
        return self.count > 0

    def copy(self) -> "Problems":
        return Problems(list(self.listed), self.count, self.names)

    @property
    def unlisted(self) -> int:
        return self.count - len(self.listed)


@dataclass(frozen=True)
class Line:
    """One text with its items, and where it stands in the file; `item_lines` where each item has a line of its own."""

    number: int
    text: TextRow
    item_lines: tuple[int, ...] = ()


@dataclass
class Reading:
    """A file, read: the lines that could be understood, and what is to be said about the others.

    `names` are those of lines that are known by something else than their number: a file's name, a table's row.
    """

    lines: list[Line] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    warnings: Problems = field(default_factory=Problems)
    names: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.problems.names = self.warnings.names = self.names
