"""Item-writing flaws found by rules, and how flawed items differ from others of the same text and question type."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from analysis.formatting import format_with_interval
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import HOLM, adjust_p_values
from analysis.measures.correlations import WithinTextCoefficients, merge_equal_columns, regress_within_texts
from analysis.measures.item_analysis import miskey
from analysis.measures.reader_intervals import jackknife_parts
from analysis.measures.variance_parts import VarianceParts
from analysis.reports.evaluators import HUMAN, get_people
from analysis.science.common import collect_judgments, estimate_over_texts, get_reading_stages, make_undefined
from analysis.science.tables import FLAWED_ITEMS, FLAWS
from analysis.tables.spec import Table
from items.flaw_rules import GUIDELINES, HUMAN_ONLY, RULES, count_negations, find_flaws, find_question_word
from items.wording import Wording, is_cloze

FEWEST_ITEMS, FEWEST_TEXTS, FEWEST_OF_TYPE = 10, 5, 5
RARE = 0.05  # share of people below which a distractor counts as implausible (Haladyna & Downing 1993)
RULE = "rules"
NAMES = (*RULES, *HUMAN_ONLY, *GUIDELINES)
CODED = {"yes": True, "no": False}
OUTCOMES = ("informativity", "answerability", "guessability")
FLAW_NAMES: dict[str, str | Promise] = {
    "longest_key": gettext_lazy("the longest option is the key"),
    "all_of_the_above": gettext_lazy("“all of the above”"),
    "none_of_the_above": gettext_lazy("“none of the above”"),
    "absolute_terms": gettext_lazy("absolute words in options"),
    "vague_terms": gettext_lazy("vague words in options"),
    "negative_stem": gettext_lazy("negated question"),
    "true_false": gettext_lazy("true or false question"),
    "fill_in_the_blank": gettext_lazy("gap in the question"),
    "complex_options": gettext_lazy("options that join other options"),
    "word_repeats": gettext_lazy("a word of the question is in the key only"),
    "convergence": gettext_lazy("the key shares most words with the other options"),
    "lost_sequence": gettext_lazy("numbers out of order"),
    "logical_cue": gettext_lazy("an option denies another"),
    "unfocused_stem": gettext_lazy("the question does not say what is asked"),
    "gratuitous_stem": gettext_lazy("more than two sentences before the question ends"),
    "grammatical_cue": gettext_lazy("grammar gives the key away"),
    "implausible_distractor": gettext_lazy("a distractor that nobody would choose"),
    "several_right": gettext_lazy("more than one option is right, or none"),
    "ambiguous": gettext_lazy("ambiguous or unclear"),
    "several_aims": gettext_lazy("asks for more than one thing"),
    "trivial_content": gettext_lazy("asks for something unimportant"),
    "copied_wording": gettext_lazy("the key repeats the text word for word"),
    "depends_on_other": gettext_lazy("depends on another question"),
    "wrong_scope": gettext_lazy("too detailed or too general"),
    "opinion": gettext_lazy("asks for an opinion"),
    "trick": gettext_lazy("trick question"),
    "hard_vocabulary": gettext_lazy("language harder than the text"),
    "language_error": gettext_lazy("mistake in spelling or grammar"),
    "wordy": gettext_lazy("more to read than needed"),
    "unclear_task": gettext_lazy("unclear what to do"),
    "overlapping_options": gettext_lazy("an option includes another"),
    "mixed_options": gettext_lazy("options of different kinds"),
    "negative_options": gettext_lazy("negated option"),
    "uneven_options": gettext_lazy("options of uneven length"),
    "far_distractor": gettext_lazy("a distractor that no misreading leads to"),
    "humour": gettext_lazy("an option meant to be funny"),
}
TOO_FEW_ITEMS = gettext_noop("Fewer than 10 items have this flaw (%(n)d).")
TOO_FEW_TEXTS = gettext_noop("Fewer than 5 texts hold items with and without it (%(n)d).")
NO_ANSWERS = gettext_noop("No item was answered by people both without and with the text.")
NEGATED_TWICE = gettext_noop("double negation")
NOT_READ = gettext_noop("Nobody has answered it with the text.")
TOGETHER = gettext_noop("These flaws always occur together and are counted as one: %(flaws)s.")
DETERMINED = gettext_noop("Other flaws or the question type determine this flaw, so it has no effect of its own.")


def build_flaw_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The tables of flaws and of flawed items; none if no item has options."""
    if evidence.options.empty:
        return ()
    coded = code_flaws(evidence)
    values = average_by_item(evidence)
    by_people = {name: sum(name in flaws for flaws in evidence.flaw_codes.values()) for name in NAMES}
    found = list(build_flaw_rows(coded, values, by_people))
    together = dict.fromkeys(row["reason"] for row in found if row["reason"] and row["p_adjusted"] is not None)
    rows = sorted(found, key=lambda row: -row["n_items"])
    return (
        FLAWS.build(rows, evidence.choices.convention, notes=list(together)),
        FLAWED_ITEMS.build(sorted(build_item_rows(evidence, coded), key=lambda row: not row["n_people"])),
    )


