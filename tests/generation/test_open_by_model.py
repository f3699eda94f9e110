"""Open questions that a model writes from a text alone: what it is asked, what is read, kept and repaired."""

import json

import pytest
from django.urls import reverse

from generation.models import IncompleteItem
from generation.parsing import parse_open
from generation.services.asking import GenerationSpec, choose_instrument, count_progress, start
from generation.services.choosing import Size
from generation.services.storing import repair_item
from items.models import Generator, Item
from items.services.editing import EditRefused
from llm.models import Call, Endpoint
from llm.services.draining import drain_here
from studies.services.instruments import load_shipped
from tests.factory import make_text
from tests.generation.words import BODY

NAME = "generate-open-questions"
REPLY = """1. Frage: Wo wohnte Mira seit drei Wochen?
Antwort: in der Gerbergasse

2. Frage: Was hörte Mira am Abend im Treppenhaus?
Antwort: ein schönes Klavierstück

3. Frage: Wem brachte Mira am nächsten Morgen die Seite?
Antwort: ihrem Nachbarn
"""
WITHOUT_AN_ANSWER = REPLY.replace("Antwort: ihrem Nachbarn\n", "")


def read(reply, n=5, **more):
    return [(item.stem, item.answer) for item in parse_open(reply, n, **more).items]


@pytest.mark.parametrize(
    "reply",
    [
        "1. Question: Who came?\nAnswer: Mira\n2. Question: When?\nAnswer: at noon",
        "**Question 1:** Who came?\n**Answer:** Mira\n\n**Question 2:** When?\n**Answer:** at noon",
        "Q1: Who came?\nA1: Mira\nQ2: When?\nA2: at noon",
        "Here are the questions.\n\n1) Who came?\n   Answer: Mira\n2) When?\n   Answer: at noon",
        "1. Who came? (Answer: Mira)\n2. When? Answer: at noon",
        "- Who came?\nErantzuna: Mira\n- When?\nErantzuna: “at noon”",
        '```json\n{"questions": [{"question": "Who came?", "answer": "Mira"}, '
        '{"answer": "at noon", "question": "When?"}]}\n```',
        '[{"frage": "Who came?", "antwort": "Mira"}, {"frage": "When?", "antwort": "at noon"}]',
    ],
)
def test_questions_with_their_answers_are_read_in_many_layouts(reply):
    found = [(stem.lstrip("- "), answer.rstrip(")")) for stem, answer in read(reply)]
    assert found == [("Who came?", "Mira"), ("When?", "at noon")]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Question: Who came?\nQuestion: When?\nAnswer: at noon", [("Who came?", ""), ("When?", "at noon")]),
        ("Question: Who came?\nAnswer: Mira\nAnswer: Jon", [("Who came?", "")]),
        ("A castle stands on the hill.", []),
        ('{"questions": [{"question": "Who came?", "answer": null}]}', [("Who came?", "")]),
    ],
)
def test_what_is_not_said_is_not_filled_in(reply, expected):
    assert read(reply) == expected


def test_where_json_was_asked_for_a_list_is_not_read():
    assert read(REPLY, only_json=True) == []
    assert parse_open(REPLY, 2).n_left_out == 1


@pytest.fixture
def text(project):
    return make_text(project, "piano", body=BODY, language="de")


def write(project, model, texts, instrument=NAME):
    run = drain_here(start(project, GenerationSpec(model, texts, Size(3, 0), instrument)))
    return run, Generator.objects.get(generator_runs__run=run)


@pytest.mark.slow
@pytest.mark.django_db
def test_questions_and_answers_of_a_text_alone_stand_in_the_bank(project, text, serve_model, endpoint):
    _run, generator = write(project, endpoint(serve_model(REPLY)), [text])
    assert generator.name == f"mock · {NAME}"
    found = [(item.stem, item.expected_answer) for item in Item.objects.order_by("pk")]
    assert found[0] == ("Wo wohnte Mira seit drei Wochen?", "in der Gerbergasse")
    assert len(found) == 3
    assert not Item.objects.filter(options__isnull=False).exists()


@pytest.mark.django_db
def test_an_answer_that_stands_in_the_text_has_its_place(project, text, serve_model, endpoint):
    write(project, endpoint(serve_model(REPLY)), [text])
    items = list(Item.objects.order_by("pk"))
    place = items[0].metadata
    assert BODY[place["answer_start"] : place["answer_end"]] == "in der Gerbergasse"
    assert "answer_start" not in items[2].metadata


@pytest.mark.django_db
def test_the_prompt_holds_the_text_and_the_number(project, text, serve_model, endpoint):
    write(project, endpoint(serve_model(REPLY)), [text])
    words = Call.objects.get().messages[0]["content"]
    assert words.startswith(BODY)
    assert "genau 3 offene Fragen" in words


@pytest.mark.django_db
def test_a_question_without_an_answer_waits_for_one(project, text, serve_model, endpoint):
    model = endpoint(serve_model(WITHOUT_AN_ANSWER))
    write(project, model, [text])
    row = IncompleteItem.objects.get()
    assert (row.reasons, row.is_open, Item.objects.count()) == (["answer"], True, 2)
    with pytest.raises(EditRefused):
        repair_item(row, row.stem, [])
    assert repair_item(row, row.stem, [], "dem Nachbarn").expected_answer == "dem Nachbarn"
    assert count_progress(project, GenerationSpec(model, [text], Size(3, 0), NAME)).n_items == 3


@pytest.mark.django_db
def test_a_question_without_an_answer_is_repaired_on_its_page(
    project, text, serve_model, endpoint, as_user, researcher
):  # fmt: skip
    write(project, endpoint(serve_model(WITHOUT_AN_ANSWER)), [text])
    row = IncompleteItem.objects.get()
    rows = {"options-TOTAL_FORMS": 0, "options-INITIAL_FORMS": 0}
    client, page = as_user(researcher), reverse("incomplete_repair", args=[project.slug, row.pk])
    assert b"expected_answer" in client.get(page).content
    client.post(page, {"stem": row.stem, "expected_answer": "dem Nachbarn", **rows})
    assert Item.objects.get(external_id=row.external_id).expected_answer == "dem Nachbarn"


@pytest.mark.django_db
def test_json_goes_with_a_schema_in_the_order_of_the_names(project, text, serve_model, endpoint):
    reply = {"questions": [{"answer": "in der Gerbergasse", "question": "Wo wohnte Mira seit drei Wochen?"}] * 3}
    server = serve_model(json.dumps(reply, ensure_ascii=False))
    write(project, endpoint(server), [text], f"{NAME}-json")
    schema = Call.objects.get().params["response_format"]["json_schema"]
    assert schema["name"] == "questions"
    assert Item.objects.count() == 3


def test_without_options_and_other_words_the_text_alone_is_asked_about():
    assert choose_instrument(Endpoint(name="large"), Size(3, 0)) == NAME
    assert choose_instrument(Endpoint(name="tiny", is_local=True), Size(3, 0)) == f"{NAME}-json"
    assert choose_instrument(Endpoint(name="large"), Size(3, 3)) == "generate-items"


@pytest.mark.parametrize("language", ["de", "en", "eu"])
@pytest.mark.parametrize("name", [NAME, f"{NAME}-json"])
def test_the_instruments_are_shipped_in_three_languages(name, language):
    assert f"{name}/{language}" in load_shipped()
