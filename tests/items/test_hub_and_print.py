"""A data set for the Hub with card and Croissant metadata, and texts with items to print."""

import hashlib
import io
import json
import zipfile

import pandas as pd
import yaml
from bs4 import BeautifulSoup
from django.urls import reverse

from items.services.exporting import build_archive
from tests.items.files import item_row, load, text_row

HOSTILE = "A | b\n# *c*"


def test_the_data_set_has_a_card_and_metadata_that_fit_its_file(project):
    project.title = HOSTILE
    load(
        project,
        text_row([item_row(generator="Ada|")], id="t1", metadata={"extra": {"licence": "CC BY 4.0"}}),
        text_row(id="t2", text="Secret", metadata={"extra": {"shareable": False}}),
    )
    archive = zipfile.ZipFile(io.BytesIO(build_archive(project, "hub")))
    assert sorted(archive.namelist()) == ["README.md", "croissant.json", "data/items.parquet", "left-out.csv"]
    content = archive.read("data/items.parquet")
    frame = pd.read_parquet(io.BytesIO(content), engine="fastparquet")
    assert frame["text_id"].tolist() == ["t1"]
    told = json.loads(archive.read("croissant.json"))
    (file,), (records,) = told["distribution"], told["recordSet"]
    assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert [field["source"]["extract"]["column"] for field in records["field"]] == list(frame.columns)
    assert told["license"] == ["CC BY 4.0"]
    card = archive.read("README.md").decode()
    head = yaml.safe_load(card.split("---\n")[1])
    assert (head["pretty_name"], head["size_categories"]) == (HOSTILE, ["n<1K"])
    assert "\n# A \\| b \\# \\*c\\*\n" in card
    assert "| Ada\\| | 1 |" in card
    assert "Secret" not in card


def test_keys_are_printed_on_their_own_page_only(project, as_user, viewer):
    options = [("At nine.", False), ("<b>At ten.</b>", True)]
    load(project, text_row([item_row(options, id="q1"), {"question": "Why?", "answer": "Tide", "id": "q2"}], id="t1"))
    page = as_user(viewer).get(reverse("text_print", args=[project.slug]), {"generator": ""})
    soup = BeautifulSoup(page.content, "html.parser")
    items = [item.get_text(" ", strip=True) for item in soup.select(".sheet-item")]
    assert [item.split()[0] for item in items] == ["1.", "2."]
    assert "B) <b>At ten.</b>" in items[0]
    assert "Tide" not in items[1]
    keys = [key.get_text(" ", strip=True).split()[:2] for key in soup.select(".sheet-keys li")]
    assert keys == [["1.", "B"], ["2.", "Tide"]]
    assert not as_user(viewer).get(reverse("text_print", args=[project.slug]), {"q": "nowhere"}).context["sheets"]
