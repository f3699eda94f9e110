"""Each rule on an item that has the flaw and one that does not, in three languages."""

from __future__ import annotations

import pytest

from items.flaw_rules import RULES, count_negations, find_flaws, find_question_word
from items.wording import Wording


def item(stem: str, *options: str, key: int = 0, language: str = "en") -> Wording:
    return Wording(stem, options, tuple(place == key for place in range(len(options))), "", language)


SOUND = item("Why did the ferry leave late?", "The choir was slow.", "The tide was low.", "A storm had come.")


def test_a_sound_item_has_no_flaw() -> None:
    assert [name for name, found in find_flaws(SOUND).items() if found] == []


@pytest.mark.parametrize(
    ("flaw", "flawed"),
    [
        ("longest_key", item("Why?", "Because the tide was far too low.", "A storm.", "The choir.")),
        ("all_of_the_above", item("Which birds stayed?", "Gulls", "Terns", "All of the above")),
        ("all_of_the_above", item("Welche Vögel blieben?", "Möwen", "Alle genannten", language="de")),
        ("none_of_the_above", item("Zein hegazti geratu zen?", "Kaioak", "Bat ere ez", language="eu")),
        ("absolute_terms", item("Wann fuhr die Fähre?", "Immer um neun.", "Um zehn.", language="de")),
        ("vague_terms", item("When does the ferry run?", "It usually runs at nine.", "At ten.")),
        ("negative_stem", item("Which bird was not counted?", "The gull", "The tern")),
        ("negative_stem", item("Welche Vögel wurden nicht gezählt?", "Möwen", "Reiher", language="de")),
        ("true_false", item("Did the ferry leave on time?", "Yes", "No")),
        ("true_false", item("Egia ala gezurra: itsasontzia berandu irten zen.", "Egia", "Gezurra", language="eu")),
        ("fill_in_the_blank", item("The ferry left at ___.", "nine", "ten")),
        ("complex_options", item("Which of these stayed?", "1 and 3", "2", "3")),
        ("complex_options", item("Was blieb?", "nur A und B", "C", language="de")),
        ("word_repeats", item("Why were the ferries delayed?", "The ferry waited.", "The tide was low.")),
        ("convergence", item("What ran?", "red morning ferry", "red morning train", "green evening ferry", "blue")),
        ("lost_sequence", item("When was it built?", "1998", "1950", "1970")),
        ("lost_sequence", item("How many came?", "1,500", "900", "2,000")),
        ("lost_sequence", item("Wie viele kamen?", "1.500", "900", "2.000", language="de")),
        ("lost_sequence", item("When did it open?", "12 May 2001", "3 April 1999", "1 June 2003")),
        ("lost_sequence", item("Noiz ireki zen?", "2001eko maiatzaren 12an", "1999ko apirilaren 3an",
                               "2003ko ekainaren 1ean", language="eu")),
        ("lost_sequence", item("Wann fuhr sie?", "9:30 Uhr", "8:15 Uhr", "10:00 Uhr", language="de")),
        ("all_of_the_above", item("Zer gertatu zen?", "Euria", "Aurreko guztiak", language="eu")),
        ("none_of_the_above", item("Was geschah?", "Regen", "Keine der oben genannten", language="de")),
        ("vague_terms", item("Was sah sie?", "Sie sah einigen Vögeln zu.", "Boote.", language="de")),
        ("vague_terms", item("Nork ikusi zuen?", "Arrantzale batzuek.", "Inork ez.", language="eu")),
        ("negative_stem", item("Which bird didn’t the children count?", "The gull", "The tern")),
        ("negative_stem", item("Denak etorri ziren, nor izan ezik?", "Miren", "Jon", language="eu")),
        ("complex_options", item("Which of these stayed?", "(a) and (c) are correct", "(b)")),
        ("complex_options", item("Zein geratu zen?", "a eta b bakarrik", "c", language="eu")),
        ("unfocused_stem", item("Itsasontzia.", "Joan zen.", "Geratu zen.", language="eu")),
        ("logical_cue", item("What did she say?", "The tide is low.", "The tide is not low.", "Nothing.")),
        ("unfocused_stem", item("The ferry.", "It left.", "It stayed.")),
        ("gratuitous_stem", item("It rained. The tide was low. People waited. Why?", "a b", "c d")),
    ],
)  # fmt: skip
def test_a_flaw_is_seen(flaw: str, flawed: Wording) -> None:
    assert find_flaws(flawed)[flaw] is True


@pytest.mark.parametrize(
    ("flaw", "sound"),
    [
        ("lost_sequence", item("How many came?", "900", "1,500", "2,000")),
        ("lost_sequence", item("Wie schwer war er?", "1,5 kg", "900 kg", "1.000 kg", language="de")),
        ("lost_sequence", item("When did it open?", "May 1999", "3 April 2001", "1 June 2003")),
        ("lost_sequence", item("Wann fuhr sie?", "8:15 Uhr", "9:30 Uhr", "10:00 Uhr", language="de")),
        ("word_repeats", item("According to the text, what have they eaten?", "They have eaten this.", "Rice.", key=1)),
        ("word_repeats", item("Warum wurde die Halle geschlossen?", "Sie wurde verkauft.", "Regen.", language="de")),
        ("gratuitous_stem", item("Dr. A. Berg schreibt am 3. Mai z. B. über Hunde. Warum?", "a", language="de")),
        ("all_of_the_above", item("What are toxic?", "All of these chemicals burn.", "Lead")),
        ("negative_stem", item("Notlösungen: Was half?", "a", "b", language="de")),
        ("complex_options", item("Who left?", "Ann and Bob", "Eve")),
    ],
)  # fmt: skip
def test_what_looks_like_a_flaw_is_none(flaw: str, sound: Wording) -> None:
    assert not find_flaws(sound)[flaw]


def test_a_question_may_negate_twice() -> None:
    assert count_negations(item("Which bird was not counted by nobody?", "a", "b")) == 2
    assert count_negations(SOUND) == 0


def test_words_in_quotation_marks_negate_nothing() -> None:
    assert not find_flaws(item("What does “do not enter” mean here?", "Stay out.", "Come in."))["negative_stem"]


def test_rules_that_do_not_apply_say_so() -> None:
    several = Wording("Which?", ("a", "b"), (True, True), "", "en")
    assert [find_flaws(several)[name] for name in ("longest_key", "word_repeats", "convergence")] == [None] * 3
    assert find_flaws(Wording("Why?", (), (), "", "en"))["absolute_terms"] is None
    assert find_flaws(SOUND)["lost_sequence"] is None
    assert len(RULES) == 15


def test_the_type_of_a_question() -> None:
    assert find_question_word(SOUND) == "why"
    assert find_question_word(item("Zergatik irten zen berandu?", language="eu")) == "zergatik"
