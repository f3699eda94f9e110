"""Answers made by hand for what `analysis/science` computes: a study of 40 texts whose frame the tests fill."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.choices import Choices
from analysis.frames.evidence import Evidence, TextDraw, collect_evidence
from studies.models import Study
from tests.factory import make_annotator, make_item, make_study, make_text
from tests.made_once import made_once

N_TEXTS, KEYS = 40, "TFF"
FIXED = Choices(convention="annotators")


def frame_of(answers: list[tuple], kinds: dict[str, str]) -> pd.DataFrame:
    """Judgments (annotator, text, item, generator, stage, option, right, p or None) in the form of the frame."""
    columns = ["annotator", "text_id", "item_id", "generator", "stage", "option_id", "correct", "probability"]
    frame = pd.DataFrame(answers, columns=columns)
    key = frame["option_id"] == "a"
    frame = frame.assign(
        kind=frame["annotator"].map(kinds), group="", purpose="main", model="", reading="", unit=1, part="", round=1,
        text_version="", question="answer", unsure=False, key=key, value=key == frame["correct"],
    )  # fmt: skip
    return frame.astype({"correct": "boolean", "key": "boolean", "probability": "float64"})


def make_evidence(project) -> Evidence:
    return collect_evidence(make_unanswered_study(project), FIXED)


@made_once
def make_unanswered_study(project) -> Study:
    """40 texts with an item of each of two generators; nobody has answered."""
    items = [
        make_item(make_text(project, f"t{number:02}") if name == "ann" else number_text(project, number), name,
                  f"t{number:02}-{name}", KEYS)
        for number in range(N_TEXTS) for name in ("ann", "bob")
    ]  # fmt: skip
    study = make_study(project, "reading", items)
    for code in ("p0", "p1", "p2"):
        make_annotator(study, code)
    make_annotator(study, "gpt", kind="model", model="gpt")
    return study


def number_text(project, number):
    return project.texts.get(external_id=f"t{number:02}")


def add_answers(evidence, n_people: int = 20, model_texts: int = N_TEXTS, draw: bool = True, people=("p0", "p1", "p2")):
    """With answers: people on the first texts, a model that follows the same difficulty on the first of all."""
    rng = np.random.default_rng(1)
    level = rng.uniform(0.2, 0.95, (N_TEXTS, 2, 2))
    answers = []
    for number in range(N_TEXTS):
        for place, name in enumerate(("ann", "bob")):
            for stage, harder in (("guess", 0.3), ("read", 0.0)):
                right = level[number, place, int(stage == "read")] - harder / 2
                about = (f"t{number:02}", f"t{number:02}-{name}", name, stage)
                for option in "abc":
                    if number < model_texts:
                        answers.append(("gpt", *about, option, right > 0.5, right if option == "a" else 1 - right))
                    if number < n_people:
                        answers += [(who, *about, option, rng.random() < right, None) for who in people]
    kinds = dict.fromkeys(people, "human") | {"gpt": "model"}
    frame = frame_of(answers, kinds)
    texts = [f"t{number:02}" for number in range(N_TEXTS)]
    annotators = pd.DataFrame(
        [(who, kinds[who], "", "ticked" if kinds[who] == "human" else "probability", "main", "", "") for who in kinds],
        columns=["annotator", "kind", "group", "reading", "purpose", "variant", "person"],
    )
    text_draw = TextDraw(dict.fromkeys(texts, 0.5), frozenset(texts[:20])) if draw else None
    return replace(evidence, frame=frame, every_round=frame, annotators=annotators, text_draw=text_draw)


def add_groups(evidence, sizes: tuple[int, int], n_people: int = 12):
    """Answers of so many people in each of two groups, about the first texts."""
    people = tuple(f"q{number:03}" for number in range(sum(sizes)))
    full = add_answers(evidence, n_people=n_people, people=people)
    groups = dict(zip(people, ["x"] * sizes[0] + ["y"] * sizes[1], strict=True))
    evidence.study.groups = ["x", "y"]
    return replace(full, annotators=full.annotators.assign(group=full.annotators["annotator"].map(groups).fillna("")))


def add_ratings(evidence, marks, round=1):
    """Ratings (annotator, item, value) in the stage with the text."""
    full = add_answers(evidence)
    rows = [(who, item[:3], item, item[4:], "read", "", False, None) for who, item, _value in marks]
    frame = frame_of(rows, dict.fromkeys(("p0", "p1", "p2"), "human"))
    frame = frame.assign(question="rating", value=[value for *_about, value in marks], round=round, option_id=None)
    return replace(full, every_round=frame)


def add_flaws(evidence, which):
    """Answered, with a gap in the question of some items."""
    stems = [
        "The ferry ___ here at last." if item in which else "Why did the ferry leave so late?"
        for item in evidence.items["item_id"]
    ]
    full = add_answers(evidence)
    return replace(full, items=evidence.items.assign(stem=stems))


def add_versions(evidence, n_texts=20, people=6, model=True, draw=True, twice=False):
    """People read each of the first texts in one of two versions, a model all texts in both."""
    who = tuple(f"q{number:02}" for number in range(people))
    full = add_answers(evidence, n_people=n_texts, people=who, draw=draw)
    frame, number = full.frame, full.frame["text_id"].str[1:].astype(int)
    seat = frame["annotator"].str[1:].where(frame["kind"] == "human", "0").astype(int)
    frame = frame.assign(text_version=np.where((seat + number) % 2, "simple", "original"))
    of_model = frame[frame["kind"] == "model"]
    both = [of_model.assign(text_version="original"), of_model.assign(text_version="simple", annotator="gpt (simple)")]
    frame = pd.concat([frame[frame["kind"] == "human"], *(both if model else both[:1])], ignore_index=True)
    annotators = full.annotators
    extra = annotators[annotators["annotator"] == "gpt"].assign(annotator="gpt (simple)")
    annotators = pd.concat([annotators, extra], ignore_index=True)
    if twice:
        annotators = annotators.assign(person=annotators["annotator"].map({"q00": "same", "q01": "same"}).fillna(""))
    evidence.study.plan = {"annotators": people, "text_versions": ["original", "simple"]}
    return replace(full, frame=frame, every_round=frame, annotators=annotators)
