"""Headings over parts of a figure, in lines: what draws them and what tells the size of the drawing take them here."""

import textwrap
from collections.abc import Iterable

from analysis.lab_questions import NOT_APPLICABLE
from studies.question_words import label_word, question_word

LETTERS = 80  # of a line


def category_heading(category: str, labels: Iterable[str]) -> str:
    """A category with its answers in their order; what is not applicable is no answer and marks itself."""
    answers = [label_word(label) for label in dict.fromkeys(labels) if label != NOT_APPLICABLE]
    return textwrap.fill(f"{question_word(category)}: {', '.join(answers)}", LETTERS)
