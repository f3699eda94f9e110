"""Models as generators: which texts are asked about, what it would cost, and the run in which the items are written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from generation.models import GeneratorRun, IncompleteItem
from generation.prompts import read_template
from generation.services.choosing import Size, check_size
from generation.services.writing import Author, CannotGenerate, ensure_author
from items.models import MAX_ID, Generator, GeneratorKind, Item, Text
from items.services.listing import languages_in
from llm.models import Endpoint, Run, RunState
from llm.services import runs
from llm.services.estimating import Estimate, estimate
from projects.models import Project, User
from studies.models import InstrumentVersion
from studies.prompts import BadTemplate
from studies.services.instruments import UnknownInstrument, latest_version

RUN_KIND = "generation"
INSTRUMENT = "generate-items"
UNFINISHED = [RunState.PLANNING, RunState.RUNNING, RunState.PAUSED]


@dataclass(frozen=True)
class Ask:
    """A model as somebody wants it to write."""

    endpoint: Endpoint
    texts: Sequence[Text]
    size: Size = field(default_factory=Size)
    instrument: str = INSTRUMENT

    @property
    def name(self) -> str:
        """The generator's: a model with other words is another generator."""
        base = self.instrument.partition("/")[0]
        name = self.endpoint.name if base == INSTRUMENT else f"{self.endpoint.name} · {base}"
        return name[:MAX_ID]

    @property
    def author(self) -> Author:
        factors = {"family": family_of(self.endpoint.model), "setting": "zero-shot", "model": self.endpoint.model}
        return Author(self.name, GeneratorKind.MODEL, factors)


@dataclass(frozen=True)
class Progress:
    """What a generator has made of some texts."""

    n_items: int
    n_incomplete: int
    n_wanted: int

    @property
    def n_missing(self) -> int:
        return max(0, self.n_wanted - self.n_items - self.n_incomplete)


def language_of(text: Text) -> str:
    return text.language.partition("-")[0].lower()


def family_of(model: str) -> str:
    """The letters that the model's name begins with: llama for meta-llama/Llama-3.1-8B."""
    found = re.match(r"[^\W\d_]+", model.rpartition("/")[2])
    return found[0].lower() if found else model[:MAX_ID]


def open_texts(project: Project, ask: Ask) -> list[Text]:
    """Those about which the generator has written nothing yet."""
    generator = known_generator(project, ask)
    if generator is None:
        return list(ask.texts)
    items = Item.objects.filter(project=project, generator=generator).current()
    done = set(items.values_list("text__external_id", flat=True))
    rows = IncompleteItem.objects.filter(generator=generator)
    done |= set(rows.values_list("text__external_id", flat=True))
    return [text for text in ask.texts if text.external_id not in done]


def known_generator(project: Project, ask: Ask) -> Generator | None:
    """The generator of that name; refused if another model wrote under it."""
    generator = Generator.objects.filter(project=project, name=ask.name).first()
    if generator and generator.factors.get("model", ask.endpoint.model) != ask.endpoint.model:
        raise CannotGenerate(
            _("Items of “%(name)s” were written by the model %(model)s. Add this model under another name.")
            % {"name": ask.name, "model": generator.factors["model"]}
        )
    return generator


def params_for(project: Project, ask: Ask, texts: Sequence[Text]) -> dict[str, Any]:
    """Everything that the calls of a run depend on."""
    check_size(ask.size, may_be_open=False)
    versions = {language: version.pk for language, version in instruments_for(project, ask).items()}
    return {
        "texts": [text.pk for text in texts],
        "n_items": ask.size.n_items,
        "n_options": ask.size.n_options,
        "instruments": versions,
        "languages": sorted({*(code.partition("-")[0] for code in languages_in(project)), "en"}),
    }


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
def start(project: Project, ask: Ask, *, budget: Decimal | None = None, started_by: User | None = None) -> Run | None:
    """The run that writes what is not written: the unfinished one, woken, or a new one; None if nothing is left."""
    if budget is not None and not ask.endpoint.has_price:
        raise CannotGenerate(
            _("%(name)s has no price, so a budget cannot be kept. Enter its price, or leave the budget empty.")
            % {"name": ask.endpoint.name}
        )
    known_generator(project, ask)
    generator = Generator.objects.select_for_update().get(pk=ensure_author(project, ask.author).pk)
    unfinished = unfinished_runs(generator, ask)
    asked = {pk for run in unfinished for pk in run.params["texts"]}
    texts = [text for text in open_texts(project, ask) if text.pk not in asked]
    for run in unfinished:
        _wake(run, budget)
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


def _wake(run: Run, budget: Decimal | None) -> None:
    if budget is not None:
        runs.set_budget(run, budget)
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
    return Progress(n_items, n_open, len(ids) * ask.size.n_items - n_discarded)
