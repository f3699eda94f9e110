"""ZIP files: written with the same bytes for the same content, read within bounds."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

from django.utils.translation import gettext as _

EPOCH = (1980, 1, 1, 0, 0, 0)
MAX_FILES = 20_000
MAX_FILE = 50_000_000  # bytes, unpacked
MAX_TOTAL = 200_000_000
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack a block to any size
UNREADABLE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, struct.error)


class BadZip(ValueError):
    """Not a ZIP file that is read; says why."""


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """The archive, from name and content of each file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class ZipReader:
    """The files of an archive, read one at a time and never unpacked to disk; raises BadZip."""

    def __init__(self, content: bytes) -> None:
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
        """The content of the file, of the size that the archive says and at most MAX_FILE."""
        info = self.infos[name]
        if info.file_size > MAX_FILE:
            raise BadZip(_("A file in the ZIP file is too large. Split it."))
        try:
            if info.compress_type not in METHODS:
                raise zipfile.BadZipFile
            with self.archive.open(info) as file:
                return file.read(info.file_size)
        except (*UNREADABLE, zlib.error):
            raise BadZip(_("This ZIP file is damaged or encrypted. Save it again without a password.")) from None
