import sys

from django.core.management.base import BaseCommand, CommandError

from generation.services import ruling
from generation.services.choosing import N_ITEMS, N_OPTIONS, Size, texts_called
from generation.services.writing import CannotGenerate
from items.models import Text
from items.plain import printable
from projects.models import Project

SOME_MISSING = 3


class Command(BaseCommand):
    help = "Writes items from texts. Ends with 0: all written, 3: some missing, 1: refused."

    def add_arguments(self, parser):
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--model", required=True, metavar="cloze", help="cloze: rules, without a language model")
        parser.add_argument("--texts", type=listed, metavar="ID,ID", help="default: all texts of the project")
        parser.add_argument("--items", type=int, default=N_ITEMS, metavar="N", help="items a text; default: 3")
        parser.add_argument(
            "--options", type=int, default=N_OPTIONS, metavar="N", help="options an item; default: 3; 0: open questions"
        )

    def handle(self, *, project, model, **options):
        project = project_called(project)
        size = Size(options["items"], options["options"])
        try:
            texts = texts_called(project, options["texts"])
            if model != ruling.CLOZE:
                raise CannotGenerate(f"There is no model “{printable(model)}”; there is: {ruling.CLOZE}.")
            self.write_by_rule(project, texts, size)
        except CannotGenerate as refused:
            raise CommandError(str(refused)) from None

    def write_by_rule(self, project: Project, texts: list[Text], size: Size) -> None:
        found = ruling.write_by_rule(project, texts, size)
        for each in found:
            if each.n_missing:
                self.stderr.write(shortage(each, size))
        n_new, n_known = sum(each.n_new for each in found), sum(each.n_known for each in found)
        n_missing = sum(each.n_missing for each in found)
        self.stdout.write(total(n_new, n_known, n_missing))
        if n_missing:
            sys.exit(SOME_MISSING)


def shortage(each: ruling.Ruled, size: Size) -> str:
    """Why a text got fewer items than wanted."""
    name = printable(each.text.external_id)
    if each.speaks_other:
        return f"Text “{name}”: there are rules for German and English only, not for “{each.text.language}”."
    written = size.n_items - each.n_missing
    return f"Text “{name}” carries {written} of {size.n_items} items: it has too few usable sentences or like words."


def total(n_new: int, n_known: int, n_missing: int) -> str:
    if not n_new and not n_known:
        return "No item was written: no text has sentences that the rules can use. Take longer texts, or a model."
    return f"Items written: {n_new}; in the bank before: {n_known}; missing: {n_missing}."


def listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def project_called(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project “{printable(slug)}”. Make it with create_project.")
    return project
