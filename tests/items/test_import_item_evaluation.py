"""Files of item-evaluation and of data sets in its shape import as they are."""

import pytest

from items.models import GeneratorKind, Item, Text
from tests.items.files import load, refusal, warnings

pytestmark = pytest.mark.django_db

ANSWERS = [
    {"text": "Weil er singt", "correct": True, "prediction": None},
    {"text": "Weil Ebbe ist", "correct": False, "prediction": {"pred_correct": True, "prob_correct": 0.4}},
]
ROW = {
    "text": "Die Fähre fährt um neun. Am Sonntag fährt sie um zehn, weil der Hafenmeister im Chor singt.",
    "items": [{"question": "Warum fährt sie später?", "answers": ANSWERS, "multiple": False}],
    "metadata": {"dataset": "belebele", "split": "test", "extra": {"language": "deu_Latn", "id": 7, "course": "B1"}},
}


def test_it_imports_as_it_is(project):
    load(project, ROW)
    text, item = Text.objects.get(), Item.objects.get()
    assert (text.language, text.metadata) == ("de", ROW["metadata"])
    assert (item.multiple, item.options.count()) == (False, 2)


def test_its_data_set_is_the_generator(project):
    load(project, ROW)
    generator = Item.objects.get().generator
    assert (generator.name, generator.kind) == ("belebele", GeneratorKind.DATASET)


def test_predictions_are_left_out_with_a_warning(project):
    assert "answers in the" in warnings(load(project, ROW))[0][2]
    assert not [warning for warning in warnings(load(project, ROW | {"items": []})) if "models" in warning[2]]


def test_two_files_about_the_same_text_make_one_text(project):
    load(project, ROW)
    other = ROW | {"metadata": {"dataset": "gpt", "split": "test", "extra": {}}}
    load(project, other)
    assert Text.objects.count() == 1
    assert set(Item.objects.values_list("generator__name", flat=True)) == {"belebele", "gpt"}


def test_a_text_left_out_by_its_data_set_is_refused_with_a_sentence(project):
    assert refusal(project, ROW | {"text": None})[0] == (
        1,
        "text",
        "The text is missing. Some data sets leave it out: fill it in from the source.",
    )
