"""Delete rows with everything that depends on them: listed first, then deleted from the leaves up in short
transactions.

What depends on a row is derived from the models: whatever points to it, except by a link that is set to null, is
deleted with it, including rows that `PROTECT` guards against accidental deletion. `delete_upward` adds links in the
other direction.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import SET_NULL, Field, Model
from django.utils.module_loading import import_string
from django.utils.translation import ngettext_lazy

from projects.scratch import CHUNK, write_briefly

Rows = dict[type[Model], set[Any]]
_UPWARD: dict[str, list[str]] = defaultdict(list)
_BEFORE: dict[str, str] = {}

# The words on the confirmation page, by model; models missing here are parts of listed ones.
COUNTED: dict[str, Any] = {
    "studies.Study": ngettext_lazy("%(n)d study", "%(n)d studies", "n"),
    "items.Text": ngettext_lazy("%(n)d text", "%(n)d texts", "n"),
    "items.Item": ngettext_lazy("%(n)d item", "%(n)d items", "n"),
    "studies.Annotator": ngettext_lazy("%(n)d person or model that answers", "%(n)d people or models that answer", "n"),
    "studies.Assignment": ngettext_lazy("%(n)d assignment", "%(n)d assignments", "n"),
    "studies.Response": ngettext_lazy("%(n)d answer", "%(n)d answers", "n"),
    "studies.Draft": ngettext_lazy("%(n)d draft of an answer", "%(n)d drafts of answers", "n"),
    "analysis.ItemCode": ngettext_lazy("%(n)d code of an item", "%(n)d codes of items", "n"),
    "analysis.IndependentCoding": ngettext_lazy("%(n)d coder's own coding", "%(n)d coders' own codings", "n"),
    "analysis.CodeDecision": ngettext_lazy("%(n)d decision about codes", "%(n)d decisions about codes", "n"),
    "llm.Run": ngettext_lazy("%(n)d run of a model", "%(n)d runs of models", "n"),
    "llm.Call": ngettext_lazy("%(n)d call of a model", "%(n)d calls of models", "n"),
    "studies.Instrument": ngettext_lazy("%(n)d wording", "%(n)d wordings", "n"),
    "projects.Membership": ngettext_lazy("%(n)d membership", "%(n)d memberships", "n"),
    "jobs.Job": ngettext_lazy("%(n)d result or file", "%(n)d results and files", "n"),
}


def delete_upward(model: str, field: str) -> None:
    """Register that deleting a row of the model also deletes what its field points to, such as an item's unit."""
    if field not in _UPWARD[model]:
        _UPWARD[model].append(field)


def before_deleting(model: str, function: str) -> None:
    """Register a function by its dotted path: it gets the keys of the model's rows before they are deleted."""
    _BEFORE[model] = function


def count_rows(rows: Rows) -> int:
    return sum(map(len, rows.values()))


def collect_rows(roots: Iterable[Model]) -> Rows:
    """The rows and everything deleted with them, as sets of primary keys by model. Reads only."""
    found: Rows = {}
    queue: list[tuple[type[Model], set[Any]]] = []
    for row in roots:
        queue.append((type(row), {row.pk}))
    while queue:
        model, pks = queue.pop()
        new = pks - found.setdefault(model, set())
        if not new:
            continue
        found[model] |= new
        for field in list_links(model):
            if field.remote_field.on_delete is not SET_NULL:
                queue.append((field.model, find_pks(field.model, field.name, new)))
        for name in _UPWARD[model._meta.label]:
            link: Any = model._meta.get_field(name)
            targets = {pk for chunk in split(new) for pk in select(model, "pk", chunk).values_list(name, flat=True)}
            queue.append((link.related_model, targets - {None}))
    return found


def list_links(model: type[Model]) -> list[Any]:
    """The foreign keys that point to the model, including hidden ones and those of many-to-many tables."""
    relations: Any = (each for each in model._meta.get_fields(include_hidden=True) if each.auto_created)
    return [each.field for each in relations if not each.concrete and (each.one_to_many or each.one_to_one)]


def find_pks(model: type[Model], field: str, targets: set[Any]) -> set[Any]:
    return {pk for chunk in split(targets) for pk in select(model, field, chunk).values_list("pk", flat=True)}


def select(model: type[Model], field: str, pks: Iterable[Any]) -> Any:
    return model._base_manager.filter(**{f"{field}__in": list(pks)}).order_by()


def split(pks: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(sorted(pks))
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def describe_rows(rows: Rows) -> list[str]:
    """What would be deleted, in words and numbers, for the confirmation page."""
    numbers = {model._meta.label: len(pks) for model, pks in rows.items()}
    return [COUNTED[label] % {"n": numbers[label]} for label in COUNTED if numbers.get(label)]


def sort_models(rows: Rows) -> list[type[Model]]:
    """Sort models so that those that point to others come first."""
    ordered: list[type[Model]] = []

    def visit(model: type[Model]) -> None:
        if model in ordered:
            return
        for field in list_links(model):
            if field.model is not model and field.model in rows and field.remote_field.on_delete is not SET_NULL:
                visit(field.model)
        ordered.append(model)

    for model in sorted(rows, key=lambda each: each._meta.label):
        visit(model)
    return ordered


def delete_collected(rows: Rows, on_progress: Callable[[int, int], None] = lambda done, total: None) -> int:
    """Delete the rows from the leaves up, in short transactions; returns how many. `on_progress` gets done, total."""
    total, done = count_rows(rows), 0
    for model in sort_models(rows):
        empty: list[Field[Any, Any]] = [each for each in list_links(model) if each.remote_field.on_delete is SET_NULL]
        for chunk in split(rows[model]):
            with write_briefly():
                if model._meta.label in _BEFORE:
                    import_string(_BEFORE[model._meta.label])(chunk)
                for field in empty:
                    select(field.model, field.name, chunk).update(**{field.name: None})
                done += select(model, "pk", chunk)._raw_delete(using="default")
            on_progress(done, total)
    return done


def wipe_storage() -> None:
    """Remove the traces of deleted rows in SQLite's files: `secure_delete` zeroes its pages, this empties its log.

    Full-text indexes keep the words of deleted rows until their parts are merged, so that is done first. PostgreSQL
    reuses the space of deleted rows by itself; a dump never contains them. Does nothing inside a transaction.
    """
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%%USING fts5%%'", [])
            for (index,) in cursor.fetchall():
                cursor.execute(f"INSERT INTO {index}({index}) VALUES ('optimize')")  # noqa: S608 - a table of ours
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