def code_flaws(evidence: Evidence) -> pd.DataFrame:
    """The codes by rules, replaced by the majority of people's codes where there is one."""
    coded, people = apply_rules(evidence), evidence.flaw_codes
    places = {place: people[str(item)] for place, item in enumerate(coded.index) if str(item) in people}
    for name in NAMES:
        codes = coded[name].tolist()
        for place, by_people in places.items():
            codes[place] = by_people.get(name, codes[place])
        coded[name] = pd.Series([None if each is None or each != each else each for each in codes], coded.index, object)
    return coded


def take_majority(answers: pd.DataFrame) -> pd.DataFrame:
    """Items × flaws: the majority of yes and no; missing at a tie or without answers."""
    asked = answers[answers["question"].isin(NAMES) & answers["value"].isin(CODED)]
    yes = asked["value"].map({"yes": 1.0, "no": 0.0}).astype(float)
    share = yes.groupby([asked["item_id"], asked["question"]]).mean().unstack("question")
    codes = (share > 0.5).astype(object).where(share.notna() & (share != 0.5), None)
    return codes.reindex(columns=[name for name in NAMES if name in codes])


def apply_rules(evidence: Evidence) -> pd.DataFrame:
    """One row per item with options: text_id, type, negations (words of the question that deny), and a column per
    flaw: True, False or None."""
    language = evidence.study.language.partition("-")[0]
    options: dict[str, list[tuple[str, bool]]] = {}
    for item, words, key in zip(*(evidence.options[name] for name in ("item_id", "wording", "key")), strict=True):
        options.setdefault(item, []).append((words, bool(key)))
    rows = []
    about_items = evidence.items[["item_id", "text_id", "generator", "stem"]]
    for item, text, generator, stem in about_items.itertuples(index=False):
        if item not in options:
            continue
        category, setting = find_category(evidence, item), evidence.settings.get(generator, "")
        wordings, keys = zip(*options[item], strict=True)
        wording = Wording(stem, wordings, keys, "", language, is_cloze(category, setting))
        about = {"item_id": item, "text_id": text, "type": find_type(evidence, item, wording)}
        rows.append(about | {"negations": count_negations(wording)} | find_flaws(wording))
    columns = ["item_id", "text_id", "type", "negations", *NAMES]
    return pd.DataFrame(rows, columns=columns).set_index("item_id").astype(object)


def find_type(evidence: Evidence, item: str, wording: Wording) -> str:
    """The category in the item's metadata, else the type according to its question word."""
    return find_category(evidence, item) or find_question_word(wording)


def find_category(evidence: Evidence, item: str) -> str:
    """As its metadata says; empty if it says nothing."""
    return evidence.metadata.get(item, {}).get("category", "")


def map_item_types(evidence: Evidence) -> dict[str, str]:
    """By item, the type of its question."""
    language = evidence.study.language.partition("-")[0]
    return {
        item: find_type(evidence, item, Wording(stem, (), (), "", language))
        for item, stem in evidence.items[["item_id", "stem"]].itertuples(index=False)
    }


