"""Packs that are unusual and whole: earlier ones of the same format, and replies of models of any length."""

import csv
import io
import json

import pytest

from analysis.pack.restored_bank import map_old_metric_names
from evaluation.models import Metric
from tests.analysis import packs, whole_studies
from tests.analysis.test_forged_pack import make_zip, write_forged_pack

pytestmark = pytest.mark.slow

# What packs of the format's first days did not have yet: whole files, and fields of others.
LATER_FILES = ("bank/metrics.jsonl", "codebook.csv")
LATER_FIELDS = {"answers/annotators.jsonl": "variant", "study/history.json": "variants"}


def earlier(files):
    """The pack as the first Lesart with this format wrote it."""
    for name, field in LATER_FIELDS.items():
        objects = [json.loads(files[name])] if name.endswith(".json") else packs.objects_in(files[name])
        kept = [{key: value for key, value in each.items() if key != field} for each in objects]
        assert kept != objects
        files = files | {name: "".join(json.dumps(each) + "\n" for each in kept).encode()}
    values = json.loads(files["manifest.json"])
    values["files"] = {name: about for name, about in values["files"].items() if name not in LATER_FILES}
    left = {name: content for name, content in files.items() if name not in LATER_FILES}
    assert len(left) == len(files) - len(LATER_FILES)
    whole = write_forged_pack(
        left | {"manifest.json": json.dumps(values).encode()}, **{name: left[name] for name in LATER_FIELDS}
    )
    return whole.getvalue()


@pytest.mark.database
def test_an_earlier_pack_of_the_same_format_comes_in_and_says_the_same(project):
    pack = packs.export_pack_bytes(whole_studies.make_guessing_study(project))
    old = earlier(packs.files_of(pack))
    assert json.loads(packs.files_of(old)["manifest.json"])["format"] == "lesart-replication-pack/1"
    again = packs.import_pack_bytes(old)
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(pack)
    assert Metric.objects.filter(project=again.project).exists()


@pytest.mark.parametrize(
    ("names", "renamed"),
    [
        (["BLEU-4", "ROUGE-L", "LIX"], {"BLEU-4": "BLEU-4 (words)", "ROUGE-L": "ROUGE-L (words)"}),
        (["BLEU-4", "BLEU-4 (words)"], {}),
    ],
)
def test_metrics_that_earlier_packs_computed_on_words_get_the_name_of_that_variant(names, renamed):
    assert map_old_metric_names([{"metric": name, "is_computed": "true"} for name in names]) == renamed
    assert map_old_metric_names([{"metric": name, "is_computed": "false"} for name in names]) == {}


def test_a_reply_longer_than_cells_of_csv_usually_are_comes_in(project):
    files = packs.files_of(packs.export_pack_bytes(whole_studies.make_pairs_study(project)))
    rows = packs.rows_in(files["answers/responses.csv"])
    rows[0]["raw_output"] = 'It goes on, and says "on":\n' * 20_000  # half a million characters
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    again = packs.import_pack_bytes(
        write_forged_pack(files, **{"answers/responses.csv": out.getvalue().encode()}).getvalue()
    )
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(make_zip(*files.items()).getvalue())
