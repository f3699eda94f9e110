import sys

from django.core.management.base import BaseCommand, CommandError

from evaluation.listing import Row, row_of
from evaluation.services.answering import answer
from evaluation.services.evaluators import BASELINES, CannotEvaluate, add_baseline
from studies.models import Study
from studies.services.locking import WrongState

SOME_MISSING = 3


class Command(BaseCommand):
    help = (
        "Lets a model or baseline answer a study. Ends with 0 if all is answered, 3 if some is missing, 1 if refused."
    )

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--model", required=True, metavar="NAME", help=f"{', '.join(BASELINES)}")
        parser.add_argument(
            "--as", dest="label", default="", metavar="LABEL", help="what tables call it; default: NAME"
        )
        parser.add_argument("--stages", type=listed, metavar="guess,read", help="default: all in which it can answer")

    def handle(self, *, slug, model, label, stages, **options):
        try:
            evaluator = add_baseline(study_called(slug), model, label=label, stages=stages)
        except (CannotEvaluate, WrongState) as refused:
            raise CommandError(str(refused)) from None
        before = row_of(evaluator).done
        answer(evaluator)
        row = row_of(evaluator)
        self.stdout.write(sentence(row, row.done - before))
        if row.missing:
            sys.exit(SOME_MISSING)


def listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def study_called(slug: str) -> Study:
    study = Study.objects.select_related("project", "instrument_version").filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”. Make it with create_study.")
    return study


def sentence(row: Row, new: int) -> str:
    label = row.annotator.code
    if not new and not row.missing:
        return f"“{label}” had answered everything before; nothing was changed. Another one needs another label: --as."
    said = f"“{label}” has judged {row.done} options, {new} of them now"
    return f"{said}; {row.missing} are missing." if row.missing else f"{said}; none is missing."
