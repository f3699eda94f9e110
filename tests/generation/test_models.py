"""A model writes items on a mock server: what it is asked, what stands in the bank, what waits for repair."""

import io

import pytest
from django.core.management import CommandError, call_command

from generation.models import GeneratorRun, IncompleteItem
from generation.services.asking import GenerationSpec, estimate_run, get_default_instrument, start
from generation.services.choosing import Size
from items.models import Generator, Item
from items.services.editing import edit_text
from items.values import get_text_values
from llm.models import Call, CallState, Endpoint, Run
from llm.services.draining import drain_here
from llm.services.reading import reread_replies
from studies.services.instruments import store_version
from tests.factory import make_generator, make_text
from tests.generation.words import ENGLISH, GERMAN_OTHER, WHOLE
from tests.mock_server import Planned

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def ask(project, endpoint, texts, **size) -> GenerationSpec:
    return GenerationSpec(endpoint, texts, Size(**size))


def generate(project, endpoint, texts, **size) -> Run | None:
    run = start(project, ask(project, endpoint, texts, **size))
    return drain_here(run) if run else None


def in_the_bank() -> dict[str, tuple[str, list[tuple[str, bool]]]]:
    rows = Item.objects.current().order_by("pk")
    return {row.external_id: (row.stem, list(row.options.values_list("text", "correct"))) for row in rows}


def run_command(*words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("generate_items", "--project", "rivers", "--model", "mock", *words, stdout=out, stderr=err)
    except SystemExit as ended:
        return f"{out.getvalue()}{err.getvalue()}exit {ended.code}"
    return out.getvalue() + err.getvalue()


def test_what_the_model_wrote_is_what_stands_in_the_bank(project, piano, serve_model, endpoint):
    generate(project, endpoint(serve_model(WHOLE)), [piano])
    found = in_the_bank()
    assert list(found) == ["piano-mock-1", "piano-mock-2", "piano-mock-3"]
    assert found["piano-mock-2"] == (
        "Wer spielte das Klavierstück in der Wohnung?",
        [("die Studentin aus dem zweiten Stock", False), ("der alte Herr Seidel", True),
         ("der Vermieter des Hauses", False)],
    )  # fmt: skip
    assert [correct for _text, correct in found["piano-mock-3"][1]] == [False] * 3  # no key is legal
    assert not IncompleteItem.objects.exists()


def test_the_generator_has_its_factors_and_its_run(project, piano, serve_model, endpoint):
    run = generate(project, endpoint(serve_model(WHOLE), model="org/Mock-7B"), [piano])
    generator = Generator.objects.get(name="mock")
    assert generator.kind == "model"
    values = {"family": "mock", "setting": "zero-shot", "model": "org/Mock-7B", "explanations": "without"}
    assert generator.factors == values
    assert GeneratorRun.objects.get(run=run).generator == generator


def test_one_call_a_text_with_the_text_exact_and_no_system_message(project, piano, serve_model, endpoint):
    odd = make_text(project, "odd", body="Ein  {n_items} Text\n\n  mit {text} und “Zeichen” \\n & <b>.", language="de")
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [piano, odd])
    assert len(server.requests) == 2
    prompts = {request.prompt for request in server.requests}
    assert {prompt.startswith(f"{odd.body}\n\n") for prompt in prompts} == {True, False}
    for request in server.requests:
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        assert request.body["temperature"] == 0
        assert "genau 3 Fragen zum Leseverstehen mit je 3 Antworten" in request.prompt


def test_each_text_is_asked_about_in_its_language(project, piano, serve_model, endpoint):
    english = make_text(project, "piano-en", body="Mira heard a piece every evening.", language="en")
    server = serve_model(lambda request: ENGLISH if "Write exactly" in request.prompt else WHOLE)
    generate(project, endpoint(server), [piano, english])
    assert {"piano-mock-1", "piano-en-mock-1"} <= set(in_the_bank())


