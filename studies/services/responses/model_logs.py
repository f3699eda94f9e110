"""Logs of models as judgments of evaluators: Inspect AI (.json, .eval) and lm-evaluation-harness (samples_*.jsonl).

A sample becomes a row for each option of its item: ticked if the model chose it, with its probability if the log has
likelihoods. If the prompt has the text, the answer belongs to the stage that shows the text, else to the other one.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from items.files import BadZip, ZipReader
from items.formats.jsonl import BadLine, parse_object
from items.models import Item
from studies.models import Study
from studies.services.declarations import get_declaration
from studies.services.responses.rows import BadFile, Cells, RowProblem

ZIP = b"PK\x03\x04"
MARKS = {"doc", "doc_id", "filtered_resps"}  # keys that identify a line of lm-evaluation-harness
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ANSWER = re.compile(r"\s*(?:ANSWER\s*:\s*)?\(?([A-Z](?:\s*,?\s*[A-Z])*)\)?[.)]?\s*")
QUESTIONS = ("question", "query", "input")  # names of the stem in data sets
SAMPLE = re.compile(r"samples/[^/]+\.json")


@dataclass(frozen=True)
class Sample:
    """What a model was asked and chose: places of options, from 0; probabilities in the same order, if known."""

    line: int
    name: str
    item_id: str
    stem: str
    prompt: str
    options: list[str]
    chosen: set[int] | None
    probabilities: list[float] | None = None
    epoch: int = 1


@dataclass(frozen=True)
class ModelLog:
    model: str
    samples: list[Sample]


def read_log(content: bytes, name: str) -> ModelLog | None:
    """The log, if the file is one; `BadFile` if it cannot be read. `name`: of the model, if the log names none."""
    if content.startswith(ZIP):
        return read_eval(content)
    start = content[:3].removeprefix(b"\xef\xbb\xbf")[:1]
    if start != b"{":
        return None
    first = content.partition(b"\n")[0]
    if all(b'"%s"' % mark.encode() in first for mark in MARKS):
        return read_harness(content, name)
    head = content[:20_000]
    return read_inspect(content) if b'"eval"' in head and b'"version"' in head else None


def parse(content: bytes, line: int = 1) -> dict[str, Any]:
    try:
        return parse_object(content.removeprefix(b"\xef\xbb\xbf"))
    except BadLine as bad:
        raise BadFile(line, _("This line of the log is not readable as JSON: %(what)s") % {"what": bad}) from None


# Inspect AI -----------------------------------------------------------------------------------------------------------


def read_eval(content: bytes) -> ModelLog | None:
    """A log in Inspect's archive format; None for another ZIP, such as a workbook."""
    try:
        archive = ZipReader(content)
        if "header.json" not in archive.names:
            return None
        samples = [parse(archive.read(name)) for name in sorted(archive.names) if SAMPLE.fullmatch(name)]
        return build_inspect(parse(archive.read("header.json")), samples)
    except BadZip:
        sentence = _("This log of Inspect AI cannot be unpacked here. Convert it: inspect log convert --to json.")
        raise BadFile(0, sentence) from None


def read_inspect(content: bytes) -> ModelLog:
    log = parse(content)
    return build_inspect(log, log.get("samples") or [])


def build_inspect(log: Mapping[str, Any], samples: Iterable[Any]) -> ModelLog:
    header = log.get("eval")
    model = header.get("model") if isinstance(header, dict) else None
    found = [read_sample(number, each) for number, each in enumerate(samples, 1) if isinstance(each, dict)]
    if not isinstance(model, str) or not found:
        raise BadFile(1, _("The log names no model, or has no samples. Run it again with logging of samples."))
    return ModelLog(model, found)


