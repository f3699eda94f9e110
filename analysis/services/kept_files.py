"""Files of large studies that a worker writes while their page says how far it is, kept in the cache in parts."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO
from uuid import uuid4

from django.conf import settings
from django.core.cache import cache

from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.services.squeezing import QUICK
from analysis.services.state import A_DAY, counted_state
from analysis.services.wanted import Wanted, forget
from analysis.services.working import result_now
from studies.models import Study

PART = 4 << 20  # bytes


@dataclass(frozen=True)
class KeptFile:
    """The name under which the parts of a file stand in the cache, and how many there are."""

    name: str
    n_parts: int

    def parts(self) -> Iterator[bytes | None]:
        return (cache.get(f"{self.name}:{number}") for number in range(self.n_parts))

    def whole(self) -> IO[bytes] | None:
        """The file as it was written; None if one of its parts was dropped."""
        file, unpack = TemporaryFile(), zlib.decompressobj()  # noqa: SIM115 - the response closes it
        for part in self.parts():
            if part is None:
                file.close()
                return None
            file.write(unpack.decompress(part))
        file.write(unpack.flush())
        file.seek(0)
        return file


class Squeezed:
    """Text that is written into a file as UTF-8 and made small on the way."""

    def __init__(self, file: IO[bytes]):
        self.file, self.squeeze = file, zlib.compressobj(QUICK)

    def write(self, text: str) -> None:
        self.file.write(self.squeeze.compress(text.encode()))

    def close(self) -> None:
        self.file.write(self.squeeze.flush())


def filed(write: Callable[[Squeezed], object]) -> KeptFile:
    """What is written, in parts; kept only after all of it is, as it may be read in a snapshot."""
    with TemporaryFile() as file:
        out = Squeezed(file)
        write(out)
        out.close()
        file.seek(0)
        name, n = f"file:{uuid4().hex}", 0
        while part := file.read(PART):
            cache.set(f"{name}:{n}", part, A_DAY)
            n += 1
    return KeptFile(name, n)


def written(study: Study, format: str, choices: Choices) -> KeptFile:
    """The answers in a form of `exporting.FORMATS`."""
    return filed(lambda out: export_responses(study, format, out, choices.purposes))


def export_soon(study: Study, format: str, choices: Choices) -> IO[bytes] | None:
    """The file of a large study, whole; `BeingWorkedOut` while a worker writes it. None: write it here and now.

    It is none for small studies, and where parts were dropped from the cache, which is rare.
    """
    asked = Choices(purposes=choices.purposes)
    now = counted_state(study, asked)
    if now[1] <= settings.LESART["RESULTS_AT_ONCE"]:
        return None
    wanted = Wanted("export", study, asked, (format,))
    kept: KeptFile = result_now(wanted, now)
    if not (file := kept.whole()):
        forget(wanted)
    return file
