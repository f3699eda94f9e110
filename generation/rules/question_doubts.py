"""Reasons to doubt the words of a question: it reveals its answer, fits any text, needs another sentence, or
was parsed wrongly."""

import re
from dataclasses import dataclass
from functools import cached_property

from generation.rules.answer_doubts import ASKING_SUBJECT, CLAUSE_RULES, is_vague
from generation.rules.drafts import Draft, make_word_set
from items.wording import MONTHS

# “March” may also be a verb, “May” and “Mai” begin names.
SURE_MONTHS = [name for name in (*MONTHS["en"], *MONTHS["de"]) if name not in ("March", "May", "Mai")]
TOLD_TIME = re.compile(
    r"\b(?:in|im Jahr|im Jahre|since|seit|during) (?:1\d|20)\d\d\b|\d+(?:st|nd|rd|th)(?!\w)|"
    rf"\b(?:{'|'.join(SURE_MONTHS)}|March (?=\d))\b|\d+\. Jahrhundert|"
    r"\b(?:next|last) (?:week|month|year)\b|(?:letzte|nächste)n? \w+"
)
HELPING = make_word_set(
    "is was are were can could may might will would must should has have had does did do ist war sind waren kann "
    "können konnte konnten muss müssen wird werden wurde wurden hat haben hatte soll sollte darf"
)
KNOWN = re.compile(
    r"\b(?:[Tt]he (?:city|country|town|area|region|place|building|game|film|movie|show|book|company|"
    r"group|team|study|report)|"
    r"(?:das (?:Land|Gebiet|Gebäude|Spiel|Buch|Unternehmen|Team)|die (?:Stadt|Region|Gegend|Gruppe|Firma|Studie)|"
    r"der (?:Ort|Film|Bericht)))(?= [^d\W]|\?)"
)
UNIQUE = make_word_set("sun moon earth world sky universe sonne mond erde welt himmel universum")
HAVING = make_word_set("have haben")
LEFT_OVER = make_word_set("about of with from to for at than like into and or")


def tears_a_quotation(draft: Draft) -> bool:
    return bool(re.search(r"’(?!\w)", draft.question)) and "‘" not in draft.question


def leaves_words_behind(draft: Draft) -> bool:
    """“a stake about in front of the fence”, or three words of the answer that also occur in the question."""
    words = draft.clause.sentence.source(*draft.answer).lower().split()
    asked = draft.question.lower()
    is_repeated = any(" ".join(words[place : place + 3]) in asked for place in range(len(words) - 2))
    return (is_repeated and draft.rule != "number") or bool(re.search(r"\babout (?:in|on|at|of|to)\b", asked))


def asks_about_the_known(draft: Draft) -> bool:
    """“What does the find grant?”: only an earlier sentence says which find. No doubt if the question has a name."""
    if draft.rule not in ASKING_SUBJECT and KNOWN.search(draft.question):
        return True
    clause = draft.clause
    start, end = clause.subject if clause.subject != (0, 0) else clause.front
    if clause.front_kind in ("prepositional", "year") and clause.subject == (0, 0):
        start, end = clause.verb + 1, clause.verb + 3
    articles = ("the", "der", "die", "das", "a", "an", "ein", "eine")
    is_bare = re.fullmatch("[Dd]N", clause.kinds((start, end))) and clause.token(start).plain in articles
    is_named = any(token.kind in "EC" and token.text in draft.question for token in clause.sentence.tokens)
    is_asked = start >= draft.answer[0] and end <= draft.answer[1]
    is_general = clause.token(start).plain not in articles[:4] and draft.rule == "definition"
    return (
        bool(is_bare)
        and not is_named
        and not is_asked
        and not is_general
        and clause.token(start + 1).plain not in UNIQUE
    )


def asks_what_for_twice(draft: Draft) -> bool:
    """“Why must you survey the scene to ensure your safety?”"""
    return draft.rule == "purpose" and "TV" in draft.clause.kinds(draft.clause.rest)


