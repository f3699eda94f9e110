"""What a server was found to be able to do. Unknown is not no: only an answer of the server lowers the record."""

import json
from typing import Any

from django.utils import timezone

from llm.failures import Problem
from llm.models import Endpoint
from llm.prompts import DROPPABLE

LENGTH_NAMES = ("max_tokens", "max_completion_tokens")


def note(endpoint: Endpoint, **found: Any) -> None:
    """Keeps what was found out, with the date; other processes' findings stay."""
    known = Endpoint.objects.only("capabilities").get(pk=endpoint.pk).capabilities
    now = timezone.now().isoformat(timespec="seconds")
    endpoint.capabilities = known | {feature: {"value": value, "at": now} for feature, value in found.items()}
    endpoint.save(update_fields=["capabilities"])


def lower(endpoint: Endpoint, problem: Problem, params: dict[str, Any]) -> bool:
    """Notes the parameter that the server says it does not take; False if it names none that could be changed."""
    found = missing_feature(problem, params)
    if found is None:
        return False
    note(endpoint, **found)
    return True


def missing_feature(problem: Problem, params: dict[str, Any]) -> dict[str, Any] | None:
    """{feature: value} to note; None if the problem blames none of the parameters sent."""
    blamed = _blamed(problem, params)
    if blamed is None:
        return None
    if blamed in LENGTH_NAMES:
        return {"max_tokens_name": LENGTH_NAMES[1 - LENGTH_NAMES.index(blamed)]}
    feature = next((feature for feature, names in DROPPABLE.items() if blamed in names), None)
    return None if feature is None else {feature: False}


def _blamed(problem: Problem, params: dict[str, Any]) -> str | None:
    """The parameter of ours that the error names: in its field if it has one, else the first in its words."""
    try:
        told = json.loads(problem.body or "")
        param = told["error"]["param"]
    except (ValueError, RecursionError, KeyError, TypeError):
        param = None
    if param in params:
        return str(param)
    places = {name: problem.words.find(name) for name in params if name in problem.words}
    return min(sorted(places, key=len, reverse=True), key=places.__getitem__) if places else None
