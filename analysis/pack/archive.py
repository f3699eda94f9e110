"""Writing the ZIP file of a pack: in one pass, with a hash of each file."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import SEEK_END
from typing import IO, Any, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from analysis.pack import FORMAT, PROJECT
from items.files import UNREADABLE, get_upload_limit, name_kind
from items.formats.jsonl import BadLine, parse_object
from items.plain import make_printable

WRITERS = {FORMAT: "export_pack", PROJECT: "export_project"}
MANIFEST = "manifest.json"
BLOCK = 1 << 20


class HashingWriter(io.RawIOBase):
    """Writes bytes to a file, and counts and hashes them."""

    def __init__(self, out: IO[bytes]):
        self.out, self.hash, self.n = out, hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        self.hash.update(content)
        self.n += len(content)
        self.out.write(content)
        return len(content)


class Archive:
    """A pack while it is written. The same content gives the same bytes: files have no dates."""

    def __init__(self, out: IO[bytes]):
        self.zip = ZipFile(out, "w", ZIP_DEFLATED)
        self.files: dict[str, dict[str, Any]] = {}

    @contextmanager
    def binary(self, name: str) -> Iterator[HashingWriter]:
        info = ZipInfo(name)
        info.compress_type, info.external_attr = ZIP_DEFLATED, 0o644 << 16
        with self.zip.open(info, "w", force_zip64=True) as out:
            hashed = HashingWriter(out)
            yield hashed
        self.files[name] = {"sha256": hashed.hash.hexdigest(), "bytes": hashed.n}

    @contextmanager
    def text(self, name: str) -> Iterator[io.TextIOWrapper]:
        """A UTF-8 file whose line ends are not converted."""
        with self.binary(name) as out:
            words = io.TextIOWrapper(io.BufferedWriter(out, BLOCK), encoding="utf-8", newline="")
            yield words
            words.flush()
            words.detach().detach()

    def write(self, name: str, content: str | bytes) -> None:
        with self.binary(name) as out:
            out.write(content.encode() if isinstance(content, str) else content)

    def write_json(self, name: str, content: Any) -> None:
        self.write(name, write_json_text(content))

    def close(self, about: dict[str, Any], kind: str = FORMAT) -> None:
        """Write the manifest: the format, the description of the pack, and the hash and size of every other file."""
        self.write_json(MANIFEST, {"format": kind, **about, "files": dict(sorted(self.files.items()))})
        self.zip.close()


def write_json_text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


MOST_FILES = 2_000
EXPANSION = 40  # largest size of the content, as a multiple of the size of the ZIP
MOST_LIMITS = 4  # all files together, as a multiple of the limit per file
MOST_MANIFEST = 4_000_000  # bytes
MAX_READ = 4 * BLOCK
UPLOAD_KIND = "COMMAND"  # packs are imported by command, with its file size limit
ENCRYPTED = 1  # the ZIP flag of an encrypted file


class BadPack(ValueError):
    """The file is not a valid pack; the message is a sentence that says what to do."""


class BoundedReader:
    """A file whose every read returns at most `MAX_READ` bytes, else `BadPack`; sizes stated in a ZIP may be wrong."""

    def __init__(self, file: IO[bytes]):
        self.file = file

    def read(self, size: int = -1) -> bytes:
        content = self.file.read(MAX_READ + 1 if size < 0 else min(size, MAX_READ + 1))
        if len(content) > MAX_READ:
            raise BadPack(explain_too_large())
        return content

    def seek(self, place: int, whence: int = 0) -> int:
        return self.file.seek(place, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True


def explain_unreadable(file: IO[bytes], kind: str) -> str:
    """A sentence for a file that is no ZIP: what it seems to be, and which file is needed."""
    file.seek(0)
    start = file.read(16)
    if start.startswith(b"PK"):
        found = _("This ZIP file is damaged or incomplete.")
    else:
        found = name_kind(start) or _("This is not a ZIP file.")
    return found + " " + _("Use the file that {command} wrote.").format(command=WRITERS[kind])


class PackReader:
    """Reads a pack, which may come from a stranger: nothing is unpacked to disk, and each file is checked.

    Memory holds one file at a time, of at most `get_upload_limit(UPLOAD_KIND)` bytes.
    """

    def __init__(self, file: IO[bytes], kind: str = FORMAT):
        self.kind = kind
        try:
            self.zip = ZipFile(cast(IO[bytes], BoundedReader(file)))
        except BadPack:
            raise
        except UNREADABLE:
            raise BadPack(explain_unreadable(file, kind)) from None
        self.infos = {info.filename: info for info in self.zip.infolist()}
        self.refuse_duplicate_names()
        self.refuse_zip_bombs(file.seek(0, SEEK_END))
        self.manifest = self.read_manifest()

    def refuse_duplicate_names(self) -> None:
        """Refuse two files with the same name: tools differ in which one they unpack."""
        if len(self.infos) < len(self.zip.infolist()):
            raise BadPack(_("The ZIP file contains two files with the same name. Export the pack again."))

    def refuse_zip_bombs(self, size: int) -> None:
        """Refuse ZIP bombs. `size`: bytes of the ZIP file itself, as the sizes stated in it may be wrong."""
        unpacked = sum(info.file_size for info in self.infos.values())
        most = min(max(size, BLOCK) * EXPANSION, MOST_LIMITS * get_upload_limit(UPLOAD_KIND))
        if len(self.infos) > MOST_FILES or unpacked > most:
            raise BadPack(explain_too_large())

    def read_manifest(self) -> dict[str, Any]:
        if MANIFEST not in self.infos:
            raise BadPack(
                _("The ZIP file has no manifest.json at its top level. Use the file written by "
                  "export_pack; if you unpacked and zipped it again, zip the files without an enclosing "
                  "folder.")
            )  # fmt: skip
        manifest = parse_json_object(self.content(MANIFEST, MOST_MANIFEST), MANIFEST)
        if manifest.get("format") != self.kind or not isinstance(manifest.get("files"), dict):
            raise BadPack(explain_other_format(manifest.get("format"), self.kind))
        for name in manifest["files"]:
            if not is_inside(name):
                sentence = _("The pack refers to a file outside its own folder: %(name)s. It was not read.")
                raise BadPack(sentence % {"name": make_printable(name)})
        return manifest

    def check(self) -> None:
        """Raises `BadPack` unless every file of the manifest is present and unchanged."""
        for name in self.manifest["files"]:
            self.compare(name, self.blocks(name))

    def compare(self, name: str, blocks: Iterable[bytes]) -> None:
        """Read all blocks and compare their hash with that of the manifest."""
        entry, found = self.manifest["files"].get(name), hashlib.sha256()
        for block in blocks:
            found.update(block)
        if not isinstance(entry, dict) or found.hexdigest() != entry.get("sha256"):
            raise BadPack(
                _("The file %(name)s of the pack was changed after it was made. Export the pack again.")
                % {"name": make_printable(name)}
            )

    def has(self, name: str) -> bool:
        return name in self.manifest["files"]

    def read(self, name: str) -> bytes:
        """A file of the manifest; `BadPack` if it is missing or changed."""
        if not self.has(name):
            raise BadPack(_("The pack has no file %(name)s. Export it again.") % {"name": make_printable(name)})
        content = self.content(name, get_upload_limit(UPLOAD_KIND))
        self.compare(name, [content])
        return content

    def content(self, name: str, limit: int) -> bytes:
        if name in self.infos and self.infos[name].file_size > limit:
            values = {"name": make_printable(name), "limit": limit // 1_000_000}
            raise BadPack(_("The file %(name)s of the pack is larger than %(limit)s MB. It is not read.") % values)
        return b"".join(self.blocks(name))

    def blocks(self, name: str) -> Iterator[bytes]:
        """The content of a file, up to the length stated in the ZIP."""
        if name not in self.infos:
            raise BadPack(_("The pack has no file %(name)s. Export it again.") % {"name": make_printable(name)})
        info = self.infos[name]
        if info.flag_bits & ENCRYPTED:
            sentence = _("The file %(name)s of the pack is encrypted. Unpack it with its password and zip it without.")
            raise BadPack(sentence % {"name": make_printable(name)})
        left = info.file_size
        try:
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):  # other methods can unpack a block to any size
                raise BadZipFile
            with self.zip.open(info) as file:
                while block := file.read(BLOCK):
                    left -= len(block)
                    yield block
        except UNREADABLE:
            left = -1
        if left:
            sentence = _("The file %(name)s of the pack cannot be read. Copy the pack again, or zip it with Deflate.")
            raise BadPack(sentence % {"name": make_printable(name)})

    def object(self, name: str) -> dict[str, Any]:
        return parse_json_object(self.read(name), name)

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The objects of a file that has one on each line."""
        for line in io.BytesIO(self.read(name)):
            if line.strip():
                yield parse_json_object(line, name)


