"""The researcher's page of phases: add, word, order, remove and preview them, and say how people come."""

import re

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from items.models import Item, Picture
from studies.models import PhasePassed, Study
from studies.phases import ASKING, SCORED
from studies.services.answering import pass_phase
from studies.services.creating import change_study, copy_study, describe_study
from studies.services.deleting import delete_with_all
from studies.services.design import summarize_draft
from studies.services.launching import close_study, launch_study
from studies.services.phase_editing import replace_phase
from studies.services.places import find_place
from studies.services.spec import check_spec
from tests.analysis.packs import export_pack_bytes, import_pack_bytes
from tests.annotation.test_phases import ATTENTION, TEST
from tests.annotation.world import Walker
from tests.pictures import make_png
from tests.studies.world import bank, counts, draft_study, make_live_study, person, spec


@pytest.fixture
def study(project) -> Study:
    bank(project)
    return draft_study(project)


@pytest.fixture
def page(as_user, researcher):
    return as_user(researcher)


def names(study: Study) -> list[str]:
    study.refresh_from_db()
    return [phase["name"] for phase in study.phases]


def act(client, study, act: str, name: str):
    return client.post(reverse("phase_act", args=[study.slug]), {"act": act, "name": name}, follow=True)


def test_phases_are_added_moved_and_removed(page, study):
    act(page, study, "add", "background")
    assert names(study) == ["consent", "instructions", "background"]
    act(page, study, "up", "background")
    assert names(study) == ["consent", "background", "instructions"]
    act(page, study, "remove", "background")
    assert names(study) == ["consent", "instructions"]


def test_the_page_of_a_draft_leads_on_to_the_launch(page, study):
    launch = reverse("study_step", args=[study.slug, "launch"])
    assert f'href="{launch}"' in page.get(reverse("study_phases", args=[study.slug])).text
    launch_study(study)
    assert f'href="{launch}"' not in page.get(reverse("study_phases", args=[study.slug])).text


def test_practice_begins_with_a_text_that_the_study_leaves_out(page, project, study):
    answer = act(page, study, "add", "practice")
    assert "practise on a text with items that the study leaves out" in answer.text
    assert names(study) == []  # as the instrument has them
    everything = list(project.texts.values_list("external_id", flat=True))
    change_study(study, check_spec(spec(items={"texts": everything[1:]})))
    act(page, study, "add", "practice")
    assert names(study) == ["consent", "instructions", "practice"]
    assert study.phases[-1]["texts"] == everything[:1]
    assert "Edit phase" in page.get(reverse("study_phases", args=[study.slug])).text
    field = find_form(page, study, "practice")["texts"]
    assert field.value() == everything[:1]
    assert [value for value, _label in field.field.choices] == everything[:1]


@pytest.mark.parametrize("kind", ["background", "comprehension", "training", "test", "attention", "survey", "thanks"])
def test_every_kind_can_be_added_and_previewed(page, study, kind):
    act(page, study, "add", kind)
    before = counts()
    response = page.get(reverse("phase_preview", args=[study.slug, kind]))
    assert response.status_code == 200
    assert "<h1" in response.text
    assert counts() == before


@pytest.mark.parametrize("kind", ["consent", "instructions", "test", "thanks"])
def test_a_draft_without_items_shows_its_phases_all_the_same(page, study, kind):
    Item.objects.filter(project=study.project).delete()
    if kind not in ("consent", "instructions"):
        act(page, study, "add", kind)
    before = counts()
    response = page.get(reverse("phase_preview", args=[study.slug, kind]))
    assert response.status_code == 200
    assert response.context["words"]["paragraphs"]
    assert not response.context.get("minutes")
    assert counts() == before


def test_all_kinds_can_be_added_one_after_the_other_and_what_a_study_has_once_is_offered_once(page, study):
    for kind in ("background", "survey", "comprehension", "thanks"):
        act(page, study, "add", kind)
    assert names(study) == ["consent", "instructions", "background", "comprehension", "survey", "thanks"]
    context = page.get(reverse("study_phases", args=[study.slug])).context
    offered = dict(context["kinds"])
    assert not {"consent", "thanks"} & offered.keys()
    assert {"background", "practice"} <= offered.keys()
    assert context["main_at"] == 4  # before the exit survey


def find_form(page, study, name: str):
    return page.get(reverse("study_phase", args=[study.slug, name])).context["form"]


