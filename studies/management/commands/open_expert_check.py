from studies.management.commands._study import StudyCommand
from studies.models import Purpose
from studies.services.expert_check import EXPERTS, ITEMS, open_expert_check


class Command(StudyCommand):
    help = "Open an expert check: experts judge whether a random sample of scores is right. Prints the links' paths."

    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument("--items", type=int, default=ITEMS, help=f"sample size, same for all; default {ITEMS}")
        parser.add_argument("--experts", type=int, default=EXPERTS, help=f"number of experts; default {EXPERTS}")
        parser.add_argument("--simulated", action="store_true", help="of simulated annotators instead of people")

    def run(self, study, *, items, experts, simulated, **options):
        opened = open_expert_check(study, items, experts, Purpose.SIMULATED if simulated else Purpose.MAIN)
        self.stdout.write(f"Each expert checks {opened.scores} scores of {opened.items} items.")
        for expert in opened.experts:
            self.stdout.write(f"{expert.code} {expert.get_link()}")
