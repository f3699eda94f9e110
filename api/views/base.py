"""Shared by all views of the API: operations with scope and role, pagination, ETags and idempotency keys."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.pagination import CursorPagination
from rest_framework.parsers import MultiPartParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.models import MAX_KEY, Scope, StoredReply
from api.parsing import StrictJSONParser
from api.problems import MEDIA_TYPE, ProblemSerializer, Refused
from api.services import idempotency
from api.shapes import JobSerializer
from items.files import check_size
from items.plain import has_control
from projects.access import get_project
from projects.models import Role
from studies.access import get_study

Shape = type[serializers.Serializer]


@dataclass(frozen=True)
class Filter:
    """A query parameter that selects the rows in which a column has this value."""

    name: str
    column: str
    about: str
    choices: tuple[str, ...] = ()

    def describe(self) -> OpenApiParameter:
        return OpenApiParameter(self.name, str, description=self.about, enum=self.choices or None)

    def read(self, given: str) -> str:
        if has_control(given) or (self.choices and given not in self.choices):
            known = _("one of: %(names)s") % {"names": ", ".join(self.choices)} if self.choices else _("plain text")
            sentence = _("“%(name)s” is %(known)s.") % {"name": self.name, "known": known}
            raise Refused(sentence, status=400, kind="invalid")
        return given


@dataclass(frozen=True)
class Operation:
    """The scope and role that a method of an address needs, and how its rows are shown, filtered and sorted."""

    scope: Scope
    role: Role
    shape: Any = None
    filters: tuple[Filter, ...] = ()
    sorts: Mapping[str, str] = field(default_factory=dict)


PROBLEMS = {
    400: "The request is not valid.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The token lacks the scope, or this is hidden or for admins.",
    404: "Nothing at this address that the person of the token may see.",
    405: "The address has other methods.",
    429: "Too many requests in this minute.",
}
WRITE_PROBLEMS = {
    409: "Not possible in the present state, or the name is taken.",
    412: "If-Match names an earlier state.",
    413: "The request is too large.",
    415: "Neither JSON nor a form with a file.",
    422: "Understood and refused; or the idempotency key was used for another request.",
}
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="A word of your own, up to 200 characters. A repeated request with it gets the first reply and "
    "does nothing. Kept for 24 hours.",
)
MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="The ETag that you have seen; refused if it changed since."
)
NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="An ETag: 304 if nothing has changed since."
)
BOM = OpenApiParameter("bom", bool, description="Begin a CSV with a byte-order mark, as Excel wants it.")
PAGING = (
    OpenApiParameter("cursor", str, description="Of another page: take `next` or `previous` of a reply."),
    OpenApiParameter("limit", int, description="Rows on a page, 1 to 200; 50 if absent."),
)


def operation(
    summary: str,
    *,
    scope: Scope = Scope.READ,
    role: Role = Role.VIEWER,
    takes: Any = None,
    gives: Any = None,
    status: int = 200,
    paged: bool = False,
    filters: tuple[Filter, ...] = (),
    sorts: Mapping[str, str] | None = None,
    query: tuple[OpenApiParameter, ...] = (),
    media: tuple[str, ...] = (),
    may_wait: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a method of a view: for the access check, for `page`, and for the OpenAPI document.

    media: the types of the returned file; may_wait: 202 with a job if a worker computes the result first.
    """

    def decorate(method: Any) -> Any:
        method.operation = Operation(scope, role, gives, filters, sorts or {})
        writes = method.__name__ not in ("get", "head")
        listed = describe_page(gives) if paged else gives(many=False) if isinstance(gives, type) else gives
        answers: dict[Any, Any] = {}
        if media:
            answers |= {(status, kind): OpenApiTypes.BINARY for kind in media}
        else:
            answers[status] = listed if listed is not None else OpenApiResponse(description="Done.")
        if may_wait:
            answers[202] = OpenApiResponse(JobSerializer, description="A worker makes the result: ask again later.")
        if not writes:
            answers[304] = OpenApiResponse(description="Nothing has changed since.")
        for code, about in (PROBLEMS | (WRITE_PROBLEMS if writes else {})).items():
            answers[(code, MEDIA_TYPE)] = OpenApiResponse(ProblemSerializer, description=about)
        headers = (KEY,) if method.__name__ == "post" else (MATCH,) if writes else (NONE_MATCH,)
        sorting = tuple(each for name in method.operation.sorts for each in (name, f"-{name}"))
        order = (OpenApiParameter("sort", str, enum=sorting, description="A minus in front reverses the order."),)
        return extend_schema(
            summary=summary,
            description=f"{method.__doc__ or ''}\n\nScope: `{scope.value}`. Role: {role.value}.".strip(),
            request=takes,
            responses=answers,
            parameters=[
                *headers,
                *query,
                *(each.describe() for each in filters),
                *(PAGING if paged else ()),
                *(order if sorting else ()),
            ],
        )(method)

    return decorate


def describe_page(shape: Shape) -> serializers.Serializer:
    fields = {
        "results": shape(many=True),
        "next": serializers.CharField(allow_null=True, help_text="The address of the next page."),
        "previous": serializers.CharField(allow_null=True, help_text="The address of the page before."),
    }
    return inline_serializer(f"{shape.__name__.removesuffix('Serializer')}Page", fields)


class Pages(CursorPagination):
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link(), "previous": self.get_previous_link()})


class Replay(Exception):
    """The request's key has a stored reply."""

    def __init__(self, row: StoredReply):
        super().__init__(row.key)
        self.row = row


