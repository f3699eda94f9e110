from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from items.files import UnreadableFile, read_file
from items.formats import FORMATS, find_format
from items.formats.rows import ImportProblem, Problems
from items.formats.table_columns import parse_assignments
from items.plain import clean_language, clean_name, make_printable
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from projects.models import Project


class Command(BaseCommand):
    help = "Import texts and items into a project: all of the file or, if anything is wrong with it, nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the file to read; - for standard input")
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        parser.add_argument("--format", choices=sorted(FORMATS), help="by default what the end of the file's name says")
        parser.add_argument("--generator", default="", metavar="NAME", help="who wrote the items that do not say it")
        parser.add_argument("--language", default="", metavar="L", help="of the texts that do not say it, such as de")
        parser.add_argument(
            "--map", action="append", default=[], metavar="COLUMN",
            help="the field of a column of a table, such as 'question = Frage', 'extra = Note' or 'leave_out = Nr'",
        )  # fmt: skip
        parser.add_argument("--update", action="store_true", help="store other wordings as new versions")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen and store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(
                _("No project has the short name {slug}.").format(slug=make_printable(options["project"]))
            )
        import_options = _read_options(options)
        format = _choose_format(options)
        try:
            columns = parse_assignments(options["map"])
            reading = read_bank_file(read_file(options["file"]), format, name=options["file"], columns=columns)
        except (UnreadableFile, ValueError) as error:
            raise CommandError(str(error)) from None
        try:
            if options["dry_run"]:
                plan = _require_no_problems(plan_import(project, reading, import_options))
            else:
                plan = import_items(project, reading, import_options, filename=Path(options["file"]).name)
        except ImportRefused as refusal:
            raise CommandError(_describe_refusal(refusal)) from None
        if options["verbosity"] > 0:
            self._report(plan, dry_run=options["dry_run"])

    def _report(self, plan: ImportPlan, dry_run: bool) -> None:
        for line in _list_columns(plan) if dry_run else ():
            self.stdout.write(line)
        for line in _list_problems(plan.warnings):
            self.stdout.write(_("Warning: {line}").format(line=line))
        for sentence in plan.sentences():
            self.stdout.write(sentence)
        self.stdout.write(_describe_outcome(plan, dry_run))


def _describe_outcome(plan: ImportPlan, dry_run: bool) -> str:
    if dry_run:
        return _("Dry run: nothing was stored.")
    return _("Stored.") if plan.writes else _("Nothing had to be stored.")


def _require_no_problems(plan: ImportPlan) -> ImportPlan:
    if plan.problems:
        raise ImportRefused(plan)
    return plan


def _read_options(options: dict[str, Any]) -> ImportOptions:
    try:
        return ImportOptions(
            generator=options["generator"] and clean_name(options["generator"]),
            language=options["language"] and clean_language(options["language"]),
            update=options["update"],
        )
    except ValueError as error:
        raise CommandError(str(error)) from None


def _choose_format(options: dict[str, Any]) -> str:
    if name := options["format"] or (options["file"] == "-" and "lesart") or find_format(options["file"]):
        return str(name)
    raise CommandError(
        _("The file name does not show the format. Add --format, one of: {names}.").format(names=", ".join(FORMATS))
    )


def _describe_refusal(refusal: ImportRefused) -> str:
    plan = refusal.plan
    advice = [_("To store changed wordings as new versions, add --update.")] if plan.can_update else []
    return "\n".join([str(refusal), *_list_problems(plan.problems), *_list_columns(plan), *advice])


def _list_columns(plan: ImportPlan) -> list[str]:
    """The columns of a table with their fields, as `--map` takes them."""
    if not plan.columns:
        return []
    lines = [f"  {field} = {make_printable(name)}" for name, field in plan.columns.items()]
    return [_("The columns and their fields; change them with --map:"), *lines]


def _list_problems(problems: Problems) -> list[str]:
    lines = [_describe_problem(problem) for problem in problems.listed]
    more = [_("… and {count} more.").format(count=problems.n_unlisted)] if problems.n_unlisted else []
    return lines + more


def _describe_problem(problem: ImportProblem) -> str:
    """Line, field and reason; terminal escapes were already removed from quotes."""
    line = _("line {number}").format(number=problem.line) if problem.line else _("the file")
    line = problem.name or line
    place = f"{line}, {problem.field}" if problem.field else line
    return make_printable(f"{place}: {problem.reason}", 1_000)
