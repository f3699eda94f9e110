"""A request in the form in which it is sent, and the hashes by which it is found again."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llm.models import Endpoint
from llm.registry import Request, hash_text, to_canonical_json
from llm.request_options import RequestOptions

SEED = "seed"
LABELS = "label_tokens"
DROPPABLE = {
    "temperature": ("temperature",),
    SEED: (SEED,),
    "logprobs": ("logprobs", "top_logprobs", LABELS),
    "json_schema": ("response_format",),
}
"""Feature -> the parameters to omit if a server is known not to accept it."""
LENGTH, OTHER_LENGTH = "max_tokens", "max_completion_tokens"
FOR_REASONING = 4096
"""Minimum output tokens for a model that reasons before it answers, if nobody set a limit."""


@dataclass(frozen=True)
class Prompt:
    """The body of a request without the model: messages and adapted parameters.

    `seed` is sent if the server accepts one. It is the sample's number, which is part of the content key anyway: an
    answer stored without it still answers the same question.
    """

    request: Request
    params: dict[str, Any]
    seed: int | None = None
    free: tuple[str, ...] = ()
    """Names of parameters that somebody set: they are never omitted silently."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.request.messages

    @property
    def canonical_messages(self) -> str:
        return self.request.canonical_messages

    @cached_property
    def canonical_params(self) -> str:
        return to_canonical_json(self.params)

    @cached_property
    def sent_params(self) -> dict[str, Any]:
        """The parameters in the form in which they are sent."""
        return self.params if self.seed is None else {**self.params, SEED: self.seed}

    @cached_property
    def canonical_sent(self) -> str:
        return self.canonical_params if self.seed is None else to_canonical_json(self.sent_params)

    def body(self, model: str) -> bytes:
        """The body to be sent, in UTF-8."""
        rest = f",{self.canonical_sent[1:]}" if self.sent_params else "}"
        return f'{{"model":{to_canonical_json(model)},"messages":{self.canonical_messages}{rest}'.encode()


def hash_request(request: Request) -> str:
    """A hash of the run kind's request, before it is adapted to a server."""
    return hash_text(f"[{request.canonical_messages},{to_canonical_json(request.params)}]")


def build_prompt(
    endpoint: Endpoint,
    request: Request,
    adjust: dict[str, Any] | None = None,
    options: RequestOptions | None = None,
    sample: int = 0,
) -> Prompt:
    """The request adapted to what is known about this server, with the options of its run."""
    options, adjust = options or RequestOptions(), adjust or {}
    params = _set_limit(endpoint, request, options, adjust)
    if request.labels and endpoint.is_in_process:
        params[LABELS] = list(request.labels)
    for feature, names in DROPPABLE.items():
        if endpoint.can(feature) is False:
            params = {name: value for name, value in params.items() if name not in names}
    if options.reasoning_effort:
        params["reasoning_effort"] = options.reasoning_effort
    params |= options.extra
    name = endpoint.can("max_tokens_name")
    if name and LENGTH in params:
        params[name] = params.pop(LENGTH)
    takes_seed = endpoint.can("seed") and SEED not in params
    return Prompt(request, params, sample if takes_seed else None, tuple(options.extra))


def _set_limit(endpoint: Endpoint, request: Request, options: RequestOptions, adjust: dict[str, Any]) -> dict[str, Any]:
    """The run kind's parameters with a token limit: it is the run's own, allows for reasoning, or was raised after a
    cut-off."""
    params = dict(request.params)
    if OTHER_LENGTH in params:  # the request was adapted before
        params[LENGTH] = params.pop(OTHER_LENGTH)
    if options.max_tokens:
        params[LENGTH] = options.max_tokens
    elif LENGTH in params and endpoint.can("reasons") and not request.keeps_limit:
        params[LENGTH] = max(params[LENGTH], FOR_REASONING)
    if LENGTH in params:
        params[LENGTH] = max(params[LENGTH], adjust.get(LENGTH, 0))
    return params


def get_token_limit(params: Mapping[str, Any] | None) -> int | None:
    """The token limit of a sent request."""
    params = params or {}
    limit = params.get(LENGTH) or params.get(OTHER_LENGTH)
    return limit if isinstance(limit, int) else None


def make_content_key(project_id: int, endpoint: Endpoint, prompt: Prompt, sample: int) -> str:
    """One key per content and project: equal keys are the same question, which is asked once.

    The local model gets a new port at every start, but stays the same model.
    """
    where = endpoint.pk if endpoint.is_local else endpoint.base_url
    parts = [
        to_canonical_json([project_id, where, endpoint.model])[:-1],
        prompt.canonical_messages,
        prompt.canonical_params,
    ]
    return hash_text(f"{','.join(parts)},{sample}]")
