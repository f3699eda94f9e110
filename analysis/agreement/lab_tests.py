"""Is agreement more than chance? Cohen's κ of each two annotators, and Fleiss' κ of all and of each category."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.agreement.questions import Answers, Asked, names_of
from analysis.agreement.tables import TESTS
from analysis.measures.agreement import all_pairs, pair_tables, sharing
from analysis.measures.coefficients import category_counts, fleiss_kappa
from analysis.measures.kappa import fleiss_test, kappa_test
from analysis.tables.spec import Table
from analysis.words import scope_word
from studies.question_words import name_label

COHEN, FLEISS = gettext_noop("Cohen's κ"), gettext_noop("Fleiss' κ")
ALL = ""  # in the place of a category: all of them

ONE_CONSTANT = gettext_noop("One of the two annotators always gave the same label, so κ cannot be tested.")
NEVER_GIVEN = gettext_noop("No annotator, or every annotator, gave this category.")


def tests(answers: Answers, asked: Asked) -> Table:
    pairs = [row | {"about_said": row["about"]} for row in pair_rows(answers, asked)]
    rows = [*pairs, *(row | {"about_said": category_said(row["about"])} for row in fleiss_rows(answers, asked))]
    return TESTS.build(rows)


def category_said(category: str) -> str:
    return scope_word(category) if category == ALL else name_label(category)


def pair_rows(answers: Answers, asked: Asked) -> Iterator[dict[str, Any]]:
    """Cohen's κ of each pair that judged a unit both, with its asymptotic errors (Fleiss, Cohen & Everitt 1969)."""
    pairs = sharing(answers.values, all_pairs(len(answers.raters)))
    tables = pair_tables(answers.values, len(asked.categories), pairs, answers.one_group, 1)[0]
    for (one, other), table in zip(pairs, tables.astype(np.int64), strict=True):
        found = kappa_test(table)
        yield {
            "coefficient": COHEN,
            "about": f"{answers.raters[one]} × {answers.raters[other]}",
            "value": found.value,
            "se_units": found.error_unbiased,
            "se_asymptotic": found.error,
            "se_null": found.error_null,
            "z": found.z,
            "p": found.p,
            "n_units": found.n,
            "reason": reason_of(found.reason, ONE_CONSTANT, found.z),
        }


def fleiss_rows(answers: Answers, asked: Asked) -> Iterator[dict[str, Any]]:
    """Fleiss' κ of all annotators, then of each category against all others."""
    counts = category_counts(answers.values, len(asked.categories))
    whole, found = fleiss_kappa(counts), fleiss_test(counts)
    tested = zip(names_of(asked), found.kappa, found.z, found.p, strict=True)
    rows = [
        (ALL, whole.value, found.overall_z, found.overall_p, found.overall_error_null),
        *((*row, found.error_null) for row in tested),
    ]
    for about, value, z, p, error in rows:
        yield {
            "coefficient": FLEISS,
            "about": about,
            "value": value,
            "se_units": whole.error if about == ALL else math.nan,
            "se_asymptotic": math.nan,
            "se_null": error,
            "z": z,
            "p": p,
            "n_units": int((counts.sum(axis=1) > 0).sum()),
            "reason": reason_of(found.reason, NEVER_GIVEN, z),
        }


def reason_of(reason: str, otherwise: str, z: float) -> str:
    """Why there is no test, in the reader's language; empty where there is one."""
    why = reason or (otherwise if math.isnan(z) else "")
    return _(why) if why else ""
