"""The datasheet of human evaluation (HEDS), filled in from a study as far as the study knows.

Numbers and order of the questions are those of version 2 (Shimorina & Belz 2022, aclanthology.org/2022.humeval-1.6);
they are put in our own words, and short. What only the researchers know is marked, never guessed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analysis.pack.facts import Facts, questions_asked
from analysis.pack.methods import AGREEMENTS
from analysis.services.reporting import versions
from studies.services.declaring import declaration_of

OPEN = "to be filled in"
SECTIONS = {
    "1": "Paper and resources",
    "2": "What is evaluated",
    "3.1": "Sample",
    "3.2": "Evaluators",
    "3.3": "Experimental design",
    "4": "Quality criteria",
    "5": "Ethics",
}
# What a study's answers are about, by protocol: type of quality, aspect, frame of reference, relative or absolute.
QUALITY = {
    "guess-then-read": ("correctness", "content", "relative to the input (the text)", "absolute"),
    "dimension-ratings": ("goodness", "form and content, by dimension", "relative to the input (the text)", "absolute"),
    "stopping-questionnaire": ("correctness and goodness, by question", "form and content",
                               "relative to the input (the text)", "absolute"),
    "pairwise": ("goodness", "form and content", "relative to the input (the text)", "relative"),
}  # fmt: skip
ELICITED = {
    "guess-then-read": "task performance: options are judged without and with the text; and direct quality estimation",
    "dimension-ratings": "direct quality estimation",
    "stopping-questionnaire": "labelling of outputs, and free answers",
    "pairwise": "relative quality estimation",
}
SHOWN = {
    "guess-then-read": "first the items of one generator without the text, then the text with the items of all "
    "generators; never keys or generators",
    "dimension-ratings": "the text, the questions about it and their expected answers, with a scale per dimension",
    "stopping-questionnaire": "one question at a time with its text, and the questions of one gate after the other",
    "pairwise": "two items about the same text side by side, with their keys; never generators",
}
AGGREGATED = {
    "guess-then-read": "shares of options judged rightly by generator, and their difference",
    "dimension-ratings": "means by generator and dimension",
    "stopping-questionnaire": "shares of single labels by category",
    "pairwise": "wins, losses and ties by pair of generators; strengths by Davidson's model and three others",
}


@dataclass(frozen=True)
class Entry:
    """One question of the datasheet; `answer` is None where somebody has to fill it in."""

    number: str
    question: str
    answer: str | None

    @property
    def section(self) -> str:
        return SECTIONS[self.number[:3] if self.number.startswith("3") else self.number[0]]


def datasheet(facts: Facts) -> list[Entry]:
    return [*resources(facts), *evaluated(facts), *sample(facts), *people(facts), *design(facts), *criteria(facts),
            *ethics(facts)]  # fmt: skip


def resources(facts: Facts) -> Iterator[Entry]:
    yield Entry("1.1", "The paper, and which experiment of it", None)
    yield Entry("1.2", "Where outputs and tools are to be had", "this pack; tool: Lesart " + versions()["lesart"])
    yield Entry("1.3", "Who filled this in, and whom to ask", None)


def evaluated(facts: Facts) -> Iterator[Entry]:
    by = "; ".join(f"{name}: {n} items" for name, n in facts.items.items())
    yield Entry("2.1", "Input of the systems", "text: document" if facts.n_texts else None)
    yield Entry("2.2", "Output of the systems", f"text: questions, with options where they have any ({by})")
    yield Entry("2.3", "Task of the systems", "question generation")
    yield Entry("2.4", "Language of the input", facts.study.language)
    yield Entry("2.5", "Language of the output", facts.study.language)


def sample(facts: Facts) -> Iterator[Entry]:
    counts = ", ".join(f"{name} {n}" for name, n in facts.items.items())
    yield Entry("3.1.1", "Outputs evaluated per system", counts)
    yield Entry("3.1.2", "How they were selected", None)
    yield Entry("3.1.3", "Statistical power of the sample", None)


def people(facts: Facts) -> Iterator[Entry]:
    n = str(facts.n_people)
    if facts.n_simulated:
        n += f" (and {facts.n_simulated} simulated annotators, who are no people)"
    groups = "; groups: " + ", ".join(f"{name} {n}" for name, n in facts.groups.items()) if facts.groups else ""
    models = "; models and baselines beside them: " + ", ".join(facts.evaluators) if facts.evaluators else ""
    yield Entry("3.2.1", "Number of evaluators", n + groups + models)
    yield Entry("3.2.2", "Experts or not, paid or not, known to the authors or not", None)
    yield Entry("3.2.3", "How they were recruited", None)
    phases = "consent and instructions stand in the wording (folder instruments)"
    yield Entry("3.2.4", "Training and practice", f"{phases}; anything beyond: {OPEN}")
    yield Entry("3.2.5", "What else is known of them", None)


def design(facts: Facts) -> Iterator[Entry]:
    imported = facts.study.state == "imported"
    where = "imported from elsewhere" if imported else "web pages of Lesart, by personal links"
    median = f"; the median person took {facts.minutes:.1f} minutes" if facts.minutes is not None else ""
    yield Entry("3.3.1", "Preregistration", None)
    yield Entry("3.3.2", "How answers were collected", where)
    checks = "each answer is checked against the declared questions when it is handed in; nothing is excluded by Lesart"
    yield Entry("3.3.3", "Quality assurance", checks)
    yield Entry("3.3.4", "What evaluators see", SHOWN[facts.study.protocol])
    free = None if imported else "no time limit; work can be interrupted and taken up again" + median
    yield Entry("3.3.5", "Freedom in time and pace", free)
    yield Entry("3.3.6", "Questions and feedback", None)
    yield Entry("3.3.7", "Place and conditions", None if imported else "at a place of the evaluators' own choosing")
    yield Entry("3.3.8", "Differences in conditions", None)


def criteria(facts: Facts) -> Iterator[Entry]:
    kind, aspect, frame, terms = QUALITY[facts.study.protocol]
    yield Entry("4.1.1", "Type of quality", kind)
    yield Entry("4.1.2", "Aspect of the outputs", aspect)
    yield Entry("4.1.3", "Frame of reference", frame)
    yield Entry("4.2.1", "Objective or subjective", "subjective judgments of people")
    yield Entry("4.2.2", "Absolute or relative", terms)
    yield Entry("4.2.3", "Intrinsic or extrinsic", "intrinsic")
    asked = questions_asked(facts.study)
    yield Entry("4.3.1", "Names of the criteria", "; ".join(f"{name} ({stage})" for stage, name, _values in asked))
    wording = f"verbatim in {instrument(facts)}"
    yield Entry("4.3.2", "Definitions given", wording)
    sizes = "; ".join(f"{name} ({stage}): {size(values)}" for stage, name, values in asked)
    yield Entry("4.3.3", "Size of the scales", sizes)
    values_of = "; ".join(f"{name} ({stage}): {', '.join(values)}" for stage, name, values in asked)
    yield Entry("4.3.4", "Values of the scales", values_of)
    yield Entry("4.3.5", "How scales are presented", presented(facts))
    yield Entry("4.3.6", "Task where there is no scale", "free texts are typed" if "text" in values_of else "N/A")
    yield Entry("4.3.7", "Questions and instructions", wording)
    yield Entry("4.3.8", "Form of elicitation", ELICITED[facts.study.protocol])
    yield Entry("4.3.9", "From answers to scores", AGGREGATED[facts.study.protocol])
    unit = "single judgments" if facts.convention == "published" else "texts"
    yield Entry(
        "4.3.10", "Effect sizes and significance", f"95 % intervals by {unit}, seed {facts.seed}; report/tables"
    )
    simulated = "" if facts.n_people else " (of simulated annotators, not of people)"
    yield Entry("4.3.11", "Agreement", AGREEMENTS[facts.study.protocol](facts) + simulated)


def instrument(facts: Facts) -> str:
    version = facts.study.instrument_version
    return f"the instrument {version.instrument}, version {version.version} (folder instruments)"


def size(values: tuple[str, ...]) -> str:
    known: dict[tuple[str, ...], str] = {("tick",): "2", ("text",): "free text"}
    return known.get(values, str(len(values)))


def presented(facts: Facts) -> str:
    kinds = {question.kind for stage in declaration_of(facts.study).stages for question in stage.questions}
    words = {"tick": "check-boxes", "scale": "multiple choice", "choice": "multiple choice", "pick": "multiple choice",
             "text": "text fields"}  # fmt: skip
    return ", ".join(sorted({words[kind] for kind in kinds}))


def ethics(facts: Facts) -> Iterator[Entry]:
    yield Entry("5.1", "Approval by an ethics committee", None)
    yield Entry("5.2", "Personal data", f"the pack holds opaque codes only; what else was collected: {OPEN}")
    yield Entry("5.3", "Data of special categories", None)
    yield Entry("5.4", "Impact assessments", None)


def as_markdown(entries: list[Entry]) -> str:
    """The datasheet section by section; what is open is marked."""
    lines = ["# Datasheet of human evaluation", "", "After HEDS 2 (Shimorina & Belz 2022). The questions are in short "
             "words of ours; their full wording is in the published template.", ""]  # fmt: skip
    section = ""
    for entry in entries:
        if entry.section != section:
            section = entry.section
            lines += [f"## {section}", ""]
        lines += [f"**{entry.number} {entry.question}**: {entry.answer or f'_{OPEN}_'}", ""]
    return "\n".join(lines)


def as_objects(entries: list[Entry]) -> dict[str, Any]:
    return {
        "template": "HEDS 2.0, Shimorina & Belz 2022",
        "entries": [
            {"number": each.number, "section": each.section, "question": each.question, "answer": each.answer}
            for each in entries
        ],
    }
