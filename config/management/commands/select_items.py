import sys

from django.core.management.base import CommandError
from django.db import transaction

from evaluation.services import asking
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.progress import get_row
from generation.models import Selection
from generation.services.choosing import N_ITEMS
from generation.services.selecting import ensure_selections, find_candidates, select_candidates
from generation.services.storing import CannotGenerate
from items.management.commands._project import find_project
from items.models import Generator
from llm.command_line import ON_UNKNOWN, SOME_MISSING, RunCommand, format_estimate, parse_amount, read_run_terms
from llm.models import Endpoint
from studies.services.evaluating import close_answered


class Command(RunCommand):
    help = (
        "Lets a model guess and answer candidates and keeps the best of each text: those of the highest answerability "
        "minus guessability, equal ones by answerability, then by order. Ends with 0: all kept, 3: some missing, "
        "1: refused."
    )

    def add_arguments(self, parser):
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--candidates", required=True, metavar="GENERATOR", help="whose items are the candidates")
        parser.add_argument("--model", required=True, metavar="NAME", help="who guesses and answers: a model endpoint")
        parser.add_argument("--keep", type=int, default=N_ITEMS, metavar="N", help="items per text; default: 3")
        parser.add_argument("--budget", type=parse_amount, metavar="B", help="for each language; pause above it")
        parser.add_argument("--on-unknown", **ON_UNKNOWN)
        parser.add_argument("--estimate", action="store_true", help="show the cost, and start nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask before calls that cost money")

    def handle(self, *, project, candidates, model, keep, **options):
        endpoint = self.find_endpoint(model)
        try:
            generator = find_candidates(find_project(project), candidates)
            if options["estimate"]:
                self.estimate(generator, endpoint)
                return
            missing = [
                self.select(each, endpoint, keep, options) for each in ensure_selections(generator, endpoint.model)
            ]
        except (CannotGenerate, CannotEvaluate) as refused:
            raise CommandError(str(refused)) from None
        if any(missing):
            sys.exit(SOME_MISSING)

    def estimate(self, generator: Generator, endpoint: Endpoint) -> None:
        """The studies that an estimate needs are created, then rolled back."""
        with transaction.atomic():
            for selection in ensure_selections(generator, endpoint.model):
                found = asking.estimate_run(selection.study, asking.ModelSpec(endpoint))
                self.stdout.write(f"{selection.study.title}: {format_estimate(found, endpoint.currency)}")
            transaction.set_rollback(True)

    def select(self, selection: Selection, endpoint: Endpoint, keep: int, options: dict) -> bool:
        """Select items for one study; returns whether some text has fewer items than requested."""
        if selection.selected:
            self.stdout.write(f"{selection.study.title}: {endpoint.model} selected “{selection.selected}” before.")
            return False
        ask, study = asking.ModelSpec(endpoint), selection.study
        self.stdout.write(f"{study.title}:", ending=" ")
        self.confirm_estimate(asking.estimate_run(study, ask), endpoint, options)
        evaluator = asking.start(study, ask, **read_run_terms(options))
        row = get_row(evaluator)
        if row.run and row.n_missing:
            self.wait_for_run(row.run)
        close_answered(evaluator.annotator, evaluator.stages)
        candidates = select_candidates(selection, evaluator.annotator, keep)
        n_texts = len({each.item.text_id for each in candidates})
        n_kept = sum(each.is_kept for each in candidates)
        selection.refresh_from_db()
        self.stdout.write(
            f"Kept {n_kept} of {len(candidates)} candidates on {n_texts} texts as items of “{selection.selected}”. "
            f"{endpoint.model} selected them, so another model has to report on them."
        )
        return n_kept < keep * n_texts
