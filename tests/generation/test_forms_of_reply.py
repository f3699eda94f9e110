"""What models are asked for beside plain lists: JSON by a schema, explanations, examples, questions to answers."""

import json

import pytest

from evaluation.services.asking import ModelSpec as Evaluator
from evaluation.services.asking import start as evaluate
from generation.instruments import GeneratorPromptKind
from generation.models import IncompleteItem
from generation.parsing import parse_question, parse_reply_items
from generation.prompts import read_template
from generation.services.asking import GenerationSpec, build_run_params, estimate_run, start
from generation.services.choosing import Examples, Size, choose_examples
from generation.services.storing import CannotGenerate
from items.models import Generator, GeneratorKind, Item, Option
from items.services.editing import create_item
from items.values import ItemValues, OptionValues
from llm.models import Call
from llm.services.draining import drain_here
from studies.instrument_kinds import CannotPreview, PreviewSubject
from studies.prompts import SLOT, BadTemplate
from studies.services.instruments import load_shipped, store_version
from tests.factory import make_generator, make_item, make_study, make_text
from tests.generation.words import GERMAN_OTHER, WHOLE
from tests.mock_server import Planned

pytestmark = [pytest.mark.django_db]

AS_JSON = json.dumps(
    {
        "items": [
            {
                "question": "Wer spielte abends das Klavierstück in der Wohnung?",
                "suggested_answers": [
                    {"answer": "der alte Herr Seidel", "correct": True},
                    {"answer": "die Studentin aus dem zweiten Stock", "correct": False},
                    {"answer": "der Vermieter des Hauses", "correct": False},
                ],
            }
        ]
    },
    ensure_ascii=False,
)
WITH_REASONS = """1. Wer spielte abends das Klavierstück in der Wohnung?
Begründung: Im Text steht, dass Herr Seidel es spielte.
a) der alte Herr Seidel (richtig)
Missverständnis: Wer nur vom Treppenhaus liest, denkt an die Nachbarin.
b) die Studentin aus dem zweiten Stock (falsch)
Missverständnis: Wer an das Haus denkt, denkt an den Besitzer.
c) der Vermieter des Hauses (falsch)
"""
WITH_REASONS_IN_BASQUE = """1. Nork jotzen zuen pianoa gauero beheko etxean?
Arrazoia: Testuak dio Seidel jaunak jotzen zuela.
a) Seidel jaun zaharrak (zuzena)
Uste okerra: Eskailerak bakarrik irakurri dituenak auzokoa dela uste du.
b) bigarren solairuko ikasleak (okerra)
"""
REASONS_AS_JSON = {
    "question": "Wer spielte abends das Klavierstück in der Wohnung?",
    "reasoning": "Im Text steht, dass Herr Seidel es spielte.",
    "right_answers": ["der alte Herr Seidel"],
    "wrong_answers": [
        {"misconception": "Wer nur vom Treppenhaus liest, denkt an sie.", "wrong_answer": "die Studentin von oben"},
        {"misconception": "Wer an das Haus denkt, denkt an ihn.", "wrong_answer": "der Vermieter des Hauses"},
    ],
}
ONE = Size(n_items=1)


def generate(project, endpoint, texts, instrument, size=ONE, **how):
    run = start(project, GenerationSpec(endpoint, texts, size, instrument, **how))
    return drain_here(run)


def list_explanations() -> list[tuple[str, bool, str]]:
    return list(Option.objects.order_by("position").values_list("text", "correct", "explanation"))


def person_item(text, external_id, stem="Was tat Mira am Abend?", **fields) -> Item:
    options = [OptionValues("", word, word == "lesen") for word in ("lesen", "schlafen", "kochen")]
    values = ItemValues(stem, "people", tuple(fields.pop("options", options)), **fields)
    return create_item(text, values, external_id)


# JSON


