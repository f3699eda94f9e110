"""Writing the ZIP file of a pack: in one pass, with a hash of each file."""

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from analysis.pack import FORMAT

MANIFEST = "manifest.json"
BLOCK = 1 << 20


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
