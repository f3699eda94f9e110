"""What becomes of one text of a file."""

from django.utils.translation import gettext as _

from items.metadata import columns_from, with_columns
from items.models import Text
from items.plain import printable
from items.services.bank import Bank
from items.services.comparing import said_language, text_difference, text_target
from items.services.naming import ImportOptions, NamedText
from items.services.plan import ChangedText, ImportPlan, NewText
from items.values import TextValues, body_hash, text_values


def refuse_wordless(text: NamedText, plan: ImportPlan) -> None:
    """A text that the project does not know needs its words."""
    if text.row.body_hash is None:
        reason = _("The project has no text with the id “{id}”, and its words are not here. Add them, or mend the id.")
    else:
        reason = _("Only the hash of the text is here, because it may not be shared on. Add the text itself.")
    plan.problems.add(text.line, "text", reason.format(id=printable(text.id)))


def plan_new_text(text: NamedText, body: str, language: str, bank: Bank, plan: ImportPlan) -> None:
    if text.derived and (twin := bank.ids_by_body.get(body_hash(body))):
        reason = _("The text “{id}” of the project has the same words. Give this one that id to add its items there.")
        plan.warnings.add(text.line, "id", reason.format(id=printable(twin)))
    metadata = text.row.metadata or {}
    columns = columns_from(metadata)
    values = TextValues(
        title=text.row.title or "",
        body=body,
        language=language,
        metadata=with_columns(metadata, columns),
        **columns,
    )
    plan.new_texts.append(NewText(text.id, values))
    plan.languages[language] = plan.languages.get(language, 0) + 1


def plan_known_text(known: Text, text: NamedText, options: ImportOptions, plan: ImportPlan) -> None:
    before = text_values(known)
    if text.row.body is None and text.row.body_hash not in (None, body_hash(before.body)):
        reason = _("Only the hash of a text is here, and the project holds another text. Add the text itself.")
        plan.problems.add(text.line, "text", reason)
        return
    try:
        language = said_language(text.row, options)
    except ValueError as error:
        plan.problems.add(text.line, "language", str(error))
        return
    target = text_target(before, text.row, language)
    difference = text_difference(before, target)
    if plan.admits(difference, options.update, text.line, "", text.id):
        plan.changed_texts.append(ChangedText(known, target, difference.fields))
    elif not difference.wording:
        plan.unchanged_texts += 1
