"""Wordings that show that a sentence was parsed wrongly, or that a question asks for something else.

Each row is one kind of fault, with an example. It is recognized by the words of the question, of the answer, and of
the sentence before and after the answer; a part that a row does not name may be anything.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from generation.rules.drafts import Draft

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
