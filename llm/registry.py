"""The interface of a kind of run. Keys are opaque to the engine, which knows nothing of the domain."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.module_loading import import_string

from llm.models import Call, Run

_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def to_canonical_json(value: Any) -> str:
    """The same for equal values in every process."""
    return _encoder.encode(value)


def hash_text(text: str) -> str:
    """160 bits of a canonical form."""
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Request:
    """One prompt: the messages and the parameters (temperature, max_tokens, logprobs, …) of a chat completion."""

    messages: list[dict[str, Any]]
    params: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    """Words whose probability decides, told whatever their rank where the whole vocabulary is at hand."""
    keeps_limit: bool = False
    """Whether the token limit is part of what is measured: it grows for no model that reasons."""

    @cached_property
    def canonical_messages(self) -> str:
        """As JSON: hashed, stored and sent, but made once."""
        return to_canonical_json(self.messages)


class Unparsable(Exception):
    """The reply holds no answer. The engine asks once more if the run kind has words for it, else the call failed."""


class Rejected(Exception):
    """The reply can be read but not be used: kept and counted, and the next sample of the same key is asked for."""


class Refused(Exception):
    """The model declined to answer: final, missing in figures."""


class RunKind(ABC):
    """One kind of run. Register it with `register` when the app starts.

    All methods read only `run.project`, `run.endpoint`, `run.params` and `run.scope`: an estimate walks the plan of a
    run that is not stored. The same run gives the same plan in the same order, also after a restart.
    """

    kind = ""
    label = ""

    @abstractmethod
    def plan(self, run: Run) -> Iterable[tuple[str, int]]:
        """All (key, sample), each once; those with the same prompt prefix are adjacent."""

    @abstractmethod
    def render(self, run: Run, key: str, sample: int) -> Request:
        """The prompt; the same whenever it is asked for. ValueError with a sentence if there can be none."""

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        """Many prompts at once; override it to load what they need with few queries."""
        return [self.render(run, key, sample) for key, sample in pairs]

    @abstractmethod
    def read(self, run: Run, call: Call) -> Any:
        """Stores the answer and returns its description for people (JSON). Idempotent.

        Runs in a transaction after the raw reply was committed; `call.answer` and `call.answer_logprobs` are the reply
        without reasoning traces.
        Raises Unparsable, Rejected or Refused with a sentence, before it writes anything.
        """

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """What to ask after the unparsable reply of that call; None: nothing, it failed."""
        return None

    def plan_all(self, run: Run) -> Iterable[tuple[str, int]]:
        """The plan with all that `next_calls` may add: what an estimate walks."""
        return self.plan(run)

    def next_calls(self, run: Run, call: Call) -> Iterable[tuple[str, int]]:
        """More (key, sample) that are to be asked after the answer of that call; in the transaction of `read`.

        They are rendered when leased, so their prompts may rest on the answers before. One that is there stays.
        """
        return ()

    def may_follow_up(self, run: Run, call: Call) -> bool:
        """Whether the engine may ask again after an empty, cut or unparsable reply; a study as published says no."""
        return True

    def conclude(self, run: Run) -> None:
        """Called when every reply was read and committed, in the transaction that marks the run as done."""
        return

    def url(self, run: Run) -> str | None:
        """Where the answers can be seen."""
        return None


_run_kinds: dict[str, RunKind | str] = {}


def register(kind: str, run_kind: RunKind | str) -> None:
    """A run kind, or the path of its class, which is imported for the first run of the kind."""
    _run_kinds[kind] = run_kind


def get_run_kind(run: Run) -> RunKind:
    """The run's kind; LookupError if this process knows none."""
    run_kind = _run_kinds.get(run.kind)
    if run_kind is None:
        raise LookupError(f"No kind of run is registered under {run.kind!r}.")
    if isinstance(run_kind, str):
        run_kind = _run_kinds[run.kind] = import_string(run_kind)()
    return run_kind
