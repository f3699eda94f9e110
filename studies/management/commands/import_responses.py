from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.files import UnreadableFile, read_file
from items.plain import make_printable
from studies.management.commands._study import find_study
from studies.services.responses.importing import AnswerFile, ImportRefused, import_responses
from studies.services.responses.mapping import BadMapping, parse_mapping
from studies.services.spec import SpecError
from studies.services.states import WrongState

MAX_PROBLEMS = 50


class Command(BaseCommand):
    help = "Import responses (CSV, JSONL, XLSX or Parquet) into a draft study, which becomes an imported study."

    def add_arguments(self, parser):
        parser.add_argument(
            "file", type=Path, nargs="+", metavar="FILE", help="CSV, JSONL, XLSX or Parquet; - for standard input"
        )
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument(
            "--partial", action="store_true", help="accept people's guesses without their answers in the reading stage"
        )
        parser.add_argument(
            "--map", action="append", default=[], metavar="COLUMN",
            help="names of other columns, such as 'annotator = Rater', 'stage: rate' or 'question clarity = Clear?'",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(self, *, file, study, map, partial, dry_run, **options):
        try:
            files = [AnswerFile(path.name, read_file(path)) for path in file]
            mapping = parse_mapping("\n".join(map))
            counts = import_responses(find_study(study), files, mapping=mapping, partial=partial, dry_run=dry_run)
        except (BadMapping, UnreadableFile, WrongState, SpecError) as error:
            raise CommandError(str(error)) from None
        except ImportRefused as refused:
            raise CommandError(describe_refusal(refused)) from None
        done = "Checked, nothing stored" if dry_run else "Imported"
        for notice in counts.notices:
            self.stderr.write(notice)
        self.stdout.write(
            f"{done}: {counts.annotators} annotators, {counts.assignments} assignments, {counts.responses} responses."
        )


def describe_refusal(refused: ImportRefused) -> str:
    """The first problems by line, and how many more there are."""
    shown = [make_printable(str(problem), 500) for problem in refused.problems[:MAX_PROBLEMS]]
    more = len(refused.problems) - len(shown)
    return "\n".join(["Nothing was stored.", *shown, *([f"… and {more} more."] if more else [])])
