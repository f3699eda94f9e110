import sys

from django.core.management.base import CommandError

from evaluation.baselines import RULES
from evaluation.models import Evaluator
from evaluation.services import asking, judges
from evaluation.services.baselines import BASELINES, add_baselines, answer_by_baseline
from evaluation.services.evaluators import CannotEvaluate, expand_versions, read_seen_texts, set_seen_texts
from evaluation.services.progress import EvaluatorRow, get_row, list_rows
from evaluation.setting import LABEL, OPTIONWISE, READERS, READINGS
from llm.command_line import SOME_MISSING, RunCommand, read_options, read_run_terms, split_list
from llm.models import Endpoint, Run, RunState
from llm.services.runs import count_missing
from studies.management.commands._study import find_study
from studies.models import Study
from studies.services.evaluating import close_answered, close_judged
from studies.services.states import WrongState

FOR_SCORES = ("scale",)
FOR_OPTIONS = ("seen", "threshold_guess", "threshold_read", "tune_on", "answering", "as_published")
FOR_MODELS = (
    *("reading", "threshold_guess", "threshold_read", "tune_on", "prompt", "answering", "as_published", "budget"),
    *("seen", "on_unknown", "temperature", "samples", "scale", "estimate"),
    *("max_tokens", "reasoning_effort", "extra", "keep_going"),
)


class Command(RunCommand):
    help = "Lets a model or baseline answer a study. Ends with 0: all answered, 3: some missing, 1: refused."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        names = "|".join(BASELINES)
        parser.add_argument("--model", required=True, metavar=f"NAME|{names}", help="a model endpoint, or a baseline")
        parser.add_argument("--as", dest="label", default="", metavar="LABEL", help="its name in tables; default: NAME")
        parser.add_argument(
            "--stages", type=split_list, metavar="guess,read", help="default: all in which it can answer"
        )
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
        parser.add_argument(
            "--seen", type=split_list, metavar="TEXTS|all",
            help="texts of this study of which the model has seen people's answers (fitted, prompted, thresholds)",
        )  # fmt: skip
        parser.add_argument("--tune-on", metavar="STUDY", help="choose both thresholds on this study's other texts")
        parser.add_argument("--answering", choices=list(READERS), help="one prompt per option (default), or letters")
        parser.add_argument("--scale", type=int, metavar="K", help="scores: a scale from 1 to K, a metric column")
        parser.add_argument(
            "--as-published", action="store_true", help="no second question, 10 tokens, likeliest way to write a label"
        )
        self.add_run_arguments(parser)

    def handle(self, *, slug, model, **options):
        study = find_study(slug)
        try:
            if model in BASELINES:
                self.ask_baseline(study, model, options)
            elif judges.is_judged(study):
                self.ask_judge(study, self.find_endpoint(model, *BASELINES), options)
            else:
                self.ask_model(study, self.find_endpoint(model, *BASELINES), options)
        except (CannotEvaluate, WrongState) as refused:
            raise CommandError(str(refused)) from None

    def ask_baseline(self, study: Study, method: str, options: dict) -> None:
        self.refuse_options(options, FOR_MODELS, "is for models: a baseline makes no calls")
        missing = 0
        for evaluator in add_baselines(study, method, label=options["label"], stages=options["stages"]):
            before = get_row(evaluator).n_done
            answer_by_baseline(evaluator)
            missing += self.close(evaluator, before)
        if missing:
            sys.exit(SOME_MISSING)

    def ask_model(self, study: Study, endpoint: Endpoint, options: dict) -> None:
        self.refuse_options(options, FOR_SCORES, "is for judges of scores: this study's options are answered")
        samples = 1 if options["samples"] is None else options["samples"]
        specs = asking.expand_spec(make_model_spec(endpoint, options), prompts=options["prompt"] or (), samples=samples)
        specs, seen = expand_versions(study, specs), read_seen_texts(study, options["seen"] or ())
        found = asking.estimate_all(study, specs)
        if len(specs) > 1:
            self.stdout.write(f"{len(specs)} evaluators: {', '.join(spec.name for spec in specs)}. Together:")
        if self.confirm_estimate(found, endpoint, options):
            before = {spec.name: count_answered(study, spec.name) for spec in specs}
            added = asking.start_all(study, specs, **read_run_terms(options))
            for evaluator in added if seen else ():
                set_seen_texts(evaluator, seen)
            missing = [self.work(evaluator, before[evaluator.annotator.code]) for evaluator in added]
            if any(missing):
                sys.exit(SOME_MISSING)

    def ask_judge(self, study: Study, endpoint: Endpoint, options: dict) -> None:
        self.refuse_options(options, FOR_OPTIONS, "is for answers to options: this study is judged otherwise")
        specs = judges.expand_spec(study, make_judge_spec(endpoint, options))
        if self.confirm_estimate(judges.estimate_all(study, specs), endpoint, options):
            missing = 0
            for spec in specs:
                before = count_answered(study, spec.name)
                judge = judges.start(study, spec, **read_run_terms(options))
                if isinstance(judge, Run):
                    self.fill_columns(judge, spec.name)
                else:
                    missing += self.work(judge, before)
            if missing:
                sys.exit(SOME_MISSING)

    def work(self, evaluator: Evaluator, before: int) -> int:
        """Waits until its run has ended or is paused; returns how many answers are missing."""
        row = get_row(evaluator)
        if row.run and row.n_missing:
            self.wait_for_run(row.run)
        return self.close(evaluator, before)

    def fill_columns(self, run: Run, label: str) -> None:
        run = self.wait_for_run(run)
        missing = count_missing(run)
        self.stdout.write(f"“{label}” has scored: {run.calls.good().count()} scores, {missing} are missing.")
        if run.state != RunState.DONE:
            self.stdout.write("Metric columns are filled when the run is done.")
        if missing or run.state != RunState.DONE:
            sys.exit(SOME_MISSING)

    def close(self, evaluator: Evaluator, before: int) -> int:
        gives_answers = evaluator.method in (judges.METHOD, RULES)
        if gives_answers:
            close_judged(evaluator.annotator)
        else:
            close_answered(evaluator.annotator, evaluator.stages)
        row = get_row(evaluator)
        self.stdout.write(describe_progress(row, row.n_done - before, "has given" if gives_answers else "has judged"))
        return row.n_missing


