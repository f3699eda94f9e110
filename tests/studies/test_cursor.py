"""One cursor decides where an annotator stands: consent, instructions, guess, read, next text, done."""

import pytest

from studies.models import Annotator, PhasePassed, StudyState
from studies.services import answering, places
from studies.services.answering import StaleStage
from studies.services.people import renew_link, revoke_link
from studies.services.places import find_place
from tests.studies.world import Person, draft_study, make_study_with_bank, person


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


def set_state(study, state: StudyState) -> None:
    type(study).objects.filter(pk=study.pk).update(state=state)


def place(someone: Person) -> answering.Place:
    """As a new request finds it."""
    return find_place(places.find_annotator_by_token(someone.annotator.token))


@pytest.mark.database
@pytest.mark.parametrize("many", [1_000, 1])  # of more units, a page counts only those done since an earlier count
def test_the_way_goes_through_consent_instructions_and_both_stages_of_each_text(project, many, monkeypatch):
    monkeypatch.setattr(places, "MANY", many)
    someone = person(make_study_with_bank(project, texts=4))
    way = []
    while (here := place(someone)).kind != "done":
        way.append(here.phase or (here.stage.name, *here.counts))
        if here.phase:
            answering.pass_phase(someone.annotator, here.phase)
        else:
            someone.do()
    stages = [(stage, text, 4) for text in (1, 2, 3, 4) for stage in ("guess", "read")]
    assert way == ["consent", "instructions", *stages]


def test_a_phase_that_is_not_at_hand_cannot_be_passed(study):
    someone = person(study)
    answering.pass_phase(someone.annotator, "instructions")
    answering.pass_phase(someone.annotator, "nonsense")
    answering.pass_phase(someone.annotator, "")
    assert not PhasePassed.objects.exists()
    assert place(someone).phase == "consent"


def test_a_phase_is_passed_once(study):
    someone = person(study)
    answering.pass_phase(someone.annotator, "consent")
    answering.pass_phase(someone.annotator, "consent")
    assert PhasePassed.objects.count() == 1


def test_looking_changes_nothing(study):
    someone = person(study).start()
    before = list(Annotator.objects.values()), list(someone.annotator.assignments.values())
    place(someone)
    place(someone)
    assert (list(Annotator.objects.values()), list(someone.annotator.assignments.values())) == before


def test_the_clock_of_a_text_starts_when_it_is_opened(study):
    someone = person(study)
    assert not someone.annotator.assignments.filter(stage_opened_at__isnull=False).exists()
    someone.start()
    assert someone.annotator.assignments.filter(stage_opened_at__isnull=False).count() == 1


def test_every_stage_has_a_new_token(study):
    someone = person(study).start()
    tokens = []
    while someone.here:
        tokens.append(someone.here.token)
        someone.do()
    assert len(set(tokens)) == 4


@pytest.mark.parametrize(
    ("state", "kind"),
    [(StudyState.PAUSED, "paused"), (StudyState.CLOSED, "closed"), (StudyState.IMPORTED, "closed")],
)
def test_a_study_that_takes_no_answers_shows_so_and_takes_none(state, kind, study):
    someone = person(study).start()
    page = someone.answers()
    set_state(study, state)
    assert place(someone).kind == kind
    with pytest.raises(StaleStage, match="paused at the moment" if kind == "paused" else "accepts answers"):
        someone.save(page)
    with pytest.raises(StaleStage):
        someone.hand_in()
    assert not someone.here.drafts.exists()


def test_after_a_pause_everybody_goes_on_where_they_stopped(study):
    someone = person(study).start()
    someone.save(someone.answers())
    set_state(study, StudyState.PAUSED)
    answering.pass_phase(someone.annotator, "consent")
    set_state(study, StudyState.LIVE)
    assert place(someone).stage.name == "guess"
    someone.hand_in()
    assert place(someone).stage.name == "read"


def test_a_revoked_link_shows_so_and_takes_nothing(study):
    someone = person(study).start()
    page = someone.answers()
    revoke_link(someone.annotator)
    assert place(someone).kind == "revoked"
    with pytest.raises(StaleStage, match="accepts answers through this link"):
        someone.save(page)


def test_a_link_that_is_revoked_while_a_page_is_open_takes_nothing(study):
    """The annotator was fetched by the view before somebody revoked the link."""
    someone = person(study).start()
    page = someone.answers()
    revoke_link(Annotator.objects.get(pk=someone.annotator.pk))
    with pytest.raises(StaleStage):
        someone.save(page)


def test_a_renewed_link_ends_the_pages_of_the_old_one(study):
    someone = person(study).start()
    page = someone.answers()
    renew_link(Annotator.objects.get(pk=someone.annotator.pk))
    with pytest.raises(StaleStage, match="accepts answers through this link"):
        someone.save(page)


def test_an_annotator_who_was_removed_gets_a_sentence(study):
    from studies.services.launching import delete_annotators

    someone = person(study).start()
    page, token = someone.answers(), someone.here.token
    delete_annotators(study.annotators.all())
    with pytest.raises(StaleStage):
        answering.save_drafts(someone.annotator, token, page)


def test_a_draft_study_lets_only_previews_in(project, study):
    from studies.services.launching import start_preview

    preview = start_preview(draft_study(project, slug="draft"))
    assert find_place(preview).phase == "consent"
    type(study).objects.filter(pk=study.pk).update(state=StudyState.DRAFT)
    assert place(person(study)).kind == "closed"


def test_a_page_is_found_by_public_id_and_token_together_only(study):
    one, other = study.annotators.all()
    assert places.read_by_link(one.public_id, one.token) == [one]
    assert places.read_by_link(other.public_id, one.token) == []
    assert places.find_annotator_by_token("nothing") is None


def test_joining_is_noted_once(study):
    someone = person(study)
    answering.join_study(someone.annotator)
    someone.annotator.refresh_from_db()
    first = someone.annotator.joined_at
    assert first is not None
    answering.join_study(someone.annotator)
    someone.annotator.refresh_from_db()
    assert someone.annotator.joined_at == first
    assert someone.annotator.last_seen > first
