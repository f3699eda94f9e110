from django.core.management.base import BaseCommand, CommandError

from annotation.simulation import ABILITY, SPREAD, SimulationFailed, simulate_study
from studies.models import Study
from studies.services.locking import WrongState
from studies.services.spec import SpecError

MOST = 200


class Command(BaseCommand):
    help = (
        "Let simulated people answer a live study through its real pages. Chance of judging an option right: "
        f"{ABILITY['guess']} without the text, {ABILITY['read']} with it, plus a person's own offset (SD {SPREAD}); "
        "a flaw noted in an item's metadata (guessable, wrong key, unclear) changes it. They are marked as simulated."
    )

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--annotators", type=int, required=True, metavar="N")
        parser.add_argument("--seed", type=int, required=True, metavar="S")

    def handle(self, *, slug, annotators, seed, **options):
        if not 1 <= annotators <= MOST:
            raise CommandError(f"--annotators takes a number from 1 to {MOST}.")
        try:
            study = Study.objects.get(slug=slug)
            done = simulate_study(study, annotators, seed)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{slug}”. Make it with create_study.") from None
        except (WrongState, SpecError, SimulationFailed) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{len(done)} simulated annotators finished {slug}; their answers are marked as simulated.")
