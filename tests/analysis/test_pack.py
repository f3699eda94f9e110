"""A replication pack goes out and comes back: `report` on what was unpacked gives the same bytes."""

import csv
import hashlib
import io
import json
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import translation

from analysis.choices import Choices
from analysis.formatting import number
from analysis.items.coding_acts import CodePlacement, code_items, set_code
from analysis.items.independent_coding import Comparison, decide_code, finish_coding, start_coding
from analysis.models import ItemCode
from analysis.pack import work
from analysis.pack.building import write_pack
from analysis.published_names import list_own_generators, read_matches, store_matches
from evaluation.models import Evaluator
from items.models import KeyCorrection, Option, Text
from projects.models import Membership, Project, Role, User
from studies.models import Response, Study
from tests.analysis import whole_studies
from tests.analysis.packs import write_once

pytestmark = pytest.mark.slow

SECRET = "The heron Zwickelbart sleeps under the seventh bridge of the drowned canal."


@pytest.fixture
def guessing_study(project):
    return whole_studies.make_guessing_study(project)


@pytest.fixture
def ratings_study(project):
    return whole_studies.make_ratings_study(project)


@pytest.fixture
def questionnaire_study(project):
    return whole_studies.make_questionnaire_study(project)


@pytest.fixture
def pairs_study(project):
    return whole_studies.make_pairs_study(project)


@pytest.fixture
def study(request, project):
    return whole_studies.EVERY[request.param](project)


EVERY = pytest.mark.parametrize("study", list(whole_studies.EVERY), indirect=True)


def export_pack_file(study, path, *arguments):
    path.write_bytes(write_once(lambda: pack_anew(study, path, *arguments).read_bytes(), study.pk, arguments))
    return path


def pack_anew(study, path, *arguments):
    call_command("export_pack", study.slug, "--out", str(path), *arguments, stdout=io.StringIO())
    return path


def import_pack_file(path, slug="again"):
    project = Project.objects.create(slug=slug, title=slug)
    call_command("import_pack", str(path), "--project", slug, "--slug", slug, stdout=io.StringIO())
    return Study.objects.get(slug=slug), project


def write_report(slug, folder, *arguments):
    """The tables and specifications that `report` writes, by name."""
    call_command("report", slug, "--out", str(folder), *arguments, stdout=io.StringIO())
    files = [*(folder / "tables").iterdir(), *(folder / "figures").glob("*.vl.json")]
    return {path.name: path.read_bytes() for path in files}


def of_pack(path):
    with ZipFile(path) as pack:
        names = [name for name in pack.namelist() if name.startswith("report/tables/") or name.endswith(".vl.json")]
        return {name.rpartition("/")[2]: pack.read(name) for name in names}


@pytest.mark.database
@EVERY
def test_report_on_the_unpacked_study_gives_the_same_bytes(study, tmp_path):
    before = write_report(study.slug, tmp_path / "before")
    path = export_pack_file(study, tmp_path / "pack.zip")
    again, _project = import_pack_file(path)
    after = write_report(again.slug, tmp_path / "after")
    assert of_pack(path) == before
    assert after == before
    assert len(before) > 10


def test_matches_with_published_generators_come_back(guessing_study, tmp_path):
    name = list_own_generators(guessing_study)[0]
    store_matches(guessing_study, ("gpt-4",), {name: "gpt-4"}, None)
    again, _project = import_pack_file(export_pack_file(guessing_study, tmp_path / "pack.zip"))
    assert read_matches(again) == {name: "gpt-4"}


@pytest.mark.parametrize("convention", ["annotators", "published"])
def test_pilots_come_back_where_they_were_included(guessing_study, tmp_path, convention):
    wanted = ("--include", "pilot", "--convention", convention, "--seed", "3")
    path = export_pack_file(guessing_study, tmp_path / "pack.zip", *wanted)
    again, _project = import_pack_file(path)
    assert write_report(again.slug, tmp_path / "after", *wanted) == of_pack(path)
    assert set(again.annotators.values_list("purpose", flat=True)) == {"main", "pilot"}


def test_a_part_left_out_of_the_results_is_left_out_again(pairs_study, tmp_path):
    path = export_pack_file(pairs_study, tmp_path / "pack.zip", "--calibration", "without")
    again, _project = import_pack_file(path)
    assert write_report(again.slug, tmp_path / "after", "--calibration", "without") == of_pack(path)


