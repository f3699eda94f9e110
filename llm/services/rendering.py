"""Prompts of leased calls: made again from the plan, compared with it, adapted to the server."""

from collections.abc import Sequence

from django.utils import timezone

from llm.failures import Failure
from llm.models import Call, CallState, Drainer, Endpoint, Run
from llm.prompts import content_key, prompt_for, prompt_hash
from llm.registry import Door, Request, door_of
from llm.services.ledger import Job, job_of
from llm.services.planning import render_each
from llm.services.rows import update_calls


def prepare(run: Run, endpoint: Endpoint, drainer: Drainer, calls: Sequence[Call]) -> list[Job]:
    """The calls with their prompts; those without one, or with another than was planned, have failed."""
    door, jobs, failed = door_of(run), [], []
    for call, request in zip(calls, _requests(door, run, calls), strict=True):
        if isinstance(request, str):
            failed.append(_fail(call, Failure.PROMPT, request))
        elif call.prompt_hash and call.prompt_hash != prompt_hash(request):
            failed.append(_fail(call, Failure.CHANGED, ""))
        else:
            jobs.append(job(run, endpoint, call, request))
    update_calls(failed, ["state", "error_class", "error", "finished_at"], [CallState.LEASED], drainer.name)
    return jobs


def job(run: Run, endpoint: Endpoint, call: Call, request: Request) -> Job:
    prompt = prompt_for(endpoint, request, call.adjust)
    return job_of(call, run, endpoint, prompt, content_key(run.project_id, endpoint, prompt, call.sample))


def _requests(door: Door, run: Run, calls: Sequence[Call]) -> list[Request | str]:
    """Those of the plan together, which lets a door load what they need at once; follow-ups one by one."""
    planned = [(call.key, call.sample) for call in calls if call.turn == 0]
    rendered = iter(render_each(door, run, planned))
    return [next(rendered) if call.turn == 0 else _follow_up(door, run, call) for call in calls]


def _follow_up(door: Door, run: Run, call: Call) -> Request | str:
    try:
        return _turn(door, run, call)
    except ValueError as error:
        return str(error)


def _turn(door: Door, run: Run, call: Call) -> Request:
    """The same request again (`prompt_for` sets a longer limit), or what the door asks after a bad reply."""
    if call.turn == 0:
        return door.render(run, call.key, call.sample)
    if call.follows is None:
        raise ValueError("The call that this one follows is gone.")
    if call.adjust.get("repeats"):
        return _turn(door, run, call.follows)
    request = door.reprompt(run, call.follows)
    if request is None:
        raise ValueError("The door has nothing more to ask.")
    return request


def _fail(call: Call, failure: Failure, words: str) -> Call:
    call.state, call.error_class, call.error, call.finished_at = CallState.FAILED, failure, words, timezone.now()
    return call