def send(page, study, name: str, **fields):
    return page.post(reverse("study_phase", args=[study.slug, name]), fields)


def ask(key: str, text: str, *answers: str, kind: str = "choice", **fields) -> dict:
    """The fields of one question, as a browser sends them."""
    named = {"text": text, "kind": kind, "required": "on"} | fields
    rows = {f"q{key}-answers-label": list(answers), f"q{key}-answers-value": [""] * len(answers)}
    return {f"q{key}-{name}": value for name, value in named.items()} | rows


def test_the_form_of_a_phase_holds_the_usual_words_and_stores_them_only_where_they_were_changed(page, study):
    usual = study.instrument_version.content["consent"]
    form = find_form(page, study, "consent")
    assert form["paragraphs"].value() == "\n\n".join(usual["paragraphs"])
    assert (form["title"].value(), form["button"].value()) == (usual["title"], usual["agree"])
    sent = {name: form[name].value() for name in ("title", "paragraphs", "points", "button")}
    send(page, study, "consent", **sent)
    study.refresh_from_db()
    assert study.phases[0] == {"kind": "consent", "name": "consent"}
    send(page, study, "consent", **sent | {"title": "Hello"})
    study.refresh_from_db()
    assert study.phases[0] == {"kind": "consent", "name": "consent", "title": "Hello"}


@pytest.mark.parametrize("kind", ASKING)
def test_the_questions_of_a_phase_come_back_from_its_form_as_they_were(page, study, kind):
    act(page, study, "add", kind)
    levels = ["red", {"value": "b", "label": "blue"}]
    question = {"name": "own", "text": "Please choose “blue”.", "help": "Look.", "levels": levels, "required": False}
    tick = {"name": "box", "text": "Tick it: ticked.", "kind": "tick"}
    if kind in SCORED:
        question |= {"answer": "b", "explanation": "It says\nso."}
        tick |= {"answer": "true"} if kind != "attention" else {"answer": "true", "help": "true"}
    if kind == "background":
        question, tick = question | {"screen_out": ["red"]}, tick | {"screen_out": ["false"]}
    study.refresh_from_db()
    replace_phase(study, kind, study.phases[-1] | {"questions": [question, tick]})
    stored = Study.objects.get().phases[-1]["questions"]
    assert len(stored) == 2
    form = BeautifulSoup(page.get(reverse("study_phase", args=[study.slug, kind])).text, "html.parser")
    response = page.post(reverse("study_phase", args=[study.slug, kind]), read_fields(form.select_one(".phase-form")))
    assert response.status_code == 302
    assert Study.objects.get().phases[-1]["questions"] == stored


def read_fields(form) -> dict[str, list[str]]:
    """What a browser without JavaScript sends of a form."""
    sent: dict[str, list[str]] = {}
    for field in form.select("input[name], textarea[name], select[name]"):
        if field.find_parent("template") or (
            field.get("type") in ("checkbox", "radio") and not field.has_attr("checked")
        ):
            continue
        default = "on" if field.get("type") == "checkbox" else ""
        option = field.select_one("option[selected]") if field.name == "select" else None
        value = field.text.removeprefix("\n") if field.name == "textarea" else (option or field).get("value", default)
        if field.get("type") != "file":
            sent.setdefault(field["name"], []).append(value)
    return sent


def test_a_phase_is_worded_with_its_questions(page, study):
    act(page, study, "add", "test")
    fields = {"title": "A test", "paragraphs": "One.\n\nTwo.", "pass_mark": "1", "question": ["0", "1"]}
    questions = ask("0", "Two and two?", "four", "", "five") | {"q0-answers-marked": "0"}
    questions |= ask("1", "Is it so?", kind="tick") | {"q1-answers-marked": "true", "q1-required": ""}
    assert send(page, study, "test", **fields, **questions).status_code == 302
    study.refresh_from_db()
    saved = study.phases[-1]
    assert (saved["title"], saved["paragraphs"], saved["pass_mark"]) == ("A test", ["One.", "Two."], 1)
    assert [(each["name"], each["answer"]) for each in saved["questions"]] == [("test_1", "four"), ("test_2", "true")]
    assert [level["label"] for level in saved["questions"][0]["levels"]] == ["four", "five"]