def is_inside(name: str) -> bool:
    """Whether the name is that of a file inside the folder into which somebody may unpack it."""
    parts = name.split("/")
    return not {"", ".", ".."}.intersection(parts) and "\\" not in name and ":" not in parts[0] and name.isprintable()


def explain_other_format(found: Any, kind: str) -> str:
    """What to do with a manifest of another format, or of another version of this one."""
    name, _slash, number = kind.partition("/")
    other = found.partition("/") if isinstance(found, str) else ("", "", "")
    if other[0] == name and other[2].isdecimal() and int(other[2][:9]) > int(number):
        words = _(
            "This pack was written by a newer Lesart (%(other)s); this one reads %(format)s. Install the newer one."
        )
        return words % {"other": make_printable(found, 60), "format": kind}
    if found == PROJECT:
        return _("This is the archive of a whole project. Use import_project.")
    if found == FORMAT:
        return _("This is the replication pack of a single study. Use import_pack.")
    return _("This is not a file that this version of Lesart can read; it reads %(format)s.") % {"format": kind}


def explain_too_large() -> str:
    return _("The ZIP file is far larger than any pack. It was not read.")


def parse_json_object(content: bytes, name: str) -> dict[str, Any]:
    try:
        return parse_object(content)
    except BadLine as error:
        values = {"name": make_printable(name), "what": error}
        raise BadPack(_("The file %(name)s of the pack is not written as JSON objects: %(what)s") % values) from None
