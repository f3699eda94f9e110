from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from studies.models import Study
from studies.services.spec import SpecError
from studies.services.states import WrongState


def find_study(slug: str) -> Study:
    """The study of that slug; `CommandError` if there is none."""
    study = Study.objects.select_related("project", "instrument_version").filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”. Make it with create_study.")
    return study


class StudyCommand(BaseCommand):
    """A command that changes one study, in `run`. A refusal ends the command with its message."""

    run: Any  # (study, **options)
    refusals: ClassVar[tuple[type[Exception], ...]] = (WrongState, SpecError)

    def add_arguments(self, parser):
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, *, slug, **options):
        try:
            self.run(find_study(slug), **options)
        except self.refusals as error:
            raise CommandError(str(error)) from None
