"""What a run would cost: walks the same plan without writing a row."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db.models import Avg

from llm.models import Call, CallState, Endpoint, Run
from llm.prices import cost_nanos, most_tokens_out, tokens_in
from llm.prompts import Prompt, content_key, prompt_for
from llm.registry import Request, door_of
from llm.services.planning import render_each

AT_ONCE = 500
RECENT = 200


@dataclass(frozen=True)
class Estimate:
    """Tokens and money of the calls that are not known yet, at most; money is None without a price, time if unknown."""

    n_calls: int
    n_known: int
    n_without_prompt: int
    tokens_in: int
    tokens_out: int
    cost_nanos: int | None
    seconds: float | None

    @property
    def n_new(self) -> int:
        return self.n_calls - self.n_known - self.n_without_prompt


def estimate(run: Run) -> Estimate:
    """The run need not be stored. Equal prompts are asked once: the later ones are known by then."""
    n_calls = n_known = n_bad = n_in = n_out = 0
    seen: set[str] = set()
    for keyed in _prompts(run):
        n_calls += len(keyed)
        stored = _stored({pair[0] for pair in keyed if pair})
        for pair in keyed:
            if pair is None:
                n_bad += 1
            elif pair[0] in stored or pair[0] in seen:
                n_known += 1
            else:
                seen.add(pair[0])
                n_in, n_out = n_in + tokens_in(pair[1]), n_out + most_tokens_out(pair[1])
    seconds = _seconds(run.endpoint, len(seen))
    return Estimate(n_calls, n_known, n_bad, n_in, n_out, cost_nanos(run.endpoint, n_in, n_out), seconds)


Keyed = tuple[str, Prompt] | None


def _prompts(run: Run) -> Iterator[list[Keyed]]:
    """Per batch of the plan: content key and prompt of each call, None where there can be no prompt."""
    door = door_of(run)
    pairs = iter(door.most(run))
    while batch := list(islice(pairs, AT_ONCE)):
        rendered = render_each(door, run, batch)
        yield [_keyed(run, request, sample) for (_key, sample), request in zip(batch, rendered, strict=True)]


def _keyed(run: Run, request: Request | str, sample: int) -> Keyed:
    if isinstance(request, str):
        return None
    prompt = prompt_for(run.endpoint, request)
    return content_key(run.project_id, run.endpoint, prompt, sample), prompt


def _stored(keys: set[str]) -> set[str]:
    known = Call.objects.filter(content_key__in=keys).with_stored_answer()
    return set(known.values_list("content_key", flat=True))


def _seconds(endpoint: Endpoint, n_calls: int) -> float | None:
    """From the last answers of this endpoint; None if there are none."""
    answered = Call.objects.filter(run__endpoint=endpoint, state=CallState.ANSWERED, seconds__isnull=False)
    recent = list(answered.order_by("-pk").values_list("pk", flat=True)[:RECENT])
    mean = Call.objects.filter(pk__in=recent).aggregate(mean=Avg("seconds"))["mean"]
    return None if mean is None else float(mean) * n_calls / endpoint.max_concurrency
