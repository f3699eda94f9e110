"""Models write items: one call per text, or per expected answer; a reply in the wrong language is asked for again."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from generation.models import GeneratorRun
from generation.parsing import (
    ParsedReply,
    find_item_problems,
    find_open_problems,
    parse_open,
    parse_question,
    parse_reply_items,
)
from generation.parts import ParsedItem
from generation.prompts import JSON, Template, make_items_schema, make_open_schema, make_question_schema, read_template
from generation.services import choosing
from generation.services.asking import RUN_KIND, find_schema_problem
from generation.services.choosing import get_language
from generation.services.storing import store_question, store_reply
from items.models import Item, Text
from items.wording import split_sentences
from llm.models import Call, Run
from llm.registry import Rejected, Request, RunKind, Unparsable
from llm.services.reading import get_larger_limit
from studies.models import InstrumentVersion

# Whether a model wrote in the requested language: models are known to switch to English. Without Django.

WANTED_SHARE = 0.8
SHORT = 25  # characters; shorter pieces are judged together with their neighbor


def measure_share_in(language: str, items: Sequence[ParsedItem], candidates: Iterable[str]) -> float | None:
    """The share of the characters that are in sentences of the language, 0 to 1.

    Each sentence is in the most likely of the candidates. None if undecidable: without words, or if the language
    cannot be detected.
    """
    identifier = _load_identifier(tuple(sorted({*candidates, language})))
    if identifier is None or language not in _load_known_languages():
        return None
    right = total = 0
    for item in items:
        for piece in _split_pieces(item, language):
            total += len(piece)
            right += len(piece) if identifier.classify(piece)[0] == language else 0
    return right / total if total else None


def _split_pieces(item: ParsedItem, language: str) -> list[str]:
    """Stem, answer and options by sentence; names and other short answers are too short to be judged alone."""
    pieces: list[str] = []
    for words in (item.stem, item.answer, *(option.text for option in item.options)):
        for sentence in split_sentences(words, language):
            if not any(char.isalpha() for char in sentence):
                continue
            if pieces and len(sentence) < SHORT:
                pieces[-1] += f" {sentence}"
            else:
                pieces.append(sentence)
    return pieces


@lru_cache(maxsize=16)
def _load_identifier(candidates: tuple[str, ...]) -> LanguageIdentifier | None:
    known = [code for code in candidates if code in _load_known_languages()]
    if not known:
        return None
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(known)
    return identifier


@lru_cache(maxsize=1)
def _load_known_languages() -> frozenset[str]:
    return frozenset(LanguageIdentifier.from_model_file(MODEL_FILE).labels)


MOST_AGAIN = 5
AGAIN_TEMPERATURE = 0.5
ANSWER = "answer/"
QUESTION_TOKENS = 200
OPEN_TOKENS = 160  # a question with its answer


class GenerationRunKind(RunKind):
    kind = RUN_KIND
    label = gettext_noop("Generation")

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        if "answers" in run.params:
            return ((f"{ANSWER}{pk}", 0) for pk in run.params["answers"])
        return ((str(pk), 0) for pk in run.params["texts"])

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        subjects = Subjects([key for key, _sample in pairs])
        return [build_request(run, *subjects.find(key), sample) for key, sample in pairs]

    def read(self, run: Run, call: Call) -> Any:
        text, source = Subjects([call.key]).find(call.key)
        if text is None:
            raise Unparsable(_("The text is no longer in the project, so it cannot be used."))
        parsed = parse_reply(run, text, call)
        share = check_reply(run, call, text, parsed)
        generator = GeneratorRun.objects.select_related("generator").get(run=run).generator
        if source is None:
            n_whole, n_incomplete = store_reply(run, generator, text, parsed.items, run.params["n_options"])
        else:
            n_whole, n_incomplete = store_question(run, generator, source, parsed.items[0])
        return {
            "items": n_whole,
            "incomplete": n_incomplete,
            "left out": parsed.n_left_out,
            "in the language": None if share is None else round(share, 4),
        }

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """Ask once more if no item could be read. A reply in another language is handled separately."""
        text, _source = Subjects([call.key]).find(call.key)
        if text is None or parse_reply(run, text, call).items:
            return None
        template = load_template(run, text)
        again: list[dict[str, Any]] = [
            {"role": "assistant", "content": call.answer},
            {"role": "user", "content": template.again},
        ]
        return Request([*(call.messages or []), *again], build_params(run, template, call.sample))

    def url(self, run: Run) -> str | None:
        written = GeneratorRun.objects.filter(run=run).first()
        return reverse("generation_written", args=[run.project.slug, written.generator_id]) if written else None


class Subjects:
    """The subjects of these calls: a text, or an item to whose expected answer a question is written."""

    def __init__(self, keys: Sequence[str]):
        items = [int(key.removeprefix(ANSWER)) for key in keys if key.startswith(ANSWER)]
        self.items = Item.objects.select_related("text__project", "project").in_bulk(items) if items else {}
        texts = [int(key) for key in keys if not key.startswith(ANSWER)]
        self.texts = Text.objects.select_related("project").in_bulk(texts) if texts else {}

    def find(self, key: str) -> tuple[Text | None, Item | None]:
        if key.startswith(ANSWER):
            source = self.items.get(int(key.removeprefix(ANSWER)))
            return (source.text if source else None), source
        return self.texts.get(int(key)), None


def build_request(run: Run, text: Text | None, source: Item | None, sample: int) -> Request:
    """One user message. ValueError if the text is gone, has no prompt in its language, or the server takes no schema.

    A server may reveal only during the run that it takes no schema: from then on its calls fail with that sentence.
    """
    if text is None:
        raise ValueError(_("The text is no longer in the project, so it cannot be used."))
    template = load_template(run, text)
    if problem := find_schema_problem(run.endpoint, template):
        raise ValueError(problem)
    words = template.render(
        title=text.title,
        body=text.body,
        n_items=run.params["n_items"],
        n_options=run.params["n_options"],
        answer=source.expected_answer if source else "",
        examples=load_examples(run, text, template),
    )
    return Request([{"role": "user", "content": words}], build_params(run, template, sample))


def load_template(run: Run, text: Text) -> Template:
    """The prompt for a text, cached on the run object, which lives as long as one worker's turn."""
    known: dict[str, Template] | None = getattr(run, "_generation_templates", None)
    if known is None:
        versions = InstrumentVersion.objects.in_bulk(run.params["instruments"].values())
        known = {name: read_template(versions[pk].content) for name, pk in run.params["instruments"].items()}
        run._generation_templates = known  # type: ignore[attr-defined]
    if template := known.get(get_language(text)):
        return template
    sentence = _("There is no prompt for items in the language “%(language)s”. Add an instrument in this language.")
    raise ValueError(sentence % {"language": text.language})


