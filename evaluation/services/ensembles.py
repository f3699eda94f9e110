"""Several evaluators at once: every prompt and every sample of a model answers as an annotator of its own."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import Evaluator
from evaluation.services.asking import Ask, estimate_for, start
from evaluation.services.evaluators import CannotEvaluate
from llm.services.estimating import Estimate
from projects.models import User
from studies.models import Study

MOST_SAMPLES = 100
CENT = Decimal("0.0001")  # budgets have four places


def asks_for(ask: Ask, *, prompts: Sequence[str] = (), samples: int = 1) -> list[Ask]:
    """One for each prompt and sample, with labels of their own: “NAME (PROMPT) #2”.

    One prompt leaves the name as it is, and the first sample has no number. `CannotEvaluate` for what makes no sense.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise CannotEvaluate(_("Ask for 1 to %(most)d samples.") % {"most": MOST_SAMPLES})
    if samples > 1 and not ask.temperature:
        raise CannotEvaluate(
            _("At temperature 0 every sample is the same. For several samples give a temperature above 0, such as .7.")
        )
    prompts = list(prompts) or [ask.prompt]
    if len(set(prompts)) < len(prompts):
        raise CannotEvaluate(_("The same prompts are named twice. Name each once."))
    found = []
    for prompt in prompts:
        name = f"{ask.name} ({prompt})" if len(prompts) > 1 and prompt else ask.name
        for sample in range(samples):
            label = f"{name} #{sample + 1}" if sample else name
            found.append(replace(ask, label=label, prompt=prompt, sample=sample))
    return found


def estimate_all(study: Study, asks: Sequence[Ask]) -> Estimate:
    """What they would cost together; as if none had been asked for the sake of another."""
    return sum_of([estimate_for(study, ask) for ask in asks])


def sum_of(found: Sequence[Estimate]) -> Estimate:
    """Money and time are unknown together if they are unknown of one."""
    costs, times = [one.cost_nanos for one in found], [one.seconds for one in found]
    return Estimate(
        n_calls=sum(one.n_calls for one in found),
        n_known=sum(one.n_known for one in found),
        n_without_prompt=sum(one.n_without_prompt for one in found),
        tokens_in=sum(one.tokens_in for one in found),
        tokens_out=sum(one.tokens_out for one in found),
        cost_nanos=None if None in costs else sum(cost for cost in costs if cost is not None),
        seconds=None if None in times else sum(time for time in times if time is not None),
    )


@transaction.atomic
def start_all(
    study: Study, asks: Sequence[Ask], *,
    budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None,
) -> list[Evaluator]:  # fmt: skip
    """All of them with their runs on the way, or none. The budget is for all together: each has an equal part."""
    each = None if budget is None else (budget / len(asks)).quantize(CENT, ROUND_DOWN)
    return [start(study, ask, budget=each, on_unknown=on_unknown, started_by=started_by) for ask in asks]
