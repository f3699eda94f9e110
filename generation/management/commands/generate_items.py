import sys

from django.core.management.base import CommandError

from generation.services import asking, ruling
from generation.services.choosing import N_ITEMS, N_OPTIONS, Size, find_texts, parse_examples
from generation.services.storing import CannotGenerate
from items.management.commands._project import find_project
from items.models import Text
from items.plain import clean_name, make_printable
from llm.command_line import SOME_MISSING, RunCommand, read_options, read_run_terms, split_list
from llm.models import Endpoint
from projects.models import Project

FOR_MODELS = (
    *("instrument", "examples", "candidates", "label", "budget", "on_unknown"),
    *("max_tokens", "reasoning_effort", "extra", "estimate", "keep_going"),
)


class Command(RunCommand):
    help = "Writes items from texts. Ends with 0: all written, 3: some missing, 1: refused."

    def add_arguments(self, parser):
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--model", required=True, metavar="NAME|cloze", help="a model endpoint, or rules without one"
        )
        parser.add_argument("--texts", type=split_list, metavar="ID,ID", help="default: all texts of the project")
        parser.add_argument("--items", type=int, default=N_ITEMS, metavar="N", help="items a text; default: 3")
        parser.add_argument(
            "--options",
            type=int,
            default=N_OPTIONS,
            metavar="N",
            help="options an item; default: 3; 0: open questions",
        )
        parser.add_argument(
            "--instrument",
            metavar="I",
            help="the prompt: NAME or NAME/LANGUAGE[@VERSION]; default: generate-items, or generate-open-questions",
        )
        parser.add_argument("--examples", metavar="N|ID,ID", help="show so many items of people, or these, as examples")
        parser.add_argument(
            "--seed", type=int, metavar="S", help="draws the examples, or the open questions of the rules; default: 1"
        )
        parser.add_argument(
            "--candidates", type=int, metavar="N", help="write so many a text, of which select_items keeps the best"
        )
        parser.add_argument("--as", dest="label", metavar="LABEL", help="the generator's name; default: by the model")
        self.add_run_arguments(parser)

    def handle(self, *, project, model, **options):
        project = find_project(project)
        n_items = options["items"] if options["candidates"] is None else options["candidates"]
        size = Size(n_items, options["options"])
        try:
            texts = find_texts(project, options["texts"])
            if model == ruling.CLOZE:
                self.refuse_options(options, FOR_MODELS, "works with models only")
                self.write_by_rule(project, texts, size, options["seed"])
            else:
                self.ask_model(
                    project, make_spec(self.find_endpoint(model, ruling.CLOZE), texts, size, options), options
                )
        except CannotGenerate as refused:
            raise CommandError(str(refused)) from None

    def write_by_rule(self, project: Project, texts: list[Text], size: Size, seed: int | None) -> None:
        found = ruling.write_by_rule(project, texts, size, seed)
        for each in found:
            if each.n_missing:
                self.stderr.write(describe_shortage(each, size))
        n_new, n_known = sum(each.n_new for each in found), sum(each.n_known for each in found)
        n_missing = sum(each.n_missing for each in found)
        self.stdout.write(describe_total(n_new, n_known, n_missing))
        if n_missing:
            sys.exit(SOME_MISSING)

    def ask_model(self, project: Project, spec: asking.GenerationSpec, options: dict) -> None:
        if not self.confirm_estimate(asking.estimate_run(project, spec), spec.endpoint, options):
            return
        before = asking.count_progress(project, spec)
        asking.start(project, spec, **read_run_terms(options))
        for run in asking.list_unfinished_runs(asking.get_generator(project, spec), spec):
            self.wait_for_run(run)
        after = asking.count_progress(project, spec)
        self.stdout.write(describe_progress(before, after))
        if spec.are_candidates and after.n_items:
            self.stdout.write(f"Next: select_items --project {project.slug} --candidates “{spec.name}” --model NAME")
        if after.n_missing or after.n_incomplete:
            sys.exit(SOME_MISSING)


def describe_progress(before: asking.Progress, after: asking.Progress) -> str:
    new = after.n_items - before.n_items
    sentence = f"Items written: {new}; already in the project: {before.n_items}; missing: {after.n_missing}."
    if after.n_incomplete:
        sentence += f" Incomplete: {after.n_incomplete}; repair or discard them on the page “Incomplete items”."
    return sentence


def make_spec(endpoint: Endpoint, texts: list[Text], size: Size, options: dict) -> asking.GenerationSpec:
    return asking.GenerationSpec(
        endpoint,
        texts,
        size,
        options["instrument"] or asking.choose_instrument(endpoint, size),
        examples=parse_examples(options["examples"] or "", options["seed"]),
        are_candidates=options["candidates"] is not None,
        label=parse_label(options["label"]),
        options=read_options(options),
    )


def parse_label(words: str | None) -> str:
    try:
        return "" if words is None else clean_name(words)
    except ValueError as error:
        raise CannotGenerate(f"--as: {error}") from None


def describe_shortage(each: ruling.RuleResult, size: Size) -> str:
    """Why a text got fewer items than requested."""
    name = make_printable(each.text.external_id)
    if each.is_in_other_language:
        return f"Text “{name}”: there are rules for German and English only, not for “{each.text.language}”."
    written = size.n_items - each.n_missing
    shortage = "it has too few usable sentences or similar words."
    return f"Text “{name}” is enough for {written} of {size.n_items} items only: {shortage}"


def describe_total(n_new: int, n_known: int, n_missing: int) -> str:
    if not n_new and not n_known:
        return "No item was written: no text has sentences that the rules can use. Take longer texts, or a model."
    return f"Items written: {n_new}; already in the project: {n_known}; missing: {n_missing}."
