"""Each metric on values worked out by hand."""

import math

import pytest

from evaluation.metrics.catalogue import COMPUTED, Question, Undefined
from evaluation.metrics.overlap import answer_overlap, exact_overlap, fuzzy_overlap
from evaluation.metrics.readability import amstad, flesch, lix
from evaluation.metrics.reference import bleu_4, meteor_without_synonyms, rouge_l
from evaluation.metrics.words import n_sentences, n_syllables, words_of


def test_bleu_is_the_geometric_mean_of_the_precisions_times_the_brevity_penalty():
    # the cat sat on the mat / the cat sat on a mat: 5/6, 3/5, 2/4 and 1/3 n-grams shared; equally long.
    found = bleu_4(["the", "cat", "sat", "on", "a", "mat"], [["the", "cat", "sat", "on", "the", "mat"]])
    assert found == pytest.approx((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))


def test_bleu_of_no_shared_four_grams_is_smoothed_by_a_tenth():
    # where does she live / where did she live: 3/4, 1/3 (she live), 0.1/2, 0.1/1.
    found = bleu_4(["where", "does", "she", "live"], [["where", "did", "she", "live"]])
    assert found == pytest.approx((3 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** (1 / 4))


def test_a_short_question_pays_the_brevity_penalty():
    found = bleu_4(["a", "b", "c", "d"], [["a", "b", "c", "d", "e"]])
    assert found == pytest.approx(math.exp(1 - 5 / 4))


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence():
    # police killed the gunman / police kill the gunman: 3 of 4 and 3 of 4; against four other words in another order 2.
    assert rouge_l(["police", "kill", "the", "gunman"], [["police", "killed", "the", "gunman"]]) == pytest.approx(0.75)
    assert rouge_l(["the", "gunman", "kill", "police"], [["police", "killed", "the", "gunman"]]) == pytest.approx(0.5)
    assert rouge_l(["a"], [["b"], ["a", "c"]]) == pytest.approx(2 / 3)  # the better of two references


def test_meteor_punishes_words_in_another_order():
    # Banerjee & Lavie's formula: all six words match, in 6 chunks: 1 · (1 − .5 · (6/6)³) = .5.
    reference = ["the", "cat", "sat", "on", "the", "mat"]
    assert meteor_without_synonyms(["on", "the", "mat", "sat", "the", "cat"], [reference], "en") == pytest.approx(0.5)
    # Five of six match in two chunks: P 5/5, R 5/6, F = 10PR/(R+9P); 1 − .5 · (2/5)³.
    f = 10 * (5 / 6) / (5 / 6 + 9)
    assert meteor_without_synonyms(["the", "cat", "sat", "the", "mat"], [reference], "en") == pytest.approx(
        f * (1 - 0.5 * (2 / 5) ** 3)
    )


def test_meteor_knows_stems_but_no_synonyms():
    assert meteor_without_synonyms(["houses"], [["house"]], "en") == pytest.approx(0.5)  # one match, one chunk
    assert meteor_without_synonyms(["car"], [["automobile"]], "en") == 0
    assert meteor_without_synonyms(["etxeak"], [["etxea"]], "eu") == 0


def test_overlaps_are_shares_of_words():
    text = words_of("Der Fluss fließt durch die Stadt.")
    assert exact_overlap(words_of("Wo fließt der Fluss?"), set(text)) == pytest.approx(3 / 4)
    assert answer_overlap(words_of("durch die Stadt"), set(words_of("Welche Stadt?"))) == pytest.approx(1 / 3)
    assert fuzzy_overlap("..abcdefghix..".strip("."), "..abcdefghij..") == pytest.approx(0.9)


def test_lix_is_words_a_sentence_plus_the_percentage_of_long_words():
    # 8 words in 2 sentences, 2 of more than six letters: 4 + 25. (ß is one letter.)
    assert lix("Der Kapitän fließt nach Hause. Niemand wartet dort.") == pytest.approx(4 + 100 * 2 / 8)


def test_flesch_and_amstad():
    # The cat sat: 3 words, 3 syllables. Wo wohnt die Katze: 4 words, 5 syllables.
    assert flesch("The cat sat.") == pytest.approx(206.835 - 1.015 * 3 - 84.6)
    assert amstad("Wo wohnt die Katze?") == pytest.approx(180 - 4 - 58.5 * 5 / 4)


@pytest.mark.parametrize(
    ("word", "language", "n"),
    [
        ("cat", "en", 1), ("table", "en", 2), ("made", "en", 1), ("reading", "en", 2), ("agree", "en", 2),
        ("the", "en", 1), ("Haus", "de", 1), ("freie", "de", 2), ("Straße", "de", 2), ("Museum", "de", 2),
        ("Bäume", "de", 2), ("z", "de", 1),
    ],
)  # fmt: skip
def test_syllables_by_rule(word, language, n):
    """A rule, not a dictionary: Mu-se-um would have three."""
    assert n_syllables(word, language) == n


def test_words_and_sentences():
    assert words_of("Wer's sagt: „Jein“ – im E-Mail-Text?") == ["wer's", "sagt", "jein", "im", "e-mail-text"]
    assert n_sentences("Eins. Zwei! Drei? …") == 3
    assert n_sentences("Ohne Punkt") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("BLEU-4", "no reference question"),
        ("ROUGE-L", "no reference question"),
        ("METEOR without synonyms", "no reference question"),
        ("answer overlap", "no key and no expected answer"),
        ("Flesch", "another language"),
    ],
)
def test_what_has_nothing_to_be_computed_from_is_undefined_and_not_zero(name, why):
    with pytest.raises(Undefined, match=why):
        COMPUTED[name](Question("Wo wohnt sie?", "Sie wohnt hier.", "de"))


@pytest.mark.parametrize("name", ["Flesch", "Amstad"])
def test_readability_of_a_question_in_basque_is_undefined_with_the_reason(name):
    with pytest.raises(Undefined, match="for another language than that of the text"):
        COMPUTED[name](Question("Non bizi da?", "Hemen bizi da.", "eu"))


@pytest.mark.parametrize("name", [name for name in COMPUTED if name != "fuzzy overlap"])
def test_a_question_without_words_has_no_value(name):
    question = Question("…?", "Text.", "de", answers=("ja",), references=("Wo?",))
    with pytest.raises(Undefined):
        COMPUTED[name](question)