def test_a_second_run_asks_nothing_and_stores_nothing_twice(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    model = endpoint(server)
    generate(project, model, [piano])
    before = list(Item.objects.values())
    assert start(project, ask(project, model, [piano])) is None
    assert list(Item.objects.values()) == before
    assert len(server.requests) == 1


def test_a_reply_that_was_paid_for_stands_for_the_same_question_again(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [piano])
    Item.objects.all().delete()
    run = generate(project, endpoint(server), [piano])
    assert len(server.requests) == 1
    assert run.calls.get().state == CallState.CACHED
    assert len(in_the_bank()) == 3


def test_replies_read_again_change_nothing(project, piano, serve_model, endpoint):
    broken = WHOLE.replace("(richtig)", "", 1)
    run = generate(project, endpoint(serve_model(broken)), [piano])
    before = (list(Item.objects.values()), list(IncompleteItem.objects.values()))
    reread_replies(run)
    drain_here(Run.objects.get())
    assert (list(Item.objects.values()), list(IncompleteItem.objects.values())) == before


def test_more_items_than_asked_for_are_left_out_and_counted(project, piano, serve_model, endpoint):
    run = generate(project, endpoint(serve_model(WHOLE)), [piano], n_items=2)
    assert list(in_the_bank()) == ["piano-mock-1", "piano-mock-2"]
    assert run.calls.get().parsed["left out"] == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("um sieben Uhr (richtig)", "um sieben Uhr", "mark"),
        ("b) jeden Morgen um sieben Uhr (falsch)\n", "", "number"),
        ("jeden Morgen um sieben", "jeden  Abend um SIEBEN", "equal"),
        ("b) jeden Morgen um sieben Uhr (falsch)", "b) (falsch)", "empty"),
    ],
)
def test_an_item_that_is_not_whole_waits_outside_the_bank(project, piano, serve_model, endpoint, old, new, reason):
    run = generate(project, endpoint(serve_model(WHOLE.replace(old, new, 1))), [piano])
    assert list(in_the_bank()) == ["piano-mock-2", "piano-mock-3"]
    row = IncompleteItem.objects.get()
    assert (row.external_id, row.state, row.reasons, row.run) == ("piano-mock-1", "open", [reason], run)
    assert row.stem == "Wann hörte Mira das Klavierstück jeden Abend?"
    assert "nur am Sonntag" in row.raw
    assert run.calls.get().parsed["incomplete"] == 1


def test_a_wordy_reply_is_read_and_a_refusal_is_asked_once_more_and_then_failed(project, piano, serve_model, endpoint):
    generate(project, endpoint(serve_model(f"Gern! Hier sind die Fragen:\n\n{WHOLE}\nIch hoffe, das hilft.")), [piano])
    assert len(in_the_bank()) == 3
    other = make_text(project, "other", body=GERMAN_OTHER, language="de")
    server = serve_model("Das kann ich leider nicht tun.")
    run = generate(project, endpoint(server), [other])
    assert len(server.requests) == 2
    assert server.requests[1].body["messages"][1]["content"] == "Das kann ich leider nicht tun."
    assert sorted(run.calls.values_list("state", flat=True)) == ["failed", "rejected"]
    assert len(in_the_bank()) == 3


def test_english_for_german_is_asked_again_until_it_is_german(project, piano, serve_model, endpoint):
    server = serve_model([ENGLISH, ENGLISH, WHOLE])
    run = generate(project, endpoint(server), [piano])
    assert [request.body["temperature"] for request in server.requests] == [0, 0.5, 0.5]
    assert list(run.calls.values_list("sample", "state")) == [(0, "rejected"), (1, "rejected"), (2, "answered")]
    assert run.calls.get(sample=0).text == ENGLISH  # kept
    assert len(in_the_bank()) == 3


def test_what_stays_english_is_given_up_after_five_more_tries(project, piano, serve_model, endpoint):
    server = serve_model(ENGLISH)
    run = generate(project, endpoint(server), [piano])
    assert len(server.requests) == 6
    assert list(run.calls.values_list("state", flat=True)) == ["rejected"] * 5 + ["failed"]
    assert not in_the_bank()
    assert not IncompleteItem.objects.exists()


def test_a_cut_reply_is_asked_again_with_twice_the_room(project, piano, serve_model, endpoint):
    cut = Planned(WHOLE[:300], finish_reason="length")
    server = serve_model([cut, Planned(WHOLE)])
    generate(project, endpoint(server), [piano])
    first, second = [request.body["max_tokens"] for request in server.requests]
    assert second == 2 * first
    assert len(in_the_bank()) == 3


