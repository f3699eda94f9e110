"""The pages of instruments: who may do what, the editor by fields and by YAML, the diff, files."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from studies.models import Instrument
from studies.services.instrument_writing import copy_instrument, save_version
from studies.services.instruments import find_version, get_source, load_shipped_sources
from studies.strict_yaml import apply_changes, iter_leaves, read_yaml
from studies.wording_names import name_wording
from studies.wordings import compare_versions
from tests.studies.world import bank, draft_study

PEOPLE, PROMPT = "guess-then-read/en", "guess-then-read-prompt/en"


@pytest.fixture
def own(project):
    return copy_instrument(find_version(PEOPLE, project), project, "mine")


@pytest.fixture
def page(as_user, researcher):
    """A function that asks for a page of the project as a researcher."""
    client = as_user(researcher)
    return lambda name, *args: client.get(reverse(name, args=["rivers", *args]))


@pytest.fixture
def send(as_user, researcher):
    client = as_user(researcher)
    return lambda name, /, *args, **data: client.post(reverse(name, args=["rivers", *args]), data)


def versions(own) -> list[int]:
    return list(own.instrument.versions.values_list("version", flat=True))


def fields(own, **changes) -> dict:
    """What the editor sends by fields; `changes` by path with two underscores for dots."""
    return {"by": "fields", "seen": own.version, "source": get_source(own)} | {
        f"wording-{path.replace('__', '.')}": words for path, words in changes.items()
    }


ARGS = {"instrument_list": 0, "instrument_upload": 0, "instrument_preview": 0}
ARGS |= {"instrument_version": 2, "instrument_download": 2}


def address(name, own) -> str:
    return reverse(name, args=["rivers", own.instrument_id, 1][: 1 + ARGS.get(name, 1)])


def test_another_projects_instrument_is_not_found_under_ones_own(own, as_user, stranger):
    client = as_user(stranger)
    assert client.get(reverse("instrument", args=["mountains", own.instrument_id])).status_code == 404
    assert client.get(reverse("instrument_edit", args=["mountains", own.instrument_id])).status_code == 404


def test_viewers_are_offered_no_change(own, as_user, viewer):
    body = as_user(viewer).get(address("instrument_list", own)).content.decode()
    assert "/edit/" not in body
    assert "/copy/" not in body


def test_the_list_names_use_version_and_users(own, project, page):
    bank(project)
    draft_study(project, instrument="mine/en", title="Rivers one")
    body = page("instrument_list").content.decode()
    for words in (
        "mine",
        "this project",
        "For people",
        "For models",
        "Rivers one",
    ):
        assert words in body


def test_fields_stand_for_wordings_and_saving_makes_a_version(own, send):
    answer = send("instrument_edit", own.instrument_id, save="1", note="Shorter", **fields(own, guess__title="Guess!"))
    assert answer.url == reverse("instrument_version", args=["rivers", own.instrument_id, 2])
    version = own.instrument.versions.get(version=2)
    assert (version.content["guess"]["title"], version.note) == ("Guess!", "Shorter")
    assert version.content | {"guess": own.content["guess"]} == own.content
    assert version.source.startswith("# Wording of")


def test_wordings_are_named_by_their_place_on_the_pages():
    dimension = {"title": "Clarity", "help": "Clear?", "levels": [{"value": 1, "label": "no"}]}
    content = {"again": "Once more.", "rate": {"lead": ["Read."], "dimensions": [dimension]}}
    content |= {"code": {"vague_terms": {"title": "Vague words", "help": "Often."}}, "house_style": "plain"}
    assert [name_wording(content, path) for path, _value in iter_leaves(content)] == [
        "After an unreadable reply",
        "Scores › Introduction",
        "Scores › Dimension 1: Clarity › Title",
        "Scores › Dimension 1: Clarity › Help",
        "Scores › Dimension 1: Clarity › Level 1 › Value in exports",
        "Scores › Dimension 1: Clarity › Level 1 › Label",
        "Flaws › Vague words › Title",
        "Flaws › Vague words › Help",
        "house style",
    ]


@pytest.mark.parametrize("name", [PEOPLE, "dimension-ratings/en", "stopping-questionnaire/en", "item-writing-flaws/de"])
def test_no_field_has_a_key_of_the_file_as_its_name(name, project, page):
    own = copy_instrument(find_version(name, project), project, "mine")
    sections = page("instrument_edit", own.instrument_id).context["fields"].sections()
    names = [
        *sections,
        *(field.label for groups in sections.values() for group in groups.values() for field, *_ in group.fields),
    ]
    assert [each for each in names if each[:1].islower()] == []


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        ("add:rate.dimensions.0", "fluency fluency_2 clarity conciseness"),
        ("remove:rate.dimensions.0", "clarity conciseness relevance"),
        ("up:rate.dimensions.1", "clarity fluency conciseness"),
        ("up:rate.dimensions.0", "fluency clarity conciseness"),
        ("down:rate.dimensions.0", "clarity fluency conciseness"),
        ("down:rate.dimensions.99", "fluency clarity conciseness"),
        ("remove:rate.nothing.0", "fluency clarity conciseness"),
    ],
)
def test_a_dimension_is_copied_moved_and_removed_on_the_page(sent, names, project, send):
    own = copy_instrument(find_version("dimension-ratings/en", project), project, "mine")
    data = fields(own, rate__title="Score!") | {"entry": sent}
    shown = send("instrument_edit", own.instrument_id, **data)
    content = shown.context["draft"].content
    found = [each["name"] for each in content["rate"]["dimensions"]]
    assert found[: len(names.split())] == names.split()
    assert content["rate"]["title"] == "Score!"
    assert shown.context["draft"].source.startswith("# Wording of")
    assert versions(own) == [1]


def test_entries_are_rearranged_where_they_are_listed_freely(project, page):
    own = copy_instrument(find_version("stopping-questionnaire/en", project), project, "mine")
    sections = page("instrument_edit", own.instrument_id).context["fields"].sections()
    groups = [group for groups in sections.values() for group in groups.values()]
    places = [group.place for group in groups if group.actions]
    assert places == [*(f"judge.gates.{n}" for n in range(4)), *(f"judge.questions.{n}" for n in range(11))]
    words = [[sent.partition(":")[0] for sent, *_ in group.actions] for group in groups if group.actions]
    assert words[:2] == [["add", "down", "remove"], ["add", "up", "down", "remove"]]
    assert words[3] == ["add", "up", "remove"]


def test_a_list_is_edited_with_an_entry_a_line(own, send):
    send("instrument_edit", own.instrument_id, save="1", **fields(own, guess__lead="One.\r\n\r\nTwo.\r\n"))
    assert own.instrument.versions.first().content["guess"]["lead"] == ["One.", "Two."]


def test_blanks_at_the_ends_stay(own, send):
    send("instrument_edit", own.instrument_id, save="1", **fields(own, guess__hint=" Of {n_options}  "))
    assert own.instrument.versions.first().content["guess"]["hint"] == " Of {n_options}  "


def test_a_browsers_line_breaks_are_no_change(project, send, page):
    own = copy_instrument(find_version(PROMPT, project), project, "letters")
    sent = fields(own, guess=own.content["guess"].replace("\n", "\r\n"))
    send("instrument_edit", own.instrument_id, save="1", **sent | {"source": get_source(own).replace("\n", "\r\n")})
    assert versions(own) == [1]


def test_carriage_returns_are_not_offered_as_a_field_and_stay(project, send, page):
    own = copy_instrument(find_version(PROMPT, project), project, "letters")
    source = apply_changes(get_source(own), {("again",): "One\r\nletter"})
    version, _new = save_version(own.instrument, source)
    form = page("instrument_edit", own.instrument_id).context["fields"]
    assert "wording-again" not in form.fields
    send("instrument_edit", own.instrument_id, save="1", **fields(version, title="Letters"))
    assert own.instrument.versions.first().content["again"] == "One\r\nletter"


def test_switching_to_yaml_takes_the_fields_along_and_stores_nothing(own, send):
    answer = send("instrument_edit", own.instrument_id, show="yaml", **fields(own, guess__title="Guess!"))
    assert answer.context["by"] == "yaml"
    assert read_yaml(answer.context["draft"].source)["guess"]["title"] == "Guess!"
    assert versions(own) == [1]


def test_an_error_in_yaml_is_told_with_its_line_and_keeps_what_was_written(own, send):
    source = "name: mine\nlanguage: [en\ntitle: x\n"
    answer = send("instrument_edit", own.instrument_id, save="1", by="yaml", source=source)
    assert "The file cannot be read as YAML in line 3, column" in answer.content.decode()
    assert answer.context["draft"].source == source
    assert (answer.context["by"], versions(own)) == ("yaml", [1])


def test_a_problem_stands_beside_its_field(own, send):
    answer = send("instrument_edit", own.instrument_id, save="1", **fields(own, guess__hint="{n} of them"))
    sentences = answer.context["fields"].sentences_by_place()
    assert list(sentences) == ["guess.hint"]
    assert "the placeholder {n}, which is not available there" in sentences["guess.hint"][0]
    assert versions(own) == [1]


def test_what_was_saved_in_between_is_not_overwritten(own, send):
    save_version(own.instrument, apply_changes(get_source(own), {("title",): "Other"}))
    answer = send("instrument_edit", own.instrument_id, save="1", **fields(own, guess__title="Guess!"))
    assert "Version 2 was saved" in answer.content.decode()
    assert answer.context["before"].version == 2
    assert versions(own) == [2, 1]


def test_the_editor_of_a_shipped_one_leads_to_its_copy(project, page, send):
    pk = find_version(PEOPLE, project).instrument_id
    assert page("instrument_edit", pk).url == reverse("instrument_copy", args=["rivers", pk])
    answer = send("instrument_copy", pk, name="mine")
    copied = Instrument.objects.get(project=project)
    assert (answer.url, copied.name) == (reverse("instrument_edit", args=["rivers", copied.pk]), "mine")


@pytest.mark.parametrize("name", ["", "a name", "ä", "x" * 101])
def test_a_copy_needs_a_plain_name(name, project, send):
    send("instrument_copy", find_version(PEOPLE, project).instrument_id, name=name)
    assert not Instrument.objects.filter(project=project).exists()


def test_what_is_downloaded_can_be_uploaded(own, project, page, send):
    file = page("instrument_download", own.instrument_id, 1)
    assert file["Content-Disposition"] == 'attachment; filename="mine.en.v1.yaml"'
    assert file.content.decode() == get_source(own)
    again = send("instrument_upload", file=SimpleUploadedFile("mine.yaml", file.content))
    assert (again.url, versions(own)) == (reverse("instrument_version", args=["rivers", own.instrument_id, 1]), [1])
    other = SimpleUploadedFile("mine.yaml", file.content.replace(b'"mine"', b"yours"))
    send("instrument_upload", file=other)
    assert find_version("yours/en", project).content == own.content | {"name": "yours"}


def test_a_file_with_problems_is_refused_with_all_of_them(project, send):
    source = (
        load_shipped_sources()[PROMPT].replace("{option}", "{text}").replace("name: guess-then-read-prompt", "name: x")
    )
    answer = send("instrument_upload", file=SimpleUploadedFile("x.yaml", source.encode()))
    assert [problem.place for problem in answer.context["problems"]] == ["guess", "read"]
    assert not Instrument.objects.filter(project=project).exists()


def test_a_file_in_another_encoding_is_refused(project, send):
    answer = send("instrument_upload", file=SimpleUploadedFile("x.yaml", "title: für".encode("latin-1")))
    assert "Save it as UTF-8" in answer.content.decode()


def test_the_diff_shows_the_words_that_went_and_came(own, page):
    save_version(own.instrument, apply_changes(get_source(own), {("guess", "title"): "Guess with the text"}))
    body = page("instrument_diff", own.instrument_id).content.decode()
    assert "<h2>Guessing, without the text › Title</h2>" in body
    assert "Guess <del>without</del> the text" in body
    assert "Guess <ins>with</ins> the text" in body
    assert body.count('class="difference"') == 1


def test_the_diff_of_a_version_that_there_is_not_is_not_found(own, page, client):
    assert client.get(address("instrument_diff", own) + "?to=9").status_code == 404
    assert "identical. Choose other versions" in page("instrument_diff", own.instrument_id).content.decode()


def test_what_is_in_one_version_alone_differs_as_a_whole():
    found = compare_versions({"a": "x", "b": ["1", "2"]}, {"a": "x", "c": True})
    assert [
        (each.name, each.before and each.before[0].words, each.after and each.after[0].words) for each in found
    ] == [
        ("c", None, "true"),
        ("b", "1\n2", None),
    ]
