"""Mappings of the database in one order: PostgreSQL keeps the keys of JSON in another than they were written in."""

from typing import Any


def sort_keys(value: Any) -> Any:
    """The value with the keys of every mapping in it in alphabetical order; lists stay as they are."""
    if isinstance(value, dict):
        return {key: sort_keys(value[key]) for key in sorted(value)}
    return [sort_keys(each) for each in value] if isinstance(value, list) else value
