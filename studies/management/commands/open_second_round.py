from studies.management.commands._study import StudyCommand
from studies.models import Purpose
from studies.services.second_round import open_second_round


class Command(StudyCommand):
    help = "Open a second round: return contradictory scores to those who gave them, by the rules of the study."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--simulated", action="store_true", help="of simulated annotators instead of people")

    def run(self, study, *, simulated, **options):
        opened = open_second_round(study, Purpose.SIMULATED if simulated else Purpose.MAIN)
        rules = ", ".join(f"({rule}) {n}" for rule, n in opened.by_rule.items())
        self.stdout.write(f"{opened.cells} scores go back to {opened.annotators} annotators; by rule: {rules}.")
