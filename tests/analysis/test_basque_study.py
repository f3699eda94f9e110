"""A study in Basque of each protocol runs from its files to its report."""

import json

import pytest
import yaml
from django.core.management import call_command

from items.models import Text
from studies.models import Study

pytestmark = pytest.mark.slow

TEXTS = {
    "ferrya": "Ferrya goizeko bederatzietan ateratzen da. Igandeetan hamarretan ateratzen da, portuko nagusiak "
    "abesbatzan abesten duelako.",
    "etxea": "Etxe zaharra mendiaren gainean dago. Udan ez da inor bizi bertan, eta neguan artzain batek zaintzen du.",
}
ANSWERS = [{"text": "Bai, hala da.", "correct": True}, {"text": "Ez, inola ere ez.", "correct": False}]
TABLES = {
    "guess-then-read": "informativity",
    "dimension-ratings": "generator_means",
    "stopping-questionnaire": "label_distributions",
    "pairwise": "ranking",
}


@pytest.fixture
def bank_in_basque(project, tmp_path):
    """Two texts whose language no file says, with two items by each of two generators."""
    lines = []
    for name, body in TEXTS.items():
        items = [
            {"id": f"{name}-{generator}-{place}", "question": f"Zer dio testuak? ({generator} {place})",
             "answers": ANSWERS, "generator": generator}
            for generator in ("haritza", "pagoa")
            for place in (1, 2)
        ]  # fmt: skip
        lines.append(json.dumps({"id": name, "text": body, "items": items}, ensure_ascii=False))
    path = tmp_path / "bank.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    call_command("import_items", str(path), project=project.slug)


@pytest.mark.usefixtures("bank_in_basque")
def test_texts_in_basque_are_recognised():
    assert set(Text.objects.values_list("language", flat=True)) == {"eu"}


@pytest.mark.usefixtures("bank_in_basque")
@pytest.mark.parametrize("protocol", TABLES)
def test_it_runs_from_its_file_to_its_report(project, tmp_path, monkeypatch, protocol):
    monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "<svg/>")
    monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")
    spec = {
        "slug": "azterlana",
        "title": "Azterlana",
        "protocol": protocol,
        "language": "eu",
        "plan": {"annotators": 2},
        "params": {"pairs_per_text": 4} if protocol == "pairwise" else {},
    }
    file, folder = tmp_path / "study.yaml", tmp_path / "report"
    file.write_text(yaml.safe_dump(spec), "utf-8")
    call_command("create_study", str(file), project=project.slug, launch=True)
    assert str(Study.objects.get().instrument_version.instrument) == f"{protocol}/eu"
    call_command("simulate_study", "azterlana", annotators=2, seed=1)
    call_command("report", "azterlana", "--out", str(folder), "--include", "simulated")
    table = json.loads((folder / "tables" / f"{TABLES[protocol]}.json").read_text("utf-8"))
    assert table["rows"]
