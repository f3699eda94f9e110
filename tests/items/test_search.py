"""Finding texts and items: the index on both databases, tags, and stratified samples."""

import json
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import connection

from items.models import Item, Option, Text
from items.search_index import INDEXED, ensure_search_index
from items.services.editing import edit_item, edit_text, tag_items
from items.services.search import BankSearch, Sample, Stratum, match_items, search_texts
from items.values import get_item_values, get_text_values
from tests.api.conftest import make_caller
from tests.items.files import item_row, load, text_row

pytestmark = [pytest.mark.django_db, pytest.mark.database]

ANSWERS = [{"text": "Die Möwen schlafen.", "correct": True}, {"text": "3.5 km/h", "correct": False}]


@pytest.fixture
def bank(project):
    load(
        project,
        text_row([item_row(id="q1", question="Why?", answers=ANSWERS, tags=["hard", "inference"])], id="t1",
                 title="Ferry", text="The harbour-master sings.Then he rows.", language="en"),
        text_row([item_row(id="q2", question="Wann fährt die Fähre?", answers=[], answer="Um neun", tags=["hard"],
                           generator="gpt")],
                 id="t2", text="昨天他在图书馆看书。", language="zh"),
    )  # fmt: skip
    return project


def find(project, words: str = "", **asked) -> list[str]:
    return [text.external_id for text in search_texts(project, BankSearch(words=words, **asked))]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("ferry", ["t1"]),
        ("HARB", ["t1"]),
        ("master", ["t1"]),  # behind a hyphen
        ("then", ["t1"]),  # no blank in front: PostgreSQL would take it for the name of a host
        ("arbour", []),  # words are found from their start
        ("möwen", ["t1"]),
        ("km", ["t1"]),
        ("ferry möwen", ["t1"]),  # text and option
        ("ferry neun", []),
        ("fähre neun", ["t2"]),
        ("图书馆", ["t2"]),
        ("t2", ["t2"]),
        ("?!", []),
        ("' OR 1=1 --", []),
        ('"NEAR( *', []),
    ],
)
def test_all_words_are_found_in_texts_questions_and_options(bank, words, ids):
    assert find(bank, words) == ids


def test_items_are_found_by_their_own_words(bank):
    rows = Item.objects.filter(project=bank)
    assert [item.external_id for item in rows.filter(match_items("möwen why"))] == ["q1"]
    assert not rows.filter(match_items("ferry")).exists()


def test_the_index_follows_every_way_of_writing(bank):
    text, item = Text.objects.get(external_id="t1"), Item.objects.get(external_id="q1")
    new = edit_text(text, replace(get_text_values(text), body="A lighthouse."))
    assert find(bank, "harbour") == []
    assert find(bank, "lighthouse") == ["t1"]
    edit_item(Item.objects.current().get(external_id="q1"), replace(get_item_values(item), stem="Whither?"), None)
    assert find(bank, "why") == []
    assert find(bank, "whither") == ["t1"]
    Option.objects.filter(item__text=new).update(text="Quokka")
    assert find(bank, "quokka") == ["t1"]
    Item.objects.filter(text=new).delete()
    assert find(bank, "quokka") == []
    Text.objects.bulk_create([Text(project=bank, external_id="t3", body="Wombats.", language="en")])
    assert find(bank, "wombat") == ["t3"]


def test_a_lost_index_is_made_anew(bank):
    if connection.vendor != "sqlite":
        pytest.skip("only a migration on SQLite takes triggers along")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER items_text_words_insert")
    Text.objects.bulk_create([Text(project=bank, external_id="t3", body="Wombats.", language="en")])
    ensure_search_index(connection)
    assert find(bank, "wombat") == ["t3"]


def test_postgresql_looks_the_words_up_in_the_index(bank):
    if connection.vendor != "postgresql":
        pytest.skip("FTS5 has no other way")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = search_texts(bank, BankSearch(words="ferry")).explain()
    assert all(f"{table}_words" in plan for table in INDEXED)


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({"tag": "hard"}, ["t1", "t2"]),
        ({"tag": "inference"}, ["t1"]),
        ({"tag": "Hard"}, []),
        ({"tag": "hard", "generator": "gpt"}, ["t2"]),
    ],
)
def test_tags_filter(bank, asked, ids):
    assert find(bank, **asked) == ids


def test_tags_begin_no_version_and_stay_with_the_next_one(bank, researcher):
    item = Item.objects.get(external_id="q1")
    assert tag_items(bank, [item], add=["new"], remove=["hard"]) == 1
    assert tag_items(bank, [item], add=["new"]) == 0
    values = replace(get_item_values(item), tags=("new", "other"))
    assert edit_item(item, values, researcher).pk == item.pk
    item.refresh_from_db()
    assert item.tags == ["new", "other"]
    text = edit_text(item.text, replace(get_text_values(item.text), title="Boat"))
    assert Item.objects.get(text=text).tags == ["new", "other"]
    for wrong in (["a,b"], map(str, range(30))):
        with pytest.raises(ValueError, match="tag"):
            tag_items(bank, [item], add=wrong)


def test_tags_come_in_and_go_out(bank, as_user, researcher, tmp_path):
    client = as_user(researcher)
    pk = Text.objects.get(external_id="t1").pk
    client.post("/p/rivers/texts/act/", {"texts": [pk], "tags": "pilot, easy", "tag": "yes"})
    line = json.loads(client.get("/p/rivers/items.jsonl?tag=pilot").content)
    assert line["items"][0]["tags"] == ["easy", "hard", "inference", "pilot"]
    client.post("/p/rivers/texts/act/", {"texts": [pk], "tags": "pilot; easy", "untag": "yes"})
    assert Item.objects.get(external_id="q1").tags == ["hard", "inference"]


@pytest.fixture
def large(project):
    rows = [[item_row(id=f"i{text}-{n}", question=f"Question {n}?", generator=f"g{n % 2}") for n in range(6)]
            for text in range(4)]  # fmt: skip
    load(project, *(text_row(items, id=f"t{n}", text=f"Text number {n} is short.") for n, items in enumerate(rows)))
    return project


@pytest.mark.parametrize(("by", "n"), [(Stratum.NONE, 3), (Stratum.GENERATOR, 6), (Stratum.TEXT, 12)])
def test_a_sample_takes_as_many_of_each_stratum(large, by, n):
    items = list(Item.objects.filter(project=large).select_related("text", "generator"))
    drawn = Sample(3, by, seed=7).draw(items)
    assert len(drawn) == n
    assert drawn == Sample(3, by, seed=7).draw(reversed(items)) != Sample(3, by, seed=8).draw(items)
    rest = [item for item in items if item.pk in drawn or item.pk % 2]
    assert Sample(3, by, seed=7).draw(rest) == drawn  # what is drawn does not depend on what is not


def test_command_page_and_api_export_the_same_sample(large, as_user, researcher, tmp_path):
    call_command("export_items", project="rivers", out=str(tmp_path / "s"), sample=2, by="generator", seed=5)
    lines = (tmp_path / "s").read_text()
    assert sorted(item["generator"] for line in lines.splitlines() for item in json.loads(line)["items"]) == [
        *("g0", "g0", "g1", "g1")
    ]
    asked = "sample=2&by=generator&seed=5"
    assert as_user(researcher).get(f"/p/rivers/items.jsonl?{asked}").content.decode() == lines
    assert make_caller(researcher).get(f"projects/rivers/bank.jsonl?{asked}").content.decode() == lines
    assert make_caller(researcher).get("projects/rivers/bank.jsonl?sample=0").status_code == 400
