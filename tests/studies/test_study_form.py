"""The form of a draft: what it takes, what it says when something is wrong, and what it keeps."""

import pytest
from django.urls import reverse
from studies.forms.study import StudyForm

from studies.models import Study
from studies.protocols import PROTOCOLS
from studies.services.launching import launch_study
from tests.factory import make_item, make_text
from tests.studies.world import bank, drafted

FIELDS = {
    "title": "Rivers, first round",
    "slug": "",
    "instrument": "guess-then-read/en",
    "annotators": "6",
    "per_unit": "",
    "groups": "",
    "shared_texts": "",
    "own_texts": "",
    "seed": "",
}


@pytest.fixture
def new(as_user, researcher, project):
    """A function that sends the form for a new study."""
    client = as_user(researcher)
    return lambda **fields: client.post(reverse("study_new", args=["rivers"]), FIELDS | fields)


@pytest.fixture
def edit(as_user, researcher, project):
    client = as_user(researcher)
    return lambda study, **fields: client.post(reverse("study_edit", args=[study.slug]), FIELDS | fields)


def said(page) -> str:
    """All error messages of the page."""
    form = page.context["form"]
    return " ".join(str(message) for messages in form.errors.values() for message in messages)


def test_a_draft_is_made_with_a_short_name_from_the_title(project, new):
    bank(project)
    page = new()
    study = Study.objects.get()
    assert (page.status_code, page.url) == (302, reverse("study_design", args=["rivers-first-round"]))
    assert (study.slug, study.language, study.plan["annotators"]) == ("rivers-first-round", "en", 6)
    assert study.selection == {"texts": "all", "generators": "all"}


def test_every_field_is_taken_over(project, new):
    bank(project, texts=3)
    new(
        slug="mine",
        texts=["t1", "t2"],
        generators=["birch"],
        per_unit="2",
        groups="students, teachers,",
        prefill="on",
        seed="5",
    )
    study = Study.objects.get(slug="mine")
    assert study.selection == {"texts": ["t1", "t2"], "generators": ["birch"]}
    assert (study.plan["per_unit"], study.groups, study.params["prefill"], study.seed) == (
        2, ["students", "teachers"], True, 5,
    )  # fmt: skip


def test_a_taken_title_gets_another_short_name(project, new):
    bank(project)
    new()
    new()
    assert set(Study.objects.values_list("slug", flat=True)) == {"rivers-first-round", "rivers-first-round-2"}


def test_a_short_name_that_somebody_wrote_is_not_changed_but_refused(project, new):
    bank(project)
    new(slug="mine")
    page = new(slug="mine")
    assert page.context["form"].errors["slug"] == ["A study “mine” already exists. Choose another short name."]
    assert Study.objects.count() == 1


def test_a_title_without_letters_to_spell_it_gets_a_short_name_too(project, new):
    bank(project)
    new(title="河")
    assert Study.objects.get().slug == "study"


def test_no_number_of_annotators_means_that_people_are_added_later(project, new):
    bank(project)
    new(annotators="")
    assert Study.objects.get().plan["annotators"] == "open"


