"""Each metric on values worked out by hand."""

import math

import pytest
from django.conf import settings

from evaluation.metrics import (
    COMPUTED,
    FILES,
    METEOR,
    Question,
    Undefined,
    amstad,
    answer_overlap,
    bleu_4,
    bleu_4_of_words,
    count_sentences,
    count_syllables,
    exact_overlap,
    flesch,
    fuzzy_overlap,
    has_wordnet,
    list_metrics,
    lix,
    meteor,
    meteor_without_synonyms,
    open_wordnet,
    rouge_l,
    rouge_l_of_words,
    split_words,
)


def test_bleu_is_the_geometric_mean_of_the_precisions_times_the_brevity_penalty():
    # the cat sat on the mat / the cat sat on a mat: 5/6, 3/5, 2/4 and 1/3 n-grams shared; equally long.
    found = bleu_4_of_words(["the", "cat", "sat", "on", "a", "mat"], [["the", "cat", "sat", "on", "the", "mat"]])
    assert found == pytest.approx((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))


def test_bleu_of_no_shared_four_grams_is_smoothed_by_a_tenth():
    # where does she live / where did she live: 3/4, 1/3 (she live), 0.1/2, 0.1/1.
    found = bleu_4_of_words(["where", "does", "she", "live"], [["where", "did", "she", "live"]])
    assert found == pytest.approx((3 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** (1 / 4))


def test_a_short_question_pays_the_brevity_penalty():
    found = bleu_4_of_words(["a", "b", "c", "d"], [["a", "b", "c", "d", "e"]])
    assert found == pytest.approx(math.exp(1 - 5 / 4))


def test_rouge_l_is_the_f1_of_the_longest_common_subsequence():
    # police killed the gunman / police kill the gunman: 3 of 4 and 3 of 4; against four other words in another order 2.
    assert rouge_l_of_words(
        ["police", "kill", "the", "gunman"], [["police", "killed", "the", "gunman"]]
    ) == pytest.approx(0.75)
    assert rouge_l_of_words(
        ["the", "gunman", "kill", "police"], [["police", "killed", "the", "gunman"]]
    ) == pytest.approx(0.5)
    assert rouge_l_of_words(["a"], [["b"], ["a", "c"]]) == pytest.approx(2 / 3)  # the better of two references


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


# Question, reference, and BLEU-4, ROUGE-L and METEOR as QGEval's own scripts print them.
AS_PUBLISHED = [
    ("When did the river flood the old mill?", "When did the river flood the mill?", 0.7071, 0.9333, 0.9744),
    ("When did the River flood the mill ?", "When did the river flood the mill?", 0.1729, 1.0, 0.8431),
    ("Which birds were counted in 1998?", "Which bird was counted in 1998?", 0.2171, 0.8333, 0.8067),
    ("Who paid?", "Who paid for the bridge?", 0.0334, 0.5714, 0.1064),
    ("Why?", "Why?", 0.1778, 1.0, 0.5),
    ("What did the baker's son sell?", "What was sold by the baker's son?", 0.0809, 0.6667, 0.3704),
    ("Who was Jörg's teacher in Köln?", "Who was Jörg's teacher?", 0.2021, 0.8, 0.7011),
    ("How large is the automobile factory?", "How big is the car factory?", 0.1027, 0.6667, 0.526),
    ("What  is the name of the lake?", "What is the name of the lake?", 0.7071, 1.0, 0.9744),
    (
        "In which town did the two sisters open their first shop?",
        "The two sisters opened a first shop in which town?",
        *(0.0474, 0.5714, 0.6658),
    ),
]


@pytest.mark.parametrize(("question", "reference", "bleu", "rouge", "_meteor"), AS_PUBLISHED)
def test_bleu_4_and_rouge_l_are_the_published_ones_to_the_printed_digit(question, reference, bleu, rouge, _meteor):
    assert (round(bleu_4(question, [reference]), 4), round(rouge_l(question, [reference]), 4)) == (bleu, rouge)


@pytest.mark.skipif(not has_wordnet(settings.LESART_WORDNET), reason="WordNet's files are an optional resource")
@pytest.mark.parametrize(("question", "reference", "_bleu", "_rouge", "expected"), AS_PUBLISHED)
def test_meteor_is_the_published_one_where_wordnet_is(question, reference, _bleu, _rouge, expected):
    assert round(meteor(question, [reference], open_wordnet(settings.LESART_WORDNET)), 4) == expected


def test_meteor_is_offered_only_where_wordnets_files_are(tmp_path):
    assert METEOR not in list_metrics(str(tmp_path))
    assert METEOR not in list_metrics("")
    for name in FILES:
        (tmp_path / name).touch()
    assert set(list_metrics(str(tmp_path))) == {*COMPUTED, METEOR}


class Synonyms:
    """A dictionary in which car and auto are one thing."""

    class Thing:
        def lemmas(self):
            return [self.Lemma("car"), self.Lemma("auto")]

        class Lemma:
            def __init__(self, name):
                self.name = lambda: name

    def synsets(self, word):
        return [self.Thing()] if word in ("car", "auto") else []


def test_meteor_counts_synonyms_of_the_dictionary():
    assert meteor("red car", ["red auto"], Synonyms()) == pytest.approx(1 - 0.5 * (1 / 2) ** 3)
    assert meteor_without_synonyms(["red", "car"], [["red", "auto"]], "en") < 0.5


@pytest.mark.parametrize("name", ["BLEU-4", "ROUGE-L"])
def test_published_measures_are_for_english_and_their_variants_on_words_for_every_language(name):
    question = Question("Wo wohnt sie?", "Sie wohnt hier.", "de", references=("Wo wohnt er?",))
    with pytest.raises(Undefined, match="English"):
        COMPUTED[name](question)
    assert 0 < COMPUTED[f"{name} (words)"](question) < 1


def test_overlaps_are_shares_of_words():
    text = split_words("Der Fluss fließt durch die Stadt.")
    assert exact_overlap(split_words("Wo fließt der Fluss?"), set(text)) == pytest.approx(3 / 4)
    assert answer_overlap(split_words("durch die Stadt"), set(split_words("Welche Stadt?"))) == pytest.approx(1 / 3)
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
    assert count_syllables(word, language) == n


def test_words_and_sentences():
    assert split_words("Wer's sagt: „Jein“ – im E-Mail-Text?") == ["wer's", "sagt", "jein", "im", "e-mail-text"]
    assert count_sentences("Eins. Zwei! Drei? …") == 3
    assert count_sentences("Ohne Punkt") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("BLEU-4", "no reference question"),
        ("ROUGE-L", "no reference question"),
        ("BLEU-4 (words)", "no reference question"),
        ("ROUGE-L (words)", "no reference question"),
        ("METEOR without synonyms", "no reference question"),
        ("answer overlap", "no key and no expected answer"),
        ("Flesch", "does not apply to the language"),
    ],
)
def test_what_has_nothing_to_be_computed_from_is_undefined_and_not_zero(name, why):
    with pytest.raises(Undefined, match=why):
        COMPUTED[name](Question("Wo wohnt sie?", "Sie wohnt hier.", "de"))


@pytest.mark.parametrize("name", ["Flesch", "Amstad"])
def test_readability_of_a_question_in_basque_is_undefined_with_the_reason(name):
    with pytest.raises(Undefined, match="to the language of the text"):
        COMPUTED[name](Question("Non bizi da?", "Hemen bizi da.", "eu"))


@pytest.mark.parametrize("name", [name for name in COMPUTED if name != "fuzzy overlap"])
def test_a_question_without_words_has_no_value(name):
    question = Question("…?", "Text.", "de", answers=("ja",), references=("Wo?",))
    with pytest.raises(Undefined):
        COMPUTED[name](question)