@pytest.mark.database
@EVERY
def test_a_pack_of_the_unpacked_study_holds_the_same_data(study, tmp_path):
    first = export_pack_file(study, tmp_path / "first.zip")
    again, _project = import_pack_file(first)
    Study.objects.filter(pk=study.pk).update(slug="old")
    Study.objects.filter(pk=again.pk).update(slug=study.slug)
    with (
        ZipFile(first) as one,
        ZipFile(export_pack_file(Study.objects.get(pk=again.pk), tmp_path / "second.zip")) as other,
    ):
        for name in one.namelist():
            if name.startswith(("bank/", "answers/", "study/units", "study/study.yaml")):
                assert rows_of(other, name) == rows_of(one, name), name


def rows_of(pack, name):
    """The content, but for what a model wrote and who numbers a wording."""
    content = pack.read(name).decode()
    if not name.endswith("responses.csv"):
        return content
    rows = list(csv.DictReader(io.StringIO(content)))
    return [{key: value for key, value in row.items() if key not in ("instrument_version",)} for row in rows]


def test_the_same_study_gives_the_same_pack(guessing_study, tmp_path, recompute):
    assert (
        pack_anew(guessing_study, tmp_path / "a.zip").read_bytes()
        == pack_anew(guessing_study, tmp_path / "b.zip").read_bytes()
    )
    assert {path.name for path in tmp_path.iterdir()} == {"a.zip", "b.zip"}  # nothing temporary stays


def test_the_manifest_has_seeds_versions_and_the_hash_of_every_other_file(guessing_study, tmp_path):
    with ZipFile(export_pack_file(guessing_study, tmp_path / "pack.zip", "--seed", "3")) as pack:
        manifest = json.loads(pack.read("manifest.json"))
        assert manifest["seeds"] == {"study": 7, "report": 3}
        assert {"lesart", "numpy", "python"} <= set(manifest["versions"])
        assert set(manifest["files"]) == set(pack.namelist()) - {"manifest.json"}
        for name, entry in manifest["files"].items():
            content = pack.read(name)
            assert (entry["sha256"], entry["bytes"]) == (hashlib.sha256(content).hexdigest(), len(content))


def test_what_was_shown_and_when_comes_back(guessing_study, tmp_path):
    again, _project = import_pack_file(export_pack_file(guessing_study, tmp_path / "pack.zip"))
    first, second = guessing_study.annotators.get(code="P01"), again.annotators.get(code="P01")
    times = [
        list(each.assignments.order_by("position").values_list("submissions__opened_at", "submissions__submitted_at"))
        for each in (first, second)
    ]
    assert times[0] == times[1]
    assert second.revoked_at is not None
    orders = [
        [row.shown and work.describe_order(row.shown["read"], *names_in(each.study)) for row in each.assignments.all()]
        for each in (first, second)
    ]
    assert orders[0] == orders[1]


def names_in(study):
    """Ids of items and options by primary key."""
    items = dict(study.units.values_list("items", "items__external_id"))
    return items, dict(Option.objects.filter(item__in=items).values_list("pk", "external_id"))


# What must not be in a pack ------------------------------------------------------------------------------------------


def everything_in(path):
    with ZipFile(path) as pack:
        return "\n".join(f"{name}\n{pack.read(name).decode(errors='replace')}" for name in pack.namelist())


@pytest.fixture
def redacted_study(questionnaire_study, owner):
    """A text that may not be shared, quoted wherever people and models write; somebody's name and address."""
    owner.first_name, owner.email = "Zwanhild", "zwanhild@example.org"
    owner.save()
    item = questionnaire_study.units.get(items__external_id="s1-gen-alder").items.get()
    Text.objects.filter(pk=item.text_id).update(body=SECRET, shareable=False)
    item.metadata = {"quote": SECRET, "kind": "open"}
    item.save()
    KeyCorrection.objects.create(
        item=item, option_external_id="a", correct=True, reason=f"It says: {SECRET}", made_by=owner
    )
    person = questionnaire_study.annotators.order_by("pk").first()
    person.person, person.code = "zwanhild@example.org", "Zwanhild Reed"
    person.save()
    answers = Response.objects.filter(item=item, question="answer")
    answers.update(value=SECRET, comment="ask zwanhild@example.org")
    return questionnaire_study


def test_a_hidden_text_stands_nowhere_in_words(redacted_study, tmp_path):
    text = everything_in(export_pack_file(redacted_study, tmp_path / "pack.zip"))
    assert "Zwickelbart" not in text
    assert "drowned canal" not in text
    assert hashlib.sha256(SECRET.encode()).hexdigest() in text


