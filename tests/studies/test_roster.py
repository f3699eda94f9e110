"""Rosters and mail: a bad list changes nothing and says why; names are in no export; mail goes out once."""

import io

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import override_settings

from jobs.models import Job
from studies.models import Contact
from studies.services.roster import (
    INVITATION,
    RosterError,
    delete_roster,
    read_roster,
    schedule_mail,
    take_roster,
    write_default_mail,
)
from tests.studies.world import bank, launched, person


@pytest.fixture
def study(project):
    bank(project)
    return launched(project)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The roster is empty"),
        ("Ada, ada@x.example\nBea, ADA@x.example", "Line 2: “ada@x.example” occurs twice"),
        ("Ada, ada@\n", "Line 1: “ada@” is not an e-mail address"),
        ("Ada, ada@x.example, students, more", "Line 1 is not a person"),
        ("\n".join(f"p{number}@x.example" for number in range(10_000)), "The roster has 10000 lines"),
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
