from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import study_named
from studies.models import Purpose
from studies.services.expert_check import EXPERTS, ITEMS, open_expert_check
from studies.services.locking import WrongState
from studies.services.spec import SpecError


class Command(BaseCommand):
    help = "Make links for experts who judge a random sample of the scores, right or wrong; prints the links' paths."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--items", type=int, default=ITEMS, help=f"how many, all experts the same; default {ITEMS}")
        parser.add_argument("--experts", type=int, default=EXPERTS, help=f"how many; default {EXPERTS}")
        parser.add_argument("--simulated", action="store_true", help="of simulated annotators instead of people")

    def handle(self, *, slug, items, experts, simulated, **options):
        purpose = Purpose.SIMULATED if simulated else Purpose.MAIN
        try:
            opened = open_expert_check(study_named(slug), items, experts, purpose)
        except (WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"Each expert checks {opened.scores} scores of {opened.items} items.")
        for expert in opened.experts:
            self.stdout.write(f"{expert.code} {expert.get_link()}")