def test_a_reply_that_is_cut_twice_keeps_what_is_whole(project, piano, serve_model, endpoint):
    generate(project, endpoint(serve_model(Planned(WHOLE[:300], finish_reason="length"))), [piano])
    assert list(in_the_bank()) == ["piano-mock-1"]
    assert IncompleteItem.objects.get().reasons


@pytest.mark.slow
def test_a_language_without_words_to_ask_in_fails_alone_with_the_reason(project, piano, serve_model, endpoint):
    danish = make_text(project, "da", body="Huset er stort.", language="da")
    run = generate(project, endpoint(serve_model(WHOLE)), [danish, piano])
    assert len(in_the_bank()) == 3
    assert "in the language “da”" in run.calls.get(key=str(danish.pk)).error


def test_a_text_that_was_edited_meanwhile_gets_no_item_by_itself(project, piano, serve_model, endpoint):
    run = start(project, ask(project, endpoint(serve_model(WHOLE)), [piano]))
    values = get_text_values(piano)
    edit_text(piano, type(values)(**{**vars(values), "title": "Ein neuer Titel"}))
    drain_here(run)
    assert not in_the_bank()
    assert {tuple(row.reasons) for row in IncompleteItem.objects.all()} == {("edited",)}


def test_generators_with_like_names_get_different_ids(project, piano, serve_model, endpoint):
    make_generator(project, "Mock!")
    generate(project, endpoint(serve_model(WHOLE)), [piano])
    assert next(iter(in_the_bank())) == f"piano-mock-g{Generator.objects.get(name='mock').pk}-1"


def test_another_model_under_the_name_is_refused(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    generate(project, endpoint(server), [piano])
    endpoint(server, model="mock-2")
    assert "were written by the model mock-1" in refusal()


def refusal(*words: str) -> str:
    with pytest.raises(CommandError) as refused:
        run_command(*words)
    assert refused.value.returncode == 1
    return str(refused.value)


def test_the_estimate_stores_nothing(project, piano, serve_model, endpoint):
    found = estimate_run(project, ask(project, endpoint(serve_model(WHOLE)), [piano]))
    assert (found.n_calls, found.n_new) == (1, 1)
    assert not Run.objects.exists()
    assert not Generator.objects.exists()


def test_the_command_drains_the_run_and_ends_with_0(project, piano, serve_model, endpoint):
    endpoint(serve_model(WHOLE))
    output = run_command("--yes")
    assert "1 call, 0 of them answered before" in output
    assert output.endswith("Items written: 3; already in the project: 0; missing: 0.\n")
    assert run_command("--yes").endswith("Items written: 0; already in the project: 3; missing: 0.\n")


def test_incomplete_and_missing_items_end_with_3(project, piano, serve_model, endpoint):
    endpoint(serve_model(WHOLE.replace("(richtig)", "", 1).split("3. ")[0]))
    output = run_command("--yes")
    assert "Items written: 1; already in the project: 0; missing: 1. Incomplete: 1" in output
    assert output.endswith("exit 3")


def test_an_endpoint_that_refuses_the_key_pauses_the_run_with_a_remedy(project, piano, serve_model, endpoint):
    endpoint(serve_model(lambda request: Planned(status=401, error={"message": "bad key"})))
    output = run_command("--yes")
    assert "refused the key" in output
    assert output.endswith("exit 3")


def test_a_paused_run_goes_on_instead_of_a_second_one(project, piano, serve_model, endpoint):
    endpoint(serve_model(lambda request: Planned(status=401, error={"message": "bad key"})))
    run_command("--yes")
    endpoint(serve_model(WHOLE))
    assert "Items written: 3" in run_command("--yes")
    assert Run.objects.count() == 1


def test_the_command_also_waits_for_a_run_that_a_page_started(project, piano, serve_model, endpoint):
    other = make_text(project, "other", body=GERMAN_OTHER, language="de")
    model = endpoint(serve_model(WHOLE))
    start(project, ask(project, model, [piano]))
    assert "Items written: 6; already in the project: 0; missing: 0." in run_command("--yes")
    assert [run.params["texts"] for run in Run.objects.order_by("pk")] == [[piano.pk], [other.pk]]


def test_without_a_price_and_a_terminal_the_command_wants_yes(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    endpoint(server)
    assert "--yes" in refusal()
    assert not server.requests
    endpoint(server, price_in=0, price_out=0)
    assert "Items written: 3" in run_command()


def test_estimate_by_command_asks_nothing(project, piano, serve_model, endpoint):
    server = serve_model(WHOLE)
    endpoint(server)
    assert "1 call" in run_command("--estimate")
    assert not server.requests
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--options", "0", "--instrument", "generate-items"], "open questions use cloze, or an instrument"),
        (["--instrument", "nothing"], "no instrument “nothing/de”"),
        (["--instrument", "guess-then-read"], "has no “generate”"),
        (["--budget", "1", "--yes"], "has no price"),
        (["--as", " "], "--as: This field is empty"),
        (["--candidates", "21"], "1 to 20 items"),
        (["--candidates", "0"], "1 to 20 items"),
        (["--candidates", "5", "--options", "0"], "Open questions cannot be candidates"),
    ],
)
def test_what_cannot_be_asked_is_refused(project, piano, serve_model, endpoint, words, message):
    endpoint(serve_model(WHOLE))
    assert message in refusal(*words)
    assert not Run.objects.exists()
    assert not Generator.objects.exists()


