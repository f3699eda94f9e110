"""What the overview of a project says first: the one thing to do next."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from projects.models import Project, Role

# The states of a study, by name: studies are a layer above.
ENDED_STATES = ("closed", "imported")
STUDY_SENTENCES = {
    "draft": gettext_lazy("The study “%(title)s” is a draft: preview it as an annotator, then launch it."),
    "live": gettext_lazy("The study “%(title)s” is live: people can answer."),
    "paused": gettext_lazy("The study “%(title)s” is paused: nobody can answer until it is resumed."),
    "closed": gettext_lazy("The study “%(title)s” is closed: its answers are complete."),
    "imported": gettext_lazy("The study “%(title)s” was imported with its answers."),
}


@dataclass(frozen=True)
class Step:
    """A sentence and, for those who may act, a labelled place to go."""

    sentence: str
    label: str = ""
    url: str = ""


def find_next_step(project: Project) -> Step:
    """By what is there; `project` comes from get_project and carries the reader's role."""
    can_edit = project.my_role.rank >= Role.RESEARCHER.rank
    if study := _find_relevant_study(project):
        return _suggest_for_study(study)
    if not project.texts.current().exists():
        return _show_to_editors(can_edit, _suggest_import(project), _("No texts have been imported yet."))
    if not project.items.current().exists():
        return _show_to_editors(can_edit, _suggest_items(project), _("The texts have no items yet."))
    return _show_to_editors(can_edit, _suggest_study(project), _("Texts and items are here; there is no study yet."))


def _show_to_editors(can_edit: bool, step: Step, otherwise: str) -> Step:
    return step if can_edit else Step(otherwise)


def _suggest_import(project: Project) -> Step:
    sentence = _("Start with your texts: paste them, or upload text files, a table or a JSONL file with items.")
    return Step(sentence, _("Add texts"), reverse("text_new", args=[project.slug]))


def _suggest_items(project: Project) -> Step:
    sentence = _("The texts have no items yet. Let a model or a rule write some, import items, or add them to a text.")
    return Step(sentence, _("Generate items"), reverse("generation_new", args=[project.slug]))


def _suggest_study(project: Project) -> Step:
    sentence = _("Texts and items are here. Create a study: it defines what is asked, who is asked and in which order.")
    return Step(sentence, _("New study"), reverse("study_new", args=[project.slug]))


def _find_relevant_study(project: Project):
    """The newest study that is not over, else the newest."""
    studies = list(project.studies.order_by("-created_at", "-pk"))
    return next((study for study in studies if study.state not in ENDED_STATES), studies[0] if studies else None)


def _suggest_for_study(study) -> Step:
    sentence = STUDY_SENTENCES[study.state] % {"title": study.title}
    if study.state in ENDED_STATES:
        return Step(sentence, _("View results"), reverse("study_results", args=[study.slug]))
    return Step(sentence, _("Open the study"), reverse("study", args=[study.slug]))
