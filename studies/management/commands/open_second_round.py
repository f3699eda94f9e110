from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import study_named
from studies.models import Purpose
from studies.services.locking import WrongState
from studies.services.second_round import open_second_round
from studies.services.spec import SpecError


class Command(BaseCommand):
    help = "Give scores that contradict each other back to those who gave them, by the rules of the study."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--simulated", action="store_true", help="of simulated annotators instead of people")

    def handle(self, *, slug, simulated, **options):
        try:
            opened = open_second_round(study_named(slug), Purpose.SIMULATED if simulated else Purpose.MAIN)
        except (WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        rules = ", ".join(f"({rule}) {n}" for rule, n in opened.by_rule.items())
        self.stdout.write(f"{opened.cells} scores go back to {opened.annotators} annotators; by rule: {rules}.")
