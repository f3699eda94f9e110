from django.core.management.base import BaseCommand, CommandError

from studies.management.commands._study import find_study
from studies.models import EndReason
from studies.services.rights import CannotErase, erase_person


class Command(BaseCommand):
    help = "Delete everything that a person gave a study: answers, drafts, contact. Their code stays."

    def add_arguments(self, parser):
        parser.add_argument("--study", metavar="SLUG", required=True)
        parser.add_argument("--code", metavar="C", required=True, help="the person's code, such as P01")

    def handle(self, *, study, code, **options):
        found = find_study(study)
        annotator = found.annotators.filter(code=code).first()
        if annotator is None:
            raise CommandError(f"The study “{study}” has nobody with the code “{code}”.")
        try:
            erased = erase_person(annotator, EndReason.WITHDRAWN)
        except CannotErase as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{erased.answers} answers and {erased.drafts} drafts of {code} are deleted.")
        for name in erased.kept_items:
            self.stdout.write(f"Item {name}, which {code} wrote, stays: other people were asked about it.")
