from io import StringIO

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction

from annotation.simulation import simulate_study
from items.models import Generator
from projects.models import Project
from studies.models import Study
from studies.services.creating import create_study, free_slug
from studies.services.launching import launch_study, remove_simulated
from studies.services.spec import check_spec

SLUG = "sample"
SEED = 20240567
ANNOTATORS = 6
DESCRIPTION = "Eight short texts written for Lesart, with questions by a careful and a hurried writer."
GENERATORS = {
    "careful": "A person who wrote for each text three questions that can only be answered after reading it.",
    "hurried": (
        "A person in a hurry. Each of the questions has one typical flaw, noted in its metadata: it can be guessed,"
        " its key is wrong, or it is unclear."
    ),
}
STUDIES = {"de": "Four German texts: guess, then read", "en": "Four English texts: guess, then read"}


class Command(BaseCommand):
    help = "Load the sample project: texts, items, a study per language and simulated annotators. Only the first time."

    def handle(self, **options):
        if Project.objects.filter(is_sample=True).exists():
            return
        project, studies = load_bank_and_studies()
        for study in studies:
            remove_simulated(study)
            simulate_study(study, ANNOTATORS, SEED)
        # Set last: an interrupted start begins again here, a finished one never does.
        Project.objects.filter(pk=project.pk).update(is_sample=True)
        self.stdout.write("The sample project is loaded: two studies with simulated annotators.")


@transaction.atomic
def load_bank_and_studies() -> tuple[Project, list[Study]]:
    """All or nothing, so that a project of that name is either this one from an interrupted start or a user's own."""
    project = Project.objects.filter(slug=SLUG, description=DESCRIPTION).first()
    if project is None:
        project = Project.objects.create(slug=free_name(), title="Sample project", description=DESCRIPTION)
    for language in STUDIES:
        file = settings.BASE_DIR / "items" / "sample" / f"sample_{language}.jsonl"
        call_command("import_items", str(file), project=project.slug, stdout=StringIO())
    for name, description in GENERATORS.items():
        Generator.objects.filter(project=project, name=name).update(description=description)
    return project, [launched(project, language) for language in STUDIES]


def free_name() -> str:
    number, slug = 1, SLUG
    while Project.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{SLUG}-{number}"
    return slug


def launched(project: Project, language: str) -> Study:
    """The sample study of that language, made and launched if the project does not have it yet."""
    known = project.studies.filter(title=STUDIES[language]).first()
    if known:
        return known
    texts = project.texts.current().filter(language=language).values_list("external_id", flat=True)
    spec = {
        "slug": free_slug(f"sample-{language}"),
        "title": STUDIES[language],
        "protocol": "guess-then-read",
        "language": language,
        "items": {"texts": list(texts)},
        "plan": {"annotators": ANNOTATORS, "seed": SEED},
    }
    study, _chosen = create_study(project, check_spec(spec))
    return launch_study(study)[0]
