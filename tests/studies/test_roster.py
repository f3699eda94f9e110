"""Rosters and mail: a bad list changes nothing and says why; names are in no export; mail goes out once."""

import io

import pytest
from django.core import mail
from django.core.management import call_command
from django.db.models import Count
from django.test import override_settings
from django.urls import reverse

from jobs.models import Job
from studies.models import Contact, Slot
from studies.services.planning import choose_batch, search_batch
from studies.services.roster import (
    AT_ONCE,
    INVITATION,
    Entry,
    RosterError,
    delete_roster,
    read_roster,
    schedule_mail,
    take_or_schedule,
    take_roster,
    write_default_mail,
)
from studies.services.spec import SpecError
from tests.studies.world import bank, make_live_study, make_study_with_bank, person


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The roster is empty"),
        ("Ada, ada@x.example\nBea, ADA@x.example", "Line 2: “ada@x.example” is already on line 1"),
        ("Ada, ada@\n", "Line 1: “ada@” is not an e-mail address"),
        ("Ada, ada@x.example, students, more", "Line 1 is not a person"),
        ("\n".join(f"p{number}@x.example" for number in range(10_001)), "The roster has 10001 lines"),
        ("\n".join("no address@" for _line in range(9)), r"Line 1: .* Line 2: .* Line 5: .* 4 more lines"),
        ("Ada\x00, ada@x.example", "Line 1 is not a person"),
    ],
)
def test_a_bad_roster_is_refused_in_one_sentence(text, sentence, study):
    with pytest.raises(RosterError, match=sentence):
        take_roster(study, read_roster(text))
    assert not Contact.objects.exists()
    assert study.annotators.count() == 2


def test_a_roster_fills_free_links_first_and_then_adds_people(study):
    person(study, 0).start()
    assert take_roster(study, read_roster("Ada; ada@x.example\nBea; bea@x.example")) == 1
    names = study.annotators.order_by("pk").values_list("code", "contact__name")
    assert list(names) == [("P01", None), ("P02", "Ada"), ("P03", "Bea")]


def test_somebody_known_or_a_group_unknown_leaves_the_roster_as_it_was(study):
    take_roster(study, read_roster("ada@x.example"))
    for text, sentence in (("bea@x.example\nada@x.example", "Already in"), ("Cy, cy@x.example, moon", "no group")):
        with pytest.raises(RosterError, match=sentence):
            take_roster(study, read_roster(text))
    assert Contact.objects.count() == 1


@pytest.fixture
def many():
    """More people than are fitted into a plan in one request."""
    return [Entry(f"Name {number}", f"p{number}@x.example") for number in range(AT_ONCE + 5)]


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "annotators"), [("dimension-ratings", "open"), ("guess-then-read", 2)])
def test_many_people_get_links_by_a_job_that_then_forgets_their_names(
    project, researcher, run_jobs, many, protocol, annotators
):
    study = make_study_with_bank(project, protocol=protocol, plan={"annotators": annotators})
    job = take_or_schedule(study, many, researcher)
    assert not Contact.objects.exists()
    assert run_jobs() == ["roster"]
    job.refresh_from_db()
    assert job.parameters == {}
    assert study.annotators.count() == len(many)
    assert list(Contact.objects.values_list("email", flat=True)) == [entry.email for entry in many]
    assert set(study.annotators.annotate(n=Count("assignments")).values_list("n", flat=True)) == {2}
    if protocol == "guess-then-read":
        cells = Slot.objects.order_by().values_list("unit", "generator").annotate(n=Count("pk"))
        assert max(n for *_cell, n in cells) - min(n for *_cell, n in cells) <= 2


