"""The command of the contract: all or nothing, the reason said."""

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project


def test_makes_a_project(db, capsys):
    call_command("create_project", "rivers", title="Rivers")
    assert Project.objects.get(slug="rivers").title == "Rivers"
    assert capsys.readouterr().out == "Project rivers is made.\n"


def test_title_is_the_short_name_by_default(db):
    call_command("create_project", "rivers")
    assert Project.objects.get().title == "rivers"


@pytest.mark.parametrize("slug", ["two words", "naïve", "a/b", "", "x" * 61])
def test_bad_short_name_is_refused(slug, db):
    with pytest.raises(CommandError, match=r"No project was made\. slug: "):
        call_command("create_project", slug)
    assert not Project.objects.exists()


@pytest.mark.parametrize("title", ["", "x" * 201])
def test_bad_title_is_refused(title, db):
    with pytest.raises(CommandError, match=r"No project was made\. title: "):
        call_command("create_project", "rivers", title=title)
    assert not Project.objects.exists()


def test_taken_short_name_is_refused(project):
    with pytest.raises(CommandError, match="“rivers” belongs to another project"):
        call_command("create_project", "rivers", title="Other")
    assert Project.objects.get().title == "Rivers"
