"""Reasons to doubt an answer: it is cut off, joins two phrases, refers to another sentence, or says too little."""

import re
from collections.abc import Sequence
from itertools import pairwise

from generation.rules.drafts import Draft, make_word_set
from generation.rules.tagging import BRACKETED, FINITE, NAME, NOUN, NUMBER, OTHER, POINTING, POSSESSIVE, PRONOUN, Token

YEAR = re.compile(r"(?:1\d|20)\d\d")
ASKING_SUBJECT = frozenset(["subject", "inner-subject"])
CLAUSE_RULES = frozenset(["clause-first", "clause-last", "that"])
SAME = make_word_set(
    "next following folgende folgenden nächste nächsten same selben derselben dasselbe derselbe dieselbe diesem dieser "
    "dieses letzteren latter"
)
VAGUE = make_word_set(
    "all alle some different many several other certain various such einige einigen manche manchen verschiedene "
    "verschiedenen viele vielen mehrere mehreren anderen bestimmten diversen unterschiedlichen"
)
YOURS = make_word_set("your Your Ihr Ihre Ihren Ihrem Ihrer Ihres")
ONES = make_word_set("one ones others another andere anderer anderes")
OTHERS = make_word_set("other others another andere anderer anderes weitere weiterer weiteres zweite second")
HEDGES = make_word_set(
    "vielleicht wahrscheinlich möglicherweise oft häufig manchmal perhaps probably possibly often sometimes"
)
ABSTRACT = make_word_set(
    "example examples concept beispiel beispiele konzept picture "
    "effect result reason problem thing things way case aim goal number part kind rest answer wirkung ergebnis grund "
    "estimate estimates schätzung schätzungen "
    "problem ding dinge weg fall ziel zahl teil rest antwort auswirkung ursache one"
)
MEASURES = make_word_set(
    "liter kilo kilogramm gramm tonnen meter kilometer prozent grad ende anfang mitte stück glas tasse paar art herr "
    "frau"
)


NOBODY = make_word_set("people persons individuals somebody someone menschen personen leute einzelpersonen man")
PAST = make_word_set("war waren wurde wurden kam kamen ging gingen fand fanden")
LIGHT = make_word_set(
    "role part tribute attention place advantage care sense use way effect rolle teil platz ende wert wirkung "
    "schritte schritt mühe möglichkeit"
)


def cuts_a_phrase(draft: Draft) -> bool:
    """The word before or after the answer belongs to its noun."""
    kinds, (start, end) = draft.clause.sentence.kinds, draft.answer
    if draft.rule in CLAUSE_RULES:
        return False
    before, after = kinds[start - 1 : start] if start else "", kinds[end : end + 1]
    if re.match(",(?:[NEVYAD]{1,3},)*[NEVYAD]{1,3},?K[NEVYAD]", kinds[end:]) and draft.rule in ("definition", "object"):
        return True  # “swimming | , climbing and jumping”
    if re.match(",P?W[^,;]*,K[DdHQ]?(?:R*A)*[NE](?!.*F)", kinds[end:]) and draft.rule in ("definition", "object"):
        return True  # “the past of Ulm | , which is …, and the future”
    if draft.rule == "definition" and re.match(",KR*V", kinds[end:]):
        return True  # “independent states | , or associated with one”
    if after == "K" and "," in kinds[start:end] and draft.rule in ("definition", "object", "governed"):
        return True  # “fellowship, identity | or awareness”
    if "X" in kinds[start:end] and draft.rule == "object":
        return True  # “their favourite songs down (…)”
    if draft.rule in ASKING_SUBJECT and re.search("[NE]C[PKR]C", kinds[start:end]):
        return True  # “a person | 10 to 15 others”
    if (
        kinds[end - 2 : end] in ("NC", "EC")
        and after in tuple("PNARV")
        and not draft.clause.token(end - 1).text.startswith("1")
    ):
        return True  # “the channels 25 | to 30 years”
    is_bare = kinds[start] in "NEAC" and before in ("N", "E")
    return (
        before in tuple("DAHQG")
        or is_bare
        or after in ("G", OTHER)
        or (kinds[end - 1] in "NEC" and after in ("N", "E") and not YEAR.fullmatch(draft.clause.token(end - 1).text))
    )


