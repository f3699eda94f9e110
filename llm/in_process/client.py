"""A model in this process in place of a server: takes the body of a chat completion and returns a reply."""

import asyncio
import hashlib
import json
import logging
import os
import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from llm.addresses import SCHEME, check_folder, may_download
from llm.in_process.writing import Generation, GenerationCancelled, GenerationRequest, LoadedModel, TooLong, Vocabulary
from llm.prompts import LABELS
from llm.transport import RawResponse

log = logging.getLogger(__name__)
model_lock = threading.Lock()
"""Held while the model is loaded or writes: it computes one reply at a time."""
_loaded: dict[str, LoadedModel] = {}


class CannotLoad(Exception):
    """No model can be loaded; the message says why."""


def get_model(where: str) -> LoadedModel:
    """The model in that folder or with that name; another loaded one is unloaded. Hold `model_lock` when calling it."""
    if where not in _loaded:
        _loaded.clear()
        _loaded[where] = _load(where)
    return _loaded[where]


def _load(where: str) -> LoadedModel:
    is_remote = may_download(where)
    if not settings.LESART_HUB_MODELS:
        os.environ["HF_HUB_OFFLINE"] = "1"  # must be set before the packages are imported
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    log.info("Loading the model %s%s.", where, ", which may be downloaded first" if is_remote else "")
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    torch.set_num_threads(settings.LESART_TORCH_THREADS)
    has_gpu = torch.cuda.is_available()
    common: dict[str, Any] = {"local_files_only": not is_remote, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(where, **common)
        cls = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        tokenizer = AutoTokenizer.from_pretrained(where, **common)
        # Only safetensors: older weight files are programs. Half precision is slow on most processors.
        model = cls.from_pretrained(where, use_safetensors=True, dtype="auto" if has_gpu else torch.float32, **common)
    except Exception as error:  # the library may raise any kind of error
        raise CannotLoad(f"{where} holds no model that could be loaded: {type(error).__name__}: {error}") from error
    model = model.to("cuda" if has_gpu else "cpu").eval()
    return LoadedModel(
        model,
        tokenizer,
        Vocabulary(tokenizer, _get_vocabulary_size(model)),
        _get_context_length(model),
        _fingerprint_weights(where, model),
    )


def _get_vocabulary_size(model: Any) -> int:
    """The number of tokens in its output, often more than the tokenizer has."""
    weight = getattr(model.get_output_embeddings(), "weight", None)
    return int(model.config.get_text_config().vocab_size if weight is None else weight.shape[0])


def _get_context_length(model: Any) -> int | None:
    """Maximum tokens of prompt and reply together (of each, with an encoder); None if the model does not state it."""
    config = model.config if model.config.is_encoder_decoder else model.config.get_text_config()
    most = getattr(config, "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def _fingerprint_weights(where: str, model: Any) -> str:
    """Identifies the contents of the folder, which may change later; for a downloaded model the hub's revision."""
    if may_download(where):
        return str(getattr(model.config, "_commit_hash", None) or "")[:12]
    found = hashlib.sha256()
    for path in sorted(Path(where).glob("*.safetensors")):
        with open(path, "rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:12]


KNOWN = {
    "model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "logprobs",
    "top_logprobs", LABELS,
}  # fmt: skip
MOST_TOKENS = 512


class InProcessClient:
    """Like `transport.Client`, for an endpoint whose base URL is local:FOLDER."""

    def __init__(self, base_url: str):
        self._base_url = base_url

    async def post(self, body: bytes) -> RawResponse:
        """Raises BadAddress if the folder may not be used; other errors become a status, like a server's."""
        where = check_folder(self._base_url).removeprefix(SCHEME)
        return await self._in_thread(where, json.loads(body))

    async def close(self) -> None:
        """The model stays loaded for the next call."""

    async def _in_thread(self, where: str, asked: dict[str, Any]) -> RawResponse:
        """Return the reply; if nobody waits for it any more, the model stops at its next token."""
        stop = threading.Event()
        try:
            return await asyncio.to_thread(_complete, where, asked, stop)
        finally:
            stop.set()


def _complete(where: str, asked: dict[str, Any], stop: threading.Event) -> RawResponse:
    if unknown := sorted(set(asked) - KNOWN):
        return _make_error(400, f"The parameter {unknown[0]} is not supported by a model in process.", unknown[0])
    with model_lock:
        try:
            loaded_model = get_model(where)
            written = loaded_model.write(_parse_request(asked), stop)
        except CannotLoad as error:
            return _make_error(404, str(error), "model")
        except TooLong as error:
            return _make_error(400, str(error), "messages")
        except GenerationCancelled:
            return _make_error(503, "The reply was given up.", "")
        except (ValueError, TypeError, KeyError) as error:
            return _make_error(400, f"{type(error).__name__}: {error}", "messages")
    return _make_response(200, "OK", _build_completion(f"{asked['model']}@{loaded_model.fingerprint}", written))


def _parse_request(asked: dict[str, Any]) -> GenerationRequest:
    most = asked.get("max_tokens") or asked.get("max_completion_tokens") or MOST_TOKENS
    return GenerationRequest(
        messages=asked["messages"],
        most=int(most),
        temperature=float(asked.get("temperature", 1.0)),
        top_p=float(asked.get("top_p", 1.0)),
        seed=asked.get("seed"),
        n_top=int(asked.get("top_logprobs", 0)) if asked.get("logprobs") else None,
        labels=asked.get(LABELS, ()),
    )


def _build_completion(model: str, written: Generation) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": written.text},
        "finish_reason": "stop" if written.is_whole else "length",
    }
    if written.places:
        choice["logprobs"] = {"content": written.places}
    usage = {"prompt_tokens": written.n_in, "completion_tokens": written.n_out}
    return {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def _make_error(status: int, message: str, param: str) -> RawResponse:
    return _make_response(status, "", {"error": {"message": message, "param": param}})


def _make_response(status: int, reason: str, body: dict[str, Any]) -> RawResponse:
    return RawResponse(status, reason, {}, json.dumps(body, ensure_ascii=False))
