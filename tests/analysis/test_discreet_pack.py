"""What a pack must not say: texts that may not be shared, wherever they are quoted, and who somebody is."""

import json

import pytest

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.models import ItemCode
from analysis.pack.redaction import (
    OPAQUE,
    Redactor,
    assign_codes,
    hash_to_length,
    list_word_runs,
    make_redactor,
)
from evaluation.models import Evaluator, Metric, MetricValue
from evaluation.services.calls import PositionBias, get_positions
from items.models import Item, Option, Text
from studies.models import Annotator, InstrumentVersion, Study
from tests import drawn
from tests.analysis import packs, whole_studies

pytestmark = pytest.mark.slow

QUOTE = "Zwickelbart the heron sleeps under the drowned bridge"
SECRET = f"At night {QUOTE}. Nobody has told him that the canal is closed."


@pytest.mark.parametrize("code", ["P01", "p0", "sim-12", "pilot-03", "expert-1", "A", "h2", "Annotator 3", "rater_b"])
def test_codes_that_name_nobody_stay(code):
    assert OPAQUE.fullmatch(code)


@pytest.mark.parametrize("code", ["ada", "Zwanhild Reed", "a@example.org", "5f2a77c1be2f9d0001a1b2c3", "reed82", "Åse"])
def test_codes_that_may_be_names_do_not(code):
    assert not OPAQUE.fullmatch(code)


def test_all_people_change_their_codes_or_none_and_stay_in_order():
    people = [("zoe", "human"), ("P01", "human"), ("gpt", "model"), ("annotator-1", "model")]
    assert assign_codes(people) == {"P01": "annotator-2", "zoe": "annotator-3"}
    assert assign_codes([("P02", "human"), ("gpt", "model")]) == {}


def test_five_words_in_a_row_are_a_quote_and_four_are_none():
    hidden = Redactor(frozenset({"t"}), frozenset(list_word_runs(SECRET)), {}, {})
    assert hidden.quotes("He: “zwickelbart, the HERON sleeps under” it.")
    assert not hidden.quotes("Zwickelbart the heron sleeps. Where?")
    assert hidden.hash_if_quoted(QUOTE).startswith("sha256:")
    assert hidden.redact_about_text("t", "anything at all") != "anything at all"


def test_in_scripts_without_spaces_ten_characters_are_a_quote():
    hidden = Redactor(frozenset({"t"}), frozenset(list_word_runs("夜になると橋の下で青鷺が眠っている。")), {}, {})
    assert hidden.quotes("「橋の下で青鷺が眠っている」とは？")
    assert not hidden.quotes("橋の下で何が眠るか。")


def test_what_stands_for_a_wording_is_as_long_and_the_same_for_the_same_wording():
    assert len(hash_to_length(QUOTE)) == len(QUOTE)
    assert len(hash_to_length(QUOTE * 9)) == len(QUOTE * 9)
    assert hash_to_length(QUOTE + "?") != hash_to_length(QUOTE[:-1] + "d!x")
    assert hash_to_length(QUOTE.upper())[:20] == hash_to_length(QUOTE)[:20]


@pytest.fixture
def redacted_study(project):
    """A text that may not be shared, quoted by questions, options, notes, generators, wordings and other texts."""
    study = whole_studies.make_guessing_study(project)
    text = project.texts.get(external_id="t1")
    metadata = {"dataset": "news", "split": "test", "extra": {"quote": QUOTE}}
    Text.objects.filter(pk=text.pk).update(body=SECRET, title=QUOTE, shareable=False, metadata=metadata)
    item = Item.objects.get(external_id="t1-alder-1")
    Item.objects.filter(pk=item.pk).update(
        stem=f"Why is it that {QUOTE}?", expected_answer=SECRET, metadata={"kind": "one of four words", "said": QUOTE}
    )
    Option.objects.filter(item=item, external_id="a").update(text=QUOTE, explanation=SECRET)
    other = Item.objects.get(external_id="t2-alder-1")  # about a text that may be shared
    Option.objects.filter(item=other, external_id="a").update(text=f"As in: {QUOTE}", explanation=QUOTE)
    project.generators.filter(name="alder").update(description=f"Prompt: {SECRET}", factors={"example": QUOTE})
    ItemCode.objects.create(study=study, item=other, code="wrong_key", note=f"Compare {QUOTE}")
    version = study.instrument_version
    content = version.content
    points = [f"Example: {QUOTE}", "Write to zwanhild@example.org", *content["instructions"]["points"]]
    content = content | {"instructions": content["instructions"] | {"points": points}}
    InstrumentVersion.objects.filter(pk=version.pk).update(content=content, source="")
    return Study.objects.get(pk=study.pk)


