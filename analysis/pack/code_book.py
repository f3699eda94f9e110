"""The code book of a whole pack: every column of every table and every field of every object, with type and meaning.

Like all files of a pack it is in English.
"""

from collections.abc import Iterator

from analysis.choices import CONVENTIONS, DEFAULT_CONVENTION, Choices
from analysis.exports.codebook import build_codebook
from analysis.reports.report import Report
from analysis.services.reporting import list_software_versions
from analysis.tables.spec import Table
from studies.models import Study
from studies.services.responses.rows import add_unit_items

COLUMNS = ("file", "column", "type", "meaning", "values")
TEXT, WHOLE, NUMBER, TRUTH, TIME, LIST, OBJECT = (
    "text", "whole number", "number", "true or false", "time (ISO 8601)", "list", "object",
)  # fmt: skip
Entry = tuple[str, str, str]  # column, type, meaning

CODE: tuple[Entry, ...] = (
    ("item_id", TEXT, "the item that a researcher coded"),
    ("option_id", TEXT, "the option that the code is about; null if it is about the whole item"),
    ("code", TEXT, "the finding, such as wrong_key"),
    ("start", WHOLE, "position of the first character of the quoted part of the text; null without a quote"),
    ("end", WHOLE, "position after its last character"),
    ("note", TEXT, "the researcher's note"),
    ("set_at", TIME, "when it was set"),
)
FILES: dict[str, tuple[Entry, ...]] = {
    "study/units.jsonl": (
        ("unit", WHOLE, "number of the unit in the study"),
        ("text_id", TEXT, "the text that it is about"),
        ("part", TEXT, "main, or calibration: what all annotators did first"),
        ("block", WHOLE, "1; of texts added after the launch, the number of that addition, from 2 (history.json)"),
        ("items", LIST, "ids of its items, in the study's order"),
    ),
    "study/history.json": (
        ("state", TEXT, "live, paused, closed or imported"),
        ("instrument", OBJECT, "file, version and hash of the wording"),
        ("variants", OBJECT, "by name of the variant: file, version and hash of its wording"),
        ("created_at", TIME, "when the study was made"),
        ("launched_at", TIME, "when it was launched and frozen"),
        ("main_opened_at", TIME, "when the main part was opened after a calibration; null without one"),
        ("closed_at", TIME, "when it was closed; null where it was not"),
        (
            "people_texts",
            OBJECT,
            "the draw of the texts that people answered, null if they answered all: n, by (equal chance or doubt),"
            " rests_on (probability or disagreement of models), seed, made_at, and texts in the order drawn: text_id,"
            " probability, doubt (null without), whether it was drawn, and in which further round;"
            " later: the further rounds",
        ),
        (
            "blocks",
            LIST,
            "texts added after the launch: number (from 2), added_at, texts, units, and finished_too: whether people"
            " who had already finished received them",
        ),
        ("published_names", OBJECT, "by generator: the published one that a researcher matched with it, or nothing"),
    ),
    "bank/items.jsonl": (
        ("id", TEXT, "id of the text"),
        ("title", TEXT, "its title; its id where the title would quote a text that may not be shared"),
        ("text", TEXT, "its words; where they may not be shared, sha256: followed by their hash"),
        ("language", TEXT, "code of its language"),
        ("versions", LIST, "its versions, if there are any: name, text, and language if it differs"),
        ("items", LIST, "its items: id, generator, question, multiple, answers, answer, reference, metadata"),
        ("items.answers", LIST, "the options: id, text, correct (as known now), explanation"),
        ("items.answer", TEXT, "the expected answer of an open question"),
        ("items.reference", TRUTH, "whether the item is the reference to which others are compared"),
        ("metadata", OBJECT, "data set, split, and other imported fields"),
    ),
    "bank/generators.jsonl": (
        ("name", TEXT, "name of who or what wrote items"),
        ("kind", TEXT, "person, model, rule or data set"),
        ("description", TEXT, "as the researchers put it"),
        ("factors", OBJECT, "such as family and setting; reports contrast along them"),
        ("runs", LIST, "of a model: model, prompts, params, state, n_calls, started_at, finished_at"),
    ),
    "bank/key_corrections.jsonl": (
        ("item_id", TEXT, "the item"),
        ("option_id", TEXT, "the option"),
        ("correct", TRUTH, "whether the option is a key since then"),
        ("reason", TEXT, "why, as the researchers put it"),
        ("made_at", TIME, "when it was corrected"),
    ),
    "bank/versions.json": (
        ("texts", OBJECT, "by id, the version that the study showed, where it is not the first"),
        ("items", OBJECT, "the same of items"),
    ),
    "bank/metrics.jsonl": (
        ("metric", TEXT, "its name"),
        ("is_computed", TRUTH, "whether Lesart computed it; else it was imported"),
        ("family", TEXT, "family of its base model; empty without one"),
    ),
    "bank/metrics.csv": (
        ("text_id", TEXT, "the text of the item"),
        ("item_id", TEXT, "the item"),
        ("item_version", WHOLE, "which version of the item"),
        ("generator", TEXT, "who or what wrote the item"),
        ("metric", TEXT, "name of the metric"),
        ("is_computed", TRUTH, "whether Lesart computed it; else it was imported"),
        ("value", NUMBER, "its value; empty where it is undefined"),
        ("reason", TEXT, "why it is undefined"),
    ),
    "answers/unanswered.csv": (
        ("annotator", TEXT, "the model that was asked"),
        ("model", TEXT, "the model behind it"),
        ("reading", TEXT, "how its answers are read: label or probability"),
        ("stage", TEXT, "the stage"),
        ("text_id", TEXT, "the text"),
        ("item_id", TEXT, "the item"),
        ("item_version", WHOLE, "which version of the item"),
        ("option_id", TEXT, "the option, if it was asked about one"),
        ("other_item_id", TEXT, "the second item of a pair"),
        ("question", TEXT, "what was asked"),
        ("parse_status", TEXT, "why there is no answer: unparsed, empty, cut, refused, not_asked, open, or a failure"),
        ("reason", TEXT, "the same in words"),
        ("raw_output", TEXT, "what it wrote"),
        ("prompt_version", TEXT, "the prompts: name/language/version"),
    ),
    "answers/annotators.jsonl": (
        ("annotator", TEXT, "the annotator's code, the same in all files"),
        ("kind", TEXT, "human, model or baseline"),
        ("group", TEXT, "the group; empty without one"),
        ("person", TEXT, "equal codes mean the same person; given by the pack"),
        ("purpose", TEXT, "main, pilot, simulated, or expert: judges the answers of others"),
        ("model", TEXT, "the model; empty for people"),
        ("reading", TEXT, "how answers are read: ticked, label or probability"),
        ("seat", WHOLE, "the row of the plan that the annotator worked through"),
        ("variant", TEXT, "the variant that was drawn; null without variants"),
        ("background", OBJECT, "answers to background questions that were chosen from a list, by name of the question"),
        ("evaluator", OBJECT, "how a model or baseline was asked: method, stages, params, file of its prompt"),
    ),
    "answers/assignments.jsonl": (
        ("annotator", TEXT, "who"),
        ("unit", WHOLE, "which unit"),
        ("round", WHOLE, "1; 2 where scores were given back to the annotator for a second round"),
        ("position", WHOLE, "place of the unit among those of the annotator, from 0"),
        ("text_version", TEXT, "the version of the text that was shown; only in studies that compare text versions"),
        ("stage", TEXT, "the stage that was reached, or done"),
        ("shown", OBJECT, "by stage, [item, [option, …]] in the order in which they were shown; a pair: left first"),
        ("reopened", OBJECT, "of a later round or an expert: what was asked again and what was shown with it"),
        ("finished_at", TIME, "when it was finished; null where it was not"),
    ),
    "answers/submissions.jsonl": (
        ("annotator", TEXT, "who"),
        ("unit", WHOLE, "which unit"),
        ("round", WHOLE, "which round"),
        ("stage", TEXT, "the stage that was handed in"),
        ("opened_at", TIME, "when it was opened; null if unknown"),
        ("submitted_at", TIME, "when it was handed in; null if unknown"),
        ("active_seconds", WHOLE, "how long the annotator was active on it; null if unknown"),
    ),
    "answers/codes.jsonl": CODE,
    "answers/coders.jsonl": (
        ("coder", WHOLE, "number of a coder who coded alone"),
        ("finished_at", TIME, "when this coder had finished"),
        *CODE,
    ),
    "answers/code_decisions.jsonl": (
        ("item_id", TEXT, "the item on which coders differ"),
        ("question", TEXT, "the kind, if an item has one code of the kind; else the code, which it has or has not"),
        ("value", TEXT, "the code that was decided; empty: none"),
        ("reason", TEXT, "why"),
        ("decided_at", TIME, "when"),
    ),
    "datasheet/heds.json": (
        ("template", TEXT, "whose questions these are"),
        ("entries", LIST, "number, section, criterion (of section 4), question, answer (null: to be filled in)"),
    ),
    "manifest.json": (
        ("format", TEXT, "name and number of this format"),
        ("study", TEXT, "short name of the study"),
        ("seeds", OBJECT, "seed of the study (orders), seed of the report (draws)"),
        ("convention", TEXT, "which intervals are in low and high: " + ", ".join(CONVENTIONS)),
        ("shared_texts", TRUTH, "whether only texts that people and all models answered are in the figures"),
        ("dropped", LIST, "what comparisons of metrics leave out: duplicates, references"),
        ("included_purposes", LIST, "whose answers are in the figures"),
        ("calibration", TRUTH, "whether answers of a calibration are in the results"),
        ("adjudicated", TRUTH, "whether decisions of an adjudication replace people's answers"),
        ("dif_by", TEXT, "the background question whose answers form the groups of DIF; empty: the study's groups"),
        ("n_responses", WHOLE, "rows of answers/responses.csv"),
        ("texts_withheld", LIST, "ids of texts whose words are replaced by hashes"),
        ("codes_replaced", WHOLE, "how many people have another code here than in the study"),
        ("versions", OBJECT, "versions of Lesart and of the packages that computed the figures"),
        ("files", OBJECT, "by name, SHA-256 and number of bytes of every other file"),
    ),
}  # fmt: skip