def test_candidates_and_labels_by_command_name_the_generator_and_the_next_step(project, piano, serve_model, endpoint):
    endpoint(serve_model(WHOLE))
    output = run_command("--yes", "--candidates", "3", "--items", "1")
    assert "Items written: 3" in output
    assert "Next: select_items --project rivers --candidates “mock · candidates” --model NAME" in output
    assert "Items written: 3" in run_command("--yes", "--as", "another")
    assert set(Generator.objects.values_list("name", flat=True)) == {"mock · candidates", "another"}


def test_what_is_for_models_only_is_refused_for_rules(piano):
    more = (["--examples", "3"], ["--candidates", "9"], ["--as", "x"])
    for words in (["--estimate"], ["--budget", "1"], ["--instrument", "x"], *more):
        with pytest.raises(CommandError, match="works with models only"):
            call_command("generate_items", "--project", "rivers", "--model", "cloze", *words)


def test_own_words_make_another_generator(project, piano, serve_model, endpoint):
    content = {"text": {}, "generate": "{text} – {n_items}/{n_options}", "again": "Noch einmal.", "title": "kurz"}
    store_version("short", "de", content, project)
    server = serve_model(WHOLE)
    endpoint(server)
    run_command("--yes", "--instrument", "short")
    assert server.prompts == [f"{piano.body} – 3/3"]
    assert Item.objects.first().generator.name == "mock · short"


def test_hostile_words_stay_text(project, piano, serve_model, endpoint):
    evil = WHOLE.replace("der alte Herr Seidel", "<script>alert(1)</script> Herr \x00\x1b[31mSeidel spielte")
    generate(project, endpoint(serve_model(evil)), [piano])
    stored = [text for _stem, options in in_the_bank().values() for text, _correct in options]
    assert any("<script>" in text for text in stored)
    assert not any(char in text for text in stored for char in "\x00\x1b")


def test_ten_thousand_options_are_one_incomplete_item(project, piano, serve_model, endpoint):
    many = "1. Wie viele Antworten hat diese Frage?\n" + "a) noch eine lange Antwort zu viel (falsch)\n" * 10_000
    generate(project, endpoint(serve_model(many)), [piano])
    row = IncompleteItem.objects.get()
    assert "number" in row.reasons
    assert len(row.options) <= 21
    assert len(row.raw) <= 20_000


def test_nothing_incomplete_is_a_call_that_stays_open(project, piano, serve_model, endpoint):
    run = generate(project, endpoint(serve_model(WHOLE)), [piano])
    assert not Call.objects.filter(run=run).open().exists()


def test_the_small_local_model_is_asked_with_a_schema_unless_somebody_names_other_words():
    assert get_default_instrument(Endpoint(name="tiny", is_local=True)) == "generate-items-json"
    assert get_default_instrument(Endpoint(name="large")) == "generate-items"
    assert GenerationSpec(Endpoint(name="tiny", is_local=True), [], instrument="generate-items-json").name == "tiny"
