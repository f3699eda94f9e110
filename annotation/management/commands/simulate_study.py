from django.core.management.base import CommandError

from annotation.simulation import ABILITY, SPREAD, SimulationFailed, simulate_study
from studies.management.commands._study import StudyCommand

MAX_ANNOTATORS = 200


class Command(StudyCommand):
    help = (
        "Let simulated people answer a live study through its real pages. Chance of judging an option correctly: "
        f"{ABILITY['guess']} without the text, {ABILITY['read']} with it, plus a person's own offset (SD {SPREAD}); "
        "a flaw noted in an item's metadata (guessable, wrong key, unclear) changes it. They are marked as simulated."
    )
    refusals = (*StudyCommand.refusals, SimulationFailed)

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--annotators", type=int, required=True, metavar="N",
            help="number of new ones; earlier ones then go on with a second round or check opened with --simulated",
        )  # fmt: skip
        parser.add_argument("--seed", type=int, required=True, metavar="S")

    def run(self, study, *, annotators, seed, **options):
        if not 0 <= annotators <= MAX_ANNOTATORS:
            raise CommandError(f"--annotators takes a number from 0 to {MAX_ANNOTATORS}.")
        done = simulate_study(study, annotators, seed)
        self.stdout.write(
            f"{len(done)} simulated annotators finished {study.slug}; their answers are marked as simulated."
        )