def says_little(draft: Draft) -> bool:
    """“What is strong?”: it could be asked of any text."""
    words = draft.question.split()
    is_equation = len(words) > 1 and words[1] in HELPING
    return (
        len(words) <= 3 + is_equation
        and not re.search(r"\d", draft.question)
        and not re.search("[A-ZÄÖÜ]", draft.question[1:])
    )


def ends_in_a_preposition(draft: Draft) -> bool:
    """“Who refused to say about?”"""
    last = draft.question.rstrip("?").split()[-1]
    return draft.rule not in ("governed", "agent", "name", "short-name", "topic") and last in LEFT_OVER


def tells_when_it_asks_when(draft: Draft) -> bool:
    """“When was the club founded in May 2004?” names the time that it asks for."""
    if not re.match("When|Wann", draft.question):
        return False
    gives_time = TOLD_TIME.search(draft.question) or re.search(r"\b(?:1\d|20)\d\d\b", draft.question)
    return draft.rule in CLAUSE_RULES and bool(gives_time)


def tells_half_of_when(draft: Draft) -> bool:
    """“When was the club founded in 2004? On 3 May”: the question already gives a part of the time."""
    gives_time = TOLD_TIME.search(draft.question) or re.search(r"Zeitrechnung|\bChr\b|\bB\.?C", draft.question)
    return bool(re.match("When|Wann", draft.question) and gives_time)


def asks_about_another(draft: Draft) -> bool:
    """“What was another difference?”: the sentence before has named the first one."""
    counted = r"|other|andere\w" if draft.rule == "number" else ""
    return bool(
        re.search(
            rf"\b(?:another|eine?\w? (?:andere|weitere|zweite)\w?|do(?:es|ing)? so|(?:the|de[rmn]) rest(?! of| de?r?s?)"
            rf"|in other \w+{counted})\b",
            draft.question,
            re.I,
        )
    )


def asks_where_in_vague(draft: Draft) -> bool:
    """“Where is it sold? In some countries”"""
    return bool(re.match("Where|Wo ", draft.question)) and is_vague(draft)


def asks_you_in_general(draft: Draft) -> bool:
    """“What may you hear?”: nearly anything would be an answer."""
    return asks_in_general(draft) and bool(re.search(r"\b(?:you|each|everyone|Sie|man|jede\w?)\b", draft.question))


def asks_in_general(draft: Draft) -> bool:
    is_short = len(draft.question.split()) <= 5
    return draft.rule == "object" and is_short and not re.search("[A-Z0-9]", draft.question[1:].replace("Sie", ""))


def repeats_words(draft: Draft) -> bool:
    """The question repeats three words, or has half of a pair such as “both … and”."""
    words = draft.question.lower().rstrip("?").split()
    triples = list(zip(words, words[1:], words[2:], strict=False))
    return len(set(triples)) < len(triples) or _has_half_a_pair(words)


def _has_half_a_pair(words: list[str]) -> bool:
    joined = " ".join(words)
    return ("sowohl" in words and "als auch" not in joined) or words[-1:] == ["both"]


def has_open_list(draft: Draft) -> bool:
    """“… as lions, leopards”: a list without its last member, or an apposition cut from what it explains."""
    last = draft.question.rpartition(",")[2]
    is_short = draft.question.count(",") % 2 == 1 and len(last.split()) <= 3
    return is_short and not re.search(r"\b(?:and|or|und|oder)\b", draft.question)


def asks_what_it_has(draft: Draft) -> bool:
    """“What does the city have?”: nearly anything would be an answer."""
    has_it = draft.clause.token(draft.clause.verb).lemma in HAVING and "V" not in draft.clause.kinds(draft.clause.rest)
    return draft.rule == "object" and has_it


def compares_with_nothing(draft: Draft) -> bool:
    """“What has the same goal?”: the same as what?"""
    return bool(re.search(r"\bsame\b(?!.* as\b)|\bgleichen?\b(?!.* wie\b)", draft.question))


def is_negated(draft: Draft) -> bool:
    return bool(re.search(r"\b(?:not|never|cannot|no|nicht|nie|niemals)\b|n['’]t\b", draft.question))


