"""What browsers draw figures from: the specification that files hold, by the versions that draw files."""

import re

import altair
import pytest
import vl_convert
from bs4 import BeautifulSoup
from django.conf import settings
from django.urls import reverse

from analysis.choices import CONVENTIONS, Choices
from analysis.figures.registry import FORMS, list_figures
from analysis.figures.sizes import SIZES
from analysis.figures.style import name_interval_method
from analysis.services.figures import specify_figure
from analysis.services.reporting import build, iter_figure_files
from tests import drawn

pytestmark = pytest.mark.slow

VENDOR = settings.BASE_DIR / "static" / "vendor"


@pytest.fixture
def fetch(as_user, viewer):
    """A function that gives a figure of the study `tiny` as a viewer gets it."""

    def get(name="dumbbell", ending="vl.json", language="en", **asked):
        address = reverse("study_figure", args=["tiny", name, ending])
        return as_user(viewer).get(address, asked, headers={"accept-language": language})

    return get


def test_the_specification_of_a_page_is_that_of_the_reports_files(two_annotators, fetch, monkeypatch):
    monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "")
    monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")
    files = dict(iter_figure_files(two_annotators, build(two_annotators, Choices())))
    for name in ("dumbbell", "ratings", "accuracy_by_rating"):
        assert fetch(name).content == files[f"{name}.vl.json"]


def test_a_page_draws_in_the_readers_language_and_files_are_the_same_for_all(two_annotators, fetch):
    assert "ohne Text" in fetch(language="de").content.decode()
    german, english = (fetch(language=language, download="1") for language in ("de", "en"))
    assert german.content == english.content == fetch().content
    assert german.headers["Content-Disposition"] == 'attachment; filename="tiny-dumbbell.vl.json"'


def test_each_form_has_its_type(two_annotators, fetch, monkeypatch):
    types = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "vl.json": "application/json"}
    assert set(types) == set(FORMS)
    for ending in types:
        monkeypatch.setitem(FORMS, ending, lambda spec: b"drawn")
        response = fetch(ending=ending)
        assert (response.content, response.headers["Content-Type"]) == (b"drawn", types[ending])


@pytest.mark.parametrize(("name", "ending"), [("dumbbell", "gif"), ("dumbbell", "json"), ("flow", "vl.json")])
def test_what_there_is_not_is_not_found(two_annotators, fetch, name, ending):
    assert fetch(name, ending).status_code == 404


def test_a_figure_on_a_page_has_its_words_its_room_and_its_downloads(two_annotators, as_user, viewer):
    page = as_user(viewer).get(reverse("results_details", args=["tiny"])).content.decode()
    figure = BeautifulSoup(page, "html.parser").select_one("figure")
    plate = figure.select_one(".plate")
    assert plate["aria-label"].startswith("careful, people: Guessability .75")
    assert ".svg?" in plate.img["src"]
    assert int(plate.img["width"]) > 600
    endings = [re.search(r"\.([a-z.]+)\?", link["href"])[1] for link in figure.select("figcaption a")]
    assert endings == ["svg", "pdf", "png", "csv", "vl.json"]
    assert len(page) < 150_000


def test_scripts_are_loaded_only_where_there_is_a_figure(tiny, as_user, viewer):
    page = as_user(viewer).get(reverse("results_details", args=["tiny"])).content.decode()
    assert "vendor" not in page


def layers(spec: dict) -> list[dict]:
    inner = [each for key in ("layer", "vconcat", "hconcat") for each in spec.get(key, [])]
    inner += [spec["spec"]] if "spec" in spec else []
    return [spec, *(deeper for each in inner for deeper in layers(each))]


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("make", drawn.FIGURES)
def test_every_figure_says_what_its_marks_stand_for(project, make, convention):
    study = make(project)
    report = build(study, Choices(convention=convention))
    for name in report.figures:
        spec = specify_figure(study, report, name)
        lines = [line for each in layers(spec) for line in each.get("encoding", {}).get("tooltip", [])]
        assert len({line["title"] for line in lines}) >= 3, name
        rows = next(rows for each in layers(spec) if len(rows := each.get("data", {}).get("values", [])) > 1)
        assert all(isinstance(row[line["field"]], str | int) for row in rows for line in lines), name


def test_the_dumbbells_marks_have_number_interval_n_and_method(two_annotators):
    spec = specify_figure(two_annotators, build(two_annotators, Choices()), "dumbbell")
    point = next(each for each in spec["data"]["values"] if (each["generator"], each["stage"]) == ("careful", "read"))
    assert (point["number"], point["counted"]) == (".88", "8 judgments, 2 texts")
    assert point["interval"].startswith("[")
    assert point["method"] == "texts only"  # of two people


def test_the_method_is_that_of_the_interval_shown():
    drawn_texts = {"low": 0.1, "high": 0.2, "method": "bootstrap-percentile", "unit": "text", "replicates": 9990}
    alone = {"low": 0.12, "high": 0.18, "method": "bootstrap-percentile", "unit": "judgment", "replicates": 10000}
    both = {"annotators": drawn_texts, "published": alone}
    assert name_interval_method(both, (0.1, 0.2)) == "9990 draws of texts"
    assert name_interval_method(both, (0.12, 0.18)) == "10,000 draws of single judgments"


def test_every_figure_has_a_size():
    assert set(SIZES) == set(list_figures())


def test_page_and_paper_are_drawn_by_the_same_versions():
    lite = altair.SCHEMA_VERSION.removeprefix("v")
    assert lite.rpartition(".")[0] == vl_convert.get_vegalite_versions()[-1]
    files = {f"vega-{vl_convert.get_vega_version()}.min.js", f"vega-lite-{lite}.min.js"}
    assert files == {path.name for path in VENDOR.glob("*.min.js")}
    assert f'"{lite}"' in (VENDOR / f"vega-lite-{lite}.min.js").read_text(encoding="utf-8")[:500]


def test_pages_load_every_vendored_script_and_the_read_me_names_it():
    loading = (settings.BASE_DIR / "templates" / "analysis" / "parts" / "figure_scripts.html").read_text()
    loading += (settings.BASE_DIR / "static" / "js" / "figures.js").read_text()
    about = (VENDOR / "README.md").read_text()
    for script in VENDOR.glob("*.js"):
        assert f"vendor/{script.name}" in loading
        assert f"`{script.name}`" in about
