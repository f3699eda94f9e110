"""The archive of a project: every study gives the same tables in another project, and the bank is the same."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.pack.archive import BadPack
from analysis.pack.project import import_project, write_project
from analysis.pack.restoring import import_pack
from analysis.science.versions import build_text_version_tables
from items.models import Item
from items.services.exporting import export_lines
from projects.models import Project
from studies.models import Study
from tests.analysis import whole_studies
from tests.analysis.packs import export_pack_bytes, files_of, results_in
from tests.analysis.test_text_versions import read as read_versions
from tests.items.files import item_row, load, text_row
from tests.studies.world import Person, make_live_study

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def write_archive(project: Project) -> bytes:
    out = io.BytesIO()
    write_project(project, out)
    return out.getvalue()


def import_archive(archive: bytes, owner=None) -> Project:
    """The archive as a project; what it came from has other short names then, as it is another installation."""
    for model in (Project, Study):
        for row in model.objects.all():
            model.objects.filter(pk=row.pk).update(slug=f"{row.slug}-old")
    return import_project(io.BytesIO(archive), owner)


@pytest.mark.database
def test_every_study_gives_the_same_tables_and_the_bank_is_the_same(project, researcher):
    studies = [
        whole_studies.make_guessing_study(project),
        make_live_study(project, slug="second", plan={"annotators": 1}),
    ]
    someone = Person(studies[1].annotators.get()).start()
    while someone.here:
        someone.do(tick=1, rating=4)
    load(project, text_row([item_row(id="new"), item_row([], id="open", answer="nine")], id="in no study"))
    before = {study.slug: results_in(export_pack_bytes(study)) for study in studies}
    bank, archive = export_lines(project), write_archive(project)
    again = import_archive(archive, researcher)
    assert sorted(export_lines(again)) == sorted(bank)
    assert {study.slug: results_in(export_pack_bytes(study)) for study in again.studies.all()} == before
    assert [each.name for each in again.generators.order_by("pk")] == [
        each.name for each in project.generators.order_by("pk")
    ]
    assert again.memberships.get().user == researcher
    people = set(again.studies.values_list("annotators__person", flat=True)) - {"", None}
    assert all(person.startswith(tuple(before)) for person in people)


def test_a_later_wording_is_a_version_and_the_study_keeps_its_own(project):
    study = whole_studies.make_guessing_study(project)
    item = Item.objects.current().filter(unit_items__unit__study=study).first()
    row = json.loads(next(line for line in export_lines(project) if json.loads(line)["id"] == item.text.external_id))
    for each in row["items"]:
        each["question"] += " Think twice." * (each["id"] == item.external_id)
    load(project, row, update=True)
    again = import_archive(write_archive(project))
    versions = Item.objects.filter(project=again, external_id=item.external_id).order_by("version")
    assert [(each.version, each.stem) for each in versions] == [(1, item.stem), (2, f"{item.stem} Think twice.")]
    assert versions[0].unit_items.exists()
    assert sorted(export_lines(again)) == sorted(export_lines(project))


def test_versions_of_texts_and_who_read_which_come_along(project):
    study = read_versions(project, texts=6)
    before = [table.rows for table in build_text_version_tables(collect_evidence(study, Choices()))]
    versions = list(project.texts.order_by("external_id").values_list("external_id", "versions"))
    again = import_archive(write_archive(project))
    assert list(again.texts.order_by("external_id").values_list("external_id", "versions")) == versions
    found = again.studies.get()
    assert found.plan["text_versions"] == ["original", "simple"]
    assert [table.rows for table in build_text_version_tables(collect_evidence(found, Choices()))] == before


def test_a_text_that_may_not_be_shared_is_a_hash_or_left_out(project):
    study = whole_studies.make_guessing_study(project)
    shown, secret = study.units.first().text, "The harbour master sings a song that nobody may print."
    project.texts.filter(pk=shown.pk).update(shareable=False)
    load(project, text_row(id="secret", text=secret, metadata={"extra": {"shareable": False}}))
    archive = write_archive(project)
    whole = b"".join(files_of(archive).values())
    packs = [files_of(content) for name, content in files_of(archive).items() if name.endswith(".zip")]
    whole += b"".join(content for pack in packs for content in pack.values())
    assert secret.encode() not in whole
    assert shown.body.encode() not in whole
    left_out = json.loads(files_of(archive)["manifest.json"])["left_out"]
    assert {each["text"] for each in left_out} == {"secret", shown.external_id}
    again = import_archive(archive)
    assert again.texts.get(external_id=shown.external_id).body.startswith("sha256:")
    assert not again.texts.filter(external_id="secret").exists()


def test_what_is_no_archive_is_refused_and_nothing_is_stored(project, tmp_path):
    study = whole_studies.make_guessing_study(project)
    archive, pack = write_archive(project), export_pack_bytes(study)
    n = Project.objects.count()
    with pytest.raises(BadPack, match="import_pack"):
        import_project(io.BytesIO(pack))
    with pytest.raises(BadPack, match="import_project"):
        import_pack(io.BytesIO(archive), Project.objects.create(slug="empty", title="Empty"))
    with pytest.raises(BadPack, match="damaged or incomplete"):
        import_project(io.BytesIO(archive[:1000]))
    path = tmp_path / "project.zip"
    path.write_bytes(archive)
    with pytest.raises(CommandError, match=r"Nothing was stored\. .*rivers"):
        call_command("import_project", str(path))  # the project is there already
    assert Project.objects.count() == n + 1


def test_a_copy_under_another_name_stands_beside_the_project(project, tmp_path):
    study = whole_studies.make_guessing_study(project)
    path = tmp_path / "project.zip"
    path.write_bytes(write_archive(project))
    call_command("import_project", str(path), "--as", "copy")
    copied = Study.objects.get(project__slug="copy")
    assert copied.slug == f"{study.slug}-2"
    assert results_in(export_pack_bytes(copied)) == results_in(export_pack_bytes(study))
