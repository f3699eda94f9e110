"""Parse the body of a request: JSON that every database can store, within limits."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser

from api.problems import RequestTooLarge
from items.formats.jsonl import BadLine, parse_object


class StrictJSONParser(BaseParser):
    """An object without NaN, NUL, lone surrogates or deep nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Mapping[str, Any]:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        content = stream.read(limit + 1)
        if len(content) > limit:
            raise RequestTooLarge
        try:
            return parse_object(content)
        except BadLine as error:
            raise ParseError(str(error)) from None


class AlwaysJSON(BaseContentNegotiation):
    """The same format for every address, whatever the header Accept says."""

    def select_parser(self, request, parsers):
        kind = request.content_type.partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type
