"""Words are counted in every script; what an import cannot show as it was meant is said once a kind."""

import pytest

from items.plain import count_tokens, count_words
from items.services.importing import read_bank_file
from items.services.markup import KINDS, warn_of_markup
from items.services.naming import ImportOptions
from items.services.planning import plan_import
from tests.items.files import item_row, jsonl, text_row

HTML, MATHEMATICS, IMAGE, MARKDOWN = range(4)


@pytest.mark.parametrize(
    ("text", "n_words", "n_tokens"),
    [
        ("", 0, 0),
        ("Rain fell — in Bern's streets.", 5, 9),
        ("昨天下了一整天的雨。", 5, 6),  # nine characters and a full stop
        ("雨が降った。", 3, 4),
        ("ฝนตกหนักมาก", 6, 6),
        ("한국어는 띄어 쓴다.", 3, 4),
        ("HTML 是语言", 3, 3),
    ],
)
def test_words_and_tokens(text, n_words, n_tokens):
    assert (count_words(text), count_tokens(text)) == (n_words, n_tokens)


@pytest.mark.parametrize(
    ("wording", "kind"),
    [
        ("Press <b>now</b>.", HTML),
        ("A&nbsp;B", HTML),
        ("<p class='x'>", HTML),
        ("so $x^2 = 4$", MATHEMATICS),
        (r"the \frac{1}{2}", MATHEMATICS),
        (r"\(a+b\)", MATHEMATICS),
        ("![a map](map.png)", IMAGE),
        ("<img src=x>", IMAGE),
        ("see [here](https://example.org)", MARKDOWN),
        ("**Note** this", MARKDOWN),
        ("# Title\nwords", MARKDOWN),
    ],
)
def test_each_kind_is_told_by_its_signs(wording, kind):
    assert [number for number, each in enumerate(KINDS) if each.pattern.search(wording)] == [kind]


@pytest.mark.parametrize(
    "wording",
    ["It cost $5, then $7.", "a < b and c > d", "<name> wrote", "Q&A", "see [1] (p. 2)", "snake_case", "C:\\temp"],
)
def test_plain_wordings_have_no_kind(wording):
    assert not any(kind.pattern.search(wording) for kind in KINDS)


def test_one_warning_a_kind_with_its_count_and_first_line():
    html = [("<i>Yes</i>", True), ("No", False)]
    content = jsonl(
        text_row(), text_row([item_row(html), item_row(question="Is <b>this</b> $x_1$?")], text="Other words.")
    )
    reading = read_bank_file(content)
    warn_of_markup(reading.lines, reading.warnings)
    found = [(each.line, each.field, " 2 " in each.reason) for each in reading.warnings.listed]
    assert found == [(2, "items 1", True), (2, "items 2", False)]
    assert "<i>" in reading.warnings.listed[0].reason
    assert "$x_1$" in reading.warnings.listed[1].reason


def test_an_item_with_one_option_is_said(project):
    plan = plan_import(
        project, read_bank_file(jsonl(text_row([item_row([("Only", True)]), item_row()]))), ImportOptions()
    )
    (warning,) = plan.warnings.listed
    assert (warning.line, warning.field) == (1, "items 1, answers")
