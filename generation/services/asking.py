"""Models as generators: which texts are asked about, the cost, and the run in which the items are written."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from generation.models import GeneratorRun, IncompleteItem
from generation.prompts import ITEMS, JSON, QUESTION, Template, read_template
from generation.services.choosing import (
    Examples,
    Size,
    check_size,
    choose_examples,
    get_language,
    list_answers,
    list_unanswered,
)
from generation.services.storing import Author, CannotGenerate, ensure_author, make_id_suffix
from items.models import MAX_ID, Generator, GeneratorKind, Item, Text
from items.services.bank import list_languages
from llm.failures import UNUSABLE_REASONS
from llm.models import Endpoint, Run, RunState, Unknown
from llm.request_options import OPTIONS, RequestOptions
from llm.services import runs
from llm.services.planning import Estimate, estimate
from projects.models import Project, User
from studies.models import InstrumentVersion
from studies.prompts import BadTemplate
from studies.services.instruments import UnknownInstrument, find_version

RUN_KIND = "generation"
INSTRUMENT = "generate-items"
OF_THE_LOCAL_MODEL = "generate-items-json"  # too small to keep to a layout without a schema
OPEN_QUESTIONS, OPEN_OF_THE_LOCAL_MODEL = "generate-open-questions", "generate-open-questions-json"
CANDIDATES = "candidates"
UNFINISHED = [RunState.PLANNING, RunState.RUNNING, RunState.PAUSED]


def get_default_instrument(endpoint: Endpoint) -> str:
    """The default prompt of a model."""
    return OF_THE_LOCAL_MODEL if endpoint.is_local else INSTRUMENT


def choose_instrument(endpoint: Endpoint, size: Size) -> str:
    """The default prompt: without options, the one that asks for open questions from the text alone."""
    if size.n_options:
        return get_default_instrument(endpoint)
    return OPEN_OF_THE_LOCAL_MODEL if endpoint.is_local else OPEN_QUESTIONS


@dataclass(frozen=True)
class GenerationSpec:
    """A model, and how it is to write."""

    endpoint: Endpoint
    texts: Sequence[Text]
    size: Size = field(default_factory=Size)
    instrument: str = INSTRUMENT
    examples: Examples = field(default_factory=Examples)
    are_candidates: bool = False
    label: str = ""
    options: RequestOptions = field(default_factory=RequestOptions)  # override those of the endpoint

    @property
    def all_options(self) -> RequestOptions:
        return self.options.override(self.endpoint.options)

    @property
    def parameters(self) -> str:
        """What distinguishes generators; the maximum length of a reply does not."""
        options = replace(self.all_options, max_tokens=None).as_json()
        return json.dumps(options, sort_keys=True, ensure_ascii=False) if options else ""

    @property
    def name(self) -> str:
        """The generator's name: a model with another prompt, or other examples, is another generator."""
        base = self.instrument.partition("/")[0]
        parts = [
            self.endpoint.name,
            "" if base == get_default_instrument(self.endpoint) else base,
            CANDIDATES if self.are_candidates else "",
        ]
        return self.label.strip() or " · ".join(part for part in parts if part)[:MAX_ID]


@dataclass(frozen=True)
class Progress:
    """What a generator has written about some texts."""

    n_items: int
    n_incomplete: int
    n_wanted: int

    @property
    def n_missing(self) -> int:
        return max(0, self.n_wanted - self.n_items - self.n_incomplete)


def guess_family(model: str) -> str:
    """The letters at the beginning of the model's name: llama for meta-llama/Llama-3.1-8B."""
    found = re.match(r"[^\W\d_]+", model.rpartition("/")[2])
    return found[0].lower() if found else model[:MAX_ID]


def make_author(project: Project, spec: GenerationSpec) -> Author:
    """The generator of the items, with the factors that reports may contrast."""
    template = next(iter(load_templates(project, spec).values()))
    factors = {
        "family": guess_family(spec.endpoint.model),
        "setting": "few-shot" if spec.examples else "zero-shot",
        "model": spec.endpoint.model,
    }
    if template.writes == ITEMS:
        factors["explanations"] = "with" if template.explains else "without"
    if spec.examples:
        factors["examples"] = str(spec.examples)
    if spec.parameters:
        factors["parameters"] = spec.parameters
    return Author(spec.name, GeneratorKind.MODEL, factors)


def list_open_texts(project: Project, spec: GenerationSpec) -> list[Text]:
    """The texts about which the generator still has something to write."""
    generator = find_generator(project, spec)
    if find_reply_type(project, spec) == QUESTION:
        about = {item.text_id for item in list_open_answers(project, spec, spec.texts)}
        return [text for text in spec.texts if text.pk in about]
    if generator is None:
        return list(spec.texts)
    items = Item.objects.filter(project=project, generator=generator).current()
    done = set(items.values_list("text__external_id", flat=True))
    rows = IncompleteItem.objects.filter(generator=generator)
    done |= set(rows.values_list("text__external_id", flat=True))
    return [text for text in spec.texts if text.external_id not in done]


