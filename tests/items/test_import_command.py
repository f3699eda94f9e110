"""import_items: counts and warnings when it stores, a reason for every row when it refuses."""

import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from items.models import Item, KeyCorrection, Text
from tests.items.files import BODY, OPTIONS, csv, item_row, jsonl, text_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(tmp_path, project):
    """A function that imports rows from a file and returns what was printed."""

    def run(*rows, name="bank.jsonl", **options):
        path = tmp_path / name
        path.write_bytes(jsonl(*rows))
        out = io.StringIO()
        call_command("import_items", str(path), project=project.slug, stdout=out, **options)
        return out.getvalue()

    return run


def test_it_prints_counts_and_warnings(run):
    printed = run(text_row([item_row([("same", True), ("same", False)])]))
    assert "1 new text\n" in printed
    assert "1 new item\n" in printed
    assert "Warning: line 1, items 1, answers: Two options" in printed
    assert printed.endswith("Stored.\n")


def test_a_refused_file_names_line_field_and_reason_and_stores_nothing(run):
    with pytest.raises(CommandError) as refused:
        run(text_row(), text_row([item_row(question="")]), b"{")
    assert "nothing was stored" in str(refused.value)
    assert "line 2, items 1, question: This field is empty." in str(refused.value)
    assert "line 3: The line is not one complete JSON object" in str(refused.value)
    assert not Text.objects.exists()


def test_what_is_not_listed_is_counted(run):
    with pytest.raises(CommandError, match=r"… and 5 more\."):
        run(*[b"nonsense"] * 205)


def test_a_dry_run_stores_nothing(run):
    printed = run(text_row(), dry_run=True)
    assert "1 new text" in printed
    assert "nothing was stored" in printed
    assert not Text.objects.exists()
    with pytest.raises(CommandError):
        run(b"nonsense", dry_run=True)


def test_other_words_need_update(run):
    run(text_row(id="t1"))
    changed = text_row(id="t1", text="Another text, about nothing at all.")
    with pytest.raises(CommandError, match="--update"):
        run(changed)
    assert "1 text in a new version" in run(changed, update=True)
    assert Text.objects.current().get().version == 2


def test_a_correction_names_its_file_without_the_folders_of_the_server(run):
    run(text_row([item_row(id="q1")], id="t1"))
    run(text_row([item_row([(text, not correct) for text, correct in OPTIONS], id="q1")], id="t1"))
    assert KeyCorrection.objects.first().reason == "Import of the file bank.jsonl"


def test_generator_and_language_may_be_given(run):
    run(text_row(language=None), generator="Ada", language="deu_Latn")
    assert Item.objects.get().generator.name == "Ada"
    assert Text.objects.get().language == "de"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"language": "Klingon"}, "not a known language"),
        ({"generator": "a\x1bb"}, "control characters"),
        ({"project": "nowhere"}, "No project has"),
        ({"name": "bank.numbers"}, "--format"),
    ],
)
def test_a_bad_option_is_refused_with_a_sentence(run, project, options, words):
    slug = options.pop("project", project.slug)
    with pytest.raises(CommandError, match=words):
        run(text_row(), **options) if slug == project.slug else call_command("import_items", "x.jsonl", project=slug)
    assert not Text.objects.exists()


def test_a_file_that_cannot_be_read_is_refused(project, tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("import_items", str(path), project=project.slug, format="lesart")


def test_a_file_above_the_bound_is_refused_with_the_limit(run, settings):
    settings.LESART = {**settings.LESART, "COMMAND_UPLOAD_BYTES": 1_000_000}
    with pytest.raises(CommandError, match="larger than 1 MB"):
        run(text_row(metadata={"x": "x" * 1_000_000}))


def test_standard_input_is_read(project, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(jsonl(text_row()))))
    call_command("import_items", "-", project=project.slug, stdout=io.StringIO())
    assert Text.objects.get().body == BODY


