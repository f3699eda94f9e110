"""Texts with Markdown, formulas and pictures: what becomes HTML, what stays characters, what is refused."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from items.files import zip_files
from items.formats import find_format
from items.markup import list_bad_formulas, render_text, render_wording
from items.models import Picture, Text
from items.pictures import MAX_SIDE, BadPicture, read_data_uri, read_picture
from items.services.exporting import export_lines
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from studies.services.deleting import delete_with_all
from tests.items.files import item_row, load, refusal, text_row, warnings
from tests.pictures import HUSH, as_uri, make_png

BODY = "Some *words* and $\\frac{a}{b}$.\n\n![a map](map.png)"


def show(body: str, **pictures: str) -> str:
    return render_text(Text(body=body, markup="markdown", pictures=pictures), lambda digest: f"/seen/{digest}/")


def make_text_row(**fields) -> dict:
    return text_row(text=BODY, markup="markdown", pictures={"map.png": as_uri(make_png())}) | fields


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("*a* **b**", "<em>a</em> <strong>b</strong>"),
        ("# a", "<h3>a</h3>"),
        ("$x^2$", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("$$a<b$$", '<math display="block"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>'),
        ("from $5 to $6", "from $5 to $6"),
        ("![a <map>](map)", '<img class="picture" src="/seen/digest/" alt="a &lt;map&gt;">'),
        ("![a map](https://host.example/x.png)", "<p>a map</p>"),
        ("[a](https://host.example)", "[a](https://host.example)"),
        ("$\\nosuch{a}$", "<code>\\nosuch{a}</code>"),
    ],
)
def test_what_is_shown(written, shown):
    assert shown in show(written, map="digest")


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "![a](javascript:alert(1))",
        "<javascript:alert(1)>",
        '![" onerror="alert(1)](map)',
        "$\\text{<img src=x onerror=alert(1)>}$",
        "$\\href{javascript:alert(1)}{x}$",
        "$\\text{</mtext></math><script>alert(1)</script>}$",
        "$\\text{&lt;script&gt;}$",
        "| <b onclick=x> |\n|---|\n| <svg onload=x> |",
        "```html onload=x\n<iframe>\n```",
    ],
)
def test_nothing_becomes_alive(hostile):
    from bs4 import BeautifulSoup

    for html in (show(hostile, map="digest"), render_wording(hostile, Text(markup="markdown"), str)):
        soup = BeautifulSoup(html, "html.parser")
        assert not soup.select("script, a, iframe, svg, b, [onclick], [onload], [onerror], [href]")
        assert all(picture["src"] == "/seen/digest/" for picture in soup.select("img"))


def test_formulas_beyond_reason_stay_characters():
    for source in ("x" * 3_000, "{" * 500 + "}" * 500, "\\frac{"):
        assert list_bad_formulas(f"${source}$") == [source]


def test_a_text_without_markup_stays_as_it_is():
    assert render_wording("*a* $x$ <b>", Text(markup=""), str) == "*a* $x$ <b>"


def test_a_picture_loses_what_its_file_says_besides_and_then_keeps_its_bytes():
    picture = read_picture(make_png(MAX_SIDE * 2, 10))
    assert (picture.width, picture.height) == (MAX_SIDE, 5)
    assert HUSH.encode() not in picture.content
    assert read_picture(picture.content) == picture


@pytest.mark.parametrize(
    "bad", ["", "data:image/svg+xml;base64,PHN2Zy8+", "https://host.example/x.png", "data:image/png;base64,AAAA"]
)
def test_what_is_no_picture_is_refused(bad):
    with pytest.raises(BadPicture):
        read_data_uri(bad)


def test_markup_and_pictures_come_in_go_out_and_come_in_again(project):
    load(project, make_text_row())
    text = Text.objects.get()
    assert text.markup == "markdown"
    assert list(text.pictures.values()) == [Picture.objects.get().digest]
    lines = [line.encode() for line in export_lines(project)]
    assert not load(project, *lines).writes
    row = json.loads(lines[0])
    del row["markup"], row["pictures"]
    assert not load(project, row).writes  # silence changes nothing


def test_pictures_that_are_missing_or_bad_are_refused_and_nothing_stored(project):
    places = [(line, field) for line, field, _reason in refusal(project, make_text_row(pictures={}))]
    assert places == [(1, "text")]
    version = {"name": "simple", "text": "![x](other.png)"}
    assert [each[:2] for each in refusal(project, make_text_row(versions=[version]))] == [(1, "versions")]
    item = item_row(question="Which? ![x](other.png)")
    assert [each[:2] for each in refusal(project, make_text_row(items=[item]))] == [(1, "items 1")]
    for pictures in ({"map.png": "x"}, {"../map.png": as_uri(make_png())}, {f"{n}.png": "" for n in range(30)}):
        assert [each[:2] for each in refusal(project, make_text_row(pictures=pictures))] == [(1, "pictures")]
    assert [each[:2] for each in refusal(project, make_text_row(markup="html"))] == [(1, "markup")]
    assert not Text.objects.exists()
    assert not Picture.objects.exists()


def test_a_text_that_may_not_be_shared_keeps_its_pictures_to_itself(project):
    load(project, make_text_row(metadata={"extra": {"shareable": False}}))
    assert "pictures" not in json.loads(export_lines(project)[0])


def test_a_formula_that_cannot_be_drawn_is_a_warning(project):
    plan = load(project, make_text_row(text="$\\nosuch{a}$"))
    assert (1, "text") in [each[:2] for each in warnings(plan)]


def make_archive(**changes: bytes) -> bytes:
    row = {"id": "t", "text": BODY, "markup": "markdown", "language": "en"}
    item = item_row(id="i", answers=[{"text": "![a sign](sign.png)", "correct": True}])
    files = {"bank.jsonl": json.dumps(row | {"items": [item]}).encode(), "pictures/map.png": make_png()}
    files |= {"__MACOSX/._bank.jsonl": b"", "pictures/sign.png": make_png(colour="blue"), "unused.png": b"no picture"}
    return zip_files({name.replace("__jsonl", ".jsonl"): each for name, each in (files | changes).items()})


def test_a_zip_file_brings_the_pictures_that_its_texts_show(project):
    reading = read_bank_file(make_archive(), find_format("bank.zip"))
    assert not reading.problems.listed
    import_items(project, reading, ImportOptions(), filename="bank.zip")
    assert set(Text.objects.get().pictures) == {"map.png", "sign.png"}
    assert Picture.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"other__jsonl": b"{}"}, "several files of texts: bank.jsonl, other.jsonl"),
        ({"pictures/map.png": b"no picture"}, "map.png: This is no PNG or JPEG"),
    ],
)
def test_a_zip_file_that_cannot_be_read_whole_is_refused(changes, message):
    (problem,) = read_bank_file(make_archive(**changes), find_format("bank.zip")).problems.listed
    assert message in problem.reason


def test_a_table_and_a_pasted_text_say_their_markup(client, owner, project):
    (line,) = read_bank_file(b"text,markup\nSome *words*.,Markdown\n", "csv").lines
    assert line.text.markup == "markdown"
    assert read_bank_file(b"text,markup\nWords.,html\n", "csv").problems.listed
    client.force_login(owner)
    sent = {"body": "Some *words*.", "language": "en", "shareable": "on", "has_markup": "on"}
    preview = client.post(reverse("text_new", args=[project.slug]), sent)
    client.post(preview.url)
    assert Text.objects.get().markup == "markdown"


def test_a_page_adds_and_removes_pictures_in_new_versions(client, owner, project):
    load(project, text_row(id="t"))
    client.force_login(owner)
    text = Text.objects.get()
    page = reverse("text_edit", args=[project.slug, text.pk])
    sent = {"title": "", "body": BODY, "language": "en", "shareable": "on", "markup": "markdown"}
    assert client.post(page, sent).context["form"].errors.keys() == {"body"}
    upload = SimpleUploadedFile("map.png", make_png(), "image/png")
    shown = client.post(page, sent | {"pictures": [upload]}, follow=True)
    text = Text.objects.current().get()
    address = reverse("text_picture", args=[project.slug, text.pictures["map.png"]])
    assert f'src="{address}"' in shown.content.decode()
    assert client.get(address)["Content-Type"] == "image/png"
    client.logout()
    assert client.get(address).status_code != 200
    client.force_login(owner)
    page = reverse("text_edit", args=[project.slug, text.pk])
    client.post(page, sent | {"body": "Words.", "without": ["map.png"]})
    assert Text.objects.current().get().pictures == {}


def test_pictures_go_with_the_last_text_that_shows_them(project, owner):
    load(project, make_text_row(id="one"), make_text_row(id="two"))
    for name, left in (("one", 1), ("two", 0)):
        delete_with_all(Text.objects.get(external_id=name), name, owner, waits=True)
        assert Picture.objects.count() == left
