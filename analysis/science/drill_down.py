"""The answers behind the numbers in the tables of `analysis.science`."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.reports.drill_down import ANSWER, ITEM, TEXT, list_counted, list_judgments, list_rows
from analysis.reports.evaluators import HUMAN, find_evaluator, get_people
from analysis.science import tables
from analysis.science.common import get_reading_stages
from analysis.science.flaws import average_by_item, code_flaws
from analysis.science.joined import INFORMATIVITY, find_texts_done, name_stages
from analysis.science.labels import collect_labels
from analysis.science.raters import collect_ratings, find_complete_ratings
from analysis.science.readers import group_people
from analysis.science.scores import TEXTS, find_complete_block
from analysis.tables.spec import Row, Table, TableSpec
from studies.services.declarations import get_declaration
from studies.services.text_versions import label_version, list_text_versions


def list_tables() -> tuple[TableSpec, ...]:
    return tables.TABLES


def select_people_judgments(evidence: Evidence) -> pd.DataFrame:
    return get_people(evidence).select_rows(evidence.judgments)


def keep_with_text(evidence: Evidence) -> pd.DataFrame:
    """People's judgments with the text."""
    stages, mine = get_reading_stages(evidence), select_people_judgments(evidence)
    assert stages is not None
    return mine[mine["stage"] == stages.with_text]


def list_if_counted(evidence: Evidence, judgments: pd.DataFrame, column: str) -> Table:
    """The texts, items or people that a column counts, else the judgments."""
    counted = {"n_people": "n_annotators", "n_raters": "n_annotators"}.get(column, column)
    if counted in ("n_texts", "n_items", "n_annotators"):
        return list_counted(evidence, judgments, counted)
    return list_judgments(evidence, judgments)


@tables.JOINED.drill_down
def list_joined(evidence: Evidence, row: Row, column: str) -> Table:
    """Judgments by people about the drawn texts, and by models about all."""
    judgments = evidence.judgments
    asked = judgments["stage"].isin(name_stages(evidence, row["measure"]))
    about = judgments[(judgments["generator"] == row["generator"]) & asked]
    mine = get_people(evidence).select_rows(about)
    if column == "n_texts":
        return list_counted(evidence, mine[mine["text_id"].isin(find_texts_done(mine))], column)
    if column == "n_texts_all":
        options = evidence.options
        texts = evidence.texts["text_id"].isin(options[options["generator"] == row["generator"]]["text_id"])
        return list_rows(evidence, evidence.texts[texts], TEXT, _("The texts"))
    models = about["annotator"].isin(row["predictor"].split(", ")) if row["method"] != "people only" else False
    return list_judgments(evidence, about[about.index.isin(mine.index) | models])


@tables.JOINED_CONTRASTS.drill_down
def list_joined_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    mine = select_people_judgments(evidence)
    mine = mine[mine["stage"].isin(name_stages(evidence, INFORMATIVITY))]
    return list_if_counted(evidence, mine[mine["generator"].isin([row["generator_a"], row["generator_b"]])], column)


@tables.OTHERS.drill_down
def list_others(evidence: Evidence, row: Row, _column: str) -> Table:
    """All answers by the evaluator, or those to the question that is the measure."""
    mine = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.frame)
    asked = mine["question"] == row["measure"]
    return list_rows(evidence, mine[asked] if asked.any() else mine, ANSWER, _("The answers"))


@tables.JOINED_VERSIONS.drill_down
def list_joined_versions(evidence: Evidence, row: Row, column: str) -> Table:
    """Judgments with the text in either version, by people and by the models."""
    versions = list_text_versions(evidence.study)
    pair = [row["version"], row["compared_with"]]
    models = row["predictor"].split(", ") if row["method"] != "people only" and row["predictor"] else []
    codes = get_people(evidence).codes | {label_version(name, each, versions) for name in models for each in pair}
    stages, frame = get_reading_stages(evidence), evidence.frame
    assert stages is not None
    read = frame[
        (frame["stage"] == stages.with_text) & frame["text_version"].isin(pair) & (frame["question"] == "answer")
    ]
    if column == "n_texts":
        mine = get_people(evidence).select_rows(read)
        both = mine.groupby("text_id")["text_version"].transform("nunique") == 2
        return list_counted(evidence, mine[both], column)
    if column == "n_texts_all":
        texts = evidence.texts["text_id"].isin(evidence.options["text_id"])
        return list_rows(evidence, evidence.texts[texts], TEXT, _("The texts"))
    return list_rows(evidence, read[read["annotator"].isin(codes)], ANSWER, _("The answers"))


