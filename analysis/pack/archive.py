"""The ZIP file of a pack: written in one pass with a hash of each file, and read only if every hash is right."""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from analysis.pack import FORMAT
from items.formats.json_lines import BadLine, parse
from items.plain import printable

MANIFEST = "manifest.json"
MOST_FILES = 2_000
EXPANSION = 40  # times the size of the ZIP: answers compress well, bombs better
BLOCK = 1 << 20


class BadPack(ValueError):
    """The file is no whole pack; the message is a sentence that says what to do."""


class Hashed(io.RawIOBase):
    """Passes bytes on and keeps their hash and number."""

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
    """A pack that is being written. The same content gives the same bytes: no file has a date."""

    def __init__(self, out: IO[bytes]):
        self.zip = ZipFile(out, "w", ZIP_DEFLATED)
        self.files: dict[str, dict[str, Any]] = {}

    @contextmanager
    def binary(self, name: str) -> Iterator[Hashed]:
        info = ZipInfo(name)
        info.compress_type, info.external_attr = ZIP_DEFLATED, 0o644 << 16
        with self.zip.open(info, "w", force_zip64=True) as out:
            hashed = Hashed(out)
            yield hashed
        self.files[name] = {"sha256": hashed.hash.hexdigest(), "bytes": hashed.n}

    @contextmanager
    def text(self, name: str) -> Iterator[io.TextIOWrapper]:
        """A UTF-8 file whose line ends stay as they are written."""
        with self.binary(name) as out:
            words = io.TextIOWrapper(io.BufferedWriter(out, BLOCK), encoding="utf-8", newline="")
            yield words
            words.flush()
            words.detach().detach()

    def write(self, name: str, content: str | bytes) -> None:
        with self.binary(name) as out:
            out.write(content.encode() if isinstance(content, str) else content)

    def write_json(self, name: str, content: Any) -> None:
        self.write(name, json_text(content))

    def close(self, about: dict[str, Any]) -> None:
        """Write the manifest: the format, what is said about the pack, and the hash and size of every other file."""
        self.write_json(MANIFEST, {"format": FORMAT, **about, "files": dict(sorted(self.files.items()))})
        self.zip.close()


def json_text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


class PackReader:
    """A pack that was written before, perhaps by somebody else: nothing is unpacked, and each file is checked."""

    def __init__(self, file: IO[bytes]):
        try:
            self.zip = ZipFile(file)
        except BadZipFile:
            raise BadPack(_("This is no ZIP file. Give the file that export_pack has written.")) from None
        self.infos = {info.filename: info for info in self.zip.infolist()}
        size = sum(info.file_size for info in self.infos.values())
        packed = sum(info.compress_size for info in self.infos.values())
        if len(self.infos) > MOST_FILES or size > max(packed, BLOCK) * EXPANSION:
            raise BadPack(_("The ZIP file holds far more than a pack would. It is not read."))
        self.manifest = self.read_manifest()

    def read_manifest(self) -> dict[str, Any]:
        manifest = json_object(self.content(MANIFEST), MANIFEST)
        if manifest.get("format") != FORMAT or not isinstance(manifest.get("files"), dict):
            raise BadPack(
                _("This is no replication pack that this version of Lesart can read; it reads %(format)s.")
                % {"format": FORMAT}
            )
        return manifest

    def check(self) -> None:
        """`BadPack` unless every file of the manifest is there, as it was written."""
        for name in self.manifest["files"]:
            self.read(name)

    def has(self, name: str) -> bool:
        return name in self.manifest["files"]

    def read(self, name: str) -> bytes:
        """A file of the manifest; `BadPack` if it is not there or was changed."""
        said = self.manifest["files"].get(name)
        if not isinstance(said, dict):
            raise BadPack(_("The pack has no file %(name)s. Export it again.") % {"name": printable(name)})
        content = self.content(name)
        if hashlib.sha256(content).hexdigest() != said.get("sha256"):
            raise BadPack(
                _("The file %(name)s of the pack was changed after it was made. Export the pack again.")
                % {"name": printable(name)}
            )
        return content

    def content(self, name: str) -> bytes:
        if name not in self.infos:
            raise BadPack(_("The pack has no file %(name)s. Export it again.") % {"name": printable(name)})
        info = self.infos[name]
        try:
            with self.zip.open(info) as file:
                content = file.read(info.file_size + 1)
        except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
            content = b""
        if len(content) != info.file_size:
            raise BadPack(_("The file %(name)s of the pack cannot be read. Copy it again.") % {"name": printable(name)})
        return content

    def object(self, name: str) -> dict[str, Any]:
        return json_object(self.read(name), name)

    def lines(self, name: str) -> list[dict[str, Any]]:
        """The objects of a file that has one on each line."""
        return [json_object(line, name) for line in self.read(name).split(b"\n") if line.strip()]


def json_object(content: bytes, name: str) -> dict[str, Any]:
    try:
        return parse(content)
    except BadLine as error:
        said = {"name": printable(name), "what": error}
        raise BadPack(_("The file %(name)s of the pack is not written as JSON objects: %(what)s") % said) from None
