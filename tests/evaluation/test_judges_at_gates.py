"""Models go through a questionnaire that stops: question by question, and never behind a stop."""

import re

import pytest
from django.core.management import CommandError, call_command

from evaluation.judges.run_kind import JudgeRunKind
from evaluation.services.judges import JudgeSpec, resume, start
from evaluation.services.progress import get_row
from llm.models import Call, CallState
from llm.services import runs
from llm.services.draining import drain, drain_here
from llm.services.reading import reread_replies
from studies.models import Annotator, Assignment, Response
from tests import stopping
from tests.mock_server import Planned, error

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]

SEAT = 2  # whose judgments hold a stop at the first gate's end, one in the middle, and a rephrasal


@pytest.fixture
def study(project):
    return stopping.make_study_with_bank(project)


def about(study, prompt: str) -> tuple[str, str]:
    """The item and the question of the questionnaire that a prompt asks."""
    item = re.search(r"^What does (\S+) ask\?$", prompt, re.MULTILINE)[1]
    entries = study.instrument_version.content["judge"]["questions"]
    worded = {entry["question"].replace("{domain}", "the subject of the text"): entry["name"] for entry in entries}
    return item, next(name for words, name in worded.items() if words in prompt)


def planting(study, seat: int = SEAT):
    """Answers as a seat of the planted study: the number of the level, or the text."""
    entries = {entry["name"]: entry for entry in study.instrument_version.content["judge"]["questions"]}

    def reply(request) -> str:
        item, name = about(study, request.prompt)
        value = stopping.PLANTED[seat, item][name]
        levels = [level["value"] for level in entries[name].get("levels", [])]
        return str(levels.index(value) + 1) if levels else value

    return reply


def run_judge(study, endpoint):
    judge = start(study, JudgeSpec(endpoint))
    drain_here(get_row(judge).run)
    return judge


def answers() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    rows = Response.objects.filter(assignment__annotator__code="mock")
    for item, name, value in rows.values_list("item__external_id", "question", "value"):
        found.setdefault(item, {})[name] = value
    return found


def true_answers(seat: int = SEAT) -> dict[str, dict[str, str]]:
    return {item: stopping.PLANTED[seat, item] for item in stopping.ITEMS}


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_planted_judgments_come_out_and_no_call_stands_behind_a_stop(study, serve_model, endpoint, seat):
    server = serve_model(planting(study, seat))
    judge = run_judge(study, endpoint(server))
    assert answers() == true_answers(seat)
    asked = [about(study, prompt) for prompt in server.prompts]
    assert sorted(asked) == sorted((item, name) for item, answers in true_answers(seat).items() for name in answers)
    assert Call.objects.count() == len(asked)
    assert get_row(judge).n_missing == 0
    assert all(Assignment.objects.filter(annotator__code="mock").values_list("finished_at", flat=True))


def test_questions_of_one_item_are_asked_one_after_another(study, serve_model, endpoint):
    server = serve_model(planting(study))
    run_judge(study, endpoint(server))
    for item in stopping.ITEMS:
        asked = [name for one, name in (about(study, prompt) for prompt in server.prompts) if one == item]
        assert asked == list(stopping.PLANTED[SEAT, item])


def test_after_a_rephrasal_the_prompt_holds_both_wordings(study, serve_model, endpoint):
    server = serve_model(planting(study))
    run_judge(study, endpoint(server))
    values = {about(study, prompt): "Where do herons sleep?" in prompt for prompt in server.prompts}
    reworded = {name for (item, name), is_there in values.items() if item == "s2-gen-birch" and is_there}
    assert reworded == {"answerable", "answer", "information_needed", "central", "would_use"}
    assert not any(is_there for (item, _name), is_there in values.items() if item != "s2-gen-birch")


def test_a_reply_that_cannot_be_read_is_missing_and_ends_the_path(study, serve_model, endpoint):
    plan = planting(study)

    def shy(request):
        if len(request.body["messages"]) > 1:
            return "I cannot tell."
        item, name = about(study, request.prompt)
        return "Well, it depends." if (item, name) == ("s1-gen-alder", "grammatical") else plan(request)

    judge = run_judge(study, endpoint(serve_model(shy)))
    assert answers()["s1-gen-alder"] == {"understandable": "yes", "domain_related": "yes"}
    assert {item: answers for item, answers in answers().items() if item != "s1-gen-alder"} == {
        item: answers for item, answers in true_answers().items() if item != "s1-gen-alder"
    }
    assert Call.objects.filter(state=CallState.FAILED).count() == 1
    assert not Call.objects.filter(key__endswith=f"/{item_pk('s1-gen-alder')}/clear").exists()
    assert get_row(judge).n_missing >= 1
    unfinished = Assignment.objects.filter(annotator__code="mock", finished_at=None)
    assert [row.unit.items.get().external_id for row in unfinished] == ["s1-gen-alder"]