class View(APIView):
    """A view of the API. Its methods are declared by `operation`."""

    metadata_class = None
    stored_reply: StoredReply | None = None

    @property
    def operation(self) -> Operation | None:
        method = {"head": "get"}.get(name := (self.request.method or "").lower(), name)
        return getattr(getattr(self, method, None), "operation", None)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.operation:
            self.find(self.operation.role, **kwargs)
            self.claim_key(request)

    def find(self, role: Role, **where: Any) -> None:
        """Look up the object of the address, for somebody with that role; 404 for others."""

    # Idempotency keys

    def claim_key(self, request: Request) -> None:
        key = request.headers.get("Idempotency-Key", "")
        if request.method != "POST" or not key:
            return
        if len(key) > MAX_KEY or not key.isprintable():
            sentence = _("An idempotency key has up to %(n)d printable characters.") % {"n": MAX_KEY}
            raise Refused(sentence, status=400, kind="invalid")
        fingerprint = idempotency.make_fingerprint("POST", request.get_full_path(), request.data)
        row = idempotency.claim_key(request.auth, key, fingerprint)
        if row.status is not None:
            raise Replay(row)
        self.stored_reply = row

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Replay):
            reply = idempotency.read_reply(exc.row)
            return Response(reply, status=exc.row.status, headers={"Idempotency-Replayed": "true"})
        if self.stored_reply:
            idempotency.free_key(self.stored_reply)
            self.stored_reply = None
        response: Response = super().handle_exception(exc)
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if self.stored_reply:
            idempotency.store_reply(
                self.stored_reply, response.status_code, JSONRenderer().render(response.data).decode()
            )
            self.stored_reply = None
        final: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        final["Cache-Control"] = "private, no-cache"
        return final

    # Replies

    def show(self, value: Any, shape: Any = None, status: int = 200) -> Any:
        """The value in the shape of the operation, with an ETag; 304 if the client has it already."""
        assert self.operation
        data = (shape or self.operation.shape)(value, context={"request": self.request}).data
        response = Response(data, status=status, headers={"ETag": make_etag(data)})
        return self.check_conditions(response) if self.request.method in ("GET", "HEAD") else response

    def check_conditions(self, response: Any) -> Any:
        return get_conditional_response(self.request._request, etag=response["ETag"], response=response)

    def require_match(self, value: Any, shape: Any) -> None:
        """412 if the header If-Match names another state of the value.

        A compressed reply had a weak ETag (W/) of the same state.
        """
        known = {etag.removeprefix("W/") for etag in parse_etags(self.request.headers.get("If-Match", "*"))}
        if not known & {"*", make_etag(shape(value, context={"request": self.request}).data)}:
            sentence = _("This has changed since you read it. Read it again, then repeat your change.")
            raise Refused(sentence, status=412, kind="changed")

    def page(self, rows: QuerySet[Any], order: str = "pk") -> Any:
        """A page of the rows, filtered and sorted as in the query."""
        assert self.operation
        pages = Pages()
        pages.ordering = self.read_order(order)
        try:
            found = pages.paginate_queryset(self.filter(rows), self.request, self)
        except (ValueError, TypeError, OverflowError, DjangoValidationError, DataError):
            raise Refused(_("This cursor is not one of this list."), status=400, kind="invalid") from None
        data = self.operation.shape(found, many=True, context={"request": self.request}).data
        response = pages.get_paginated_response(data)
        response["ETag"] = make_etag(response.data)
        return self.check_conditions(response)

    def read_order(self, default: str) -> tuple[str, ...]:
        assert self.operation
        asked = self.request.query_params.get("sort", "")
        if not asked:
            return (default,) if default.lstrip("-") == "pk" else (default, "pk")
        if asked.lstrip("-") not in self.operation.sorts:
            sentence = _("Sort by one of: %(names)s.") % {"names": ", ".join(self.operation.sorts)}
            raise Refused(sentence, status=400, kind="invalid")
        return ("-" * asked.startswith("-") + self.operation.sorts[asked.lstrip("-")], "pk")

    def filter(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        assert self.operation
        given = self.request.query_params
        kept = {each.column: each.read(given[each.name]) for each in self.operation.filters if given.get(each.name)}
        return rows.filter(**kept) if kept else rows

    def give_file(self, content: bytes, kind: str, name: str) -> Any:
        """A small file with its ETag."""
        headers = {"ETag": make_etag(content), "Content-Disposition": f'attachment; filename="{name}"'}
        return self.check_conditions(HttpResponse(content, content_type=kind, headers=headers))

    def read(self, shape: Shape) -> Any:
        """The validated body of the request; `ValidationError` with its errors."""
        given = shape(data=self.request.data, context={"request": self.request})
        unknown = (
            sorted(set(self.request.data) - set(given.fields)) if isinstance(given, serializers.Serializer) else []
        )
        if unknown:
            raise serializers.ValidationError({name: [_("This field is unknown.")] for name in unknown})
        given.is_valid(raise_exception=True)
        return given.validated_data


class FileView(View):
    """Accepts a file in a form; one above the limit of pages is refused."""

    parser_classes = [MultiPartParser]

    def read(self, shape: Shape) -> Any:
        given = super().read(shape)
        try:
            check_size(*self.request.FILES.getlist("file"))
        except ValueError as error:
            raise Refused(str(error)) from None
        return given


class JSONView(View):
    parser_classes = [StrictJSONParser]


def make_etag(value: Any) -> str:
    content = value if isinstance(value, bytes) else JSONRenderer().render(value)
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


class ProjectView(JSONView):
    """About a project, or about something in it."""

    def find(self, role: Role, **where: Any) -> None:
        self.project = get_project(self.request.user, where["project"], role)


class StudyView(JSONView):
    """About a study."""

    def find(self, role: Role, **where: Any) -> None:
        self.study = get_study(self.request.user, where["study"], role)
        self.project = self.study.project
