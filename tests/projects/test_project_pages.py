"""The list of projects, a new one, its overview."""

import pytest
from django.urls import reverse

from projects.models import Membership, Project, Role
from projects.services import suggest_slug
from tests.factory import make_item, make_study, make_text


@pytest.fixture
def bank(project):
    """Two texts with three items, of which one was superseded."""
    first, second = make_text(project, "t1"), make_text(project, "t2")
    return [make_item(first, "human", "i1"), make_item(first, "human", "i2"), make_item(second, "human", "i3")]


def overview(client, project) -> str:
    return client.get(project.get_absolute_url()).content.decode()


def test_list_shows_own_projects_only(viewer, stranger, as_user):
    page = as_user(viewer).get(reverse("project_list"))
    assert [project.slug for project in page.context["projects"]] == ["rivers"]


def test_list_shows_all_projects_to_admins(project, stranger, admin_client):
    page = admin_client.get(reverse("project_list"))
    assert [project.slug for project in page.context["projects"]] == ["mountains", "rivers"]


def test_empty_list_says_what_to_do_first(newcomer, as_user):
    page = as_user(newcomer).get(reverse("project_list"))
    assert "projects/welcome.html" in [template.name for template in page.templates]
    assert reverse("project_new") in page.content.decode()


@pytest.mark.database
def test_counts_take_newest_versions_and_do_not_multiply(project, bank):
    make_study(project, "one", bank)
    make_study(project, "two", bank)
    bank[0].superseded_at = bank[0].created_at
    bank[0].save()
    counts = Project.objects.with_counts().get(pk=project.pk)
    assert (counts.n_texts, counts.n_items, counts.n_studies) == (2, 2, 2)


def test_list_asks_the_database_as_often_for_many_projects(viewer, as_user, django_assert_max_num_queries):
    client = as_user(viewer)
    for number in range(20):
        project = Project.objects.create(slug=f"p{number}", title=f"P {number}")
        Membership.objects.create(project=project, user=viewer, role=Role.VIEWER)
    with django_assert_max_num_queries(4):
        client.get(reverse("project_list"))


def test_creator_becomes_owner(newcomer, as_user):
    as_user(newcomer).post(reverse("project_new"), {"title": "Lakes", "slug": "lakes", "description": ""})
    assert Membership.objects.get(project__slug="lakes").user == newcomer
    assert Membership.objects.get(project__slug="lakes").role == Role.OWNER


def test_empty_short_name_is_made_from_the_title(newcomer, as_user):
    as_user(newcomer).post(reverse("project_new"), {"title": "Flüsse & Seen", "slug": "", "description": ""})
    assert Project.objects.get().slug == "flusse-seen"


def test_suggested_short_name_is_free(project):
    Project.objects.create(slug="rivers-2", title="More")
    assert suggest_slug("Rivers") == "rivers-3"


@pytest.mark.parametrize("title", ["x" * 200, "x" * 59 + " y"])
def test_suggested_short_name_fits(title, db):
    first = suggest_slug(title)
    Project.objects.create(slug=first, title=title)
    second = suggest_slug(title)
    assert second != first
    assert max(len(first), len(second)) <= 60


def test_title_without_a_usable_letter_asks_for_a_short_name(newcomer, as_user):
    page = as_user(newcomer).post(reverse("project_new"), {"title": "日本語", "slug": "", "description": ""})
    assert page.context["form"].errors["slug"] == ["Use the letters a–z, digits and hyphens."]


@pytest.mark.database
def test_taken_short_name_is_a_sentence_and_stores_nothing(project, newcomer, as_user):
    page = as_user(newcomer).post(reverse("project_new"), {"title": "Other", "slug": "rivers", "description": ""})
    assert "The short name “rivers” belongs to another project." in page.content.decode()
    assert Project.objects.count() == 1
    assert not newcomer.memberships.exists()


