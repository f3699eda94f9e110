import sys

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from evaluation.listing import row_of
from evaluation.services import asking
from evaluation.services.evaluators import CannotEvaluate
from generation.models import Selection
from generation.services.choosing import N_ITEMS
from generation.services.selecting import candidates_called, select, selections_for
from generation.services.writing import CannotGenerate
from items.models import Generator
from llm.commanding import ON_UNKNOWN, SOME_MISSING, amount, confirm
from llm.models import Endpoint
from llm.waiting import ending, estimate_sentence, wait_for
from projects.models import Project
from studies.services.evaluating import close_answered


class Command(BaseCommand):
    help = (
        "Lets a model guess and answer candidates and keeps the best of each text: those of the highest answerability "
        "minus guessability, equal ones by answerability, then by order. Ends with 0: all kept, 3: some missing, "
        "1: refused."
    )

    def add_arguments(self, parser):
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--candidates", required=True, metavar="GENERATOR", help="whose items are the candidates")
        parser.add_argument("--model", required=True, metavar="NAME", help="who guesses and answers: a model endpoint")
        parser.add_argument("--keep", type=int, default=N_ITEMS, metavar="N", help="items a text; default: 3")
        parser.add_argument("--budget", type=amount, metavar="B", help="for each language; pause above it")
        parser.add_argument("--on-unknown", **ON_UNKNOWN)
        parser.add_argument("--estimate", action="store_true", help="say what it would cost, and do nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask before calls that cost money")

    def handle(self, *, project, candidates, model, keep, **options):
        endpoint = endpoint_called(model)
        try:
            generator = candidates_called(project_called(project), candidates)
            if options["estimate"]:
                self.estimate(generator, endpoint)
                return
            missing = [self.select(each, endpoint, keep, options) for each in selections_for(generator, endpoint.model)]
        except (CannotGenerate, CannotEvaluate) as refused:
            raise CommandError(str(refused)) from None
        if any(missing):
            sys.exit(SOME_MISSING)

    def estimate(self, generator: Generator, endpoint: Endpoint) -> None:
        """The studies that an estimate needs are made, and taken back."""
        with transaction.atomic():
            for selection in selections_for(generator, endpoint.model):
                found = asking.estimate_for(selection.study, asking.Ask(endpoint))
                self.stdout.write(f"{selection.study.title}: {estimate_sentence(found, endpoint.currency)}")
            transaction.set_rollback(True)

    def select(self, selection: Selection, endpoint: Endpoint, keep: int, options: dict) -> bool:
        """Whether a text got fewer items than wanted."""
        if selection.selected:
            self.stdout.write(f"{selection.study.title}: {endpoint.model} selected “{selection.selected}” before.")
            return False
        ask, study = asking.Ask(endpoint), selection.study
        found = asking.estimate_for(study, ask)
        self.stdout.write(f"{study.title}: {estimate_sentence(found, endpoint.currency)}")
        if found.n_new and not (endpoint.is_free or endpoint.is_local or options["yes"]):
            confirm(endpoint)
        evaluator = asking.start(study, ask, budget=options["budget"], on_unknown=options["on_unknown"] or "")
        row = row_of(evaluator)
        if row.run and row.missing and (stopped := ending(wait_for(row.run, self.stdout.write))):
            self.stderr.write(stopped)
        close_answered(evaluator.annotator, evaluator.stages)
        candidates = select(selection, evaluator.annotator, keep)
        n_texts = len({each.item.text_id for each in candidates})
        n_kept = sum(each.is_kept for each in candidates)
        selection.refresh_from_db()
        self.stdout.write(
            f"Kept {n_kept} of {len(candidates)} candidates on {n_texts} texts as items of “{selection.selected}”. "
            f"{endpoint.model} selected them, so another model has to report on them."
        )
        return n_kept < keep * n_texts


def endpoint_called(name: str) -> Endpoint:
    endpoint = Endpoint.objects.filter(name=name).first()
    if endpoint is None:
        known = ", ".join(Endpoint.objects.values_list("name", flat=True))
        raise CommandError(f"There is no model “{name}”; there are: {known or 'none'}. Add it with add_model.")
    return endpoint


def project_called(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project “{slug}”. Make it with create_project.")
    return project
