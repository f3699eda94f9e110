"""A list of letters is read only where it plainly is the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.letters import read_letters


def letters(text: str, n: int = 4) -> str | None:
    """The letters read, "" for none, None for no answer."""
    places = read_letters(text, n).places
    return None if places is None else "".join("ABCDEFGHIJKLMNOPQRST"[place] for place in sorted(places))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A", "A"),
        ("a", "A"),
        ("A, C", "AC"),
        ("A,C", "AC"),
        ("A, B, and C", "ABC"),
        ("A und C", "AC"),
        ("A eta C", "AC"),
        ("**B**.", "B"),
        ("(A), (D)", "AD"),
        ("B) C)", "BC"),
        ("AC", "AC"),
        ("0", ""),
        ("**0**.", ""),
        ("Antwort: 0", ""),
        ("The correct answers are A and C.", "AC"),
        ("The answer is B because the text says so.", "B"),
        ("Richtig sind A, C.", "AC"),
        ("Antwort: B", "B"),
        ("Erantzuna B da.", "B"),
        ("Erantzun zuzenak A eta C dira.", "AC"),
        ("Zuzenak: A, C", "AC"),
        ("B\n\nThe text says that she left.", "B"),
        ("She left on Monday.\nB, D", "BD"),
        ("A good answer would be B", "B"),
        ("I think the answer is C.", "C"),
    ],
)
def test_what_is_an_answer(text, message):
    assert letters(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I cannot say without the text.",
        "A text would be needed.",
        "A or B",
        "The answer is A or B.",
        "The answer is not B.",
        "I do not know whether the answer is B.",
        "0, A",
        "A\n0",
        "0 (but B is close)",
        "The answer is 0, B.",
        "A, C\nBut B is possible, too.",
        "E",
        "A, E",
        "A\nB",
        "A. die Stadt: richtig\nB. das Meer: falsch",
        "The answer is a little hard to find.",
        "DA",
        "10",
        "A, B?",
    ],
)
def test_what_is_none(text):
    assert letters(text) is None


@given(
    st.sets(st.integers(0, 7), min_size=1),
    st.sampled_from([", ", ",", " and ", " und ", "; ", " & ", " ", ", and "]),
    st.sampled_from(["{}", "({})", "**{}**", "{}.", "{})", "“{}”"]),
    st.sampled_from(["{}", "Antwort: {}", "The correct answers are {}", "Well.\n{}", "{}\nThe text says so."]),
)
def test_every_list_in_every_dress_is_read_as_it_is(places, between, dress, around):
    listed = between.join(dress.format("ABCDEFGH"[place]) for place in sorted(places))
    assert read_letters(around.format(listed), 8).places == places


@given(st.text(max_size=60), st.integers(1, 20))
def test_nothing_is_ever_read_that_no_option_has(text, n):
    places = read_letters(text, n).places
    assert places is None or all(0 <= place < n for place in places)


@given(st.text(alphabet="ABC0, .\n()andundor", max_size=25))
def test_none_and_some_are_never_read_together(text):
    """Whatever is read stands in the reply, and 0 with a letter beside it is no answer."""
    places = read_letters(text, 3).places
    if places:
        assert all("ABC"[place] in text.upper() for place in places)
    if places == frozenset():
        assert "0" in text


@given(st.sampled_from(["0, {}", "{}, 0", "{}\n0", "0\n{}", "Antwort: {} und 0"]), st.sampled_from("ABC"))
def test_none_beside_a_letter_is_no_answer(shape, letter):
    assert read_letters(shape.format(letter), 3).places is None
