"""Studies of every protocol, as large as the published ones and larger, drawn from a fixed seed as files to import.

What is wide in a study is as many as said: generators, dimensions, metrics, groups, annotators, models. The larger ones
have more of these and fewer texts, as texts lengthen only what pages cut.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

DIMENSIONS = ("fluency", "clarity", "conciseness", "relevance", "consistency", "answerability", "answer_consistency")
# Those of the published study of scores, so that every number of theirs has one beside it.
GENERATORS = (
    "Reference", "BART-base-finetune", "BART-large-finetune", "T5-base-finetune", "T5-large-finetune",
    "Flan-T5-base-finetune", "Flan-T5-large-finetune", "Flan-T5-XL-LoRA", "Flan-T5-XXL-LoRA", "Flan-T5-XL-fewshot",
    "Flan-T5-XXL-fewshot", "GPT-3.5-turbo-fewshot", "GPT-4-fewshot", "GPT-3.5-turbo-zeroshot", "GPT-4-zeroshot",
)  # fmt: skip
METRICS = (
    "BLEU-4 (imported)", "ROUGE-L (imported)", "METEOR", "BERTScore", "MoverScore", "BLEURT",
    "BARTScore-ref", "GPTScore-ref", "Q-BLEU4",
    "QSTS", "BARTScore-src", "GPTScore-src", "QRelScore",
)  # fmt: skip
QUESTIONS = ("understandable", "domain_related", "grammatical", "clear", "answerable", "central", "would_use")
Row = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A study as files hold it: the bank, what is asked of whom, the answers, and metrics of the items."""

    slug: str
    spec: Row
    bank: list[Row]
    answers: list[Row]
    metrics: list[Row]

    def write(self, folder: Path) -> None:
        """`bank.jsonl`, `study.yaml` (JSON is YAML), `answers.csv`, and `metrics.csv` if there are any."""
        (folder / "bank.jsonl").write_text("".join(json.dumps(text) + "\n" for text in self.bank), encoding="utf-8")
        (folder / "study.yaml").write_text(json.dumps({"slug": self.slug} | self.spec), encoding="utf-8")
        write_csv(folder / "answers.csv", self.answers)
        if self.metrics:
            write_csv(folder / "metrics.csv", self.metrics)


