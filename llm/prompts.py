"""A request as it goes over the wire, and the hashes by which it is found again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llm.canonical import canonical, hash_of
from llm.in_process.client import LABELS
from llm.models import Endpoint
from llm.registry import Request

DROPPABLE = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "logprobs": ("logprobs", "top_logprobs", LABELS),
    "json_schema": ("response_format",),
}
"""Feature -> the parameters that are left out where a server is known not to accept it."""
LENGTH = "max_tokens"


@dataclass(frozen=True)
class Prompt:
    """The body of a request without the model: messages and adapted parameters."""

    request: Request
    params: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.request.messages

    @property
    def canonical_messages(self) -> str:
        return self.request.canonical_messages

    @cached_property
    def canonical_params(self) -> str:
        return canonical(self.params)

    def body(self, model: str) -> bytes:
        """What is sent, in UTF-8."""
        rest = f",{self.canonical_params[1:]}" if self.params else "}"
        return f'{{"model":{canonical(model)},"messages":{self.canonical_messages}{rest}'.encode()


def prompt_hash(request: Request) -> str:
    """What the door asks for, before it is adapted to a server."""
    return hash_of(f"[{request.canonical_messages},{canonical(request.params)}]")


def prompt_for(endpoint: Endpoint, request: Request, adjust: dict[str, Any] | None = None) -> Prompt:
    """The request as this server takes it, from what is known of it."""
    params = dict(request.params)
    if request.labels and endpoint.is_in_process:
        params[LABELS] = list(request.labels)
    factor = (adjust or {}).get("max_tokens_factor")
    if factor and LENGTH in params:
        params[LENGTH] *= factor
    for feature, names in DROPPABLE.items():
        if endpoint.can(feature) is False:
            params = {name: value for name, value in params.items() if name not in names}
    name = endpoint.can("max_tokens_name")
    if name and LENGTH in params:
        params[name] = params.pop(LENGTH)
    return Prompt(request, params)


def content_key(project_id: int, endpoint: Endpoint, prompt: Prompt, sample: int) -> str:
    """One key for one content in one project: equal keys are the same question, asked once.

    The local model gets a new port with every start; it is still the same.
    """
    where = endpoint.pk if endpoint.is_local else endpoint.base_url
    parts = [canonical([project_id, where, endpoint.model])[:-1], prompt.canonical_messages, prompt.canonical_params]
    return hash_of(f"{','.join(parts)},{sample}]")
