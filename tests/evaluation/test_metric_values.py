"""Metrics are stored per version of an item, imported, shown and exported."""

import csv
import io
from importlib import import_module

import pytest
from bs4 import BeautifulSoup
from django.apps import apps
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.exports.writing import write_metrics
from evaluation.metric_values import BadMetrics, compute_metrics, import_metrics, query_bank_items, query_study_items
from evaluation.models import Metric, MetricValue
from items.models import Item

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def without_wordnet(settings):
    settings.LESART_WORDNET = ""


@pytest.fixture
def metric_values(project, study, bank):
    """r1 is the reference of the river; r2 is held against it."""
    Item.objects.filter(external_id="r1").update(reference=True, stem="Wohin fließt der Fluss?")
    Item.objects.filter(external_id="r2").update(stem="Wohin fließt der Bach?")
    return compute_metrics(project, query_study_items(study))


def value(item: str, metric: str) -> MetricValue:
    return MetricValue.objects.get(item__external_id=item, metric__name=metric)


@pytest.mark.slow
def test_each_item_gets_each_metric_or_a_reason(metric_values):
    assert (metric_values.n_items, metric_values.n_values + metric_values.n_undefined) == (3, 36)
    assert MetricValue.objects.count() == 36
    assert value("r2", "ROUGE-L (words)").value == pytest.approx(3 / 4)
    assert value("r2", "length").value == 4
    assert value("r2", "exact overlap").value == pytest.approx(2 / 4)
    assert not MetricValue.objects.filter(value=None, reason="").exists()


def test_an_item_is_no_reference_of_itself(metric_values):
    assert (value("r1", "BLEU-4").value, value("r1", "BLEU-4").reason) == (
        None, "This text has no reference question.",
    )  # fmt: skip


def test_values_computed_under_the_old_names_are_renamed_and_imported_ones_kept(project, bank):
    item = Item.objects.get(external_id="r1")
    for name, is_computed in {"BLEU-4": True, "ROUGE-L": False}.items():
        metric = Metric.objects.create(project=project, name=name, is_computed=is_computed)
        MetricValue.objects.create(metric=metric, item=item, value=0.25)
    migration = import_module("evaluation.migrations.0004_metrics_on_words")
    migration.rename_computed(apps, None)
    assert set(Metric.objects.values_list("name", flat=True)) == {"BLEU-4 (words)", "ROUGE-L"}
    assert value("r1", "BLEU-4 (words)").value == 0.25


def test_an_imported_metric_with_the_new_name_gives_way(project):
    for name, is_computed in {"BLEU-4": True, "BLEU-4 (words)": False}.items():
        Metric.objects.create(project=project, name=name, is_computed=is_computed)
    import_module("evaluation.migrations.0004_metrics_on_words").rename_computed(apps, None)
    assert Metric.objects.get(name="BLEU-4 (words)").is_computed
    assert Metric.objects.filter(name__startswith="BLEU-4 (words) (imported", is_computed=False).exists()


def test_computing_again_writes_the_same_rows_anew(metric_values, project, study):
    before = list(MetricValue.objects.order_by("pk").values())
    compute_metrics(project, query_bank_items(project))
    assert list(MetricValue.objects.order_by("pk").values()) == before


