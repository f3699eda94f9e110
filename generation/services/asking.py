"""Models as generators: which texts are asked about, what it would cost, and the run in which the items are written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from generation.models import GeneratorRun, IncompleteItem
from generation.prompts import ITEMS, JSON, QUESTION, Template, read_template
from generation.services.answers import answers_about, unanswered
from generation.services.choosing import Size, check_size, language_of
from generation.services.examples import Examples, chosen
from generation.services.keeping import ending_of
from generation.services.writing import Author, CannotGenerate, ensure_author
from items.models import MAX_ID, Generator, GeneratorKind, Item, Text
from items.services.listing import languages_in
from llm.models import Endpoint, Run, RunState, Unknown
from llm.services import runs
from llm.services.estimating import Estimate, estimate
from projects.models import Project, User
from studies.models import InstrumentVersion
from studies.prompts import BadTemplate
from studies.services.instruments import UnknownInstrument, latest_version

RUN_KIND = "generation"
INSTRUMENT = "generate-items"
OF_THE_LOCAL_MODEL = "generate-items-json"  # it is too small to keep to a layout that no schema holds it to
CANDIDATES = "candidates"
UNFINISHED = [RunState.PLANNING, RunState.RUNNING, RunState.PAUSED]


def usual_instrument(endpoint: Endpoint) -> str:
    """The words that a model is asked with if nobody names others."""
    return OF_THE_LOCAL_MODEL if endpoint.is_local else INSTRUMENT


@dataclass(frozen=True)
class Ask:
    """A model as somebody wants it to write."""

    endpoint: Endpoint
    texts: Sequence[Text]
    size: Size = field(default_factory=Size)
    instrument: str = INSTRUMENT
    examples: Examples = field(default_factory=Examples)
    are_candidates: bool = False
    label: str = ""

    @property
    def name(self) -> str:
        """The generator's: a model with other words, or examples, is another generator."""
        base = self.instrument.partition("/")[0]
        parts = [
            self.endpoint.name,
            "" if base == usual_instrument(self.endpoint) else base,
            CANDIDATES if self.are_candidates else "",
        ]
        return self.label.strip() or " · ".join(part for part in parts if part)[:MAX_ID]


@dataclass(frozen=True)
class Progress:
    """What a generator has made of some texts."""

    n_items: int
    n_incomplete: int
    n_wanted: int

    @property
    def n_missing(self) -> int:
        return max(0, self.n_wanted - self.n_items - self.n_incomplete)


def family_of(model: str) -> str:
    """The letters that the model's name begins with: llama for meta-llama/Llama-3.1-8B."""
    found = re.match(r"[^\W\d_]+", model.rpartition("/")[2])
    return found[0].lower() if found else model[:MAX_ID]


def author_of(project: Project, ask: Ask) -> Author:
    """Who the items are of, with the factors that reports may contrast."""
    template = next(iter(templates_for(project, ask).values()))
    factors = {
        "family": family_of(ask.endpoint.model),
        "setting": "few-shot" if ask.examples else "zero-shot",
        "model": ask.endpoint.model,
    }
    if template.writes == ITEMS:
        factors["explanations"] = "with" if template.explains else "without"
    if ask.examples:
        factors["examples"] = str(ask.examples)
    return Author(ask.name, GeneratorKind.MODEL, factors)


def open_texts(project: Project, ask: Ask) -> list[Text]:
    """Those about which the generator has something to write still."""
    generator = known_generator(project, ask)
    if writes(project, ask) == QUESTION:
        about = {item.text_id for item in open_answers(project, ask, ask.texts)}
        return [text for text in ask.texts if text.pk in about]
    if generator is None:
        return list(ask.texts)
    items = Item.objects.filter(project=project, generator=generator).current()
    done = set(items.values_list("text__external_id", flat=True))
    rows = IncompleteItem.objects.filter(generator=generator)
    done |= set(rows.values_list("text__external_id", flat=True))
    return [text for text in ask.texts if text.external_id not in done]