def test_people_are_opaque_codes(redacted_study, owner, tmp_path):
    text = everything_in(export_pack_file(redacted_study, tmp_path / "pack.zip")).lower()
    assert "zwanhild" not in text
    assert "@example" not in text
    assert "person-1" in text
    for annotator in redacted_study.annotators.all():
        assert annotator.token.lower() not in text
        assert annotator.public_id not in text
        for assignment in annotator.assignments.all():
            assert assignment.token.lower() not in text
            assert all(item[0] not in text for order in assignment.shown.values() for item in order)


def test_a_pack_with_hidden_words_still_comes_back_to_the_same_bytes(redacted_study, tmp_path):
    path = export_pack_file(redacted_study, tmp_path / "pack.zip")
    again, project = import_pack_file(path)
    assert write_report(again.slug, tmp_path / "after") == of_pack(path)
    text = project.texts.get(external_id="s1")
    assert (text.shareable, text.body) == (False, f"sha256:{hashlib.sha256(SECRET.encode()).hexdigest()}")


def test_the_span_and_note_of_a_code_go_with_a_hidden_text(guessing_study, tmp_path):
    code = ItemCode.objects.get(study=guessing_study)
    Text.objects.filter(pk=code.item.text_id).update(shareable=False)
    with ZipFile(export_pack_file(guessing_study, tmp_path / "pack.zip")) as pack:
        values = json.loads(pack.read("answers/codes.jsonl"))
    assert (values["code"], values["start"], values["end"], values["note"]) == ("wrong_key", None, None, "")


def test_what_each_coder_set_and_the_decision_come_back_without_names(guessing_study, researcher, reviewer, tmp_path):
    items = {item.external_id: item for item in guessing_study.project.items.all()}
    for user, kind in ((reviewer, "literal"), (researcher, "inference")):
        coding = start_coding(guessing_study, user)
        placed = [CodePlacement(items["t1-birch-1"].pk, kind), CodePlacement(items["t2-birch-1"].pk, "literal")]
        code_items(guessing_study, placed, user, coding)
        finish_coding(coding)
    decide_code(guessing_study, items["t1-birch-1"].pk, "question_type", "inference", "Two sentences.", researcher)
    before = Comparison(guessing_study)
    path = export_pack_file(guessing_study, tmp_path / "pack.zip")
    with ZipFile(path) as pack:
        lines = pack.read("answers/coders.jsonl") + pack.read("answers/code_decisions.jsonl")
    assert researcher.username.encode() not in lines
    again, _project = import_pack_file(path)
    after = Comparison(again)
    assert [each.answers for each in after.cells] == [each.answers for each in before.cells] != []
    (decision,) = after.decisions.values()
    assert (decision.item.external_id, decision.value, decision.reason) == ("t1-birch-1", "inference", "Two sentences.")
    assert (decision.decided_by, {each.coder for each in after.codings}) == (None, {None})


def test_categories_of_ones_own_come_back(guessing_study, tmp_path):
    item = guessing_study.project.items.get(external_id="t2-birch-1")
    set_code(guessing_study, item, "tense=past", None)
    import_pack_file(export_pack_file(guessing_study, tmp_path / "pack.zip"))
    assert ItemCode.objects.filter(study__slug="again", item__external_id="t2-birch-1", code="tense=past").exists()


# Datasheet and paragraph ---------------------------------------------------------------------------------------------


def test_the_datasheet_says_what_is_known_and_marks_what_is_not(guessing_study, tmp_path):
    with ZipFile(export_pack_file(guessing_study, tmp_path / "pack.zip")) as pack:
        entries = {each["number"]: each for each in json.loads(pack.read("datasheet/heds.json"))["entries"]}
        markdown = pack.read("datasheet/heds.md").decode()
    assert entries["3.1.1"]["answer"] == "alder 6, birch 6"
    assert len(entries) == 45  # numbers; section 4 stands once for each criterion
    assert entries["3.2.1"]["answer"].startswith("3; groups: students 3")
    assert entries["3.2.3"]["answer"] is None
    assert "**3.2.3 How they were recruited**: _to be filled in_" in markdown


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "We evaluated 12 items about 3 texts"), ("de", "12 Items zu 3 Texten")],
)
def test_the_methods_paragraph_has_the_studys_numbers_in_both_languages(guessing_study, tmp_path, language, words):
    with ZipFile(export_pack_file(guessing_study, tmp_path / "pack.zip")) as pack:
        text = pack.read(f"datasheet/methods.{language}.md").decode()
        rows = list(csv.DictReader(io.StringIO(pack.read("report/tables/informativity.csv").decode())))
    assert words in text
    alder = next(row for row in rows if (row["generator"], row["evaluator"]) == ("alder", "human"))
    with translation.override(language):
        assert f"alder {number(float(alder['informativity']))} [" in text


# What is refused ------------------------------------------------------------------------------------------------------


