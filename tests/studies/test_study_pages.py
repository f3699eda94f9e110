"""The page of a study: what happens at launch, how far it has come, and what can be done next."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from jobs.models import Job, JobState
from jobs.working import run_job
from studies.models import Study, StudyState
from studies.services.launching import find_launch
from tests.factory import make_item, make_text
from tests.studies.steps import address
from tests.studies.world import Person, bank, counts, draft_study, make_live_study, make_study_with_bank, person

pytestmark = pytest.mark.slow


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


def text_of(client, name: str, slug: str) -> str:
    """The page without its markup, blanks made one."""
    page = client.get(reverse(name, args=[slug]), follow=True)
    return " ".join(BeautifulSoup(page.content, "html.parser").main.get_text(" ").split())


def act(client, slug: str, action: str):
    return client.post(reverse("study_act", args=[slug, action]), follow=True)


def test_the_list_says_how_far_each_study_is(client, project):
    study = make_study_with_bank(project, title="First")
    person(study).start().finish()
    page = text_of(client, "study_list", "rivers")
    assert "First Guess, then read · English live 2 of 4" in page


def test_a_draft_says_what_happens_at_launch(client, project):
    bank(project, texts=10, generators=("alder", "birch", "cedar"), items=3)
    study = draft_study(project, plan={"annotators": 6})
    summary = client.get(address(study, "launch")).context["summary"]
    assert (summary.n_people, summary.n_texts, summary.n_items) == (6, 10, 90)
    assert (str(summary.workload.answers), str(summary.workload.minutes)) == ("450", "60")
    assert (str(summary.workload.guessers), str(summary.workload.doers)) == ("2", "6")
    page = text_of(client, "study_design", "study")
    assert "6 people need about 60 min each" in page
    assert "alder (30), birch (30), cedar (30)" in page


def test_a_draft_that_cannot_be_launched_says_why_and_offers_no_launch(client, project):
    bank(project, texts=5)
    study = draft_study(project, plan={"annotators": 2, "shared_texts": 1, "own_texts": 2})
    make_item(make_text(project, "t9"), "alder", "t9-alder-1")
    page = client.get(address(study, "launch")).content.decode()
    assert "are 5 texts, but the study has 6" in page
    assert "study_confirm" not in page
    assert address(study, "people") in page


def test_launching_leads_to_the_links(client, project):
    bank(project)
    draft_study(project)
    page = act(client, "study", "launch")
    assert page.redirect_chain == [(reverse("study_annotators", args=["study"]), 302)]
    assert "Send each annotator their own link." in page.content.decode()
    assert Study.objects.get().state == StudyState.LIVE


@pytest.fixture
def large_draft(client, project, monkeypatch):
    """A draft that takes a job to launch, which was asked for."""
    monkeypatch.setattr("studies.services.launching.AT_ONCE", 1)
    bank(project)
    study = draft_study(project)
    response = client.post(reverse("study_act", args=["study", "launch"]))
    assert response.url == reverse("study_launch", args=["study"])
    return study


def test_a_large_study_is_launched_by_a_job(client, large_draft):
    job = find_launch(large_draft)
    assert client.get(reverse("study_launch", args=["study"])).context["job"] == job
    client.post(reverse("study_act", args=["study", "launch"]))  # again: it is the same job
    assert list(Job.objects.all()) == [job]
    run_job(job.pk)
    large_draft.refresh_from_db()
    assert (large_draft.state, large_draft.annotators.count()) == (StudyState.LIVE, large_draft.plan["annotators"])
    assert client.get(reverse("study_launch", args=["study"])).url == reverse("study_annotators", args=["study"])


def test_a_launch_that_fails_in_its_job_leaves_the_draft_and_can_be_tried_again(client, project, large_draft):
    project.items.all().update(superseded_at="2026-01-01T00:00:00Z")
    run_job(find_launch(large_draft).pk)
    job = find_launch(large_draft)
    assert job.state == JobState.FAILED
    assert client.get(reverse("study_launch", args=["study"])).context["job"] == job
    assert counts()["Unit"] == 0
    project.items.all().update(superseded_at=None)
    client.post(reverse("study_act", args=["study", "launch"]))
    run_job(find_launch(large_draft).pk)
    large_draft.refresh_from_db()
    assert large_draft.state == StudyState.LIVE


def test_launching_twice_says_so_and_changes_nothing(client, project):
    bank(project)
    draft_study(project)
    act(client, "study", "launch")
    before = counts()
    assert "is live, so" in act(client, "study", "launch").content.decode()
    assert counts() == before


def test_a_launch_that_cannot_be_says_why(client, project):
    bank(project, texts=1)
    study = draft_study(project)
    project.items.all().update(superseded_at="2026-01-01T00:00:00Z")
    assert "Nothing to annotate" in act(client, "study", "launch").content.decode()
    study.refresh_from_db()
    assert study.is_draft


def test_a_study_is_paused_resumed_closed_and_opened_again(client, project):
    bank(project)
    make_live_study(project)
    for action, state in [("pause", "paused"), ("resume", "live"), ("close", "closed"), ("reopen", "live")]:
        act(client, "study", action)
        assert Study.objects.get().state == state


@pytest.mark.parametrize("action", ["resume", "reopen"])
def test_an_action_out_of_turn_says_what_to_do(action, client, project):
    bank(project)
    make_live_study(project)
    assert "so this is no longer possible" in act(client, "study", action).content.decode()


def test_a_draft_is_deleted_on_request(client, project):
    bank(project)
    draft_study(project, title="Gone")
    page = client.post(reverse("study_delete", args=["study"]), follow=True)
    assert "The draft “Gone” was deleted." in page.content.decode()
    assert not Study.objects.exists()


def test_a_launched_study_is_not_deleted(client, project):
    bank(project)
    make_live_study(project)
    page = client.post(reverse("study_delete", args=["study"]), follow=True)
    assert "is live, so" in page.content.decode()
    assert Study.objects.exists()


def test_a_preview_leads_to_an_annotator_s_page(client, project):
    bank(project)
    draft_study(project)
    page = client.post(reverse("study_preview", args=["study"]))
    assert page.url.startswith("/join/")
    assert client.get(page.url).status_code == 200


def test_a_running_study_says_how_far_it_has_come_and_what_was_frozen(client, project):
    study = make_study_with_bank(project, groups=["students"])
    person(study).start().finish()
    page = text_of(client, "study_design", "study")
    assert "Live: 2 of 4 assignments are done." in page
    assert "Fixed at launch" in page
    assert "alder: 2 · birch: 2" in page
    assert "Guess first, then read (English), version 1" in page
    assert "Show the guesses as starting answers in the reading stage: no" in page
    assert "Rating scale (points): 5" in page


def test_results_are_offered_once_there_are_any(client, project):
    study = make_study_with_bank(project)
    assert "View results" not in text_of(client, "study_design", "study")
    person(study).start().finish()
    assert "View results" in text_of(client, "study_design", "study")


def test_simulated_annotators_are_announced_and_removed_with_one_click(client, project):
    from annotation.simulation import make_simulated_annotators

    study = make_study_with_bank(project)
    make_simulated_annotators(study, 2, seed=1)
    assert "2 simulated annotators have done 0 of 4 assignments." in text_of(client, "study_design", "study")
    page = client.post(reverse("remove_simulated", args=["study"]), follow=True)
    assert "2 simulated annotators were removed with all answers." in page.content.decode()
    assert study.annotators.count() == 2


def test_previews_are_in_no_list_of_people(client, project):
    from studies.services.launching import start_preview

    study = make_study_with_bank(project)
    Person(start_preview(study)).start().finish()
    assert "preview-" not in text_of(client, "study_annotators", "study")
    assert "Live: 0 of 4 assignments are done." in text_of(client, "study_design", "study")


def test_an_imported_study_has_no_links_and_says_what_it_is(client, project):
    from studies.services.responses.importing import import_responses
    from tests.studies.answer_files import as_csv, whole

    bank(project)
    import_responses(draft_study(project), as_csv(whole()))
    page = text_of(client, "study_design", "study")
    assert "Imported study" in page
    assert "People and links" not in page
    assert "/join/" not in client.get(reverse("study_annotators", args=["study"])).content.decode()


def test_what_loses_something_is_folded_away_first(client, project):
    bank(project)
    draft_study(project, slug="draft")
    make_live_study(project, slug="live")
    for slug, name, arguments in [("draft", "study_delete", []), ("live", "study_act", ["close"])]:
        soup = BeautifulSoup(client.get(reverse("study_design", args=[slug]), follow=True).content, "html.parser")
        form = soup.find("form", action=reverse(name, args=[slug, *arguments]))
        assert form.find_parent("details") is not None