def load_examples(run: Run, text: Text, template: Template) -> list[str]:
    """The run's examples that are not about this text; their rows are read once, like the templates."""
    chosen = run.params.get("examples", {}).get(get_language(text), [])
    if not chosen:
        return []
    known: dict[int, Item] | None = getattr(run, "_generation_examples", None)
    if known is None:
        rows = Item.objects.select_related("text").prefetch_related("options")
        known = rows.in_bulk([pk for pks in run.params["examples"].values() for pk in pks])
        run._generation_examples = known  # type: ignore[attr-defined]
    if any(pk not in known for pk in chosen):
        raise ValueError(_("An example of this run is no longer in the project. Start a new run."))
    return choosing.render_examples([known[pk] for pk in chosen], text, template, run.params["n_examples"])


def build_params(run: Run, template: Template, sample: int) -> dict[str, Any]:
    """The parameters of a call; the token limit is twice what is needed, and raised after a cut-off reply."""
    n_items, n_options = run.params["n_items"], run.params["n_options"]
    params: dict[str, Any] = {"temperature": AGAIN_TEMPERATURE if sample else 0}
    if "answers" in run.params:
        params["max_tokens"] = QUESTION_TOKENS
        schema = make_question_schema()
    elif template.is_open:
        params["max_tokens"] = 200 + n_items * OPEN_TOKENS
        schema = make_open_schema(n_items)
    else:
        params["max_tokens"] = 200 + n_items * (80 + 60 * n_options) * (2 if template.explains else 1)
        schema = make_items_schema(n_items, n_options, explains=template.explains)
    return params | ({"response_format": schema} if template.reply == JSON else {})


def parse_reply(run: Run, text: Text, call: Call) -> ParsedReply:
    """The items of the reply in the requested form: a list is not accepted in place of JSON."""
    template, reply = load_template(run, text), call.answer
    only_json = template.reply == JSON
    if "answers" in run.params:
        question = parse_question(reply, only_json=only_json)
        return ParsedReply([question] if question else [], 0)
    if template.is_open:
        return parse_open(reply, run.params["n_items"], only_json=only_json)
    return parse_reply_items(reply, run.params["n_items"], explains=template.explains, only_json=only_json)


def find_problems(run: Run, item: ParsedItem) -> list[str]:
    return find_item_problems(item, run.params["n_options"]) if run.params["n_options"] else find_open_problems(item)


def check_reply(run: Run, call: Call, text: Text, parsed: ParsedReply) -> float | None:
    """The share of the text's language in the reply; raises Unparsable or Rejected before anything is stored."""
    is_question = "answers" in run.params
    if not parsed.items:
        one = _("The reply does not contain exactly one question.")
        raise Unparsable(one if is_question else _("The reply contains no question with answers."))
    n_whole = sum(not find_problems(run, item) for item in parsed.items)
    is_cut = get_larger_limit(run, call) is not None and n_whole < run.params["n_items"]
    if is_cut and not is_question:
        raise Unparsable(_("The reply is incomplete."))
    is_short = is_question and len(parsed.items[0].stem) < SHORT  # too short to detect its language
    share = None if is_short else measure_share_in(get_language(text), parsed.items, run.params["languages"])
    if share is not None and share < WANTED_SHARE:
        sentence = _("Only %(share)d %% of it is in the text's language.") % {"share": int(share * 100)}
        raise (Rejected if call.sample < MOST_AGAIN else Unparsable)(sentence)
    return share
