"""The four steps of a draft's design: what each takes, what it says when something is wrong, and what it keeps."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from studies.models import Study, StudyState
from studies.protocols import PROTOCOLS
from studies.services.creating import check_draft, copy_study, describe_study
from studies.services.launching import launch_study
from studies.services.spec import SpecError, check_spec
from tests.factory import make_item, make_text
from tests.studies.steps import address, begin, error_text, read_fields, send
from tests.studies.world import bank, draft_study, make_live_study

STEPS = ("protocol", "texts", "people", "launch")


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


def state(study: Study) -> dict:
    return Study.objects.values().get(pk=study.pk)


def test_the_first_step_makes_a_draft_with_a_short_name_from_the_title(project, client):
    bank(project)
    page = begin(client, title="Rivers, first round")
    study = Study.objects.get()
    assert (page.status_code, page.url) == (302, address("rivers-first-round", "texts"))
    assert (study.title, study.language, study.plan["annotators"]) == ("Rivers, first round", "en", 6)
    assert study.selection == {"texts": "all", "generators": "all"}


def test_a_taken_title_gets_another_short_name_and_any_title_gets_one(project, client):
    for title in ("Rivers", "Rivers", "河"):
        begin(client, title=title)
    assert set(Study.objects.values_list("slug", flat=True)) == {"rivers", "rivers-2", "study"}


def test_a_title_is_there_from_the_start_and_cannot_be_empty(project, client):
    assert begin(client).status_code == 302
    assert Study.objects.get().title == "Rivers: study 1"
    assert "This field is required." in error_text(begin(client, title=""))
    assert Study.objects.count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_every_protocol_goes_through_the_steps_to_a_launch(protocol, project, client):
    bank(project, texts=5, items=4)
    page = begin(client, title="Mine", protocol=protocol)
    for step in STEPS[1:]:
        assert page.url == address("mine", step)
        page = send(client, "mine", step, then="study_confirm" if step == "launch" else "next")
    assert page.url == reverse("study_confirm", args=["mine"])
    client.post(reverse("study_act", args=["mine", "launch"]))
    study = Study.objects.get()
    assert (study.state, study.protocol) == (StudyState.LIVE, protocol)
    assert study.annotators.count() == study.plan["annotators"]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", list(PROTOCOLS))
def test_saving_what_a_step_shows_changes_nothing(protocol, project, client):
    bank(project, texts=5, items=4)
    study = draft_study(project, protocol=protocol, title="Mine")
    before = state(study)
    for step in STEPS:
        assert send(client, study, step).status_code == 302
        assert state(study) == before


@pytest.mark.slow
def test_saving_keeps_every_kind_of_plan(project, client):
    bank(project, texts=5)
    plans = [
        {"annotators": 2, "shared_texts": 1, "own_texts": 2},
        {"annotators": "open", "per_unit": 2},
        {"annotators": {"experts": 4, "crowd": 8}, "per_unit": {"experts": 2, "crowd": "all"}},
        {"annotators": 3, "people_texts": 2, "people_texts_by": "equal chance", "predictors": ["gpt", "llama"]},
        {"annotators": {"b": 2, "a": 2}},
    ]
    for number, plan in enumerate(plans):
        study = draft_study(project, slug=f"s{number}", plan=plan)
        before = state(study)
        assert send(client, study, "people").status_code == 302
        assert state(study) == before


def test_groups_in_turn_and_the_open_link_are_kept(project, client):
    bank(project)
    study = draft_study(project, groups=["students", "teachers"], recruitment={"open_link": True})
    before = state(study)
    send(client, study, "people")
    assert state(study) == before


def test_without_texts_there_is_a_draft_that_says_what_is_missing(project, client):
    page = client.get(begin(client, title="Mine").url)
    assert reverse("text_new", args=["rivers"]) in page.content.decode()
    assert "Import texts first" in page.context["summary"].problem or "Nothing" in page.context["summary"].problem
    assert send(client, "mine", "people", annotators="4").status_code == 302
    assert Study.objects.get().plan["annotators"] == 4
    assert client.get(reverse("study_confirm", args=["mine"])).status_code == 302  # nothing to launch


def test_texts_and_generators_are_all_ticked_until_one_is_not(project, client):
    bank(project, texts=3)
    study = draft_study(project)
    fields = read_fields(client.get(address(study, "texts")).content)
    assert (fields["texts"], fields["generators"]) == (["t1", "t2", "t3"], ["alder", "birch"])
    send(client, study, "texts", texts=["t1", "t3"], generators=["birch"])
    assert Study.objects.get().selection == {"texts": ["t1", "t3"], "generators": ["birch"]}
    send(client, study, "texts", texts=["t1", "t2", "t3"], generators=["alder", "birch"])
    assert Study.objects.get().selection == {"texts": "all", "generators": "all"}


@pytest.mark.parametrize("field", ["texts", "generators"])
def test_nothing_ticked_means_nothing_and_is_refused(field, project, client):
    bank(project)
    study = draft_study(project)
    before = state(study)
    assert list(send(client, study, "texts", **{field: None}).context["form"].errors) == [field]
    assert state(study) == before


def test_another_language_turns_to_its_texts_and_pages(project, client):
    bank(project)
    make_item(make_text(project, "d1", language="de"), "alder", "d1-alder-1")
    study = draft_study(project, items={"texts": ["t1", "t2"]})
    send(client, study, "texts", language="de")
    study.refresh_from_db()
    assert (study.selection["texts"], study.language) == (["d1"], "de")
    assert str(study.instrument_version.instrument) == "guess-then-read/de"
    assert read_fields(client.get(address(study, "texts")).content)["texts"] == ["d1"]


def test_a_new_study_takes_the_texts_of_the_usual_language(project, client):
    bank(project)
    make_item(make_text(project, "d1", language="de"), "alder", "d1-alder-1")
    begin(client)
    assert Study.objects.get().selection["texts"] == ["t1", "t2"]


@pytest.mark.parametrize(
    ("fields", "plan"),
    [
        ({"annotators": "4"}, {"annotators": 4, "per_unit": "all"}),
        ({"entry": "later"}, {"annotators": "open"}),
        ({"reading": "some", "per_unit": "2"}, {"per_unit": 2}),
        ({"reading": "own", "shared_texts": "1", "own_texts": "1"}, {"shared_texts": 1, "own_texts": 1}),
        ({"scope": "equal chance", "people_texts": "2"}, {"people_texts": 2, "people_texts_by": "equal chance"}),
        ({"scope": "equal chance", "people_texts": "2", "predictors": "gpt, llama,"}, {"predictors": ["gpt", "llama"]}),
        (
            {
                "grouping": "numbers",
                "reading": "some",
                "group_annotators": "a: 2, b: 1",
                "group_per_unit": "a: 1, b: all",
            },
            {"annotators": {"a": 2, "b": 1}, "per_unit": {"a": 1, "b": "all"}},
        ),
    ],
)
def test_each_choice_about_people_is_a_plan(fields, plan, project, client):
    bank(project, texts=5)
    study = draft_study(project)
    assert send(client, study, "people", **fields).status_code == 302
    assert plan.items() <= Study.objects.get().plan.items()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"annotators": ""}, "annotators"),
        ({"annotators": "0"}, "annotators"),
        ({"annotators": "1001"}, "annotators"),
        ({"annotators": "9" * 5000}, "annotators"),
        ({"reading": "some", "per_unit": "7"}, "per_unit"),
        ({"reading": "some", "per_unit": ""}, "per_unit"),
        ({"grouping": "turn", "groups": ""}, "groups"),
        ({"grouping": "numbers", "group_annotators": "six"}, "group_annotators"),
        ({"grouping": "numbers", "group_annotators": "a: 1, a: 2"}, "group_annotators"),
        ({"scope": "equal chance", "people_texts": ""}, "people_texts"),
        ({"seed": ""}, "seed"),
        ({"seed": "-1"}, "seed"),
        ({"rating_scale": ""}, "rating_scale"),
        ({"instrument": "guess-then-read/xx"}, "instrument"),
        ({"variants": "name: three"}, "variants"),
        ({"entry": ""}, "entry"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_nothing_is_lost(fields, field, project, client):
    bank(project)
    study = draft_study(project)
    before = state(study)
    page = send(client, study, "people", **({"annotators": "6", "groups": "kept"} | fields))
    assert field in page.context["form"].errors
    assert state(study) == before
    shown = read_fields(page.content)
    assert shown["groups"] == fields.get("groups", "kept")


def test_numbers_that_no_longer_matter_do_not_stop_a_step(project, client):
    bank(project)
    study = draft_study(project)
    assert send(client, study, "people", entry="later", annotators="", per_unit="").status_code == 302


def test_a_change_is_saved_at_once_and_answered_with_what_it_comes_to(project, client):
    bank(project, texts=10, generators=("alder", "birch", "cedar"), items=3)
    study = draft_study(project, plan={"annotators": 2})
    fields = read_fields(client.get(address(study, "people")).content) | {"annotators": "6"}
    answer = client.post(address(study, "people"), fields, headers={"X-Lesart-Part": "side"})
    assert Study.objects.get().plan["annotators"] == 6
    words = " ".join(BeautifulSoup(answer.content, "html.parser").get_text(" ").split())
    assert "60 minutes, estimated 450 answers 10 texts 6 people, 6.0 hours in all." in words
    assert "<html" not in answer.content.decode()


def test_what_cannot_be_saved_at_once_says_so_and_stores_nothing(project, client):
    bank(project)
    study = draft_study(project)
    before = state(study)
    fields = read_fields(client.get(address(study, "people")).content) | {"annotators": "0"}
    answer = client.post(address(study, "people"), fields, headers={"X-Lesart-Part": "side"})
    assert (answer.status_code, state(study)) == (422, before)
    assert "How many people?" in answer.content.decode()


def test_back_saves_too(project, client):
    bank(project)
    study = draft_study(project)
    assert send(client, study, "launch", title="Typed", then="back").url == address(study, "people")
    assert Study.objects.get().title == "Typed"


def test_another_protocol_keeps_title_texts_and_seed(project, client):
    bank(project, texts=3)
    study = draft_study(project, title="Mine", items={"texts": ["t1", "t2"]}, params={"prefill": True})
    send(client, study, "protocol", protocol="pairwise")
    study.refresh_from_db()
    assert (study.protocol, study.title, study.seed) == ("pairwise", "Mine", 7)
    assert study.selection["texts"] == ["t1", "t2"]
    assert study.params["pairs_per_text"] == 30


def test_what_the_wording_says_stands_in_the_field_and_is_not_stored(project, client):
    bank(project)
    study = draft_study(project, protocol="stopping-questionnaire")
    assert read_fields(client.get(address(study, "people")).content)["domain"] == "the subject of the text"
    send(client, study, "people")
    assert Study.objects.get().params["domain"] == ""
    send(client, study, "people", domain="biology")
    assert Study.objects.get().params["domain"] == "biology"


def test_a_launched_study_cannot_be_designed_any_more(project, client):
    study = launch_in(project)
    before = state(study)
    assert client.post(address(study, "people"), {"annotators": "9"}).url == reverse("study_design", args=[study.slug])
    assert state(study) == before


def launch_in(project) -> Study:
    bank(project)
    return make_live_study(project)


def test_parameters_that_the_form_does_not_show_are_kept(project, client):
    bank(project)
    study = draft_study(project)
    Study.objects.update(params={"prefill": False, "rating_scale": 5, "later": 1})
    assert "no parameter 'later'" in error_text(send(client, study, "people"))  # it was passed on, not dropped


def test_old_addresses_lead_to_the_steps(project, client):
    bank(project)
    draft_study(project)
    assert client.get(reverse("study_edit", args=["study"])).url == address("study", "protocol")
    assert client.get(reverse("study", args=["study"]), follow=True).redirect_chain[-1][0] == address("study", "launch")
    chosen = client.get(reverse("study_new", args=["rivers"]) + "?protocol=pairwise").context["form"]
    assert chosen["protocol"].value() == "pairwise"


def test_a_finished_study_is_imported_from_the_first_step(project, client):
    bank(project)
    assert begin(client, title="Mine", then="study_import").url == reverse("study_import", args=["mine"])


def warnings(client, study: Study) -> str:
    found = client.get(address(study, "launch")).context["summary"]
    return " ".join(note.sentence for note in [*found.about_texts, *found.about_people] if note.kind == "warn")


def test_an_item_without_a_key_is_named_with_the_way_to_it(project, client):
    bank(project, texts=5)
    make_item(project.texts.first(), "alder", "keyless", "FFF")
    study = draft_study(project)
    page = client.get(address(study, "texts")).content.decode()
    assert "1 item has no correct answer marked" in page
    assert "keyless" in page


def test_a_generator_that_nobody_guesses_is_warned_of(project, client):
    bank(project, texts=5, generators=("alder", "birch", "cedar"))
    assert "guessed by nobody" in warnings(client, draft_study(project, plan={"annotators": 2}))
    assert "guessed by nobody" not in warnings(client, draft_study(project, slug="three", plan={"annotators": 3}))


def test_too_few_texts_and_uneven_generators_are_warned_of(project, client):
    bank(project, texts=5)
    make_item(project.texts.first(), "cedar", "t1-cedar-1")
    study = draft_study(project, plan={"annotators": 3})
    assert "too few to compare" not in warnings(client, study)
    assert "“cedar” has items on 1 of 5 texts" in warnings(client, study)
    few = draft_study(project, slug="few", items={"texts": ["t1", "t2"]})
    assert "2 texts are too few to compare generators: it takes 5." in warnings(client, few)


def test_the_last_step_says_whether_the_study_is_large_enough(project, client):
    bank(project, texts=4, items=3)
    page = client.get(address(draft_study(project, plan={"annotators": 6}), "launch")).content.decode()
    assert "Is it large enough?" in page
    assert "Width of the interval" in page
    assert reverse("study_planner", args=["study"]) in page


def test_launching_asks_once(project, client):
    bank(project)
    study = draft_study(project)
    assert "study_act" not in client.get(address(study, "launch")).content.decode()
    page = client.get(send(client, study, "launch", then="study_confirm").url).content.decode()
    assert reverse("study_act", args=["study", "launch"]) in page
    assert Study.objects.get().is_draft


def test_titles_are_text_and_nothing_else(project, client):
    bank(project)
    page = client.get(begin(client, title="<script>alert(1)</script>{{ 7|add:7 }}").url).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_a_launched_study_is_renamed_and_copied(project, client):
    bank(project, texts=3)
    study = make_live_study(project, plan={"annotators": 2, "per_unit": 1}, params={"prefill": True}, groups=["a"])
    client.post(reverse("study_rename", args=["study"]), {"title": " Another   title "})
    study.refresh_from_db()
    assert (study.title, study.slug) == ("Another title", "study")
    client.post(reverse("study_rename", args=["study"]), {"title": " "})
    assert Study.objects.get(slug="study").title == "Another title"
    client.post(reverse("study_copy", args=["study"]))
    copy = Study.objects.get(slug="study-copy")
    assert copy.is_draft
    same = ("protocol", "language", "items", "params", "groups", "instrument")
    assert all(describe_study(copy)[name] == describe_study(study)[name] for name in same)
    assert copy.seed != study.seed
    assert not copy.annotators.exists()


def test_a_copy_has_the_variants_and_is_checked_before_its_launch(project):
    bank(project)
    variants = [{"name": "one"}, {"name": "two", "params": {"prefill": True}}]
    copy = copy_study(draft_study(project, variants=variants))
    assert describe_study(copy)["variants"] == variants
    assert check_draft(copy).n_items == 4


def test_variants_with_other_units_are_kept_in_a_draft_but_not_launched(project, client):
    bank(project)
    study = draft_study(project, protocol="pairwise")
    other = "- {name: one}\n- {name: two, params: {pairs_per_text: 1}}"
    bank_of_more = [make_item(project.texts.first(), name, f"more-{name}") for name in ("alder", "birch")]
    assert bank_of_more
    assert send(client, study, "people", variants=other).status_code == 302
    assert "has other units" in client.get(address(study, "people")).context["summary"].problem
    with pytest.raises(SpecError, match="other units"):
        launch_study(Study.objects.get())


def test_a_study_file_and_the_steps_refuse_the_same(project):
    with pytest.raises(SpecError, match="title"):
        check_spec({"slug": "a", "protocol": "pairwise", "title": "x" * 201})