@tables.CARRY_OVER.drill_down
def list_carry_over(evidence: Evidence, _row: Row, column: str) -> Table:
    """With the text: judgments of items that some people had guessed and others not, or by those who had not."""
    stages, mine = get_reading_stages(evidence), select_people_judgments(evidence)
    assert stages is not None
    who = ["annotator", "item_id"]
    before = pd.MultiIndex.from_frame(mine[mine["stage"] == stages.without][who])
    read = mine[mine["stage"] == stages.with_text]
    read = read.assign(guessed=pd.MultiIndex.from_frame(read[who]).isin(before))
    if column == "others_only":
        return list_judgments(evidence, read[~read["guessed"]])
    both = read.groupby("item_id")["guessed"].transform("nunique") == 2
    return list_if_counted(evidence, read[both], column)


@tables.TEXT_VERSION_TEXTS.drill_down
@tables.TEXT_VERSIONS.drill_down
def list_versions(evidence: Evidence, row: Row, column: str) -> Table:
    """The answers of people, or of a model in all versions, with the text in either version."""
    versions = list_text_versions(evidence.study)
    name = row.get("evaluator", HUMAN)
    codes = get_people(evidence).codes if name == HUMAN else {label_version(name, each, versions) for each in versions}
    frame = evidence.frame
    either = frame["text_version"].isin([row["version"], row["compared_with"]]) & frame["annotator"].isin(codes)
    stages = {stage.name for stage in get_declaration(evidence.study).stages if "text" in stage.shows}
    read = frame[either & frame["stage"].isin(stages)]
    if "text_id" in row:
        read = read[read["text_id"] == row["text_id"]]
    if column == "n_baseline":
        read = read[read["text_version"] == row["compared_with"]]
    elif column == "n_annotators" and "text_id" in row:
        read = read[read["text_version"] == row["version"]]
    if column in ("n_texts", "n_annotators"):
        return list_counted(evidence, read, column)
    asked = read["question"] == row["measure"]
    return list_rows(evidence, read[asked] if asked.any() else read, ANSWER, _("The answers"))


@tables.RELIABILITY.drill_down
def list_reliability(evidence: Evidence, row: Row, column: str) -> Table:
    """The answers of the people and texts of the largest complete block."""
    read = find_complete_block(keep_with_text(evidence))
    counted = {"n_parts": "n_texts" if row["parts"] == TEXTS else "n_items"}.get(column, column)
    return list_if_counted(evidence, read, counted)


@tables.GENERATOR_G_STUDY.drill_down
@tables.D_STUDY.drill_down
@tables.G_STUDY.drill_down
def list_ratings(evidence: Evidence, row: Row, column: str) -> Table:
    rows = select_ratings(evidence, row["question"], row["group"])
    if "n_generators" in row:
        texts, raters = find_complete_ratings(rows)
        rows = rows[rows["annotator"].isin(raters) & rows["text_id"].isin(texts)]
        if column == "n_texts":
            return list_counted(evidence, rows, column)
    if column in ("n_items", "n_raters"):
        return list_counted(evidence, rows, "n_items" if column == "n_items" else "n_annotators")
    return list_rows(evidence, rows, ANSWER, _("The answers"))


@tables.FAIR_MEANS.drill_down
def list_fair_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The ratings of the generator's items; severity is estimated from those of all generators."""
    rows = select_ratings(evidence, row["question"], "")
    mine = rows[rows["generator"] == row["generator"]]
    if column == "n_items":
        return list_counted(evidence, mine, column)
    return list_rows(evidence, mine if column == "raw" else rows, ANSWER, _("The answers"))


@tables.SEVERITY.drill_down
def list_severity(evidence: Evidence, row: Row, column: str) -> Table:
    """The rater's own ratings; those of items that others rated, too; or everybody's, from which severity is
    estimated."""
    rows = select_ratings(evidence, row["question"], "")
    shared = rows.groupby("item_id")["annotator"].transform("size") > 1
    mine = rows["annotator"] == row["annotator"]
    chosen = {"n": mine & shared, "severity": mine | ~mine, "r_others": shared}.get(column, mine)  # mine | ~mine: all
    return list_rows(evidence, rows[chosen], ANSWER, _("The answers"))


