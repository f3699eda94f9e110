"""PostgreSQL keeps the keys of JSON in an order of its own; a pack is the same bytes all the same."""

import pytest
from django.apps import apps
from django.db.models import JSONField

from tests.analysis import packs, whole_studies

pytestmark = pytest.mark.slow


def as_postgresql(value):
    """Shorter keys first, equally long ones by their bytes, as jsonb has them (PostgreSQL's manual, 8.14)."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return {key: as_postgresql(value[key]) for key in keys}
    return [as_postgresql(each) for each in value] if isinstance(value, list) else value


def reorder():
    """Every JSON value of the database as if it had gone through jsonb."""
    for model in apps.get_models():
        for field in (each for each in model._meta.concrete_fields if isinstance(each, JSONField)):
            for pk, value in model._base_manager.values_list("pk", field.name):
                model._base_manager.filter(pk=pk).update(**{field.name: as_postgresql(value)})


@pytest.mark.parametrize("name", list(whole_studies.EVERY))
def test_a_pack_is_the_same_bytes_whatever_the_order_of_keys(project, name):
    study = whole_studies.EVERY[name](project)
    before = packs.files_of(packs.export_pack_bytes(study))
    reorder()
    after = packs.files_of(packs.export_pack_bytes(study))
    assert [file for file in before if after[file] != before[file]] == []


@pytest.mark.database
def test_the_datasheet_says_wordings_in_the_order_in_which_they_are_read(project):
    study = whole_studies.make_ratings_study(project)
    reorder()
    sheet = packs.files_of(packs.export_pack_bytes(study))["datasheet/heds.md"].decode()
    assert "Fluency Is the language of the question right? [3] fluent" in sheet
