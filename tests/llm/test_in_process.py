"""A transformers model in this process: what it answers is what the library computes, told as a server would."""

import asyncio
import json
import math
import threading

import pytest

from llm.addresses import is_installed
from llm.answers import read_probability
from llm.failures import find_problem_in_status
from llm.in_process import client
from llm.in_process.client import InProcessClient
from llm.in_process.writing import GenerationCancelled, GenerationRequest
from llm.models import Endpoint
from llm.replies import parse_reply
from llm.services import endpoints
from llm.services.draining import drain_here
from llm.services.endpoints import add_endpoint
from llm.services.runs import create_run
from tests.llm.in_process import load_model, next_token_shares, p_true_by_hand
from tests.llm.tiny_model import make_tiny_model

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not is_installed(), reason="needs the packages of requirements-local.txt"),
]
PROMPT = "The castle stands on the hill. Is it right? Reply with R or F."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def allow_folder(settings, folder):
    settings.LESART_MODEL_FOLDERS = [str(folder.parent)]
    yield folder
    client._loaded.clear()


def ask(folder, messages=PROMPT, **params):
    messages = [{"role": "user", "content": messages}] if isinstance(messages, str) else messages
    body = json.dumps({"model": "tiny", "messages": messages, **params}).encode()
    return asyncio.run(InProcessClient(f"local:{folder}").post(body))


def test_p_true_is_that_of_a_forward_pass_over_the_whole_vocabulary(allow_folder):
    reply = parse_reply(
        ask(allow_folder, temperature=0, max_tokens=1, logprobs=True, top_logprobs=1, label_tokens=["R", "F"]).text
    )
    read = read_probability(reply.logprobs, "R", "F")
    assert read.p == pytest.approx(p_true_by_hand(allow_folder, PROMPT), abs=1e-6)
    assert read.missing == ()


def test_the_probabilities_told_are_those_of_the_library_and_never_drawn_from(allow_folder):
    reply = parse_reply(ask(allow_folder, temperature=1.7, max_tokens=1, logprobs=True, top_logprobs=20, seed=3).text)
    shares = next_token_shares(allow_folder, PROMPT)
    for word, value in reply.logprobs[0][2]:
        assert math.exp(value) == pytest.approx(shares[word], abs=1e-6)


def test_at_temperature_0_it_writes_what_the_library_writes(allow_folder):
    model, tokenizer = load_model(allow_folder)
    import torch

    ids = torch.tensor([tokenizer(PROMPT)["input_ids"]])
    expected = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
    reply = parse_reply(ask(allow_folder, temperature=0, max_tokens=12).text)
    assert reply.text == tokenizer.decode(expected[0, ids.shape[1] :], skip_special_tokens=True)
    assert (reply.tokens_in, reply.logprobs) == (ids.shape[1], None)


def test_a_seed_gives_the_same_reply_again_and_another_one_another(allow_folder):
    texts = [parse_reply(ask(allow_folder, temperature=1.5, max_tokens=12, seed=seed).text).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_chat_template_lays_the_messages_out(tmp_path, settings):
    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    folder = make_tiny_model(tmp_path / "chat", has_template=True)
    messages = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "R or F?"}]
    reply = parse_reply(
        ask(folder, messages, max_tokens=1, temperature=0, logprobs=True, top_logprobs=0, label_tokens=["R", "F"]).text
    )
    laid_out = "<system>Be short.\n<user>R or F?\n<assistant>"
    assert read_probability(reply.logprobs, "R", "F").p == pytest.approx(p_true_by_hand(folder, laid_out), abs=1e-6)


def test_the_reply_names_the_model_with_what_its_weights_were(allow_folder, tmp_path, settings):
    settings.LESART_MODEL_FOLDERS.append(str(tmp_path))
    other = make_tiny_model(tmp_path / "tiny", seed=2)
    names = [parse_reply(ask(folder, max_tokens=1).text).model for folder in (allow_folder, other, allow_folder)]
    assert names[0] == names[2] != names[1]
    assert all(name.startswith("tiny@") for name in names)
    assert len(client._loaded) == 1  # the other one made room


def test_a_prompt_that_leaves_no_room_is_too_long(tmp_path, settings):
    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    folder = make_tiny_model(tmp_path / "short", most_tokens=16)
    assert find_problem_in_status(ask(folder, "word " * 40, max_tokens=4)).failure == "too_long"


def test_a_folder_that_cannot_be_loaded_is_no_model_and_says_why(allow_folder):
    broken = allow_folder.parent / "broken"
    broken.mkdir(exist_ok=True)
    (broken / "config.json").write_text("{}")
    problem = find_problem_in_status(ask(broken))
    assert problem.failure == "no_model"
    assert f"{broken} holds no model that could be loaded" in problem.words


def test_a_reply_that_nobody_waits_for_is_given_up(allow_folder):
    over = threading.Event()
    over.set()
    with client.model_lock, pytest.raises(GenerationCancelled):
        client.get_model(str(allow_folder)).write(GenerationRequest([{"role": "user", "content": "?"}], 10), over)


def test_no_more_threads_than_the_setting_says(allow_folder, settings):
    import torch

    settings.LESART_TORCH_THREADS = 1
    ask(allow_folder, max_tokens=1)
    assert torch.get_num_threads() == 1


@pytest.mark.django_db
def test_the_test_of_the_endpoint_finds_out_what_it_can_do(allow_folder, monkeypatch):
    monkeypatch.setattr(endpoints, "_send", lambda pk: None)
    endpoint = add_endpoint(name="tiny", base_url=f"local:{allow_folder}", model="tiny")
    assert endpoints.probe_endpoint(endpoint.pk)
    endpoint.refresh_from_db()
    found = {feature: endpoint.can(feature) for feature in ("logprobs", "seed", "usage", "json_schema")}
    assert found == {"logprobs": True, "seed": True, "usage": True, "json_schema": False}


@pytest.mark.django_db
def test_a_folder_that_is_no_longer_allowed_pauses_the_run(allow_folder, settings, project, toy):
    endpoint = Endpoint.objects.create(name="tiny", base_url=f"local:{allow_folder}", model="tiny", max_concurrency=1)
    settings.LESART_MODEL_FOLDERS = ["/nowhere"]
    run = create_run(project=project, kind="toy", endpoint=endpoint, label="a toy run", params={"keys": ["k"]})
    run = drain_here(run)
    assert (run.state, run.reason) == ("paused", "address")
    assert "LESART_MODEL_FOLDERS" in run.calls.get().error