def denies_what_it_asks(draft: Draft) -> bool:
    """“What has the sun not?” has more than one answer."""
    answer = draft.clause.token(draft.answer[0]).plain
    is_denied = is_negated(draft) or answer in ("no", "kein", "keine", "keinen")
    asks_where = draft.rule in ("adjunct", "front") and not re.search(
        r"\b(?:not|never|nicht|nie)\b|n['’]t", draft.question
    )
    return is_denied and not asks_where and draft.rule in ("object", "governed", "adjunct", "front", "number")


# Wordings that show that a sentence was parsed wrongly, or that a question asks for something else.


ANY = ""
CLAUSES = "clause-first|clause-last|that"
CIRCUMSTANCES = "adjunct|front"
NUMERALS = (
    r"\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|twenty|thirty|fort|fift|hundred|thousand|"
    r"million|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zig|hundert|tausend"
)
POINTS = "Norden|Süden|Osten|Westen|north|south|east|west"


@dataclass(frozen=True)
class FaultyWording:
    """A kind of fault: a pattern for the rules that cause it, and patterns of the words that show it."""

    rules: str
    question: str = ANY
    answer: str = ANY
    before: str = ANY
    after: str = ANY

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(each) for each in (self.question, self.answer, self.before, self.after))

    def shows_in(self, draft: Draft) -> bool:
        if not re.fullmatch(self.rules, draft.rule):
            return False
        sentence, (start, end) = draft.clause.sentence, draft.answer
        first, last = sentence.tokens[start].start, sentence.tokens[end - 1].end
        texts = (draft.question, sentence.text[first:last], sentence.text[:first], sentence.text[last:])
        return all(pattern.search(text) for pattern, text in zip(self._patterns, texts, strict=True))