def test_terminal_escapes_do_not_come_alive(run):
    escape = "\x1b[31m\x9b\u202e"
    printed = run(text_row([item_row([(escape, True), (escape, False)])], **{f"x{escape}": 1}))
    with pytest.raises(CommandError) as refused:
        run(text_row(language=f"de{escape}"), text_row(language="Kl" + "ing" * 50))
    for shown in (printed, str(refused.value)):
        assert not any(char in shown for char in escape if char not in "[31m")
    assert "\\x1b[31m" in printed


def test_a_table_is_read_by_the_names_of_its_columns(run, project, tmp_path):
    path = tmp_path / "bank.csv"
    path.write_bytes(csv("Text-ID;Lesetext;Frage;A;B;richtig", f"t1;{BODY};Why?;x;y;B"))
    out = io.StringIO()
    call_command("import_items", str(path), project=project.slug, stdout=out)
    assert "1 new item" in out.getvalue()
    assert [option.correct for option in Item.objects.get().options.all()] == [False, True]


def test_a_table_without_a_necessary_column_is_refused_with_the_known_ones(project, tmp_path):
    path = tmp_path / "bank.tsv"
    path.write_bytes(csv("Überschrift\tJahr", "Ferry\t1999"))
    with pytest.raises(CommandError, match="Recognized columns: text_id, title, text") as refused:
        call_command("import_items", str(path), project=project.slug)
    assert "nothing was stored" in str(refused.value)
    assert not Text.objects.exists()


@pytest.fixture
def odd_table(tmp_path) -> str:
    path = tmp_path / "bank.csv"
    path.write_bytes(csv("Zeile;Passus;Was;eins;zwei;wahr", f"7;{BODY};Why?;x;y;B"))
    return str(path)


ASSIGNED = ["text = Passus", "question = Was", "option_1 = eins", "option_2=zwei", "correct = wahr",
            "leave_out = Zeile"]  # fmt: skip


def test_columns_are_assigned_by_map(project, odd_table):
    out = io.StringIO()
    call_command("import_items", odd_table, project=project.slug, map=ASSIGNED, dry_run=True, stdout=out)
    assert "  question = Was\n" in out.getvalue()
    assert not Text.objects.exists()
    call_command("import_items", odd_table, project=project.slug, map=ASSIGNED, stdout=out)
    item = Item.objects.get()
    assert (item.stem, item.metadata, [o.correct for o in item.options.all()]) == ("Why?", {}, [False, True])


@pytest.mark.parametrize(
    ("map", "words"),
    [
        ([], "No column is assigned to the text"),
        ([*ASSIGNED, "title = Titel"], "line 1, Titel: The table has no column “Titel”"),
        ([*ASSIGNED, "heading = Zeile"], "“Zeile” is assigned twice"),
        (["heading = Zeile"], "line 1, Zeile: “heading” is no field"),
        ([*ASSIGNED[:-1], "text = Zeile"], "2 columns are assigned to “text”"),
    ],
)
def test_a_bad_map_is_refused_and_stores_nothing(map, words, project, odd_table):
    with pytest.raises(CommandError, match=words):
        call_command("import_items", odd_table, project=project.slug, map=map)
    assert not Text.objects.exists()


def test_a_map_for_a_file_without_columns_is_refused(run):
    with pytest.raises(CommandError, match="no columns to map"):
        run(text_row(), map=["text = Passus"])


def test_a_text_file_is_a_text_with_its_name(project, tmp_path):
    path = tmp_path / "ferry.txt"
    path.write_text(BODY)
    call_command("import_items", str(path), project=project.slug, stdout=io.StringIO())
    text = Text.objects.get()
    assert (text.external_id, text.title, text.body) == ("ferry", "ferry", BODY)


def test_a_format_may_be_named_against_the_ending(project, tmp_path):
    path = tmp_path / "bank.data"
    path.write_bytes(csv("text;title", f"{BODY};Ferry"))
    call_command("import_items", str(path), project=project.slug, format="csv", stdout=io.StringIO())
    assert Text.objects.get().title == "Ferry"


def test_problems_of_a_text_file_name_the_file(project, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"a\0b")
    with pytest.raises(CommandError, match=r"bad\.txt: Line 1 contains a NUL"):
        call_command("import_items", str(path), project=project.slug)
