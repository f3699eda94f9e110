"""GIFT and Aiken: what a format can hold comes back equal, and the rest is listed."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given
from hypothesis import strategies as st

from items.files import zip_files
from items.formats import WRITERS
from items.formats.qti import QTI
from items.formats.rows import TextRow
from items.models import Item, Text
from items.plain import is_blank, strip_text
from items.services.exporting import export_questions
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from tests.items.files import item_row, load, problems_of, text_row

GIFT = b"// [id:q1]\n::q1::The ferry leaves at nine.\\n\\nWhen?{\n=At nine.#It says so.\n~At ten.\n}\n"
BOMB = b"<!DOCTYPE q [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>]><quiz>&b;</quiz>"
MOODLE = b"""<quiz><question type="multichoice"><questiontext format="html"><text>
<![CDATA[<p>The ferry leaves at nine.</p><p>When?</p>]]></text></questiontext><single>true</single>
<answer fraction="100"><text>At nine.</text></answer><answer fraction="0"><text>At ten.</text></answer>
</question></quiz>"""
AIKEN = b"The ferry leaves at nine.\nWhen?\nA. At nine.\nB. At ten.\nANSWER: A\n"

QTI_2 = b"""<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="Ferry"
 adaptive="false" timeDependent="false">
 <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier">
  <correctResponse><value>B</value></correctResponse>
 </responseDeclaration>
 <itemBody><p>The ferry leaves at nine.</p>
  <choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="1">
   <prompt>When on <b>Sundays</b>?</prompt>
   <simpleChoice identifier="A">At nine.</simpleChoice>
   <simpleChoice identifier="B">At ten.
    <feedbackInline outcomeIdentifier="F" identifier="B">Yes.</feedbackInline></simpleChoice>
  </choiceInteraction></itemBody>
