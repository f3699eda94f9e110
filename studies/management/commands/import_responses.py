from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.plain import printable
from items.uploads import CannotRead, read_file
from studies.management.commands._study import study_named
from studies.services.importing import ImportRefused, import_responses
from studies.services.locking import WrongState
from studies.services.spec import SpecError

SHOWN = 50


class Command(BaseCommand):
    help = "Take finished judgments (CSV or JSONL, one row each) into a draft study, which becomes imported."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, metavar="FILE", help="the file to read; - for standard input")
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--partial", action="store_true", help="take people's guesses without a read")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(self, *, file, study, partial, dry_run, **options):
        try:
            counts = import_responses(study_named(study), read_file(file), partial=partial, dry_run=dry_run)
        except (CannotRead, WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        except ImportRefused as refused:
            raise CommandError(refusal(refused)) from None
        done = "Checked, nothing stored" if dry_run else "Imported"
        for notice in counts.notices:
            self.stderr.write(notice)
        self.stdout.write(
            f"{done}: {counts.annotators} annotators, {counts.assignments} assignments, {counts.responses} responses."
        )


def refusal(refused: ImportRefused) -> str:
    """The first problems by line, and how many more there are."""
    shown = [printable(str(problem), 500) for problem in refused.problems[:SHOWN]]
    more = len(refused.problems) - len(shown)
    return "\n".join(["Nothing was stored.", *shown, *([f"… and {more} more."] if more else [])])