def average_by_item(evidence: Evidence) -> pd.DataFrame:
    """Informativity, answerability and guessability by people, for each item that they answered in both stages."""
    stages = get_reading_stages(evidence)
    if stages is None or not stages.without:
        return pd.DataFrame(columns=list(OUTCOMES))
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    shares = mine.groupby(["item_id", "stage"])["correct"].mean().unstack("stage")
    shares = shares.reindex(columns=[stages.with_text, stages.without]).dropna()
    read, guess = (shares[name].to_numpy(dtype=np.float64) for name in (stages.with_text, stages.without))
    return pd.DataFrame({"informativity": read - guess, "answerability": read, "guessability": guess}, shares.index)


def build_flaw_rows(coded: pd.DataFrame, values: pd.DataFrame, by_people: dict[str, int]) -> Iterator[dict[str, Any]]:
    """One row per flaw that an item has; flaws with enough items and texts are fitted together."""
    answered = coded.loc[coded.index.isin(values.index)]
    has = {name: (answered[name] == True).to_numpy() for name in NAMES}  # noqa: E712  # None is no flaw
    reasons = {name: explain_undefined(has[name], answered["text_id"]) for name in NAMES}
    fitted = [name for name in NAMES if not reasons[name]]
    groups, effects = fit_flaws(answered, values, has, fitted) if fitted else ([], None)
    place_of = {name: place for place, group in enumerate(groups) for name in group}
    parts = [[get_parts(effects, place, at) for at in range(len(OUTCOMES))] for place in range(len(groups))]
    p_adjusted = adjust_p_values(np.array([each[0].p_of_zero() for each in parts]), HOLM) if parts else np.zeros(0)
    for name in NAMES:
        n, n_asked = int((coded[name] == True).sum()), int(coded[name].notna().sum())  # noqa: E712
        if not n:
            continue
        about = {
            "flaw": name, "flaw_said": str(FLAW_NAMES[name]), "n_items": n, "n_asked": n_asked,
            "n_by_people": by_people[name],
            "n_texts": count_texts_with_both(has[name], answered["text_id"]),
        }  # fmt: skip
        if name not in place_of:
            reason = reasons[name]
            yield about | {each: make_undefined(reason) for each in OUTCOMES} | {"p_adjusted": None, "reason": reason}
            continue
        place = place_of[name]
        together = groups[place]
        reason = (
            _(TOGETHER) % {"flaws": ", ".join(str(FLAW_NAMES[each]) for each in together)} if len(together) > 1 else ""
        )
        numbers = {each: estimate_effect(parts[place][at]) for at, each in enumerate(OUTCOMES)}
        yield about | numbers | {"p_adjusted": p_adjusted[place], "reason": reason}


def explain_undefined(flawed: np.ndarray, text: pd.Series) -> str:
    if not len(flawed):
        return _(NO_ANSWERS)
    if flawed.sum() < FEWEST_ITEMS:
        return _(TOO_FEW_ITEMS) % {"n": int(flawed.sum())}
    n = count_texts_with_both(flawed, text)
    return _(TOO_FEW_TEXTS) % {"n": n} if n < FEWEST_TEXTS else ""


def count_texts_with_both(flawed: np.ndarray, text: pd.Series) -> int:
    """The number of texts that have items with the flaw and items without it."""
    return int((pd.Series(flawed).groupby(text.to_numpy()).nunique() == 2).sum())


