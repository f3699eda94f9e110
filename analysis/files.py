"""Write files wholly or not at all, sort the keys of what is written as JSON, and send files as downloads."""

import codecs
import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from items.files import wants_bom

# PostgreSQL does not keep the order of the keys of JSON.


def sort_keys(value: Any) -> Any:
    """The value with the keys of every mapping in it sorted alphabetically; lists stay unchanged."""
    if isinstance(value, dict):
        return {key: sort_keys(value[key]) for key in sorted(value)}
    return [sort_keys(each) for each in value] if isinstance(value, list) else value


# Writing files: each is complete, or is not there.

DEVICES = ("/dev/", "/proc/")


@contextmanager
def open_whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file that gets its name when it is complete: "w" for UTF-8 with line ends unchanged, "wb" for bytes.

    A link stays and its target is replaced; an existing file keeps its permissions, a new one gets the user's
    defaults. A pipe or a device is written to directly. If the file cannot be written (a folder has its name, its
    folder is missing or not writable), `OSError` is raised before anything is written.
    """
    options: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    if is_stream(path):
        with open(path, mode, **options) as file:
            yield file
        return
    target = os.path.realpath(path)
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    name = os.path.join(os.path.dirname(target), f".{secrets.token_hex(8)}.part")
    try:
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), mode, **options) as file:
            yield file
        if os.path.isfile(target):
            os.chmod(name, os.stat(target).st_mode & 0o777)
        os.replace(name, target)
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise


def is_stream(path: Path) -> bool:
    """Whether the path is a pipe, a device or an open file of the process, which cannot be replaced by another file."""
    folder = os.path.realpath(path.parent) + "/"
    return folder.startswith(DEVICES) or (path.exists() and not path.is_file() and not path.is_dir())


# Responses that a browser saves as a file.

TABLE_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}
TABLE_TYPES |= {"json": "application/json", "zip": "application/zip", "tex": "application/x-tex; charset=utf-8"}
TABLE_TYPES |= {"md": "text/markdown; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
TABLE_TYPES |= {"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


def send_file(name: str, file: IO[bytes]) -> FileResponse:
    file_type = TABLE_TYPES[name.rpartition(".")[2]]
    return FileResponse(file, as_attachment=True, filename=name, content_type=file_type)


def mark_encoding(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response; a CSV begins with a byte-order mark if the query asks for one."""
    if wants_bom(request.GET) and response.get("Content-Type", "").startswith("text/csv"):
        if isinstance(response, HttpResponse):
            response.content = codecs.BOM_UTF8 + response.content
        elif isinstance(response, StreamingHttpResponse):
            content = cast(Iterator[bytes], response.streaming_content)
            response.streaming_content = chain([codecs.BOM_UTF8], content)
            del response["Content-Length"]
    return response


def attach(content: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=TABLE_TYPES[name.rpartition(".")[2]], headers=headers)
