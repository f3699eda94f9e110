"""Who wrote an item: as it says, else as the option says, else its data set, else somebody."""

import pytest

from items.models import Generator, GeneratorKind, Item
from tests.items.files import item_row, load, text_row

pytestmark = pytest.mark.django_db

DATASET = {"dataset": "dwlg"}


@pytest.mark.parametrize(
    ("message", "option", "metadata", "name"),
    [
        (" Ada ", "gpt", DATASET, "Ada"),
        (None, "gpt", DATASET, "gpt"),
        (None, "", DATASET, "dwlg"),
        (None, "", {}, "human"),
        (None, "", {"dataset": None}, "human"),
    ],
)
def test_the_generator_is_found_in_order(project, message, option, metadata, name):
    load(project, text_row([item_row(generator=message)], metadata=metadata), generator=option)
    assert Item.objects.get().generator.name == name


def test_a_known_generator_is_used_again(project):
    known = Generator.objects.create(project=project, name="Ada", kind=GeneratorKind.MODEL, factors={"size": "7B"})
    load(project, text_row([item_row(generator="Ada")]))
    assert Item.objects.get().generator == known
    assert Generator.objects.get().factors == {"size": "7B"}


def test_new_generators_stand_in_the_order_of_the_file(project):
    load(project, text_row([item_row(generator=name) for name in ("Cem", "Ada", "Bob")]))
    assert [generator.name for generator in Generator.objects.all()] == ["Cem", "Ada", "Bob"]


def test_a_renamed_data_set_is_found_again_on_a_second_import(project):
    load(project, text_row(metadata=DATASET))
    Generator.objects.update(name="Deutsche Welle")
    assert not load(project, text_row(metadata=DATASET)).writes
