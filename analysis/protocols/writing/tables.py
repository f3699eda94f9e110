"""The tables of studies in which people write items."""

from django.utils.translation import gettext_noop as _

from analysis.tables.spec import Column, TableSpec, count, number

WRITING = TableSpec(
    "writing", _("What was written"), (
        Column("group", _("Group"), "group"),
        count("n_annotators", _("Annotators"), _("people who wrote items")),
        count("n_texts", _("Texts"), _("texts with items")),
        count("n_items", _("Items"), _("items written")),
        count("n_accepted", _("Accepted"), _("items accepted unchanged")),
        count("n_repaired", _("Repaired"), _("items accepted after a change")),
        count("n_rejected", _("Rejected"), _("items not accepted")),
        count("n_waiting", _("Waiting"), _("items not yet reviewed")),
        number("words_per_stem", _("Words per question"), _("mean over items")),
        number("minutes_per_text", _("Minutes per text"), _("median over texts and people"), reason="reason"),
        "n",
        "reason",
    ),
    keys=("group",),
    notes=(
        _("In files, an empty group means all people."),
        _("Minutes from opening a text to submitting it, including breaks; median over texts and "
          "annotators."),
        _("Waiting: not yet reviewed. Only accepted or repaired questions become items."),
    ),
)  # fmt: skip

WRITTEN_ITEMS = TableSpec(
    "written_items", _("Written items"), (
        Column("text_id", _("Text")),
        Column("annotator", _("Annotator")),
        "group",
        "part",
        Column("stem", _("Question")),
        Column("keys", _("Answer keys")),
        Column("distractors", _("Distractors")),
        Column("expected_answer", _("Expected answer")),
        Column("minutes", _("Minutes"), "optional"),
        Column("verdict", _("Looked at"), "verdict"),
        "item_id",
    ),
    notes=(_("As annotators wrote them; repaired versions are in the bank. Minutes are those of the whole text."),),
)  # fmt: skip

TABLES = (WRITING, WRITTEN_ITEMS)
