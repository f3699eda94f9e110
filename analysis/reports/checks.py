"""What was looked at before the numbers are believed: each check in a sentence, passed or not."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import count
from analysis.report import Check
from analysis.reports.evaluators import people_in

INTERVAL_TEXTS = 2  # fewer give no interval by texts
RATERS = 2  # fewer people about an item say nothing of agreement


def checks_of(evidence: Evidence) -> tuple[Check, ...]:
    """In a fixed order; none without answers."""
    if evidence.frame.empty:
        return ()
    return (keys(evidence), left_out(evidence), texts(evidence), raters(evidence), items(evidence))


def keys(evidence: Evidence) -> Check:
    n = len(evidence.corrections)
    if not n:
        return Check(True, _("No key was corrected after launch."))
    return Check(False, _("Keys corrected after launch: %(n)s. They count as they are now.") % {"n": count(n)})


def left_out(evidence: Evidence) -> Check:
    if not evidence.left_out:
        return Check(True, _("No pilot or simulated answers are left out."))
    words = {"pilot": _("of pilots"), "simulated": _("simulated"), "main": _("of the main part")}
    parts = ", ".join(f"{count(n)} {words.get(purpose, purpose)}" for purpose, n in evidence.left_out.items())
    return Check(False, _("Answers that are not in the figures: %(parts)s.") % {"parts": parts})


def texts(evidence: Evidence) -> Check:
    n = evidence.frame["text_id"].nunique()
    if n < INTERVAL_TEXTS:
        return Check(False, _("All answers are about one text, so there are no intervals by texts."))
    return Check(True, _("Answers are about %(n)s texts, so there are intervals by texts.") % {"n": count(n)})


def raters(evidence: Evidence) -> Check:
    """Of the items that people were asked about."""
    people = people_in(evidence).rows_of(evidence.frame)
    n = people.groupby("item_id")["annotator"].nunique().reindex(evidence.items["item_id"].unique(), fill_value=0)
    few = int((n < RATERS).sum())
    if not few:
        return Check(True, _("Every item has answers of at least two people."))
    said = _("%(few)s of %(all)s items have answers of fewer than two people: agreement says nothing of them.")
    return Check(False, said % {"few": count(few), "all": count(len(n))})


def items(evidence: Evidence) -> Check:
    """Whether each generator has as many items on each text as the others."""
    n = evidence.items.groupby(["text_id", "generator"]).size().unstack(fill_value=0)
    if (n.nunique(axis=1) == 1).all():
        return Check(True, _("Every generator has the same number of items on each text."))
    said = _("Generators differ in how many items they have on a text: their rows rest on different texts or weights.")
    return Check(False, said)
