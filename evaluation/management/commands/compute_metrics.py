"""`compute_metrics SLUG` or `--project SLUG`: automatic metrics of questions."""

from django.core.management.base import BaseCommand, CommandError

from evaluation.services.metrics import compute_metrics, items_in_bank, items_in_study
from projects.models import Project
from studies.models import Study


class Command(BaseCommand):
    help = "Computes automatic metrics of the questions of a study, or of a whole project, and stores them per item."

    def add_arguments(self, parser):
        parser.add_argument("slug", nargs="?", metavar="SLUG", help="a study")
        parser.add_argument("--project", metavar="SLUG", help="all current items of a project instead")

    def handle(self, *, slug, project, **options):
        if bool(slug) == bool(project):
            raise CommandError("Name either a study, or a project with --project.")
        counted = of_project(project) if project else of_study(slug)
        self.stdout.write(
            f"{counted.n_items} questions: {counted.n_values} values, {counted.n_undefined} undefined with a reason."
        )


def of_study(slug: str):
    study = Study.objects.select_related("project").filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”. Make it with create_study.")
    return compute_metrics(study.project, items_in_study(study))


def of_project(slug: str):
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project “{slug}”. Make it with create_project.")
    return compute_metrics(project, items_in_bank(project))
