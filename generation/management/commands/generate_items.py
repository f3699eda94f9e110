import sys

from django.core.management.base import BaseCommand, CommandError

from generation.services import asking, ruling
from generation.services.choosing import N_ITEMS, N_OPTIONS, Size, texts_called
from generation.services.examples import examples_called
from generation.services.writing import CannotGenerate
from items.models import Text
from items.names import clean_name
from items.plain import printable
from llm.commanding import ON_UNKNOWN, SOME_MISSING, amount, confirm, listed
from llm.models import Endpoint
from llm.waiting import ending, estimate_sentence, wait_for
from projects.models import Project


class Command(BaseCommand):
    help = "Writes items from texts. Ends with 0: all written, 3: some missing, 1: refused."

    def add_arguments(self, parser):
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--model", required=True, metavar="NAME|cloze", help="a model endpoint, or rules without one"
        )
        parser.add_argument("--texts", type=listed, metavar="ID,ID", help="default: all texts of the project")
        parser.add_argument("--items", type=int, default=N_ITEMS, metavar="N", help="items a text; default: 3")
        parser.add_argument(
            "--options",
            type=int,
            default=N_OPTIONS,
            metavar="N",
            help="options an item; default: 3; 0: open questions, by cloze or with --instrument generate-question",
        )
        parser.add_argument(
            "--instrument",
            metavar="I",
            help="the words to ask with: NAME or NAME/LANGUAGE[@VERSION]; default: generate-items",
        )
        parser.add_argument("--examples", metavar="N|ID,ID", help="show so many items of people, or these, as examples")
        parser.add_argument("--seed", type=int, metavar="S", help="draws the examples; default: 1")
        parser.add_argument(
            "--candidates", type=int, metavar="N", help="write so many a text, of which select_items keeps the best"
        )
        parser.add_argument("--as", dest="label", metavar="LABEL", help="the generator's name; default: by the model")
        parser.add_argument("--budget", type=amount, metavar="B", help="pause above it, in the endpoint's currency")
        parser.add_argument("--on-unknown", **ON_UNKNOWN)
        parser.add_argument("--estimate", action="store_true", help="say what it would cost, and do nothing")
        parser.add_argument("--yes", action="store_true", help="do not ask before calls that cost money")

    def handle(self, *, project, model, **options):
        project = project_called(project)
        n_items = options["items"] if options["candidates"] is None else options["candidates"]
        size = Size(n_items, options["options"])
        try:
            texts = texts_called(project, options["texts"])
            if model == ruling.CLOZE:
                refuse_for_rules(options)
                self.write_by_rule(project, texts, size)
            else:
                self.ask_model(project, ask_from(endpoint_called(model), texts, size, options), options)
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

    def ask_model(self, project: Project, ask: asking.Ask, options: dict) -> None:
        found = asking.estimate_for(project, ask)
        self.stdout.write(estimate_sentence(found, ask.endpoint.currency))
        if options["estimate"]:
            return
        if found.n_new and not (ask.endpoint.is_free or ask.endpoint.is_local or options["yes"]):
            confirm(ask.endpoint)
        before = asking.progress_of(project, ask)
        asking.start(project, ask, budget=options["budget"], on_unknown=options["on_unknown"] or "")
        for run in asking.unfinished_runs(asking.generator_of(project, ask), ask):
            if stopped := ending(wait_for(run, self.stdout.write)):
                self.stderr.write(stopped)
        after = asking.progress_of(project, ask)
        self.stdout.write(sentence(before, after))
        if ask.are_candidates and after.n_items:
            self.stdout.write(f"Next: select_items --project {project.slug} --candidates “{ask.name}” --model NAME")
        if after.n_missing or after.n_incomplete:
            sys.exit(SOME_MISSING)


def sentence(before: asking.Progress, after: asking.Progress) -> str:
    new = after.n_items - before.n_items
    said = f"Items written: {new}; in the bank before: {before.n_items}; missing: {after.n_missing}."
    if after.n_incomplete:
        said += f" Incomplete: {after.n_incomplete}; repair or discard them on the page “Incomplete items”."
    return said


def ask_from(endpoint: Endpoint, texts: list[Text], size: Size, options: dict) -> asking.Ask:
    return asking.Ask(
        endpoint,
        texts,
        size,
        options["instrument"] or asking.usual_instrument(endpoint),
        examples=examples_called(options["examples"] or "", options["seed"]),
        are_candidates=options["candidates"] is not None,
        label=label_from(options["label"]),
    )


def label_from(words: str | None) -> str:
    try:
        return "" if words is None else clean_name(words)
    except ValueError as error:
        raise CannotGenerate(f"--as: {error}") from None


def refuse_for_rules(options: dict) -> None:
    """What means something for models only is not passed over in silence."""
    names = ("instrument", "examples", "seed", "candidates", "label", "budget", "on_unknown")
    given = ["as" if name == "label" else name.replace("_", "-") for name in names if options[name] is not None]
    if given or options["estimate"]:
        raise CannotGenerate(f"--{(given or ['estimate'])[0]} is for models: rules make no calls. Leave it out.")


def endpoint_called(name: str) -> Endpoint:
    endpoint = Endpoint.objects.filter(name=name).first()
    if endpoint is None:
        known = ", ".join([*Endpoint.objects.values_list("name", flat=True), ruling.CLOZE])
        raise CannotGenerate(f"There is no model “{printable(name)}”; there are: {known}. Add it with add_model.")
    return endpoint


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


def project_called(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project “{printable(slug)}”. Make it with create_project.")
    return project