@tables.LABEL_SEVERITY.drill_down
@tables.FAIR_SHARES.drill_down
def list_labels(evidence: Evidence, row: Row, column: str) -> Table:
    """The rater's labels, those of items that others labeled, too, those of the generator, or all."""
    frame = next(each.frame for each in collect_labels(evidence) if each.question.name == row["question"])
    rows = evidence.every_round.loc[frame.index]
    shared = rows.groupby("item_id")["annotator"].transform("size") > 1
    mine = rows["annotator"] == row["annotator"] if "annotator" in row else rows["generator"] == row["generator"]
    if column == "n_items":
        return list_counted(evidence, rows[mine], column)
    chosen = {"n": mine & shared, "severity": mine | ~mine, "fair": mine | ~mine}.get(column, mine)  # mine | ~mine: all
    return list_rows(evidence, rows[chosen], ANSWER, _("The answers"))


def select_ratings(evidence: Evidence, question: str, group: str) -> pd.DataFrame:
    """Ratings of round 1 to a question, of all people or of a group."""
    return next(
        each.frame for each in collect_ratings(evidence) if (each.question.name, each.group) == (question, group)
    )


@tables.RASCH.drill_down
def list_item_answers(evidence: Evidence, row: Row, column: str) -> Table:
    """People's judgments of the item with the text."""
    read = keep_with_text(evidence)
    return list_if_counted(evidence, read[read["item_id"] == row["item_id"]], column)


@tables.DEPENDENT_PAIRS.drill_down
def list_pair_answers(evidence: Evidence, row: Row, column: str) -> Table:
    """People's judgments of both items with the text, of those who answered both."""
    read = keep_with_text(evidence)
    mine = read[read["item_id"].isin([row["item_a"], row["item_b"]])]
    both = mine.groupby("annotator")["item_id"].transform("nunique") == 2
    return list_if_counted(evidence, mine[both], column)


@tables.PERSON_FIT.drill_down
def list_person_answers(evidence: Evidence, row: Row, column: str) -> Table:
    """The person's judgments with the text."""
    read = keep_with_text(evidence)
    return list_if_counted(evidence, read[read["annotator"] == row["annotator"]], column)


def select_group_judgments(evidence: Evidence) -> pd.DataFrame:
    """Judgments with the text by people of the two groups that are compared item by item."""
    groups, read = group_people(evidence), keep_with_text(evidence)
    assert groups is not None
    return read[read["annotator"].isin(groups.people)]


@tables.TEXT_DIF.drill_down
def list_text_answers(evidence: Evidence, row: Row, column: str) -> Table:
    """Judgments of the text's items by people of both groups."""
    mine = select_group_judgments(evidence)
    return list_if_counted(evidence, mine[mine["text_id"] == row["text_id"]], column)


@tables.DEPENDENCE.drill_down
def list_all_answers(evidence: Evidence, _row: Row, column: str) -> Table:
    return list_if_counted(evidence, keep_with_text(evidence), column)


@tables.DIF.drill_down
def list_group_answers(evidence: Evidence, row: Row, column: str) -> Table:
    """Judgments of the item, or of all items if the row names none, by people of both groups."""
    mine = select_group_judgments(evidence)
    return list_if_counted(evidence, mine[mine["item_id"] == row["item_id"]] if row["item_id"] else mine, column)


@tables.FLAWS.drill_down
def list_flawed(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with the flaw, those to which its rule applies, or the answers to items done in both stages."""
    coded = code_flaws(evidence)
    answered = coded.index.isin(average_by_item(evidence).index)
    if column in ("n_items", "n_asked"):
        chosen = coded[coded[row["flaw"]].notna() if column == "n_asked" else coded[row["flaw"]].eq(True)]
        return list_rows(evidence, select_items(evidence, chosen.index), ITEM, _("The items"))
    mine = select_people_judgments(evidence)
    if column != "n_texts":
        return list_judgments(evidence, mine[mine["item_id"].isin(coded.index[answered])])
    kinds = coded[answered].groupby("text_id")[row["flaw"]].agg(lambda marks: marks.eq(True).nunique())
    return list_counted(evidence, mine[mine["text_id"].isin(kinds.index[kinds == 2])], column)


@tables.FLAWED_ITEMS.drill_down
def list_signs(evidence: Evidence, row: Row, column: str) -> Table:
    """People's answers to the item with the text: of distractors, or of all options."""
    read = keep_with_text(evidence) if get_reading_stages(evidence) else select_people_judgments(evidence).iloc[:0]
    mine = read[read["item_id"] == row["item_id"]]
    if column in ("rarest", "n_rare"):
        options = evidence.options[evidence.options["item_id"] == row["item_id"]]
        mine = mine[mine["option_id"].isin(options[~options["key"].astype(bool)]["option_id"])]
    return list_if_counted(evidence, mine, column)


def select_items(evidence: Evidence, ids: pd.Index) -> pd.DataFrame:
    return evidence.items[evidence.items["item_id"].isin(ids)]
