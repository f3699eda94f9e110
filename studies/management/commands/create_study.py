from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from projects.models import Project
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.spec import SpecError, read_spec


class Command(BaseCommand):
    help = "Make a study from a YAML file: a draft, or with --launch a running study with its links."

    def add_arguments(self, parser):
        parser.add_argument("spec", type=Path, metavar="SPEC.yaml")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--launch", action="store_true", help="launch it at once")

    def handle(self, *, spec, project, launch, **options):
        try:
            found = Project.objects.get(slug=project)
            read = read_spec(spec.read_text("utf-8"))
            study, chosen = create_study(found, read)
        except Project.DoesNotExist:
            raise CommandError(f"There is no project “{project}”. Make it with create_project.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{spec} cannot be read as UTF-8 text: {error}") from None
        except SpecError as error:
            raise CommandError(str(error)) from None
        if launch:
            launch_study(study)
        for notice in chosen.notices:
            self.stderr.write(notice)
        state = "launched" if launch else "made as a draft"
        self.stdout.write(f"Study {study.slug} {state}: {len(chosen.texts)} texts, {chosen.n_items} items.")