def test_of_a_project_in_two_languages_those_of_the_pages_are_taken(project, new):
    bank(project)
    make_item(make_text(project, "d1", language="de"), "alder", "d1-alder-1")
    new(instrument="guess-then-read/de")
    assert Study.objects.get().selection["texts"] == ["d1"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"title": ""}, "This field is required."),
        ({"per_unit": "7"}, "has fewer annotators than that"),
        ({"annotators": "0"}, "greater than or equal to 1"),
        ({"annotators": "six"}, "Enter a whole number."),
        ({"annotators": "1001"}, "less than or equal to 1000"),
        ({"annotators": "9" * 5000}, "Enter a whole number."),
        ({"seed": "-1"}, "greater than or equal to 0"),
        ({"texts": ["t9"]}, "t9 is not one of the available choices"),
        ({"generators": ["oak"]}, "oak is not one of the available choices"),
        ({"instrument": "guess-then-read/xx"}, "is not one of the available choices"),
        ({"slug": "a b"}, "Enter a valid “slug”"),
        ({"shared_texts": "1", "own_texts": "1"}, "are 7 texts, but the study has 2"),
        ({"groups": "x" * 101}, "longer than 100"),
        ({"title": "a\x00b"}, "Null characters are not allowed."),
        ({"texts": ["t1", "d1"]}, "one study per language"),
    ],
)
def test_what_cannot_be_is_said_and_the_form_keeps_what_was_written(fields, sentence, project, new):
    bank(project)
    make_item(make_text(project, "d1", language="de"), "alder", "d1-alder-1")
    page = new(**fields)
    assert page.status_code == 200
    assert sentence in said(page)
    assert not Study.objects.exists()
    assert "Rivers, first round" in page.content.decode() or "title" in fields


def test_a_project_without_items_says_what_is_missing(project, new):
    assert "Nothing to annotate" in said(new())


def test_editing_starts_from_what_the_draft_says(project, as_user, researcher):
    bank(project)
    study = drafted(
        project,
        title="Old title",
        items={"texts": ["t2"], "generators": ["alder"]},
        plan={"annotators": 4, "per_unit": 2},
        groups=["a", "b"],
        params={"prefill": True},
    )
    initial = as_user(researcher).get(reverse("study_edit", args=[study.slug])).context["form"].initial
    shown = {"title": "Old title", "texts": ["t2"], "generators": ["alder"], "annotators": 4, "per_unit": 2}
    shown |= {"groups": "a, b", "prefill": True, "seed": 7, "instrument": "guess-then-read/en"}
    assert shown.items() <= initial.items()


def test_saving_what_the_form_shows_changes_nothing(project, as_user, researcher):
    bank(project, texts=5)
    study = drafted(project, plan={"annotators": 2, "shared_texts": 1, "own_texts": 2}, groups=["a"], title="Mine")
    client = as_user(researcher)
    form = client.get(reverse("study_edit", args=[study.slug])).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    before = Study.objects.values().get()
    sent = {name: value for name, value in shown.items() if value not in (None, False)}
    assert client.post(reverse("study_edit", args=[study.slug]), sent).status_code == 302
    assert Study.objects.values().get() == before


def test_an_edit_keeps_the_short_name(project, edit):
    bank(project)
    study = drafted(project)
    edit(study, title="New title", slug="other")
    study.refresh_from_db()
    assert (study.slug, study.title) == ("study", "New title")


def test_parameters_that_the_form_does_not_show_are_kept(project, edit):
    bank(project)
    study = drafted(project)
    Study.objects.update(params={"prefill": False, "rating_scale": 5, "later": 1})
    page = edit(study)
    assert "no parameter 'later'" in said(page)  # it was passed on, not dropped


def test_a_refused_edit_changes_nothing(project, edit):
    bank(project)
    study = drafted(project)
    before = Study.objects.values().get()
    assert edit(study, per_unit="7", annotators="6").status_code == 200
    assert Study.objects.values().get() == before


def test_a_launched_study_cannot_be_edited(project, edit):
    bank(project)
    study = drafted(project)
    launch_study(study)
    assert "has been" in said(edit(study))
    study.refresh_from_db()
    assert study.title == "study"


def test_titles_are_text_and_nothing_else(project, new, as_user, researcher):
    bank(project)
    new(title="<script>alert(1)</script>{{ 7|add:7 }}", slug="hostile")
    page = as_user(researcher).get(reverse("study_design", args=["hostile"])).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_wordings_in_the_language_of_most_texts_are_offered_first(project):
    for number, language in enumerate(("en", "en", "de")):
        make_text(project, f"t{number}", language=language)
    form = StudyForm(project=project, protocol=PROTOCOLS["guess-then-read"])
    assert form.fields["instrument"].choices[0][0] == "guess-then-read/en"