def test_questions_are_added_moved_and_taken_out_without_javascript_and_nothing_typed_is_lost(page, study):
    act(page, study, "add", "background")
    before = Study.objects.get().phases
    typed = {"title": "You", "question": ["0", "1"]} | ask("0", "First?", "a", "b") | ask("1", "Second?", kind="text")
    for button in ("add", "up:1", "more:0"):
        response = send(page, study, "background", **typed, act=button)
        assert response.status_code == 200
        typed = read_fields(BeautifulSoup(response.text, "html.parser").select_one(".phase-form"))
    assert Study.objects.get().phases == before
    assert (typed["question"], typed["title"]) == (["1", "0", "2"], ["You"])
    assert typed["q0-answers-label"] == ["a", "b", "", ""]
    typed |= {"q2-text": ["Third?"], "q2-kind": ["text"], "q0-remove": ["on"]}
    assert send(page, study, "background", **typed).status_code == 302
    study.refresh_from_db()
    assert [(each["name"], each["text"]) for each in study.phases[-1]["questions"]] == [
        ("background_1", "Second?"), ("background_2", "Third?")
    ]  # fmt: skip


def test_an_answer_that_is_worded_anew_keeps_a_value_of_its_own(page, study):
    act(page, study, "add", "survey")
    question = ask("0", "How?", "Well", "Badly") | {"q0-answers-value": ["good", ""], "q0-name": "how"}
    assert send(page, study, "survey", question="0", **question).status_code == 302
    study.refresh_from_db()
    (saved,) = study.phases[-1]["questions"]
    assert (saved["name"], [level["value"] for level in saved["levels"]]) == ("how", ["good", "Badly"])


RIGHT = {"q0-answers-marked": "0"}


@pytest.mark.parametrize(
    ("kind", "questions", "place"),
    [
        ("test", ask("0", "?", "a", "b") | RIGHT | {"pass_mark": "2"}, "pass_mark"),
        ("test", ask("0", "Which?", "a", "b"), "__all__"),  # no right answer
        ("test", ask("0", "", "a", "b") | RIGHT, "text"),
        ("survey", ask("0", "Which?", "a"), "answers"),
        ("survey", ask("0", "Which?", "a", "a"), "answers"),
        ("survey", ask("0", "Which?", "a", "x" * 301), "answers"),
        ("survey", ask("0", "Which?", "a", "b", name="Not a Column"), "name"),
        ("survey", ask("0", "x" * 1_001, "a", "b"), "text"),
        ("attention", ask("0", "Choose one.", "a", "b") | RIGHT | {"after": "1"}, "__all__"),  # does not name it
    ],
)
def test_what_cannot_be_is_said_beside_the_question_and_nothing_is_saved(page, study, kind, questions, place):
    act(page, study, "add", kind)
    before = Study.objects.get().phases
    response = send(page, study, kind, question="0", **questions)
    form = response.context["form"]
    assert set(form.errors) | set(form.questions.forms[0].errors) == {place}
    assert Study.objects.get().phases == before
    assert questions["q0-answers-label"][-1] in response.text


def test_a_phase_without_questions_is_refused_in_words(page, study):
    act(page, study, "add", "survey")
    assert "It needs questions" in send(page, study, "survey").text


def test_an_example_is_in_the_language_of_the_study(project, page):
    bank(project)
    study = draft_study(project, language="de")
    act(page, study, "add", "attention")
    study.refresh_from_db()
    assert "blau" in study.phases[-1]["questions"][0]["text"]


def test_the_form_of_the_study_keeps_its_phases(page, study):
    act(page, study, "add", "survey")
    change_study(study, check_spec(spec(title="Another title")))
    assert "survey" in names(study)


def test_after_launch_phases_are_shown_and_no_longer_change(page, study):
    act(page, study, "add", "survey")
    launch_study(study)
    assert page.get(reverse("study_phases", args=[study.slug])).status_code == 200
    act(page, study, "remove", "survey")
    assert "survey" in names(study)


