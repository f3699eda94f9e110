"""A pack that somebody made up or spoilt is refused in a sentence, in bounded memory, and nothing of it is stored."""

import gzip
import hashlib
import io
import json
import stat
import tracemalloc
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import pytest
from django.db import connection, transaction

from analysis.choices import Choices
from analysis.pack import FORMAT, PROJECT
from analysis.pack.archive import BadPack, PackReader
from analysis.pack.building import write_pack
from analysis.pack.restored_bank import read_evaluator_params
from analysis.pack.restoring import import_pack
from items.models import Text
from projects.models import Project
from studies.models import Study
from studies.services.responses.importing import ImportRefused
from studies.services.spec import SpecError
from tests.analysis import whole_studies


def manifest(files=(), **changes):
    about = {"format": "lesart-replication-pack/1", "files": {name: manifest_entry(content) for name, content in files}}
    return json.dumps(about | changes)


def manifest_entry(content):
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def make_zip(*files, compression=ZIP_DEFLATED):
    """A ZIP with these (name, content), in this order."""
    out = io.BytesIO()
    with ZipFile(out, "w", compression) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return io.BytesIO(out.getvalue())


def check_refusal(file, words):
    with pytest.raises(BadPack, match=words):
        PackReader(file).check()


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip", b"PK\x05\x06" + b"\xff" * 18, b"\0" * 100])
def test_what_is_no_zip_is_said_to_be_none(content):
    check_refusal(io.BytesIO(content), "not a ZIP file|damaged or incomplete|far larger")


@pytest.mark.parametrize(("kind", "command"), [(FORMAT, "export_pack"), (PROJECT, "export_project")])
def test_a_file_of_another_kind_is_named(kind, command):
    with pytest.raises(BadPack, match=f"gzip archive.*{command}"):
        PackReader(io.BytesIO(gzip.compress(b"x" * 100)), kind)


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "a/../../x", "C:/x", "a\\..\\x", "a//x", "a\nb"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name):
    check_refusal(make_zip(("manifest.json", manifest([(name, b"1")])), (name, b"1")), "outside its own folder")


def test_two_files_of_one_name_are_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        file = make_zip(("a.txt", b"1"), ("a.txt", b"2"), ("manifest.json", manifest([("a.txt", b"2")])))
    check_refusal(file, "two files with the same")


def test_a_folder_around_the_files_is_named_with_the_remedy():
    check_refusal(make_zip(("pack/manifest.json", manifest())), "without an enclosing folder")


@pytest.mark.parametrize(
    ("number", "words"),
    [("lesart-replication-pack/2", "newer Lesart"), ("lesart-replication-pack/0", "it reads"), (7, "it reads")],
)
def test_another_format_is_refused_and_a_newer_one_says_what_helps(number, words):
    check_refusal(make_zip(("manifest.json", manifest(format=number))), words)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"[" * 100_000, b'{"files": 1e999}', b"\xff"])
def test_a_manifest_that_is_none_is_refused(content):
    check_refusal(make_zip(("manifest.json", content)), "manifest.json of the pack is not written|it reads")


@pytest.mark.parametrize("entry", [None, [], "x", {"sha256": 1}, {}])
def test_a_file_without_its_hash_counts_as_changed(entry):
    content = manifest(files=(), **{}).replace("{}", json.dumps({"a": entry}))
    check_refusal(make_zip(("manifest.json", content), ("a", b"1")), "a of the pack was changed")


def test_a_file_that_the_manifest_names_and_the_zip_lacks_is_missed():
    check_refusal(make_zip(("manifest.json", manifest([("a.csv", b"")]))), "no file a.csv")


@pytest.mark.parametrize("compression", [ZIP_BZIP2, ZIP_LZMA])
def test_what_could_unpack_to_any_size_at_once_is_not_unpacked(compression):
    check_refusal(make_zip(("manifest.json", manifest()), compression=compression), "zip it with Deflate")


def spoilt(file, *changes):
    content = file.getvalue()
    for old, new in changes:
        assert old in content
        content = content.replace(old, new)
    return io.BytesIO(content)


