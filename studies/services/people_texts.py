"""Draw a random sample of texts for people in a study whose models do all texts; the draw is stored and never changes.

Sources: systematic sampling with unequal probabilities over a random order (Madow 1949; Hartley & Rao 1962).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum, sqrt
from random import Random
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from items.plain import write_csv
from projects.models import User
from studies.models import AnnotatorKind, PeopleTexts, Response, Study, Unit
from studies.services.declarations import get_declaration
from studies.services.selection import ChosenTexts, choose_items
from studies.services.spec import DOUBT, SpecError

EVEN_SHARE = 0.5  # share of the probability that is equal for all texts, whatever the models' doubt


def set_equal_chances(texts: Sequence[str], n: int) -> dict[str, float]:
    """The inclusion probability of each text if all have the same."""
    return dict.fromkeys(texts, n / len(texts))


def weigh_chances_by_doubt(doubt: Mapping[str, float], n: int) -> dict[str, float]:
    """The inclusion probability π of each of N texts if n are drawn: half of it equal, half by doubt d.

    π = ½ n/N + ½ n·d/Σd. Values above 1 are set to 1 and the others scaled, so that Σπ = n. If no text is in doubt, all
    have the same probability.
    """
    total = fsum(doubt.values())
    even = n / len(doubt)
    if not total:
        return set_equal_chances(list(doubt), n)
    return cap_chances({text: EVEN_SHARE * even + (1 - EVEN_SHARE) * n * d / total for text, d in doubt.items()}, n)


def cap_chances(chances: Mapping[str, float], n: int) -> dict[str, float]:
    """The same, with none above 1: the excess goes to the others in proportion, repeatedly if needed."""
    certain: set[str] = set()
    while True:
        rest = fsum(value for text, value in chances.items() if text not in certain)
        factor = (n - len(certain)) / rest if rest else 0.0
        scaled = {text: 1.0 if text in certain else value * factor for text, value in chances.items()}
        above = {text for text, value in scaled.items() if value > 1 and text not in certain}
        if not above:
            return scaled
        certain |= above


def measure_disagreement(answers: Sequence[Sequence[str]]) -> float | None:
    """The share of pairs of models that differ, over all questions; each question is a list of the models' answers."""
    pairs = differ = 0
    for given in answers:
        n = len(given)
        same = sum(k * (k - 1) // 2 for k in (given.count(value) for value in set(given)))
        pairs += n * (n - 1) // 2
        differ += n * (n - 1) // 2 - same
    return differ / pairs if pairs else None


def draw_systematically(chances: Mapping[str, float], rng: Random) -> tuple[list[str], set[str]]:
    """The texts in random order, and those drawn: where the cumulative probabilities pass u, u + 1, u + 2, …

    Probabilities that sum to n draw exactly n texts, each with its own probability.
    """
    order = rng.sample(sorted(chances), len(chances))
    n, start = round(fsum(chances.values())), rng.random()
    drawn: set[str] = set()
    before, done = ceil(-start), 0.0
    for place, text in enumerate(order, 1):
        done = n if place == len(order) else done + chances[text]
        passed = ceil(done - start)
        if passed > before:
            drawn.add(text)
        before = passed
    return order, drawn


@dataclass(frozen=True)
class TextDraw:
    """Which texts were drawn for people, by external id: with which probability, in which order."""

    n: int
    by: str
    rests_on: str  # probability or disagreement, of models' answers; empty for an equal chance
    doubt: dict[str, float]
    chances: dict[str, float]
    order: list[str]
    drawn: frozenset[str]

    def describe_text(self, text: str) -> dict[str, Any]:
        """What is stored about one text."""
        chance, doubt = self.chances[text], self.doubt.get(text)
        return {"text_id": text, "probability": chance, "doubt": doubt, "drawn": text in self.drawn}


def draw_texts(study: Study, chosen: ChosenTexts) -> TextDraw | None:
    """The texts that people do, drawn with the study's seed; None if they do all. Puts them first in `chosen`.

    `SpecError` if there are too few, or if the models' answers that the draw is based on are missing.
    """
    n = study.plan.get("people_texts", 0)
    if not n:
        return None
    names = [text.external_id for text, _items in chosen.texts]
    if n > len(names):
        raise SpecError(
            _(
                "The plan asks for %(n)d texts for people, but the study has only %(texts)d. Lower the "
                "number, or include more texts."
            )
            % {"n": n, "texts": len(names)},
            "people_texts",
        )
    by = study.plan["people_texts_by"]
    rests_on, doubt = measure_doubt(study, chosen) if by == DOUBT else ("", {})
    chances = weigh_chances_by_doubt(doubt, n) if by == DOUBT else set_equal_chances(names, n)
    order, drawn = draw_systematically(chances, Random(f"{study.seed}/people texts"))
    chosen.texts.sort(key=lambda pair: pair[0].external_id not in drawn)
    return TextDraw(n, by, rests_on, doubt, chances, order, frozenset(drawn))


def measure_doubt(study: Study, chosen: ChosenTexts) -> tuple[str, dict[str, float]]:
    """The measure of doubt, and how unsure models are about each text by it: the mean √(p(1 − p)) of their
    probabilities, or without probabilities the share of pairs of models that disagree.

    Based on all answers of models to the present items, in studies of the project with this protocol.
    """
    n, text_of = len(chosen.texts), {item.pk: text.external_id for text, items in chosen.texts for item in items}
    spread: dict[str, list[float]] = defaultdict(list)
    values: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    about = ("item", "option", "stage", "question", "value", "probability")
    for item, *cell, value, p in filter_model_answers(study).values_list(*about).iterator():
        if text := text_of.get(item):
            values[text][item, *cell].append(str(value))
            if p is not None:
                spread[text].append(sqrt(p * (1 - p)))
    if len(spread) == n:
        return "probability", {text: sum(each) / len(each) for text, each in sorted(spread.items())}
    differing = {text: measure_disagreement(list(cells.values())) for text, cells in sorted(values.items())}
    known = {text: share for text, share in differing.items() if share is not None}
    if len(known) == n:
        return "disagreement", known
    raise SpecError(
        _(
            "Sampling by model uncertainty needs model answers, and %(missing)d of %(n)d texts have "
            "none: one model with probabilities, or two models, must have answered all items. First "
            "launch a study of the same items with annotators: open and let models answer it "
            "(evaluate_study); or sample every text with the same probability."
        )
        % {"missing": n - max(len(spread), len(known)), "n": n}
    )


def filter_model_answers(study: Study) -> QuerySet[Response]:
    """Answers of models in the project's studies of this protocol: only choices, no free text.

    If options are judged one by one, only these judgments.
    """
    stages = get_declaration(study).stages
    asked = [question for stage in stages for question in stage.questions if question.kind != "text"]
    of_options = [question for question in asked if question.per == "option"]
    return Response.objects.filter(
        assignment__annotator__kind=AnnotatorKind.MODEL,
        assignment__annotator__study__project=study.project,
        assignment__annotator__study__writer="",
        assignment__annotator__study__protocol=study.protocol,
        assignment__returned_at=None,
        question__in={question.name for question in of_options or asked},
    )


def find_draw(study: Study) -> list[dict[str, Any]] | None:
    """The rows of the stored draw; for a draft those that a launch would draw now. None if people do all texts."""
    stored = PeopleTexts.objects.filter(study=study).first()
    if stored or not study.is_draft:
        return stored.texts if stored else None
    try:
        draw = draw_texts(study, choose_items(study))
    except SpecError:
        return None
    return [draw.describe_text(text) for text in draw.order] if draw else None


DRAW_COLUMNS = ("text_id", "probability", "doubt", "drawn", "round")


def write_draw(rows: Sequence[Mapping[str, Any]]) -> str:
    """The draw as CSV, in its order; `round`: the round that drew the text, empty if none has."""
    drawn = [("true", row.get("round", 1)) if row["drawn"] else ("false", "") for row in rows]
    cells = ((row["text_id"], row["probability"], row["doubt"], *end) for row, end in zip(rows, drawn, strict=True))
    return write_csv(DRAW_COLUMNS, cells)


def draw_for_import(study: Study, chosen: ChosenTexts, done: Collection[str]) -> tuple[TextDraw | None, list[str]]:
    """The draw of a draft into which answers are imported, and notices; `done`: the texts that people answered about.

    None if people did other texts than the draft draws: then they were not drawn at random.
    """
    draw = draw_texts(study, chosen)
    others = set(done) - draw.drawn if draw else set()
    if not others:
        return draw, []
    sentence = _(
        "People answered about %(n)d texts that this draft would not have drawn for them, so its draw is not stored, "
        "and people and models cannot be joined."
    )
    return None, [sentence % {"n": len(others)}]


def store_draw(study: Study, draw: TextDraw | None, made_by: User | None) -> None:
    """Store the draw with the study."""
    if draw is not None:
        texts = [draw.describe_text(text) for text in draw.order]
        PeopleTexts.objects.create(
            study=study, n=draw.n, by=draw.by, rests_on=draw.rests_on, seed=study.seed, texts=texts, made_by=made_by,
            made_at=timezone.now(),
        )  # fmt: skip


def get_drawn_texts(study: Study) -> frozenset[str] | None:
    """External ids of the texts that people do; None if they do all."""
    found = PeopleTexts.objects.filter(study=study).first()
    return found.drawn_ids if found else None


def filter_people_units(study: Study) -> QuerySet[Unit]:
    """The units that people do."""
    drawn = get_drawn_texts(study)
    return study.units.all() if drawn is None else study.units.filter(text__external_id__in=drawn)


def is_for_people(text: Text, drawn: Collection[str] | None) -> bool:
    return drawn is None or text.external_id in drawn
