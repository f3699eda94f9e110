"""Read files up to a size limit, recognize their kinds, write ZIP files that are identical for identical content."""

import codecs
import io
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from items.plain import make_printable

# Uploads and files are cut off at the limit while they are read, so that none can fill disk or memory.


class UnreadableFile(ValueError):
    """A file that a command cannot read; the message is a sentence."""


def get_upload_limit(source: str) -> int:
    """The size limit in bytes of uploads (PAGE) or files of commands (COMMAND)."""
    limit = settings.LESART[f"{source}_UPLOAD_BYTES"]
    assert isinstance(limit, int)
    return limit


def read_file(path: str | Path) -> bytes:
    """The file's bytes, or with - those of standard input, read up to the limit of commands.

    Raises `UnreadableFile`. The limit also holds for pipes and devices.
    """
    limit = get_upload_limit("COMMAND")
    try:
        if str(path) == "-":
            content = sys.stdin.buffer.read(limit + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(limit + 1)
    except OSError as error:
        sentence = _("{file} cannot be read: {reason}.")
        raise UnreadableFile(sentence.format(file=make_printable(str(path), 200), reason=error.strerror)) from None
    if len(content) > limit:
        raise UnreadableFile(_("The file is larger than {limit} MB. Split it.").format(limit=limit // 1_000_000))
    return content


class BoundedUpload(FileUploadHandler):
    """First in FILE_UPLOAD_HANDLERS: drops everything after the limit; the form then sees a file that is too large."""

    chunk_size = 64 * 2**10

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # For all files together, as each request creates its handlers anew.
        self.received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if self.received > get_upload_limit("PAGE"):
            return None
        self.received += len(raw_data)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def check_size(*uploads: UploadedFile) -> None:
    """Raise ValueError with a sentence if the files of a form exceed the limit of pages."""
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


# ZIP files: written with the same bytes for the same content, read within limits.

EPOCH = (1980, 1, 1, 0, 0, 0)
MAX_FILES = 20_000
MAX_FILE = 50_000_000  # bytes, unpacked
MAX_TOTAL = 200_000_000
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods can unpack a block to any size
ZSTANDARD = 93  # unknown to zipfile before Python 3.14; the logs of Inspect AI have it
LOCAL_HEADER = struct.Struct("<26xHH")  # its last fields are the lengths of the name and the extra field
# What reading an invalid, damaged or encrypted ZIP file can raise.
UNREADABLE = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, struct.error, zlib.error,
)  # fmt: skip


class BadZip(ValueError):
    """The content is not an acceptable ZIP file; the message says why."""


def wants_bom(query: Mapping[str, str]) -> bool:
    """Whether the query asks with `bom` for a byte-order mark in CSV files, by which Excel recognizes UTF-8."""
    return query.get("bom") not in (None, "", "0", "false")


def add_boms(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, each CSV with a byte-order mark."""
    return {name: codecs.BOM_UTF8 + content if name.endswith(".csv") else content for name, content in files.items()}


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """The archive of these files, given as name and content."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class ZipReader:
    """The files of an archive, read one at a time and never unpacked to disk; raises BadZip."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        try:
            self.archive = zipfile.ZipFile(io.BytesIO(content))
        except UNREADABLE:
            raise BadZip(_("This ZIP file is damaged. Save or download it again.")) from None
        infos = [info for info in self.archive.infolist() if not info.is_dir()]
        self.infos = {info.filename: info for info in infos}
        if len(self.infos) < len(infos):
            raise BadZip(_("The ZIP file contains two files with the same name. Make it again."))
        if len(infos) > MAX_FILES or sum(info.file_size for info in infos) > MAX_TOTAL:
            raise BadZip(_("The ZIP file unpacks to too many or too large files. Split it."))

    @property
    def names(self) -> list[str]:
        return list(self.infos)

    def read(self, name: str) -> bytes:
        """The content of the file, up to the size stated in the archive and MAX_FILE."""
        info = self.infos[name]
        if info.file_size > MAX_FILE:
            raise BadZip(_("A file in the ZIP file is too large. Split it."))
        try:
            if info.compress_type == ZSTANDARD and not info.flag_bits & 1:
                return self._read_zstandard(info)
            if info.compress_type not in METHODS:
                raise zipfile.BadZipFile
            with self.archive.open(info) as file:
                return file.read(info.file_size)
        except UNREADABLE:
            raise BadZip(_("This ZIP file is damaged or encrypted. Save it again without a password.")) from None

    def _read_zstandard(self, info: zipfile.ZipInfo) -> bytes:
        """The content of a file compressed with Zstandard, unpacked at most to the size that the archive states."""
        import cramjam  # installed with fastparquet

        lengths = LOCAL_HEADER.unpack_from(self.content, info.header_offset)
        start = info.header_offset + LOCAL_HEADER.size + sum(lengths)
        unpacked = bytearray(info.file_size)
        try:
            n = cramjam.zstd.decompress_into(self.content[start : start + info.compress_size], unpacked)
        except cramjam.DecompressionError:
            raise zipfile.BadZipFile from None
        if n != info.file_size or zlib.crc32(unpacked) != info.CRC:
            raise zipfile.BadZipFile
        return bytes(unpacked)


UNPACK = gettext_noop("Unpack it and send what is in it.")
SAVE = gettext_noop("Save it as plain text, CSV or XLSX and send that.")
TABLE = gettext_noop("Import it as a table, or save it as CSV.")
KINDS = {
    b"\x1f\x8b": (gettext_lazy("a gzip archive"), UNPACK),
    b"PK\x03\x04": (gettext_lazy("a ZIP archive or an Office file"), SAVE),
    b"PK\x05\x06": (gettext_lazy("an empty ZIP archive"), UNPACK),
    b"BZh": (gettext_lazy("a bzip2 archive"), UNPACK),
    b"\xfd7zXZ": (gettext_lazy("an xz archive"), UNPACK),
    b"7z\xbc\xaf": (gettext_lazy("a 7z archive"), UNPACK),
    b"Rar!": (gettext_lazy("a RAR archive"), UNPACK),
    b"\x28\xb5\x2f\xfd": (gettext_lazy("a zstd archive"), UNPACK),
    b"PAR1": (gettext_lazy("a Parquet file"), TABLE),
    b"\xd0\xcf\x11\xe0": (gettext_lazy("an old or encrypted Office file"), SAVE),
    b"{\\rtf": (gettext_lazy("a rich text (RTF) file"), SAVE),
    b"%PDF": (gettext_lazy("a PDF file"), SAVE),
    b"\x89PNG": (gettext_lazy("a picture"), SAVE),
    b"\xff\xd8\xff": (gettext_lazy("a picture"), SAVE),
    b"SQLite format 3": (gettext_lazy("a SQLite database"), SAVE),
}


def explain_kind(content: bytes) -> str:
    """What a file is that is not text, and what to do, in two sentences; empty for a file that may be text."""
    return next((f"{name_kind(content)} {_(KINDS[start][1])}" for start in KINDS if content.startswith(start)), "")


# Four letters of ASCII in UTF-16 without a byte order mark.
UNMARKED_UTF16 = re.compile(rb"(?:[^\0]\0){4}|(?:\0[^\0]){4}")
WEB_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def explain_utf16(content: bytes) -> str:
    """A sentence for UTF-16, with a byte order mark or without; empty for anything else."""
    if not (content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or UNMARKED_UTF16.match(content)):
        return ""
    return _("The file is encoded as UTF-16. Save it as UTF-8 and upload it again.")


def explain_web_page(content: bytes) -> str:
    """A sentence for a web page in place of a table or JSON; empty for anything else."""
    if not WEB_PAGE.match(content):
        return ""
    return _(
        "This is a web page (HTML), perhaps of an error or a sign-in, whatever its name says. Download the file again."
    )


def name_kind(content: bytes) -> str:
    """The first sentence of `explain_kind`: only what the file is."""
    kind = next((kind for start, (kind, _remedy) in KINDS.items() if content.startswith(start)), "")
    return _("This is {kind}, whatever its name says.").format(kind=kind) if kind else ""
