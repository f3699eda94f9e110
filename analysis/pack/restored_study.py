"""A study from a pack: its spec, wording, units, annotators, assignments with their orders, and times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.codes import is_known
from analysis.models import CodeDecision, IndependentCoding, ItemCode
from analysis.pack.archive import BadPack, PackReader
from analysis.pack.restored_answers import Cell
from analysis.pack.restored_bank import (
    explain_bad_annotator,
    find_item,
    find_option,
    read_count,
    read_evaluator_params,
    read_lines,
    read_string,
    read_time,
    show_name,
)
from analysis.published_names import BadMatch, store_matches
from analysis.reports.published import list_published_generators
from evaluation.models import Evaluator
from items.models import MAX_ID, MAX_VERSION_NAME, Item, Text
from projects.models import Project
from studies.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    InstrumentVersion,
    PeopleTexts,
    PhasePassed,
    Purpose,
    Study,
    StudyState,
    Submission,
    Unit,
    UnitItem,
    Variant,
)
from studies.models.people import DONE
from studies.phases import Phase
from studies.presentation_order import make_handle
from studies.protocols import PROTOCOLS
from studies.services.creating import check_instrument, check_parameters, check_protocol, refuse_taken
from studies.services.declarations import get_declaration
from studies.services.instrument_writing import InstrumentRefused, find_or_store_version
from studies.services.phases import get_phases, store_phases
from studies.services.responses.rows import READINGS
from studies.services.selection import CALIBRATION, MAIN, make_unit_key
from studies.services.spec import StudySpec, check_spec, read_spec
from studies.strict_yaml import NotYaml

BATCH = 2_000
WITHHELD = b"# withheld"


def restore_study(pack: PackReader, project: Project, slug: str) -> Study:
    """Store the study itself, as imported, with its seed, parameters, dates, variants and draw of texts.

    Raises `SpecError` or `BadPack` if the pack does not allow it.
    """
    spec, history = read_spec(pack.read("study/study.yaml").decode()), pack.object("study/history.json")
    slug = check_spec({**spec.model_dump(), "slug": slug}).slug if slug else spec.slug
    refuse_taken(slug)
    if not PROTOCOLS[check_protocol(spec.protocol)].needs_items:
        raise BadPack(_("A study in which items are written has no pack. Import the items instead: import_items."))
    about = history.get("instrument")
    if not isinstance(about, dict):
        raise BadPack(_("The pack does not say which wording the study used."))
    study = Study(
        project=project,
        slug=slug,
        title=spec.title or spec.slug,
        protocol=check_protocol(spec.protocol),
        language=spec.language,
        selection=spec.items.model_dump(),
        plan=spec.plan.numbers(),
        seed=spec.plan.seed,
        groups=spec.groups,
        phases=store_phases(project, spec.phases or []),
        state=StudyState.IMPORTED,
        launched_at=read_time(history, "launched_at"),
        main_opened_at=read_time(history, "main_opened_at"),
        closed_at=read_time(history, "closed_at") or timezone.now(),
        instrument_version=restore_instrument(pack, read_string(about, "file", 300), project),
    )
    check_instrument(study, study.instrument_version, spec.instrument)
    study.params = check_parameters(study, study.instrument_version, spec.params)
    study.blocks = read_blocks(history)
    study.save(force_insert=True)
    restore_variants(pack, study, spec, history.get("variants") or {})
    restore_people_texts(study, history.get("people_texts"))
    return study


def read_blocks(history: dict[str, Any]) -> list[dict[str, Any]]:
    """The texts that were added after the launch; packs of earlier versions have none."""
    found: list[dict[str, Any]] = []
    for number, entry in enumerate(history.get("blocks", []), 2):
        added_at = read_time(entry, "added_at")
        if read_count(entry, "number") != number or added_at is None:
            raise BadPack(_("The blocks of texts in the pack are not numbered from 2 with a date each."))
        sizes = {name: read_count(entry, name) for name in ("texts", "units")}
        found.append({"number": number, "added_at": added_at.isoformat(), "made_by": None, **sizes,
                      "finished_too": entry.get("finished_too") is True})  # fmt: skip
    return found


def restore_people_texts(study: Study, entry: Any) -> None:
    """Store the draw of texts for people; `BadPack` if it names a text that the pack lacks."""
    if entry is None:
        return
    known = set(study.project.texts.values_list("external_id", flat=True))
    texts = [read_draw(each) for each in entry["texts"]]
    if not {each["text_id"] for each in texts} <= known or sum(each["drawn"] for each in texts) != read_count(
        entry, "n"
    ):
        raise BadPack(_("The pack's draw of texts for people does not fit its texts."))
    PeopleTexts.objects.create(
        study=study,
        n=read_count(entry, "n"),
        by=read_string(entry, "by", 20),
        rests_on=read_string(entry, "rests_on", 20),
        seed=study.seed,
        texts=texts,
        later=[read_later_round(each, known) for each in entry.get("later", [])],
        made_at=read_time(entry, "made_at") or timezone.now(),
    )


def read_later_round(entry: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """A further round of the draw."""
    order = [read_string({"id": each}, "id", MAX_ID) for each in entry["order"]]
    if not set(order) <= known or read_count(entry, "n") > len(order):
        raise BadPack(_("The pack's draw of texts for people does not fit its texts."))
    made_at = read_time(entry, "made_at") or timezone.now()
    return {"n": read_count(entry, "n"), "order": order, "made_at": made_at.isoformat(), "made_by": None}


def read_draw(entry: dict[str, Any]) -> dict[str, Any]:
    chance, doubt, drawn = entry["probability"], entry["doubt"], entry["drawn"]
    if not (0 <= float(chance) <= 1 and (doubt is None or float(doubt) >= 0) and isinstance(drawn, bool)):
        raise BadPack(_("The pack's draw of texts for people does not fit its texts."))
    doubt = None if doubt is None else float(doubt)
    later = {"round": read_count(entry, "round")} if "round" in entry else {}
    row = {
        "text_id": read_string(entry, "text_id", MAX_ID),
        "probability": float(chance),
        "doubt": doubt,
        "drawn": drawn,
    }
    return row | later


def restore_variants(pack: PackReader, study: Study, spec: StudySpec, about: dict[str, Any]) -> None:
    """Store the variants of the study. about: by the name of each variant, an entry with the file of its wording."""
    if set(about) != {each.name for each in spec.variants}:
        raise BadPack(_("The pack does not say which wording the variants of the study used."))
    for position, each in enumerate(spec.variants):
        version = restore_instrument(pack, read_string(about[each.name], "file", 300), study.project)
        params = check_parameters(study, version, each.params)
        Variant.objects.create(
            study=study, name=each.name, position=position, instrument_version=version, params=params
        )


def restore_instrument(pack: PackReader, name: str, project: Project) -> InstrumentVersion:
    """The wording in a file of the pack: an existing version with exactly this content, or a new one of the project."""
    try:
        return find_or_store_version(pack.read(name).decode(), project)
    except (InstrumentRefused, NotYaml, UnicodeDecodeError) as refused:
        raise BadPack(f"{show_name(name)}: {refused}") from None


@dataclass(frozen=True)
class Units:
    """The units by their number in the study; and, by the same number, the key that identifies each in answers."""

    by_number: Mapping[int, Unit]
    keys: Mapping[int, Any]


def restore_units(pack: PackReader, study: Study, items: dict[str, Item]) -> Units:
    kind = PROTOCOLS[study.protocol].unit
    made: dict[int, tuple[Unit, list[Item]]] = {}
    for entry in pack.lines("study/units.jsonl"):
        number, own = read_count(entry, "unit"), [find_item(items, name) for name in entry.get("items") or []]
        texts = {item.text_id for item in own}
        sizes = {"pair": 2, "item": 1, "tuple": get_declaration(study).tuple_size}
        if number in made or len(texts) != 1 or len(own) != (sizes.get(kind) or len(own)) or len(set(own)) < len(own):
            raise BadPack(_("Unit %(number)s of the pack does not fit this protocol.") % {"number": number})
        part = read_string(entry, "part", 20)
        if part not in (MAIN, CALIBRATION):
            raise BadPack(_("“%(part)s” is not a part of a study.") % {"part": show_name(part)})
        block = read_count(entry, "block") if "block" in entry else 1
        if block not in study.block_dates:
            raise BadPack(
                _("Unit %(number)s of the pack is in a block that the study does not have.") % {"number": number}
            )
        made[number] = Unit(study=study, text=own[0].text, position=number, part=part, block=block), own
    Unit.objects.bulk_create((unit for unit, _items in made.values()), batch_size=BATCH)
    UnitItem.objects.bulk_create(
        (
            UnitItem(unit=unit, item=item, position=place)
            for unit, own in made.values()
            for place, item in enumerate(own)
        ),
        batch_size=BATCH,
    )
    keys = {number: make_unit_key(kind, unit.text_id, [i.pk for i in own]) for number, (unit, own) in made.items()}
    return Units({number: unit for number, (unit, _items) in made.items()}, keys)


def restore_annotators(pack: PackReader, study: Study) -> dict[str, Annotator]:
    """Store the annotators in the order in which they were added; returns them by code.

    Nobody can answer in their name, as their links are revoked.
    """
    rows, evaluators, variants = [], {}, {each.name: each for each in study.variants.all()}
    background = {}
    for entry in pack.lines("answers/annotators.jsonl"):
        code, kind, purpose = (
            read_string(entry, "annotator", MAX_ID),
            read_string(entry, "kind", 20),
            read_string(entry, "purpose", 20),
        )
        reading = read_string(entry, "reading", 20)
        variant = read_string(entry, "variant", 60)
        if variant and variant not in variants:
            raise BadPack(explain_bad_annotator(code))
        if kind not in AnnotatorKind.values or purpose not in Purpose.values or reading not in READINGS:
            raise BadPack(explain_bad_annotator(code))
        evaluators[code], background[code] = entry.get("evaluator"), entry.get("background")
        about = {
            name: read_string(entry, name, limit) for name, limit in (("group", 100), ("person", 200), ("model", 200))
        }
        seat = None if entry.get("seat") is None else read_count(entry, "seat")
        rows.append(
            Annotator(study=study, code=code, kind=kind, purpose=purpose, reading=reading, seat=seat,
                      variant=variants.get(variant), revoked_at=timezone.now(), **about)
        )  # fmt: skip
    if len(evaluators) != len(rows):
        raise BadPack(_("The pack names an annotator twice."))
    found = {row.code: row for row in Annotator.objects.bulk_create(rows, batch_size=BATCH)}
    for code, about_it in evaluators.items():
        if isinstance(about_it, dict) and found[code].kind != AnnotatorKind.HUMAN:
            restore_evaluator(pack, study, found[code], about_it)
    restore_background(study, [(found[code], given) for code, given in background.items() if given])
    return found


def restore_background(study: Study, given: list[tuple[Annotator, Any]]) -> None:
    """Store people's answers to background questions; packs of earlier versions have none."""
    phases = [phase for phase in get_phases(study) if phase.kind == "background"]
    passed = [passage for annotator, answers in given for passage in list_passages(phases, annotator, answers)]
    PhasePassed.objects.bulk_create(passed, batch_size=BATCH)


