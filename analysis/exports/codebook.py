"""The code book of an export: each column, its meaning, and its values in this study."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analysis.exports import writing
from analysis.frames.export_rows import CHECKS, CONSENT_VERSION, list_export_columns
from analysis.tables.spec import Table, TableSpec
from studies.models import Study
from studies.phases import PROFILE
from studies.protocols import Question, Stage
from studies.services.declarations import get_declaration, list_declarations
from studies.services.phases import get_phases
from studies.services.responses.rows import UNIT_ITEMS

COLUMNS = ("column", "meaning", "values")


def build_codebook(study: Study) -> Table:
    """All columns of the long, wide and JSON exports, in the order of the long one."""
    known = describe_columns(study)
    rows = [dict(zip(COLUMNS, (column, *known[column]), strict=True)) for column in list_export_columns(study)]
    rows += [dict(zip(COLUMNS, entry, strict=True)) for entry in describe_files()]
    return TableSpec("codebook", "", COLUMNS).build(rows)


def describe_files() -> Iterator[tuple[str, str, str]]:
    """Remarks that hold for all files."""
    fixed = ", ".join(writing.COLUMNS)
    yield (
        _("(wide file)"),
        _("One row per unit, stage, item, option and question; one column per annotator after the fixed "
          "columns."),
        _("Fixed columns: %(columns)s. Then each annotator's value of their latest round; an annotator whose code is "
          "the name of a fixed column is called annotator:CODE. Probabilities, unsure marks and times are in the "
          "long file.")
        % {"columns": fixed},
    )  # fmt: skip
    yield (
        _("(empty cells)"),
        _("The column does not apply to the row, or the value is not known."),
        _("Nothing in CSV, null in JSON lines. Words such as NA, None or null are texts like any other."),
    )
    yield (
        _("(apostrophe)"),
        _("In CSV files a text that a spreadsheet would run as a formula has an apostrophe in front."),
        _("That is: a text that starts with =, +, -, @, a tab or a line break, also after apostrophes. Take one "
          "apostrophe away to get the text back; the import does. Numbers and JSON lines are never marked."),
    )  # fmt: skip
    yield (
        _("(missing answers)"),
        _("unanswered.csv: what a model was asked for and did not answer, with the reason and what it wrote."),
        _("parse_status there: unparsed (no answer in the reply), empty, cut, refused, not_asked, open (not yet "
          "answered), or the failure of the call, such as server or too_long. Nothing is guessed for these."),
    )  # fmt: skip
    yield (
        _("(metrics)"),
        _("metrics.csv: the automatic and imported metrics of the items, a row per item and metric."),
        _("is_computed is false for imported metrics. An empty value is undefined, and the reason says why."),
    )
    yield (
        _("(rows)"),
        _("All submitted answers of all rounds. Drafts are not exported."),
        _("Units that were given back are left out."),
    )


def describe_columns(study: Study) -> dict[str, tuple[str, str]]:
    """Meaning and values of each column of the long file."""
    truth = "true, false"
    an_id = _("as imported or entered; the researcher's own")
    time = _("ISO 8601 with its offset from UTC; empty if unknown")
    return {
        "annotator": (_("The code of who answered"), _("unique in the study")),
        "annotator_kind": (_("What the annotator is"), "human, model, baseline"),
        "group": (_("The group of the annotator"), ", ".join(study.groups) or _("no groups in this study")),
        "round": (_("Round number"), _("1, 2, …; the highest counts in reports")),
        "stage": (_("The stage in which the question was asked"), list_stage_values(study)),
        "text_id": (_("The id of the text"), an_id),
        "item_id": (_("The id of the item"), an_id),
        "option_id": (_("The id of the option, if the question is asked of an option"), an_id),
        "other_item_id": (_("The second item of a pair"), _("pairwise studies only")),
        "question": (_("What was asked"), list_question_values(study)),
        "value": (_("What was answered"), list_answer_values(study)),
        "probability": (_("p(true) of a model"), _("0 to 1; empty for people")),
        "unsure": (_("Whether the annotator marked the option as unsure"), _("true, false; empty where not asked")),
        "shown_left": (_("The item of a pair that stood on the left"), _("pairwise studies only")),
        "person": (_("The code under which the same person is known in other studies"), _("empty if not given")),
        "purpose": (_("Purpose of the answer; reports use main"), "main, pilot, preview, simulated, expert"),
        "part": (_("The part of the study"), "main, calibration"),
        "submitted_at": (_("When the stage was handed in"), time),
        "comment": (_("What the annotator wrote about the answer"), _("text")),
        "model": (_("The model behind a model annotator"), _("empty for people")),
        "reading": (_("How the answer was read"), "ticked, label, probability"),
        "study": (_("The short name of the study"), study.slug),
        "instrument_version": (_("The wording that was shown"), _("name/language/version")),
        "unit": (_("The number of the unit (the text) in the study"), "1, 2, …"),
        "item_version": (_("Which version of the item was shown"), "1, 2, …"),
        "generator": (_("Who or what wrote the item"), _("name of the generator")),
        "key": (_("Whether the option is a key, as known when exported"), truth),
        "correct": (_("Whether the tick equals the key: answer = key"), truth),
        "applicable": (
            _("Always true: a question that was not asked has no row here; the wide export marks it"),
            truth,
        ),
        "position_shown": (_("Position of the option in its item, as shown to this annotator"), _("1 = first")),
        "order_in_session": (
            _("Position of the item among all items shown to the annotator, stage after stage"),
            _("1 = first; empty in imported studies"),
        ),
        "opened_at": (
            _("When the stage was opened; later breaks are not recorded"),
            time,
        ),
        "first_answered_at": (_("When the item was first answered in this stage"), time),
        "last_changed_at": (_("When the answer to the item was last changed in this stage"), time),
        "n_changes": (_("Number of changes to the item's answer before it was submitted"), "0, 1, …"),
        "raw_output": (
            _("The model's reply, word for word; for a pair the replies to both orders"),
            _("text, of a pair a JSON list of two; empty for people, baselines and imports"),
        ),
        "parse_status": (_("How the answer was read from what the model wrote"), describe_parse_statuses()),
        "prompt_version": (
            _("The prompts that the model was asked with"),
            _("name/language/version, or empty"),
        ),
        "text_version": (
            _("The version of the text that was read"),
            ", ".join(study.plan.get("text_versions", ())) or _("no versions of texts in this study"),
        ),
        "block": (_("The block of texts: 1 at the launch, more for texts added later"), "1, 2, …"),
        "block_added_at": (_("When the texts of the block came into the study"), time),
        "variant": (
            _("The variant of the study that the annotator answered"),
            ", ".join(study.variants.values_list("name", flat=True)) or _("no variants in this study"),
        ),
        "sequence": (_("Position of the answer in the order of storage"), "1, 2, …"),
        "active_seconds": (
            _(
                "How long the annotator was active on the stage: the page was visible and had been used within the "
                "last half minute"
            ),
            _("seconds; empty without JavaScript and for models"),
        ),
        "idle_seconds": (_("The rest of the time between opening and handing in the stage"), _("seconds")),
        "adjudication": (
            _("What a researcher decided about the answer; the answer's own value is not changed"),
            _("decided, flagged, excluded; empty if nothing"),
        ),
        "adjudicated_value": (_("The value decided where people disagreed"), list_answer_values(study)),
        "adjudicated_by": (_("The account of who decided, flagged or excluded"), _("not in replication packs")),
        "adjudicated_at": (_("When that was"), time),
        "reason": (_("Why, as the researcher wrote it"), _("text")),
        **describe_phase_columns(study),
        UNIT_ITEMS: (_("The ids of the items that were compared, in stored order, separated by blanks"), an_id),
    }


def describe_phase_columns(study: Study) -> dict[str, tuple[str, str]]:
    """What annotators were asked about themselves, in the words of the study, and their attention checks."""
    found = {
        f"{phase.kind}_{question.name}": (
            question.text,
            ", ".join(level.value for level in question.levels) or _("text"),
        )
        for phase in get_phases(study)
        if phase.kind in PROFILE
        for question in phase.questions
    }
    right, asked = CHECKS
    return found | {
        CONSENT_VERSION: (_("The version of the consent that the annotator agreed to"), _("a version, or a hash")),
        right: (_("How many questions of attention checks the annotator has answered right"), "0, 1, …"),
        asked: (_("How many questions of attention checks the annotator was asked"), "0, 1, …"),
    }


def describe_parse_statuses() -> str:
    return _(
        "parsed: from the first reply; second_reply: after asking again; little_label_mass: p(true) from labels that "
        "have less than half of the probability. Answers that are missing stand in unanswered.csv."
    )


def list_stage_values(study: Study) -> str:
    return ", ".join(stage.name for stage in get_declaration(study).every_stage)


def list_questions(study: Study) -> Iterator[tuple[Stage, Question]]:
    """The questions of all variants, without repetition."""
    found: dict[tuple[str, str], tuple[Stage, Question]] = {}
    for stage in (stage for declaration in list_declarations(study) for stage in declaration.every_stage):
        for question in stage.questions:
            found.setdefault((stage.name, question.name), (stage, question))
    yield from found.values()


def list_question_values(study: Study) -> str:
    return "; ".join(f"{question.name} ({stage.name}, per {question.per})" for stage, question in list_questions(study))


def list_answer_values(study: Study) -> str:
    """The values of each question, without repetition."""
    return "; ".join(
        dict.fromkeys(f"{question.name}: {describe_levels(question)}" for _stage, question in list_questions(study))
    )


def describe_levels(question: Question) -> str:
    if question.kind == "tick":
        return _("true if ticked, else false")
    if question.kind == "text":
        return _("free text")
    if question.kind == "scale":
        return _("%(low)s (worst) to %(high)s (best)") % {"low": question.levels[0], "high": question.levels[-1]}
    listed = ", ".join(map(str, question.levels))
    if question.kind != "pick":
        return listed
    return (
        _("the id of an item of the unit, or %(listed)s") % {"listed": listed} if listed else _("an item of the unit")
    )