def count_answered(study: Study, label: str) -> int:
    return next((row.n_done for row in list_rows(study) if row.annotator.code == label), 0)


def make_model_spec(endpoint: Endpoint, options: dict) -> asking.ModelSpec:
    thresholds = {"guess": options["threshold_guess"], "read": options["threshold_read"]}
    return asking.ModelSpec(
        endpoint=endpoint,
        label=options["label"],
        stages=options["stages"],
        reading=options["reading"] or LABEL,
        temperature=options["temperature"] or 0,
        answering=options["answering"] or OPTIONWISE,
        as_published=options["as_published"],
        tune_on=find_study(options["tune_on"]) if options["tune_on"] else None,
        thresholds={stage: share for stage, share in thresholds.items() if share is not None},
        options=read_options(options),
    )


def make_judge_spec(endpoint: Endpoint, options: dict) -> judges.JudgeSpec:
    prompts = options["prompt"] or [""]
    if len(prompts) > 1:
        raise CannotEvaluate("A judge is asked with one prompt. Name one --prompt; for another start another judge.")
    return judges.JudgeSpec(
        endpoint=endpoint,
        label=options["label"],
        stages=options["stages"],
        reading=options["reading"] or LABEL,
        samples=options["samples"],
        temperature=options["temperature"],
        scale=options["scale"],
        prompt=prompts[0],
        options=read_options(options),
    )


def describe_progress(row: EvaluatorRow, new: int, gave: str = "has judged") -> str:
    label = row.annotator.code
    if not new and not row.n_missing:
        return f"“{label}” had answered everything before; nothing was changed. Another one needs another label: --as."
    what = "options" if gave == "has judged" else "answers"
    sentence = f"“{label}” {gave} {row.n_done} {what}, {new} of them now"
    unparsed = f" ({row.n_unparsed} replies without an answer)" if row.n_unparsed else ""
    return f"{sentence}; {row.n_missing} are missing{unparsed}." if row.n_missing else f"{sentence}; none is missing."