def test_an_encrypted_file_says_so():
    file = make_zip(("manifest.json", manifest()), compression=ZIP_STORED)
    flags = [(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00"),
             (b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")]  # fmt: skip
    check_refusal(spoilt(file, *flags), "is encrypted")


def test_bytes_that_were_spoilt_on_the_way_are_refused_wherever_they_stand():
    whole = make_zip(("manifest.json", manifest([("a.csv", b"1,2\n" * 50)])), ("a.csv", b"1,2\n" * 50)).getvalue()
    for place in range(len(whole)):
        file = io.BytesIO(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
        try:
            reader = PackReader(file)
            reader.check()
        except BadPack:
            continue
        assert set(reader.manifest["files"]) <= {"a.csv"}  # only dates, modes and the like have changed


def test_a_bomb_is_not_unpacked():
    inner = make_zip(("zeros", b"\0" * 50_000_000))
    check_refusal(inner, "far larger than any pack")
    nested = make_zip(*((f"{n}.zip", inner.getvalue()) for n in range(3)), ("manifest.json", manifest()))
    PackReader(nested).check()  # what the manifest does not name is never opened


def test_a_zip_that_lies_about_its_sizes_does_not_fill_the_memory(monkeypatch):
    zeros = b"\0" * 40_000_000
    file = make_zip(("manifest.json", manifest([("zeros", zeros)])), ("zeros", zeros))
    lie = spoilt(file, ((40_000_000).to_bytes(4, "little"), (1_000).to_bytes(4, "little")))
    tracemalloc.start()
    check_refusal(lie, "cannot be read|was changed")
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000


def test_an_index_without_end_is_not_read():
    out = io.BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("manifest.json", manifest())
        archive.filelist += [info_of(number) for number in range(30_000)]
    check_refusal(io.BytesIO(out.getvalue()), "far larger than any pack")


def info_of(number):
    info = ZipInfo("x" * 200 + str(number))
    info.external_attr, info.header_offset, info.CRC = (stat.S_IFLNK | 0o777) << 16, 0, 0
    return info


# Whole packs ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def pack(project, monkeypatch):
    """The files of a whole pack, by name."""
    monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "<svg/>")
    monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")
    out = io.BytesIO()
    write_pack(whole_studies.make_guessing_study(project), Choices(seed=7), out)
    with ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_forged_pack(files, **changes):
    """The pack with files changed, under the right hashes."""
    values = json.loads(files["manifest.json"])
    for name, content in changes.items():
        files = files | {name: content}
        values["files"][name] = manifest_entry(content)
    return make_zip(*(files | {"manifest.json": json.dumps(values).encode()}).items())


HOSTILE = (b"", b"[]\n", b"{}\n", b"null\n", b"\xff\xfe", b'{"unit": 1e400}\n', b"[" * 9_000, b'"\n', b"a,b\n1\n")


@pytest.mark.slow
@pytest.mark.database
def test_nothing_of_any_file_is_taken_on_trust(pack):
    """Each file that is read, made nonsense under a right hash: refused in a sentence or, where a file may be empty,
    taken whole; never an error of another kind, never half a study. PostgreSQL gets a third of them, in turn."""
    named = [name for name in pack if name.startswith(("study/", "bank/", "answers/", "instruments/"))]
    empty = Project.objects.create(slug="empty", title="Empty")
    refusals = 0
    every = 1 if connection.vendor == "sqlite" else 3
    for place, name in enumerate(named):
        for content in HOSTILE[place % every :: every]:
            with transaction.atomic():
                refusals += not is_taken(write_forged_pack(pack, **{name: content}), empty)
                transaction.set_rollback(True)
    assert refusals > len(named) * len(HOSTILE) / every / 2


def is_taken(file, project):
    try:
        import_pack(file, project, "again")
    except (BadPack, SpecError, ImportRefused):
        assert not Study.objects.filter(project=project).exists()
        assert not Text.objects.filter(project=project).exists()
        assert not project.generators.exists()
        return False
    return True


@pytest.mark.parametrize(
    "params",
    [
        {"sample": "x"},
        {"temperature": None},
        {"answering": "dance"},
        {"as_published": 1},
        {"thresholds": [1]},
        {"tuning": {"study": "x"}},
        {"tuning": {"study": "x", "stages": {"read": {"curve": [[1]], "threshold": 1, "accuracy": 1}}}},
        {"rule": {"deep": 1}},
        [],
    ],
)
def test_settings_with_which_no_page_could_compute_are_refused(params):
    with pytest.raises(BadPack, match="invalid"):
        read_evaluator_params(params, "gpt")