def item_pk(external_id: str) -> int:
    return Response.objects.filter(item__external_id=external_id).values_list("item_id", flat=True)[0]


def test_a_call_that_failed_is_tried_again_and_the_path_goes_on(study, serve_model, endpoint):
    plan = planting(study)

    def fail_on_clear(request):
        return error(404, "no such thing") if about(study, request.prompt)[1] == "clear" else plan(request)

    judge = run_judge(study, endpoint(serve_model(fail_on_clear)))
    assert all(set(answers) <= {"understandable", "domain_related", "grammatical"} for answers in answers().values())
    endpoint(serve_model(plan))
    drain_here(resume(judge))
    assert answers() == true_answers()


def test_a_run_that_was_interrupted_goes_on_along_the_path_without_asking_twice(study, serve_model, endpoint):
    server = serve_model(planting(study))
    judge = start(study, JudgeSpec(endpoint(server, max_concurrency=1)))
    run = get_row(judge).run
    for _turn in range(200):
        if not drain(run.pk, seconds=0.05):
            break
    drain_here(run)
    assert answers() == true_answers()
    assert len(server.prompts) == len(set(server.prompts)) == sum(len(answers) for answers in true_answers().values())


def test_a_cancelled_run_is_gone_on_with_from_stored_replies(study, serve_model, endpoint):
    server = serve_model(planting(study))
    judge = start(study, JudgeSpec(endpoint(server, max_concurrency=1)))
    run = get_row(judge).run
    drain(run.pk, seconds=0.05)
    runs.cancel(run)
    drain_here(resume(judge))
    assert answers() == true_answers()
    assert len(server.prompts) == len(set(server.prompts))


class Killed(BaseException):
    """What no except clause of the engine catches."""


def test_a_worker_that_dies_while_it_reads_leaves_no_path_cut(study, serve_model, endpoint, monkeypatch):
    server = serve_model(planting(study))
    judge = start(study, JudgeSpec(endpoint(server)))
    run, real, deaths = get_row(judge).run, JudgeRunKind.next_calls, iter(range(3))

    def dying(run_kind, run, call):
        found = list(real(run_kind, run, call))
        if found and next(deaths, None) is not None:
            raise Killed
        return found

    monkeypatch.setattr(JudgeRunKind, "next_calls", dying)
    for _death in range(3):
        with pytest.raises(Killed):
            drain_here(run)
    drain_here(run)
    assert answers() == true_answers()
    assert len(server.prompts) == len(set(server.prompts)) == sum(len(answers) for answers in true_answers().values())


def test_reading_again_changes_nothing_and_asks_nothing(study, serve_model, endpoint):
    server = serve_model(planting(study))
    judge = run_judge(study, endpoint(server))
    before, n = list(Response.objects.values()), len(server.prompts)
    run = get_row(judge).run
    reread_replies(run)
    drain_here(run)
    assert list(Response.objects.values()) == before
    assert (len(server.prompts), Call.objects.count()) == (n, n)


def test_an_empty_text_is_missing(study, serve_model, endpoint):
    plan = planting(study)

    def mute(request):
        return Planned("") if about(study, request.prompt)[1] == "rephrasal" else plan(request)

    run_judge(study, endpoint(serve_model(mute)))
    assert "rephrasal" not in answers()["s2-gen-birch"]
    assert "answerable" not in answers()["s2-gen-birch"]


def test_the_estimate_counts_every_question_and_the_command_only_asks_what_is_reached(
    study, serve_model, endpoint, capsys
):
    server = serve_model(planting(study))
    endpoint(server)
    call_command("evaluate_study", "stops", "--model", "mock", "--estimate")
    assert f"{len(stopping.ITEMS) * len(stopping.QUESTIONS)} calls" in capsys.readouterr().out
    assert not Annotator.objects.filter(kind="model").exists()
    call_command("evaluate_study", "stops", "--model", "mock", "--yes")
    n = sum(len(answers) for answers in true_answers().values())
    assert f"“mock” has given {n} answers, {n} of them now; none is missing." in capsys.readouterr().out
    assert len(server.prompts) == n


@pytest.mark.parametrize("baseline", ["majority", "exact", "fuzzy"])
def test_baselines_have_no_answer_here_and_say_so(study, baseline):
    with pytest.raises(CommandError, match="Baselines only judge answer options"):
        call_command("evaluate_study", "stops", "--model", baseline)
    assert not Annotator.objects.filter(kind="baseline").exists()


def test_no_prompt_says_who_wrote_the_question_or_what_stands_in_its_metadata(study, serve_model, endpoint):
    server = serve_model(planting(study))
    run_judge(study, endpoint(server))
    for prompt in server.prompts:
        words = prompt.replace(stopping.stem(about(study, prompt)[0]), "")
        assert not any(word in words for word in (*stopping.GENERATORS, "item-metadata", "atlas", "lexicon"))
