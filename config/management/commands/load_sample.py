import json
from collections.abc import Callable
from io import StringIO

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction

from annotation.simulation import simulate_study
from evaluation.services import asking as evaluating
from evaluation.services.baselines import add_baselines, list_methods
from evaluation.services.baselines import answer_by_baseline as answer_by_rule
from evaluation.services.evaluators import list_runs
from evaluation.setting import PROBABILITY
from generation.services import asking as generating
from generation.services.choosing import Size
from generation.services.ruling import write_by_rule
from items.models import Generator, Text
from llm.models import Endpoint, Run
from llm.services import endpoints
from llm.services.recorded import replay
from projects.models import Project
from studies.models import Study
from studies.services.creating import create_study, find_free_slug
from studies.services.launching import launch_study, remove_simulated
from studies.services.spec import check_spec
from studies.strict_yaml import read_yaml

SLUG = "sample"
SEED = 20240567
ANNOTATORS = 6
DESCRIPTION = "Sixteen short texts written for Lesart, with questions by two people, a rule and a very small model."
GENERATORS = {
    "careful": "A person who wrote for each text three questions that can only be answered after reading it.",
    "hurried": (
        "A person in a hurry. Each of the questions has one typical flaw, noted in its metadata: it can be guessed,"
        " its key is wrong, or it is unclear."
    ),
    "cloze": "A rule that takes a word out of a sentence of the text and offers words of the same kind beside it.",
    endpoints.NAME: (
        "The very small model that comes with Lesart, asked about the English texts only. Most of what it wrote is"
        " incomplete and waits for repair; only its whole items are in the study."
    ),
}
STUDIES = {"de": "Eight German texts: guess, then read", "en": "Eight English texts: guess, then read"}
MODEL_SPEAKS = "en"
RECORDED = settings.BASE_DIR / "config" / "sample" / "calls.jsonl"
SPEC = settings.BASE_DIR / "config" / "sample" / "study.yaml"

Answer = Callable[[Run], object]


class Command(BaseCommand):
    help = "Load the sample project: texts, items, a study per language, simulated annotators, a model and baselines."

    def handle(self, **options):
        if Project.objects.filter(is_sample=True).exists():
            return
        load(endpoints.get_local_endpoint(), use_recorded_replies())
        self.stdout.write("The sample project is loaded: two studies with simulated annotators, a model and baselines.")


def load(endpoint: Endpoint, answer: Answer) -> Project:
    """Load the sample project, or complete it after an interruption. `answer` supplies the replies to a run's calls."""
    project, studies = load_bank_and_studies(endpoint, answer)
    for study in studies:
        remove_simulated(study)
        simulate_study(study, ANNOTATORS, SEED)
        evaluate(study, endpoint, answer)
    # Set last: an interrupted load starts again here, a finished one never does.
    Project.objects.filter(pk=project.pk).update(is_sample=True)
    return project


def use_recorded_replies() -> Answer:
    """The recorded replies of the small local model; `bench/sample_model.py` records them again."""
    recorded = read_recorded_replies()
    return lambda run: replay(run, recorded)


def read_recorded_replies() -> dict[str, dict]:
    """The recorded replies, by the fingerprint of the request."""
    with RECORDED.open(encoding="utf-8") as file:
        return {reply["asked"]: reply for reply in map(json.loads, file)}


@transaction.atomic
def load_bank_and_studies(endpoint: Endpoint, answer: Answer) -> tuple[Project, list[Study]]:
    """All or nothing, so that a project of that name is either ours from an interrupted start or a user's own."""
    project = Project.objects.filter(slug__startswith=SLUG, description=DESCRIPTION).first()
    if project is None:
        project = Project.objects.create(slug=find_free_project_slug(), title="Sample project", description=DESCRIPTION)
    for language in STUDIES:
        file = settings.BASE_DIR / "items" / "sample" / f"sample_{language}.jsonl"
        call_command("import_items", str(file), project=project.slug, stdout=StringIO())
    generate(project, endpoint, answer)
    for name, description in GENERATORS.items():
        Generator.objects.filter(project=project, name=name).update(description=description)
    return project, [ensure_study(project, language) for language in STUDIES]


def generate(project: Project, endpoint: Endpoint, answer: Answer) -> None:
    texts = list(Text.objects.filter(project=project).current())
    write_by_rule(project, texts, Size())
    spoken = [text for text in texts if text.language == MODEL_SPEAKS]
    run = generating.start(
        project, generating.GenerationSpec(endpoint, spoken, instrument=generating.get_default_instrument(endpoint))
    )
    if run is not None and run.is_active:
        answer(run)


def evaluate(study: Study, endpoint: Endpoint, answer: Answer) -> None:
    for method in list_methods(study):
        for evaluator in add_baselines(study, method):
            answer_by_rule(evaluator)
    with transaction.atomic():
        evaluator = evaluating.start(study, evaluating.ModelSpec(endpoint, reading=PROBABILITY))
        for run in list_runs(evaluator):
            if run.is_active:
                answer(run)


def find_free_project_slug() -> str:
    number, slug = 1, SLUG
    while Project.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{SLUG}-{number}"
    return slug


def ensure_study(project: Project, language: str) -> Study:
    """The sample study in that language, created and launched if the project lacks it."""
    known = project.studies.filter(title=STUDIES[language]).first()
    if known:
        return known
    texts = project.texts.current().filter(language=language).values_list("external_id", flat=True)
    spec = {
        "slug": find_free_slug(f"sample-{language}"),
        "title": STUDIES[language],
        "language": language,
        "items": {"texts": list(texts)},
        "plan": {"annotators": ANNOTATORS, "seed": SEED},
    }
    study, _chosen = create_study(project, check_spec(read_yaml(SPEC.read_text("utf-8")) | spec))
    return launch_study(study)[0]
