"""Questions for texts that give few others: what the text says about somebody or something, what happened at a time.

Each asks for the content of a single sentence of the text, so the whole sentence answers it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from generation.rules.answer_doubts import ABSTRACT, NOBODY, OTHERS, SAME, VAGUE
from generation.rules.drafts import Clause, Draft, Range, Wording, make_word_set
from generation.rules.phrases import Vocabulary, find_first_nouns
from generation.rules.references import refers_back
from generation.rules.tagging import (
    ADJECTIVE,
    ADVERB,
    BREAK,
    COMMA,
    CONJUNCTION,
    DETERMINER,
    NAME,
    NOUN,
    POINTING,
    PRONOUN,
    RELATIVE,
    Sentence,
    Token,
)
from items.wording import MONTHS

TOPIC, FIRST_TOPIC, LAST_TOPIC, TWO_TOPICS = "topic", "first-topic", "last-topic", "two-topics"
EVENT, CONSEQUENCE = "event", "consequence"
LONGEST_TOPIC, SHORTEST_SENTENCE, LONGEST_SENTENCE = 12, 5, 70  # tokens
LONGEST_CONSEQUENCE = 25  # tokens
SHORTEST_NAME, SHORTEST_NOUN = 3, 4  # letters
PHRASE = re.compile(
    r"[Dd]{0,2}C?(?:R*A[,K]?)*(?:[NE]G?A*)*[NE]C?(?:[Pd][Dd]?C?(?:R*A)*[NE]+)*"
    r"(?:K[Dd]?(?:R*A)*[NE]+(?:[Pd][Dd]?[NE]+)?)?"
)
GOES_ON = make_word_set("von of und and oder or sowie")
ELSEWHERE = make_word_set(
    "dies solche solchen solcher solches "
    "we us our ours i me my here there wir uns unser unsere unserer unseren ich mich mir mein hier dort"
)
NAMES = re.compile("(?<!E,)(?<![NEADdHQCG])E{2,5}(?![NEGp])|(?<=S)E(?![NEGp])")
SINGLE_NAMES = re.compile("(?<![NEADdHQCGKP,])E(?![NEGpK,])")
ANY_NAME = re.compile("(?<![NEADdHQCG])E{1,5}(?![NEGpC])")
QUOTES = re.compile('["“”„»«]')
COMPOUND = 10  # letters
INDEFINITE = make_word_set("a an ein eine einen einem einer")
LIGHT_VERBS = make_word_set("be have become remain get give take make do sein haben werden bleiben geben machen")
TIMES = re.compile(
    "(?:year|month|week|day|hour|minute|century|decade|jahr|monat|woche|tag|stunde|minute)(?:s|e|en|n)?|centuries|anfang|mitte|ende"
)
CALENDAR = re.compile(
    "(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|"
    + "|".join([*MONTHS["en"], *MONTHS["de"]]).lower()
)
OBJECTS = make_word_set("it them him her sie ihn ihm ihnen ihr")
EACH = make_word_set(
    "each every any no jede jeder jedes keine kein further additional weitere weiteren weiterer zusätzliche "
    "zusätzlichen"
)
QUANTITIES = make_word_set(
    "all most both some many several few numerous various alle beide viele einige mehrere zahlreiche manche "
    "verschiedene"
)
NEGATION = re.compile(r"\b(?:not|never|no|nicht|nie|kein\w*)\b|n['’]t\b")
YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")


@dataclass(frozen=True)
class TopicWords:
    """How a language asks about a topic; `{}` is the topic or the time."""

    about_person: str
    about_thing: str
    about: str
    first: str
    last: str
    event: str
    consequence: Mapping[str, str]
    both: str
    time: re.Pattern[str]
    objects: re.Pattern[str]
    wording: Wording
    vocabulary: Vocabulary
    write_topic: Callable[[Clause, Range], str]


def ask_topics(sentence: Sentence, subject: Range, words: TopicWords) -> Iterator[Draft]:
    """“Lena Vogt leads the museum of Ulm.”: What do we learn about Lena Vogt?

    Asks about the subject if it is clear by itself who or what it is, and, ranked lower, about names and objects.
    """
    first = PHRASE.match(sentence.kinds)
    topic = _without_quantity(sentence, first.span() if first and subject[0] == subject[1] else subject)
    about: list[Draft] = []
    if topic[0] < topic[1]:
        for each in _ask_topic(sentence, topic, words, 1.2):
            about.append(each)
    for found in NAMES.finditer(sentence.kinds, 1):
        is_beside = sentence.kinds[found.start() - 1] in "PK"
        about += _ask_topic(sentence, found.span(), words, 0.3 if is_beside else 0.9)
    for found in SINGLE_NAMES.finditer(sentence.kinds, 1):
        about += _ask_topic(sentence, found.span(), words, 0.4)
    yield from about
    for each in about:
        for rule, when in ((FIRST_TOPIC, words.first), (LAST_TOPIC, words.last)):
            asked = each.question.replace(words.about, f"{when} {words.about}", 1)
            yield replace(each, question=asked, rule=rule, worth=each.worth - 0.5)
    yield from _ask_two_topics(sentence, about[:1], words)
    for found in words.objects.finditer(sentence.kinds):
        if _is_specific(sentence, found.span()):
            yield from _ask_topic(sentence, found.span(), words, 0.7)


def _ask_two_topics(sentence: Sentence, first: Sequence[Draft], words: TopicWords) -> Iterator[Draft]:
    """“Vogt brought the clocks to Ulm.”: What does the text say about Vogt and Ulm? Other sentences name only one."""
    names = [
        each for found in ANY_NAME.finditer(sentence.kinds) for each in _ask_topic(sentence, found.span(), words, 0)
    ]
    for one, other in product([*first, *names], names):
        topic, second = one.clause.subject, other.clause.subject
        named = [words.write_topic(each.clause, each.clause.subject) for each in (one, other)]
        is_date = any(CALENDAR.fullmatch(token.plain) for token in other.clause.tokens(second))
        is_list = sentence.kinds[topic[1] : second[0]] in (COMMA, CONJUNCTION)
        if topic[1] < second[0] and named[0] != named[1] and not (is_date or is_list or QUOTES.search(sentence.text)):
            both = f" {words.both} ".join(named)
            worth = 0.5 + 0.2 * _has_name(one.clause, topic)
            clause = replace(one.clause, front=second)
            answer = _find_start(sentence, words.wording), clause.end
            yield Draft(words.about_thing.format(both), answer, TWO_TOPICS, worth, clause)


def _is_specific(sentence: Sentence, of: Range) -> bool:
    """Whether the object has more than one word or is a German compound: “red cabbage juice”, “den Blasebalg”."""
    tokens, before = sentence.tokens[slice(*of)], sentence.tokens[of[0] - 1]
    is_compared = any(token.kind == ADVERB or token.tag == "AJC" for token in tokens)
    if tokens[0].plain in INDEFINITE or is_compared:
        return False
    if before.plain in ("in", "above", "below", "with", "without"):
        return False  # “in fact”, “listed above serve drinks”
    is_compound = len(tokens[-1].text) >= COMPOUND and tokens[-1].text[0].isupper()  # in German
    is_long = len(tokens) > 1 + (tokens[0].kind == DETERMINER) or is_compound
    after = sentence.tokens[min(of[1], len(sentence.tokens) - 1)].plain
    is_oblique = re.fullmatch(r"a|an|the|de.|\w+(?:er|em)|(?!einen)\w+en", tokens[0].plain)
    return is_long and not is_oblique and after not in GOES_ON and before.lemma not in LIGHT_VERBS


def _without_quantity(sentence: Sentence, of: Range) -> Range:
    """The range without “many”, “most”, “some” or an infinitive at its end; empty if the phrase continues."""
    start, end = of
    kinds = sentence.kinds[start:end]
    end = start + len(re.split("[,W]|TV", kinds)[0].rstrip("Rp"))
    while end - start > 1 and _is_quantity(sentence.tokens[start]) and sentence.kinds[start + 1] in "NEAR":
        start += 1
    after = sentence.tokens[end] if end < len(sentence.tokens) else None
    goes_on = after is not None and (after.kind in "NEdAxW" or after.plain in GOES_ON or after.text[0].isupper())
    is_apposed = after is not None and after.kind == COMMA and sentence.tokens[start].plain in INDEFINITE
    return (end, end) if goes_on or is_apposed else (start, end)


def _is_quantity(token: Token) -> bool:
    return token.plain in QUANTITIES or token.kind == ADVERB


def _ask_topic(sentence: Sentence, topic: Range, words: TopicWords, worth: float) -> Iterator[Draft]:
    clause = Clause(sentence, topic, "subject", topic[1], _find_end(sentence), (0, 0), topic)
    if not (_names_something(clause, topic) and stands_alone(clause, topic, words.wording)):
        return
    is_person = words.vocabulary.ask_who_or_what(clause, topic) == words.vocabulary.who
    name = words.write_topic(clause, topic)
    asked = words.about_person if is_person else words.about_thing
    if name:
        worth += 0.1 * _has_name(clause, topic)
        yield Draft(asked.format(name), _find_statement(clause, topic, words.wording), TOPIC, worth, clause)


def _find_statement(clause: Clause, topic: Range, wording: Wording) -> Range:
    """The sentence as the answer, without a topic at its beginning, for which another question may ask."""
    start, end = _find_start(clause.sentence, wording), clause.end
    is_before_verb = topic[0] == start and re.match("R*F", clause.kinds((topic[1], end)))
    return (topic[1] if is_before_verb else start), end


def _names_something(clause: Clause, topic: Range) -> bool:
    """Whether the phrase makes clear by itself what it is about."""
    nouns = find_first_nouns(clause, topic)
    if not nouns or topic[1] - topic[0] > LONGEST_TOPIC or not PHRASE.fullmatch(clause.kinds(topic)):
        return False
    is_vague = clause.token(topic[0]).plain in VAGUE | QUANTITIES | EACH or nouns[-1] in ABSTRACT
    is_vague = is_vague or bool(TIMES.fullmatch(nouns[-1])) or nouns[-1] in NOBODY
    is_vague = is_vague or any(token.plain in OTHERS | SAME for token in clause.tokens(topic))
    return not is_vague and (_has_name(clause, topic) or len(nouns[-1]) >= SHORTEST_NOUN)


def _has_name(clause: Clause, of: Range) -> bool:
    return any(token.kind == NAME and len(token.text) >= SHORTEST_NAME for token in clause.tokens(of))


def ask_event(clause: Clause, is_past: Callable[[Clause], bool], words: TopicWords) -> Iterator[Draft]:
    """“In 1854 a fire destroyed the old harbour of Ulm.”: What happened in 1854?"""
    source = clause.sentence.source(min(clause.front[0], clause.verb), clause.end)
    times = words.time.findall(source)
    is_one = len(times) == 1 and len(YEAR.findall(source)) < 2 and not NEGATION.search(source)
    if is_one and is_past(clause) and stands_alone(clause, (0, clause.end), words.wording):
        time = times[0][:1].lower() + times[0][1:]
        yield Draft(
            words.event.format(time),
            (_find_start(clause.sentence, words.wording), _find_end(clause.sentence)),
            EVENT,
            1.0,
            clause,
        )


def ask_consequence(clause: Clause, words: TopicWords) -> Iterator[Draft]:
    """“After a fire destroyed the harbour, the town was left.”: What happened after a fire destroyed the harbour?"""
    if clause.front_kind != "clause":
        return
    start, end = clause.front[0], clause.front[1] - (clause.token(clause.front[1] - 1).kind == COMMA)
    asked = words.consequence.get(clause.token(start).plain, "")
    answer = (min(clause.subject[0] or clause.verb, clause.verb), _find_end(clause.sentence))
    tokens = clause.tokens(answer)
    has_nouns = all(any(token.kind in (NAME, NOUN) for token in each) for each in (clause.tokens((start, end)), tokens))
    is_one = not any(token.kind == BREAK or token.plain in ("but", "aber", "doch") for token in tokens)
    points = any(_points_back(clause.sentence, place) for place in range(*answer))
    if asked and has_nouns and is_one and not points and answer[1] - answer[0] <= LONGEST_CONSEQUENCE:
        written = words.wording.write(clause, [(start, end)], may_bind=False)[:-1]
        if written:
            yield Draft(asked.format(written[:1].lower() + written[1:]), answer, CONSEQUENCE, 1.0, clause)


def _find_end(sentence: Sentence) -> int:
    return len(sentence.kinds.rstrip(";"))


def _find_start(sentence: Sentence, wording: Wording) -> int:
    """The place after a connective such as “however,”."""
    is_joined = sentence.kinds[1:2] == COMMA and sentence.tokens[0].plain in wording.connectives
    return 2 if is_joined else 0


def stands_alone(clause: Clause, topic: Range, wording: Wording) -> bool:
    """Whether no word of the sentence refers to the one before it. A pronoun after the topic refers to the topic."""
    whole = _find_start(clause.sentence, wording), _find_end(clause.sentence)
    if not SHORTEST_SENTENCE <= whole[1] - whole[0] <= LONGEST_SENTENCE:
        return False
    if clause.token(0).text == "Sie":
        return False  # “they” or “you”
    if any(wording.points(token, can_be_bound=False) for token in clause.tokens((whole[0], topic[1]))):
        return False
    if not re.match("[^;]*F", clause.sentence.kinds):
        return False
    after = clause.kinds((topic[1], whole[1]))
    same_clause = clause.tokens((topic[1], topic[1] + len(re.split("[,;SWK]", after)[0])))
    if any(token.plain in OBJECTS and token.kind == PRONOUN for token in same_clause):
        return False  # “The Portuguese destroyed it”: what?
    return not any(_points_back(clause.sentence, place) for place in range(*whole))


def _points_back(sentence: Sentence, place: int) -> bool:
    token, after = sentence.tokens[place], sentence.tokens[min(place + 1, len(sentence.tokens) - 1)]
    if token.kind == POINTING:
        return after.plain != "of" and after.kind != RELATIVE
    return token.plain in ELSEWHERE and token.tag != "EX0"


def compute_reference_penalty(draft: Draft) -> float:
    """The penalty for a definite noun that may need an earlier sentence: before the topic, in it, or in an event.

    A compound (“the road sign”, “das Straßenschild”) is more specific than “the building”.
    """
    sentence = draft.clause.sentence
    start, end = draft.clause.subject if draft.rule != EVENT else (draft.clause.end, 0)
    nouns = find_first_nouns(draft.clause, (start, end))
    is_compound = len(nouns) > 1 or len(nouns[-1:] and nouns[-1]) >= COMPOUND
    return 0.4 * refers_back(sentence, (0, start)) + (0.8 if is_compound else 3.0) * refers_back(sentence, (start, end))


def is_mentioned_once(draft: Draft, elsewhere: Sequence[str]) -> bool:
    """Whether no other sentence, in lower case, has the name, all nouns or the time that is asked about."""
    if draft.rule == EVENT:
        return not any(number in each for number in re.findall(r"\d+", draft.question) for each in elsewhere)
    if draft.rule == TWO_TOPICS:
        topics = draft.clause.subject, draft.clause.front
        return not any(all(_is_named(draft.clause, topic, each) for topic in topics) for each in elsewhere)
    return not any(_is_named(draft.clause, draft.clause.subject, each) for each in elsewhere)


def _is_named(clause: Clause, topic: Range, elsewhere: str) -> bool:
    """Whether a sentence, in lower case, has a name of the topic, or all its nouns if it has no name."""
    tokens = [token for token in clause.tokens(topic) if token.kind in (NAME, NOUN, ADJECTIVE)]
    heads = find_first_nouns(clause, topic)
    stems = [_shorten_to_stem(token.plain) for token in tokens if token.kind == NAME and token.plain in heads]
    if stems:
        return any(stem in elsewhere for stem in stems)
    return all(_shorten_to_stem(token.plain) in elsewhere for token in tokens)


def _shorten_to_stem(word: str) -> str:
    return word[: max(SHORTEST_NOUN, len(word) - 2)]
