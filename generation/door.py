"""Models write items: one call per text, asked again in another sample if they write in another language."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from generation.drift import WANTED_SHARE, share_in
from generation.models import GeneratorRun
from generation.parsing import Parsed, parse, problems
from generation.prompts import Template, read_template
from generation.services.asking import RUN_KIND, language_of
from generation.services.keeping import keep
from items.models import Text
from llm.models import Call, Run
from llm.registry import Door, Rejected, Request, Unparsable
from studies.models import InstrumentVersion

MOST_AGAIN = 5
AGAIN_TEMPERATURE = 0.5


class GenerationDoor(Door):
    kind = RUN_KIND
    label = gettext_noop("Generation")

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        return ((str(pk), 0) for pk in run.params["texts"])

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        texts = Text.objects.in_bulk([int(key) for key, _sample in pairs])
        return [request_for(run, texts.get(int(key)), sample) for key, sample in pairs]

    def read(self, run: Run, call: Call) -> Any:
        text = Text.objects.select_related("project").get(pk=int(call.key))
        parsed = parse(call.text or "", run.params["n_items"])
        share = checked(run, call, text, parsed)
        generator = GeneratorRun.objects.select_related("generator").get(run=run).generator
        n_whole, n_incomplete = keep(run, generator, text, parsed.items, run.params["n_options"])
        return {
            "items": n_whole,
            "incomplete": n_incomplete,
            "left out": parsed.n_left_out,
            "in the language": None if share is None else round(share, 4),
        }

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """Once more, where no item could be read. What was read and is in another language is no matter of layout."""
        text = Text.objects.filter(pk=int(call.key)).first()
        if text is None or parse(call.text or "", 1).items:
            return None
        again: list[dict[str, Any]] = [
            {"role": "assistant", "content": call.text},
            {"role": "user", "content": template_for(run, text).again},
        ]
        return Request([*(call.messages or []), *again], params_for(run, call.sample))

    def url(self, run: Run) -> str | None:
        return reverse("generation_review", args=[run.project.slug])


def request_for(run: Run, text: Text | None, sample: int) -> Request:
    """One user message. ValueError if the text is gone or nobody has words in its language."""
    if text is None:
        raise ValueError(_("The text is no longer in the bank, so nothing can be asked about it."))
    size = {name: run.params[name] for name in ("n_items", "n_options")}
    words = template_for(run, text).render(title=text.title, body=text.body, **size)
    return Request([{"role": "user", "content": words}], params_for(run, sample))


def template_for(run: Run, text: Text) -> Template:
    """Kept on the run object, which lives as long as one worker's turn."""
    known: dict[str, Template] | None = getattr(run, "_generation_templates", None)
    if known is None:
        versions = InstrumentVersion.objects.in_bulk(run.params["instruments"].values())
        known = {name: read_template(versions[pk].content) for name, pk in run.params["instruments"].items()}
        run._generation_templates = known  # type: ignore[attr-defined]
    if template := known.get(language_of(text)):
        return template
    said = _("There are no words to ask for items in the language “%(language)s”. Add an instrument in it.")
    raise ValueError(said % {"language": text.language})


def params_for(run: Run, sample: int) -> dict[str, Any]:
    """Room for what is asked, twice over; the engine doubles it once for a reply that was cut off."""
    n_items, n_options = run.params["n_items"], run.params["n_options"]
    return {"temperature": AGAIN_TEMPERATURE if sample else 0, "max_tokens": 200 + n_items * (80 + 60 * n_options)}


def checked(run: Run, call: Call, text: Text, parsed: Parsed) -> float | None:
    """The share of the text's language in it; raises what the engine has to know before anything is stored."""
    if not parsed.items:
        raise Unparsable(_("The reply holds no question with answers."))
    n_whole = sum(not problems(item, run.params["n_options"]) for item in parsed.items)
    if call.finish_reason == "length" and call.turn == 0 and n_whole < run.params["n_items"]:
        raise Unparsable(_("The reply ends in the middle."))
    share = share_in(language_of(text), parsed.items, run.params["languages"])
    if share is not None and share < WANTED_SHARE:
        said = _("Only %(share)d %% of it is in the text's language.") % {"share": int(share * 100)}
        raise (Rejected if call.sample < MOST_AGAIN else Unparsable)(said)
    return share
