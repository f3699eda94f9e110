"""Models with an encoder and a decoder (BART, T5) in this process: what they answer is what the library computes."""

import asyncio
import json
import math

import pytest

from llm.addresses import is_installed
from llm.answers import read_probability
from llm.failures import find_problem_in_status
from llm.in_process import client
from llm.in_process.client import InProcessClient
from llm.replies import parse_reply
from tests.llm.tiny_model import make_tiny_bart, make_tiny_t5

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not is_installed(), reason="needs the packages of requirements-local.txt"),
]
PROMPT = "The castle stands on the hill. Is it right? Reply with R or F."
MAKERS = {"bart": make_tiny_bart, "t5": make_tiny_t5}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return {name: make(root / name) for name, make in MAKERS.items()}


@pytest.fixture(params=MAKERS)
def folder(request, folders, settings):
    settings.LESART_MODEL_FOLDERS = [str(folders["bart"].parent)]
    yield folders[request.param]
    client._loaded.clear()


def ask(folder, prompt=PROMPT, **params):
    messages = [{"role": "user", "content": prompt}]
    body = json.dumps({"model": "tiny", "messages": messages, **params}).encode()
    return asyncio.run(InProcessClient(f"local:{folder}").post(body))


def load_model(folder):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    return AutoModelForSeq2SeqLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def first_token_shares(folder):
    """Written token -> probability as the first one that the decoder writes."""
    import torch

    model, tokenizer = load_model(folder)
    with torch.no_grad():
        out = model(
            input_ids=torch.tensor([tokenizer(PROMPT)["input_ids"]]),
            decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id]]),
        )
    found: dict[str, float] = {}
    for number, share in enumerate(out.logits[0, -1].double().softmax(0).tolist()):
        word = tokenizer.decode([number])
        found[word] = found.get(word, 0.0) + share
    return found


def test_p_true_is_that_of_the_decoder_over_the_whole_vocabulary(folder):
    reply = parse_reply(
        ask(folder, temperature=0, max_tokens=1, logprobs=True, top_logprobs=1, label_tokens=["R", "F"]).text
    )
    told = {word: math.exp(value) for word, value in reply.logprobs[0][2]}
    shares = first_token_shares(folder)
    for word in (word for word in shares if word.strip().lower() in ("r", "f")):
        assert told[word] == pytest.approx(shares[word], abs=1e-6)
    labels = [sum(s for w, s in shares.items() if w.strip().lower() == label) for label in ("r", "f")]
    read = read_probability(reply.logprobs, "R", "F")
    assert read.mass == pytest.approx(sum(labels), abs=1e-6)


def test_at_temperature_0_it_writes_what_the_library_writes(folder):
    import torch

    model, tokenizer = load_model(folder)
    ids = torch.tensor([tokenizer(PROMPT)["input_ids"]])
    expected = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False, num_beams=1)
    reply = parse_reply(ask(folder, temperature=0, max_tokens=12).text)
    assert reply.text == tokenizer.decode(expected[0], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    assert reply.tokens_in == ids.shape[1]


def test_a_forced_first_token_comes_before_the_reply_and_is_no_part_of_it(tmp_path, settings):
    import torch

    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    folder = make_tiny_bart(tmp_path / "forced", forced_bos=True)
    model, tokenizer = load_model(folder)
    ids = torch.tensor([tokenizer(PROMPT)["input_ids"]])
    expected = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=9, do_sample=False, num_beams=1)
    reply = parse_reply(ask(folder, temperature=0, max_tokens=8).text)
    assert reply.text == tokenizer.decode(expected[0, 2:], skip_special_tokens=True, clean_up_tokenization_spaces=False)


def test_the_prompt_takes_no_room_from_the_reply_and_has_a_limit_of_its_own(tmp_path, settings):
    settings.LESART_MODEL_FOLDERS = [str(tmp_path)]
    folder = make_tiny_bart(tmp_path / "short", most_tokens=64)
    assert find_problem_in_status(ask(folder, "word " * 200, max_tokens=4)).failure == "too_long"
    assert ask(folder, "one two", max_tokens=60).status == 200
