"""The folder of `report`: refused before anything is computed, and without what an earlier report has left there."""

import json

import pytest
from django.core.management import CommandError, call_command

from analysis.services import reporting
from tests.factory import make_item, make_study, make_text

pytestmark = pytest.mark.slow

ENDINGS = {"tables": ("csv", "json", "tex"), "figures": ("vl.json", "svg", "png")}


def report(folder, slug="tiny"):
    call_command("report", slug, "--out", str(folder))
    return folder


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left_earlier(folder, **named):
    """A folder with files of tables and figures that no report has any more, named in its report.json."""
    for kind, names in named.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name in names:
            for ending in ENDINGS[kind]:
                (folder / kind / f"{name}.{ending}").write_text("earlier")
    (folder / "report.json").write_text(json.dumps({kind: dict.fromkeys(names, 1) for kind, names in named.items()}))


def test_the_report_of_another_study_leaves_nothing_of_the_first(two_annotators, project, tmp_path):
    make_study(project, "other", [make_item(make_text(project, "t9"), "gen", "i9", "TF")], protocol="pairwise")
    alone = files(report(tmp_path / "alone", "other"))
    first = files(report(tmp_path / "both"))
    assert set(first) - set(alone)
    assert files(report(tmp_path / "both", "other")) == alone


def test_tables_and_figures_that_the_earlier_report_names_are_removed(two_annotators, tmp_path):
    left_earlier(tmp_path, tables=["long_gone"], figures=["drawn_once"])
    assert not [name for name in files(report(tmp_path)) if "long_gone" in name or "drawn_once" in name]


def test_what_the_earlier_report_does_not_name_stays(two_annotators, tmp_path):
    report(tmp_path)
    mine = ("tables/mine.csv", "figures/mine.svg", "notes.txt", "tables/ratings.xlsx")
    for name in mine:
        (tmp_path / name).write_text("mine")
    assert {files(report(tmp_path))[name] for name in mine} == {b"mine"}


def test_a_report_that_breaks_off_leaves_the_earlier_one_whole(two_annotators, tmp_path, monkeypatch):
    before = files(report(tmp_path))

    def fill_disk(*_given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reporting, "write_figures", fill_disk)
    with pytest.raises(CommandError):
        call_command("report", "tiny", "--out", str(tmp_path), "--seed", "99")
    assert files(tmp_path) == before


@pytest.mark.parametrize("name", ["../mine", "../../outside", "/etc/mine", "", ".", "a/b", "mine\0"])
def test_no_name_leads_out_of_the_folder(two_annotators, tmp_path, name):
    folder = tmp_path / "report"
    left_earlier(folder, tables=["kept"])
    for path in (folder / "mine.csv", tmp_path / "outside.csv"):
        path.write_text("mine")
    (folder / "report.json").write_text(json.dumps({"tables": [name], "figures": [name]}))
    before = {"mine.csv", "tables/kept.csv"}
    assert before <= set(files(report(folder)))
    assert (tmp_path / "outside.csv").exists()


def test_a_folder_that_is_a_link_to_another_place_is_not_cleared(two_annotators, tmp_path):
    left_earlier(tmp_path / "elsewhere", tables=["long_gone"])
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "tables").symlink_to(tmp_path / "elsewhere" / "tables")
    (folder / "report.json").write_text(json.dumps({"tables": ["long_gone"]}))
    report(folder)
    assert (tmp_path / "elsewhere/tables/long_gone.csv").read_text() == "earlier"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"null", b'{"tables": 1, "figures": {"a": 1}}', b"\xff", b"[" * 9000]
)
def test_a_report_json_that_is_none_names_nothing(two_annotators, tmp_path, content):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/long_gone.csv").write_text("mine")
    (tmp_path / "report.json").write_bytes(content)
    assert "tables/long_gone.csv" in files(report(tmp_path))


@pytest.fixture
def forbid_computing(monkeypatch):
    """Whoever computes anything fails the test."""

    def fail(evidence):
        pytest.fail("computed before the folder was looked at")

    monkeypatch.setattr(reporting, "build_full_report", fail)


@pytest.mark.parametrize("name", ["file", "file/report", "taken"])
def test_what_is_no_folder_is_refused_before_anything_is_computed(two_annotators, forbid_computing, tmp_path, name):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/tables").write_text("not a folder")
    with pytest.raises(CommandError, match=r"cannot be written: Not a directory\. Choose another --out"):
        report(tmp_path / name)


def test_a_folder_that_may_not_be_written_is_refused_before_anything_is_computed(
    two_annotators, forbid_computing, tmp_path, monkeypatch
):
    def refuse(dir):
        raise PermissionError(13, "Permission denied", f"{dir}/new")

    monkeypatch.setattr("analysis.services.reporting.TemporaryFile", refuse)  # root may write anywhere
    with pytest.raises(CommandError, match=f"^{tmp_path} cannot be written: Permission denied"):
        report(tmp_path)


def test_a_pack_does_not_take_the_place_of_a_folder(two_annotators, forbid_computing, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.pack.building.build_full_report", lambda evidence: pytest.fail("computed"))
    with pytest.raises(CommandError, match="cannot be written: Is a directory"):
        call_command("export_pack", "tiny", "--out", str(tmp_path))
    assert not list(tmp_path.iterdir())
