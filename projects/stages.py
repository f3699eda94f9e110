"""The five steps from texts to results."""

from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True)
class Stage:
    title: str
    sentence: str
    is_done: bool
    is_next: bool


def describe_stages(*done: bool) -> list[Stage]:
    """The five, of which the first are `done` or not; the first that is not done is the next."""
    said = (
        (_("Add texts"), _("Paste them, or import texts with questions.")),
        (_("Add questions"), _("Write them, or let a model or rules write them.")),
        (_("Design a study"), _("Choose what people do with each question, and launch it.")),
        (_("Let people and models answer"), _("Send links. Start models with one click.")),
        (_("Read the results"), _("A verdict, a figure, and tables for your paper.")),
    )
    states = [*done, *[False] * (len(said) - len(done))]
    following = states.index(False) if done else None
    return [Stage(*words, states[place], place == following) for place, words in enumerate(said)]
