"""The datasheet of human evaluation (HEDS), filled in as far as the study's data allow.

Numbers and order of the questions are those of version 2 (Shimorina & Belz 2022, aclanthology.org/2022.humeval-1.6);
they are shortened and in our own words. What only the researchers know is marked, never guessed. Section 4 is repeated
for each criterion, as in the template.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.pack import methods
from analysis.pack.methods import Facts
from analysis.plugins import OWN, find_plugin
from analysis.services.reporting import list_software_versions
from studies.models import Study
from studies.protocols import PROTOCOLS, Question, Stage
from studies.services.declarations import fill_wording, get_declaration
from studies.services.instruments import read_content

INTRINSIC, EXTRINSIC = "intrinsic", "extrinsic: by how readers do at a task"

ELICITED = {
    "tick": "labelling of outputs",
    "scale": "direct quality estimation",
    "choice": "labelling of outputs",
    "pick": "relative quality estimation",
    "text": "free words of evaluators",
}
PRESENTED = {
    "tick": "check-boxes",
    "scale": "multiple choice",
    "choice": "multiple choice",
    "pick": "multiple choice",
    "text": "N/A",
}
NO_WORDS = ("name", "value")  # entries of a wording that nobody reads: its name and value


@dataclass(frozen=True)
class Criterion:
    """A question in a stage. `about`: type of quality, aspect, frame of reference; None if the protocol has none."""

    stage: Stage
    question: Question
    title: str
    wording: str
    about: tuple[str, str, str] | None
    is_task: bool
    n_items: int  # items compared at a time; 0 if items are not compared

    @property
    def name(self) -> str:
        return f"{self.question.name} (stage {self.stage.name})"

    @property
    def size(self) -> str:
        sizes = {"tick": "2", "text": "N/A"}
        return sizes.get(
            self.question.kind, str(len(self.question.levels) + self.n_items * (self.question.kind == "pick"))
        )

    @property
    def values(self) -> str:
        levels = ", ".join(map(str, self.question.levels))
        items = "the one item, the other item" if self.n_items == 2 else f"one of the {self.n_items} items"
        values = {"tick": "ticked, not ticked", "text": "N/A", "pick": ", ".join(filter(None, (items, levels)))}
        return values.get(self.question.kind, levels)

    @property
    def elicitation_form(self) -> str:
        return "task performance" if self.is_task else ELICITED[self.question.kind]


def list_criteria(study: Study) -> Iterator[Criterion]:
    """All questions that the study asks its annotators, in their order."""
    declaration, sheet = get_declaration(study), find_plugin(study.protocol).datasheet
    wording = fill_wording(read_content(study.instrument_version), declaration)
    for stage in declaration.stages:
        words = wording.get(stage.name) or {}
        for question in stage.questions:
            own = find_question_wording(words, question)
            is_task, about = question.name == sheet.task, sheet.criteria.get(question.name)
            if about and is_task and "text" not in stage.shows:
                about = (*about[:2], OWN)
            title = own.get("title") if isinstance(own, Mapping) else None
            asked = " ".join(list_texts(own)) or " ".join(list_texts(words.get("lead")))
            n_items = declaration.tuple_size or 2 * PROTOCOLS[study.protocol].compares
            yield Criterion(stage, question, title or "N/A", asked, about, is_task, n_items)


def find_question_wording(words: Any, question: Question) -> Any:
    """The wording of a question in a stage: a mapping under its name, or the entry of a list with that name."""
    name = question.wording or question.name
    if isinstance(words.get(name), Mapping):
        return words[name]
    for listed in words.values():
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, Mapping) and each.get("name") == name:
                return each
    return {}


def list_texts(words: Any) -> Iterator[str]:
    """Every text in a wording, in order; a level with its value."""
    if isinstance(words, str):
        yield words
    elif isinstance(words, Mapping):
        sentences = [text for name, value in words.items() if name not in NO_WORDS for text in list_texts(value)]
        yield from [f"[{words['value']}] {', '.join(sentences)};"] if "value" in words else sentences
    elif isinstance(words, list):
        for each in words:
            yield from list_texts(each)


OPEN = "to be filled in"
SECTIONS = {
    "1": "Paper and resources",
    "2": "What is evaluated",
    "3.1": "Sample",
    "3.2": "Evaluators",
    "3.3": "Experimental design",
    "4": "Quality criterion",
    "5": "Ethics",
}


@dataclass(frozen=True)
class Entry:
    """One question of the datasheet; `answer` is None if a person has to fill it in.
    `criterion`: the one it is about, in section 4."""

    number: str
    question: str
    answer: str | None
    criterion: str = ""

    def with_answer(self, change: Callable[[str], str]) -> "Entry":
        """The same entry with its answer changed by this function; an open question stays open."""
        return replace(self, answer=None if self.answer is None else change(self.answer))

    @property
    def section(self) -> str:
        return SECTIONS[self.number[:3] if self.number.startswith("3") else self.number[0]]


def build_datasheet(facts: Facts) -> list[Entry]:
    parts = (
        describe_resources,
        describe_systems,
        describe_sample,
        describe_people,
        describe_design,
        describe_criteria,
        describe_ethics,
    )
    return [entry for part in parts for entry in part(facts)]


def describe_resources(facts: Facts) -> Iterator[Entry]:
    yield Entry("1.1", "The paper, and which experiment of it", None)
    yield Entry(
        "1.2", "Where outputs and tools are to be had", "this pack; tool: Lesart " + list_software_versions()["lesart"]
    )
    yield Entry("1.3", "Who filled this in, and whom to ask", None)


def describe_systems(facts: Facts) -> Iterator[Entry]:
    by = "; ".join(f"{name}: {n} items" for name, n in facts.items.items())
    yield Entry("2.1", "Input of the systems", "text: document" if facts.n_texts else None)
    yield Entry("2.2", "Output of the systems", f"text: questions, with options where they have any ({by})")
    yield Entry("2.3", "Task of the systems", "question generation")
    languages = ", ".join(facts.conduct.languages) or None
    yield Entry("2.4", "Language of the input", languages)
    yield Entry("2.5", "Language of the output", languages)


def describe_sample(facts: Facts) -> Iterator[Entry]:
    counts = ", ".join(f"{name} {n}" for name, n in facts.items.items())
    yield Entry("3.1.1", "Outputs evaluated per system", counts)
    yield Entry("3.1.2", "How they were selected", f"{describe_selection(facts)}; how these were chosen before: {OPEN}")
    yield Entry("3.1.3", "Statistical power of the sample", None)


def describe_selection(facts: Facts) -> str:
    """Which texts and generators of the bank the study asks about."""
    chosen = facts.study.selection
    texts, by = chosen.get("texts", "all"), chosen.get("generators", "all")
    sentence = "all texts of the project's bank" if texts == "all" else f"{len(texts)} texts named in study/study.yaml"
    return sentence + (", items of all generators" if by == "all" else f", items by: {', '.join(by)}")


def describe_people(facts: Facts) -> Iterator[Entry]:
    n = str(facts.n_people)
    if facts.n_simulated:
        n += f" (and {facts.n_simulated} simulated annotators, who are no people)"
    groups = "; groups: " + ", ".join(f"{name} {n}" for name, n in facts.groups.items()) if facts.groups else ""
    models = "; models and baselines beside them: " + ", ".join(facts.evaluators) if facts.evaluators else ""
    yield Entry("3.2.1", "Number of evaluators", n + groups + models)
    who = "Experts or not, paid or not, known to the authors or not, authors among them or not"
    yield Entry("3.2.2", who, None)
    yield Entry("3.2.3", "How they were recruited", None)
    yield Entry("3.2.4", "Training and practice", describe_training(facts))
    yield Entry("3.2.5", "What else is known of them", None)


def describe_training(facts: Facts) -> str | None:
    """What everybody went through before the main answers, if it happened here."""
    if not facts.conduct.given_here:
        return None
    sentences = ["consent and instructions stand in the wording (folder instruments)"]
    if n := facts.conduct.n_calibration:
        sentences.append(f"{n} units were a calibration that all did first")
    return "; ".join([*sentences, f"anything beyond: {OPEN}"])


def describe_design(facts: Facts) -> Iterator[Entry]:
    nobody = not (facts.n_people or facts.n_simulated)
    imported = not facts.conduct.given_here
    where = "imported from elsewhere" if imported else "web pages of Lesart, by personal links"
    median = f"; the median person took {facts.minutes:.1f} minutes" if facts.minutes is not None else ""
    yield Entry("3.3.1", "Preregistration", None)
    yield Entry("3.3.2", "How answers were collected", "calls of models" if nobody else where)
    yield Entry("3.3.3", "Quality assurance", describe_checks(facts))
    yield Entry("3.3.4", "What evaluators see", describe_view(facts.study))
    free = None if imported else "no time limit; work can be interrupted and taken up again" + median
    yield Entry("3.3.5", "Freedom in time and pace", free)
    yield Entry("3.3.6", "Questions and feedback", None)
    yield Entry("3.3.7", "Place and conditions", None if imported else "at a place of the evaluators' own choosing")
    yield Entry("3.3.8", "Differences in conditions", None if imported else "N/A, see 3.3.7")


def describe_view(study: Study) -> str:
    """What evaluators see: in the words of the plug-in, else as the stages declare it."""
    if shown := find_plugin(study.protocol).datasheet.shown:
        return shown
    stages = get_declaration(study).stages
    return "; ".join(f"in stage {stage.name}: {', '.join(sorted(stage.shows)) or 'items only'}" for stage in stages)


def describe_checks(facts: Facts) -> str:
    sentences = ["automatic: each answer is checked against the declared questions when it is handed in"]
    if facts.rounds > 1:
        sentences.append(
            f"{facts.rounds} rounds: scores that stood out were given back once more (table flagged_cells)"
        )
    if any(row for table in facts.report.tables if table.name == "expert_check" for row in table.rows):
        sentences.append("experts checked a sample (table expert_check)")
    left = ", ".join(f"{purpose}: {n} answers" for purpose, n in facts.left_out.items() if n)
    sentences.append(f"left out of the figures by purpose: {left}" if left else "no answer is left out of the figures")
    return "; ".join([*sentences, f"anything beyond: {OPEN}"])


def describe_criteria(facts: Facts) -> Iterator[Entry]:
    for each in list_criteria(facts.study):
        for entry in describe_criterion(each, facts):
            yield replace(entry, criterion=each.name)


def describe_criterion(each: Criterion, facts: Facts) -> Iterator[Entry]:
    kind, aspect, frame = each.about or (None, None, None)
    sheet = find_plugin(facts.study.protocol).datasheet
    relative = "relative" if PROTOCOLS[facts.study.protocol].compares else "absolute"
    yield Entry("4.1.1", "Type of quality", kind)
    yield Entry("4.1.2", "Aspect of the outputs", aspect)
    yield Entry("4.1.3", "Frame of reference", frame)
    yield Entry("4.2.1", "Objective or subjective", "subjective: a judgment of each evaluator")
    yield Entry("4.2.2", "Absolute or relative", relative)
    yield Entry("4.2.3", "Intrinsic or extrinsic", EXTRINSIC if each.is_task else INTRINSIC)
    yield Entry("4.3.1", "Name given to evaluators", each.title)
    yield Entry("4.3.2", "Definition given", each.wording or "N/A")
    yield Entry("4.3.3", "Size of the scale", each.size)
    yield Entry("4.3.4", "Values of the scale", each.values)
    yield Entry("4.3.5", "How the scale is presented", PRESENTED[each.question.kind])
    task = "evaluators write a text, which is stored as it is" if each.question.kind == "text" else "N/A"
    yield Entry("4.3.6", "Task where there is no scale", task)
    yield Entry(
        "4.3.7", "Question or instruction, verbatim", f"{each.wording} (all of it: {name_instrument(facts)})".strip()
    )
    yield Entry("4.3.8", "Form of elicitation", each.elicitation_form)
    scores = "no scores" if each.question.kind == "text" else sheet.aggregated
    yield Entry("4.3.9", "From answers to scores", scores)
    tested = f"{methods.describe_intervals(facts)} Each number's own stands in report/tables{sheet.tested}"
    yield Entry("4.3.10", "Effect sizes and significance", tested)
    simulated = "" if facts.n_people else " (of simulated annotators, not of people)"
    yield Entry("4.3.11", "Agreement", methods.describe_agreement(facts) + simulated)


def name_instrument(facts: Facts) -> str:
    version = facts.study.instrument_version
    return f"the instrument {version.instrument}, version {version.version}, in the folder instruments"


def describe_ethics(facts: Facts) -> Iterator[Entry]:
    yield Entry("5.1", "Approval by an ethics committee", None)
    yield Entry("5.2", "Personal data", f"the pack holds opaque codes only; what else was collected: {OPEN}")
    yield Entry("5.3", "Data of special categories", None)
    yield Entry("5.4", "Impact assessments", None)


def as_markdown(entries: list[Entry]) -> str:
    """The datasheet section by section; open questions are marked."""
    lines = ["# Datasheet of human evaluation", "", "After HEDS 2.0 (Shimorina & Belz 2022). The questions are in "
             "short words of ours; their full wording is in the published template. HEDS 3.0 (Belz & Thomson 2025) has "
             "the same five sections, with some other numbers.", ""]  # fmt: skip
    above = ""
    for entry in entries:
        heading = f"{entry.section}: {entry.criterion}" if entry.criterion else entry.section
        if heading != above:
            above = heading
            lines += [f"## {heading}", ""]
        lines += [f"**{entry.number} {entry.question}**: {entry.answer or f'_{OPEN}_'}", ""]
    return "\n".join(lines)


def as_objects(entries: list[Entry]) -> dict[str, Any]:
    return {
        "template": "HEDS 2.0, Shimorina & Belz 2022",
        "entries": [
            {
                "number": each.number,
                "section": each.section,
                "criterion": each.criterion or None,
                "question": each.question,
                "answer": each.answer,
            }
            for each in entries
        ],
    }