def read_sample(number: int, sample: dict[str, Any]) -> Sample:
    asked, metadata = sample.get("input"), sample.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    options = sample.get("choices")
    prompt = "\n".join([*list_words(asked), *list_words(sample.get("messages"))])
    epoch = sample.get("epoch")
    return Sample(
        line=number,
        name=str(sample.get("id", number)),
        item_id=str(known.get("item_id") or sample.get("id") or ""),
        stem=str(known.get("question") or (asked if isinstance(asked, str) else "")),
        prompt=prompt,
        options=[str(option) for option in options] if isinstance(options, list) else [],
        chosen=find_scored(sample.get("scores")),
        epoch=epoch if isinstance(epoch, int) and not isinstance(epoch, bool) else 1,
    )


def list_words(messages: Any) -> Iterator[str]:
    """The model's input: a string, or messages whose content is a string or has parts."""
    if isinstance(messages, str):
        yield messages
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) and message.get("role") != "assistant" else None
        if isinstance(content, str):
            yield content
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]


def find_scored(scores: Any) -> set[int] | None:
    """The options whose letters a scorer extracted from the answer, as places from 0."""
    for score in scores.values() if isinstance(scores, dict) else ():
        answer = score.get("answer") if isinstance(score, dict) else None
        if isinstance(answer, str) and (places := read_letters(answer)) is not None:
            return places
    return None


def read_letters(answer: str) -> set[int] | None:
    found = ANSWER.fullmatch(answer)
    return {LETTERS.index(letter) for letter in found[1] if letter in LETTERS} if found else None


# lm-evaluation-harness ------------------------------------------------------------------------------------------------


def read_harness(content: bytes, name: str) -> ModelLog:
    """The log; its samples do not name the model."""
    lines = [line for line in enumerate(content.split(b"\n"), 1) if line[1].strip()]
    samples = [read_doc(number, parse(line, number)) for number, line in lines]
    return ModelLog(name, samples)


def read_doc(number: int, sample: dict[str, Any]) -> Sample:
    doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
    prompts = list(list_arguments(sample.get("arguments")))
    likelihoods = read_likelihoods(sample.get("filtered_resps"))
    options = list_options(doc) or [words for _context, words in prompts if words]
    chosen, probabilities = None, None
    if likelihoods:
        best = max(likelihoods)
        weights = [math.exp(each - best) for each in likelihoods]
        probabilities = [weight / sum(weights) for weight in weights]
        chosen = {likelihoods.index(best)}
    elif (answers := sample.get("filtered_resps")) and isinstance(answers, list) and isinstance(answers[0], str):
        chosen = read_letters(answers[0])
    return Sample(
        line=number,
        name=str(sample.get("doc_id", number)),
        item_id=str(doc.get("item_id") or doc.get("id") or ""),
        stem=next((doc[key] for key in QUESTIONS if isinstance(doc.get(key), str)), ""),
        prompt="\n".join(context for context, _words in prompts),
        options=options,
        chosen=chosen,
        probabilities=probabilities,
    )


def list_arguments(arguments: Any) -> Iterator[tuple[str, str]]:
    """Context and continuation of each request: as pairs, or as `gen_args_0` with `arg_0` and `arg_1`."""
    for each in arguments.values() if isinstance(arguments, dict) else arguments if isinstance(arguments, list) else ():
        parts = list(each.values()) if isinstance(each, dict) else each if isinstance(each, list) else []
        words = [part for part in parts if isinstance(part, str)]
        if words:
            yield words[0], words[1].strip() if len(words) > 1 else ""


def read_likelihoods(answers: Any) -> list[float]:
    """The log-likelihood of each continuation; some versions write numbers as strings. Empty for other answers."""
    found = []
    for each in answers if isinstance(answers, list) else ():
        first = each[0] if isinstance(each, list) and each else None
        try:
            number = float(first)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return []
        if not math.isfinite(number):
            return []
        found.append(number)
    return found


