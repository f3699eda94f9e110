"""Logs of Inspect AI and lm-evaluation-harness as judgments of models; built in the shapes that both write."""

import io
import json
import struct
import zipfile
import zlib

import cramjam
import pytest

from items.files import BadZip, ZipReader, zip_files
from items.models import Item
from studies.models import Annotator, Response
from studies.services.responses.importing import AnswerFile, ImportRefused, import_responses
from studies.services.responses.mapping import parse_mapping
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(project):
    bank(project)
    return draft_study(project)


def wordings(item: Item) -> list[str]:
    return [option.text for option in item.options.all()]


def inspect_sample(item: Item, letters: str | None, with_text: bool, **fields) -> dict:
    prompt = f"{item.text.body}\n\n{item.stem}" if with_text else item.stem
    score = {"value": "C", "answer": letters, "explanation": f"ANSWER: {letters}"}
    return {
        "id": item.external_id, "epoch": 1, "input": prompt, "choices": wordings(item), "target": "A",
        "messages": [{"role": "user", "content": [{"type": "text", "text": prompt}]}],
        "output": {"model": "m", "choices": [], "completion": f"ANSWER: {letters}"}, "scores": {"choice": score},
        "metadata": {},
    } | fields  # fmt: skip


def inspect_log(samples: list[dict]) -> bytes:
    return json.dumps(
        {"version": 2, "status": "success", "eval": {"task": "t", "model": "openai/m"}, "samples": samples}
    ).encode()


def eval_file(samples: list[dict]) -> bytes:
    files = {"header.json": json.dumps({"version": 2, "eval": {"model": "openai/m"}}).encode()}
    files |= {f"samples/{each['id']}_epoch_1.json": json.dumps(each).encode() for each in samples}
    return zip_files(files)


def zstandard_file(samples: list[dict]) -> bytes:
    """The same, compressed as Inspect compresses its logs by now: method 93, which zipfile does not write."""
    with zipfile.ZipFile(io.BytesIO(eval_file(samples))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    content, directory = b"", b""
    for name, plain in files.items():
        packed = bytes(cramjam.zstd.compress(plain))
        about = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 63) + about + struct.pack("<HHHII", 0, 0, 0, 0, len(content))
        directory += name.encode()
        content += b"PK\3\4" + about + name.encode() + packed
    counts = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(content), 0)
    return content + directory + b"PK\5\6" + counts


def harness_line(item: Item, likelihoods: list[float], with_text: bool, words: bool = False, **doc) -> dict:
    context = f"{item.text.body}\n{item.stem}" if with_text else item.stem
    pairs = [(context, f" {option}") for option in wordings(item)]
    answers = [[str(each), "False"] if words else [each, False] for each in likelihoods]
    arguments = {f"gen_args_{n}": {"arg_0": one, "arg_1": two} for n, (one, two) in enumerate(pairs)}
    return {
        "doc_id": 0, "doc": {"question": item.stem, "choices": wordings(item)} | doc, "target": "0",
        "arguments": arguments if words else pairs, "resps": [[each] for each in answers], "filtered_resps": answers,
        "filter": "none", "metrics": ["acc"], "acc": 1.0,
    }  # fmt: skip


def harness(*lines: dict) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def read_answers() -> list[tuple]:
    rows = Response.objects.order_by("pk").values_list(
        "assignment__annotator__code", "stage", "item__external_id", "option__external_id", "value"
    )
    return list(rows)


def items() -> tuple[Item, Item]:
    first, second = Item.objects.filter(text__external_id="t1").order_by("pk")
    return first, second


@pytest.mark.parametrize("write", [inspect_log, eval_file, zstandard_file])
def test_a_log_of_inspect_is_the_answers_of_its_model(study, write):
    first, second = items()
    content = write([inspect_sample(first, "A, C", True), inspect_sample(second, None, True)])
    counts = import_responses(study, [AnswerFile("log.json", content)])
    assert read_answers() == [
        ("openai/m", "read", first.external_id, option, value)
        for option, value in (("a", True), ("b", False), ("c", True))
    ]
    assert len(counts.notices) == 1
    annotator = Annotator.objects.get()
    assert (annotator.kind, annotator.model) == ("model", "openai/m")