def list_passages(phases: list[Phase], annotator: Annotator, given: Any) -> Iterator[PhasePassed]:
    """The phases in which the annotator gave these answers; `BadPack` for an answer that nobody could give."""
    known = {question.name: question.possible_answers for phase in phases for question in phase.questions}
    if not isinstance(given, dict) or any(value not in list(known.get(name, ())) for name, value in given.items()):
        raise BadPack(explain_bad_annotator(annotator.code))
    for phase in phases:
        names = [question.name for question in phase.questions if question.name in given]
        if names:
            answers = {name: given[name] for name in names}
            yield PhasePassed(annotator=annotator, phase=phase.name, answers=answers, passed_at=timezone.now())


def restore_evaluator(pack: PackReader, study: Study, annotator: Annotator, entry: dict[str, Any]) -> None:
    """Store how an evaluator was asked and how its answers were read, for the tables.

    Its calls are not in a pack, so it cannot continue.
    """
    name, stages = read_string(entry, "prompt", 300), entry.get("stages")
    params = read_evaluator_params(entry.get("params"), annotator.code)
    if not isinstance(stages, list):
        raise BadPack(explain_bad_annotator(annotator.code))
    known = {stage.name for stage in get_declaration(study).every_stage}
    prompt = (
        restore_instrument(pack, name, study.project) if name and not pack.read(name).startswith(WITHHELD) else None
    )
    Evaluator.objects.create(
        annotator=annotator,
        method=read_string(entry, "method", 20),
        stages=[stage for stage in stages if stage in known],
        params={**params, "prompt": prompt.pk if prompt else None},
    )


