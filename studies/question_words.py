"""Display names of stages, questions and answers on pages; files keep their own short names."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from studies.protocols import PROTOCOLS

Words = dict[str, str | Promise]

QUESTIONS: Words = {
    "answer": pgettext_lazy("a question", "answer"),
    "rating": _("rating"),
    "better": _("better item of the pair"),
    "fluency": _("fluency"),
    "clarity": _("clarity"),
    "conciseness": _("conciseness"),
    "relevance": _("relevance"),
    "consistency": _("consistency"),
    "answerability": _("answerability"),
    "answer_consistency": _("consistency with the expected answer"),
    "average": _("average of the dimensions"),
    "guessability": _("guessability"),
    "informativity": _("informativity"),
    "minutes": _("minutes"),
    "stopped": _("share that ended early"),
    "win_rate": _("win rate, ties as half"),
    "understandable": _("understandable"),
    "domain_related": _("about the domain"),
    "grammatical": _("grammatical"),
    "clear": pgettext_lazy("a question", "clear"),
    "rephrase": _("could be worded better"),
    "rephrasal": _("new wording"),
    "answerable": _("answerable"),
    "information_needed": _("information needed"),
    "central": _("central to the text"),
    "would_use": _("would be used in class"),
}
LABELS: Words = {
    "yes": _("yes"),
    "no": _("no"),
    "maybe": _("maybe"),
    "more_or_less": _("more or less"),
    "text": _("one place in the text"),
    "parts": _("several places in the text"),
    "external": _("text and outside knowledge"),
    "general": _("general knowledge only"),
    "opinion": _("feelings or judgment"),
    "not_applicable": _("not applicable"),
    "true": _("ticked"),
    "false": _("not ticked"),
    "first": _("first of the pair"),
    "second": _("second of the pair"),
    "tie": _("tie"),
}
STAGES: Words = {
    "guess": _("without the text"),
    "read": _("with the text"),
    "rate": pgettext_lazy("a stage", "rating"),
    "judge": _("judging"),
    "compare": _("comparing"),
    "write": _("writing"),
}


def name_question(name: str) -> str:
    """The display name of a question, dimension or category; unknown names get spaces for underscores."""
    return look_up(QUESTIONS, name)


def name_label(name: str) -> str:
    """The display name of an answer to a question with categories, or of the question at which a person stopped."""
    return look_up(LABELS if name in LABELS else QUESTIONS, name)


def name_stage(name: str) -> str:
    return look_up(STAGES, name)


def look_up(words: Words, name: str) -> str:
    """The display name in `words`, else the protocol's, else the name with spaces."""
    if name in words:
        return str(words[name])
    own = next((protocol.words[name] for protocol in PROTOCOLS.values() if name in protocol.words), None)
    return _now(own) if own else name.replace("_", " ")
