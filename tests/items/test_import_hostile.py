"""Files that nobody vouches for: a sentence for each, and nothing stored."""

import json

import pytest

from items.formats.rows import LISTED
from items.models import MAX_ID, MAX_OPTION, MAX_OPTIONS, MAX_STEM, MAX_TEXT, Item, Text
from items.services.importing import read_bank_file
from tests.items.files import item_row, jsonl, load, refusal, text_row, warnings

GOOD = json.dumps(text_row())


def with_answer(**fields) -> dict:
    return text_row([{"question": "Why?", "answers": [{"text": "So.", "correct": True} | fields]}])


FILES = {
    "empty": (b"", 0, "", "file is empty"),
    "blank": (b" \n\t\r\n", 0, "", "file is empty"),
    "array": (b"[" + GOOD.encode() + b"]", 0, "", "one JSON array"),
    "deep array": (b"[" * 100_000, 0, "", "more than 32 levels deep"),
    "UTF-16 without a mark": (GOOD.encode("utf-16-le"), 0, "", "encoded as UTF-16"),
    "the page of an error": (b"<html><body>Bad Gateway</body></html>", 0, "", "web page (HTML)"),
    "object over lines": (json.dumps(text_row(), indent=1).encode(), 0, "", "spread over several lines"),
    "UTF-16": (GOOD.encode("utf-16"), 0, "", "UTF-16"),
    "no UTF-8": (b'{"text": "\xff"}', 1, "", "not valid UTF-8 (byte 11)"),
    "gzip": (b"\x1f\x8b\x08\x00", 0, "", "gzip archive"),
    "no JSON": (b"id;text", 1, "", "not one complete JSON object"),
    "two objects": (b"{} {}", 1, "", "not one complete JSON object"),
    "cut off": (GOOD.encode()[:-5], 1, "", "not one complete JSON object"),
    "a string": (b'"text"', 1, "", "not a JSON object"),
    "NaN": (b'{"text": NaN}', 1, "", "NaN"),
    "infinite": (b'{"text": -Infinity}', 1, "", "-Infinity"),
    "1e999": (b'{"text": 1e999}', 1, "", "too large"),
    "a huge number": (b'{"text": ' + b"9" * 5000 + b"}", 1, "", "too large"),
    "above 64 bits": (b'{"metadata": {"x": 9223372036854775808}}', 1, "", "too large"),
    "100,000 brackets": (b'{"text": ' + b"[" * 100_000, 1, "", "levels deep"),
    "33 levels": (b'{"metadata": ' + b'{"x":' * 33 + b"1" + b"}" * 34, 1, "", "levels deep"),
    "a key twice": (b'{"text": "a", "text": "b"}', 1, "", "“text” occurs twice"),
    "a key twice inside": (b'{"metadata": {"x": 1, "x": 1}}', 1, "", "“x” occurs twice"),
    "half a character": (b'{"text": "\\ud800"}', 1, "", "lone surrogate"),
    "half a character in a key": (b'{"\\udfff": 1}', 1, "", "lone surrogate"),
    "NUL": (b'{"text": "a\\u0000b"}', 1, "", "NUL"),
    "NUL inside": (b'{"metadata": {"x": ["\\u0000"]}}', 1, "", "NUL"),
}
ROWS = {
    "no text": (text_row(text=None), "text", "missing"),
    "null text": (b'{"text": null, "items": []}', "text", "missing"),
    "blank text": (text_row(text=" \n "), "text", "empty"),
    "text too long": (text_row(text="x" * (MAX_TEXT + 1)), "text", "the limit is 100,000"),
    "title no text": (text_row(title=1), "title", "in quotes"),
    "number as id": (text_row(id=7), "id", "in quotes"),
    "empty id": (text_row(id=" "), "id", "empty"),
    "id too long": (text_row(id="x" * (MAX_ID + 1)), "id", "the limit is 200"),
    "escape in id": (text_row(id="a\x1b[31mb"), "id", "control characters"),
    "line break in id": (text_row(id="a\nb"), "id", "control characters"),
    "direction mark in id": (text_row(id="a\u202eb"), "id", "control characters"),
    "items no list": (text_row(items={}), "items", "a list"),
    "item no object": (text_row(items=["q"]), "items 1", "an object"),
    "no stem": (text_row([{"answers": []}]), "items 1, question", "missing"),
    "empty stem": (text_row([item_row(question=" ")]), "items 1, question", "empty"),
    "stem that cannot be seen": (text_row([item_row(question="\u200b\u2060 \ufeff")]), "items 1, question", "empty"),
    "option that cannot be seen": (with_answer(text="\u200d"), "items 1, answers 1, text", "empty"),
    "id that cannot be seen": (text_row(id="\u200b"), "id", "empty"),
    "stem too long": (text_row([item_row(question="x" * (MAX_STEM + 1))]), "items 1, question", "the limit is 10,000"),
    "true in quotes": (with_answer(correct="true"), "items 1, answers 1, correct", "true or false"),
    "1 for true": (with_answer(correct=1), "items 1, answers 1, correct", "true or false"),
    "null for true": (with_answer(correct=None), "items 1, answers 1, correct", "true or false"),
    "option no text": (with_answer(text=5), "items 1, answers 1, text", "in quotes"),
    "empty option": (with_answer(text=""), "items 1, answers 1, text", "empty"),
    "option too long": (with_answer(text="x" * (MAX_OPTION + 1)), "items 1, answers 1, text", "the limit is 2,000"),
    "too many options": (
        text_row([item_row([(str(n), False) for n in range(MAX_OPTIONS + 1)])]),
        "items 1, answers",
        "the limit is 20",
    ),
    "an option id twice": (
        text_row([{"question": "?", "answers": [{"id": "a", "text": "x", "correct": True}] * 2}]),
        "items 1, answers",
        "“a” is used twice",
    ),
    "multiple no truth": (text_row([item_row(multiple="yes")]), "items 1, multiple", "true or false"),
    "metadata no object": (text_row(metadata=[]), "metadata", "an object"),
    "extra no object": (text_row(metadata={"extra": "x"}), "metadata, extra", "an object"),
    "dataset no text": (text_row(metadata={"dataset": 1}), "metadata, dataset", "in quotes"),
    "shareable in quotes": (
        text_row(metadata={"extra": {"shareable": "false"}}),
        "metadata, extra, shareable",
        "true or false",
    ),
    "unknown language": (text_row(language="Klingon"), "language", "“Klingon”"),
    "generator too long": (
        text_row([item_row(generator="x" * (MAX_ID + 1))]),
        "items 1, generator",
        "the limit is 200",
    ),
    "data set as generator": (text_row(metadata={"dataset": "a\x07b"}), "metadata, dataset", "control characters"),
}


