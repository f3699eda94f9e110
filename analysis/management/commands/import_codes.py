"""`import_codes FILE --study SLUG`: codes of items from a CSV file, as the coding page takes them."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.items.code_files import CodeImport, import_codes
from items.files import get_upload_limit
from items.plain import make_printable
from projects.models import User
from studies.management.commands._study import find_study
from studies.services.responses.importing import ImportRefused

MOST_PROBLEMS = 50


class Command(BaseCommand):
    help = "Sets codes of a study's items from a CSV file (item_id, kind, code, …): all, or none if a line is wrong."

    def add_arguments(self, parser):
        parser.add_argument(
            "file", type=Path, metavar="FILE.csv", help="as written by export_codes or downloaded from a page"
        )
        parser.add_argument("--study", required=True, metavar="SLUG")
        parser.add_argument("--by", default="", metavar="USERNAME", help="who has coded; default: nobody is named")
        parser.add_argument("--dry-run", action="store_true", help="check everything, store nothing")

    def handle(self, *, file, study, by, dry_run, **options):
        try:
            found = import_codes(find_study(study), read_content(file), find_coder(by), dry_run=dry_run)
        except ImportRefused as refused:
            shown = [make_printable(str(problem), 500) for problem in refused.problems[:MOST_PROBLEMS]]
            more = len(refused.problems) - len(shown)
            raise CommandError(
                "\n".join(["Nothing was stored.", *shown, *([f"… and {more} more."] if more else [])])
            ) from None
        if found.new:
            self.stderr.write(f"New categories: {make_printable(', '.join(found.new), 1_000)}")
        self.stdout.write(describe_import(found))


def describe_import(found: CodeImport) -> str:
    if found.done is None:
        return f"Checked, nothing stored: {found.n_rows} codes."
    done = found.done
    return f"Codes set: {done.n_set}, on {len(done.items)} items. Unchanged: {done.n_same}."


def find_coder(name: str) -> User | None:
    if not name:
        return None
    found = User.objects.filter(username=name).first()
    if found is None:
        raise CommandError(f"There is no user “{make_printable(name)}”. Write the name of one, or leave --by out.")
    return found


def read_content(file: Path) -> bytes:
    limit = get_upload_limit("COMMAND")
    try:
        if file.stat().st_size > limit:
            raise CommandError(f"{file} is larger than {limit // 1_000_000} MB. Split it.")
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
