"""Compare a file with the bank: what is new, unchanged, changed or corrected, and what prevents the import."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from items import values
from items.formats.rows import Problems, Reading
from items.language import parse_language, recognize_languages
from items.models import Item, Text
from items.plain import make_printable
from items.services.bank import Bank, load_bank
from items.services.markup import plan_markup, warn_of_markup
from items.services.naming import Author, ImportOptions, NamedItem, NamedText, join_place, name_lines
from items.services.plan import (
    ChangedItem,
    ChangedText,
    ImportPlan,
    NewItem,
    NewText,
    compare_items,
    compare_texts,
    find_stated_language,
    get_digests,
    merge_item,
    merge_options,
    merge_text,
)
from items.services.versions import find_key_changes
from items.values import (
    ItemValues,
    TextValues,
    fill_columns,
    find_equal_options,
    get_item_values,
    get_text_values,
    hash_body,
    update_extra,
)
from projects.models import Project


def plan_item(text: NamedText, item: NamedItem, bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    _warn_of_equal_options(item, plan)
    _warn_of_one_option(item, plan)
    known = bank.items.get(item.id)
    if known is None:
        plan.new_items.append(NewItem(item.id, text.id, _build_item_values(item)))
        _need_generator(item.author, bank, plan)
    elif known.text.external_id != text.id:
        reason = _("The id “{id}” belongs to an item about another text, “{text}”. Use another id.")
        reason = reason.format(id=make_printable(item.id), text=make_printable(known.text.external_id))
        plan.problems.add(item.line, join_place(item.place, "id"), reason)
    else:
        _plan_known(known, item, bank, options, plan)


def _plan_known(known: Item, item: NamedItem, bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    before = get_item_values(known)
    target = merge_item(before, item.row, item.author.name if item.author.is_named else "")
    difference = compare_items(before, target)
    take = plan.accept_difference(difference, options.update, item.line, item.place, item.id)
    if difference.wording and not take:
        return
    corrections = find_key_changes(known, before, target)
    plan.corrections += corrections
    if take:
        plan.changed_items.append(ChangedItem(known, target, difference.fields))
        _need_generator(item.author, bank, plan)
    elif not corrections:
        plan.unchanged_items += 1


def _build_item_values(item: NamedItem) -> ItemValues:
    row = item.row
    return ItemValues(
        stem=row.stem,
        generator=item.author.name,
        options=merge_options(row.options or []),
        expected_answer=row.expected_answer or "",
        multiple=row.multiple,
        reference=bool(row.reference),
        metadata=row.metadata or {},
        tags=tuple(row.tags or ()),
    )


def _need_generator(author: Author, bank: Bank, plan: ImportPlan) -> None:
    if author.name not in bank.generators:
        plan.new_generators.setdefault(author.name, author.kind)


def _warn_of_equal_options(item: NamedItem, plan: ImportPlan) -> None:
    for wording in find_equal_options(option.text for option in item.row.options or []):
        reason = _("Two options of “{id}” are equal: “{wording}”.")
        reason = reason.format(id=make_printable(item.id), wording=make_printable(wording))
        plan.warnings.add(item.line, join_place(item.place, "answers"), reason)


def _warn_of_one_option(item: NamedItem, plan: ImportPlan) -> None:
    if len(item.row.options or []) == 1:
        reason = _("“{id}” has only one option. Add more options, or make it the expected answer.")
        plan.warnings.add(item.line, join_place(item.place, "answers"), reason.format(id=make_printable(item.id)))


def refuse_wordless(text: NamedText, plan: ImportPlan) -> None:
    """A text that is new to the project needs words."""
    if text.row.body_hash is None:
        reason = _(
            "The project has no text with the id “{id}”, and the file does not contain the text. "
            "Add the text, or correct the id."
        )
    else:
        reason = _(
            "The file contains only a hash of the text, because it may not be redistributed. Add the text itself."
        )
    plan.problems.add(text.line, "text", reason.format(id=make_printable(text.id)))


def plan_new_text(text: NamedText, body: str, language: str, bank: Bank, plan: ImportPlan) -> None:
    if text.derived and (twin := bank.ids_by_body.get(hash_body(body))):
        reason = _("The project already has this text as “{id}”. Use that id to add the items to it.")
        plan.warnings.add(text.line, "id", reason.format(id=make_printable(twin)))
    metadata = text.row.metadata or {}
    columns = fill_columns(metadata)
    values = TextValues(
        title=text.row.title or "",
        body=body,
        language=language,
        markup=text.row.markup or "",
        pictures=get_digests(text.row),
        versions=[each.values() for each in text.row.versions or ()],
        metadata=update_extra(metadata, columns),
        **columns,
    )
    plan.new_texts.append(NewText(text.id, values))
    plan_markup(text, values, plan)
    plan.languages[language] = plan.languages.get(language, 0) + 1


def plan_known_text(known: Text, text: NamedText, options: ImportOptions, plan: ImportPlan) -> None:
    before = get_text_values(known)
    if text.row.body is None and text.row.body_hash not in (None, hash_body(before.body)):
        reason = _("The file contains only a hash, and it does not match the project's text. Add the text itself.")
        plan.problems.add(text.line, "text", reason)
        return
    try:
        language = find_stated_language(text.row, options)
    except ValueError as error:
        plan.problems.add(text.line, "language", str(error))
        return
    target = merge_text(before, text.row, language)
    plan_markup(text, target, plan)
    difference = compare_texts(before, target)
    if plan.accept_difference(difference, options.update, text.line, "", text.id):
        plan.changed_texts.append(ChangedText(known, target, difference.fields))
    elif not difference.wording:
        plan.unchanged_texts += 1


def detect_languages(
    texts: Iterable[NamedText], options: ImportOptions, expected: set[str], problems: Problems
) -> dict[str, str]:
    """The code of each text's language, by the id of the text. If it cannot be detected, a problem is added."""
    found: dict[str, str] = {}
    unsaid: list[NamedText] = []
    for text in texts:
        try:
            code = find_stated_language(text.row, options) or _find_language_in_metadata(text)
        except ValueError as error:
            problems.add(text.line, "language", str(error))
            continue
        if code:
            found[text.id] = code
        else:
            unsaid.append(text)
    return found | _recognize_unstated(unsaid, expected | set(found.values()), problems)