def list_open_answers(project: Project, spec: GenerationSpec, texts: Sequence[Text]) -> list[Item]:
    """Items whose expected answer still lacks a question of the generator; refused if there are no answers at all."""
    generator = find_generator(project, spec)
    sources = list_answers(project, texts, generator)
    if texts and not sources:
        raise CannotGenerate(
            _("No item about these texts has an expected answer to which a question could be written. Add or import "
              "open questions with their answers first.")
        )  # fmt: skip
    return list_unanswered(sources, generator, make_id_suffix(generator)) if generator else sources


def find_generator(project: Project, spec: GenerationSpec) -> Generator | None:
    """The generator of that name; refused if another model, or other examples, were used under it."""
    generator = Generator.objects.filter(project=project, name=spec.name).first()
    if generator and generator.factors.get("model", spec.endpoint.model) != spec.endpoint.model:
        raise CannotGenerate(
            _("The items of “%(name)s” were written by the model %(model)s. Give the new generator another name.")
            % {"name": spec.name, "model": generator.factors["model"]}
        )
    if generator and generator.factors.get("examples", "") != (str(spec.examples) if spec.examples else ""):
        raise CannotGenerate(
            _("The items of “%(name)s” were written with other examples. Give the new generator another name.")
            % {"name": spec.name}
        )
    if generator and generator.factors.get("parameters", "") != spec.parameters:
        raise CannotGenerate(
            _("The items of “%(name)s” were written with other parameters. Give the new generator another name.")
            % {"name": spec.name}
        )
    return generator


def build_run_params(project: Project, spec: GenerationSpec, texts: Sequence[Text]) -> dict[str, Any]:
    """Everything on which the calls of a run depend."""
    templates = load_templates(project, spec)
    check_request(spec, templates)
    params: dict[str, Any] = {
        "texts": [text.pk for text in texts],
        "n_items": spec.size.n_items,
        "n_options": spec.size.n_options,
        "instruments": {language: version.pk for language, version in find_instruments(project, spec).items()},
        "languages": sorted({*(code.partition("-")[0] for code in list_languages(project)), "en"}),
    }
    if options := spec.all_options.as_json():
        params[OPTIONS] = options
    if find_reply_type(project, spec) == QUESTION:
        params["answers"] = [item.pk for item in list_open_answers(project, spec, texts)]
    if spec.examples:
        params |= {"n_examples": spec.examples.size, "examples": {}}
        for language, template in templates.items():
            if about := [text for text in texts if get_language(text) == language]:
                found = choose_examples(project, spec.examples, about, template, spec.size.n_options)
                params["examples"][language] = [item.pk for item in found]
    return params


def check_request(spec: GenerationSpec, templates: Mapping[str, Template]) -> None:
    """Refuse a prompt that does not fit the request or that the server does not support."""
    if spec.are_candidates and not spec.size.n_options:
        raise CannotGenerate(
            _("Open questions cannot be candidates, because the selection depends on answer options. Use "
              "2 or more options, or do not select “Candidates only”.")
        )  # fmt: skip
    for template in templates.values():
        if template.is_open and spec.size.n_options:
            raise CannotGenerate(_("This prompt asks for questions without options. Set 0 options."))
        check_size(spec.size, may_be_open=template.is_open)
        if template.takes_examples and not spec.examples:
            raise CannotGenerate(_("This prompt needs examples. Say which ones, or how many."))
        if spec.examples and not template.takes_examples:
            raise CannotGenerate(
                _("This prompt takes no examples. Choose an instrument with the placeholder {examples}, "
                  "such as generate-items-examples.")
            )  # fmt: skip
        if problem := find_schema_problem(spec.endpoint, template):
            raise CannotGenerate(problem)


def find_schema_problem(endpoint: Endpoint, template: Template) -> str:
    """Why the server cannot be asked with this prompt: replies with and without a schema are never mixed."""
    if template.reply != JSON or endpoint.can("json_schema") is not False:
        return ""
    sentence = _(
        "“%(name)s” does not support JSON schemas. Choose a prompt that asks for a list, such as "
        "generate-items or generate-items-reasons; it counts as a separate generator."
    )
    return sentence % {"name": endpoint.name}


def find_reply_type(project: Project, spec: GenerationSpec) -> str:
    """What the prompts ask for: items, a question, or open questions; refused if the languages differ."""
    found = {template.writes for template in load_templates(project, spec).values()}
    if len(found) > 1:
        raise CannotGenerate(
            _("The instrument asks for items in one language and for a question in another. Use two instruments.")
        )
    return found.pop()