def fit_flaws(
    answered: pd.DataFrame, values: pd.DataFrame, has: dict[str, np.ndarray], fitted: list[str]
) -> tuple[list[list[str]], WithinTextCoefficients]:
    """Groups of flaws with identical columns, and their effects within text and type, estimated jointly."""
    columns = np.stack([has[name] for name in fitted], axis=1).astype(np.float64)
    groups = merge_equal_columns(columns)
    common = answered["type"].value_counts()
    types = [kind for kind in common.index[1:] if kind and common[kind] >= FEWEST_OF_TYPE]
    dummies = [(answered["type"] == kind).to_numpy(dtype=np.float64) for kind in types]
    design = np.stack([*(columns[:, group[0]] for group in groups), *dummies], axis=1)
    outcomes = values.loc[answered.index, list(OUTCOMES)].to_numpy(dtype=np.float64)
    text = pd.factorize(answered["text_id"])[0].astype(np.int64)
    return [[fitted[place] for place in group] for group in groups], regress_within_texts(
        outcomes, design, text, len(groups)
    )


def get_parts(effects: WithinTextCoefficients | None, place: int, outcome: int) -> VarianceParts:
    assert effects is not None
    return jackknife_parts(float(effects.coefficients[place, outcome]), effects.without[:, place, outcome])


def estimate_effect(parts: VarianceParts) -> Any:
    return make_undefined(_(DETERMINED)) if np.isnan(parts.value) else estimate_over_texts(parts)


def build_item_rows(evidence: Evidence, coded: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Each flaw of each item, in order, with the signs of it in people's answers with the text."""
    signs: Any = describe_answers(evidence).to_dict("index")
    unknown = dict.fromkeys(("rarest", "n_rare", "miskey")) | {"n_people": 0, "reason": _(NOT_READ)}
    text, negations = coded["text_id"].to_dict(), coded["negations"].to_dict()
    for item, flaws in zip(coded.index, coded[list(NAMES)].to_numpy(), strict=True):
        by_people = evidence.flaw_codes.get(str(item), {})
        for name in (name for name, flaw in zip(NAMES, flaws, strict=True) if flaw is True):
            twice = name == "negative_stem" and negations[item] > 1
            yield {
                "text_id": text[item], "item_id": item, "flaw": name, "flaw_said": str(FLAW_NAMES[name]),
                "remark": _(NEGATED_TWICE) if twice else "", "coded_by": HUMAN if name in by_people else RULE,
                **signs.get(item, unknown),
            }  # fmt: skip


def describe_answers(evidence: Evidence) -> pd.DataFrame:
    """By item that people answered with the text: how many chose its rarest distractor, how many distractors fewer
    than 5 % chose, and the probability that a key of it is wrong."""
    stages = get_reading_stages(evidence)
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    read = mine[mine["stage"] == stages.with_text] if stages else mine.iloc[:0]
    right = read["correct"].astype(float).groupby([read["item_id"], read["option_id"]], sort=False).agg(["sum", "size"])
    alarm = miskey(right["sum"].to_numpy(dtype=np.int64), right["size"].to_numpy(dtype=np.int64))
    is_key = evidence.options.set_index(["item_id", "option_id"])["key"].reindex(right.index).astype(bool)
    share = (1 - right["sum"] / right["size"]).where(~is_key)  # a distractor that was judged wrongly was chosen
    each = pd.DataFrame({"rarest": share, "n_rare": share < RARE, "miskey": alarm.probability}).groupby("item_id")
    found = each.agg({"rarest": "min", "n_rare": "sum", "miskey": "max"})
    people = read.groupby("item_id")["annotator"].nunique().rename("n_people")
    return found.join(people).assign(reason=_(alarm.reason) if alarm.reason else "").astype(object)


def describe_largest_flaw(tables: tuple[Table, ...]) -> list[str]:
    """The flaw whose items differ most in informativity after adjustment."""
    found = [
        row for table in tables if table.name == FLAWS.name for row in table.rows
        if row["p_adjusted"] is not None and row["p_adjusted"] < 0.05 and row["informativity"] is not None
    ]  # fmt: skip
    if not found:
        return []
    row = max(found, key=lambda each: abs(each["informativity"]))
    value = format_with_interval(row["informativity"], row["informativity_low"], row["informativity_high"])
    sentence = _(
        "A flaw associated with a different informativity (same text, same type of question): %(flaw)s, %(value)s."
    )
    return [sentence % {"flaw": row["flaw_said"], "value": value}]
