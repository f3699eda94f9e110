"""Questions for who somebody is, which a sentence says beside its statement."""

import re
from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Range, Wording, draft
from generation.rules.phrases import Vocabulary, head_of, nouns_in
from generation.rules.tagging import Sentence

NAMED_FIRST = re.compile(r"(E{2,4}),((?:D?R?A*N(?:[dPDAHEKN]*[NE])?)),(?=R*F)")
TOLD_FIRST = re.compile(r"([Dd]A*N(?:[dPDAEKN]*[NE])?),(E{2,4}),(?=R*F)")


def ask_who_it_is(sentence: Sentence, vocabulary: Vocabulary, verb: str, wording: Wording) -> Iterator[Draft]:
    """“Lena Vogt, Leiterin des Museums, sagte …”: Wer ist Lena Vogt? The other way round, too."""
    for pattern in (NAMED_FIRST, TOLD_FIRST):
        if not (found := pattern.match(sentence.kinds)):
            continue
        named, told = found.span(1), found.span(2)
        clause = Clause(sentence, named, "subject", found.end(), found.end(), (0, 0), named)
        about: Range = told if pattern is NAMED_FIRST else named
        if nouns_in(clause, about) and any(vocabulary.persons.fullmatch(word) for word in _heads(clause, about)):
            question = wording.write(clause, [vocabulary.who, verb, named], may_bind=False)
            yield from draft(clause, question, told, "apposition", 3.0)


def _heads(clause: Clause, of: Range) -> list[str]:
    head = head_of(clause, of)
    return [head, head.rpartition("-")[2]]