def test_json_is_asked_for_with_a_strict_schema_of_the_size_wanted(project, piano, serve_model, endpoint):
    server = serve_model(AS_JSON)
    generate(project, endpoint(server), [piano], "generate-items-json")
    told = server.requests[0].body["response_format"]["json_schema"]
    assert told["strict"] is True
    items = told["schema"]["properties"]["items"]
    assert (items["minItems"], items["maxItems"]) == (1, 1)
    assert items["items"]["properties"]["suggested_answers"]["minItems"] == 3
    item = Item.objects.get()
    assert item.generator.name == "mock · generate-items-json"
    assert list(item.options.values_list("correct", flat=True)) == [True, False, False]


def test_a_list_needs_no_schema(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [piano], "generate-items")
    assert "response_format" not in server.requests[0].body


def test_a_server_that_refuses_the_schema_gets_none_without_it_and_the_call_says_what_to_do(
    project, piano, serve_model, endpoint
):
    error = {"message": "response_format is not supported", "param": "response_format"}
    server = serve_model(lambda request: Planned(status=400, error=error))
    model = endpoint(server)
    run = generate(project, model, [piano], "generate-items-json")
    model.refresh_from_db()
    assert model.can("json_schema") is False
    assert len(server.requests) == 1
    call = run.calls.get()
    assert call.state == "failed"
    assert "JSON schemas. Choose a prompt that asks for a list" in call.error
    assert not Item.objects.exists()


def test_a_server_known_to_take_no_schema_is_refused_before_anything_is_stored(project, piano, serve_model, endpoint):
    model = endpoint(serve_model(AS_JSON), capabilities={"json_schema": {"value": False, "at": "2026-01-01"}})
    with pytest.raises(CannotGenerate, match="does not support JSON schemas"):
        start(project, GenerationSpec(model, [piano], ONE, "generate-items-json"))
    assert not Generator.objects.exists()


def test_a_list_where_json_was_asked_for_is_no_answer(project, piano, serve_model, endpoint):
    run = generate(project, endpoint(serve_model(WHOLE)), [piano], "generate-items-json")
    assert not Item.objects.exists()
    assert run.calls.filter(error_class="parse").count() == 2  # asked once more, then failed


# Explanations


def test_explanations_in_a_list_belong_to_the_option_after_them(project, piano, serve_model, endpoint):
    generate(project, endpoint(serve_model(WITH_REASONS)), [piano], "generate-items-reasons")
    assert list_explanations() == [
        ("der alte Herr Seidel", True, "Im Text steht, dass Herr Seidel es spielte."),
        ("die Studentin aus dem zweiten Stock", False,
         "Wer nur vom Treppenhaus liest, denkt an die Nachbarin."),
        ("der Vermieter des Hauses", False, "Wer an das Haus denkt, denkt an den Besitzer."),
    ]  # fmt: skip
    assert Item.objects.get().metadata == {"reasoning": "Im Text steht, dass Herr Seidel es spielte."}
    assert Generator.objects.get().factors["explanations"] == "with"


def test_explanations_in_json_come_in_the_order_question_reasoning_key_misconception_distractor(
    project, piano, serve_model, endpoint
):
    server = serve_model(json.dumps({"items": [REASONS_AS_JSON]}, ensure_ascii=False))
    generate(project, endpoint(server), [piano], "generate-items-reasons-json")
    schema = server.requests[0].body["response_format"]["json_schema"]["schema"]["properties"]["items"]["items"]
    assert list(schema["properties"]) == ["question", "reasoning", "right_answers", "wrong_answers"]
    assert list(schema["properties"]["wrong_answers"]["items"]["properties"]) == [
        "misconception",
        "wrong_answer",
    ]
    assert [why for _text, _correct, why in list_explanations()] == [
        "Im Text steht, dass Herr Seidel es spielte.",
        "Wer nur vom Treppenhaus liest, denkt an sie.",
        "Wer an das Haus denkt, denkt an ihn.",
    ]


def test_without_a_key_the_reasoning_is_kept_with_the_item():
    row = REASONS_AS_JSON | {"right_answers": []}
    item = parse_reply_items(json.dumps({"items": [row]}), 1).items[0]
    assert [option.correct for option in item.options] == [False, False]
    assert item.reasoning == "Im Text steht, dass Herr Seidel es spielte."


def test_where_no_explanations_were_asked_for_such_a_line_explains_nothing():
    assert not any(option.explanation for option in parse_reply_items(WITH_REASONS, 1).items[0].options)