def cuts_a_circumstance(draft: Draft) -> bool:
    """“durch Übungen | , Mantras und Gesänge”, “am Anfang | ihrer Laufbahn”, “während Fehler | und Erfolge …”"""
    kinds, end = draft.clause.sentence.kinds, draft.answer[1]
    after = kinds[end : end + 1]
    is_listed = draft.rule in ("adjunct", "governed", "agent", "front") and re.match(r",[DdA]*[NE]+[,K]", kinds[end:])
    is_of_more = after == "d" or (after in tuple("HQ") and draft.clause.token(end).plain.endswith("er"))
    return bool(is_listed) or (is_of_more and draft.rule in ("adjunct", "front"))


def names_nobody(draft: Draft) -> bool:
    """“Who was hitting the panes? People”"""
    tokens = draft.clause.tokens(draft.answer)
    return re.match("Who|Wer", draft.question) is not None and len(tokens) <= 2 and tokens[-1].plain in NOBODY


def is_new_to_the_reader(draft: Draft) -> bool:
    """“A copy reached London”: a copy of what?"""
    tokens = draft.clause.tokens(draft.answer)
    is_bare = len(tokens) == 2 and tokens[0].plain in ("a", "an", "ein", "eine")
    verb = draft.clause.token(draft.clause.verb)
    is_past = verb.tag in ("VVD", "VBD", "VHD") or verb.plain.endswith(("te", "ten")) or verb.plain in PAST
    return is_bare and is_past and draft.rule in ASKING_SUBJECT


def holds_two_phrases(draft: Draft) -> bool:
    """“TogiNet die Nebenstation”, “The Articles required consent before they”: more than the subject."""
    kinds = re.split("[,SW]", draft.clause.kinds(draft.answer))[0]
    is_subject = draft.rule in ASKING_SUBJECT
    if draft.rule == "object" and re.search("[NE]D", kinds):
        return True  # “Gott dem Volk”
    return is_subject and bool(re.search(f"[NE][DHQ]|{FINITE}|.{PRONOUN}$", kinds))


def is_half_of_a_verb(draft: Draft) -> bool:
    """“pay tribute”, “eine Rolle spielen”, “den Berg hinunterfließen”: the object is no answer by itself."""
    nouns = [token.plain for token in draft.clause.tokens(draft.answer) if token.kind in (NOUN, NAME)]
    is_torn = bool(nouns and nouns[0] in LIGHT) or bool(
        re.search("(?:hinunter|herunter|hinauf|hinab|entlang).$", draft.question)
    )
    return draft.rule == "object" and is_torn


def joins_phrases(draft: Draft) -> bool:
    """Two German phrases were taken for one: a noun right after another, or after a name."""
    return any(_is_joint(*pair) for pair in _pair_neighbors(draft, draft.answer))


def may_join_phrases(draft: Draft) -> bool:
    return any(_is_joint(*pair) for pair in _pair_neighbors(draft, (draft.clause.verb, draft.clause.end)))


def _pair_neighbors(draft: Draft, of: tuple[int, int]) -> list[tuple[Token, Token]]:
    tokens = draft.clause.tokens(of) if draft.rule not in CLAUSE_RULES else ()
    return list(pairwise(tokens))


def _is_joint(one: Token, other: Token) -> bool:
    is_noun = other.tag in ("NN", "NNA", "NNI") and other.kind == "N" and other.text.isalpha()
    can_be_one = one.plain in MEASURES or one.text.endswith("-") or one.text.isupper()
    return is_noun and one.kind in ("N", "E") and one.tag in ("NN", "NNA", "NNI", "NE") and not can_be_one


def answer_refers_outside(draft: Draft) -> bool:
    """“this ratio”: the answer needs another sentence. In a clause, a pronoun may refer to the question."""
    if draft.rule in ASKING_SUBJECT and draft.clause.token(draft.answer[1] - 1).plain in ONES:
        return True
    if any(token.kind == POINTING or token.plain.startswith("solche") for token in draft.clause.tokens(draft.answer)):
        return True
    return draft.rule not in CLAUSE_RULES and any(
        token.kind in (POINTING, POSSESSIVE)
        or token.plain in SAME
        or (token.kind == PRONOUN and token.plain not in ("sich", "you", "sie"))
        for token in _select_outside_clauses(draft)
        if not _is_bound(draft, token)
    )


def _is_bound(draft: Draft, token: Token) -> bool:
    """Whether the question names the owner that a possessive refers to: “What do plants make? their food”."""
    if token.kind != POSSESSIVE or token.text in YOURS:
        return token.text in YOURS
    start, end = draft.clause.subject if draft.clause.subject != (0, 0) else draft.clause.front
    has_noun = any(each.kind in (NOUN, NAME) for each in draft.clause.tokens((start, end)))
    is_named = draft.clause.subject != (0, 0) or draft.clause.front_kind == "subject"
    return is_named and has_noun and end <= draft.answer[0] and draft.rule in ("object", "governed", "adjunct", "plan")