def open_answers(project: Project, ask: Ask, texts: Sequence[Text]) -> list[Item]:
    """Items with an expected answer to which the generator has no question; refused if there are no answers at all."""
    generator = known_generator(project, ask)
    sources = answers_about(project, texts, generator)
    if texts and not sources:
        raise CannotGenerate(
            _("No item about these texts has an expected answer to which a question could be written. Add or import "
              "open questions with their answers first.")
        )  # fmt: skip
    return unanswered(sources, generator, ending_of(generator)) if generator else sources


def known_generator(project: Project, ask: Ask) -> Generator | None:
    """The generator of that name; refused if another model wrote under it, or one with other examples."""
    generator = Generator.objects.filter(project=project, name=ask.name).first()
    if generator and generator.factors.get("model", ask.endpoint.model) != ask.endpoint.model:
        raise CannotGenerate(
            _("Items of “%(name)s” were written by the model %(model)s. Add this model under another name.")
            % {"name": ask.name, "model": generator.factors["model"]}
        )
    if generator and generator.factors.get("examples", "") != (str(ask.examples) if ask.examples else ""):
        raise CannotGenerate(
            _("Items of “%(name)s” were written after other examples. Give this generator a name of its own.")
            % {"name": ask.name}
        )
    return generator


def params_for(project: Project, ask: Ask, texts: Sequence[Text]) -> dict[str, Any]:
    """Everything that the calls of a run depend on."""
    templates = templates_for(project, ask)
    check_ask(ask, templates)
    params: dict[str, Any] = {
        "texts": [text.pk for text in texts],
        "n_items": ask.size.n_items,
        "n_options": ask.size.n_options,
        "instruments": {language: version.pk for language, version in instruments_for(project, ask).items()},
        "languages": sorted({*(code.partition("-")[0] for code in languages_in(project)), "en"}),
    }
    if writes(project, ask) == QUESTION:
        params["answers"] = [item.pk for item in open_answers(project, ask, texts)]
    if ask.examples:
        params |= {"n_examples": ask.examples.size, "examples": {}}
        for language, template in templates.items():
            if about := [text for text in texts if language_of(text) == language]:
                found = chosen(project, ask.examples, about, template, ask.size.n_options)
                params["examples"][language] = [item.pk for item in found]
    return params


def check_ask(ask: Ask, templates: Mapping[str, Template]) -> None:
    """What the words are for is what is asked for, and the server can do it."""
    for template in templates.values():
        if template.writes == QUESTION and ask.size.n_options:
            raise CannotGenerate(_("These words ask for a question without options. Say 0 options."))
        check_size(ask.size, may_be_open=template.writes == QUESTION)
        if template.takes_examples and not ask.examples:
            raise CannotGenerate(_("These words show examples. Say which, or how many."))
        if ask.examples and not template.takes_examples:
            raise CannotGenerate(
                _("These words have no place for examples. Choose an instrument with the slot {examples}, such as "
                  "generate-items-examples.")
            )  # fmt: skip
        if problem := schema_problem(ask.endpoint, template):
            raise CannotGenerate(problem)


def schema_problem(endpoint: Endpoint, template: Template) -> str:
    """Why the server cannot be asked with these words: replies with and without a schema are never mixed."""
    if template.reply != JSON or endpoint.can("json_schema") is not False:
        return ""
    said = _(
        "“%(name)s” takes no JSON schema. Choose words that ask for a list, such as generate-items or "
        "generate-items-reasons; they make a generator of their own."
    )
    return said % {"name": endpoint.name}


def writes(project: Project, ask: Ask) -> str:
    """Items or a question; refused where the languages differ in it."""
    found = {template.writes for template in templates_for(project, ask).values()}
    if len(found) > 1:
        raise CannotGenerate(_("The instrument asks for items in one language and a question in another. Use two."))
    return found.pop()


def templates_for(project: Project, ask: Ask) -> dict[str, Template]:
    return {name: read_template(version.content) for name, version in instruments_for(project, ask).items()}