def write_changed_pack(path, name, change, *, hashed=False):
    """The pack with one file changed, with the right hash of it if `hashed`."""
    with ZipFile(path) as pack:
        files = {each: pack.read(each) for each in pack.namelist()}
    files[name] = change(files[name])
    if hashed:
        manifest = json.loads(files["manifest.json"])
        manifest["files"][name]["sha256"] = hashlib.sha256(files[name]).hexdigest()
        files["manifest.json"] = json.dumps(manifest).encode()
    with ZipFile(path, "w") as pack:
        for each, content in files.items():
            pack.writestr(each, content)
    return path


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("answers/responses.csv", b",true,", b",perhaps,", "“perhaps” is not an answer to answer"),
        ("answers/assignments.jsonl", b'"unit": 0', b'"unit": 99', "invalid assignment"),
        ("answers/annotators.jsonl", b'"P02"', b'"P01"', "names an annotator twice"),
        ("answers/annotators.jsonl", b'"P02"', b'"\\ud800"', "lone surrogate"),
        ("answers/submissions.jsonl", b'_at": "2', b'_at": "9999-12-31T23:00:00-12:00", "x": "', "not a time: .*_at"),
        ("study/study.yaml", b"guess-then-read", b"guess-then-sing", "Unknown protocol"),
        ("bank/items.jsonl", b'"question"', b'"questions"', "bank/items.jsonl, line 1"),
        ("answers/codes.jsonl", b"t2-birch-1", b"t9-birch-1", ", but does not contain it"),
    ],
)
def test_what_cannot_be_is_refused_whole_even_under_a_right_hash(guessing_study, tmp_path, name, old, new, words):
    path = write_changed_pack(
        export_pack_file(guessing_study, tmp_path / "pack.zip"), name, lambda c: c.replace(old, new, 1), hashed=True
    )
    with pytest.raises(CommandError, match=words):
        import_pack_file(path)
    assert not Study.objects.filter(slug="again").exists()
    assert not Text.objects.filter(project__slug="again").exists()


def test_a_file_that_was_changed_is_refused(guessing_study, tmp_path):
    path = write_changed_pack(
        export_pack_file(guessing_study, tmp_path / "pack.zip"),
        "report/tables/ratings.csv",
        lambda content: content + b"1",
    )
    with pytest.raises(CommandError, match=r"report/tables/ratings.csv of the pack was changed"):
        import_pack_file(path)


def test_no_zip_and_a_used_project_are_refused(guessing_study, tmp_path):
    (tmp_path / "no.zip").write_text("nothing")
    with pytest.raises(CommandError, match="not a ZIP file"):
        import_pack_file(tmp_path / "no.zip")
    path = export_pack_file(guessing_study, tmp_path / "pack.zip")
    with pytest.raises(CommandError, match="has texts or generators already"):
        call_command("import_pack", str(path), "--project", "rivers", "--slug", "again")
    with pytest.raises(CommandError, match="A study “guessed” already exists"):
        call_command("import_pack", str(path), "--project", Project.objects.create(slug="empty", title="E").slug)


def test_a_pack_says_how_far_it_is(guessing_study):
    steps = []
    write_pack(guessing_study, Choices(seed=7), io.BytesIO(), steps.append)
    assert steps == [2, 3, 4, 5]


def test_an_unpacked_model_cannot_go_on_and_says_why(guessing_study, tmp_path, as_user):
    model = guessing_study.annotators.get(code="gpt")
    Response.objects.filter(assignment__annotator=model, stage="guess").delete()
    again, project = import_pack_file(export_pack_file(guessing_study, tmp_path / "pack.zip"))
    user = User.objects.create_user("rosa", password="correct horse battery")
    Membership.objects.create(project=project, user=user, role=Role.RESEARCHER)
    evaluator = Evaluator.objects.get(annotator__study=again, annotator__code="gpt")
    Evaluator.objects.filter(pk=evaluator.pk).update(params=evaluator.params | {"thresholds": {}})
    client = as_user(user)
    page = client.post(reverse("evaluator_continue", args=[again.slug, evaluator.pk]), follow=True)
    assert "came from a replication pack" in page.content.decode()


def test_without_people_the_paragraph_says_whose_numbers_these_are(guessing_study, tmp_path):
    guessing_study.annotators.filter(kind="human").update(purpose="simulated", seat=None)
    with ZipFile(export_pack_file(guessing_study, tmp_path / "pack.zip", "--include", "simulated")) as pack:
        assert "to simulated annotators" in pack.read("datasheet/methods.en.md").decode()
        assert "simulierte Personen" in pack.read("datasheet/methods.de.md").decode()
