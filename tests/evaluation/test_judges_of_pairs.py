"""Models judge pairs on a mock server: each pair in both orders, a judgment that flips is a tie."""

import re

import pytest
from django.core.management import CommandError, call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.protocols.pairwise.ranking import build_wins
from analysis.protocols.pairwise.report import build_report
from evaluation.judges.run_kind import JudgeRunKind
from evaluation.services.calls import get_positions
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from llm.models import Call, CallState
from llm.services.draining import drain_here
from studies.models import Annotator, Assignment, Response
from tests import pairs
from tests.mock_server import Planned, label

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]

STEM = re.compile(r"Question ([AB]): (.+)")


def sides(prompt: str) -> dict[str, str]:
    """The ids of the items that stand under A and B."""
    return {letter: pairs.item_ids()[stem.strip()] for letter, stem in STEM.findall(prompt)}


def answer_as_first_seat(request) -> str:
    """As the first seat of the planted study, whichever stands under A."""
    shown = sides(request.prompt)
    better = pairs.true_preference(0, shown["A"], shown["B"])
    return {shown["A"]: "A", shown["B"]: "B", "tie": "T"}[better]


@pytest.fixture
def study(project):
    return pairs.make_study_with_bank(project)


def run_judge(study, endpoint, **about):
    judge = start(study, JudgeSpec(endpoint, **about))
    drain_here(get_row(judge).run)
    return judge


def answers(code: str = "mock") -> set[tuple[str, str, str]]:
    found = set()
    for assignment in Assignment.objects.filter(annotator__code=code).prefetch_related("unit__unit_items__item"):
        one, other = (row.item.external_id for row in assignment.unit.unit_items.all())
        found |= {(one, other, response.value) for response in assignment.responses.all()}
    return found


def test_every_pair_is_asked_in_both_orders_and_the_planted_judgments_come_out(study, serve_model, endpoint):
    server = serve_model(answer_as_first_seat)
    run_judge(study, endpoint(server))
    asked = [tuple(sides(prompt).values()) for prompt in server.prompts]
    assert len(asked) == len(set(asked)) == 2 * pairs.TEXTS * pairs.PAIRS
    assert all((other, one) in asked for one, other in asked)
    wanted = {(one, other, pairs.true_preference(0, one, other)) for one, other, _value in answers()}
    assert answers() == wanted
    assert len(wanted) == pairs.TEXTS * pairs.PAIRS


def test_a_judge_that_always_says_a_gives_ties_only(study, serve_model, endpoint):
    judge = run_judge(study, endpoint(serve_model("A")))
    assert {value for _one, _other, value in answers()} == {"tie"}
    found = get_positions(study)["mock"]
    assert (found.n, found.n_flipped, found.n_first, found.n_decided) == (30, 30, 60, 60)
    assert get_row(judge).n_missing == 0


def test_the_report_says_how_often_the_order_decided(study, serve_model, endpoint):
    run_judge(study, endpoint(serve_model("A")))
    tables = {table.name: table.rows for table in build_report(collect_evidence(study, Choices(seed=1))).tables}
    (row,) = tables["position_bias"]
    assert (row["evaluator"], row["n"], row["n_decided"]) == ("mock", 30, 60)
    assert (row["share_flipped"], row["share_first"]) == (1, 1)


def test_of_two_workers_the_later_one_finds_the_reply_to_the_other_order(study, serve_model, endpoint):
    """Both raw replies are stored before either is read, so whoever reads last has both."""
    judge = start(study, JudgeSpec(endpoint(serve_model(answer_as_first_seat))))
    run = get_row(judge).run
    drain_here(run)
    pair = list(Call.objects.filter(key__contains="/unit/").order_by("position")[:2])
    Response.objects.filter(assignment__unit_id=int(pair[0].key.split("/")[2])).delete()
    Call.objects.filter(pk=pair[1].pk).update(state=CallState.REPLIED, parsed=None)
    JudgeRunKind().read(run, pair[0])
    assert len(answers()) == pairs.TEXTS * pairs.PAIRS


