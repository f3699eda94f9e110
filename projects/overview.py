"""What the overview of a project says first: the one thing to do next."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from projects.models import Project, Role

# The states of a study, by name: studies are a layer above.
OVER = ("closed", "imported")
STUDY_SENTENCES = {
    "draft": gettext_lazy("The study “%(title)s” is a draft: see it as an annotator would, then launch it."),
    "live": gettext_lazy("The study “%(title)s” is live: people can answer. See how far it has come."),
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


def next_step(project: Project) -> Step:
    """By what is there; `project` comes from get_project and carries the reader's role."""
    can_edit = project.my_role.rank >= Role.RESEARCHER.rank
    if study := _study_in_question(project):
        return _step_of_study(study)
    if not project.texts.current().exists():
        return _for_editors(can_edit, _step_import(project), _("No texts have been imported yet."))
    if not project.items.current().exists():
        return _for_editors(can_edit, _step_items(project), _("The texts have no items yet."))
    return _for_editors(can_edit, _step_study(project), _("Texts and items are here; no study has been made yet."))


def _for_editors(can_edit: bool, step: Step, otherwise: str) -> Step:
    return step if can_edit else Step(otherwise)


def _step_import(project: Project) -> Step:
    sentence = _("Bring your texts first: paste them, or choose text files, a table or a JSONL file with items.")
    return Step(sentence, _("Add texts"), reverse("text_new", args=[project.slug]))


def _step_items(project: Project) -> Step:
    sentence = _("The texts have no items yet. Let a model or a rule write some, import items, or add them to a text.")
    return Step(sentence, _("Generate items"), reverse("generation_new", args=[project.slug]))


def _step_study(project: Project) -> Step:
    sentence = _("Texts and items are here. Make a study: it says what is asked, of whom and in which order.")
    return Step(sentence, _("New study"), reverse("study_new", args=[project.slug]))


def _study_in_question(project: Project):
    """The newest study that is not over, else the newest."""
    studies = list(project.studies.order_by("-created_at", "-pk"))
    return next((study for study in studies if study.state not in OVER), studies[0] if studies else None)


def _step_of_study(study) -> Step:
    sentence = STUDY_SENTENCES[study.state] % {"title": study.title}
    if study.state in OVER:
        return Step(sentence, _("See the results"), reverse("study_results", args=[study.slug]))
    return Step(sentence, _("Open the study"), reverse("study", args=[study.slug]))