def test_a_hidden_text_is_quoted_by_nothing(redacted_study):
    files = packs.files_of(packs.export_pack_bytes(redacted_study))
    for name, content in files.items():
        text = content.decode(errors="replace").casefold()
        assert "zwickelbart the heron" not in text, name
        assert "drowned bridge" not in text, name
        assert "canal is closed" not in text, name
        assert "@example" not in text, name
    items = {each["id"]: each for each in packs.objects_in(files["bank/items.jsonl"])}
    assert items["t1"]["title"] == "t1"
    assert items["t1"]["metadata"]["dataset"] == "news"
    assert items["t1"]["items"][0]["metadata"]["kind"] == "one of four words"
    assert "explanation" not in items["t1"]["items"][0]["answers"][0]
    assert items["t2"]["items"][0]["answers"][0]["text"].startswith("sha256:")
    assert items["t2"]["items"][0]["question"] == Item.objects.get(external_id="t2-alder-1").stem


def test_what_is_counted_by_wordings_and_metadata_stays_the_same_when_unpacked(redacted_study):
    before = collect_evidence(redacted_study, Choices(seed=abs(redacted_study.seed)))
    pack = packs.export_pack_bytes(redacted_study)
    again = packs.import_pack_bytes(pack)
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(pack)
    after = collect_evidence(again, Choices(seed=abs(redacted_study.seed)))
    assert list(after.options["wording"].str.len()) == list(before.options["wording"].str.len())
    assert list(after.texts["dataset"]) == list(before.texts["dataset"])


def test_names_of_people_stand_in_no_table(project):
    study = drawn.guess_then_read(project)
    Annotator.objects.filter(study=study, code="ada").update(code="Zwanhild", person="zwanhild-r")
    files = packs.files_of(packs.export_pack_bytes(study))
    assert not [name for name, content in files.items() if b"zwanhild" in content.lower()]
    assert not [name for name, content in files.items() if name.startswith("answers/") and b",ben," in content]
    people = [each for each in packs.objects_in(files["answers/annotators.jsonl"]) if each["kind"] == "human"]
    assert [each["annotator"] for each in people] == ["annotator-1", "annotator-2"]
    assert json.loads(files["manifest.json"])["codes_replaced"] == 2


def test_experts_and_their_times_stand_under_the_same_codes_as_everybody(project):
    study = drawn.dimension_ratings(project)
    person = study.annotators.filter(kind="human").order_by("pk").first()
    Annotator.objects.filter(pk=person.pk).update(code="Zwanhild")
    evidence = collect_evidence(study, Choices())
    seen = make_redactor(study).redact_evidence(evidence)
    for name in ("frame", "every_round", "annotators", "times", "minutes", "verdicts", "pairs"):
        assert "Zwanhild" not in set(getattr(seen, name)["annotator"]), name


# What tables rest on beside answers ----------------------------------------------------------------------------------


def test_metrics_come_back_in_their_order_and_with_their_families(project):
    study = drawn.dimension_ratings(project)
    first = study.units.order_by("position").first().items.first()
    MetricValue.objects.filter(item=first, metric__name="near").delete()  # so that “far” is the first in the file
    Metric.objects.filter(name="near").update(family="heron-1")
    pack = packs.export_pack_bytes(study)
    again = packs.import_pack_bytes(pack)
    assert list(again.project.metrics.values_list("name", "family")) == [("near", "heron-1"), ("far", "")]
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(pack)


def test_how_often_the_order_decided_comes_back_without_the_calls(project, monkeypatch):
    study = drawn.pairwise(project)
    judge = study.annotators.order_by("pk").first()
    Annotator.objects.filter(pk=judge.pk).update(kind="model", model="m", reading="label")
    Evaluator.objects.create(annotator=judge, method="judge", stages=["compare"], params={"prompt": None})
    found = PositionBias(n=10, n_flipped=3, n_first=9, n_decided=16)
    with monkeypatch.context() as known:
        known.setattr("analysis.pack.work.get_position", lambda evaluator: found)
        known.setattr("analysis.frames.evidence.get_positions", lambda study: {judge.code: found})
        pack = packs.pack_anew(study)
    again = packs.import_pack_bytes(pack)
    assert get_positions(again) == {judge.code: found}
    assert packs.results_in(packs.export_pack_bytes(again)) == packs.results_in(pack)