def list_entries(study: Study, report: Report) -> Iterator[tuple[str, str, str, str, str]]:
    """Rows with the columns of `COLUMNS`, file by file."""
    for name, entries in FILES.items():
        for column, kind, meaning in entries:
            yield name, column, kind, meaning, ""
    for column in add_unit_items(study, ()):
        yield "answers/unanswered.csv", column, TEXT, "the items that were compared, separated by blanks", ""
    for row in build_codebook(study).rows:
        yield "answers/responses.csv", row["column"], name_type(row["column"]), row["meaning"], row["values"]
    for table in report.tables:
        for column in table.header:
            yield f"report/tables/{table.name}.csv", column, detect_type(table, column), find_meaning(table, column), ""


COUNTED = ("round", "unit", "item_version", "position_shown", "order_in_session", "n_changes", "sequence",
           "active_seconds", "idle_seconds", "attention_right", "attention_asked")  # fmt: skip
TRUTHS = ("unsure", "key", "correct", "applicable")


def name_type(column: str) -> str:
    """The type of a column of the answers; empty for an entry that is a remark on the file rather than a column."""
    if column.startswith("("):
        return ""
    if column.endswith("_at"):
        return TIME
    return WHOLE if column in COUNTED else TRUTH if column in TRUTHS else NUMBER if column == "probability" else TEXT