def instruments_for(project: Project, ask: Ask) -> dict[str, InstrumentVersion]:
    """The words to ask with, by language of the texts; refused if there are none at all or they cannot be used."""
    base, _slash, wanted = ask.instrument.partition("/")
    found: dict[str, InstrumentVersion] = {}
    for language in sorted({language_of(text) for text in ask.texts}):
        try:
            version = latest_version(f"{base}/{wanted or language}", project)
            read_template(version.content)
        except UnknownInstrument as unknown:
            problem = str(unknown)
        except BadTemplate as bad:
            raise CannotGenerate(str(bad)) from None
        else:
            found[language] = version
    if not found:
        raise CannotGenerate(problem)
    return found


def estimate_for(project: Project, ask: Ask) -> Estimate:
    """What it would cost now; stores neither generator nor run."""
    params = params_for(project, ask, open_texts(project, ask))
    return estimate(Run(project=project, kind=RUN_KIND, endpoint=ask.endpoint, model=ask.endpoint.model, params=params))


@transaction.atomic
def start(
    project: Project, ask: Ask, *,
    budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None,
) -> Run | None:  # fmt: skip
    """The run that writes what is not written: the unfinished one, woken, or a new one; None if nothing is left."""
    if budget is not None and not ask.endpoint.has_price:
        raise CannotGenerate(
            _("%(name)s has no price, so a budget cannot be kept. Enter its price, or leave the budget empty.")
            % {"name": ask.endpoint.name}
        )
    known_generator(project, ask)
    check_ask(ask, templates_for(project, ask))
    generator = Generator.objects.select_for_update().get(pk=ensure_author(project, author_of(project, ask)).pk)
    unfinished = unfinished_runs(generator, ask)
    asked = {pk for run in unfinished for pk in run.params["texts"]}
    texts = [text for text in open_texts(project, ask) if text.pk not in asked]
    for run in unfinished:
        _wake(run, budget, on_unknown)
    if not texts:
        return unfinished[0] if unfinished else None
    run = runs.create_run(
        project=project,
        kind=RUN_KIND,
        endpoint=ask.endpoint,
        label=_("%(name)s writes items") % {"name": ask.name},
        params=params_for(project, ask, texts),
        scope=scope_of(generator),
        budget=budget,
        on_unknown=on_unknown or Unknown.REPEAT,
        started_by=started_by,
    )
    GeneratorRun.objects.create(run=run, generator=generator)
    return run


def scope_of(generator: Generator) -> str:
    return f"generator {generator.pk}"


def generator_of(project: Project, ask: Ask) -> Generator:
    """Of an ask that was started."""
    return Generator.objects.get(project=project, name=ask.name)


def unfinished_runs(generator: Generator, ask: Ask) -> list[Run]:
    """Those that write about any of the texts."""
    wanted = {text.pk for text in ask.texts}
    runs_now = Run.objects.filter(project=generator.project_id, scope=scope_of(generator), state__in=UNFINISHED)
    return [run for run in runs_now if wanted & set(run.params["texts"])]


def _wake(run: Run, budget: Decimal | None, on_unknown: str) -> None:
    if budget is not None:
        runs.set_budget(run, budget)
    if on_unknown:
        runs.set_on_unknown(run, on_unknown)
    if run.state == RunState.PAUSED:
        runs.resume(run)
    run.refresh_from_db()


def progress_of(project: Project, ask: Ask) -> Progress:
    """Counted over the texts that were asked for, whichever run wrote."""
    ids = [text.external_id for text in ask.texts]
    mine = {"generator__project": project, "generator__name": ask.name, "text__external_id__in": ids}
    n_items = Item.objects.filter(**mine).current().count()
    rows = IncompleteItem.objects.filter(**mine)
    n_open = rows.filter(state="open").count()
    n_discarded = rows.filter(state="discarded").count()
    return Progress(n_items, n_open, n_wanted(project, ask) - n_discarded)


def n_wanted(project: Project, ask: Ask) -> int:
    if writes(project, ask) == QUESTION:
        return len(answers_about(project, ask.texts, known_generator(project, ask)))
    return len(ask.texts) * ask.size.n_items
