"""`compute_metrics SLUG` or `--project SLUG`: automatic metrics of questions."""

from django.core.management.base import BaseCommand, CommandError

from evaluation.metric_values import compute_metrics, query_bank_items, query_study_items
from items.management.commands._project import find_project
from studies.management.commands._study import find_study


class Command(BaseCommand):
    help = "Computes automatic metrics of the questions of a study, or of a whole project, and stores them per item."

    def add_arguments(self, parser):
        parser.add_argument("slug", nargs="?", metavar="SLUG", help="a study")
        parser.add_argument("--project", metavar="SLUG", help="all current items of a project instead")

    def handle(self, *, slug, project, **options):
        if bool(slug) == bool(project):
            raise CommandError("Name either a study, or a project with --project.")
        if project:
            found = find_project(project)
            counted = compute_metrics(found, query_bank_items(found))
        else:
            study = find_study(slug)
            counted = compute_metrics(study.project, query_study_items(study))
        self.stdout.write(
            f"{counted.n_items} questions: {counted.n_values} values, {counted.n_undefined} undefined with a reason."
        )