def test_recruitment_is_saved_and_the_link_shown_after_launch(page, study):
    sent = {"open_link": "on", "platform": "prolific", "finished": "C0DE", "minutes": "12"}
    page.post(reverse("study_recruitment", args=[study.slug]), sent)
    study.refresh_from_db()
    assert study.recruitment == {
        "open_link": True, "platform": "prolific", "minutes": 12, "codes": {"finished": "C0DE"}
    }  # fmt: skip
    launch_study(study)
    study.refresh_from_db()
    assert study.open_token in page.get(reverse("study_phases", args=[study.slug])).text
    page.post(reverse("study_recruitment", args=[study.slug]), sent | {"cap": "7", "finished": "NEW"})
    study.refresh_from_db()
    assert (study.recruitment["cap"], study.recruitment["codes"]["finished"]) == (7, "NEW")
    page.post(reverse("study_recruitment", args=[study.slug]), sent | {"platform": ""})
    study.refresh_from_db()
    assert study.recruitment["platform"] == "prolific"


def test_what_is_refused_stays_in_the_form(page, study):
    sent = {"platform": "mturk", "cap": "9", "return_to": "http://plain.example"}
    response = page.post(reverse("study_recruitment", args=[study.slug]), sent)
    form = response.context["recruitment"]
    assert form.non_field_errors()
    assert (form["platform"].value(), form["cap"].value(), form["return_to"].value()) == tuple(sent.values())
    study.refresh_from_db()
    assert study.recruitment == {}


@pytest.mark.parametrize(("after", "n_notes"), [(1, 0), (2, 1), (3, 1)])
def test_an_attention_check_that_comes_too_late_is_said_before_the_launch(study, after, n_notes):
    study.phases = [ATTENTION | {"after": after}]
    notes = summarize_draft(study).about_people
    phases = reverse("study_phases", args=[study.slug])
    assert sum(phases in [address for _label, address in note.links] for note in notes) == n_notes


def test_viewers_see_the_phases_and_neither_link_nor_codes(as_user, viewer, study):
    Study.objects.update(recruitment={"open_link": True, "codes": {"finished": "SECRETCODE"}})
    study.refresh_from_db()
    launch_study(study)
    study.refresh_from_db()
    client = as_user(viewer)
    page = client.get(reverse("study_phases", args=[study.slug])).text
    assert study.open_token not in page
    assert "SECRETCODE" not in page
    assert act(client, study, "add", "survey").status_code in (403, 404)


def test_nobody_outside_the_project_finds_the_page(as_user, stranger, study):
    client = as_user(stranger)
    for name, args in (("study_phases", [study.slug]), ("phase_preview", [study.slug, "consent"])):
        assert client.get(reverse(name, args=args)).status_code == 404


CONSENT = {"kind": "consent", "version": "1", "paragraphs": ["We store your answers."]}


@pytest.fixture
def running(project) -> Study:
    bank(project)
    return make_live_study(project, phases=[CONSENT, {"kind": "instructions"}])


def reword(client, study, name="consent", **fields):
    return send(client, study, name, **fields)


def test_consent_is_worded_anew_while_the_study_runs(page, running):
    early, late = (Walker(annotator) for annotator in running.annotators.all()[:2])
    late.join()
    pass_phase(early.annotator, "consent", {})
    read = find_version(late)
    assert reword(page, running, paragraphs="We store them for ten years.", version="2").status_code == 302
    assert find_place(early.annotator).phase == "instructions"  # goes on
    shown = late.post({"phase": "consent", "version": read})
    assert (shown.status_code, find_place(late.annotator).phase) == (409, "consent")  # has to read the new words
    assert "ten years" in shown.text
    late.post({"phase": "consent", "version": find_version(late)})
    versions = PhasePassed.objects.filter(phase="consent").order_by("pk").values_list("version", flat=True)
    assert list(versions) == ["1", "2"]
    rows = page.get(reverse("study_phases", args=[running.slug])).context["rows"]
    wordings = next(wordings for phase, _kind, wordings in rows if phase["name"] == "consent")
    assert [(each.version, each.n_people, each.until is None) for each in wordings] == [("1", 1, False), ("2", 1, True)]
    assert "version 1" in page.get(reverse("study_person", args=[running.slug, early.annotator.pk])).text


def find_version(walker: Walker) -> str:
    return re.search(r'name="version" value="([^"]*)"', walker.get().text)[1]


def test_a_version_stands_for_one_wording_only(page, running):
    response = reword(page, running, paragraphs="Other words.", version="1")
    assert set(response.context["form"].errors) == {"version"}
    running.refresh_from_db()
    assert running.earlier_phases == []


