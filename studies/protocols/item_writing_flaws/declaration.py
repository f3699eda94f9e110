"""Item-writing flaws: people and models say of each multiple-choice item which flaws it has.

After Haladyna, Downing & Rodriguez (2002), Tarrant et al. (2006) and Moore et al. (2023, arXiv 2307.08161); the wording
is ours. Rules code fifteen of them (`items.flaw_rules`); the last four and the further guidelines need a reader.
"""

from collections.abc import Callable, Mapping
from typing import Any

from items.flaw_rules import RULES
from items.wording import Wording
from studies.protocols.base import Declaration, InvalidParameter, Protocol, Question, Rule, Shown, Stage, each_item
from studies.protocols.parameters import SomeOf, gettext_noop

CODE = "code"
LEVELS = ("yes", "no", "unsure", "not_applicable")
FLAWS = (
    ("longest_key", gettext_noop("the longest option is the key")),
    ("all_of_the_above", gettext_noop("“all of the above”")),
    ("none_of_the_above", gettext_noop("“none of the above”")),
    ("absolute_terms", gettext_noop("absolute words in options")),
    ("vague_terms", gettext_noop("vague words in options")),
    ("negative_stem", gettext_noop("negated question")),
    ("true_false", gettext_noop("true or false question")),
    ("fill_in_the_blank", gettext_noop("gap in the question")),
    ("complex_options", gettext_noop("options that join other options")),
    ("word_repeats", gettext_noop("a word of the question is in the key only")),
    ("convergence", gettext_noop("the key shares most words with the other options")),
    ("lost_sequence", gettext_noop("numbers out of order")),
    ("logical_cue", gettext_noop("an option denies another")),
    ("unfocused_stem", gettext_noop("the question does not say what is asked")),
    ("gratuitous_stem", gettext_noop("more than two sentences before the question ends")),
    ("grammatical_cue", gettext_noop("grammar gives the key away")),
    ("implausible_distractor", gettext_noop("a distractor that nobody would choose")),
    ("several_right", gettext_noop("more than one option is right, or none")),
    ("ambiguous", gettext_noop("ambiguous or unclear")),
)

GUIDELINES = (  # further ones of Haladyna, Downing & Rodriguez, asked about only where they are chosen
    ("several_aims", gettext_noop("asks for more than one thing")),
    ("trivial_content", gettext_noop("asks for something unimportant")),
    ("copied_wording", gettext_noop("the key repeats the text word for word")),
    ("depends_on_other", gettext_noop("depends on another question")),
    ("wrong_scope", gettext_noop("too detailed or too general")),
    ("opinion", gettext_noop("asks for an opinion")),
    ("trick", gettext_noop("trick question")),
    ("hard_vocabulary", gettext_noop("language harder than the text")),
    ("language_error", gettext_noop("mistake in spelling or grammar")),
    ("wordy", gettext_noop("more to read than needed")),
    ("unclear_task", gettext_noop("unclear what to do")),
    ("overlapping_options", gettext_noop("an option includes another")),
    ("mixed_options", gettext_noop("options of different kinds")),
    ("negative_options", gettext_noop("negated option")),
    ("uneven_options", gettext_noop("options of uneven length")),
    ("far_distractor", gettext_noop("a distractor that no misreading leads to")),
    ("humour", gettext_noop("an option meant to be funny")),
)


def make_rule(applies: Callable[[Wording], bool | None]) -> Rule:
    """A rule that answers the question about a flaw."""
    values = {True: "yes", False: "no", None: "not_applicable"}
    return lambda item: values[applies(item)]


def declare(params: Mapping[str, Any], wording: Mapping[str, Any]) -> Declaration:
    """One stage about one item: its options with the keys marked, the text in view, and a question for each flaw."""
    chosen = params["flaws"]
    questions = tuple(
        Question(name, kind="choice", levels=LEVELS, seconds=5)
        for name, _title in (*FLAWS, *GUIDELINES)
        if name in chosen
    )
    if not questions:
        raise InvalidParameter("Choose at least one flaw.")
    shows: frozenset[Shown] = frozenset({"text", "title", "options"})
    return Declaration(stages=(Stage(CODE, questions, shows=shows, keys="marked"),), split=each_item)


PROTOCOL = Protocol(
    name="item-writing-flaws",
    title=gettext_noop("Item-writing flaws"),
    parameters=(
        SomeOf(
            "flaws",
            tuple(name for name, _title in FLAWS),
            gettext_noop("Flaws"),
            gettext_noop("The flaws that people and models look for."),
            options=(*FLAWS, *GUIDELINES),
        ),
    ),
    declare=declare,
    unit="item",
    order=6,
    rules={name: make_rule(applies) for name, applies in RULES.items()},
    summary=gettext_noop(
        "People and models say which item-writing flaws each question has. "
        "Tables compare their codes with those of automatic rules."
    ),
    words={CODE: gettext_noop("coding flaws"), "unsure": gettext_noop("unsure")} | dict(FLAWS + GUIDELINES),
)
