import sys
from collections.abc import Iterable

from django.core.management.base import BaseCommand, CommandError

from evaluation.listing import Row, row_of, rows_of
from evaluation.models import Evaluator
from evaluation.services import asking, ensembles, judges
from evaluation.services.answering import answer
from evaluation.services.baselines import BASELINES, add_baseline
from evaluation.services.evaluators import CannotEvaluate
from evaluation.setting import LABEL, OPTIONWISE, READERS, READINGS
from llm.commanding import ON_UNKNOWN, SOME_MISSING, amount, confirm, listed
from llm.models import Endpoint, Run, RunState
from llm.services.estimating import Estimate
from llm.services.runs import n_missing
from llm.waiting import ending, estimate_sentence, wait_for
from studies.models import Study
from studies.services.evaluating import close_answered
from studies.services.judging import close_judged
from studies.services.locking import WrongState

FOR_SCORES = ("scale",)
FOR_OPTIONS = ("threshold_guess", "threshold_read", "tune_on", "answering", "as_published")
FOR_MODELS = (
    *("reading", "threshold_guess", "threshold_read", "tune_on", "prompt", "answering", "as_published", "budget"),
    *("on_unknown", "temperature", "samples", "scale", "estimate"),
)


class Command(BaseCommand):
    help = "Lets a model or baseline answer a study. Ends with 0: all answered, 3: some missing, 1: refused."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        names = "|".join(BASELINES)
        parser.add_argument("--model", required=True, metavar=f"NAME|{names}", help="a model endpoint, or a baseline")
        parser.add_argument("--as", dest="label", default="", metavar="LABEL", help="its name in tables; default: NAME")
        parser.add_argument("--stages", type=listed, metavar="guess,read", help="default: all in which it can answer")
        parser.add_argument("--reading", choices=READINGS, help="what counts: the label written (default) or p(true)")
        parser.add_argument("--threshold-guess", type=float, metavar="T", help="correct if p(true) >= T; default: .5")
        parser.add_argument("--threshold-read", type=float, metavar="T", help="the same with the text; default: .5")
        parser.add_argument(
            "--prompt", action="append", metavar="P",
            help="NAME/LANGUAGE[@VERSION]; default: by the study's language; several make an evaluator each",
        )  # fmt: skip
        parser.add_argument("--temperature", type=float, metavar="T", help="0 (default) to 2; of a judge's samples 1")
        parser.add_argument(
            "--samples",
            type=int,
            metavar="N",
            help="draws at a temperature above 0, an evaluator each: NAME #2 and on; of a judge of scores their mean",
        )
        parser.add_argument("--tune-on", metavar="STUDY", help="choose both thresholds on this study's other texts")
        parser.add_argument("--answering", choices=list(READERS), help="one prompt per option (default), or letters")
        parser.add_argument("--scale", type=int, metavar="K", help="scores: a scale from 1 to K, a metric column")
        parser.add_argument(
            "--as-published", action="store_true", help="no second question, 10 tokens, likeliest way to write a label"
        )
        parser.add_argument("--budget", type=amount, metavar="B", help="pause above it, in the endpoint's currency")
        parser.add_argument("--on-unknown", **ON_UNKNOWN)
        parser.add_argument("--estimate", action="store_true", help="say what it would cost, and do nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask before calls that cost money")

    def handle(self, *, slug, model, **options):
        study = study_called(slug)
        try:
            if model in BASELINES:
                self.ask_baseline(study, model, options)
            elif judges.is_judged(study):
                self.ask_judge(study, endpoint_called(model), options)
            else:
                self.ask_model(study, endpoint_called(model), options)
        except (CannotEvaluate, WrongState) as refused:
            raise CommandError(str(refused)) from None

    def ask_baseline(self, study: Study, method: str, options: dict) -> None:
        refuse_for_baselines(options)
        evaluator = add_baseline(study, method, label=options["label"], stages=options["stages"])
        before = row_of(evaluator).done
        answer(evaluator)
        if self.close(evaluator, before):
            sys.exit(SOME_MISSING)

    def ask_model(self, study: Study, endpoint: Endpoint, options: dict) -> None:
        refuse_given(options, FOR_SCORES, "is for judges of scores: this study's options are answered")
        samples = 1 if options["samples"] is None else options["samples"]
        asks = ensembles.asks_for(ask_from(endpoint, options), prompts=options["prompt"] or (), samples=samples)
        found = ensembles.estimate_all(study, asks)
        if len(asks) > 1:
            self.stdout.write(f"{len(asks)} evaluators: {', '.join(ask.name for ask in asks)}. Together:")
        if self.goes_on(found, endpoint, options):
            before = {ask.name: n_answered(study, ask.name) for ask in asks}
            added = ensembles.start_all(study, asks, **terms_from(options))
            missing = [self.work(evaluator, before[evaluator.annotator.code]) for evaluator in added]
            if any(missing):
                sys.exit(SOME_MISSING)

    def ask_judge(self, study: Study, endpoint: Endpoint, options: dict) -> None:
        refuse_given(options, FOR_OPTIONS, "is for answers to options: this study is judged otherwise")
        ask = judge_from(endpoint, options)
        if self.goes_on(judges.estimate_for(study, ask), endpoint, options):
            before = n_answered(study, ask.name)
            judge = judges.start(study, ask, **terms_from(options))
            if isinstance(judge, Run):
                self.fill_columns(judge, ask.name)
            elif self.work(judge, before):
                sys.exit(SOME_MISSING)

    def goes_on(self, found: Estimate, endpoint: Endpoint, options: dict) -> bool:
        """Whether the run is to start, after its estimate was said."""
        self.stdout.write(estimate_sentence(found, endpoint.currency))
        if not options["estimate"] and found.n_new and not (endpoint.is_free or endpoint.is_local or options["yes"]):
            confirm(endpoint)
        return not options["estimate"]

    def work(self, evaluator: Evaluator, before: int) -> int:
        """Waits until its run has ended or stands still; how many answers are missing then."""
        row = row_of(evaluator)
        if row.run and row.missing:
            self.wait_for(row.run)
        return self.close(evaluator, before)

    def wait_for(self, run: Run) -> Run:
        run = wait_for(run, self.stdout.write)
        if stopped := ending(run):
            self.stderr.write(stopped)
        return run

    def fill_columns(self, run: Run, label: str) -> None:
        run = self.wait_for(run)
        missing = n_missing(run)
        self.stdout.write(f"“{label}” has scored: {run.calls.good().count()} scores, {missing} are missing.")
        if run.state != RunState.DONE:
            self.stdout.write("Metric columns are filled when the run is done.")
        if missing or run.state != RunState.DONE:
            sys.exit(SOME_MISSING)

    def close(self, evaluator: Evaluator, before: int) -> int:
        is_judge = evaluator.method == judges.METHOD
        if is_judge:
            close_judged(evaluator.annotator)
        else:
            close_answered(evaluator.annotator, evaluator.stages)
        row = row_of(evaluator)
        self.stdout.write(sentence(row, row.done - before, "has given" if is_judge else "has judged"))
        return row.missing


