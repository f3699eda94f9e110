"""One question out of a reply. No Django."""

import json
import re

HEADING = re.compile(r"^(?:\d{1,2}[.)]\s+|(?:frage|question)\s*\d{0,2}[*_]*\s*[:.–-][*_]*\s*)+", re.IGNORECASE)
QUOTES = "\"“”„‚‘’'«»"
AROUND = f"{QUOTES}*_ \t"


def question_from_json(text: str) -> str:
    """The question of an object that holds one; empty if the reply is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    question = value.get("question") if isinstance(value, dict) else None
    return question.strip() if isinstance(question, str) else ""


def question_from_lines(text: str) -> str:
    """The only line that ends with a question mark, without a heading and quotation marks around it.

    Empty if there is none or more than one: which of them was meant cannot be told.
    """
    lines = [line.strip().strip(AROUND) for line in text.split("\n")]
    asking = [line for line in lines if line.endswith("?")]
    return HEADING.sub("", asking[0], count=1).strip(AROUND) if len(asking) == 1 else ""