def detect_type(table: Table, column: str) -> str:
    """The type according to the contents; empty for an empty column."""
    found = {type(row[column]) for row in table.rows if row.get(column) is not None}
    if found <= {bool}:
        return TRUTH if found else ""
    return WHOLE if found <= {int} else NUMBER if found <= {int, float} else TEXT


def find_meaning(table: Table, column: str) -> str:
    """What pages say about the column, or about the number whose interval it belongs to."""
    for shown in table.columns:
        if column == shown.name:
            return ": ".join(dict.fromkeys(filter(None, (shown.title, shown.about))))
        if column in (shown.low, shown.high):
            return f"{'lower' if column == shown.low else 'upper'} end of the 95 % interval of {shown.name}"
        if column == shown.reason:
            return f"why {shown.name}, or its interval, is undefined"
        if column == shown.n:
            return f"number of {shown.counts} that {shown.name} is computed from"
    return KNOWN.get(column) or KNOWN.get(f"*{get_last_word(column)}", "") or column.replace("_", " ")


def get_last_word(column: str) -> str:
    return column.rpartition("_")[2]


KNOWN = {
    "evaluator": "whose answers: human (all people), human:GROUP, or the label of a model or baseline",
    "evaluator_kind": "human, model or baseline",
    "generator": "who or what wrote the items",
    "reading": "how answers are read: ticked, label or probability",
    "interval": "how the interval was computed",
    "replicates": "number of leave-one-out values or draws from which the interval was computed",
    "seed": "seed of the draws; empty without draws",
    "reason": "why a number of the row is undefined",
    "mark": "best, or among the best or worst",
    "n": "number of answers that the row is computed from",
    "*low": "lower end of the 95 % interval",
    "*high": "upper end of the 95 % interval",
    "*reason": "why the number before is undefined",
}

