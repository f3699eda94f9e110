from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import study_named
from studies.services.launching import open_main_part
from studies.services.locking import WrongState
from studies.services.spec import SpecError


class Command(BaseCommand):
    help = "Let annotators go on from the calibration to the texts of their own."

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, *, slug, **options):
        try:
            study = open_main_part(study_named(slug))
        except (WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"The main part of {study.slug} is open.")
