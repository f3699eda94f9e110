"""A person's own page: the link alone shows nothing, the second code shows, exports and withdraws."""

from pathlib import Path

import pytest
import yaml
from django.core.cache import cache
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from items.models import Item, Option
from studies import protocols
from studies.models import Annotator, EndReason, Purpose, Response
from studies.protocols import PROTOCOLS
from studies.services.people import renew_link, revoke_link
from studies.services.rights import MAX_TRIES, get_second_code
from tests.studies.world import bank, make_live_study, make_study_with_bank, person


@pytest.fixture
def someone(project):
    cache.clear()
    bank(project)
    someone = person(make_live_study(project)).start()
    someone.do()
    return someone.annotator


def ask(annotator, **fields):
    return Client().post(annotator.get_own_answers_link(), fields)


def test_the_link_alone_shows_no_answer(someone):
    page = Client().get(someone.get_own_answers_link())
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert page.context.get("answers") is None
    assert Response.objects.exists()


@pytest.mark.parametrize("action", [{}, {"export": "yes"}, {"withdraw": "yes", "sure": "yes"}])
def test_a_wrong_code_shows_and_changes_nothing(action, someone):
    before = Response.objects.count()
    page = ask(someone, code="AAAAA-AAAAA", **action)
    assert page.status_code == 400
    assert page.context.get("answers") is None
    assert Response.objects.count() == before


def test_after_ten_wrong_codes_the_right_one_has_to_wait(someone):
    for _try in range(MAX_TRIES):
        ask(someone, code="x")
    page = ask(someone, code=get_second_code(someone))
    assert page.status_code == 400
    assert "hour" in page.context["problem"]


def test_the_code_shows_the_answers_and_no_id_of_an_item(someone):
    Item.objects.update(stem="What flows here?")
    Option.objects.update(text="A river")
    page = ask(someone, code=get_second_code(someone).lower().replace("-", " "))
    assert len(page.context["answers"]) == Response.objects.count()
    text = page.content.decode()
    assert "What flows here?" in text
    assert not any(item.external_id in text for item in Item.objects.all())


def test_the_export_is_a_table_of_the_same(someone):
    response = ask(someone, code=get_second_code(someone), export="yes")
    assert response["Content-Type"].startswith("text/csv")
    assert len(response.content.decode().splitlines()) >= 1 + Response.objects.count()


def test_a_revoked_link_takes_nobody_their_right_to_withdraw(someone):
    own = someone.get_own_answers_link()
    revoke_link(someone)
    renew_link(someone)
    someone.refresh_from_db()
    assert someone.token not in own
    assert Client().get(own).status_code == 200


@pytest.mark.parametrize("wrong", ["x", "a" * 16, "%00", "ä"])
def test_an_unknown_address_shows_no_form(wrong, db):
    assert Client().get(f"/mine/{wrong}/").status_code == 404


def test_withdrawing_needs_the_tick_and_then_leaves_nothing(someone):
    code = get_second_code(someone)
    assert ask(someone, code=code, withdraw="yes").context["unsure"]
    assert Response.objects.exists()
    page = ask(someone, code=code, withdraw="yes", sure="yes")
    assert page.context["erased"].answers > 0
    assert not Response.objects.exists()
    link = someone.get_own_answers_link()
    someone.refresh_from_db()
    assert someone.ended_as == EndReason.WITHDRAWN
    assert Client().get(link).status_code == 404


def test_codes_differ_from_person_to_person(someone):
    other = someone.study.annotators.exclude(pk=someone.pk).first()
    assert get_second_code(other) != get_second_code(someone)
    assert ask(someone, code=get_second_code(other)).status_code == 400


@pytest.mark.parametrize("purpose", [Purpose.MAIN, Purpose.PILOT])
def test_the_consent_shows_the_second_code_before_anything_is_answered(purpose, project):
    someone = make_study_with_bank(project, phases=[{"kind": "instructions"}, {"kind": "consent"}]).annotators.first()
    Annotator.objects.filter(pk=someone.pk).update(purpose=purpose)
    client = Client()
    client.post(someone.get_link())
    work = f"/work/{someone.public_id}/"
    assert get_second_code(someone) not in client.get(work).content.decode()
    page = client.post(work, {"phase": "instructions"}, follow=True).content.decode()
    assert get_second_code(someone) in page
    assert someone.get_own_answers_link() in page


@pytest.mark.parametrize("language", ["en", "de", "eu"])
@pytest.mark.parametrize("protocol", sorted(PROTOCOLS))
def test_the_consent_names_the_page_of_own_answers_by_its_title(protocol, language):
    folder = Path(protocols.__file__).parent / protocol.replace("-", "_")
    wording = yaml.safe_load((folder / f"wording.{language}.yaml").read_text())
    with translation.override(language):
        assert gettext("Your answers") in " ".join(wording["consent"]["paragraphs"])


def test_the_end_shows_the_second_code_and_the_way_to_the_answers(someone):
    someone.assignments.all().update(returned_at=someone.created_at)
    client = Client()
    client.post(someone.get_link())
    page = client.get(f"/work/{someone.public_id}/").content.decode()
    assert get_second_code(someone) in page
    assert someone.get_own_answers_link() in page
