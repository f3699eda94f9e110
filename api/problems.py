"""Errors as problem documents (RFC 9457): one sentence, and the place of the error if known."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.exceptions import ValidationError as DjangoValidationError
from django.forms import BaseForm
from django.http import Http404
from django.utils.translation import gettext as _
from pydantic import ValidationError as PydanticValidationError
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from analysis.choices import BadChoice
from analysis.pack.archiving import CannotArchive
from api.services.idempotency import KeyReused, StillWorking
from api.services.webhooks import TooMany
from api.shapes import ColumnSerializer, JobSerializer
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.scoring import ScoringRefused
from generation.services.storing import CannotGenerate
from items.files import UnreadableFile
from items.formats.rows import ImportProblem
from items.formats.sheet_writing import TooLarge
from items.services.editing import EditRefused
from items.services.import_files import describe_columns
from items.services.importing import ImportRefused as ItemsRefused
from items.services.undoing import CannotUndo
from jobs.views import ResultPending
from llm.addresses import BadAddress
from llm.services.runs import CannotStart
from studies.services.creating import NotADraft, SlugTaken
from studies.services.instrument_writing import InstrumentRefused
from studies.services.instruments import UnknownInstrument
from studies.services.responses.importing import ImportRefused as ResponsesRefused
from studies.services.responses.mapping import BadMapping
from studies.services.spec import SpecError
from studies.services.states import WrongState

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 200

# The status and the type of each service's refusals; the message of the exception is the sentence.
REFUSALS: dict[type[Exception], tuple[int, str]] = {
    SlugTaken: (409, "taken"),
    WrongState: (409, "wrong-state"),
    NotADraft: (409, "wrong-state"),
    EditRefused: (409, "refused"),
    BadChoice: (400, "bad-choice"),
    SpecError: (422, "refused"),
    CannotEvaluate: (422, "refused"),
    CannotGenerate: (422, "refused"),
    CannotStart: (422, "refused"),
    UnknownInstrument: (422, "refused"),
    UnreadableFile: (422, "refused"),
    CannotArchive: (409, "wrong-state"),
    BadMapping: (422, "refused"),
    CannotUndo: (409, "refused"),
    TooLarge: (422, "refused"),
    BadAddress: (422, "refused"),
    TooMany: (422, "refused"),
}


class Refused(Exception):
    """A request that cannot be done: a status, a type, a sentence and possibly errors by field."""

    def __init__(self, detail: str, *, status: int = 422, kind: str = "refused", errors: Any = ()):
        super().__init__(detail)
        self.status, self.kind, self.errors = status, kind, list(errors)


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="What it is about; empty: the whole.")
    line = serializers.IntegerField(required=False, help_text="The line of a file, from 1; absent: the whole file.")
    reason = serializers.CharField(help_text="What is wrong and what to do.")


class ProblemSerializer(serializers.Serializer):
    """A problem document as RFC 9457 defines it."""

    type = serializers.CharField(help_text="What kind of problem it is, such as urn:lesart:problem:wrong-state.")
    title = serializers.CharField(help_text="The kind in words.")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened and what to do, in one or two sentences.")
    errors = FieldErrorSerializer(many=True, required=False)
    columns = ColumnSerializer(
        many=True, required=False, help_text="Columns found in the refused table of items; assign them with `mapping`."
    )


TITLES = {
    "invalid": "The request is not valid",
    "bad-choice": "The request is not valid",
    "unauthenticated": "No valid token",
    "forbidden": "Not allowed",
    "not-found": "Not found",
    "method-not-allowed": "Method not allowed",
    "wrong-state": "Not possible in this state",
    "taken": "The name is taken",
    "in-progress": "Still at work",
    "changed": "Changed in the meantime",
    "too-large": "Too large",
    "unsupported-media-type": "Unsupported format",
    "refused": "Refused",
    "key-reused": "Idempotency key reused",
    "rate-limit": "Too many requests",
}


def make_problem(status: int, kind: str, detail: str, errors: Any = (), headers: Any = None) -> Response:
    """The problem document as a response."""
    body = describe_problem(status, kind, detail)
    if found := list(errors)[:MAX_ERRORS]:
        body["errors"] = found
    return Response(body, status=status, content_type=MEDIA_TYPE, headers=headers)


def describe_problem(status: int, kind: str, detail: str) -> dict[str, Any]:
    return {"type": f"urn:lesart:problem:{kind}", "title": TITLES[kind], "status": status, "detail": detail}


def describe_not_found() -> dict[str, Any]:
    return describe_problem(404, "not-found", _("There is nothing at this address that your account may see."))


def handle_exception(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The problem document of an exception; None for unknown ones, which become errors of the server."""
    if isinstance(error, ResultPending):
        return report_pending(error, context)
    if isinstance(error, (Http404, exceptions.NotFound)):
        return Response(describe_not_found(), status=404, content_type=MEDIA_TYPE)
    if isinstance(error, PermissionDenied):
        return make_problem(403, "forbidden", _("Only admins of the server may do this."))
    if isinstance(error, Refused):
        return make_problem(error.status, error.kind, str(error), error.errors)
    if isinstance(error, KeyReused):
        return make_problem(422, "key-reused", _("This idempotency key was used for another request. Use a new key."))
    if isinstance(error, StillWorking):
        sentence = _("The first request with this idempotency key has not ended yet. Try again in a moment.")
        return make_problem(409, "in-progress", sentence, headers={"Retry-After": "1"})
    if isinstance(error, RequestDataTooBig | RequestTooLarge):
        return make_problem(413, "too-large", _("The request is too large. Send the content as a file."))
    if isinstance(error, ScoringRefused):
        return make_problem(422, "refused", str(error), map(describe_text_problem, error.problems.listed))
    for kind, (status, name) in REFUSALS.items():
        if isinstance(error, kind):
            return make_problem(status, name, str(error))
    return describe_invalid(error) or describe_api_exception(error)


