"""Nothing that a model wrote is thrown away: it is counted, and what is alike is shown."""

import pytest
from bs4 import BeautifulSoup

from generation.models import IncompleteState
from generation.services.asking import GenerationSpec, start
from generation.services.choosing import Size
from generation.services.written import count_written, find_near_duplicates
from items.models import Generator, GeneratorKind
from items.services.editing import create_item
from items.values import ItemValues, OptionValues
from llm.services.draining import drain_here
from tests.factory import make_generator, make_text
from tests.generation.words import ENGLISH, WHOLE

pytestmark = pytest.mark.django_db


@pytest.fixture
def generator(project, piano, serve_model, endpoint) -> Generator:
    """Once in English, then three items of two that were asked for, one of them without a mark."""
    server = serve_model([ENGLISH, WHOLE.replace("(richtig)", "", 1)])
    drain_here(start(project, GenerationSpec(endpoint(server), [piano], Size(n_items=2))))
    return Generator.objects.get()


def test_every_output_is_counted_once(generator):
    found = count_written(generator)
    assert (found.n_items, found.n_open, found.n_left_out, found.n_rejected) == (1, 1, 1, 1)
    assert [(each.state, each.failure, each.n) for each in found.rejected] == [("rejected", "unusable", 1)]


def test_what_is_repaired_or_discarded_stays_counted(generator):
    generator.incomplete_items.update(state=IncompleteState.DISCARDED)
    found = count_written(generator)
    assert (found.n_open, found.n_repaired, found.n_discarded) == (0, 0, 1)


def test_the_page_leads_to_the_rejected_replies(as_user, researcher, generator):
    page = BeautifulSoup(
        as_user(researcher).get(f"/p/rivers/generators/{generator.pk}/written/").content, "html.parser"
    )
    numbers = {each.dt.get_text(): each.dd.get_text() for each in page.select("dl.numbers div")}
    assert numbers["Rejected replies"] == "1"
    assert numbers["More than requested"] == "1"
    link = page.select_one("table a[href*='state=rejected']")["href"]
    assert "1" in as_user(researcher).get(link).content.decode()


def test_the_run_leads_to_the_page(as_user, researcher, generator):
    run = generator.generator_runs.get().run
    page = as_user(researcher).get(run.get_absolute_url()).content.decode()
    assert f"/p/rivers/generators/{generator.pk}/written/" in page


def test_replies_are_for_reviewers(as_user, viewer, generator):
    page = as_user(viewer).get(f"/p/rivers/generators/{generator.pk}/written/").content.decode()
    assert "state=rejected" not in page
    assert "Keep the best" not in page


@pytest.mark.parametrize("who", ["stranger"])
def test_others_do_not_find_it(as_user, request, generator, who):
    assert as_user(request.getfixturevalue(who)).get(f"/p/rivers/generators/{generator.pk}/written/").status_code == 404


# What is alike


@pytest.fixture
def write(project, piano):
    make_generator(project, "m", kind=GeneratorKind.MODEL)
    make_generator(project, "people")

    def make(name: str, stem: str, *options: str, text=piano, by: str = "m"):
        values = tuple(OptionValues("", option, place == 0) for place, option in enumerate(options))
        return create_item(text, ItemValues(stem, by, values), name)

    return make


def alike(project) -> list[tuple[list[str], bool, bool]]:
    return [
        ([item.external_id for item in each.items], each.same_stem, each.same_options)
        for each in find_near_duplicates(project)
    ]


def test_stems_are_alike_without_case_space_and_punctuation(project, write):
    write("a", "Wer spielte  das Stück?", "x", "y")
    write("b", "wer spielte „das Stück“", "z", "y")
    write("c", "Wer spielte das Stück nicht?", "v", "w")
    assert alike(project) == [(["a", "b"], True, False)]


def test_options_are_alike_in_any_order(project, write):
    write("a", "Wer?", "Herr Seidel", "Mira")
    write("b", "Wer nicht?", "mira", "Herr Seidel.")
    assert alike(project) == [(["a", "b"], False, True)]


def test_both_are_said_once(project, write):
    write("a", "Wer?", "x", "y")
    write("b", "Wer?", "y", "x")
    assert alike(project) == [(["a", "b"], True, True)]


def test_others_of_another_text_generator_or_hand_are_not_alike(project, write):
    write("a", "Wer?", "x", "y")
    write("b", "Wer?", "x", "y", text=make_text(project, "other"))
    write("c", "Wer?", "x", "y", by="people")
    write("d", "Wer?", "x", "y", by="people")
    assert alike(project) == []


def test_open_questions_without_options_are_not_alike_for_that(project, write):
    write("a", "Wer?")
    write("b", "Wann?")
    assert alike(project) == []


def test_they_stand_beside_incomplete_items(as_user, researcher, write):
    write("a", "Wer?", "x", "y")
    write("b", "Wer?", "v", "w")
    page = as_user(researcher).get("/p/rivers/incomplete/").content.decode()
    assert "They ask the same question." in page
    assert "They offer the same options." not in page
