"""The rules by which cloze items and open questions are made of a text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.rules.cloze import (
    DECIMAL_KIND,
    GAP,
    NUMBER_WORD,
    WHOLE_KIND,
    YEAR_KIND,
    list_gap_words,
    list_plain_words,
    write_cloze_items,
)
from generation.rules.drafts import is_usable
from generation.rules.questions import draw_open_questions, list_all_questions
from items.wording import split_sentences
from tests.patience import MOST_EFFORT, measure_effort

SAMPLE = Path(__file__).resolve().parents[2] / "items" / "sample"
TEXTS = [
    (language, json.loads(line)["text"])
    for language in ("de", "en")
    for line in (SAMPLE / f"sample_{language}.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_every_sample_text_carries_three_cloze_items(language, text):
    found = write_cloze_items(text, language, 3, 3)
    assert len(found) == 3
    assert len({item.sentence for item in found}) == 3
    for item in found:
        assert item.stem.replace(GAP, item.key) == item.sentence
        assert item.sentence in " ".join(text.split())
        assert len({option.casefold() for option in item.options}) == 3
        assert item.key in item.options


@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_distractors_are_of_the_texts_words_and_kind_and_stand_nowhere_in_the_sentence(language, text):
    kinds = {}
    for sentence in split_sentences(text, language):
        kinds |= {word.text: word.kind for word in list_gap_words(sentence, language)}
    for item in write_cloze_items(text, language, 20, 4):
        for option in item.options:
            assert kinds[option] == kinds[item.key]
            if option != item.key:
                assert not list_plain_words(option) & list_plain_words(item.sentence)


@pytest.mark.slow
def test_the_same_text_gives_the_same_items():
    for language, text in TEXTS:
        assert write_cloze_items(text, language, 5, 3) == write_cloze_items(text, language, 5, 3)
        assert write_cloze_items(text, language, 3, 3) == write_cloze_items(text, language, 5, 3)[:3]
        assert draw_open_questions(text, language, 2) == draw_open_questions(text, language, 9)[:2]


def test_numbers_stand_for_numbers_of_their_kind():
    text = (
        "In the year 1950 the mill had 12 wheels. The old mill was sold in 1971 for 3.5 pounds. The new owner built "
        "17 rooms for his guests in 1988. Today there are exactly 29 beds and four kitchens."
    )
    for item in write_cloze_items(text, "en", 9, 3):
        if item.key.isdigit():
            assert len({len(option) for option in item.options}) == 1
    kinds = {
        word.text: word.kind for sentence in split_sentences(text, "en") for word in list_gap_words(sentence, "en")
    }
    found = [kinds[word] for word in ("1971", "12", "3.5", "four")]
    assert found == [YEAR_KIND, WHOLE_KIND, DECIMAL_KIND, NUMBER_WORD]


def test_an_english_name_of_several_words_is_one_gap():
    assert "Mill Street" in [
        word.text for word in list_gap_words("The council will close Mill Street on Sundays.", "en")
    ]


@pytest.mark.parametrize(
    ("language", "text", "n"),
    [
        ("de", "Am 3. Mai kam Dr. Seidel z. B. um 7 Uhr. Er blieb.", 2),
        ("en", "Mr. Brown met Dr. Green at 5 p.m. on Monday. They left.", 2),
        ("de", "Eine Überschrift\nDer erste Satz. „Der zweite?“ Ja!", 4),
        ("de", "", 0),
    ],
)
def test_sentences_end_where_they_end(language, text, n):
    assert len(split_sentences(text, language)) == n


def test_questions_quotations_and_headings_carry_no_item():
    assert not is_usable("Was fehlt in unserem großen neuen Regal?")
    assert not is_usable("„Das Heft kann man doch neu kaufen“, sagte Mira.")
    assert not is_usable("Wenn etwas kaputt ist und niemand es sagt")
    assert not is_usable("Er kam spät.")
    assert is_usable("Der alte Mann ging am Abend heim.")


def test_a_text_without_usable_sentences_gives_nothing():
    for text in ("", "Nein.", "Ein Titel ohne Punkt", "??? !!! ...", "___ " * 50):
        assert write_cloze_items(text, "de", 3, 3) == draw_open_questions(text, "de", 3) == []


@pytest.mark.slow
def test_questions_come_best_first_with_their_score():
    for language, text in TEXTS:
        scores = [item.score for item in list_all_questions(text, language)]
        assert scores == sorted(scores, reverse=True)


@given(st.text(max_size=400), st.sampled_from(["de", "en"]))
def test_no_text_breaks_the_rules(text, language):
    for item in write_cloze_items(text, language, 3, 2):
        assert item.key in item.options
    draw_open_questions(text, language, 3)


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "A" * 99_999 + "!", "! " * 50_000, "Am " + "x " * 49_000 + ".", "Der " * 25_000 + ".",
     "1." * 50_000, "Ab Am Im In " * 8_000 + "Haus ist da."],
)  # fmt: skip
def test_hostile_texts_take_no_time(text):
    def generate() -> None:
        for language in ("de", "en"):
            write_cloze_items(text, language, 3, 3)
            draw_open_questions(text, language, 3)

    assert measure_effort(generate) < MOST_EFFORT
