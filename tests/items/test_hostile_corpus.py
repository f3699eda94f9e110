"""A corpus of hostile files, each sent as every kind of file it could pass for: a sentence, or what it plainly holds.

What must hold of each: no exception but a refusal, bounded memory, nothing stored, and no cell, entity or macro run.
"""

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile

import pytest

from items.files import explain_kind
from items.formats import FORMATS
from items.formats.text_files import read_text_files
from items.models import Text
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from studies.services.responses.mapping import map_table
from studies.services.responses.rows import BadFile, read_rows
from tests.items.sheets import xlsx

CSV = b"text_id,text,question,option_1,option_2,correct\nt1,The ferry leaves.,When?,At nine.,At ten.,1\n"
JSONL = b'{"id": "t1", "text": "The ferry leaves.", "language": "en", "items": []}\n'
MAX_MEMORY = 400_000_000


def pack(files: dict[str, bytes], **how) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def rewrite(book: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The workbook with other bytes in one part."""
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    files[name] = files[name].replace(old, new)
    return pack(files)


BOOK = xlsx([["text_id", "text"], ["t1", "The ferry leaves."]])
ENTITY = b'<!DOCTYPE q [<!ENTITY x SYSTEM "file:///etc/hostname">]><quiz><question>&x;</question></quiz>'
LAUGHS = b'<!DOCTYPE q [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><quiz>&c;</quiz>'
SHEET, STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
FILES = {
    "gzip called csv": gzip.compress(CSV),
    "bzip2": bz2.compress(CSV),
    "xz": lzma.compress(CSV),
    "half a gzip": gzip.compress(CSV)[:40],
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(range(200)),
    "gzip bomb": gzip.compress(b"0" * 10_000_000),
    "ZIP bomb": pack({"imsmanifest.xml": b"0" * 60_000_000}),
    "ZIP with paths": pack({"../../imsmanifest.xml": b"<manifest/>"}),
    "ZIP of ZIPs": pack({"a.zip": pack({"b.zip": pack({"c.txt": b"0" * 1000})})}),
    "half a ZIP": pack({"imsmanifest.xml": b"<manifest/>"})[:40],
    "empty ZIP": pack({}),
    "half a workbook": BOOK[: len(BOOK) // 2],
    "workbook with entities": rewrite(BOOK, SHEET, b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "b">]><worksheet'),
    "workbook bomb": rewrite(BOOK, SHEET, b"</sheetData>", b"<row/>" * 9_000_000 + b"</sheetData>"),
    "workbook with a far cell": rewrite(BOOK, SHEET, b'r="A2"', b'r="ZZZZ99999999"'),
    "workbook without its sheet": rewrite(BOOK, "xl/workbook.xml", b"sheetId", b"sheetIx"),
    "Parquet of garbage": b"PAR1" + b"\xff" * 200 + b"PAR1",
    "half a Parquet": b"PAR1\x15\x04",
    "old Excel": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "PDF": b"%PDF-1.7\n%\xe2\xe3",
    "picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
    "SQLite": b"SQLite format 3\0" + b"\0" * 100,
    "external entity": ENTITY,
    "billion laughs": LAUGHS,
    "comments that never end": b"<!--" * 100_000,
    "quotes that never end": b'<a "' * 100_000,
    "a million attributes": b"<p " + b"a=b " * 1_000_000 + b">x",
    "a million options": b"Text\n\nQuestion {" + b"=a ~b " * 500_000 + b"}",
    "deep HTML": b"<div>" * 200_000,
    "deep XML": b"<quiz>" + b"<a>" * 100_000,
    "deep JSON": b'{"text": ' + b"[" * 100_000,
    "wide JSON": b'{"text": [' + b"1," * 500_000 + b"1]}",
    "surrogate": b'{"text": "\\ud800", "items": []}',
    "NUL": b"text_id,text\nt1,a\0b\n",
    "only NULs": b"\0" * 5_000,
    "UTF-32": "text_id,text\nt1,Fähre\n".encode("utf-32"),
    "UTF-16 without mark": "text_id,text\nt1,Fähre\n".encode("utf-16-le"),
    "half UTF-16": "text\nabc".encode("utf-16")[:-1],
    "Shift JIS": "text_id,text\nt1,人間は自由である\n".encode("shift_jis"),
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf" + JSONL + b"\xff",
    "20,000 columns": b",".join(b"c%d" % n for n in range(20_000)) + b"\n" + b"," * 19_999 + b"\n",
    "huge cell": b"text_id,text\nt1," + b"x" * 2_000_000 + b"\n",
    "open quote": b'text_id,text\nt1,"' + b"x\n" * 100_000,
    "1e999": b'{"text": 1e999}',
    "long number": b'{"text": ' + b"9" * 100_000 + b"}",
    "carriage returns": b"\r" * 100_000,
    "nothing": b"",
    "spaces": b" \n\t" * 10_000,
}  # fmt: skip


def read_anyhow(content: bytes) -> list:
    """The file as each kind that an import knows; what each says of it. Only refusals come back as exceptions."""
    values = []
    for name in FORMATS:
        reading = read_bank_file(content, name, name="file")
        assert reading.problems or reading.lines or reading.warnings
        values += [problem.reason for problem in reading.problems.listed]
    for ending in (".docx", ".pdf", ".html"):
        values += [problem.reason for problem in read_text_files([(f"file{ending}", content)]).problems.listed]
    values += [problem.reason for problem in read_rows(content).problems]
    try:
        list(map_table(content, "file.xlsx", None))
    except BadFile as bad:
        values.append(bad.problem.reason)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_hostile_file_is_refused_in_sentences(content):
    sentences = read_anyhow(content)
    assert sentences
    assert all(len(reason) < 2_000 for reason in sentences)
    assert not any("root:" in reason or "hahaha" in reason for reason in sentences)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["gzip bomb", "ZIP bomb", "workbook bomb", "a million attributes", "a million options"]
)
def test_a_bomb_takes_bounded_memory(name):
    tracemalloc.start()
    try:
        read_anyhow(FILES[name])
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MAX_MEMORY


@pytest.mark.parametrize(
    "name", ["gzip called csv", "half a gzip", "zstd", "bzip2", "xz", "old Excel", "PDF", "picture", "SQLite"]
)
def test_a_file_that_is_another_kind_is_named(name):
    for format_name in FORMATS:
        (problem, *_more) = read_bank_file(FILES[name], format_name, name="file").problems.listed
        assert str(explain_kind(FILES[name])) == problem.reason


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", FORMATS)
def test_nothing_of_a_hostile_file_is_stored(project, format_name):
    names = ["NUL", "half a ZIP"]
    names += [] if format_name == "text" else ["deep JSON", "external entity"]  # words like any other to a text file
    for content in (FILES[name] for name in names):
        with pytest.raises(ImportRefused):
            import_items(project, read_bank_file(content, format_name, name="f"), ImportOptions(), filename="f")
    assert not Text.objects.exists()


def test_macros_of_a_workbook_are_named_and_left_out():
    with zipfile.ZipFile(io.BytesIO(BOOK)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    reading = read_bank_file(pack(files | {"xl/vbaProject.bin": b"\0"}), "csv", name="file")
    assert [line.text.body for line in reading.lines] == ["The ferry leaves."]
    assert ["macros" in warning.reason for warning in reading.warnings.listed] == [True]