def answers_with_a_possessive(draft: Draft) -> bool:
    return draft.rule not in CLAUSE_RULES and any(
        token.kind == POSSESSIVE and token.text not in YOURS for token in _select_outside_clauses(draft)
    )


def _select_outside_clauses(draft: Draft) -> tuple[Token, ...]:
    clause = re.search("[SW]", draft.clause.kinds(draft.answer))
    end = draft.answer[0] + clause.start() if clause else draft.answer[1]
    return draft.clause.tokens((draft.answer[0], end))


def answers_with_an_unbound_pronoun(draft: Draft) -> bool:
    """“Why is care advised? because they may bark”: no noun of the question can be meant by the pronoun."""
    if draft.rule not in CLAUSE_RULES | {"purpose", "consequence"}:
        return False
    tokens, asked = draft.clause.tokens(draft.answer), draft.question
    named = [each for each in draft.clause.sentence.tokens if each.text in asked and each.kind in (NOUN, NAME)]
    for place in range(len(tokens)):
        nouns = named + [each for each in tokens[:place] if each.kind in (NOUN, NAME)]
        if not _has_noun(tokens[place:], nouns, asked):
            return True
    return False


def _has_noun(tokens: Sequence[Token], nouns: Sequence[Token], asked: str) -> bool:
    """Whether the first word is no pronoun, or a pronoun that a noun before it or in the question can explain."""
    first = tokens[0]
    if first.plain in ENGLISH_PLURALS:
        return " and " in asked or any(each.tag in ("NN2", "NP0", "NN0") for each in nouns)
    if first.plain in ENGLISH_PERSONS:
        return any(each.kind == NAME or PERSON_LIKE.search(each.plain) for each in nouns)
    if first.plain in GERMAN_PLURALS or (first.text == "sie" and _ends_in_plural(tokens)):
        return bool(PLURAL_VERB.search(asked)) or any(PLURAL_NOUN.search(each.text) for each in nouns)
    return bool(nouns) or first.plain not in GERMAN_PERSONS | {"it", "its"}


def _ends_in_plural(tokens: Sequence[Token]) -> bool:
    """Whether a German subordinate clause ends in a verb in the plural."""
    last = next((place for place, token in enumerate(tokens) if token.kind == ","), len(tokens))
    return tokens[last - 1].plain.endswith("n")


ENGLISH_PLURALS = make_word_set("they them their")
ENGLISH_PERSONS = make_word_set("he she him her his hers")
GERMAN_PLURALS = make_word_set("ihnen")
GERMAN_PERSONS = make_word_set("er ihm ihn sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer")
PERSON_LIKE = re.compile(r"(?:er|or|ist|man|woman|ian|son|child|girl|boy|mother|father|king|queen|president|police)$")
PLURAL_VERB = re.compile(
    r"^\w+(?: \w+)? (?:sind|waren|haben|hatten|werden|wurden|können|konnten|müssen|sollen|\w+en)\b"
)
PLURAL_NOUN = re.compile(r"(?:en|er|e|s|n)$")


def has_brackets(draft: Draft) -> bool:
    return any(token.kind == BRACKETED for token in draft.clause.tokens(draft.answer))


def is_vague(draft: Draft) -> bool:
    """“in some places”: the answer says next to nothing."""
    words = [token.plain for token in draft.clause.tokens(draft.answer)[:3]]
    if draft.rule == "subject":
        is_alone = draft.answer[1] - draft.answer[0] == 2 and words[0] in VAGUE
        return is_alone or words[0] in ("each", "every", "jede", "jeder", "jedes")
    return draft.rule in ("front", "adjunct", "object", "inner-subject") and bool(VAGUE & set(words))


def answers_with_others(draft: Draft) -> bool:
    """“Others”, “the most popular ones”: only the sentence before says who they are."""
    words = [token.plain for token in draft.clause.tokens(draft.answer)]
    is_short = len(words) <= 2 and not any(t.kind in (NAME, NUMBER) for t in draft.clause.tokens(draft.answer))
    return (
        bool(OTHERS & set(words))
        or words[-1] in ("one", "ones", "das", "das einzige", "dies")
        or (is_short and words[-1] in ABSTRACT)
    )


