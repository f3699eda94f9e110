from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.files import name_kind
from items.management.commands._project import find_project
from studies.services.creating import create_launched, create_study
from studies.services.spec import SpecError, read_spec

MAX_BYTES = 4_000_000


class Command(BaseCommand):
    help = "Create a study from a YAML file: a draft, or with --launch a live study with its links."

    def add_arguments(self, parser):
        parser.add_argument("spec", type=Path, metavar="SPEC.yaml")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--launch", action="store_true", help="launch it at once")

    def handle(self, *, spec, project, launch, **options):
        found = find_project(project)
        try:
            study, chosen = (create_launched if launch else create_study)(found, read_spec(read_content(spec)))
        except SpecError as error:
            raise CommandError(str(error)) from None
        for notice in chosen.notices:
            self.stderr.write(notice)
        state = "launched" if launch else "made as a draft"
        self.stdout.write(f"Study {study.slug} {state}: {len(chosen.texts)} texts, {chosen.n_items} items.")


def read_content(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise CommandError(f"{file} is larger than {MAX_BYTES // 1_000_000} MB, so it is not read here.")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        found = name_kind(content) or "It is not UTF-8."
        raise CommandError(f"{file} cannot be read. {found} Save it as YAML in UTF-8.") from None