def restore_assignments(
    pack: PackReader, study: Study, units: Units, annotators: Mapping[str, Annotator], items: dict[str, Item]
) -> dict[Cell, Assignment]:
    """Store the assignments with every order that was drawn; returns them by cell.

    Handles are drawn anew, as nobody will see them.
    """
    stages = {stage.name for stage in get_declaration(study).every_stage}
    rows: dict[Cell, Assignment] = {}
    for entry in pack.lines("answers/assignments.jsonl"):
        cell, unit = read_cell(entry, units, annotators)
        finished = read_time(entry, "finished_at")
        stage = read_string(entry, "stage", 40)
        if cell in rows or stage not in stages | {DONE} or (stage == DONE) != bool(finished):
            raise BadPack(_("The pack has an invalid assignment for “%(who)s”.") % {"who": show_name(cell[0])})
        rows[cell] = Assignment(
            annotator=annotators[cell[0]],
            unit=unit,
            round=cell[1],
            position=read_count(entry, "position"),
            text_version=read_version(entry, unit.text),
            shown=read_orders(entry.get("shown"), stages, items),
            reopened=read_reopened(entry.get("reopened"), items),
            stage=stage,
            finished_at=finished,
        )
    return dict(zip(rows, Assignment.objects.bulk_create(rows.values(), batch_size=BATCH), strict=True))


