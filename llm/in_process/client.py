"""A model of this process in the place of a server: takes the body of a chat completion, gives one back."""

import asyncio
import json
import threading
from typing import Any

from llm.in_process import loading
from llm.in_process.places import SCHEME, check_place
from llm.in_process.writing import GivenUp, TooLong, Wish, Written
from llm.transport import Received

LABELS = "label_tokens"
KNOWN = {
    "model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "logprobs",
    "top_logprobs", LABELS,
}  # fmt: skip
MOST_TOKENS = 512


class InProcessClient:
    """The same as `transport.Client`, for an endpoint whose base URL is local:FOLDER."""

    def __init__(self, base_url: str):
        self._base_url = base_url

    async def post(self, body: bytes) -> Received:
        """BadAddress if the folder may not be used; whatever else is wrong is a status, as a server would send it."""
        where = check_place(self._base_url).removeprefix(SCHEME)
        return await self._in_thread(where, json.loads(body))

    async def close(self) -> None:
        """The model stays loaded for the next one."""

    async def _in_thread(self, where: str, asked: dict[str, Any]) -> Received:
        """A reply that nobody waits for any more is given up at its next token."""
        over = threading.Event()
        try:
            return await asyncio.to_thread(_answer, where, asked, over)
        finally:
            over.set()


def _answer(where: str, asked: dict[str, Any], over: threading.Event) -> Received:
    if unknown := sorted(set(asked) - KNOWN):
        return _error(400, f"The parameter {unknown[0]} is not supported by a model in process.", unknown[0])
    with loading.at_work:
        try:
            speaker = loading.speaker_of(where)
            written = speaker.write(_wish(asked), over)
        except loading.CannotLoad as error:
            return _error(404, str(error), "model")
        except TooLong as error:
            return _error(400, str(error), "messages")
        except GivenUp:
            return _error(503, "The reply was given up.", "")
        except (ValueError, TypeError, KeyError) as error:
            return _error(400, f"{type(error).__name__}: {error}", "messages")
    return _received(200, "OK", _completion(f"{asked['model']}@{speaker.fingerprint}", written))


def _wish(asked: dict[str, Any]) -> Wish:
    most = asked.get("max_tokens") or asked.get("max_completion_tokens") or MOST_TOKENS
    return Wish(
        messages=asked["messages"],
        most=int(most),
        temperature=float(asked.get("temperature", 1.0)),
        top_p=float(asked.get("top_p", 1.0)),
        seed=asked.get("seed"),
        n_top=int(asked.get("top_logprobs", 0)) if asked.get("logprobs") else None,
        labels=asked.get(LABELS, ()),
    )


def _completion(model: str, written: Written) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": written.text},
        "finish_reason": "stop" if written.is_whole else "length",
    }
    if written.places:
        choice["logprobs"] = {"content": written.places}
    usage = {"prompt_tokens": written.n_in, "completion_tokens": written.n_out}
    return {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage}


def _error(status: int, message: str, param: str) -> Received:
    return _received(status, "", {"error": {"message": message, "param": param}})


def _received(status: int, reason: str, told: dict[str, Any]) -> Received:
    return Received(status, reason, {}, json.dumps(told, ensure_ascii=False))
