"""A request as it goes over the wire, and the hashes by which it is found again."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from llm.models import Endpoint
from llm.registry import Request

DROPPABLE = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "logprobs": ("logprobs", "top_logprobs"),
    "json_schema": ("response_format",),
}
"""Feature -> the parameters that are left out where a server is known not to accept it."""
LENGTH = "max_tokens"


@dataclass(frozen=True)
class Prompt:
    """The body of a request without the model: messages and adapted parameters."""

    messages: list[dict[str, Any]]
    params: dict[str, Any]


def hash_of(value: Any) -> str:
    """160 bits of a canonical form; the same for equal values in every process."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(canonical.encode(), digest_size=20).hexdigest()


def prompt_hash(request: Request) -> str:
    """What the door asks for, before it is adapted to a server."""
    return hash_of([request.messages, request.params])


def prompt_for(endpoint: Endpoint, request: Request, adjust: dict[str, Any] | None = None) -> Prompt:
    """The request as this server takes it, from what is known of it."""
    params = dict(request.params)
    factor = (adjust or {}).get("max_tokens_factor")
    if factor and LENGTH in params:
        params[LENGTH] *= factor
    for feature, names in DROPPABLE.items():
        if endpoint.can(feature) is False:
            params = {name: value for name, value in params.items() if name not in names}
    name = endpoint.can("max_tokens_name")
    if name and LENGTH in params:
        params[name] = params.pop(LENGTH)
    return Prompt(request.messages, params)


def content_key(project_id: int, endpoint: Endpoint, prompt: Prompt, sample: int) -> str:
    """One key for one content in one project: equal keys are the same question, asked once.

    The local model gets a new port with every start; it is still the same.
    """
    where = endpoint.pk if endpoint.is_local else endpoint.base_url
    return hash_of([project_id, where, endpoint.model, prompt.messages, prompt.params, sample])