def read_version(entry: dict[str, Any], text: Text) -> str:
    name = read_string(entry, "text_version", MAX_VERSION_NAME)
    if name and name not in text.version_names:
        raise BadPack(
            _("The pack refers to the version “%(version)s” of the text “%(text)s”, but does not contain it.")
            % {"version": show_name(name), "text": show_name(text.external_id)}
        )
    return name


def read_cell(entry: dict[str, Any], units: Units, annotators: Mapping[str, Annotator]) -> tuple[Cell, Unit]:
    who, number, round_number = (
        read_string(entry, "annotator", MAX_ID),
        read_count(entry, "unit"),
        read_count(entry, "round"),
    )
    if who not in annotators or number not in units.by_number or not 1 <= round_number <= 1_000:
        raise BadPack(_("The pack has an invalid assignment for “%(who)s”.") % {"who": show_name(who)})
    return (who, round_number, units.keys[number]), units.by_number[number]


def read_orders(entry: Any, stages: set[str], items: dict[str, Item]) -> dict[str, list[Any]]:
    if not isinstance(entry, dict) or not set(entry) <= stages:
        raise BadPack(_("The pack describes a stage that the study does not have."))
    handles: dict[Any, str] = {}
    return {stage: [read_shown_item(each, items, handles) for each in order] for stage, order in entry.items()}


def read_shown_item(entry: Any, items: dict[str, Item], handles: dict[Any, str]) -> list[Any]:
    if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
        raise BadPack(_("The pack describes what was shown in an unknown format."))
    item = find_item(items, entry[0])
    options = [find_option(item, name) for name in entry[1]]
    return [
        handles.setdefault(("item", item.pk), make_handle()),
        item.pk,
        [[handles.setdefault(("option", option.pk), make_handle()), option.pk] for option in options],
    ]


