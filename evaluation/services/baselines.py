"""Adding a baseline to a study: in which stages it can answer, and what it fixes."""

from collections.abc import Sequence

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY, NEAR
from evaluation.models import Evaluator
from evaluation.services.evaluators import CannotEvaluate, Wanted, add, chosen_stages
from studies.models import AnnotatorKind, Study, UnitItem
from studies.services.declaring import declaration_of

BASELINES = (MAJORITY, EXACT, FUZZY)
NEED_TEXT = (EXACT, FUZZY)
BEST, THRESHOLD = "best", "threshold"


def add_baseline(study: Study, method: str, *, label: str = "", stages: Sequence[str] | None = None) -> Evaluator:
    """The baseline of that label in the study, called by its method without one; see `add`."""
    if method not in BASELINES:
        said = {"name": method, "names": ", ".join(BASELINES)}
        raise CannotEvaluate(_("There is no baseline “%(name)s”; there are: %(names)s.") % said)
    wanted = Wanted(
        label=label.strip() or method,
        kind=AnnotatorKind.BASELINE,
        method=method,
        model=method,
        reading="label",
        stages=answerable(study, method, stages),
        fix=lambda: params_of(study, method),
    )
    return add(study, wanted)


def answerable(study: Study, method: str, wanted: Sequence[str] | None) -> list[str]:
    """The wanted stages in which the method can answer: matchers only where the text is shown."""
    stages = chosen_stages(study, wanted)
    if method in NEED_TEXT:
        declaration = declaration_of(study)
        stages = [name for name in stages if "text" in declaration.stage(name).shows]
    if not stages:
        raise CannotEvaluate(
            _("“%(method)s” compares options with the text, so without the text it has no answer. Ask it to read.")
            % {"method": method}
        )
    return stages


def params_of(study: Study, method: str) -> dict[str, object]:
    """What the method fixes for a study; refuses a study in which it cannot answer."""
    if method == MAJORITY and study.units.count() < 2:
        raise CannotEvaluate(
            _("The majority label is learned on other texts, and this study has only one. Choose another baseline.")
        )
    if method == FUZZY:
        return {"rule": BEST if has_one_key_each(study) else THRESHOLD, "threshold": NEAR}
    return {}


def has_one_key_each(study: Study) -> bool:
    """Whether every item of the study has one key: a fact about the kind of items, which a test taker is told too."""
    items = UnitItem.objects.filter(unit__study=study).order_by().values("item")
    others = items.annotate(n=Count("item__options", filter=Q(item__options__correct=True))).exclude(n=1)
    return not others.exists()
