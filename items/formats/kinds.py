"""The actual kind of a file, recognized by its first bytes, whatever its name."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

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
    """A sentence on what a file that is not text is, and what to do; empty for a file that may be text."""
    for start, (kind, remedy) in KINDS.items():
        if content.startswith(start):
            return _("This is {kind}, whatever its name says.").format(kind=kind) + " " + _(remedy)
    return ""