def test_explanations_are_read_in_basque_too():
    (item,) = parse_reply_items(WITH_REASONS_IN_BASQUE, 1, explains=True).items
    assert [(option.correct, option.explanation) for option in item.options] == [
        (True, "Testuak dio Seidel jaunak jotzen zuela."),
        (False, "Eskailerak bakarrik irakurri dituenak auzokoa dela uste du."),
    ]
    assert item.reasoning == "Testuak dio Seidel jaunak jotzen zuela."


def test_an_incomplete_item_keeps_its_explanations(project, piano, serve_model, endpoint):
    reply = WITH_REASONS.replace(" (falsch)", "", 1)
    generate(project, endpoint(serve_model(reply)), [piano], "generate-items-reasons")
    row = IncompleteItem.objects.get()
    assert row.reasons == ["mark"]
    assert row.options[0]["explanation"] == "Im Text steht, dass Herr Seidel es spielte."
    assert row.metadata == {"reasoning": "Im Text steht, dass Herr Seidel es spielte."}


# Examples


@pytest.fixture
def bank(project):
    """Three texts in German with an item of people each."""
    texts = [make_text(project, f"t{n}", body=f"{GERMAN_OTHER} {n}", language="de") for n in range(3)]
    return [person_item(text, f"p{n}", stem=f"Was tat Mira am {n}. Abend?") for n, text in enumerate(texts)]


def test_examples_are_shown_as_the_reply_is_wanted_and_stored_with_the_run(project, piano, bank, serve_model, endpoint):
    server = serve_model(WHOLE)
    run = generate(project, endpoint(server), [piano], "generate-items-examples", examples=Examples(ids=("p2", "p0")))
    one = "1. Was tat Mira am {}. Abend?\na) lesen (richtig)\nb) schlafen (falsch)\nc) kochen (falsch)"
    assert f"{one.format(2)}\n\n{one.format(0)}\n\n" in server.prompts[0]
    assert run.params["examples"] == {"de": [bank[2].pk, bank[0].pk]}
    factors = Generator.objects.get(name="mock · generate-items-examples").factors
    assert (factors["setting"], factors["examples"]) == ("few-shot", "p2, p0")


def test_drawn_examples_are_never_about_the_text_itself(project, bank, serve_model, endpoint):
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [item.text for item in bank], "generate-items-examples", examples=Examples(n=2))
    assert len(server.prompts) == 3
    for prompt in server.prompts:
        own = next(n for n in range(3) if f"{GERMAN_OTHER} {n}\n" in prompt)
        shown = [n for n in range(3) if f"am {n}. Abend?" in prompt]
        assert shown == [n for n in range(3) if n != own]


def test_the_same_seed_draws_the_same_examples(project, piano, bank, serve_model, endpoint):
    model = endpoint(serve_model(WHOLE))
    asks = [
        GenerationSpec(model, [piano], ONE, "generate-items-examples", examples=Examples(n=1, seed=s)) for s in (4, 4)
    ]
    assert build_run_params(project, asks[0], [piano]) == build_run_params(project, asks[1], [piano])


def test_items_of_models_are_not_drawn(project, piano, bank):
    Generator.objects.filter(name="people").update(kind=GeneratorKind.MODEL)
    template = read_template(load_shipped()["generate-items-examples/de"])
    with pytest.raises(CannotGenerate, match="too few suitable items for 1 examples"):
        choose_examples(project, Examples(n=1), [piano], template, 3)


@pytest.mark.parametrize(
    ("instrument", "examples", "message"),
    [
        ("generate-items-examples", Examples(), "Say which ones, or how many"),
        ("generate-items", Examples(n=1), "no examples"),
        ("generate-items-examples", Examples(ids=("nobody",)), "no item “nobody”"),
        ("generate-items-examples", Examples(n=3), "too few suitable items for 3 examples"),
        ("generate-items-examples", Examples(n=21), "up to 20 examples"),
        ("generate-items-examples", Examples(ids=("p1",)), "Choose an example about another text"),
    ],
)
def test_examples_that_cannot_be_are_refused(project, bank, serve_model, endpoint, instrument, examples, message):
    model = endpoint(serve_model(WHOLE))
    with pytest.raises(CannotGenerate, match=message):
        start(project, GenerationSpec(model, [item.text for item in bank], ONE, instrument, examples=examples))
    assert not Call.objects.exists()


