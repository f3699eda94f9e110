"""`create_study`: what a study file says is what the study is, with the contract's defaults."""

import io

import pytest
from django.core.management import CommandError, call_command

from studies.models import Study, StudyState
from studies.services.instruments import find_version
from tests.studies.world import bank, counts

WHOLE = """
slug: informativity-en
title: Informativity
protocol: guess-then-read
language: en
instrument: guess-then-read/en
items: {texts: [t2, t1], generators: [birch]}
plan: {annotators: 6, per_unit: 2, shared_texts: 0, own_texts: 0, seed: 20240567}
params: {prefill: true, rating_scale: 5}
groups: [students, teachers]
"""


@pytest.fixture
def create(tmp_path, project):
    """A function that writes a study file and gives it to the command; returns what was said."""

    def run(content: str | bytes, **options):
        file = tmp_path / "study.yaml"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        out, err = io.StringIO(), io.StringIO()
        call_command("create_study", str(file), **({"project": "rivers"} | options), stdout=out, stderr=err)
        return out.getvalue() + err.getvalue()

    return run


@pytest.mark.slow
def test_every_field_of_the_file_is_taken_over(project, create):
    bank(project, texts=3)
    output = create(WHOLE)
    study = Study.objects.get(slug="informativity-en")
    assert "made as a draft: 2 texts, 2 items" in output
    assert (study.title, study.protocol, study.language, study.seed) == (
        "Informativity", "guess-then-read", "en", 20240567,
    )  # fmt: skip
    assert str(study.instrument_version.instrument) == "guess-then-read/en"
    assert study.selection == {"texts": ["t2", "t1"], "generators": ["birch"]}
    assert study.plan == {"annotators": 6, "per_unit": 2, "shared_texts": 0, "own_texts": 0}
    assert study.params == {"prefill": True, "rating_scale": 5}
    assert study.groups == ["students", "teachers"]
    assert study.state == StudyState.DRAFT


def test_what_the_file_does_not_say_has_the_contract_s_default(project, create):
    bank(project)
    create("slug: small\nprotocol: guess-then-read\n")
    study = Study.objects.get(slug="small")
    assert (study.title, study.language) == ("small", "en")
    assert study.selection == {"texts": "all", "generators": "all"}
    assert study.plan == {"annotators": "open", "per_unit": "all", "shared_texts": 0, "own_texts": 0}
    assert study.params == {"prefill": False, "rating_scale": 5}
    assert study.groups == []


def test_a_seed_that_is_not_given_is_drawn(project, create):
    bank(project)
    create("slug: one\nprotocol: guess-then-read\n")
    create("slug: two\nprotocol: guess-then-read\n")
    assert Study.objects.get(slug="one").seed != Study.objects.get(slug="two").seed


def test_the_language_follows_the_chosen_texts(project, create):
    bank(project, language="de")
    create("slug: small\nprotocol: guess-then-read\n")
    study = Study.objects.get(slug="small")
    assert (study.language, study.instrument_version.instrument.language) == ("de", "de")


def test_the_language_follows_the_instrument_if_only_that_is_named(project, create):
    bank(project, language="de")
    output = create("slug: small\nprotocol: guess-then-read\ninstrument: guess-then-read/en\n")
    assert Study.objects.get(slug="small").language == "en"
    assert "Language of the pages: English. Language of the texts: German." in output


def test_a_byte_order_mark_is_no_part_of_the_file(project, create):
    bank(project)
    create(b"\xef\xbb\xbfslug: small\nprotocol: guess-then-read\n")
    assert Study.objects.filter(slug="small").exists()


def test_with_launch_the_study_is_live_at_once(project, create):
    bank(project)
    output = create("slug: small\nprotocol: guess-then-read\nplan: {annotators: 2}\n", launch=True)
    study = Study.objects.get(slug="small")
    assert "launched" in output
    assert (study.state, study.annotators.count()) == (StudyState.LIVE, 2)


def test_a_launch_that_fails_leaves_no_draft(project, create, monkeypatch):
    bank(project)
    find_version("guess-then-read/en", project)  # a shipped wording is stored when it is first used, and stays
    before = counts()
    from studies.services import creating
    from studies.services.spec import SpecError

    def refuse(study):
        raise SpecError("It cannot be launched.")

    monkeypatch.setattr(creating, "launch_study", refuse)
    with pytest.raises(CommandError, match="It cannot be launched"):
        create("slug: small\nprotocol: guess-then-read\n", launch=True)
    assert counts() == before


def test_a_taken_short_name_is_refused_also_from_another_project(project, create, stranger):
    from projects.models import Project

    bank(project)
    bank(Project.objects.get(slug="mountains"))
    create("slug: small\nprotocol: guess-then-read\n", project="mountains")
    with pytest.raises(CommandError, match=r"A study “small” already exists\. Choose another short name\."):
        create("slug: small\nprotocol: guess-then-read\n")


def test_an_unknown_project_is_named(create):
    with pytest.raises(CommandError, match="There is no project “nowhere”"):
        create("slug: small\nprotocol: guess-then-read\n", project="nowhere")


def test_launching_twice_says_that_it_was_launched(project, create):
    bank(project)
    create("slug: small\nprotocol: guess-then-read\nplan: {annotators: 2}\n", launch=True)
    before = counts()
    with pytest.raises(CommandError, match="“small” is live, so this is no longer"):
        call_command("launch_study", "small")
    assert counts() == before


@pytest.mark.slow
def test_the_launch_command_says_how_many_links_there_are(project, create, capsys):
    bank(project)
    create("slug: small\nprotocol: guess-then-read\nplan: {annotators: 3}\n")
    call_command("launch_study", "small")
    assert "Study small launched with 3 annotators." in capsys.readouterr().out


def test_launching_an_unknown_study_names_the_command_that_makes_one(db):
    with pytest.raises(CommandError, match=r"There is no study “nothing”\. Make it with create_study\."):
        call_command("launch_study", "nothing")