def load_templates(project: Project, spec: GenerationSpec) -> dict[str, Template]:
    return {name: read_template(version.content) for name, version in find_instruments(project, spec).items()}


def find_instruments(project: Project, spec: GenerationSpec) -> dict[str, InstrumentVersion]:
    """The prompts by language of the texts; refused if there are none at all, or they cannot be used."""
    base, _slash, wanted = spec.instrument.partition("/")
    found: dict[str, InstrumentVersion] = {}
    for language in sorted({get_language(text) for text in spec.texts}):
        try:
            version = find_version(f"{base}/{wanted or language}", project)
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


def estimate_run(project: Project, spec: GenerationSpec) -> Estimate:
    """The cost of a run started now; stores neither generator nor run."""
    params = build_run_params(project, spec, list_open_texts(project, spec))
    return estimate(
        Run(project=project, kind=RUN_KIND, endpoint=spec.endpoint, model=spec.endpoint.model, params=params)
    )


@transaction.atomic
def start(
    project: Project, spec: GenerationSpec, *,
    budget: Decimal | None = None, on_unknown: str = "", started_by: User | None = None, keeps_going: bool = False,
) -> Run | None:  # fmt: skip
    """The run that writes what is missing: the unfinished one, resumed, or a new one; None if nothing is missing."""
    if budget is not None and not spec.endpoint.has_price:
        raise CannotGenerate(
            _("%(name)s has no price, so a budget cannot be kept. Enter its price, or leave the budget empty.")
            % {"name": spec.endpoint.name}
        )
    find_generator(project, spec)
    check_request(spec, load_templates(project, spec))
    generator = Generator.objects.select_for_update().get(pk=ensure_author(project, make_author(project, spec)).pk)
    unfinished = [run for run in list_unfinished_runs(generator, spec) if not _cancel_if_replaced(run, spec)]
    asked = {pk for run in unfinished for pk in run.params["texts"]}
    texts = [text for text in list_open_texts(project, spec) if text.pk not in asked]
    for run in unfinished:
        _wake(run, budget, on_unknown, keeps_going)
    if not texts:
        return unfinished[0] if unfinished else None
    run = runs.create_run(
        project=project,
        kind=RUN_KIND,
        endpoint=spec.endpoint,
        label=_("%(name)s writes items") % {"name": spec.name},
        params=build_run_params(project, spec, texts),
        scope=make_scope(generator),
        budget=budget,
        on_unknown=on_unknown or Unknown.REPEAT,
        started_by=started_by,
        keeps_going=keeps_going,
    )
    GeneratorRun.objects.create(run=run, generator=generator)
    return run


def make_scope(generator: Generator) -> str:
    return f"generator {generator.pk}"


def get_generator(project: Project, spec: GenerationSpec) -> Generator:
    """The generator of a run that has been started."""
    return Generator.objects.get(project=project, name=spec.name)


def list_unfinished_runs(generator: Generator, spec: GenerationSpec) -> list[Run]:
    """The runs that write about any of the texts."""
    wanted = {text.pk for text in spec.texts}
    runs_now = Run.objects.filter(project=generator.project_id, scope=make_scope(generator), state__in=UNFINISHED)
    return [run for run in runs_now if wanted & set(run.params["texts"])]


def _cancel_if_replaced(run: Run, spec: GenerationSpec) -> bool:
    """Cancel a run whose first replies were all unusable if the request has new options; returns whether it did."""
    is_other = (run.params.get(OPTIONS) or {}) != spec.all_options.as_json()
    return is_other and run.reason in UNUSABLE_REASONS and runs.cancel(run)


def _wake(run: Run, budget: Decimal | None, on_unknown: str, keeps_going: bool) -> None:
    if budget is not None:
        runs.set_budget(run, budget)
    if on_unknown:
        runs.set_on_unknown(run, on_unknown)
    if run.state == RunState.PAUSED:
        runs.resume_if_usable(run, keeps_going=keeps_going)
    run.refresh_from_db()


def count_progress(project: Project, spec: GenerationSpec) -> Progress:
    """The progress over the requested texts, whichever run wrote about them."""
    ids = [text.external_id for text in spec.texts]
    mine = {"generator__project": project, "generator__name": spec.name, "text__external_id__in": ids}
    n_items = Item.objects.filter(**mine).current().count()
    rows = IncompleteItem.objects.filter(**mine)
    n_open = rows.filter(state="open").count()
    n_discarded = rows.filter(state="discarded").count()
    return Progress(n_items, n_open, count_wanted(project, spec) - n_discarded)


def count_wanted(project: Project, spec: GenerationSpec) -> int:
    if find_reply_type(project, spec) == QUESTION:
        return len(list_answers(project, spec.texts, find_generator(project, spec)))
    return len(spec.texts) * spec.size.n_items