WORDS = """# Replication pack: {title}

Everything that the numbers of the study “{slug}” are computed from, as exported by Lesart {lesart}. Lesart evaluates
questions on texts: annotators (people, models, baselines) answer items about texts, and reports say what their answers
show. This study follows the protocol {protocol}.

| folder | holds |
| --- | --- |
| `codebook.csv` | every column and field of the files below, with its type and meaning |
| `study` | the frozen study (`study.yaml` is read by `create_study`), its dates, its units |
| `instruments` | every wording and prompt that was used, as YAML |
| `bank` | texts, items and generators (`items.jsonl` is read by `import_items`), corrections of keys, metrics |
| `answers` | the answers with their code book, who gave them (codes only), orders, times, codes of items |
| `report` | every table (CSV, JSON, TeX) and figure (SVG, PNG, Vega-Lite) |
| `datasheet` | a datasheet of human evaluation, and drafts of a methods paragraph |
| `manifest.json` | seeds, versions, and the SHA-256 of every other file |

Files are UTF-8. CSV has commas and a first line of names; an empty cell is a missing value, and words such as NA are
ordinary text: `pandas.read_csv(FILE, keep_default_na=False)`, in R
`read.csv(FILE, na.strings = "", encoding = "UTF-8")`. A text that a spreadsheet would run as a formula has an
apostrophe in front. JSON lines (`.jsonl`) have one object per line. Ids join the files: text_id, item_id, option_id,
annotator, unit.

To compute everything again with Lesart:

```sh
python manage.py create_project {slug}-again
python manage.py import_pack PACK.zip --project {slug}-again --slug {slug}-again
python manage.py report {slug}-again --out again{options}
```

With the versions that the manifest names, tables and Vega-Lite specifications are identical to the byte.

What is left out or replaced, and why:

- People have codes here, without names, addresses and links. If one of their codes in the study could be a name, all of
  them have other codes here. What they wrote themselves (comments, free answers) is unchanged except for e-mail
  addresses, which are removed: read it before you publish this pack.
- A text that may not be shared is replaced by its SHA-256 and its number of tokens; so is what people and models wrote
  about it in their own words. Questions, options and anything else that quotes five of its words in a row are replaced
  by `sha256:…`, cut or filled to the length of the original.
- Calls to models are not included; what they answered is in `answers/responses.csv`, word for word in `raw_output`.
"""


def read_me(study: Study, choices: Choices) -> str:
    return WORDS.format(
        title=study.title,
        slug=study.slug,
        protocol=study.protocol,
        lesart=list_software_versions()["lesart"],
        options=write_command_options(study, choices),
    )


def write_command_options(study: Study, choices: Choices) -> str:
    """The options with which the command `report` makes the same choices."""
    options = [f" --convention {choices.convention}"] if choices.convention != DEFAULT_CONVENTION else []
    options += [f" --include {','.join(choices.extra_purposes)}"] if choices.extra_purposes else []
    options += [] if choices.calibration else [" --calibration without"]
    options += [f" --drop {','.join(choices.dropped)}"] if choices.dropped else []
    options += [" --texts shared"] if choices.shared_texts else []
    options += [" --adjudicated"] if choices.adjudicated else []
    options += [f" --dif-by {choices.dif_by}"] if choices.dif_by else []
    options += [f" --seed {choices.seed}"] if choices.seed != abs(study.seed) else []
    return "".join(options)