def test_owner_edits_title_and_description(owner, project, as_user):
    as_user(owner).post(reverse("project_edit", args=["rivers"]), {"title": "Streams", "description": "All of them"})
    project.refresh_from_db()
    assert (project.title, project.description, project.slug) == ("Streams", "All of them", "rivers")


def test_title_is_text_not_markup(owner, project, as_user):
    project.title = "<script>alert(1)</script>"
    project.save()
    assert "<script>alert" not in overview(as_user(owner), project)


def test_next_step_without_texts_is_to_add_some(researcher, project, as_user):
    assert reverse("text_new", args=["rivers"]) in overview(as_user(researcher), project)


def test_next_step_without_items_is_to_generate_some(researcher, project, as_user):
    make_text(project, "t1")
    page = as_user(researcher).get(project.get_absolute_url())
    assert page.context["step"].label == "Generate items"


def test_next_step_with_items_is_a_study(researcher, project, bank, as_user):
    page = as_user(researcher).get(project.get_absolute_url())
    assert page.context["step"].url == reverse("study_new", args=["rivers"])


@pytest.mark.parametrize(("state", "name"), [("draft", "study"), ("live", "study"), ("paused", "study"),
                                             ("closed", "study_results"), ("imported", "study_results")])  # fmt: skip
def test_next_step_of_a_study_follows_its_state(state, name, viewer, project, bank, as_user):
    study = make_study(project, "one", bank, state=state)
    page = as_user(viewer).get(project.get_absolute_url())
    assert page.context["step"].url == reverse(name, args=[study.slug])
    assert "Study one" in page.context["step"].title


def test_an_open_study_comes_before_a_newer_closed_one(viewer, project, bank, as_user):
    make_study(project, "open", bank)
    make_study(project, "closed", bank, state="closed")
    page = as_user(viewer).get(project.get_absolute_url())
    assert page.context["step"].url == reverse("study", args=["open"])


def test_who_may_not_edit_is_not_sent_to_import(reviewer, project, as_user):
    page = as_user(reviewer).get(project.get_absolute_url())
    assert page.context["step"].url == ""


def test_one_primary_action(owner, project, bank, as_user):
    assert overview(as_user(owner), project).count('class="button primary"') == 1


def test_studies_are_listed_with_state_and_links(viewer, project, bank, as_user):
    make_study(project, "one", bank, state="paused")
    page = overview(as_user(viewer), project)
    assert '<span class="badge warning">paused</span>' in page
    assert f'href="{reverse("study", args=["one"])}"' in page


def test_a_draft_has_no_link_to_results(viewer, project, bank, as_user):
    make_study(project, "one", bank, state="draft")
    assert reverse("study_results", args=["one"]) not in overview(as_user(viewer), project)


def test_only_owners_see_the_members_tab(viewer, owner, project, as_user):
    assert reverse("member_list", args=["rivers"]) not in overview(as_user(viewer), project)
    assert reverse("member_list", args=["rivers"]) in overview(as_user(owner), project)


def test_who_is_not_signed_in_reads_what_lesart_is(client, project):
    page = client.get("/")
    assert "projects/welcome.html" in [template.name for template in page.templates]
    assert reverse("account_login") in page.content.decode()
    assert project.title not in page.content.decode()


def test_five_steps_show_how_far_a_first_study_is(researcher, project, bank, as_user):
    page = as_user(researcher).get(project.get_absolute_url())
    assert [(stage.is_done, stage.is_next) for stage in page.context["stages"]] == [
        (True, False),
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]
    make_study(project, "one", bank, state="closed")
    assert as_user(researcher).get(project.get_absolute_url()).context["stages"] == []


def test_the_overview_asks_as_often_for_many_studies(viewer, project, bank, as_user, django_assert_max_num_queries):
    client = as_user(viewer)
    for number in range(12):
        make_study(project, f"s{number}", bank)
    with django_assert_max_num_queries(16):
        page = client.get(project.get_absolute_url())
    assert (len(page.context["rows"]), page.context["n_more"]) == (6, 6)
