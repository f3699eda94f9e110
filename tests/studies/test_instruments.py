"""Instruments of a project: versions, copies, files; what a name means; nothing is changed in place."""

import copy

import pytest

from llm.models import Endpoint, Run
from studies.models import Instrument, InstrumentVersion
from studies.services.instrument_writing import InstrumentRefused, copy_instrument, import_instrument, save_version
from studies.services.instruments import (
    UnknownInstrument,
    find_uses,
    find_version,
    get_source,
    list_instruments,
    list_suitable_versions,
    load_shipped,
    load_shipped_sources,
    name_version,
)
from studies.services.launching import launch_study
from studies.strict_yaml import apply_changes
from tests.studies.world import bank, draft_study

PEOPLE, PROMPT = "guess-then-read/en", "guess-then-read-prompt/en"


@pytest.fixture
def own(project, researcher):
    """The project's own wording “mine/en”, in its first version."""
    return copy_instrument(find_version(PEOPLE, project), project, "mine", user=researcher)


def change_title(version, words: str) -> str:
    return apply_changes(get_source(version), {("guess", "title"): words})


def refusal(act, *given, **how) -> str:
    with pytest.raises(InstrumentRefused) as refused:
        act(*given, **how)
    return str(refused.value)


def test_a_copy_has_the_same_words_under_its_own_name(own, researcher):
    assert own.content == load_shipped()[PEOPLE] | {"name": "mine"}
    assert (own.version, own.created_by, own.note) == (1, researcher, "Copy of guess-then-read/en, version 1")
    assert get_source(own).startswith("# Wording of")


def test_a_copy_of_what_is_known_by_its_name_alone_says_its_protocol(project):
    content = {key: words for key, words in load_shipped()[PEOPLE].items() if key not in ("use", "protocol")}
    instrument = Instrument.objects.create(project=project, name="guess-then-read", language="en")
    version = instrument.versions.create(version=1, content=content, content_hash="x")
    copied = copy_instrument(version, project, "mine")
    assert (copied.content["use"], copied.content["protocol"]) == ("people", "guess-then-read")


def test_a_name_is_given_once(own, project):
    assert "already exists. Choose another name" in refusal(copy_instrument, own, project, "mine")


def test_saving_makes_the_next_version_and_leaves_the_earlier_ones(own, researcher):
    version, is_new = save_version(own.instrument, change_title(own, "Guess!"), user=researcher, note="Shorter")
    assert (version.version, is_new, version.note, version.content["guess"]["title"]) == (2, True, "Shorter", "Guess!")
    own.refresh_from_db()
    assert own.content["guess"]["title"] == "Guess without the text"


def test_saving_the_same_content_stores_nothing(own):
    version, is_new = save_version(own.instrument, "# another comment\n" + get_source(own))
    assert (version, is_new, InstrumentVersion.objects.filter(instrument=own.instrument).count()) == (own, False, 1)


def test_what_was_said_before_can_be_said_again(own):
    save_version(own.instrument, change_title(own, "Guess!"))
    version, is_new = save_version(own.instrument, get_source(own))
    assert (version.version, is_new, version.content) == (3, True, own.content)


def test_whoever_started_from_an_older_version_is_told(own, researcher):
    save_version(own.instrument, change_title(own, "Guess!"), user=researcher)
    message = refusal(save_version, own.instrument, change_title(own, "Other"), seen=1)
    assert "Version 2 was saved by researcher-member while you were editing" in message


def test_what_ships_stays_as_it_is(project):
    version = find_version(PEOPLE, project)
    assert "Copy it and edit the copy" in refusal(save_version, version.instrument, change_title(version, "Guess!"))


def test_a_file_of_another_name_is_no_version(own):
    message = refusal(save_version, own.instrument, get_source(own).replace('"mine"', "other"))
    assert "This is the instrument “other/en”, not “mine/en”" in message


def test_a_file_becomes_a_new_instrument_then_its_next_version_then_nothing(project):
    source = load_shipped_sources()[PROMPT].replace("name: guess-then-read-prompt", "name: letters")
    steps = [source, source, source.replace("C for correct", "C for right")]
    found = [import_instrument(step, project) for step in steps]
    assert [(version.version, is_new) for version, is_new in found] == [(1, True), (1, False), (2, True)]