def list_options(doc: Mapping[str, Any]) -> list[str]:
    """The options of a data set's row: a list, the list under `text`, or numbered columns."""
    choices = doc.get("choices", doc.get("options"))
    if isinstance(choices, dict):
        choices = choices.get("text")
    if isinstance(choices, list) and all(isinstance(choice, str) for choice in choices):
        return choices
    for pattern in ("option_{}", "mc_answer{}"):
        named = [doc.get(pattern.format(number)) for number in range(1, 21)]
        if found := [word for word in named if isinstance(word, str) and word]:
            return found
    return []


# Rows -----------------------------------------------------------------------------------------------------------------


class ItemFinder:
    """Finds the item of a sample: by its id, else by its question if no other item has the same."""

    def __init__(self, study: Study) -> None:
        items = (
            Item.objects.filter(project=study.project).available().select_related("text").prefetch_related("options")
        )
        self.by_id: dict[str, Item] = {}
        self.by_stem: dict[str, list[Item]] = {}
        for item in items:
            self.by_id[item.external_id] = item
            self.by_stem.setdefault(collapse_spaces(item.stem), []).append(item)

    def find(self, sample: Sample) -> Item:
        """`LookupError` with a sentence if no item matches, or more than one."""
        if item := self.by_id.get(sample.item_id):
            return item
        found = self.by_stem.get(collapse_spaces(sample.stem), [])
        if not found:
            sentence = _("Sample %(name)s asks no item of the project. Give samples the item_id of the bank's export.")
        elif len(found) > 1:
            sentence = _("Sample %(name)s asks a question that several items have. Give samples their item_id.")
        else:
            return found[0]
        raise LookupError(sentence % {"name": sample.name})


def collapse_spaces(words: str) -> str:
    return " ".join(words.split())


def list_log_rows(
    log: ModelLog, study: Study, values: Mapping[str, str], problems: list[RowProblem]
) -> Iterator[tuple[int, Cells]]:
    """The judgments in a log; `values`: the mapping's values for all rows. Samples without an answer give none."""
    finder = ItemFinder(study)
    asked = [
        (stage, each) for stage in get_declaration(study).stages for each in stage.questions if each.per == "option"
    ]
    for sample in log.samples:
        try:
            item = finder.find(sample)
            options = match_options(item, sample)
        except LookupError as error:
            problems.append(RowProblem(sample.line, "item_id", str(error.args[0])))
            continue
        if sample.chosen is None or not asked:
            continue
        is_read = collapse_spaces(item.text.body) in collapse_spaces(sample.prompt)
        fitting = [(stage, each) for stage, each in asked if ("text" in stage.shows) == is_read]
        stage, question = (fitting or asked)[0]
        named = f"{log.model} #{sample.epoch}" if sample.epoch > 1 else log.model
        shared = {
            "annotator": named, "annotator_kind": "model", "model": log.model, "stage": stage.name,
            "reading": "ticked" if sample.probabilities is None else "probability",
            "text_id": item.text.external_id, "item_id": item.external_id, "question": question.name,
        } | dict(values)  # fmt: skip
        for place, option in enumerate(options):
            row = shared | {"option_id": option, "value": "true" if place in sample.chosen else "false"}
            if sample.probabilities is not None:
                row["probability"] = repr(sample.probabilities[place])
            yield sample.line, row


def match_options(item: Item, sample: Sample) -> list[str]:
    """The ids of the item's options in the order the model saw them; `LookupError` if they do not match."""
    options = {collapse_spaces(option.text): option.external_id for option in item.options.all()}
    n_asked = len(sample.probabilities) if sample.probabilities is not None else len(sample.options)
    named = [options.get(collapse_spaces(words)) for words in sample.options]
    if named and all(named) and len(set(named)) == len(options):
        return [name for name in named if name]
    is_lettered = all(len(words) == 1 for words in sample.options)  # continuations such as “A”, in the item's order
    if is_lettered and n_asked in (0, len(options)) and options:
        return [option.external_id for option in item.options.all()]
    raise LookupError(_("Sample %(name)s offers other options than its item.") % {"name": sample.name})


def count_unanswered(log: ModelLog) -> int:
    return sum(sample.chosen is None for sample in log.samples)