@pytest.mark.parametrize(("content", "line", "field", "words"), FILES.values(), ids=FILES)
def test_a_file_that_is_no_jsonl_is_refused_with_a_sentence(content, line, field, words):
    problem = read_bank_file(content).problems.listed[0]
    assert (problem.line, problem.field) == (line, field)
    assert words in problem.reason
    assert problem.reason.endswith(".")


@pytest.mark.django_db
@pytest.mark.parametrize(("row", "field", "words"), ROWS.values(), ids=ROWS)
def test_a_bad_row_is_refused_with_line_field_and_reason(project, row, field, words):
    reasons = refusal(project, text_row(id="good"), row)
    assert len(reasons) == 1
    line, shown, reason = reasons[0]
    assert (line, shown) == (2, field)
    assert words in reason
    assert not Text.objects.exists()


@pytest.mark.django_db
def test_all_problems_of_a_file_are_collected(project):
    reasons = refusal(project, text_row(title=1, id=2), b"{", text_row([item_row(question="")]))
    assert [(line, field) for line, field, _reason in reasons] == [
        (1, "id"),
        (1, "title"),
        (2, ""),
        (3, "items 1, question"),
    ]


def test_problems_are_listed_up_to_a_bound_and_counted_beyond():
    problems = read_bank_file(jsonl({"text": 1}, *[b"nonsense"] * 300)).problems
    assert len(problems.listed) == LISTED
    assert problems.count == 301
    assert problems.n_unlisted == 101


@pytest.mark.django_db
def test_at_the_bounds_all_is_well(project):
    options = [(f"{n} " + "x" * (MAX_OPTION - 3), False) for n in range(MAX_OPTIONS)]
    row = text_row([item_row(options, id="i" * MAX_ID)], id="t" * MAX_ID, text="x" * MAX_TEXT)
    load(project, row)
    assert Item.objects.get().options.count() == MAX_OPTIONS


@pytest.mark.django_db
@pytest.mark.database
def test_strange_but_legal_metadata_survive(project):
    metadata = {
        "big": 2**63 - 1,
        "small": 5e-324,
        "large": 1e300,
        "minus": -0.0,
        "words": "😀 \u2028 \x1b[31m",
        "nothing": None,
    }
    load(project, text_row(metadata=metadata))
    assert not load(project, text_row(metadata=metadata)).warnings


@pytest.mark.django_db
def test_unknown_fields_are_left_out_and_named_once(project):
    plan = load(project, text_row(colour="red", items=[item_row(hint="no"), item_row(hint="no", question="When?")]))
    assert [(field, reason) for _line, field, reason in warnings(plan)] == [
        ("items, hint", "Unknown field, ignored 2 times."),
        ("colour", "Unknown field, ignored."),
    ]


@pytest.mark.django_db
def test_words_stay_words(project, researcher, as_user):
    body = "<script>alert(1)</script> {{ 7|add:7 }} =HYPERLINK(1) [x](javascript:1) says the ferry master, who sings."
    load(project, text_row(text=body, title="<b>bold</b>", id="<i>"))
    text = Text.objects.get()
    assert text.body == body
    page = as_user(researcher).get(f"/p/rivers/texts/{text.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7|add:7 }}" in page
    assert "<b>bold" not in page
