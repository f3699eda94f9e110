"""The shapes of the server's replies, for type checkers; at run time they are plain dictionaries."""

from typing import Any, NotRequired, TypedDict


class Project(TypedDict):
    slug: str
    title: str
    description: str
    created_at: str


class Option(TypedDict, total=False):
    id: str
    text: str
    correct: bool
    explanation: str


class Item(TypedDict, total=False):
    id: str
    text_id: str
    generator: str
    question: str
    answers: list[Option]
    answer: str
    reference: bool
    metadata: dict[str, Any]
    version: int


class Text(TypedDict, total=False):
    id: str
    title: str
    text: str | None
    text_sha256: str
    language: str
    markup: str
    pictures: dict[str, str]
    versions: list[dict[str, str]]
    items: list[Item]
    metadata: dict[str, Any]
    version: int


class TextRow(TypedDict):
    id: str
    version: int
    title: str
    language: str
    n_items: int
    generators: list[str]


class Column(TypedDict):
    name: str
    field: str


class Imported(TypedDict):
    stored: bool
    counts: dict[str, int]
    columns: list[Column]
    warnings: list[dict[str, Any]]
    number: int | None


class Study(TypedDict):
    slug: str
    project: str
    title: str
    protocol: str
    language: str
    instrument: str
    items: dict[str, Any]
    plan: dict[str, Any]
    params: dict[str, Any]
    groups: list[str]
    blocks: list["Block"]
    seed: int
    state: str
    effects_hidden: bool
    created_at: str
    launched_at: str | None
    closed_at: str | None


class Annotator(TypedDict):
    id: int
    code: str
    group: str
    purpose: str
    state: str
    n_done: int
    n_open: int
    joined_at: str | None


class AddedTexts(TypedDict):
    number: int
    texts: int
    units: int
    assignments: int


class Block(TypedDict):
    number: int
    added_at: str
    texts: int
    units: int
    finished_too: bool


class DrawnText(TypedDict):
    text_id: str
    probability: float
    doubt: float | None
    drawn: bool
    round: NotRequired[int]


class Link(TypedDict):
    id: int
    annotator: str
    person: str
    group: str
    link: str


class Evaluator(TypedDict):
    label: str
    kind: str
    model: str
    done: int
    missing: int
    run: int | None


class Run(TypedDict):
    id: int
    project: str
    kind: str
    label: str
    model: str
    state: str
    reason: str
    budget: float | None
    spent: float
    currency: str
    n_calls: int
    n_answered: int
    n_missing: int
    created_at: str
    finished_at: str | None


class Job(TypedDict):
    id: int
    kind: str
    title: str
    project: str | None
    state: str
    step: str
    done: int
    total: int
    error: str
    errors: list[dict[str, Any]]
    has_worker: bool
    result: dict[str, Any] | None
    queued_at: str
    finished_at: str | None


class NamedTable(TypedDict):
    name: str
    title: str
    n_rows: int
    columns: list[str]


class Results(TypedDict):
    included: list[str]
    n_responses: int
    sentences: list[str]
    tables: list[NamedTable]
    figures: list[str]
    effects_hidden: bool


class Generated(TypedDict):
    generator: str | None
    n_items: int
    n_missing: int
    runs: list[int]


class ResponseCounts(TypedDict):
    annotators: int
    assignments: int
    responses: int
    notices: list[str]


class Estimate(TypedDict):
    label: str
    n_calls: int
    n_known: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str
    seconds: float | None


class StartedScoring(TypedDict):
    id: int | None
    language: str
    n_texts: int
    n_items: int
    created_at: str | None
    estimates: list[Estimate]


class Measure(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    reason: str


class Scorer(TypedDict):
    label: str
    kind: str
    reading: str
    run: Run | None
    n_guess: int
    n_read: int
    guessability: Measure
    answerability: Measure
    informativity: Measure


class ItemScore(TypedDict):
    text_id: str
    item_id: str
    evaluator: str
    guessability: float | None
    answerability: float | None
    informativity: float | None
    probability_gain: float | None
    n_options: int
    n_guess: int
    n_read: int


class Scoring(TypedDict):
    id: int
    language: str
    n_texts: int
    n_items: int
    created_at: str
    state: str
    evaluators: list[Scorer]
    items: list[ItemScore]
