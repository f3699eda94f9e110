"""Uploads and files are cut off at the bound while they come in, so that nobody fills disk or memory with one."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _

from items.plain import make_printable


class UnreadableFile(ValueError):
    """A file that a command cannot take in; the message is a sentence."""


def get_upload_limit(door: str) -> int:
    """Bytes that may come in by PAGE or COMMAND."""
    limit = settings.LESART[f"{door}_UPLOAD_BYTES"]
    assert isinstance(limit, int)
    return limit


def read_file(path: str | Path) -> bytes:
    """The file's bytes, or with - those of standard input, read only as far as the bound of commands.

    Raises `CannotRead`. A pipe or a device, whose size nobody knows, is bounded as well.
    """
    limit = get_upload_limit("COMMAND")
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(limit + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(limit + 1)
    except OSError as error:
        said = _("{file} cannot be read: {reason}.")
        raise UnreadableFile(said.format(file=make_printable(str(path), 200), reason=error.strerror)) from None
    if len(content) > limit:
        raise UnreadableFile(_("The file is larger than {limit} MB. Split it.").format(limit=limit // 1_000_000))
    return content


class BoundedUpload(FileUploadHandler):
    """First in FILE_UPLOAD_HANDLERS: what comes after the bound is dropped; the form then sees a file too large."""

    chunk_size = 64 * 2**10

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of all files together: a request makes its handlers anew.
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if self.received > get_upload_limit("PAGE"):
            return None
        self.received += len(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def check_size(*uploads: UploadedFile) -> None:
    """Raise ValueError with a sentence if the files of a form are above the bound of pages."""
    limit = get_upload_limit("PAGE")
    if sum(limit + 1 if upload.size is None else upload.size for upload in uploads) > limit:
        if len(uploads) > 1:
            raise ValueError(
                _("The files are larger than {limit} MB in total. Upload fewer at once.").format(
                    limit=limit // 1_000_000
                )
            )
        raise ValueError(
            _("The file is larger than {limit} MB. Split it, or ask an admin to import it on the server.").format(
                limit=limit // 1_000_000
            )
        )