def test_other_examples_under_the_same_name_are_refused(project, piano, bank, serve_model, endpoint):
    model = endpoint(serve_model(WHOLE))
    generate(project, model, [piano], "generate-items-examples", examples=Examples(n=1))
    with pytest.raises(CannotGenerate, match="written with other examples"):
        start(project, GenerationSpec(model, [piano], ONE, "generate-items-examples", examples=Examples(n=2)))


# Questions to answers


@pytest.fixture
def items_with_answers(project, piano):
    """Two items with the same expected answer, one with another."""
    make_generator(project, "reference")
    for name, answer in (("r1", "Herr Seidel"), ("r2", "herr  seidel"), ("r3", "um sieben Uhr")):
        create_item(piano, ItemValues(f"Alte Frage {name}?", "reference", expected_answer=answer), name)


OPEN = Size(n_items=1, n_options=0)


def test_a_question_is_written_to_each_different_answer(project, piano, items_with_answers, serve_model, endpoint):
    server = serve_model("Frage: Wer spielte abends das schöne Klavierstück?")
    generate(project, endpoint(server), [piano], "generate-question", OPEN)
    assert len(server.prompts) == 2
    assert f"{piano.body}\n\n" in server.prompts[0]
    assert "deren Antwort lautet: Herr Seidel\n" in server.prompts[0]
    found = Item.objects.filter(generator__name="mock · generate-question").order_by("pk")
    assert list(found.values_list("external_id", "stem", "expected_answer", "metadata")) == [
        ("r1-mock-generate-question", "Wer spielte abends das schöne Klavierstück?", "Herr Seidel",
         {"answer_of": "r1"}),
        ("r3-mock-generate-question", "Wer spielte abends das schöne Klavierstück?", "um sieben Uhr",
         {"answer_of": "r3"}),
    ]  # fmt: skip
    assert not Option.objects.exists()


def test_questions_that_are_written_are_not_asked_for_again(project, piano, items_with_answers, serve_model, endpoint):
    model = endpoint(serve_model("Wer spielte abends das schöne Klavierstück?"))
    generate(project, model, [piano], "generate-question", OPEN)
    assert start(project, GenerationSpec(model, [piano], OPEN, "generate-question")) is None
    create_item(piano, ItemValues("Neu?", "reference", expected_answer="im Erdgeschoss"), "r4")
    run = start(project, GenerationSpec(model, [piano], OPEN, "generate-question"))
    assert run.params["answers"] == [Item.objects.get(external_id="r4").pk]


def test_texts_without_expected_answers_are_refused(project, piano, serve_model, endpoint):
    with pytest.raises(CannotGenerate, match="has an expected answer"):
        estimate_run(project, GenerationSpec(endpoint(serve_model("")), [piano], OPEN, "generate-question"))


def test_a_question_has_no_options(project, piano, items_with_answers, serve_model, endpoint):
    with pytest.raises(CannotGenerate, match="Set 0 options"):
        start(project, GenerationSpec(endpoint(serve_model("")), [piano], ONE, "generate-question"))


@pytest.mark.parametrize(
    ("reply", "stem"),
    [
        ("Wer spielte?", "Wer spielte?"),
        ("Gern!\n\n**Frage:** „Wer spielte?“\n", "Wer spielte?"),
        ('{"question": "Wer spielte?"}', "Wer spielte?"),
        ("1. Wer spielte?\n2. Wann?", None),
        ("Das weiß ich nicht.", None),
        ("Fragen Kinder viel?", "Fragen Kinder viel?"),
    ],
)
def test_one_question_is_read_and_several_are_none(reply, stem):
    found = parse_question(reply)
    assert (found.stem if found else None) == stem


