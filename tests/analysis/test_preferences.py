"""Pairs of a better and a worse item: by the measure that counts, and nothing that may not leave."""

import csv
import io
import json
import zipfile

import pytest
from defusedxml import ElementTree

from analysis.exports.writing import export_responses
from items.models import Text
from items.services.importing import read_bank_file
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.django_db


def export(study) -> list[dict]:
    out = io.StringIO()
    n = export_responses(study, "preferences", out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(rows) == n
    return rows


@pytest.fixture
def study(project):
    """Item good is right with the text and wrong without; bad is right both ways; same is as good."""
    text = make_text(project, "t1", body="The ferry leaves at nine.")
    items = [make_item(text, generator, name, "TF") for generator, name in (("a", "good"), ("b", "bad"), ("c", "same"))]
    study = make_study(project, "s", items)
    for code in ("p1", "p2"):
        person = make_annotator(study, code)
        for item, guess in zip(items, ("FT", "TF", "FT"), strict=True):
            answer(person, "guess", item, guess)
            answer(person, "read", item, "TF")
    model = make_annotator(study, "m", kind="model", model="m")
    answer(model, "guess", items[0], "TF")
    answer(model, "read", items[0], "FT")
    return study


def test_the_more_informative_item_is_chosen_and_equal_ones_are_no_pair(study):
    rows = export(study)
    assert [(row["measure"], row["chosen_id"], row["rejected_id"]) for row in rows] == [
        ("informativity", "good", "bad"), ("informativity", "same", "bad"),
    ]  # fmt: skip
    first = rows[0]
    assert (first["chosen_score"], first["rejected_score"], first["chosen_generator"]) == (1.0, 0.0, "a")
    assert first["prompt"].endswith("The ferry leaves at nine.")
    _stem, *options, key = first["chosen"].split("\n")
    assert [option[:3] for option in options] == ["A. ", "B. "]
    assert key == "Correct: A"


@pytest.mark.parametrize("name", ["qti", "moodle", "gift"])
def test_items_go_to_a_quiz_with_their_statistics(study, name):
    out = io.TextIOWrapper(io.BytesIO(), newline="")
    assert export_responses(study, name, out) == 3
    with zipfile.ZipFile(out.buffer) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("statistics.csv").decode())))
        written = archive.read(next(each for each in archive.namelist() if each.startswith("s-items.")))
    found = {(row["item_id"], float(row["mean"]), int(row["n"])) for row in rows if row["measure"] == "guessability"}
    assert found == {("good", 0.0, 4), ("bad", 1.0, 4), ("same", 0.0, 4)}
    (line,) = read_bank_file(written, name).lines
    assert len(line.text.items) == 3
    if name == "qti":
        with zipfile.ZipFile(io.BytesIO(written)) as package:
            usage = ElementTree.fromstring(package.read("usage-data.xml"))
            manifest = ElementTree.fromstring(package.read("imsmanifest.xml"))
        hrefs = {each.get("href"): each.get("identifier") for each in manifest.findall(".//{*}resource")}
        assert hrefs["usage-data.xml"]
        told = {
            (each.find("{*}targetObject").get("identifier"), each.findtext("{*}value"), each.get("caseCount"))
            for each in usage
            if each.get("name") == "guessability"
        }
        expected = {(f"item-{n}", mean, "4") for n, mean in enumerate(("0.0", "1.0", "0.0"), 1)}
        assert told == expected
        assert {target for target, _value, _n in told} <= set(hrefs.values())


def test_a_text_that_may_not_be_shared_is_not_in_it(study):
    Text.objects.update(shareable=False)
    assert export(study) == []


def test_scales_make_pairs_of_their_own(two_annotators):
    found = {
        (row["chosen_id"], row["rejected_id"], row["chosen_score"])
        for row in export(two_annotators)
        if row["measure"] == "rating"
    }
    assert found == {("c1", "h1", 5.0), ("c2", "h2", 4.0)}
