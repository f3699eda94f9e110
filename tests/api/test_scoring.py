"""Items that a program sends are scored by models on a mock server and by baselines, and paid for once."""

import pytest

from evaluation.models import Scoring
from items.models import Item
from llm.models import Call, Run
from llm.services.draining import drain_here
from tests.evaluation.test_models import is_guess, option_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_models")]

# By option what the model says without and with the text; keys are marked.
SAYS = {"*die Stadt": "FR", "das Meer": "RF", "*im Tal": "RR", "am See": "FF"}


def says(request) -> str:
    guessed, read = {name.lstrip("*"): reply for name, reply in SAYS.items()}[option_in(request.prompt)]
    return guessed if is_guess(request.prompt) else read


def options(*names: str) -> list[dict]:
    return [{"text": name.lstrip("*"), "correct": name.startswith("*")} for name in names]


TEXTS = [
    {
        "id": "river",
        "text": "Der Fluss fließt durch die Stadt.",
        "language": "de",
        "items": [{"id": "r1", "question": "Wo?", "answers": options("*die Stadt", "das Meer")}],
    },
    {
        "text": "Die Burg steht auf dem Berg, nicht im Tal.",
        "language": "de",
        "items": [{"question": "Wo nicht?", "answers": options("*im Tal", "am See")}],
    },
]


@pytest.fixture
def send(researcher, caller, project):
    """A function that sends texts to be scored."""
    call = caller(researcher)

    def post(texts=TEXTS, evaluators=({"model": "mock"},), **more):
        return call.post(f"projects/{project.slug}/scores/", {"texts": texts, "evaluators": list(evaluators)} | more)

    post.call, post.address = call, f"projects/{project.slug}/scores/"
    return post


def read(send, started) -> dict:
    for run in Run.objects.filter(state__in=["planning", "running"]):
        drain_here(run)
    return send.call.get(f"{send.address}{started.json()['id']}/").json()


def test_a_model_scores_items_with_intervals_and_nothing_comes_into_the_bank(send, serve_model, endpoint):
    endpoint(serve_model(says), price_in=0, price_out=0)
    found = read(send, send(confirm_cost=True))
    scorer = found["evaluators"][0]
    assert (found["state"], scorer["run"]["state"], scorer["n_guess"], scorer["n_read"]) == ("done", "done", 4, 4)
    assert [scorer[name]["value"] for name in ("guessability", "answerability", "informativity")] == [0.5, 1.0, 0.5]
    assert scorer["informativity"]["low"] == -1.0  # two texts: 1 and 0
    assert scorer["answerability"]["low"] is None
    assert scorer["answerability"]["reason"].endswith(".")
    assert [(row["text_id"], row["item_id"], row["informativity"]) for row in found["items"]] == [
        ("river", "r1", 1.0),
        ("t2", "t2-1", 0.0),
    ]
    assert not Item.objects.exists()


def test_what_was_answered_before_is_not_asked_again(send, serve_model, endpoint):
    server = serve_model(says)
    endpoint(server, price_in=0, price_out=0)
    first = send(confirm_cost=True)
    read(send, first)
    n = len(server.prompts)
    assert send(confirm_cost=True).json()["id"] == first.json()["id"]  # the same request
    other = send([TEXTS[0]], confirm_cost=True)  # another one with the same content
    assert other.json()["estimates"][0]["n_known"] == other.json()["estimates"][0]["n_calls"] == 4
    assert read(send, other)["evaluators"][0]["informativity"]["value"] == 1.0
    assert len(server.prompts) == n
    assert Scoring.objects.count() == 2


def test_costs_are_told_before_they_arise_and_kept_within_the_budget(send, serve_model, endpoint):
    endpoint(serve_model(says), price_in=1_000_000, price_out=1_000_000)
    refused = send()
    assert (refused.status_code, Run.objects.count()) == (422, 0)
    dry = send(dry_run=True).json()
    assert (dry["id"], dry["estimates"][0]["n_calls"], Scoring.objects.count()) == (None, 8, 0)
    assert dry["estimates"][0]["cost"] > 1
    found = read(send, send(confirm_cost=True, budget="0.0001"))
    assert (found["state"], Call.objects.good().count()) == ("paused", 0)
    assert found["evaluators"][0]["informativity"]["reason"]


def test_baselines_score_at_once_and_what_they_cannot_tell_is_undefined(send):
    found = read(send, send(evaluators=[{"model": name} for name in ("exact", "fuzzy", "majority")]))
    by_label = {each["label"]: each for each in found["evaluators"]}
    assert found["state"] == "done"
    assert by_label["exact"]["answerability"]["value"] == by_label["fuzzy"]["answerability"]["value"] == 1.0
    assert by_label["exact"]["informativity"]["value"] is None
    assert by_label["majority"]["informativity"]["value"] == 0.0


def test_the_probability_tells_how_much_the_text_adds(send, serve_model, endpoint):
    from tests.mock_server import label

    endpoint(
        serve_model(lambda request: label("R", "F", 0.3 if is_guess(request.prompt) else 0.9)), price_in=0, price_out=0
    )
    found = read(send, send([TEXTS[0]], [{"model": "mock", "reading": "probability"}], confirm_cost=True))
    assert found["items"][0]["probability_gain"] == pytest.approx(0.0)  # + .6 for the key, - .6 for the distractor


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"texts": []}, "texts"),
        ({"texts": [{"id": "a"}]}, "texts 1, text"),
        ({"texts": [{"text": "Eins.", "items": [{"question": "?"}]}]}, "texts 1, items"),
        ({"texts": [{"text": "Eins.", "items": [{"question": "?", "answers": [{"text": "a"}]}]}]},
         "texts 1, items 1, answers 1, correct"),
    ],
)  # fmt: skip
def test_what_cannot_be_scored_is_refused_by_field(more, field, send):
    answer = send(evaluators=[{"model": "exact"}], **more)
    assert answer.status_code in (400, 422)
    assert field in [error["field"] for error in answer.json()["errors"]]
    assert not Scoring.objects.exists()


@pytest.mark.parametrize(
    "evaluators",
    [[], [{"model": "nobody"}], [{"model": "exact"}, {"model": "exact"}], [{"model": "exact"}] * 11,
     [{"model": "exact", "label": "human"}]],
)  # fmt: skip
def test_evaluators_that_make_no_sense_are_refused(evaluators, send):
    assert send(evaluators=evaluators).status_code in (400, 422)
    assert not Scoring.objects.exists()


def test_texts_in_two_languages_are_refused(send):
    mixed = [TEXTS[0], TEXTS[1] | {"language": "en"}]
    assert send(mixed, [{"model": "exact"}]).status_code == 422


def test_a_deleted_scoring_ends_its_runs(send, serve_model, endpoint):
    endpoint(serve_model(says), price_in=0, price_out=0)
    started = send(confirm_cost=True).json()
    assert send.call.delete(f"{send.address}{started['id']}/").status_code == 204
    assert Run.objects.get().state == "cancelled"