class RequestTooLarge(Exception):
    """The body of a request exceeds the limit."""


def report_pending(error: ResultPending, context: Mapping[str, Any]) -> Response:
    """202 with the job that computes the result: ask again when it is done."""
    job = JobSerializer(error.job, context={"request": context["request"]}).data
    return Response(job, status=202, headers={"Retry-After": "1"})


def describe_invalid(error: Exception) -> Response | None:
    """The problem document of an error that lists its problems by field."""
    sentence = _("The request was refused and nothing was stored. “errors” says what is wrong.")
    if isinstance(error, exceptions.ValidationError):
        return make_problem(400, "invalid", sentence, list_errors(error.detail))
    if isinstance(error, DjangoValidationError):
        named = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
        return make_problem(422, "refused", sentence, list_errors(named))
    if isinstance(error, PydanticValidationError):
        found = [{"field": ".".join(map(str, each["loc"])), "reason": each["msg"]} for each in error.errors()]
        return make_problem(400, "invalid", sentence, found)
    if isinstance(error, ItemsRefused):
        return describe_refused_items(error)
    if isinstance(error, ResponsesRefused | InstrumentRefused):
        return make_problem(
            422, "refused", sentence, [describe_row_problem(each) for each in error.problems[:MAX_ERRORS]]
        )
    return None


def describe_refused_items(error: ItemsRefused) -> Response:
    errors = list(map(describe_import_problem, error.plan.problems.listed))
    response = make_problem(422, "refused", str(error), errors)
    if error.plan.columns:
        response.data["columns"] = describe_columns(error.plan.columns)
    return response


def describe_import_problem(problem: ImportProblem) -> dict[str, Any]:
    line = {"line": problem.line} if problem.line else {}
    return {"field": problem.field, **line, "reason": problem.reason}


def describe_text_problem(problem: ImportProblem) -> dict[str, Any]:
    """A problem of a text in the body of a request; texts are counted from 1."""
    place = [f"texts {problem.line}"] if problem.line else []
    return {"field": ", ".join([*place, *filter(None, [problem.field])]), "reason": problem.reason}


def describe_row_problem(problem: Any) -> dict[str, Any]:
    """A problem of a file of responses (line, field, reason) or of an instrument (place, sentence)."""
    line = {"line": problem.line} if getattr(problem, "line", None) else {}
    reason = getattr(problem, "reason", None) or problem.sentence
    return {"field": str(getattr(problem, "field", "") or getattr(problem, "place", "")), **line, "reason": reason}


def list_errors(found: Any, place: str = "") -> Iterator[dict[str, Any]]:
    """Errors by field, nested ones with the whole path of the field."""
    if isinstance(found, Mapping):
        for name, inner in found.items():
            own = "" if name in ("non_field_errors", "__all__") else str(name)
            yield from list_errors(inner, ".".join(filter(None, [place, own])))
    elif isinstance(found, list | tuple):
        for inner in found:
            yield from list_errors(inner, place)
    else:
        yield {"field": place, "reason": str(found)}


def require_valid(form: BaseForm) -> dict[str, Any]:
    """The cleaned data of one of the pages' forms; `Refused` with its errors."""
    if form.is_valid():
        return dict(form.cleaned_data)
    errors = list_errors({name: [str(each) for each in messages] for name, messages in form.errors.items()})
    raise Refused(_("“errors” says what is wrong with the request."), status=400, kind="invalid", errors=errors)


def describe_api_exception(error: Exception) -> Response | None:
    """The problem document for an exception of Django REST framework."""
    kinds = {401: "unauthenticated", 403: "forbidden", 405: "method-not-allowed", 415: "unsupported-media-type"}
    if not isinstance(error, exceptions.APIException):
        return None
    if isinstance(error, exceptions.Throttled):
        sentence = _("This token has made too many requests in this minute. Try again when the next one begins.")
        return make_problem(429, "rate-limit", sentence, headers={"Retry-After": str(int(error.wait or 1))})
    headers = {"WWW-Authenticate": error.auth_header} if getattr(error, "auth_header", None) else {}
    kind = kinds.get(error.status_code, "invalid")
    return make_problem(error.status_code, kind, str(error.detail), headers=headers)
