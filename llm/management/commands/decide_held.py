from django.core.management.base import BaseCommand, CommandError

from llm.models import Run, Unknown
from llm.services import runs


class Command(BaseCommand):
    help = "Decides about calls of a run that were on the wire when a worker died, and about those to come."

    def add_arguments(self, parser):
        parser.add_argument("run", metavar="RUN", type=int, help="the run's number, as in its address")
        held = parser.add_mutually_exclusive_group()
        held.add_argument("--ask-again", action="store_true", help="ask the held calls again")
        held.add_argument("--give-up", action="store_true", help="count the held calls as failed")
        parser.add_argument("--from-now", choices=Unknown.values, help="what becomes of such calls from now on")

    def handle(self, *, run, ask_again, give_up, from_now, **options):
        found = Run.objects.filter(pk=run).first()
        if found is None:
            raise CommandError(f"There is no run {run}. Its number stands in the address of its page.")
        if not (ask_again or give_up or from_now):
            raise CommandError("Nothing was decided. Say --ask-again, --give-up or --from-now.")
        if from_now and not runs.set_on_unknown(found, from_now):
            raise CommandError(f"Run {run} is over; nothing is left to decide.")
        if from_now:
            self.stdout.write(f"From now on: {Unknown(from_now).label}.")
        if ask_again or give_up:
            n = runs.decide_held(found, ask_again=ask_again)
            self.stdout.write(f"{n} held {'is' if n == 1 else 'are'} {'asked again' if ask_again else 'given up'}.")
