"""Scores on any numeric scale: read where they plainly are the answer, never guessed; prompts of others as they are."""

from fractions import Fraction

import pytest

from evaluation.judges.prompts import make_judge_checks, read_judge_prompts
from evaluation.judges.scale import Scale, read_score
from studies.prompts import BadTemplate, collect_problems
from studies.services.evaluating import SCORES

TEN, FIVE = Scale(Fraction(1), Fraction(10)), Scale(Fraction(1), Fraction(5))
UNIT, HALVES = Scale(Fraction(0), Fraction(1), Fraction(0)), Scale(Fraction(0), Fraction(1), Fraction("0.5"))
THREE = Scale(Fraction(1), Fraction(3))


@pytest.mark.parametrize(
    ("reply", "scale", "score"),
    [
        ("8", TEN, 8), ("10", TEN, 10), ("8/10", TEN, 8), ("8 / 10", TEN, 8), ("8 out of 10", TEN, 8),
        ("8 von 10", TEN, 8),
        ("Score: 7", TEN, 7), ("**Score:** 7", TEN, 7), ("Rating: 7/10", TEN, 7), ("Bewertung: 7", TEN, 7),
        ("7.0", TEN, 7),
        ("7. The question is fluent.", TEN, 7), ("The score is 7.", TEN, 7), ("- Fluency: 4", FIVE, 4),
        ("Fluency: 4", FIVE, 4),
        ("Fluency score: 4", FIVE, 4), ("0.75", UNIT, 0.75), ("0,75", UNIT, 0.75), ("Score: 0.3", UNIT, 0.3),
        ("1", UNIT, 1),
        ("0.5", HALVES, 0.5), ("0", HALVES, 0), ("On a scale from 1 to 10: 7", TEN, None),
        ("Score (1-10): 7", TEN, 7),
        ("<think>Maybe 3.</think>8", TEN, 8), ("It is written well.\n\nScore: 8", TEN, 8),
    ],
)  # fmt: skip
def test_a_score_is_read(reply, scale, score):
    if score is not None:
        assert read_score(reply, scale, "Fluency").score == score


@pytest.mark.parametrize(
    ("reply", "scale"),
    [
        ("11", TEN), ("0", TEN), ("7.5", TEN), ("2.5", THREE), ("The answer is 2.5", THREE), ("80/100", TEN),
        ("0.3", HALVES),
        ("1.2", UNIT), ("-1", UNIT), ("Score: 3 or 4", FIVE), ("3\n4", FIVE),
        ("Score: 3. No, score: 4.", FIVE), ("", TEN),
        ("It is good.", TEN), ("3/5", TEN), ("2-3", FIVE), ("<think>7", TEN),
    ],
)  # fmt: skip
def test_other_replies_hold_no_score(reply, scale):
    found = read_score(reply, scale, "Fluency")
    assert found.score is None
    assert found.reason


OTHERS = {
    "text": {"title": False, "paragraphs": "as they are"},
    "system": "You rate questions from {lowest} to {highest}.",
    "rate": {"fluency": "Passage: {text}\nQuestion: {question}\n- Fluency:", "clarity": "{question}\n- Clarity:"},
    "scale": {"lowest": 1, "highest": 10},
    "again": "Only the number.",
}


def test_prompts_of_others_are_read_as_they_are():
    prompts = read_judge_prompts(OTHERS, SCORES)
    assert prompts.scale == TEN
    assert [prompts.asks_about(name) for name in ("fluency", "clarity", "relevance")] == [True, True, False]
    assert prompts.rate_with_text("clarity", title="", body="B", question="Q?") == "Q?\n- Clarity:"


@pytest.mark.parametrize(
    "change",
    [
        {"rate": "{question}"}, {"rate": {}}, {"rate": {"fluency": "no slot"}},
        {"rate": "{question} {dimension} {levels}"},
        {"rate": "{question}", "dimensions": []}, {"scale": 5}, {"scale": {"lowest": 1}},
        {"scale": {"lowest": 5, "highest": 1}},
        {"scale": {"lowest": 0, "highest": 1, "step": 0.3}}, {"scale": {"lowest": 0, "highest": True}},
        {"scale": {"lowest": 0, "highest": 1, "step": -1}}, {"system": "{text}"}, {"system": 3},
    ],
)  # fmt: skip
def test_other_prompts_are_refused_with_a_reason(change):
    assert collect_problems(make_judge_checks(OTHERS | change, SCORES))
    with pytest.raises(BadTemplate):
        read_judge_prompts(OTHERS | change, SCORES)


@pytest.mark.parametrize(
    "change",
    [
        {"rate": "{question}", "dimensions": ["fluency"]}, {"rate": "Rate {dimension}: {question}"},
        {"scale": {"lowest": 0, "highest": 1, "step": "any"}}, {"scale": {"lowest": 0, "highest": 1, "step": 0.1}},
    ],
)  # fmt: skip
def test_one_prompt_for_named_dimensions_and_any_scale_are_fine(change):
    assert not collect_problems(make_judge_checks(OTHERS | change, SCORES))