def test_a_column_for_each_metric_is_taken_over(project, bank):
    counted = import_metrics(project, b"item_id,BERTScore,UniEval\nr1,.91,\nc1,.5,2\n")
    assert (counted.n_items, counted.n_values) == (2, 3)
    assert value("c1", "UniEval").value == 2
    assert not Metric.objects.filter(is_computed=True).exists()


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("item_id\nr1\n", "column per metric"),
        ("item,m\nr1,1\n", "needs the column item_id"),
        ("item_id,BLEU-4\nr1,1\n", "is computed"),
        ("item_id,m,m\nr1,1,2\n", "“m” occurs twice"),
        ("item_id,item_id,m\nr1,r1,2\n", "“item_id” occurs twice"),
        ("item_id,a\x1b[31m\nr1,1\n", r"“a\\x1b\[31m” is not a valid"),
        (f"item_id,{'m' * 101}\nr1,1\n", "up to 100 characters"),
        ("item_id,m\n", "has no rows"),
        ("", "The file is empty"),
        ("item_id,a,b\nr1,1\n", "Line 2: The row has 2 cells, the first line 3"),
        ("item_id,m\nr1,1,2\n", "Line 2: The row has 3 cells, the first line 2"),
        ('item_id,m\nr1,1\n"r2,1\n', "Line 3: A quotation mark opened here is never closed"),
        ("item_id,m\n" + "r" * 200_000 + ",1\n", "Line 2: A cell here is longer than"),
        (f"item_id,{','.join(map(str, range(500)))}\nr1{',1' * 500}\n", "has 501 columns; the limit is 100"),
        ("item_id,m\nr1,0\0.5\n", "a NUL character"),
        ("item_id,größe\nr1,1\n".encode("latin-1"), "Save the file as UTF-8"),
        ("item_id,m\nr9\x1b[31m,1\n", r"no item “r9\\x1b\[31m”"),
        ("item_id,m\nr1,1_0\n", "“1_0” is not a number"),
        ("item_id,m\nr1,\u0663\n", "is not a number"),
        ("item_id,m\nr1,1\nr9,1\n", "Line 3: the project has no item “r9”"),
        ("item_id,m\nr1,1\nr1,1\n", "already occurs in line 2"),
        ("item_id,m\nr1,1\nr2,high\n", "Line 3, m: “high” is not a number"),
        ("item_id,m\nr1,nan\n", "is not a number"),
    ],
)
def test_a_file_with_a_mistake_is_refused_whole(project, bank, file, message):
    with pytest.raises(BadMetrics, match=message):
        import_metrics(project, file if isinstance(file, bytes) else file.encode())
    assert not MetricValue.objects.exists()
    assert not Metric.objects.exists()


def test_the_page_of_a_text_shows_the_metrics_of_its_items(metric_values, project, as_user, viewer):
    text = Item.objects.get(external_id="r2").text
    page = as_user(viewer).get(reverse("text", args=[project.slug, text.pk]))
    words = " ".join(BeautifulSoup(page.content, "html.parser").get_text(" ").split())
    assert "ROUGE-L (words) 0.750" in words
    assert "undefined: This text has no reference question." in words


def test_the_export_has_a_row_per_item_and_metric(metric_values, study, as_user, reviewer):
    out = io.StringIO(newline="")
    assert write_metrics(study, out) == 36
    rows = list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))
    row = next(row for row in rows if (row["item_id"], row["metric"]) == ("r2", "ROUGE-L (words)"))
    assert (row["text_id"], row["item_version"], row["generator"], row["is_computed"], row["value"]) == (
        "river", "1", "rule", "true", "0.75",
    )  # fmt: skip
    page = as_user(reviewer).get(reverse("study_export", args=[study.slug, "metrics"]))
    assert b"".join(page.streaming_content).decode() == out.getvalue()


def test_the_commands(project, study, tmp_path):
    out = io.StringIO()
    call_command("compute_metrics", study.slug, stdout=out)
    call_command("compute_metrics", "--project", project.slug, stdout=out)
    file = tmp_path / "metrics.csv"
    file.write_text("item_id,m\nr1,.5\n", encoding="utf-8-sig")
    call_command("import_metrics", str(file), "--project", project.slug, stdout=out)
    assert out.getvalue().count("3 questions:") == 2
    assert "1 values of 1 items" in out.getvalue()
    for words in (["nowhere"], ["--project", "nowhere"], [], [study.slug, "--project", project.slug]):
        with pytest.raises(CommandError):
            call_command("compute_metrics", *words)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_metrics", str(tmp_path / "none.csv"), "--project", project.slug)


def test_a_file_may_say_of_which_family_a_metric_s_model_is(project, study, bank, tmp_path):
    file = tmp_path / "metrics.csv"
    file.write_text("item_id,judge=2,plain\nr1,0.5,1\n")
    call_command("import_metrics", str(file), project=project.slug, family=["judge=2=gpt"])
    assert Metric.objects.get(name="judge=2").family == "gpt"
    assert Metric.objects.get(name="plain").family == ""
    import_metrics(project, b"item_id,judge=2\nr1,0.6\n")
    assert Metric.objects.get(name="judge=2").family == "gpt"
    with pytest.raises(CommandError, match="no such column"):
        call_command("import_metrics", str(file), project=project.slug, family=["other=gpt"])
    with pytest.raises(CommandError, match="METRIC=FAMILY"):
        call_command("import_metrics", str(file), project=project.slug, family=["judge"])