FAULTS = (
    # “What did the flat explode? due to a leak”; “What did China export more? cars than Ulm”
    FaultyWording("object|governed|subject", answer=r"^(?:due|similar|Ähnlich|ähnlich|further|alike) "),
    FaultyWording("object", answer=r"^(?!.*\b(?:more|less|fewer|rather|other|\w+er)\b.*than).* than "),
    FaultyWording("object", question=r"^What did .* more (?:for|in|on|than)\b"),
    # “Was hat er gebracht? seinen Dank zum Ausdruck”; “What did it put? a strain on the wall”
    FaultyWording(
        "object",
        answer=r" (?:zum|zur|in|ins|unter|auf) (?:Ausdruck|Verfügung|Sprache|Ende|Einsatz|Stillstand|Abschluss|Geltung|"
        r"Betrieb|Frage|Anspruch|Besitz|Gefahr|Kraft|Druck|Kontakt|Verbindung|Erwägung|Kauf|Bewegung)$",
    ),
    FaultyWording("object", question=r"^What did .* (?:put|lay|place)\?"),
    FaultyWording(
        "object",
        question=r"^Was (?:trat|tritt|traten|fand|fanden|nahm|nahmen) .*(?:auf|statt|teil)\?$",
    ),
    # “What did a quake shake? the valley at 10:08 p.m.”; “What do you choose? a club carefully”
    FaultyWording("object", answer=r" (?:by|at|on|until|um|gegen) (?:\d|[A-Z]\w+day)[^,]*$|\wly$"),
    FaultyWording("object|governed", answer=r"^[^,]*\bboth\b(?!.* and )|\bsowohl\b(?!.* als auch )"),
    # “What were guards? to be watched by rangers”; “Was sind zwei Balkone?”; “What are typical?”
    FaultyWording("definition", answer="^to be "),
    FaultyWording("definition", question=rf"^(?:Was sind|What are) (?:{NUMERALS})\w* |^What are [a-z]+ for "),
    # “Since when was it the worst? in years”; “Wann kam Hilfe? während der Krise 2007 Hilfe”
    FaultyWording(CIRCUMSTANCES, answer="^(?:seit|in|since|for) (?:Jahren|Monaten|years|months|decades)$"),
    FaultyWording(CIRCUMSTANCES, answer=r"\b(?:1\d{3}|20\d\d) [A-ZÄÖÜ][a-zäöü]|^(?:[Dd]em|[Dd]er) "),
    # “im 10. Jahrhundert | vor Beginn …”, “wegen Mordes | an …”, “at Ulm | in Bavaria”, “earlier | in the day”
    FaultyWording(CIRCUMSTANCES, after=r"^ (?:von (?:1\d|20)\d\d|vor (?:Beginn|unserer|Chr))"),
    FaultyWording("adjunct", question="^Warum", after=r"^ (?:an|in|von|für|gegen|bei|mit|zu) "),
    FaultyWording("adjunct", question="^Where", answer="^in [A-Z]", before=r"\b(?:at|in|near) [A-Z]\w+ $"),
    FaultyWording("adjunct", question="^Wo (?:ist|sind|war|waren) ", after=r"^,.*, \w+\.$"),  # “im Tal, das …, häufig.”
    FaultyWording("adjunct", answer="^(?:from|vom|von) ", after="^ (?:to|until|bis) "),
    FaultyWording("adjunct|object|governed", after="^ such as "),
    FaultyWording("adjunct", before=r"\b(?:earlier|later|late|early|deep|back) $"),
    # “Wo endet der Wald und im Süden am See?”; “Where is the club about going?”; “Where is the best way to be?”
    FaultyWording(
        CIRCUMSTANCES + "|agent",
        question=rf"\b(?:und|and),? (?:im|in|am|an|at|on|to|from|stretch\w*) .*|\b(?:{POINTS})\b.*\?",
        answer=POINTS,
    ),
    FaultyWording(CIRCUMSTANCES, question=r"\b(?:und|and) (?:im|in|am|on|at) |\band stretch"),
    FaultyWording("adjunct", question=r"^Where .*(?:\bto be|\bdepending|\babout \w+ing)\?|^Wo .*\b(?:alles|etwas)\b"),
    # “Why did the group play? To finish”; “Womit begann man im Mai zu bauen?”
    FaultyWording("purpose", answer="^To (?:finish|start|begin|conclude|end|sum|summarize|date|be)\\b"),
    FaultyWording("governed", question=r"^Womit (?:beginnt|begann|beginnen|begannen) .*\bzu \w+\?$"),
    # “Wozu gibt es einen Weg? um zu lernen”; “um zu essen und werden bedient”; “when it left, so it was late”
    FaultyWording(
        "clause-last",
        question=r"^Wozu (?:gibt|gab|bezeichnet|heißt|bedeutet|ist|sind|war|hat|haben)\b(?:(?!.* \w+(?:t|en)\?$)|.*,)",
    ),
    FaultyWording("clause-last", question=r"^Wozu (?:gibt es|bezeichnet|bedeutet)\b"),
    FaultyWording(
        CLAUSES,
        answer=r"^um .*\bzu \w+ und (?:wird|werden|ist|sind|hat|haben)\b|, so (?:the|it|he|they|that)\b",
    ),
    # “the worst outbreak” is not in “What do they say? it is the worst outbreak”
    FaultyWording("that", answer=r"^(?:that )?it (?:is|was|has been) (?:the|a|an)\b|^das zu \w+$"),
    FaultyWording("that", question="^What do ", answer="^(?:that )?(?:it|he|she) "),
    FaultyWording(
        CLAUSES,
        question=r"^Warum (?:gibt|gab) es|^Why (?:is|are|was|were) there",
        answer=r"\b(?:ihnen|ihm|ihn|them|it|him)\b",
    ),
    # “How many men is it made up of one to?”; “How many Drive beaches …? Tamaki Drive beaches”
    FaultyWording("number", question=r"\b(?:to|or|bis|oder)\?$|\b(?:to|bis) in\b"),
    FaultyWording("number", question=r"\b(?:the only|die einzige\w*) .*\bto "),
    FaultyWording("number", answer=f"^(?!.*(?:{NUMERALS}))", question="^(?:How|Wie|In|Auf|Aus|Mit|Von|Bei)"),
    # “What has become extinct two?”; “Who took over the men which, the speaker said?”; “What crash landed?”
    FaultyWording("subject|inner-subject", question=r" (?:two|three|four|zwei|drei|vier)\?$"),
    FaultyWording("subject|inner-subject", question=r",? (?:\w+ ){1,2}(?:said|says?|sagten?)\?$"),
    FaultyWording("subject", answer="^(?:Inc|Ltd|Jr|Sr|Co)\\b|^[a-z]+$", before=r"(?:\)|ly) $"),
    FaultyWording("subject|inner-subject|object", answer=r"^[Ee]ine \w+e (?:Anzahl|Menge|Reihe)$"),
    FaultyWording("subject|inner-subject|object", answer=r"^an? (?:\w+ )?(?:number|amount|handful)$"),
    FaultyWording("subject|inner-subject", question="^(?:What means|Was bedeutet) "),  # a word in another language
    FaultyWording("subject", question=r"\b(?:[Ff]ewer|[Mm]ore|[Ll]ess) than (?:an? )?\w+\?$"),
    # “What must it not do? anything else”
    FaultyWording(".*", question=r"\belse\b|\bsonst\b|\b(?:etwas|nichts) anderes\b"),
    FaultyWording(
        "subject|inner-subject", answer="^(?:Dutzende|Hunderte|Tausende|[Dd]ozens|[Hh]undreds|[Tt]housands)$"
    ),
    FaultyWording("definition", question="^(?:Was|Wer) ist [A-Z][A-Z0-9]+ (?:im|in) "),
    # “Was sei geplant?”: somebody only says so
    FaultyWording(
        rf"(?!{CLAUSES}).*",
        question=r"^\w+(?: \w+)? (?:sei|seien|habe|werde|könne|solle|müsse|dürfe|wolle)\b",
    ),
    # “Was ist der Besuch? Ein Beispiel dafür”; “um das zu erreichen”; “If confirmed”
    FaultyWording(
        "subject|inner-subject|object|definition",
        answer=r"\b(?:dafür|davon|damit|dazu|daran|darauf|darin|daraus|hierfür|thereof)\b(?!,)",
    ),
    FaultyWording(CLAUSES, answer=r"\b(?:um|ohne) das zu\b|\bd(?:o|oing) (?:this|that|so)\b"),
    FaultyWording(CLAUSES, answer=r"\bdies\b|^(?:If|When|Once|Until) \w+$"),
    # “What could be changed? The articles required consent before they”; “Was hat er 49 gespielt? Partien”
    FaultyWording("subject", answer="^[Tt]he (?:former|latter)$"),
    FaultyWording("subject", answer=r"\b(?:before|after|when|while|because) (?:they|he|she|it)$"),
    FaultyWording("object|governed|subject|inner-subject", before=r"\d $"),
    FaultyWording("that", question=r"^Wovon (?!ist|sind|war|waren).* abhängig\?"),
    # “Was betrachten Sikhs? ihren Glauben als eine Religion”; “What did it regard? the bridge as a risk”
    FaultyWording(
        "object",
        answer=r"^(?!.*\b(?:so|mehr|weniger|anders|\w+er|such|same|as \w+)\b.* (?:als|as) ).* (?:als|as)(?! well) ",
    ),
    # “Wann kam Wind auf? Nach fünf Minuten”; “When did it end? two days later”
    FaultyWording(
        CIRCUMSTANCES,
        answer=rf"^(?:[Nn]ach|[Aa]fter|[Vv]or) (?:\w+ )?(?:{NUMERALS})\w* (?:Minut|Stund|Tag|Woch|Monat|Jahr|minute|"
        r"hour|day|week|month|year)\w*\b(?! \w)",
    ),
    # “Was erfährt man über die Forscher entdeckten Kristalle?”
    FaultyWording("topic|first-topic", question=r" (?:die|der|den) [A-ZÄÖÜ]\w+ \w+ten [A-ZÄÖÜ]"),
)  # fmt: skip


def has_faulty_wording(draft: Draft) -> bool:
    return any(fault.shows_in(draft) for fault in FAULTS)
