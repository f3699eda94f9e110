"""Reading a label: what counts as an answer, what does not, and never one by default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.answers import read_label

GERMAN, ENGLISH, BASQUE = ["R", "F"], ["C", "I"], ["Z", "O"]


@pytest.mark.parametrize(
    "text",
    [
        "R", " r ", "R.", "R!", "**R**", "`R`", "(R)", "[R]", "„R“", "“R”", "R:", "*R*.", "> R", "# R", "R\n", "\n\nR",
        "R. Der Text sagt das.", "R: so steht es da", "(R) Das steht im Text.", "R) denn es steht da",
        "R – steht im Text",
        "Die Antwort ist R", "Die Antwort ist R.", "Antwort: R", "**Antwort:** R", "Antwort: **R**",
        "Die Antwort lautet „R“.",
        "Die richtige Lösung ist R, weil der Text es sagt.", "The answer is R because the text says so.", "Label: R",
        "Answer: R\n\nThe text says so.", "So steht es im Text (R)", "So steht es im Text (R).",
        "Das steht im Text.\n\nR",
        "R\nDas steht im Text.", "Erantzuna: R", "The answer is: (R)", "Response: 'R'",
    ],
)  # fmt: skip
def test_a_plain_answer_is_read(text):
    assert read_label(text, GERMAN).label == "R"


@pytest.mark.parametrize(
    "text",
    [
        "Z", "z.", "**Z**", "Z: testuak hala dio", "Erantzuna: Z", "Erantzuna Z da.",
        "Erantzun zuzena Z da, testuak dioenez.", "Erantzuna hau da: Z",
        "Erantzuna Z da, zeren testuak hala baitio.", "Testuan hala dago (Z).",
    ],
)  # fmt: skip
def test_a_plain_answer_in_basque_is_read(text):
    assert read_label(text, BASQUE).label == "Z"


@pytest.mark.parametrize(
    "text",
    [
        "Z edo O", "Erantzuna Z edo O da.", "Erantzuna ez da Z.", "Ez dakit erantzuna Z den ala ez.",
        "Zalantzan nago: erantzuna Z da", "Ezin da esan ea erantzuna Z da.", "Zuzena", "Okerra da", "O hura!",
    ],
)  # fmt: skip
def test_what_is_no_plain_answer_in_basque_is_none(text):
    assert read_label(text, BASQUE).label is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("P", "P"), ("Erantzuna: A", "A"), ("Erantzuna B da, zeren gehiago betetzen baititu.", "B"), ("P.", "P"),
        ("B\n\nGaldera hori hobea da.", "B"), ("Erantzuna P da.", "P"),
        ("A edo B", None), ("Parean daude.", None), ("Biak berdinak dira", None), ("Erantzuna A edo B da.", None),
    ],
)  # fmt: skip
def test_the_better_one_of_a_pair_is_read_in_basque(text, label):
    assert read_label(text, ["A", "B", "P"]).label == label


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("", GERMAN),
        ("   ", GERMAN),
        ("Without seeing the text, I cannot say", ENGLISH),
        ("I cannot say.", ENGLISH),
        ("I don't know.", ENGLISH),
        ("I'm not sure", ENGLISH),
        ("I", ["R", "F"]),
        ("I think so", ENGLISH),
        ("The answer is I cannot tell", ENGLISH),
        ("R/F", GERMAN),
        ("R oder F", GERMAN),
        ("R, F", GERMAN),
        ("(R) (F)", GERMAN),
        ("R\nF", GERMAN),
        ("Die Antwort ist R, nicht F.", GERMAN),
        ("Die Antwort ist R oder F", GERMAN),
        ("The answer is not R.", GERMAN),
        ("I cannot tell whether the answer is R.", GERMAN),
        ("Not R.", GERMAN),
        ("Richtig", GERMAN),
        ("Frage R ist schwer", GERMAN),
        ("Regen", GERMAN),
        ("R2-D2", GERMAN),
        ("Ich weiß nicht, ob die Antwort R ist", GERMAN),
        ("A good answer would be B", ["A", "C"]),
        ("As an AI model I can not see the text. C", ["A", "B"]),
        ("RF", GERMAN),
        ("R" * 30_000, GERMAN),
        ("\u202e\ud800", GERMAN),
    ],
)
def test_what_is_no_answer_stays_none(text, labels):
    reading = read_label(text, labels)
    assert reading.label is None
    assert reading.reason


def test_a_pronoun_beside_the_label_does_not_hide_it():
    assert read_label("The answer is C. At least I think so.", ENGLISH).label == "C"


def test_the_label_that_is_a_pronoun_is_read_where_it_is_the_answer():
    assert read_label("I", ENGLISH).label == "I"
    assert read_label("Answer: I.", ENGLISH).label == "I"


def test_words_can_be_labels():
    assert read_label("Richtig.", ["richtig", "falsch"]).label == "richtig"
    assert read_label("Die Antwort ist falsch.", ["richtig", "falsch"]).label == "falsch"


@given(st.text())
def test_no_text_breaks_the_reader_and_a_label_read_stands_in_it(text):
    label = read_label(text, GERMAN).label
    assert label is None or label.casefold() in text.casefold()


@given(st.text(alphabet="abcdeghijklmnopqstuvwxyzäöüß ,.:-()*\n"))
def test_a_reply_without_any_label_is_never_an_answer(text):
    assert read_label(text, GERMAN).label is None


@given(st.text(), st.text())
def test_swapping_the_labels_swaps_the_answer(before, after):
    text = f"{before} R {after}"
    swapped = text.translate(str.maketrans("RFrf", "FRfr"))
    swap = {"R": "F", "F": "R", None: None}
    assert read_label(swapped, ["F", "R"]).label == swap[read_label(text, GERMAN).label] or "R" in before + after


@given(
    st.lists(st.sampled_from(["R", "F", "Answer:", "(", ")", ".", "\n", "is", "the", "not", "I", "**", "oder"])).map(
        " ".join
    )
)
def test_both_labels_as_answers_mean_none(text):
    assert read_label(text + "\nAnswer: R\nAnswer: F", GERMAN).label is None