def joins_clauses(draft: Draft) -> bool:
    """An English subject with a verb inside it and another noun after “and”: two clauses were taken for one."""
    kinds = draft.clause.kinds(draft.answer)
    return draft.rule in ASKING_SUBJECT and bool(re.search("[YV][^,]*TV.*K", kinds))


def ends_in_a_verb_form(draft: Draft) -> bool:
    """“unique laws requiring”: the phrase continues."""
    kinds = draft.clause.sentence.kinds
    return (
        draft.rule in ("object", "definition", "governed")
        and (kinds[draft.answer[1] - 1] == "Y" or draft.clause.token(draft.answer[1] - 1).plain.endswith("ing"))
        and (kinds[draft.answer[1] : draft.answer[1] + 1] in ("S", "W", ","))
    )


def starts_with_adverb(draft: Draft) -> bool:
    start = draft.answer[0]
    return draft.rule not in CLAUSE_RULES | {"number"} and draft.clause.sentence.kinds[start] == "R"


def is_oblique(draft: Draft) -> bool:
    """“den Rekord”, “dem Turm”: “Was …?” asks for a nominative, which the answer is not."""
    first = draft.clause.token(draft.answer[0]).plain
    after = draft.clause.token(draft.answer[0] + 1)
    is_weak = first == "der" and after.tag == "ADJ(A)" and after.plain.endswith("en")
    asks_subject = draft.rule in ASKING_SUBJECT
    is_weak = is_weak or first == "sich"
    return asks_subject and (
        is_weak or first in ("den", "dem", "des", "einem", "einen", "eines", "einer", "vielen", "einigen")
    )


def is_anaphoric(draft: Draft) -> bool:
    """“The city”: an article and a noun, which the sentence before has named."""
    tokens = draft.clause.tokens(draft.answer)
    kinds = draft.clause.kinds(draft.answer).partition(",")[0]
    is_known = any(token.tag in ("AJS", "ORD") or token.plain.endswith(("ste", "sten")) for token in tokens)
    is_definite = tokens[0].plain in ("the", "der", "die", "das") and bool(re.fullmatch("[Dd][AN]?N", kinds))
    return draft.rule in ASKING_SUBJECT | {"object"} and is_definite and not is_known


def ends_openly(draft: Draft) -> bool:
    """“… in 1979 and from”: the answer was cut."""
    last = draft.clause.token(draft.answer[1] - 1)
    return last.kind in "PKTDHQd" and last.tag not in ("PTKVZ", "AVP") and draft.rule not in CLAUSE_RULES


def leaves_out_a_hedge(draft: Draft) -> bool:
    """“… ist vielleicht die einzige Gefahr”: the question omits that the statement is uncertain."""
    between = draft.clause.tokens((draft.clause.verb + 1, draft.answer[0]))
    return draft.rule == "definition" and any(token.plain in HEDGES for token in between)


def is_short_clause(draft: Draft) -> bool:
    return draft.rule in CLAUSE_RULES | {"purpose"} and draft.answer[1] - draft.answer[0] < 4


def holds_the_next_clause(draft: Draft) -> bool:
    """“when the car hit it, none of them were hurt”, “wenn Sie sich nähern, sowie alle Zeichen”"""
    later = draft.clause.kinds(draft.answer).split(",")[1:]
    is_main = any("F" in each and not re.search("[SWK]", each) for each in later)
    is_listed = re.search(", (?:sowie|und auch) ", draft.clause.sentence.source(*draft.answer))
    return draft.rule == "clause-last" and (is_main or bool(is_listed))


def goes_on_in_a_list(draft: Draft) -> bool:
    """“um Helfer zu schicken | , Netze zu verteilen und Mittel zu versprühen”"""
    after = draft.clause.sentence.kinds[draft.answer[1] :]
    return draft.rule in CLAUSE_RULES and bool(re.match(",[^;FSW]*[VZ]", after))


def differs_in_number(draft: Draft) -> bool:
    """“Families are a rare sight” does not define families."""
    verb, first = draft.clause.token(draft.clause.verb).plain, draft.clause.token(draft.answer[0]).plain
    is_plural = verb in ("are", "were", "sind", "waren")
    return draft.rule == "definition" and is_plural and first in ("a", "an", "ein", "eine")


def ends_before_or(draft: Draft) -> bool:
    """“Many tickets sold by eBay | or others are used”: a participle that was taken for the verb."""
    end = draft.clause.end
    tokens = draft.clause.sentence.tokens
    return draft.rule in ASKING_SUBJECT and end < len(tokens) and tokens[end].plain == "or"