def test_one_order_without_an_answer_leaves_the_pair_missing(study, serve_model, endpoint):
    first = next(iter(study.units.order_by("position"))).items.order_by("unit_items__position").first()

    def shy(request):
        return (
            "I would rather not choose."
            if sides(request.prompt)["A"] == first.external_id
            else answer_as_first_seat(request)
        )

    judge = run_judge(study, endpoint(serve_model(shy)))
    n = sum(first.external_id in pair[:2] for pair in answers())
    shown_first = Call.objects.filter(state=CallState.FAILED).count()
    assert shown_first > 0
    assert get_row(judge).n_missing == shown_first
    assert len(answers()) == pairs.TEXTS * pairs.PAIRS - shown_first
    assert n == 0
    with pytest.raises(SystemExit) as ended:
        call_command("evaluate_study", "pairs", "--model", "mock")
    assert ended.value.code == 3


def test_the_likelier_letter_counts_where_probabilities_are_read(study, serve_model, endpoint):
    def sure(request):
        letter = answer_as_first_seat(request)
        return Planned("A", label(letter, "A" if letter != "A" else "B", 0.8).logprobs)

    run_judge(study, endpoint(serve_model(sure)), reading="probability")
    assert answers() == {(one, other, pairs.true_preference(0, one, other)) for one, other, _value in answers()}


def test_no_prompt_holds_an_explanation_or_who_wrote_an_item_and_keys_stand_first(study, serve_model, endpoint):
    server = serve_model("A")
    run_judge(study, endpoint(server))
    for prompt in server.prompts:
        assert not any(secret in prompt for secret in pairs.SECRETS)
        options = [line for line in prompt.splitlines() if line.startswith("- Answer")]
        assert [line.endswith("(correct)") for line in options] == [True, False, False, True, False, False]


def test_marked_keys_stand_where_the_shuffle_puts_them(project, serve_model, endpoint):
    study = pairs.make_study_with_bank(project, params={"key_first": False})
    server = serve_model("A")
    run_judge(study, endpoint(server))
    marked = [
        [line.endswith("(correct)") for line in prompt.splitlines() if line.startswith("- Answer")]
        for prompt in server.prompts
    ]
    assert all(sum(each[:3]) == sum(each[3:]) == 1 for each in marked)
    assert len({tuple(each[:3]) for each in marked}) == 3


def test_a_models_judgments_are_not_counted_as_peoples(study, serve_model, endpoint):
    run_judge(study, endpoint(serve_model(answer_as_first_seat)))
    assert all(row["n"] == 0 for row in build_wins(collect_evidence(study, Choices(seed=1))).rows)


def test_the_command_answers_says_how_much_and_changes_nothing_the_second_time(study, serve_model, endpoint, capsys):
    endpoint(serve_model(answer_as_first_seat))
    call_command("evaluate_study", "pairs", "--model", "mock", "--estimate")
    assert "60 calls" in capsys.readouterr().out
    assert not Annotator.objects.filter(kind="model").exists()
    call_command("evaluate_study", "pairs", "--model", "mock", "--yes")
    assert "“mock” has given 30 answers, 30 of them now; none is missing." in capsys.readouterr().out
    rows = list(Response.objects.values())
    call_command("evaluate_study", "pairs", "--model", "mock", "--yes")
    assert "answered everything" in capsys.readouterr().out
    assert list(Response.objects.values()) == rows


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "majority"], "Baselines only judge answer options"),
        (["--model", "mock", "--samples", "3"], "to scores"),
        (["--model", "mock", "--threshold-read", ".7"], "is for answers to options"),
        (["--model", "mock", "--stages", "guess"], "no stage “guess”"),
    ],
)
def test_what_means_nothing_here_is_refused(study, serve_model, endpoint, words, message):
    endpoint(serve_model("A"))
    with pytest.raises(CommandError, match=message):
        call_command("evaluate_study", "pairs", *words)
    assert not Annotator.objects.exclude(kind="human").exists()