def write_csv(file: Path, rows: list[Row]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def spec(protocol: str, **more: Any) -> Row:
    plan = {"plan": {"annotators": 1, "seed": 1}}
    return {"title": "Questions about bridges", "protocol": protocol, "language": "en"} | plan | more


def bank(texts: int, generators: Iterable[str], items: int, options: int) -> list[Row]:
    """Every generator with as many items on each text; texts of three data sets, items of three kinds."""
    body = "In that year a bridge was built over the river. It stood for a long time, and people paid to cross it. " * 8
    return [
        {
            "id": f"text-{text}",
            "title": f"Bridge {text}",
            "text": body,
            "language": "en",
            "metadata": {"dataset": f"set {text % 3}", "extra": {"source": f"source {text % 3}"}},
            "items": [
                {
                    "id": f"text-{text}-{generator}-{place}",
                    "generator": generator,
                    "question": f"What does question {place} by {generator} ask about bridge {text}?",
                    "answer": "" if options else "a toll",
                    "metadata": {"kind": ("where", "when", "why")[place % 3]},
                    "answers": [
                        {"id": "abcd"[one], "text": f"answer {one} of {place}", "correct": one == place % options}
                        for one in range(options)
                    ],
                }
                for generator in generators
                for place in range(items)
            ],
        }
        for text in range(texts)
    ]  # fmt: skip


def places(texts: list[Row]) -> Iterator[tuple[str, Row]]:
    """Each item with the id of its text."""
    return ((text["id"], item) for text in texts for item in text["items"])


def skill(name: str) -> float:
    """Of a generator or an annotator, from 0 to 1; the same for the same name."""
    return Random(name).random()


# Protocols ------------------------------------------------------------------------------------------------------------


def ratings(slug: str, *, texts: int, generators: tuple[str, ...], metrics: tuple[str, ...], people: int) -> Drawn:
    """Scores of both rounds: in the second, cells in which three differ are given anew."""
    rng, items, answers = Random(1), bank(texts, generators, 1, 0), []
    for _text, item in places(items):
        for dimension in DIMENSIONS:
            true = 1.5 + 1.5 * skill(item["generator"]) + rng.gauss(0, 0.4)
            scores = [min(3, max(1, round(true + rng.gauss(0, 0.6)))) for _seat in range(people)]
            again = [(2, round(true)) for _score in scores] if set(scores) == {1, 2, 3} else []
            for seat, (number, score) in enumerate([(1, score) for score in scores] + again):
                answers.append(
                    {"annotator": f"rater{seat % people}", "annotator_kind": "human", "round": number, "stage": "rate",
                     "item_id": item["id"], "question": dimension, "value": min(3, max(1, score))}
                )  # fmt: skip
    values = [
        {"item_id": item["id"]} | {metric: round(skill(item["generator"]) + rng.gauss(0, 0.5), 4) for metric in metrics}
        for _text, item in places(items)
    ]
    return Drawn(slug, spec("dimension-ratings", params={"rounds": 2}), items, answers, values)


def guesses(
    slug: str, *, texts: int, generators: tuple[str, ...], people: int, groups: tuple[str, ...], models: tuple[str, ...]
) -> Drawn:
    """People guess the items of one generator of a text and read all; models do both with all, half with p(true)."""
    rng, items = Random(1), bank(texts, generators, 3, 4)
    seats = [(f"person {seat}", "human", groups[seat % len(groups)], "") for seat in range(people)]
    seats += [(name, "model", "", "probability" if place % 2 else "label") for place, name in enumerate(models)]
    answers = []
    for seat, (code, kind, group, reading) in enumerate(seats):
        who = {"annotator": code, "annotator_kind": kind, "group": group, "reading": reading, "round": 1}
        who |= {"model": code.split(",")[0] if kind == "model" else ""}
        for place, (text, item) in enumerate(places(items)):
            is_mine = generators.index(item["generator"]) == (place // (3 * len(generators)) + seat) % len(generators)
            for stage, able in (("guess", 0.55), ("read", 0.7 + 0.2 * skill(code))):
                if stage == "guess" and kind == "human" and not is_mine:
                    continue
                about = who | {"stage": stage, "text_id": text, "item_id": item["id"]}
                for option in item["answers"]:
                    ticked = option["correct"] == (rng.random() < able)
                    p = round(rng.uniform(0.5, 1) if ticked else rng.uniform(0, 0.5), 4)
                    values = {"question": "answer", "option_id": option["id"], "value": str(ticked).lower()}
                    answers.append(about | values | {"probability": p if reading == "probability" else ""})
                if stage == "read" and kind == "human":
                    answers.append(about | {"question": "rating", "value": rng.choice((2, 3, 4, 4, 5))})
    named = {"groups": list(filter(None, groups))}
    return Drawn(slug, spec("guess-then-read", **named), items, answers, [])


def make_questionnaire(slug: str, *, texts: int, generators: tuple[str, ...], groups: tuple[str, ...]) -> Drawn:
    """Two of each group judge each item of a bank of texts from several sources."""
    rng, items, answers = Random(1), bank(texts, generators, 4, 0), []
    for text, item in places(items):
        for group in groups:
            for seat in rng.sample(range(12), 2):
                who = {"annotator": f"{group} {seat}", "annotator_kind": "human", "group": group, "stage": "judge"}
                about = who | {"text_id": text, "item_id": item["id"]}
                judged = judgments(0.5 + 0.4 * skill(item["generator"]), rng)
                answers += [about | {"question": question, "value": value} for question, value in judged.items()]
    return Drawn(slug, spec("stopping-questionnaire", groups=list(groups)), items, answers, [])


def judgments(good: float, rng: Random) -> dict[str, str]:
    """What somebody says of an item, until a gate stops them."""
    values: dict[str, str] = {}

    def is_yes(question: str, p: float) -> bool:
        values[question] = "yes" if rng.random() < p else "no"
        return values[question] == "yes"

    if not is_yes("understandable", min(0.97, good + 0.2)):
        return values
    is_yes("domain_related", 0.95)
    is_grammatical = is_yes("grammatical", good)
    values["clear"] = rng.choices(["yes", "more_or_less", "no"], [good, 0.3, 0.15])[0]
    if values["clear"] == "no":
        return values
    if values["clear"] == "more_or_less" or not is_grammatical:
        is_yes("rephrase", 0.6)
    if not is_yes("answerable", good):
        return values
    needed = ["text", "parts", "external", "general", "opinion"]
    values["information_needed"] = rng.choices(needed, [0.7, 0.1, 0.1, 0.07, 0.03])[0]
    is_yes("central", 0.6)
    values["would_use"] = rng.choices(["yes", "maybe", "no"], [good, 0.3, 0.3])[0]
    return values


def make_pairs(slug: str, *, texts: int, generators: tuple[str, ...], pairs: int, people: int, shared: int) -> Drawn:
    """Pairs of generators' items; all people judge the calibration, one judges each other text."""
    rng, items, answers = Random(1), bank(texts, generators, pairs, 4), []
    for place, text in enumerate(items):
        for a, b in combinations(range(len(generators)), 2):
            for number in range(pairs):
                one, other = (text["items"][side * pairs + number]["id"] for side in (a, b))
                p = 0.5 + (skill(generators[a]) - skill(generators[b])) / 3
                for seat in range(people) if place < shared else (place % people,):
                    value = "tie" if rng.random() < 0.25 else one if rng.random() < p else other
                    answers.append(
                        {"annotator": f"teacher {seat}", "annotator_kind": "human", "stage": "compare",
                         "text_id": text["id"], "item_id": one, "other_item_id": other, "question": "better",
                         "value": value, "shown_left": rng.choice((one, other)),
                         "part": "calibration" if place < shared else "main"}
                    )  # fmt: skip
    own = max(1, (texts - shared) // people)
    plan = {"annotators": people, "shared_texts": shared, "own_texts": own, "seed": 1}
    return Drawn(slug, spec("pairwise", plan=plan), items, answers, [])


def number_names(kind: str, n: int) -> tuple[str, ...]:
    return tuple(f"{kind} {number}" for number in range(n))


PROMPTED = tuple(f"{model}, {prompt}" for model in ("gpt-4", "llama-2-70b", "mistral-large")
                 for prompt in ("short prompt", "long prompt", "with examples", "step by step"))  # fmt: skip
FAMILIES = tuple(f"{family}, with examples of the set" for family in GENERATORS)
STUDIES: dict[str, Callable[[], Drawn]] = {
    "ratings": partial(
        ratings, "ratings", texts=40, generators=GENERATORS, metrics=METRICS, people=3
    ),
    "ratings-larger": partial(
        ratings, "ratings-larger", texts=10, generators=(*GENERATORS, *FAMILIES), people=6,
        metrics=(*METRICS, *(f"{metric}-large" for metric in METRICS)),
    ),
    "guesses": partial(
        guesses, "guesses", texts=12, generators=("human", "llama-2", "gpt-4"), people=6, groups=("",), models=PROMPTED
    ),
    "guesses-larger": partial(
        guesses, "guesses-larger", texts=8, generators=("human", "llama-2", "gpt-4", *number_names("generator", 5)),
        people=24, groups=("pupils", "students", "teachers"), models=(*PROMPTED, *number_names("fine-tuned model", 12)),
    ),
    "stopped": partial(
        make_questionnaire,
        "stopped",
        texts=24,
        generators=("manual", "rule-based", "neural"),
        groups=("experts", "crowd"),
    ),
    "stopped-larger": partial(
        make_questionnaire, "stopped-larger", texts=12, generators=GENERATORS[:8],
        groups=("experts", "crowd", "pupils", "students"),
    ),
    "compared": partial(
        make_pairs, "compared", texts=55, generators=number_names("generator", 4), pairs=5, people=5, shared=5
    ),
    "compared-larger": partial(
        make_pairs, "compared-larger", texts=16, generators=number_names("generator", 12), pairs=2, people=12, shared=4
    ),
}  # fmt: skip
