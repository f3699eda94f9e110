"""Recorded runs: exporting their replies, and importing them into another project.

No model is asked. A reply is found by its request, so it can only be used for exactly the same prompt.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from llm.models import Call, CallState, Run
from llm.prompts import SEED, Prompt
from llm.registry import hash_text, to_canonical_json
from llm.services import runs
from llm.services.ledger import Job, update_calls
from llm.services.planning import plan_run, prepare_jobs
from llm.services.reading import read_replies
from llm.services.workers import lease_calls, register_drainer, release_drainer

RECORDED_COLUMNS = ["text", "finish_reason", "returned_model", "logprobs", "tokens_in", "tokens_out", "seconds"]
REPLAYED_COLUMNS = [
    *RECORDED_COLUMNS,
    "state",
    "lease_owner",
    "content_key",
    "messages",
    "params",
    "times_sent",
    "tries",
    "status",
    "sent_at",
]
AT_ONCE = 200
TOKENS_WITH_LOGPROBS = 4  # the label is at the beginning; later tokens would only add size

Recording = Mapping[str, Any]


class NotRecorded(Exception):
    """A prompt that was not asked when the replies were recorded."""


def fingerprint(messages: Sequence[Mapping[str, Any]], params: Mapping[str, Any], sample: int) -> str:
    """A hash of the request, the same on any server and in any project."""
    return hash_text(to_canonical_json([messages, params, sample]))


def export_replies(run: Run) -> Iterator[dict[str, Any]]:
    """The replies of the run, in order, without raw bodies and without log-probabilities of later tokens."""
    for call in run.calls.filter(text__isnull=False, copied_from=None).order_by("position", "sample", "turn"):
        found = {name: getattr(call, name) for name in RECORDED_COLUMNS}
        found["logprobs"] = _shorten_logprobs(call.logprobs)
        params = {name: value for name, value in (call.params or {}).items() if name != SEED}
        yield {"asked": fingerprint(call.messages or [], params, call.sample), **found}


@transaction.atomic
def replay(run: Run, recorded: Mapping[str, Recording], ask: Callable[[Run], object] | None = None) -> None:
    """Plan the run and give each call its recorded reply, in the same steps as a worker.

    Calls without a reply are left to `ask`; without it NotRecorded is raised. Call it in the transaction that creates
    the run, before any worker learns of it.
    """
    run.is_recorded = run.keeps_going = True
    run.save(update_fields=["is_recorded", "keeps_going"])
    plan_run(run, lambda: True)
    drainer = register_drainer(run.pk)
    assert drainer is not None, "nobody else can know of the run yet"
    while calls := lease_calls(run, drainer, AT_ONCE):
        jobs = prepare_jobs(run, run.endpoint, drainer, calls)
        known = [job for job in jobs if ask is None or _fingerprint_prompt(job.prompt, job.call.sample) in recorded]
        replied = [_fill_in_reply(job, recorded) for job in known]
        update_calls(replied, REPLAYED_COLUMNS, [CallState.LEASED], drainer.name)
        read_replies(run, replied)
    release_drainer(drainer)
    if ask is not None:
        ask(run)
    runs.finish(run)
    run.refresh_from_db()


def _fill_in_reply(job: Job, recorded: Mapping[str, Recording]) -> Call:
    call, prompt = job.call, job.prompt
    reply = recorded.get(_fingerprint_prompt(prompt, call.sample))
    if reply is None:
        raise NotRecorded(f"No reply was written down for the call {call} of {call.run}.")
    for name in RECORDED_COLUMNS:
        setattr(call, name, reply[name])
    call.state, call.lease_owner, call.content_key = CallState.REPLIED, "", job.content_key
    call.messages, call.params, call.status = prompt.messages, prompt.sent_params, 200
    call.times_sent, call.tries, call.sent_at = 1, 1, timezone.now()
    return call


def _fingerprint_prompt(prompt: Prompt, sample: int) -> str:
    return fingerprint(prompt.messages, prompt.params, sample)


def _shorten_logprobs(logprobs: list[Any] | None) -> list[Any] | None:
    if logprobs is None:
        return None
    return [
        [token, round(value, 5), [[other, round(p, 5)] for other, p in top]]
        for token, value, top in logprobs[:TOKENS_WITH_LOGPROBS]
    ]