def terms_from(options: dict) -> dict:
    return {"budget": options["budget"], "on_unknown": options["on_unknown"] or ""}


def n_answered(study: Study, label: str) -> int:
    return next((row.done for row in rows_of(study) if row.annotator.code == label), 0)


def refuse_for_baselines(options: dict) -> None:
    """What means something for models only is not passed over in silence."""
    refuse_given(options, FOR_MODELS, "is for models: a baseline makes no calls")


def refuse_given(options: dict, names: Iterable[str], why: str) -> None:
    given = [name for name in names if options[name] is not None and options[name] is not False]
    if given:
        raise CannotEvaluate(f"--{given[0].replace('_', '-')} {why}. Leave it out.")


def ask_from(endpoint: Endpoint, options: dict) -> asking.Ask:
    thresholds = {"guess": options["threshold_guess"], "read": options["threshold_read"]}
    return asking.Ask(
        endpoint=endpoint,
        label=options["label"],
        stages=options["stages"],
        reading=options["reading"] or LABEL,
        temperature=options["temperature"] or 0,
        answering=options["answering"] or OPTIONWISE,
        as_published=options["as_published"],
        tune_on=study_called(options["tune_on"]) if options["tune_on"] else None,
        thresholds={stage: share for stage, share in thresholds.items() if share is not None},
    )


def judge_from(endpoint: Endpoint, options: dict) -> judges.JudgeAsk:
    prompts = options["prompt"] or [""]
    if len(prompts) > 1:
        raise CannotEvaluate("A judge is asked with one prompt. Name one --prompt; for another start another judge.")
    return judges.JudgeAsk(
        endpoint=endpoint,
        label=options["label"],
        stages=options["stages"],
        reading=options["reading"] or LABEL,
        samples=options["samples"],
        temperature=options["temperature"],
        scale=options["scale"],
        prompt=prompts[0],
    )


def study_called(slug: str) -> Study:
    study = Study.objects.select_related("project", "instrument_version").filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”. Make it with create_study.")
    return study


def endpoint_called(name: str) -> Endpoint:
    endpoint = Endpoint.objects.filter(name=name).first()
    if endpoint is None:
        known = ", ".join([*Endpoint.objects.values_list("name", flat=True), *BASELINES])
        raise CommandError(f"There is no model “{name}”; there are: {known}. Add it with add_model.")
    return endpoint


def sentence(row: Row, new: int, gave: str = "has judged") -> str:
    label = row.annotator.code
    if not new and not row.missing:
        return f"“{label}” had answered everything before; nothing was changed. Another one needs another label: --as."
    what = "options" if gave == "has judged" else "answers"
    said = f"“{label}” {gave} {row.done} {what}, {new} of them now"
    unparsed = f" ({row.n_unparsed} replies without an answer)" if row.n_unparsed else ""
    return f"{said}; {row.missing} are missing{unparsed}." if row.missing else f"{said}; none is missing."
