"""The place of every page of a project or a study: tabs, and the pages inside them."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from projects.models import Role


@dataclass(frozen=True)
class Tab:
    """A tab, with the names of the URLs whose pages belong to it. Its link leads to the first of them.

    `inner`: the places inside the tab, which have pages of their own. Users with less than `role` do not see it.
    `key`: the letter that opens the tab when it is pressed after g.
    """

    title: str | Promise
    pages: tuple[str, ...] = ()
    inner: tuple["Tab", ...] = ()
    role: Role = Role.VIEWER
    key: str = ""

    def has(self, page: str) -> bool:
        return page in self.pages or any(tab.has(page) for tab in self.inner)

    def allow(self, role: Role) -> tuple["Tab", ...]:
        """The places inside the tab that this role sees."""
        return tuple(tab for tab in self.inner if role.rank >= tab.role.rank)

    def choose_first_page(self, role: Role) -> str:
        """The URL name to which the tab links for this role."""
        return self.allow(role)[0].pages[0] if self.inner else self.pages[0]


SETTINGS = (
    Tab(
        _("Members"),
        ("member_list", "member_role", "member_remove", "invitation_revoke"),
        role=Role.OWNER,
    ),
    Tab(
        _("Wordings & prompts"),
        (
            "instrument_list",
            "instrument_upload",
            "instrument",
            "instrument_edit",
            "instrument_copy",
            "instrument_diff",
            "instrument_version",
        ),
    ),
    Tab(
        _("Models & runs"),
        ("run_list", "run", "run_budget", "run_unknown", "run_compare", "run_act", "call_list", "call", "run_erase"),
    ),
    Tab(_("Webhooks"), ("webhook_list", "webhook_delete"), role=Role.RESEARCHER),
    Tab(_("Project"), ("project_edit", "project_export", "project_archive", "project_erase"), role=Role.OWNER),
    Tab(_("Audit"), ("project_audit",), role=Role.OWNER),
)

PROJECT_TABS = (
    Tab(_("Overview"), ("project",), key="o"),
    Tab(
        _("Texts & items"),
        (
            "text_list",
            "text_new",
            "text_files",
            "text_print",
            "text",
            "text_edit",
            "item_new",
            "item_edit",
            "key_correct",
            "item_import",
            "item_import_preview",
            "item_import_columns",
            "item_import_paragraphs",
            "item_import_update",
            "item_import_undo",
            "item_import_job",
            "generator_edit",
            "duplicates",
            "benchmark_add",
            "benchmark_file",
            "benchmark_delete",
            "generation_new",
            "generation_written",
            "selection_begin",
            "selection",
            "generation_review",
            "incomplete_repair",
            "incomplete_discard",
            "bank_shortcuts",
            "texts_act",
            "text_archive",
            "text_erase",
            "item_archive",
            "item_erase",
        ),
        key="t",
    ),
    Tab(_("Studies"), ("study_list", "template_act", "study_new"), key="s"),
    Tab(_("Settings"), inner=SETTINGS, key="e"),
)

RESULTS = (
    Tab(_("Summary"), ("study_results", "study_working", "study_effects", "results_methods")),
    Tab(
        _("Agreement"),
        ("results_agreement", "agreement_lab", "expert_check", "study_adjudication", "unit_adjudication"),
    ),
    Tab(
        _("Items"),
        (
            "results_items",
            "study_items",
            "study_item",
            "study_item_code_remove",
            "study_coding",
            "study_coding_text",
            "own_coding",
            "own_coding_act",
            "code_comparison",
            "study_codes_import",
            "study_written",
            "written_take",
            "written_repair",
            "written_reject",
            "take_rephrasal",
        ),
    ),
    Tab(_("Compare"), ("results_compare", "stand_in", "study_matches", "study_protocols")),
    Tab(_("Details"), ("results_details", "study_pack", "study_table_page", "study_behind")),
)

STUDY_TABS = (
    Tab(
        _("Design"),
        (
            "study_design",
            "study_step",
            "study_confirm",
            "study_launch",
            "study_rename",
            "study_copy",
            "study_phases",
            "study_plan",
            "study_phase",
            "phase_act",
            "study_recruitment",
            "study_edit",
            "study_delete",
            "study_import",
            "study_planner",
            "study_act",
            "study_texts",
            "study_draw",
            "study_draw_csv",
            "study_preview",
            "phase_preview",
        ),
        key="d",
    ),
    Tab(
        _("People"),
        (
            "study_annotators",
            "annotator_link",
            "report_close",
            "remove_simulated",
            "study_person",
            "people_act",
            "study_roster",
            "roster_delete",
            "link_sheet",
            "study_mail",
            "study_manage",
            "template_save",
            "study_archive",
            "study_erase",
        ),
        key="p",
    ),
    Tab(
        _("Models"),
        ("study_evaluators", "evaluator_model", "evaluator", "evaluator_continue", "evaluator_remove"),
        key="m",
    ),
    Tab(_("Results"), inner=RESULTS, key="r"),
)
