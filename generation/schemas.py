"""The JSON that a reply is to have, as a strict schema, and items written in it. No Django."""

import json
from collections.abc import Mapping
from typing import Any

from generation.parts import ParsedItem

TEXT = {"type": "string"}


def response_format(n_items: int, n_options: int, *, explains: bool) -> dict[str, Any]:
    """For items: `{"items": [{"question", "suggested_answers": [{"answer", "correct"}]}]}`.

    With explanations in the order of protocols that ask for them: question, reasoning, keys, then each distractor after
    the misconception behind it. How many keys there are is not for the schema to say, 0 is legal. Servers have models
    write in the order of the schema, and requests are sent with sorted names: so the names are in that order too.
    """
    if explains:
        distractor = _object({"misconception": TEXT, "wrong_answer": TEXT})
        parts = {
            "question": TEXT,
            "reasoning": TEXT,
            "right_answers": _list(TEXT, 0, n_options),
            "wrong_answers": _list(distractor, 0, n_options),
        }
    else:
        option = _object({"answer": TEXT, "correct": {"type": "boolean"}})
        parts = {"question": TEXT, "suggested_answers": _list(option, n_options, n_options)}
    return _format("items", _object({"items": _list(_object(parts), n_items, n_items)}))


def question_format() -> dict[str, Any]:
    """For one question: `{"question": …}`."""
    return _format("question", _object({"question": TEXT}))


def _format(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def _object(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(parts), "required": list(parts), "additionalProperties": False}


def _list(of: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": of, "minItems": least, "maxItems": most}


def as_json(item: ParsedItem, *, explains: bool) -> str:
    """An item as the reply would hold it."""
    if not explains:
        options = [{"answer": option.text, "correct": bool(option.correct)} for option in item.options]
        return json.dumps({"question": item.stem, "suggested_answers": options}, ensure_ascii=False)
    keys = [option for option in item.options if option.correct]
    wrong = [option for option in item.options if not option.correct]
    row = {
        "question": item.stem,
        "reasoning": item.reasoning or (keys[0].explanation if keys else ""),
        "right_answers": [option.text for option in keys],
        "wrong_answers": [{"misconception": option.explanation, "wrong_answer": option.text} for option in wrong],
    }
    return json.dumps(row, ensure_ascii=False)


def as_list(item: ParsedItem, marks: Mapping[str, str], *, explains: bool) -> str:
    """An item as lines, lettered and marked; explained, the keys and why come first."""
    lines, options = [f"1. {item.stem}"], item.options
    if explains:
        options = sorted(options, key=lambda option: not option.correct)
    for letter, option in zip("abcdefghijklmnopqrst", options, strict=False):
        kind = "correct" if option.correct else "incorrect"
        if explains:
            lines.append(f"{marks['reasoning' if option.correct else 'misconception']}: {option.explanation}")
        lines.append(f"{letter}) {option.text} ({marks[kind]})")
    return "\n".join(lines)
