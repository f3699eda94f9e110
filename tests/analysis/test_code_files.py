"""Codes of items as CSV: out and in again, by page and command, with errors that name line and remedy."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.items.code_files import export_codes, import_codes
from analysis.items.coding_acts import set_code, undo
from analysis.models import CodingAct, ItemCode
from studies.services.responses.importing import ImportRefused


def export_rows(study, kind=""):
    out = io.StringIO(newline="")
    export_codes(study, out, kind)
    return out.getvalue()


def rows(study, kind=""):
    return list(csv.DictReader(io.StringIO(export_rows(study, kind))))


def take(study, *lines, user=None, header="item_id,kind,code,option_id,quote,note", **how):
    return import_codes(study, "\n".join([header, *lines]).encode(), user, **how)


def refusals(study, *lines, **how):
    with pytest.raises(ImportRefused) as refused:
        take(study, *lines, **how)
    assert not ItemCode.objects.filter(study=study, set_in__isnull=False).exists()
    return [str(problem) for problem in refused.value.problems]


def standing(study):
    return set(ItemCode.objects.current().filter(study=study).values_list("item__external_id", "code"))


def test_what_goes_out_comes_in_again(two_annotators, items, reviewer):
    option = items["h2"].options.get(external_id="b")
    set_code(two_annotators, items["h2"], "unclear_option", reviewer, option=option, quote="two sentences", note="=1+1")
    set_code(two_annotators, items["c1"], "word class=noun", reviewer)
    before, file = rows(two_annotators), export_rows(two_annotators)
    ItemCode.objects.all().delete()
    import_codes(two_annotators, file.encode(), reviewer)
    again = rows(two_annotators)
    assert [{**row, "set_at": ""} for row in again] == [{**row, "set_at": ""} for row in before]
    assert ItemCode.objects.get(code="unclear_option").note == "=1+1"
    assert "'=1+1" in file


def test_the_same_file_a_second_time_changes_nothing(two_annotators, items, reviewer):
    take(two_annotators, "c1,question_type,literal,,,", user=reviewer)
    found = take(two_annotators, "c1,question_type,literal,,,", user=reviewer)
    assert (found.done.act, found.done.n_same) == (None, 1)
    assert ItemCode.objects.count() == 1


def test_a_kind_has_a_row_for_each_item_to_be_filled_in(two_annotators, items, reviewer):
    set_code(two_annotators, items["h1"], "literal", reviewer)
    found = [(row["item_id"], row["kind"], row["code"]) for row in rows(two_annotators, "question_type")]
    empty = [(name, "question_type", "") for name in ("c2", "h2")]
    assert found == [("c1", "question_type", ""), ("h1", "question_type", "literal"), *empty]
    assert import_codes(two_annotators, export_rows(two_annotators, "question_type").encode(), reviewer).n_rows == 1


def test_a_code_of_the_catalogue_needs_no_kind(two_annotators, items):
    take(two_annotators, "c1;wrong_key", "h1;about_text", header="item_id;code")
    assert standing(two_annotators) == {("c1", "wrong_key"), ("h1", "about_text")}


def test_a_category_of_ones_own_is_named_as_new_once(two_annotators, items):
    assert take(two_annotators, "c1,tense,past,,,", "h1,question_type,cloze,,,").new == (
        "question_type=cloze",
        "tense=past",
    )
    assert take(two_annotators, "c2,tense,past,,,").new == ()


def test_another_category_replaces_the_first_and_an_import_is_undone_as_a_whole(two_annotators, items, reviewer, owner):
    set_code(two_annotators, items["c1"], "literal", owner)
    take(two_annotators, "c1,question_type,inference,,,", "h1,question_type,literal,,,", user=reviewer)
    assert standing(two_annotators) == {("c1", "inference"), ("h1", "literal")}
    assert undo(two_annotators, CodingAct.objects.get().pk, reviewer)
    assert standing(two_annotators) == {("c1", "literal")}


def test_a_new_note_takes_the_place_of_the_old(two_annotators, items, reviewer):
    set_code(two_annotators, items["c1"], "wrong_key", reviewer, note="First.")
    take(two_annotators, "c1,,wrong_key,,,Second.")
    assert [code.note for code in ItemCode.objects.current()] == ["Second."]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("c9,,wrong_key,,,", "Write the id of one of its items"),
        ("c1,,boring,,,", "Use one of: wrong_key"),
        ("c1,error,boring,,,", "Use one of: wrong_key"),
        ("c1,,wrong_key,z,,", "Write the id of one, or leave it empty"),
        ("c1,,wrong_key,,a volcano,", "Copy it exactly from the text"),
        (f"c1,,wrong_key,,,{'x' * 1001}", "Shorten it"),
        (f"c1,{'k' * 61},x,,,", "up to 60 characters"),
        ("h1,question_type,literal,,,", "Line 2 is the same. Remove one of the two."),
        ("h1,question_type,inference,,,", "Line 2 gives this item the code “literal”. Keep one of the two rows."),
        ("h1,question_type", "The row has 2 cells, the first line 6."),
    ],
)
def test_an_error_names_line_and_remedy_and_nothing_is_stored(two_annotators, items, line, message):
    found = refusals(two_annotators, "h1,question_type,literal,,,", line)
    assert len(found) == 1
    assert "3" in found[0].split(":")[0]
    assert message in found[0]


def test_a_file_without_the_columns_is_refused_with_those_it_has(two_annotators):
    assert (
        "The column code is missing. The columns here are: item_id, colour."
        in refusals(two_annotators, "c1,red", header="item_id,colour")[0]
    )


def test_with_a_dry_run_nothing_is_stored(two_annotators, items):
    assert take(two_annotators, "c1,,wrong_key,,,", dry_run=True).n_rows == 1
    assert not ItemCode.objects.exists()


def test_the_commands_write_and_read_the_same_file(two_annotators, items, reviewer, tmp_path, capsys):
    set_code(two_annotators, items["c1"], "literal", reviewer)
    call_command("export_codes", "tiny", out=tmp_path / "codes.csv")
    ItemCode.objects.all().delete()
    call_command("import_codes", str(tmp_path / "codes.csv"), study="tiny", by="reviewer-member")
    assert ItemCode.objects.get().set_by == reviewer
    assert "Codes set: 1, on 1 items. Unchanged: 0." in capsys.readouterr().out


def test_the_command_says_what_is_wrong(two_annotators, tmp_path):
    file = tmp_path / "codes.csv"
    file.write_text("item_id,code\nc9,wrong_key\n")
    with pytest.raises(CommandError, match=r"Nothing was stored\.\n.*c9"):
        call_command("import_codes", str(file), study="tiny")
    with pytest.raises(CommandError, match="no user"):
        call_command("import_codes", str(file), study="tiny", by="nobody")


def send(client, text):
    file = SimpleUploadedFile("codes.csv", text.encode())
    return client.post(reverse("study_codes_import", args=["tiny"]), {"file": file}, follow=True)


def test_the_page_takes_a_file_and_says_what_is_new(two_annotators, items, as_user, reviewer):
    html = send(as_user(reviewer), "item_id,kind,code\nc1,tense,past\n").content.decode()
    assert "Codes set: 1, on 1 item." in html
    assert "New categories: tense=past." in html
    assert standing(two_annotators) == {("c1", "tense=past")}


def test_the_page_says_what_is_wrong_with_a_file(two_annotators, as_user, reviewer):
    response = send(as_user(reviewer), "item_id,code\nc9,wrong_key\n")
    assert response.status_code == 400
    assert "Write the id of one of its items" in response.content.decode()


def test_the_page_gives_the_file(two_annotators, items, as_user, reviewer):
    set_code(two_annotators, items["c1"], "literal", reviewer)
    response = as_user(reviewer).get(reverse("study_codes_csv", args=["tiny"]), {"kind": "question_type"})
    assert b"".join(response.streaming_content).decode().count("question_type") == 4
