"""Responses that a browser saves as a file."""

from typing import IO

from django.http import FileResponse, HttpResponse

TABLE_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}
TABLE_TYPES |= {"json": "application/json", "tex": "application/x-tex; charset=utf-8"}


def send_file(name: str, file: IO[bytes]) -> FileResponse:
    file_type = TABLE_TYPES[name.rpartition(".")[2]]
    return FileResponse(file, as_attachment=True, filename=name, content_type=file_type)


def attach(content: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=TABLE_TYPES[name.rpartition(".")[2]], headers=headers)