@pytest.mark.slow
def test_thousands_are_fitted_in_by_one_search_and_each_generator_is_guessed_as_often(project, researcher, run_jobs):
    bank(project, texts=3, generators=("alder", "birch", "cedar", "drift"))
    study = make_live_study(project, plan={"annotators": "open"})
    search_batch.cache_clear()
    entries = [Entry("", f"p{number}@x.example") for number in range(4 * AT_ONCE)]
    take_or_schedule(study, entries, researcher)
    run_jobs()
    cells = Slot.objects.order_by().values_list("unit", "generator").annotate(n=Count("pk"))
    assert {n for *_cell, n in cells} == {AT_ONCE}
    assert search_batch.cache_info().misses == 1
    rows = Slot.objects.order_by("seat", "unit").values_list("seat", "generator")
    patterns = [[generator for seat, generator in rows if seat // AT_ONCE == part] for part in range(4)]
    assert len({tuple(pattern) for pattern in patterns}) == 4  # each batch has its seats in an order of its own


def test_batches_leave_no_generator_behind(project):
    bank(project, texts=2, generators=tuple("abcdefg"))
    study = make_live_study(project, plan={"annotators": "open"})
    assert choose_batch(study, 60) == 56
    assert choose_batch(study, 5) == 5


def test_a_list_that_failed_is_no_longer_said_once_a_later_one_is_done(project, researcher, run_jobs, many, as_user):
    study = make_study_with_bank(project, protocol="dimension-ratings", plan={"annotators": "open"})
    address = reverse("study_roster", args=[study.slug])
    failed = take_or_schedule(study, many, researcher)
    Job.objects.filter(pk=failed.pk).update(state="failed")
    assert as_user(researcher).get(address).context["job"] == failed
    take_or_schedule(study, [*many, Entry("One more", "")], researcher)
    run_jobs()
    assert "job" not in as_user(researcher).get(address).context


def test_a_job_that_was_cut_off_goes_on_where_it_stopped(project, researcher, run_jobs, many):
    study = make_study_with_bank(project, protocol="dimension-ratings", plan={"annotators": "open"})
    take_or_schedule(study, many, researcher)
    take_roster(study, many[:AT_ONCE])
    run_jobs()
    assert Contact.objects.count() == study.annotators.count() == len(many)


def test_where_the_plan_has_no_places_for_all_nobody_gets_a_link_and_no_job_is_made(project, researcher, many):
    study = make_study_with_bank(project, protocol="dimension-ratings", plan={"annotators": 4, "per_unit": 2})
    with pytest.raises(SpecError):
        take_or_schedule(study, many, researcher)
    assert (Contact.objects.count(), Job.objects.count(), study.annotators.count()) == (0, 0, 4)


def test_names_that_wait_in_a_job_go_with_the_roster(project, researcher, many):
    study = make_study_with_bank(project, protocol="dimension-ratings", plan={"annotators": "open"})
    take_or_schedule(study, many, researcher)
    delete_roster(study)
    assert not Job.objects.exists()


def test_names_are_in_no_export_and_can_be_forgotten_alone(study):
    take_roster(study, read_roster("Ada Karavan, ada@karavan.example\nBea, bea@x.example"))
    person(study).start().finish()
    for name in ("csv", "wide", "jsonl"):
        out = io.StringIO()
        call_command("export_responses", "study", format=name, stdout=out)
        assert "karavan" not in out.getvalue().lower()
    assert delete_roster(study) == 2
    assert study.annotators.count() == 2


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
def test_each_person_gets_their_own_link_once(study, researcher, run_jobs):
    take_roster(study, read_roster("Ada, ada@x.example\nBea, bea@x.example"))
    subject, body = write_default_mail(study, INVITATION)
    schedule_mail(
        study, INVITATION, [each.pk for each in study.annotators.all()], subject, body, "https://here", researcher
    )
    assert run_jobs() == ["mail"]
    Job.objects.update(state="queued")
    run_jobs()
    assert [message.to for message in mail.outbox] == [["ada@x.example"], ["bea@x.example"]]
    links = [f"https://here{each.get_link()}" for each in study.annotators.order_by("pk")]
    assert [link in message.body for link, message in zip(links, mail.outbox, strict=True)] == [True, True]
    assert "Hello Ada," in mail.outbox[0].body
    assert not Contact.objects.filter(invited_at=None).exists()


def test_without_a_mail_server_the_messages_stand_there_to_be_copied(study, as_user, researcher):
    take_roster(study, read_roster("Ada, ada@x.example"))
    annotator = study.annotators.first()
    subject, body = write_default_mail(study, INVITATION)
    fields = {"kind": INVITATION, "person": annotator.pk, "subject": subject, "body": body}
    page = as_user(researcher).post("/s/study/people/mail/", fields)
    (letter,) = page.context["letters"]
    assert letter.body.count(f"http://testserver{annotator.get_link()}") == 1
    assert not Job.objects.exists()