def _find_language_in_metadata(text: NamedText) -> str | None:
    name = values.get_extra(text.row.metadata or {}).get("language")
    return parse_language(name) if isinstance(name, str) else None


def _recognize_unstated(texts: list[NamedText], expected: set[str], problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    for text, code in zip(texts, recognize_languages([text.row.body or "" for text in texts], expected), strict=True):
        if code:
            found[text.id] = code
        else:
            reason = _("The language could not be detected. Give it in the field “language”, or for the whole file.")
            problems.add(text.line, "language", reason)
    return found


def plan_import(project: Project, reading: Reading, options: ImportOptions) -> ImportPlan:
    """What importing the file would do now. Nothing is written."""
    plan = ImportPlan(reading.problems.copy(), reading.warnings.copy(), reading.columns)
    warn_of_markup(reading.lines, plan.warnings)
    texts = name_lines(reading.lines, options, plan.problems)
    bank = load_bank(project)
    _plan_texts(texts, bank, options, plan)
    for text in texts:
        for item in text.items:
            plan_item(text, item, bank, options, plan)
    _plan_carried(bank, plan)
    return plan


def _plan_texts(texts: list[NamedText], bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    new = [text for text in texts if text.id not in bank.texts and text.row.body is not None]
    languages = detect_languages(new, options, bank.languages, plan.problems)
    for text in texts:
        if known := bank.texts.get(text.id):
            plan_known_text(known, text, options, plan)
        elif text.row.body is None:
            refuse_wordless(text, plan)
        elif text.id in languages:
            plan_new_text(text, text.row.body, languages[text.id], bank, plan)


def _plan_carried(bank: Bank, plan: ImportPlan) -> None:
    changed = {change.item.external_id for change in plan.changed_items}
    plan.carried_items = [
        item
        for change in plan.changed_texts
        for item in bank.items_by_text.get(change.text.external_id, [])
        if item.external_id not in changed
    ]
