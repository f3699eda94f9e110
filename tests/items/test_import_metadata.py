"""Metadata are kept whole, and fill the columns that have their names."""

import pytest

from items.models import Text
from items.values import update_extra
from tests.items.files import load, text_row, warnings

pytestmark = pytest.mark.django_db

EXTRA = {
    "source": "Harbour Weekly",
    "genre": "report",
    "level": "B1",
    "audience": "adults",
    "topic": "ferries",
    "licence": "CC BY 4.0",
    "shareable": False,
    "page": 7,
}


@pytest.mark.database
def test_known_keys_fill_the_columns(project):
    load(project, text_row(metadata={"dataset": "d", "split": "test", "extra": EXTRA, "mine": [1]}))
    text = Text.objects.get()
    assert {name: getattr(text, name) for name in EXTRA if name != "page"} == {
        k: v for k, v in EXTRA.items() if k != "page"
    }
    assert text.metadata == {"dataset": "d", "split": "test", "extra": EXTRA, "mine": [1]}


@pytest.mark.parametrize("value", [3, ["B1"], "x" * 21])
def test_what_does_not_fit_a_column_stays_in_the_metadata(project, value):
    plan = load(project, text_row(metadata={"extra": {"level": value}}))
    text = Text.objects.get()
    assert (text.level, text.metadata["extra"]["level"]) == ("", value)
    assert warnings(plan)[0][:2] == (1, "metadata, extra, level")


def test_silence_does_not_make_a_text_shareable(project):
    load(project, text_row(id="t1", metadata={"extra": {"shareable": False}}))
    load(
        project, text_row(id="t1", text="Another text, about nothing at all.", metadata={"split": "test"}), update=True
    )
    assert not Text.objects.current().get().shareable


def test_edited_columns_are_written_back_into_the_metadata():
    columns = dict.fromkeys(EXTRA, "") | {"level": "C1", "shareable": True}
    metadata = {"extra": {"level": "B1", "genre": "report", "page": 7, "topic": 5}, "split": "test"}
    assert update_extra(metadata, columns) == {"extra": {"level": "C1", "page": 7, "topic": 5}, "split": "test"}
    assert metadata["extra"]["level"] == "B1"
