"""Items are read out of replies: what is said is taken, what is not said is not filled in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.parsing import find_item_problems, parse_question, parse_reply_items
from generation.parts import LONGEST_OPTION, MOST_OPTIONS, ParsedItem, ParsedOption
from generation.run_kind import measure_share_in
from tests.examples import MANY
from tests.patience import MOST_EFFORT, measure_effort

LINES = """Wer spielt Klavier?
a) Herr Seidel (richtig)
b) die Studentin (falsch)
c) Mira (falsch)"""
MARKS = {True: ["richtig", "Korrekt", "correct", "TRUE", "**richtig**", "✓", "zuzena", "Erantzun zuzena", "egia"],
         False: ["falsch", "nicht richtig", "incorrect", "wrong", "Falsche Antwort",
                 "falsch, denn sie lacht", "okerra", "ez da zuzena", "erantzun okerra"]}  # fmt: skip


def parse_items(reply: str, n: int = 3) -> list[tuple[str, list[tuple[str, bool | None]]]]:
    return [
        (item.stem, [(option.text, option.correct) for option in item.options])
        for item in parse_reply_items(reply, n).items
    ]


WHOLE = [("Wer spielt Klavier?", [("Herr Seidel", True), ("die Studentin", False), ("Mira", False)])]


@pytest.mark.parametrize(
    "head",
    [
        "1. ",
        "1) ",
        "**1.** ",
        "Frage 1: ",
        "### Frage 1\n",
        "**Question 1:** ",
        "",
        "1. Frage: ",
        "Galdera 1: ",
        "1. galdera: ",
        "1. galdera\n",
    ],
)
def test_a_stem_is_found_with_any_number_or_heading(head):
    assert parse_items(head + LINES) == WHOLE


@pytest.mark.parametrize(
    "marker", ["{low}) ", "{up}. ", "({low}) ", "- ", "* ", "• ", "{number}. ", "   {up}) ", "- {up}) "]
)
def test_options_are_found_with_any_marker(marker):
    options = [("Herr Seidel", "richtig"), ("die Studentin", "falsch"), ("Mira", "falsch")]
    lines = [
        marker.format(low="abc"[place], up="ABC"[place], number=place + 1) + f"{words} ({mark})"
        for place, (words, mark) in enumerate(options)
    ]
    assert parse_items("\n".join(["1. Wer spielt Klavier?", *lines])) == WHOLE


@pytest.mark.parametrize(("correct", "mark"), [(correct, mark) for correct, marks in MARKS.items() for mark in marks])
def test_marks_at_the_end_of_the_line_are_read_in_all_languages(correct, mark):
    for left, right in (("(", ")"), ("[", "]"), ("(", ")."), ("**(", ")**")):
        assert parse_items(f"Wer?\na) Mira {left}{mark}{right}")[0][1] == [("Mira", correct)]


@pytest.mark.parametrize(
    "line", ["a) Mira", "a) Mira (richtig/falsch)", "a) Mira (die Nachbarin)", "a) (richtig) Mira",
             "a) Mira (richtig) (falsch)", "a) Mira – richtig", "a) Mira (halb richtig)"],
)  # fmt: skip
def test_what_is_not_plainly_marked_has_no_key(line):
    item = parse_reply_items(f"1. Wer?\n{line}\nb) Ole (falsch)", 1).items[0]
    assert item.options[0].correct is None
    assert "mark" in find_item_problems(item, 2)


def test_preamble_and_farewell_are_no_items():
    assert parse_items(f"Gern! Hier ist eine Frage:\n\n1. {LINES}\n\nViel Erfolg beim Lesen!") == WHOLE


def test_a_stem_may_run_over_lines_and_need_no_question_mark():
    reply = "1. Der Mann, der jeden Abend\nKlavier spielt, heißt\na) Seidel (richtig)\nb) Tamm (falsch)"
    assert parse_items(reply)[0][0] == "Der Mann, der jeden Abend Klavier spielt, heißt"


def test_numbered_options_below_numbered_stems_do_not_become_stems():
    reply = "1. Wer kommt?\n1. Mira (richtig)\n2. Ole (falsch)\n2. Wer geht?\n1. Tom (falsch)\n2. Ann (richtig)"
    assert [stem for stem, _options in parse_items(reply)] == ["Wer kommt?", "Wer geht?"]


JSON = [{"question": "Wer?", "options": [{"text": "Mira", "correct": True}, {"text": "Ole", "correct": "falsch"}]}]


@pytest.mark.parametrize(
    "wrap", ["{}", "```json\n{}\n```", "Bitte sehr: {} Gern!", '{{"items": {}}}', '{{"Fragen": {}}}']
)
def test_json_is_read_wherever_it_stands(wrap):
    assert parse_items(wrap.format(json.dumps(JSON))) == [("Wer?", [("Mira", True), ("Ole", False)])]


def test_json_with_marked_strings_or_a_table_of_options_is_read():
    strings = {"frage": "Wer?", "antworten": ["Mira (richtig)", "Ole (falsch)", "Tom"]}
    assert parse_items(json.dumps(strings)) == [("Wer?", [("Mira", True), ("Ole", False), ("Tom", None)])]
    basque = {"galderak": [{"galdera": "Nor?", "erantzunak": [{"erantzuna": "Mira", "zuzena": True}, "Ole (okerra)"]}]}
    assert parse_items(json.dumps(basque)) == [("Nor?", [("Mira", True), ("Ole", False)])]
    table = {"stem": "Wer?", "options": {"Mira": True, "Ole": False}}
    assert parse_items(json.dumps(table)) == [("Wer?", [("Mira", True), ("Ole", False)])]


def test_broken_json_is_no_item():
    assert parse_items('{"items": [{"question": "Wer?", "options": [{"text": "Mira", "corr') == []


@pytest.mark.parametrize("reply", ["", "   ", "Das kann ich leider nicht tun.", "I'm sorry, but I cannot do that.",
                                   "???", "1. Wer kommt?\n2. Wer geht?"])  # fmt: skip
def test_a_reply_without_options_holds_no_item(reply):
    assert parse_items(reply) == []


def test_the_first_items_are_kept_and_the_rest_is_counted():
    found = parse_reply_items("\n\n".join(f"{number}. {LINES}" for number in range(1, 6)), 3)
    assert (len(found.items), found.n_left_out) == (3, 2)


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ([("a", True), ("b", False)], []),
        ([("a", False), ("b", False)], []),  # no key is legal
        ([("a", True)], ["number"]),
        ([("a", True), ("b", None)], ["mark"]),
        ([("a", True), ("", False)], ["empty"]),
        ([("a  b", True), ("A B", False)], ["equal"]),
        ([("a", True), ("b" * 2_001, False)], ["long"]),
    ],
)
def test_an_item_is_incomplete_for_these_reasons(options, reasons):
    assert find_item_problems(ParsedItem("Wer?", [ParsedOption(*option) for option in options]), 2) == reasons


def test_an_item_without_a_stem_is_incomplete():
    assert "stem" in find_item_problems(parse_reply_items("a) Mira (richtig)\nb) Ole (falsch)", 1).items[0], 2)


PIECES = st.sampled_from(
    ["1. ", "a) ", "B. ", "- ", "Wer kommt?", "Mira", " (richtig)", " (falsch)", "(", ")", "[", "]", "{", "}", '"', ":",
     ",", "\n", "\r\n", "**", "```json", "\x00", "\x1b[31m", "\u202e", "<script>", "options", "question", "true",
     "\ud800", "Frage 2"]
)  # fmt: skip


@pytest.mark.slow
@MANY
@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)), st.integers(1, 5))
def test_no_reply_breaks_the_parser_and_what_it_returns_is_bounded_and_clean(reply, n):
    found = parse_reply_items(reply, n)
    assert len(found.items) <= n
    for item in found.items:
        assert 1 <= len(item.options) <= MOST_OPTIONS + 1
        for words in (item.stem, item.raw, *(option.text for option in item.options)):
            assert not {"\x00", "\x1b", "\u202e", "\ud800"} & set(words)
        json.dumps(find_item_problems(item, 3))
        measure_share_in("de", [item], ["de", "en"])


@pytest.mark.parametrize(
    "reply",
    ["(" * 200_000, "[" * 200_000, '{"a":' * 40_000, "a) x (richtig)\n" * 20_000, "(richtig " * 30_000, "1." * 100_000,
     "a" * 200_000 + "(falsch)", " " * 200_000 + "x", "**" * 100_000, "Frage " * 40_000, "- " * 100_000],
)  # fmt: skip
def test_hostile_replies_take_no_time(reply):
    def read() -> None:
        for item in parse_reply_items(reply, 3).items:
            assert all(len(option.text) <= LONGEST_OPTION + 1 for option in item.options)

    assert measure_effort(read) < MOST_EFFORT


GERMAN = ParsedItem("Wer spielte jeden Abend um sieben Klavier?", [ParsedOption("der alte Mann im Erdgeschoss", True)])
ENGLISH = ParsedItem("Who played the piano every evening at seven?", [ParsedOption("the old man downstairs", True)])


def test_the_share_of_a_language_is_weighted_by_characters():
    n_german, n_english = 42 + 28, 44 + 22
    assert measure_share_in("de", [GERMAN], ["de", "en"]) == 1
    assert measure_share_in("de", [ENGLISH], ["de", "en"]) == 0
    assert measure_share_in("de", [GERMAN, ENGLISH], ["de", "en"]) == pytest.approx(
        n_german / (n_german + n_english), abs=0.02
    )


def test_names_and_numbers_alone_say_nothing_about_the_language():
    assert measure_share_in("de", [ParsedItem("12?", [ParsedOption("3", True)])], ["de", "en"]) is None
    with_names = ParsedItem("Wer hat das Haus am Ende der Straße gekauft?", [ParsedOption("Tom Smith", True)])
    assert measure_share_in("de", [with_names], ["de", "en"]) == 1


@pytest.mark.slow
def test_a_language_that_cannot_be_recognised_is_not_judged():
    assert measure_share_in("xx", [GERMAN], ["en"]) is None


DRAFT = "1. Wo steht das Klavier?\na) Im Saal (richtig)\nb) Im Keller (falsch)\nc) Im Hof (falsch)"
FINAL = "1. Wo steht das Klavier?\na) Im Saal (falsch)\nb) Im Keller (richtig)\nc) Im Hof (falsch)"


def in_json(option, **more):
    return json.dumps({"question": "Q?", "options": [option, {"text": "y", "correct": False}], **more})


def keys(items):
    return [[option.correct for option in item.options] for item in items]


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>{DRAFT}\nNo, that is wrong.</think>\n{FINAL}",
        f"{DRAFT}\nNo, that is wrong.\n</think>\n\n{FINAL}",
        f"<reasoning>{DRAFT}</reasoning>{FINAL}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{FINAL}",
    ],
)
def test_a_draft_inside_a_trace_is_no_item(reply):
    parsed = parse_reply_items(reply, 3)
    assert keys(parsed.items) == [[False, True, False]]
    assert "<think>" not in parsed.items[0].raw


def test_a_trace_without_an_end_holds_no_item():
    assert parse_reply_items(f"<think>{DRAFT}", 3).items == []
    assert parse_question("<think>Wo steht das Klavier?") is None


@pytest.mark.parametrize(
    "reply",
    [
        f"{DRAFT}\n\nWait, that is wrong. Again:\n\n{FINAL}",
        f"{DRAFT}\nAnswer: b",
        f"{DRAFT}\n**Richtige Antwort:** b)",
        f"{DRAFT}\nThe correct answer is c.",
        f"{DRAFT}\nActually, option b is correct.",
        f"{DRAFT}\nErantzun zuzena: b",
        f"{DRAFT}\nAnswer: a, b",
        in_json({"text": "x", "correct": True}, answer_key="b"),
        in_json({"text": "x", "correct": True}, correct_answer="y"),
        in_json({"text": "x", "correct": True, "is_correct": False}),
        in_json({"text": "x (incorrect)", "correct": True}),
        in_json({"text": "x", "correct": True}) + "\nNo:\n" + in_json({"text": "x", "correct": False}),
    ],
)  # fmt: skip
def test_an_item_with_two_different_keys_has_none(reply):
    parsed = parse_reply_items(reply, 3)
    assert len(parsed.items) == 1
    assert set(keys(parsed.items)[0]) == {None}
    assert "contradiction" in find_item_problems(parsed.items[0], 3)
    assert "mark" not in find_item_problems(parsed.items[0], 3)


@pytest.mark.parametrize(
    "reply",
    [
        f"{DRAFT}\nAnswer: a",
        f"{DRAFT}\nRichtige Antwort: a) Im Saal",
        f"{DRAFT}\nAnswer: because the text says so",
        f"{DRAFT}\nAntwort: z",
        f"{DRAFT}\n\n2. Was ist eine Antwort?\na) b (falsch)\nb) c (richtig)\nc) d (falsch)",
        in_json({"text": "x", "correct": True}, key="x"),
        in_json({"text": "x", "correct": True}, key=["A"]),
    ],
)  # fmt: skip
def test_a_key_that_is_named_twice_alike_counts(reply):
    parsed = parse_reply_items(reply, 3)
    assert keys(parsed.items)[0][:2] == [True, False]
    assert not parsed.items[0].contradicts