def test_the_answer_is_a_slot_of_questions_only(project):
    base = {"text": {}, "again": "Noch einmal.", "title": "x"}
    with pytest.raises(BadTemplate, match="only an instrument with “writes: question” can fill"):
        read_template({**base, "generate": "{text} {n_items} {n_options} {answer}"})
    with pytest.raises(BadTemplate, match=r"lacks the placeholder \{answer\}"):
        read_template({**base, "writes": "question", "generate": "{text}"})
    assert read_template({**base, "writes": "question", "generate": "{text} {answer}"}).writes == "question"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"reply": "xml"}, "reply"),
        ({"explain": "yes"}, "explain"),
        ({"writes": "question", "generate": "{text} {answer}", "explain": True}, "explain"),
        ({"generate": "{text} {n_items} {n_options} {examples}"}, "example"),
        ({"example": "{item}"}, "example"),
        ({"generate": "{text} {n_items} {n_options} {examples}", "example": "{item}"}, "marks"),
    ],
)
def test_what_does_not_go_together_is_said_at_its_place(changes, place):
    content = {"text": {}, "again": "Again.", "title": "x", "generate": "{text} {n_items} {n_options}"} | changes
    assert [problem.place for problem in GeneratorPromptKind().problems(content)] == [place]


# What those who answer are shown


def test_no_prompt_of_an_evaluator_holds_an_explanation(project, piano, serve_model, endpoint):
    generate(project, endpoint(serve_model(WITH_REASONS)), [piano], "generate-items-reasons")
    study = make_study(project, "s", Item.objects.select_related("text"), language="de")
    server = serve_model("R")
    evaluate(study, Evaluator(endpoint(server)))
    drain_here(project.runs.get(kind="evaluation"))
    assert len(server.prompts) == 6
    hidden = [why for _text, _correct, why in list_explanations()]
    assert all(hidden)
    assert not any(why in prompt for prompt in server.prompts for why in hidden)


def test_every_shipped_prompt_of_a_generator_has_no_problem():
    found = {name: content for name, content in load_shipped().items() if content.get("use") == "generator"}
    assert len(found) == 27
    assert not any(GeneratorPromptKind().problems(content) for content in found.values())


def test_own_marks_of_another_language_are_shown_in_examples(project, piano, bank, serve_model, endpoint):
    content = dict(load_shipped()["generate-items-examples/de"]) | {"marks": {"correct": "ja", "incorrect": "nein"}}
    store_version("generate-items-examples", "de", content, project)
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [piano], "generate-items-examples", examples=Examples(n=1))
    assert "a) lesen (ja)\nb) schlafen (nein)" in server.prompts[0]


def test_make_item_is_no_example_in_another_language(project, piano, serve_model, endpoint):
    make_item(make_text(project, "english"), "people", "e1", "TFF")
    with pytest.raises(CannotGenerate, match="no item “e1” in the language “de”"):
        start(
            project,
            GenerationSpec(
                endpoint(serve_model(WHOLE)), [piano], ONE, "generate-items-examples", examples=Examples(ids=("e1",))
            ),
        )


@pytest.mark.parametrize("name", sorted(name for name in load_shipped() if name.startswith("generate-")))
def test_every_shipped_prompt_is_previewed_with_the_words_that_a_run_would_send(project, rf, name):
    language = name.partition("/")[2]
    text = make_text(project, "subject", body="Der Text <b>hier</b>.", language=language)
    other = make_text(project, "other", body="Ein anderer Text.", language=language)
    person_item(other, "p1", expected_answer="am Abend")
    person_item(text, "p2", expected_answer="im Keller")
    content = load_shipped()[name]
    page = GeneratorPromptKind().preview(rf.get("/"), content, PreviewSubject(project, text, None)).content.decode()
    assert "Der Text &lt;b&gt;hier&lt;/b&gt;." in page
    assert not SLOT.search(page)
    assert ("Was tat Mira am Abend?" in page) is ("examples" in name)
    assert ("im Keller" in page) is (content.get("writes") == "question")
    assert ("json_schema" in page) is ("json" in name)


def test_a_preview_without_examples_in_the_bank_says_what_to_do(project, rf, piano):
    with pytest.raises(CannotPreview, match="too few suitable items for 1 examples"):
        GeneratorPromptKind().preview(
            rf.get("/"), load_shipped()["generate-items-examples/de"], PreviewSubject(project, piano, None)
        )
