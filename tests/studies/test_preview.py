"""A preview shows the pages as an annotator gets them, counts for nothing and leaves nothing behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from studies.models import Annotator, Purpose
from studies.services.creating import change_study
from studies.services.launching import close_study, delete_draft, launch_study, start_preview
from studies.services.progress import count_progress
from studies.services.spec import check_spec
from studies.services.states import WrongState
from tests.studies.world import Person, bank, counts, draft_study, make_live_study, spec


def test_a_draft_can_be_walked_through_to_the_end(project):
    bank(project)
    study = draft_study(project)
    someone = Person(start_preview(study)).start().finish()
    assert someone.annotator.assignments.filter(finished_at__isnull=False).count() == 2
    study.refresh_from_db()
    assert study.is_draft


def test_a_preview_of_a_draft_leaves_nothing_behind_after_launch(project):
    bank(project)
    launch_study(draft_study(project, slug="plain"))
    plain = counts()
    study = draft_study(project, slug="looked-at")
    Person(start_preview(study)).start().finish()
    Person(start_preview(study)).start().do()
    launch_study(study)
    both = counts()
    assert {kind: both[kind] - number for kind, number in plain.items() if kind != "InstrumentVersion"} == {
        kind: number for kind, number in plain.items() if kind != "InstrumentVersion"
    }
    assert not study.annotators.filter(purpose=Purpose.PREVIEW).exists()


def test_a_preview_sees_the_items_as_they_are_now(project):
    from tests.factory import make_item

    bank(project)
    study = draft_study(project)
    start_preview(study)
    make_item(project.texts.get(external_id="t1"), "alder", "t1-alder-9")
    start_preview(study)
    assert study.units.filter(items__external_id="t1-alder-9").exists()


def test_changing_the_draft_ends_its_previews(project):
    bank(project)
    study = draft_study(project)
    start_preview(study)
    change_study(study, check_spec(spec(items={"texts": ["t1"]})))
    assert not study.annotators.exists()
    assert not study.units.exists()


def test_deleting_the_draft_takes_its_previews_along(project):
    bank(project)
    before = counts()
    study = draft_study(project)
    Person(start_preview(study)).start().finish()
    delete_draft(study)
    after = counts()
    assert {**after, "InstrumentVersion": 0} == {**before, "InstrumentVersion": 0}


def test_a_live_study_can_be_previewed_beside_its_people(project):
    bank(project)
    study = make_live_study(project)
    before = count_progress(study)
    Person(start_preview(study)).start().finish()
    assert count_progress(study) == before
    assert study.annotators.filter(purpose=Purpose.MAIN).count() == 2


def test_yesterday_s_previews_of_a_live_study_go_with_the_next(project):
    bank(project)
    study = make_live_study(project)
    old = Person(start_preview(study)).start()
    old.do()
    Annotator.objects.filter(pk=old.annotator.pk).update(created_at=timezone.now() - timedelta(days=2))
    new = start_preview(study)
    assert list(study.annotators.filter(purpose=Purpose.PREVIEW)) == [new]
    assert new.assignments.count() == 2


def test_a_closed_study_has_no_preview(project):
    bank(project)
    study = make_live_study(project)
    close_study(study)
    with pytest.raises(WrongState, match="is closed"):
        start_preview(study)