def read_reopened(entry: Any, items: dict[str, Item]) -> dict[str, Any] | None:
    if entry is None:
        return None
    if not isinstance(entry, dict):
        raise BadPack(_("The pack describes the second round in an unknown format."))
    return {str(find_item(items, name).pk): asked for name, asked in entry.items()}


def restore_submissions(
    pack: PackReader, study: Study, units: Units, annotators: Mapping[str, Annotator],
    assignments: Mapping[Cell, Assignment],
) -> None:  # fmt: skip
    stages, rows = {stage.name for stage in get_declaration(study).every_stage}, []
    for entry in pack.lines("answers/submissions.jsonl"):
        cell, _unit = read_cell(entry, units, annotators)
        stage = read_string(entry, "stage", 40)
        if cell not in assignments or stage not in stages:
            raise BadPack(_("The pack has an invalid assignment for “%(who)s”.") % {"who": show_name(cell[0])})
        times = {name: read_time(entry, name) for name in ("opened_at", "submitted_at")}
        active = read_count(entry, "active_seconds") if entry.get("active_seconds") is not None else None
        rows.append(Submission(assignment=assignments[cell], stage=stage, active_seconds=active, **times))
    Submission.objects.bulk_create(rows, batch_size=BATCH)


def restore_matches(pack: PackReader, study: Study) -> None:
    """Store which published generator each generator of the study is; packs of earlier versions do not say so."""
    matches = pack.object("study/history.json").get("published_names") or {}
    try:
        store_matches(study, list_published_generators(study.protocol), dict(matches), None)
    except BadMatch as error:
        raise BadPack(str(error)) from None


def restore_codes(pack: PackReader, study: Study, items: dict[str, Item]) -> None:
    """Store the team's codes, those of each independent coder, and the decisions; earlier packs have only the first."""
    for entry in pack.lines("answers/codes.jsonl"):
        restore_code(study, items, entry, None)
    codings: dict[int, IndependentCoding] = {}
    for entry in read_lines(pack, "answers/coders.jsonl"):
        number = read_count(entry, "coder")
        if number not in codings:
            finished = read_time(entry, "finished_at") or timezone.now()
            codings[number] = IndependentCoding.objects.create(study=study, finished_at=finished)
        restore_code(study, items, entry, codings[number])
    for entry in read_lines(pack, "answers/code_decisions.jsonl"):
        restore_decision(study, items, entry)


def restore_code(study: Study, items: dict[str, Item], entry: dict[str, Any], coding: IndependentCoding | None) -> None:
    item, has_span = find_item(items, entry.get("item_id")), entry.get("start") is not None
    made = ItemCode.objects.create(
        study=study,
        item=item,
        coding=coding,
        code=read_code(study, entry, "code"),
        option=find_option(item, entry["option_id"]) if entry.get("option_id") else None,
        start=read_count(entry, "start") if has_span else None,
        end=read_count(entry, "end") if has_span else None,
        note=read_string(entry, "note", 100_000),
    )
    ItemCode.objects.filter(pk=made.pk).update(set_at=read_time(entry, "set_at") or made.set_at)


def restore_decision(study: Study, items: dict[str, Item], entry: dict[str, Any]) -> None:
    made = CodeDecision.objects.create(
        study=study,
        item=find_item(items, entry.get("item_id")),
        question=read_string(entry, "question", 130),
        value=read_code(study, entry, "value") if entry.get("value") else "",
        reason=read_string(entry, "reason", 500),
    )
    CodeDecision.objects.filter(pk=made.pk).update(decided_at=read_time(entry, "decided_at") or made.decided_at)


def read_code(study: Study, entry: dict[str, Any], name: str) -> str:
    code = read_string(entry, name, 130)
    if not is_known(study.protocol, code):
        raise BadPack(_("“%(code)s” is not a code of this protocol.") % {"code": show_name(code)})
    return code
