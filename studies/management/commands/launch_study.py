from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import study_named
from studies.services.launching import launch_study
from studies.services.locking import WrongState
from studies.services.spec import SpecError


class Command(BaseCommand):
    help = "Freeze a draft study and open its links."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, *, slug, **options):
        try:
            study, chosen = launch_study(study_named(slug))
        except (WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        for notice in chosen.notices:
            self.stderr.write(notice)
        self.stdout.write(f"Study {study.slug} launched with {study.annotators.count()} annotators.")
