"""By which names the columns of a table are recognised, and which choices cannot be."""

import pytest

from items.formats.table_columns import (
    KEEP_AS_DETAIL,
    LEAVE_OUT,
    NAMES,
    find_mistakes,
    normalize_column_name,
    parse_assignments,
    parse_option_name,
    recognize_columns,
)


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("text_id,title,text,language", "text_id,title,text,language"),
        ("Text-ID;Titel;Lesetext;Sprache", "text_id,title,text,language"),
        ("Text;Frage;Option 1;Option 2;richtig", "text,question,option_1,option_2,correct"),
        ("text,question,answer_a,answer_b,correct answer", "text,question,option_1,option_2,correct"),
        ("Text;Frage;Antwort A;Antwort B;Lösung", "text,question,option_1,option_2,correct"),
        ("Passage;Stem;A;B;C;Key", "text,question,option_1,option_2,option_3,correct"),
        ("Passage;Q;A;B;C;D;Key", "text,question,option_1,option_2,option_3,option_4,correct"),
        ("testua;galdera;aukera 1;aukera 2;zuzena", "text,question,option_1,option_2,correct"),
        (
            "link,question_number,flores_passage,question,mc_answer1,mc_answer2,correct_answer_num,dialect",
            "text_id,item_id,text,question,option_1,option_2,correct,language",
        ),
        ("text,quelle,lizenz,niveau,zielgruppe,thema", "text,source,licence,level,audience,topic"),
    ],
)
def test_names_are_recognised(header, fields):
    names = header.split(";" if ";" in header else ",")
    assert recognize_columns(names) == fields.split(",")


def test_no_name_stands_for_two_fields():
    names = [name for field, told in NAMES.items() for name in {normalize_column_name(field), *told.split()}]
    assert len(names) == len(set(names))
    assert names == [normalize_column_name(name) for name in names]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        (["id", "text"], ["text_id", "text"]),
        (["id", "text", "question"], ["item_id", "text", "question"]),
        (["text", "question", "answer"], ["text", "question", "answer"]),
        (["text", "question", "A", "B", "answer"], ["text", "question", "option_1", "option_2", "correct"]),
        (["text", "c"], ["text", KEEP_AS_DETAIL]),
        (["text", "A", "B", "D"], ["text", "option_1", "option_2", KEEP_AS_DETAIL]),
        (["text", *"ABCDEFGHIJKLMNOPQ"], ["text", *(f"option_{number}" for number in range(1, 18))]),
        (["text", "year"], ["text", KEEP_AS_DETAIL]),
        (["text", "Text "], ["text", KEEP_AS_DETAIL]),
    ],
)
def test_what_a_name_means_depends_on_the_others(header, fields):
    assert recognize_columns(header) == fields


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("Option 1", 1),
        ("option1", 1),
        ("option_20", 20),
        ("option_21", None),
        ("Option 0", None),
        ("answer_t", 20),
        ("answerB", 2),
        ("Antwort (C)", 3),
        ("answers", None),
        ("OPTIONS", None),
        ("option", None),
    ],
)
def test_options_are_counted_up_to_the_bound(name, number):
    assert parse_option_name(name) == number


def test_a_table_of_texts_and_one_of_items_have_no_mistake():
    assert not list(find_mistakes(["text"]))
    assert not list(find_mistakes(["text_id", "question"]))
    assert not list(
        find_mistakes(["text", "question", "option_1", "option_2", "correct", *[KEEP_AS_DETAIL, LEAVE_OUT] * 2])
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (["title"], "No column is assigned to the text"),
        (["text", "text"], "2 columns are assigned to “text”"),
        (["text", "option_1", "correct"], "to the question"),
        (["text", "question", "option_1"], "No column is assigned to the correct"),
        (["text", "question", "correct"], "to the options"),
    ],
)
def test_a_choice_that_cannot_be_is_told(fields, words):
    (reason,) = find_mistakes(fields)
    assert words in reason


@pytest.mark.parametrize(
    ("header", "mapping", "fields"),
    [
        ("Passage,Q", {}, "text,question"),
        ("Body,Stem 1", {"Stem 1": "question"}, "text,question"),
        ("text,Lesetext 2", {"Lesetext 2": "text"}, "extra,text"),
        ("text,question,x,y,answer", {"x": "option_1", "y": "option_2"}, "text,question,option_1,option_2,correct"),
        ("text,question,answer,A,B", {"A": "leave_out", "B": "extra"}, "text,question,answer,leave_out,extra"),
        ("id,text", {"id": "extra"}, "extra,text"),
    ],
)
def test_a_mapping_comes_before_names(header, mapping, fields):
    assert recognize_columns(header.split(","), mapping) == fields.split(",")


def test_assignments_are_read_as_for_judgments():
    assert parse_assignments(["question = Frage", "extra=a = b"]) == {"Frage": "question", "a = b": "extra"}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["Frage"], "is not of the form"),
        (["= Frage"], "is not of the form"),
        (["question ="], "is not of the form"),
        (["question: Frage"], "is not of the form"),
        (["question = Q", "extra = Q"], "“Q” is assigned twice"),
        (["question \x1b[31m"], r"\\x1b"),
    ],
)
def test_other_assignments_are_refused(lines, words):
    with pytest.raises(ValueError, match=words):
        parse_assignments(lines)