def test_other_phases_change_their_words_and_nothing_else(page, project):
    bank(project)
    study = make_live_study(project, phases=[TEST])
    assert (
        reword(
            page, study, "test", title="A new title", pass_mark="2", question="0", **ask("0", "Other?", "a", "b")
        ).status_code
        == 302
    )
    study.refresh_from_db()
    assert study.phases[0]["title"] == "A new title"
    assert (study.phases[0]["pass_mark"], len(study.phases[0]["questions"])) == (1, 2)


def test_a_closed_study_keeps_its_words(page, running):
    close_study(running)
    reword(page, running, paragraphs="Other words.", version="2")
    running.refresh_from_db()
    assert running.earlier_phases == []


def upload_picture(client, study, text: str, **changes):
    file = SimpleUploadedFile("plan.png", make_png(), "image/png")
    return send(client, study, "instructions", paragraphs=text, markup="on", new_pictures=file, **changes)


def test_a_form_that_is_shown_again_says_that_the_picked_pictures_are_lost(page, study):
    assert "Choose the pictures again" not in find_form(page, study, "instructions").as_p()
    refused = upload_picture(page, study, "![the plan](other.png)")
    assert "Choose the pictures again" in refused.text
    assert "Its text shows the picture “other.png”, which is not among its pictures." in refused.text
    assert '<details class="more" open>' in refused.text
    assert names(study) == []  # as the instrument has them


def find_picture(page: str) -> str:
    """The address of the one picture of a page."""
    (found,) = re.findall(r'<img class="picture" src="([^"]+)"', page)
    return found


def test_instructions_show_a_picture_in_the_preview_and_to_whoever_reads_them(page, study):
    upload_picture(page, study, "Look *here*:\n\n![the plan](plan.png)")
    preview = page.get(reverse("phase_preview", args=[study.slug, "instructions"])).text
    assert page.get(find_picture(preview))["Content-Type"] == "image/png"
    launch_study(study)
    walker = Walker(study.annotators.first())
    walker.join()
    walker.post({"phase": "consent"})
    shown = walker.get().content.decode()
    assert "<em>here</em>" in shown
    address = find_picture(shown)
    assert walker.get(address).content == page.get(find_picture(preview)).content
    walker.post({"phase": "instructions"})
    assert walker.get(address).status_code == 404  # no page of theirs shows it now


def test_a_picture_of_a_phase_goes_with_the_study_file_and_stays_while_a_phase_shows_it(page, study):
    upload_picture(page, study, "![the plan](plan.png)")
    study.refresh_from_db()
    (described,) = [phase for phase in describe_study(study)["phases"] if phase["name"] == "instructions"]
    assert described["pictures"]["plan.png"].startswith("data:image/png;base64,")
    copy = copy_study(study)
    assert copy.phases == study.phases
    delete_with_all(study.project.texts.first(), study.project.texts.first().external_id)
    assert study.project.pictures.count() == 1


@pytest.mark.slow
def test_a_picture_of_a_phase_goes_with_a_pack_to_where_nothing_of_it_is(page, study):
    upload_picture(page, study, "![the plan](plan.png)")
    launch_study(study)
    person(study).start().do()
    pack = export_pack_bytes(study)
    content = bytes(study.project.pictures.get().content)
    delete_with_all(study.project, study.project.slug)
    assert not Picture.objects.exists()
    again = import_pack_bytes(pack)
    (phase,) = [phase for phase in again.phases if phase["name"] == "instructions"]
    assert list(phase["pictures"]) == ["plan.png"]
    assert bytes(again.project.pictures.get().content) == content


def test_a_draft_without_items_keeps_words_of_its_phases(page, study):
    Item.objects.filter(project=study.project).delete()
    send(page, study, "instructions", paragraphs="Read slowly.", markup="")
    study.refresh_from_db()
    assert [phase.get("paragraphs") for phase in study.phases if phase["name"] == "instructions"] == [["Read slowly."]]


def test_a_picture_that_is_missing_is_said_and_one_can_be_taken_out(page, study):
    assert "is not among its pictures" in upload_picture(page, study, "![the plan](other.png)").text
    upload_picture(page, study, "![the plan](plan.png)")
    send(page, study, "instructions", paragraphs="No plan.", without="plan.png")
    study.refresh_from_db()
    assert [phase.get("pictures") for phase in study.phases] == [None, None]