</assessmentItem>"""

# Everything that means something to one of the formats, among ordinary letters.
PIECES = st.sampled_from(
    [*"aZ ß漢\n\t.)%:=~#{}\\[]$/->\u2028\ufeff\x0b", "\n\n", "A. ", "ANSWER: B", "[plain]", "####", "::", "%PDF", "\\n"]
)
WORDS = st.lists(PIECES, min_size=1, max_size=8).map("".join).map(strip_text).filter(lambda words: not is_blank(words))
QUIZZES = ["gift", "aiken", "moodle", "qti"]
NAMES = st.text("ab]\\[:=1", min_size=1, max_size=6)


@st.composite
def item_rows(draw):
    choices = st.lists(
        st.fixed_dictionaries({"text": WORDS, "correct": st.booleans()}, optional={"explanation": WORDS}), max_size=12
    )
    row = {"question": draw(WORDS), "answers": draw(choices), "generator": "Ada"}
    return row | draw(
        st.fixed_dictionaries({}, optional={"answer": WORDS, "multiple": st.booleans(), "reference": st.just(True)})
    )


@st.composite
def banks(draw):
    bodies = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    texts = [
        {"id": f"t{n}", "text": body, "items": draw(st.lists(item_rows(), max_size=3))} for n, body in enumerate(bodies)
    ]
    ids = iter(draw(st.lists(NAMES, min_size=9, max_size=9, unique=True)))
    for text in texts:
        text["items"] = [item | {"id": next(ids)} for item in text["items"]]
    return [TextRow.model_validate(text) for text in texts]


def can_hold(format_name: str, body: str, item) -> bool:
    """The documented rule, said apart from the writers."""
    n_correct = sum(option.correct for option in item.options or [])
    if format_name in ("moodle", "qti"):
        options = [word for option in item.options or [] for word in (option.text, option.explanation or "")]
        if format_name == "qti":
            options = [option.text for option in item.options or []]
        if "\x0b" in "".join([body, item.stem, item.expected_answer or "", *options]):
            return False
    if format_name == "qti":
        return True
    if not item.options and format_name != "aiken":
        arrow = format_name == "gift" and "->" in (item.expected_answer or "")
        return "\n\n" not in item.stem and not arrow
    if len(item.options or []) < 2 or not n_correct:
        return False
    if format_name != "aiken":
        return "\n\n" not in item.stem and n_correct <= 10
    lines = [line.strip() for line in [*body.split("\n"), item.stem]]
    marked = any(line.startswith("ANSWER:") or (line[:1] in set("AZ") and line[1:2] in (".", ")")) for line in lines)
    return (
        n_correct == 1
        and not marked
        and not any("\n" in words for words in (item.stem, *(o.text for o in item.options)))
    )


def list_lost_fields(format_name: str, item) -> set[str]:
    values = (
        {"generator"}
        | {"id"}
        | {name for name, value in (("reference", item.reference), ("answer", item.expected_answer)) if value}
    )
    values |= {"explanation"} if any(option.explanation for option in item.options or []) else set()
    values |= {"multiple"} if item.multiple is not None else set()
    if format_name == "aiken":
        return values
    held = {"multiple"} if item.multiple and item.options else set()
    held |= {"answer"} if not item.options else set()
    held |= {"explanation"} if format_name != "qti" else set()
    held |= {"id"} if format_name != "gift" or not set(item.id) & set("]\\") else set()
    return values - held


def show(item, format_name: str) -> tuple:
    answer = item.expected_answer if not item.options else None
    explained = format_name in ("gift", "moodle")
    options = [(o.text, o.correct, (o.explanation or "") if explained else "") for o in item.options or []]
    name = item.id if format_name in ("moodle", "qti") else ""
    return name, item.stem, options, answer or ""


@pytest.mark.slow
@pytest.mark.parametrize("format_name", QUIZZES)
@given(texts=banks())
def test_what_fits_comes_back_equal_and_the_rest_is_listed(format_name, texts):
    written = WRITERS[format_name].write(texts)
    expected = [(t.body, [show(i, format_name) for i in t.items if can_hold(format_name, t.body, i)]) for t in texts]
    expected = [(body, items) for body, items in expected if items]
    reading = read_bank_file(written.content, format_name)
    assert [
        (line.text.body, [show(item, format_name) for item in line.text.items]) for line in reading.lines
    ] == expected
    assert bool(reading.problems) is (not expected)
    absent = {(t.id, i.id, "") for t in texts for i in t.items if not can_hold(format_name, t.body, i)}
    absent |= {(t.id, "", "") for t in texts if not t.items}
    lost = {(t.id, "", "id") for t in texts if t.items and format_name != "qti"}
    lost |= {
        (t.id, i.id, name)
        for t in texts for i in t.items if can_hold(format_name, t.body, i) for name in list_lost_fields(format_name, i)
    }  # fmt: skip
    assert {(each.text_id, each.item_id, each.field) for each in written.left_out} == absent | lost


@pytest.mark.parametrize(
    ("format_name", "content", "message"),
    [
        ("gift", b"", "no question"),
        ("aiken", b"", "no question"),
        ("gift", GIFT[: GIFT.index(b"~At")], "braces"),
        ("gift", GIFT[: GIFT.index(b"{")], "No question follows"),
        ("gift", b"When?{=At nine. ~At ten.}", "no reading text"),
        ("gift", b"A text.\\n\\nWhen?{~At nine. ~At ten.}", "No option is correct"),
        ("gift", b"A text.\\n\\nWhen?{at nine =ten ~two}", "= or ~"),
        ("gift", AIKEN, "No question follows"),
        ("aiken", GIFT, "ANSWER line"),
        ("aiken", AIKEN[: AIKEN.index(b"ANSWER")], "ANSWER line"),
        ("aiken", AIKEN.replace(b"ANSWER: A", b"ANSWER: C"), "A to B"),
        ("aiken", AIKEN.replace(b"B. At ten.", b"C. At ten."), "neither"),
        ("aiken", b"When?\nA. At nine.\nB. At ten.\nANSWER: A\n", "no reading text"),
        ("aiken", b"A text.\nWhen?\nANSWER: A\n", "no options above"),
        ("aiken", b"A text\0.\nWhen?\n", "NUL"),
        ("gift", b"PK\x03\x04" + GIFT, "ZIP archive"),
        ("moodle", b"", "well-formed"),
        ("moodle", b"<quiz><question type='essay'>", "well-formed"),
        ("moodle", BOMB, "document type"),
        ("moodle", b"<!DOCTYPE quiz SYSTEM 'file:///etc/passwd'><quiz/>", "document type"),
        ("moodle", b"<quiz>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</quiz>", "200 levels"),
        ("moodle", b"<quiz>" + b"<a/>" * 1_000_001 + b"</quiz>", "1,000,000 tags"),
        ("moodle", b"<?xml version='1.0' encoding='klingon'?><quiz/>", "well-formed"),
        ("moodle", b"<quiz/>", "no question"),
        ("moodle", MOODLE.replace(b'"100"', b'"0"'), "No option is correct"),
        ("moodle", MOODLE.replace(b"The ferry leaves at nine.", b""), "no reading text"),
        ("moodle", b"<questestinterop/>", "QTI 1.2"),
        ("moodle", b"<quizzes></quizzes>", "neither"),
        *((name, b"<!DOCTYPE html><p>Sign in</p>", "web page") for name in ("gift", "aiken", "moodle", "qti")),
        ("qti", b"PK\x03\x04 and nothing more", "damaged"),
        ("qti", zip_files({"a.xml": BOMB}), "a.xml: The XML file declares a document type"),
        ("qti", zip_files({"a.xml": b" " * 210_000_000}), "unpacks to too many or too large files"),
        ("qti", zip_files({"a.xml": b" " * 60_000_000}), "too large"),
        ("qti", zip_files({"notes.txt": b"nothing"}), "neither QTI nor a CSV or JSONL file, but: notes.txt"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(format_name, content, message):
    ((_line, _field, reason),) = problems_of(content, format_name)
    assert message in reason


def test_gift_of_other_tools_has_its_text_in_descriptions():
    content = (
        b"$CATEGORY: ferries\n\nThe ferry leaves at nine.\n\nOn Sundays at ten.\n\n"
        b"::Q1:: When on Sundays? {~%50%At ten.#Yes. ~%50%At 10. ~%-100%Never.}\n\n"
        b"// a remark\nWhy?{}\n\nIs it late?{T}\n\nHow many?{#9:1}\n\nWho?{=The choir =Nobody####Well.}\n"
    )
    reading = read_bank_file(content, "gift")
    (line,) = reading.lines
    assert line.text.body == "The ferry leaves at nine.\n\nOn Sundays at ten."
    assert [(i.stem, i.multiple, i.expected_answer) for i in line.text.items] == [
        ("When on Sundays?", True, None), ("Why?", None, None), ("Who?", None, "The choir"),
    ]  # fmt: skip
    assert [option.correct for option in line.text.items[0].options] == [True, True, False]
    assert [warning.line for warning in reading.warnings.listed] == [1, 12, 14, 16]


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", QUIZZES)
def test_a_bad_question_among_good_ones_stores_nothing(project, format_name):
    content = {
        "gift": GIFT + b"\nWho?{~a ~b",
        "aiken": AIKEN + b"Who?\nA. a\n",
        "moodle": MOODLE.replace(b"</quiz>", MOODLE[6:].replace(b'"100"', b'"0"')),
        "qti": zip_files({"a.xml": QTI_2, "b.xml": QTI_2.replace(b"<p>The ferry leaves at nine.</p>", b"")}),
    }[format_name]
    with pytest.raises(ImportRefused):
        import_items(project, read_bank_file(content, format_name), ImportOptions(), filename="bank")
    assert not Text.objects.filter(project=project).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", QUIZZES)
def test_a_text_that_may_not_be_shared_is_in_no_file(project, format_name):
    load(project, text_row(id="t1", metadata={"extra": {"shareable": False}}))
    written = export_questions(project, format_name)
    assert (written.content, [(each.text_id, each.field) for each in written.left_out]) == (b"", [("t1", "")])


@pytest.mark.django_db
def test_the_page_downloads_the_file_with_the_list_of_what_is_left_out(project, as_user, viewer):
    load(project, text_row([item_row(id="=1"), item_row([], id="open")], id="t1"))
    response = as_user(viewer).get("/p/rivers/items-aiken.zip")
    assert response["Content-Disposition"] == 'attachment; filename="rivers-items-aiken.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.read("rivers-items.aiken") == export_questions(project, "aiken").content
        rows = archive.read("left-out.csv").decode().splitlines()
    assert [row.rsplit(",", 1)[0] for row in rows[1:]] == [
        "t1,,id", "t1,,language", "t1,'=1,id", "t1,'=1,generator", "t1,open,",
    ]  # fmt: skip
    assert as_user(viewer).get("/p/rivers/items-word.zip").status_code == 404
    for query, mark in (("", b""), ("?bom=1", b"\xef\xbb\xbf")):
        marked = as_user(viewer).get(f"/p/rivers/items-csv.zip{query}").content
        with zipfile.ZipFile(io.BytesIO(marked)) as archive:
            assert [archive.read(name)[: len(mark) + 4] for name in archive.namelist()] == [
                mark + b"text",
                mark + b"text",
            ]
            assert read_bank_file(archive.read("rivers-items.csv"), "csv").lines


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "chosen", "content"),
    [
        ("bank.gift", "", GIFT),
        ("bank.txt", "aiken", AIKEN),
        ("bank.xml", "", MOODLE),
    ],
)
def test_the_page_imports_it(project, as_user, researcher, name, chosen, content):
    client = as_user(researcher)
    upload = SimpleUploadedFile(name, content)
    preview = client.post("/p/rivers/import/", {"file": upload, "format": chosen})
    client.post(preview.url)
    item = Item.objects.get(project=project)
    assert (item.text.body, item.stem) == ("The ferry leaves at nine.", "When?")
    assert [(o.text, o.correct) for o in item.options.all()] == [("At nine.", True), ("At ten.", False)]


def read_one(content: bytes):
    (line,) = read_bank_file(content, "qti").lines
    (item,) = line.text.items
    return line.text.body, item.stem, [(option.text, option.correct) for option in item.options]


def test_qti_2_has_its_text_in_the_item():
    expected = ("The ferry leaves at nine.", "When on Sundays?", [("At nine.", False), ("At ten.", True)])
    assert read_one(QTI_2) == read_one(zip_files({"folder/q1.xml": QTI_2})) == expected
    mapped = b"<mapping><mapEntry mapKey='A' mappedValue='0'/><mapEntry mapKey='B' mappedValue='0.5'/></mapping>"
    assert read_one(QTI_2.replace(b"<correctResponse><value>B</value></correctResponse>", mapped)) == expected


def test_qti_items_come_in_the_order_of_the_manifest_with_the_text_that_they_name():
    stimulus = b"<qti-assessment-stimulus xmlns='%s' identifier='s' title='Ferries' xml:lang='en-GB'>" % QTI.encode()
    stimulus += b"<qti-stimulus-body><h2>Ferries</h2><p>It leaves <i>at</i> nine.</p></qti-stimulus-body>"
    files = {"texts/s.xml": stimulus + b"</qti-assessment-stimulus>"}
    reference = b"<assessmentStimulusRef identifier='s' href='../texts/s.xml'/><itemBody>"
    for name in "ab":
        item = QTI_2.replace(b"<itemBody><p>The ferry leaves at nine.</p>", reference)
        files[f"items/{name}.xml"] = item.replace(b"When on", b"When " + name.encode() + b" on")
    hrefs = b"".join(b"<resource href='items/%s.xml'/>" % name for name in (b"b", b"a"))
    files["imsmanifest.xml"] = b"<manifest><resources>" + hrefs + b"</resources></manifest>"
    (line,) = read_bank_file(zip_files(files), "qti").lines
    text = line.text
    assert (text.title, text.language, text.body) == ("Ferries", "en", "Ferries\n\nIt leaves at nine.")
    assert [item.stem for item in text.items] == ["When b on Sundays?", "When a on Sundays?"]


def test_qti_that_is_not_a_choice_or_has_no_key_is_left_out_with_a_warning():
    without = QTI_2.replace(b"<correctResponse><value>B</value></correctResponse>", b"")
    other = QTI_2.replace(b"choiceInteraction", b"orderInteraction")
    reading = read_bank_file(zip_files({"a.xml": QTI_2, "b.xml": without, "c.xml": other}), "qti")
    assert [(w.name, w.reason.split(".")[0]) for w in reading.warnings.listed] == [
        ("b.xml", "The item does not say which option is correct"),
        ("c.xml", "This kind of question is not imported: neither a choice nor an open one"),
    ]
    assert len(reading.lines) == 1


def test_moodle_xml_of_other_tools_has_html_descriptions_and_weights():
    content = b"""<?xml version="1.0"?><quiz>
    <question type="category"><category><text>$course$/Ferries</text></category></question>
    <question type="description"><questiontext format="html"><text>&lt;p&gt;The ferry leaves &lt;b&gt;at&lt;/b&gt;
      nine.&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src="@@PLUGINFILE@@/a.png"&gt;</text></questiontext>
      </question>
    <question type="multichoice"><questiontext format="html"><text>When &amp;amp; why?</text></questiontext>
      <single>false</single>
      <answer fraction="50"><text>At nine.</text>
       <feedback format="html"><text>&lt;p&gt;Yes.&lt;/p&gt;</text></feedback></answer>
      <answer fraction="50"><text>At 9.</text></answer><answer fraction="-100"><text>Never.</text></answer></question>
    <question type="multichoice"><questiontext><text>How?</text></questiontext><single>true</single>
      <answer fraction="100"><text>Slowly.</text></answer><answer fraction="50"><text>Rather slowly.</text></answer>
      </question>
    <question type="truefalse"><questiontext><text>Is it late?</text></questiontext></question></quiz>"""
    reading = read_bank_file(content, "moodle")
    (line,) = reading.lines
    assert line.text.body == "The ferry leaves at nine."
    assert [(i.stem, i.multiple, [(o.text, o.correct, o.explanation) for o in i.options]) for i in line.text.items] == [
        ("When & why?", True, [("At nine.", True, "Yes."), ("At 9.", True, None), ("Never.", False, None)]),
        ("How?", None, [("Slowly.", True, None), ("Rather slowly.", False, None)]),
    ]
    assert [(warning.line, warning.name) for warning in reading.warnings.listed] == [
        (1, "question 1"), (2, "question 2"), (5, "question 5"),
    ]  # fmt: skip


@pytest.mark.django_db
def test_a_qti_package_restores_ids_titles_and_languages(project):
    load(project, text_row([item_row([("a", False), ("b", False)], id="no key")], id="t 1", title="A\ttitle"))
    written = export_questions(project, "qti")
    (line,) = read_bank_file(written.content, "qti").lines
    assert (line.text.id, line.text.title, line.text.language) == ("t 1", "A\ttitle", "en")
    assert [(item.id, [option.correct for option in item.options]) for item in line.text.items] == [
        ("no key", [False] * 2)
    ]
    assert {each.field for each in written.left_out} == {"generator"}


@pytest.mark.parametrize(("format_name", "content"), [("gift", GIFT), ("aiken", AIKEN), ("moodle", MOODLE)])
def test_a_file_of_more_questions_than_can_be_read_is_refused(format_name, content, monkeypatch):
    for module in ("questions", "gift"):
        monkeypatch.setattr(f"items.formats.{module}.MAX_QUESTIONS", 2)
    several = (content.replace(b"</quiz>", b"").replace(b"<quiz>", b"") + b"\n") * 3
    reading = read_bank_file(b"<quiz>" + several + b"</quiz>" if format_name == "moodle" else several, format_name)
    assert "more than 2 questions" in reading.problems.listed[0].reason