def test_without_the_text_in_the_prompt_it_is_a_guess_and_epochs_are_apart(study):
    first, _second = items()
    samples = [inspect_sample(first, "B", False), inspect_sample(first, "C", False, epoch=2)]
    import_responses(study, inspect_log(samples))
    assert {(code, stage) for code, stage, *_rest in read_answers()} == {
        ("openai/m", "guess"),
        ("openai/m #2", "guess"),
    }


@pytest.mark.parametrize("words", [False, True])
def test_likelihoods_of_the_harness_are_choices_and_probabilities(study, words):
    first, _second = items()
    content = harness(harness_line(first, [-2.0, -1.0, -9.0], True, words, item_id=first.external_id))
    mapping = parse_mapping("annotator: EleutherAI/pythia-1.4b")
    import_responses(study, [AnswerFile("samples_x.jsonl", content)], mapping=mapping)
    name = "EleutherAI/pythia-1.4b"
    assert [(code, stage, value) for code, stage, _item, _option, value in read_answers()] == [
        (name, "read", False), (name, "read", True), (name, "read", False),
    ]  # fmt: skip
    assert Annotator.objects.get().model == name
    probabilities = list(Response.objects.order_by("pk").values_list("probability", flat=True))
    assert sum(probabilities) == pytest.approx(1)
    assert probabilities[1] / probabilities[0] == pytest.approx(2.718281828, rel=1e-6)


@pytest.mark.parametrize(
    "line",
    [
        {"doc_id": 1, "doc": {"question": "Nobody asked this"}, "filtered_resps": [["-1", "False"]]},
        {
            "doc_id": 1,
            "doc": {"item_id": "t1-alder-1", "choices": ["other", "options"]},
            "filtered_resps": [[-1.0], [-2.0]],
        },
        {"doc_id": 1, "doc": 7, "filtered_resps": 8, "arguments": [[[]]]},
    ],
)
def test_what_does_not_fit_is_refused_with_its_line_and_nothing_is_stored(study, line):
    first, _second = items()
    good = harness_line(first, [-2.0, -1.0, -9.0], True, item_id=first.external_id)
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, harness(good, line))
    assert [problem.line for problem in refused.value.problems] == [2]
    assert not read_answers()


def test_a_file_in_zstandard_that_unpacks_to_more_than_it_says_or_to_something_else_is_damaged():
    whole = zstandard_file([{"id": "one", "input": "x" * 1_000}])
    read = ZipReader(whole).read("samples/one_epoch_1.json")
    assert json.loads(read)["input"] == "x" * 1_000
    directory = whole.rindex(b"PK\1\2")
    for place, change in ((24, -1), (24, 5), (16, 1)):  # its size, its checksum
        broken = bytearray(whole)
        broken[directory + place] = (broken[directory + place] + change) % 256
        with pytest.raises(BadZip):
            ZipReader(bytes(broken)).read("samples/one_epoch_1.json")


def test_the_tasks_of_one_run_of_the_harness_are_one_model(study):
    first, _second = items()
    logs = [
        AnswerFile(f"samples_{stage}.jsonl", harness(harness_line(first, [-2.0, -1.0, -9.0], stage == "read")))
        for stage in ("guess", "read")
    ]
    import_responses(study, logs, mapping=parse_mapping("annotator: pythia"))
    assert {(code, stage) for code, stage, *_rest in read_answers()} == {("pythia", "guess"), ("pythia", "read")}


def test_a_log_without_answers_says_so(study):
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, inspect_log([inspect_sample(item, None, True) for item in items()]))
    assert "No sample of this log has an answer" in refused.value.problems[0].reason


@pytest.mark.parametrize("content", [b'{"version": 2, "eval": {', b'{"version": 2, "eval": {}, "samples": [7]}'])
def test_a_broken_log_is_refused(study, content):
    with pytest.raises(ImportRefused):
        import_responses(study, content)