def test_export_and_import_give_the_same_content(own, project, stranger):
    nasty = apply_changes(
        get_source(own), {("guess", "title"): 'a\r\n { answer } "\\" #  ', ("guess", "lead"): ["\u2028", " x "]}
    )
    version, _new = save_version(own.instrument, nasty)
    elsewhere = stranger.memberships.get().project
    back, _new = import_instrument(get_source(version), elsewhere)
    assert (back.content, back.content_hash) == (version.content, version.content_hash)


def test_the_servers_instruments_do_not_take_a_shipped_name(db):
    assert "Lesart comes with" in refusal(import_instrument, load_shipped_sources()[PEOPLE], None)
    source = load_shipped_sources()[PEOPLE].replace("name: guess-then-read\n", "name: ours\n")
    assert import_instrument(source, None)[0].instrument.project is None


def test_a_name_means_the_projects_own_before_the_shipped_one(project):
    shipped_one = find_version(PEOPLE, project)
    own = copy_instrument(shipped_one, project, "guess-then-read")
    assert find_version(PEOPLE, project) == own
    assert find_version(PEOPLE, None) == shipped_one


def test_a_name_with_a_number_means_that_version(own, project):
    newer, _new = save_version(own.instrument, change_title(own, "Guess!"))
    assert find_version("mine/en", project) == newer
    assert find_version("mine/en@1", project) == own
    assert (name_version(newer), name_version(own)) == ("mine/en", "mine/en@1")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine/en@9", "“mine/en” has no version 9; it has: 1."),
        ("yours/en", "There is no instrument “yours/en”; there are: best-worst/de, "),
        ("mine", "There is no instrument “mine”"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(name, message, own, project):
    with pytest.raises(UnknownInstrument) as unknown:
        find_version(name, project)
    assert message in str(unknown.value)


def test_another_projects_instruments_are_unknown(own, stranger):
    with pytest.raises(UnknownInstrument):
        find_version("mine/en", stranger.memberships.get().project)


def test_a_launched_study_keeps_its_version(own, project):
    bank(project)
    study = draft_study(project, instrument="mine/en")
    launch_study(study)
    before = copy.deepcopy(own.content)
    save_version(own.instrument, change_title(own, "Guess!"))
    study.refresh_from_db()
    assert (study.instrument_version, study.instrument_version.content) == (own, before)


def test_a_study_file_can_name_an_older_version(own, project):
    bank(project)
    save_version(own.instrument, change_title(own, "Guess!"))
    assert draft_study(project, slug="old", instrument="mine/en@1").instrument_version == own
    assert draft_study(project, slug="new", instrument="mine/en").instrument_version.version == 2


def test_the_list_has_the_projects_own_first_and_says_who_uses_what(own, project):
    bank(project)
    study = draft_study(project, instrument="mine/en")
    rows = list_instruments(project)
    assert str(rows[0].instrument) == "mine/en"
    assert (rows[0].studies, rows[0].kind.use) == ([study], "people")
    assert {str(row.instrument) for row in rows[1:]} == set(load_shipped())


def test_only_what_suits_is_offered(own, project):
    copy_instrument(find_version(PROMPT, project), project, "letters")
    names = {
        use: [str(version.instrument) for version in list_suitable_versions(project, use, "guess-then-read")]
        for use in ("people", "evaluator")
    }
    assert names["people"] == ["mine/en", "guess-then-read/de", "guess-then-read/en", "guess-then-read/eu"]
    assert names["evaluator"] == [
        "letters/en",
        "guess-then-read-prompt/de",
        "guess-then-read-prompt/en",
        "guess-then-read-prompt/eu",
    ]


@pytest.mark.parametrize(
    ("name", "kind", "params"),
    [
        (PROMPT, "evaluation", lambda pk: {"prompt": pk}),
        ("generate-items/en", "generation", lambda pk: {"instruments": {"en": pk}}),
    ],
)
def test_runs_are_named_at_the_version_that_they_use(name, kind, params, project):
    own = copy_instrument(find_version(name, project), project, "mine")
    newer, _new = save_version(own.instrument, apply_changes(get_source(own), {("again",): "Again?"}))
    endpoint = Endpoint.objects.create(name="mock", base_url="http://127.0.0.1:1/v1", model="mock-1")
    fields = {"project": project, "kind": kind, "endpoint": endpoint, "model": "mock-1"}
    run = Run.objects.create(**fields, params=params(own.pk))
    Run.objects.create(**fields, params=params(0))
    assert (find_uses(own, project)[1], find_uses(newer, project)[1]) == ([run], [])
