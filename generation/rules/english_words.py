"""The words and phrases by which the rules take English sentences apart. Phrases are patterns of kinds
of words, whose letters are listed in `tagging`."""

import re

from generation.rules.drafts import Wording, make_word_set
from generation.rules.phrases import Vocabulary
from generation.rules.topics import TopicWords
from items.wording import MONTHS

A_MONTH = f"(?:{'|'.join(MONTHS['en'])})"
BARE = r"(?:R{1,2}(?=[CA]))?A?C*(?:R*A(?:[,K]R?A)*)*(?:[NE]+p*G?A*)*[NE]C?p*"
CORE = rf"(?:[DCA]{{1,2}}P)?[DHQ]*{BARE}"
MORE = rf"(?:PP?[DHQ]*{BARE})*"
PHRASE = rf"{CORE}{MORE}(?:K{CORE}{MORE})*"
INSERTED = rf"(?:,R,|,[VY][^;,F]*,|,P[^;,F]*,|,W[^;,]*,|,{PHRASE},|WR*F[^,;F]*?|[VY][^,;FV]*?|TV[^,;F]*?)?"
LISTED = rf"{CORE}{MORE}(?:,{CORE}{MORE})+,?K{CORE}{MORE}"
SUBJECT = re.compile(rf"(?P<subject>(?:{LISTED}|{PHRASE}){INSERTED}|Y[^,;FSWOY]*|O)R*(?=F)")
PREPOSITIONAL = re.compile(
    rf"(?P<front>R?(?:P[DHQ]*R?C|P{CORE}(?:,C|,QP{PHRASE})?|P{PHRASE}(?:,P{PHRASE})*|PY[^,;F]*|[DA]+N(?=,))),?(?P<subject>(?:{LISTED}|{PHRASE}){INSERTED}|Y[^,;FSWOY]*|O)R*(?=F)"
)
CLAUSE_BEFORE = re.compile(
    rf"(?P<front>S[^,;]*[FYV][^,;]*(?:,[^,;FR]*)?|P[^,;F]*F[^,;]*),(?P<subject>(?:{LISTED}|{PHRASE}){INSERTED}|Y[^,;FSWOY]*|O)R*(?=F)"
)
ADVERBS = re.compile(
    rf"(?:(?:R,?)+|A|R?[DAQ]+N,|RP{CORE}|[YV][^,;FSW]*,(?:[NE]+,)?),?(?P<subject>(?:{LISTED}|{PHRASE}){INSERTED}|Y[^,;FSWOY]*|O)R*(?=F)"
)
OBJECT = re.compile(rf"({CORE}{MORE}(?:K{CORE}{MORE})*)")
ADJUNCT = re.compile(rf"P[DHQ]*(?:{BARE}|C)(?:P[DHQ]*{BARE})?")
ADJUNCT_ALONE = re.compile(rf"P[DHQ]*(?:{BARE}|C)")
MORE_OF_IT = re.compile(rf"P[DHQ]*{BARE}")
COUNTED = re.compile(r"((?:[RP]{1,3}|DAP)?C+)((?:R*A)*[NE]+)")
LASTING = re.compile(r"[RPAD]{0,3}C+N")
BOUNDARY = re.compile(rf",(?:[KSFVORYPX]|P?W|{PHRASE}[;,])|[SW]")
LIST_GOES_ON = re.compile(rf",{CORE}{MORE}(?:,{CORE}{MORE})*,?K(?!R*F|O)")
INSERTION = re.compile(rf",(?:{PHRASE}|W[^,;]*F[^,;]*),(?![KSWFP])")
SAID_BY = re.compile(r",(?:O|D?[NE]+)R?F[^,S]*$")
SHARED_SUBJECT = re.compile("KR*F")
SECOND_CLAUSE = re.compile(r",?K(?=R*[FV]|[^KPSW,;]{1,7}F)")
TIMES = re.compile(
    r"(?:\w*day|morning|evening|night|week|weekend|month|year|decade|century|summer|autumn|winter|spring|hour|minute|"
    rf"noon|midnight|a\.m\.|p\.m\.|am|pm|gmt|utc|{A_MONTH.lower()}|era|"
    r"millennium|centurie|moment|period|epoch)s?|\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th)|1\d{3}s?|20\d\ds?|bc|bce|ad"
)
EVENTS = re.compile(r"(?:war|election|death|birth|accident|revolution|battle|arrival|attack|game|match|reign|crisis)s?")
NO_PLACES = re.compile(
    r"(?:fact|addition|contrast|case|way|part|term|order|general|particular|example|hand|time|rule|result|example|"
    r"form|sense|average|total|front|mind|power|use|danger|touch|favou?r|search|need|honou?r|interest|kind|life|"
    r"number|response|return|diameter|minimum|maximum|expense|influence|pressure|guidance|supervision|width|length|depth|essence|style|theory|practice|comparison|conclusion|view|effect|force|process|reality|"
    r"language|sanskrit|latin|catalan|greek|arabic|german|italian|russian|hindi|mandarin|english|french|spanish|piece|group|pair|condition|situation|event|position|control|charge|attempt|"
    r"increase|decrease|change|trouble|shape|manner|degree|basis|least|first|last|once|speed|rate|price|cost|risk|"
    r"place|rank|circumstance|level|height|age|point|end|beginning|people|men|women|amount|word|leadership|thing|behaviou?r|type|opportunity|system|field|topic|subject|issue|idea|sound|charge)s?"
)
SURE_PLACES = re.compile(
    r"(?:\w*house|\w*land|\w*yard|\w*side|\w*port|city|cities|town|village|country|countries|region|area|district|state|"
    r"province|county|island|mountain|hill|valley|river|lake|sea|ocean|coast|shore|beach|desert|forest|park|garden|"
    r"street|road|bridge|building|church|temple|palace|castle|museum|school|university|hospital|hotel|room|hall|office|"
    r"station|store|shop|market|restaurant|capital|cent(?:re|er)|world|earth|moon|planet|sky|space|water|ground|field|"
    r"wood|border|tower|wall|square|camp|zone|territory|peninsula|continent|hemisphere|monastery|kitchen|table|"
    r"north|south|east|west|section|ice|cave|tomb|farm|stadium|court|laboratory|prison|ship|boat|train|plane)s?"
)
PERSONS = re.compile(
    r"(?:agencies|families|tutor|lawyer|manager|entertainer|ceo|colonist|hostage|refugee|survivor|prisoner|\w{3,}(?:iard|alist|ologist|keeper|maker|holder|goer|player|teer|neer)|tourist|shooter|mayor|surgeon|scholar|delegate|commander|general|speaker|voter|prosecutor|suspect|thief|psychologist|anthropologist|economist|nurse|captain|agent|customer|buyer|seller|hero|lover|dancer|painter|sculptor|composer|\w*m[ae]n|\w*wom[ae]n|person|people|child|children|president|minister|researcher|scientist|author|"
    r"spokes\w+|coach|player|police|official|expert|doctor|king|queen|emperor|soldier|student|teacher|artist|"
    r"travell?er|tourist|shooter|visitor|patient|director|leader|governor|senator|judge|lawyer|citizen|resident|father|mother|"
    r"son|daughter|brother|sister|victim|attacker|protester|climber|driver|photographer|historian|arch\w+gist|critic|"
    r"journalist|reporter|winner|champion|founder|owner|member|employee|chairman|pilot|astronaut|user|rider|athlete|"
    r"guest|passenger|settler|farmer|philosopher|physicist|biologist|chemist|engineer|inventor|explorer|candidate|"
    r"ruler|prince|princess|pope|bishop|local|fan|supporter|opponent|participant|group|team|government|committee|"
    r"authorities|commission|court|parliament|congress|company|agency|organi[sz]ation|advocate|analyst|"
    r"forecaster|fighter|worker|traveler|actor|actress|singer|musician|writer|poet|designer|hunter|biographer|"
    r"negotiator|parent|couple|family|crew|army|troop|protestor|organi[sz]er|lady|boy|girl|investigator|"
    r"commentator|follower|believer|fencer|practitioner|commuter|camper|dweller|reader|viewer|listener|consumer|producer|foreigner|lawmaker|diver|surfer|creator|employer|\w{4,}ist|diva|tenor|soprano|diplomat|gambler|trader|neighbou?r|wrestler|skier|runner|swimmer|rider|hiker|british|\w+(?:ian|ean|can)|horseman|secretary|chief|officer|owner|heir|arab|viking|assyrian|phoenician|roman|spaniard|german|greek|dane|swede|turk|japanese|chinese|portuguese|occupant|peacekeeper|staff|public|society|communist|nazi|eskimo|peasant|servant|slave|native|everyone|personality|vendor|instructor|attendant|conqueror|invader|opposition|newcomer|learner|tenant|demonstrator|campaigner|regulator|programmer|veteran|monk|nun|priest|saint|adult|teenager|youth|baby|babies|twin|volunteer|host|expat|sportsm[ae]n|cyclist|specialist|artist|scientist|tourist|activist|terrorist|motorist|\w{3,}ologist)s?"
)
TITLES = make_word_set("jr jr. sr. mr mr. mrs mrs. ms. dr dr. prof. sir lord lady president queen king pope")
SAYING = make_word_set(
    "say explain claim state argue announce report believe think suggest note tell warn write estimate argue"
)
HUMAN = make_word_set(
    "win bear born die compete resign marry study graduate believe think refuse play decide write schedule"
)
WHEN_CLAUSES = {"when": "When", "if": "When", "after": "When", "before": "When", "once": "When", "until": "Until when"}
WHY_CLAUSES = {"because": "Why", "since": "Why", "so": "Why"}
TIME_WORDS = {"since": "Since when", "until": "Until when"}
WHEN = make_word_set("in on at during since until after before by around between throughout from within")
PLACES = make_word_set("in at near on under behind beside along inside outside within across throughout above below")
STATING = frozenset(["while", "although", "though", "because", "whereas", "that", "as"])
WITH_TWO_OBJECTS = frozenset(["tell", "call", "name", "consider", "give", "award"])
GOVERNED = {
    "consist": "of", "depend": "on", "lead": "to", "refer": "to", "result": "in", "belong": "to", "deal": "with",
    "suffer": "from", "focus": "on", "rely": "on", "look": "for", "contribute": "to", "come": "from", "differ": "from",
    "apply": "for", "ask": "for", "wait": "for", "struggle": "with", "respond": "to", "account": "for",
    "protect": "from", "use": "for as", "know": "for as", "base": "on", "make": "of", "associate": "with",
    "relate": "to", "cover": "with", "responsible": "for", "famous": "for", "full": "of", "similar": "to",
    "fill": "with",
    "concentrate": "on", "derive": "from", "surround": "by", "cause": "by", "participate": "in", "believe": "in",
    "specialize": "in", "prepare": "for", "range": "from", "compete": "with", "agree": "on", "adapt": "to",
    "popular": "with for", "aware": "of", "capable": "of", "rich": "in", "describe": "as", "replace": "by with",
}  # fmt: skip
COPULAS = frozenset(["be", "become", "remain"])
AUXILIARIES = make_word_set(
    "was were is are am has had have will would can could may might must should shall do does did cannot"
)
MEASURES = {"high", "long", "wide", "deep", "tall", "old", "thick", "away"}
SINGULAR = {"were": "was", "are": "is", "have": "has", "do": "does"}
WORDING = Wording(
    pointing=re.compile(
        r"(?:there|here|then|they|he|she|it|we|us|our|my|one|ones|latter|former|another|such|"
        r"either|neither|nor|these|those|this|thus|thereby|therefore|its|their|elsewhere|otherwise|i|each|likewise)"),
    connectives=make_word_set(
        "even also however therefore thus moreover furthermore then consequently nevertheless finally thereby "
        "meanwhile instead additionally accordingly similarly still already since hence indeed nonetheless otherwise "
        "anyway"
    ),
    harmless=make_word_set(
        "you your yourself anyone everyone someone something anything everything nothing nobody everybody who "
        "others many most some all"
    ),
    asides=re.compile(
        r",? ?\b(?:of course|as one example|for (?:example|instance|one thing)|in (?:fact|addition|turn|contrast|"
        r"general|particular|essence|short|other words|reality|this way|theory|practice|the end)|as well|"
        r"as (?:a result|usual|such|mentioned above|a rule)|(?:by|in) contrast|at the same time|"
        r"along the same lines?|on (?:the other hand|average)|to be (?:sure|precise)|after all|"
        r"at (?:first|last)|so far)\b(?! (?:to|of|with|as)\b),?",
        re.I,
    ),
    small_nouns=True,
)  # fmt: skip
VOCABULARY = Vocabulary(
    who="who", what="what", either="who or what", persons=PERSONS, titles=TITLES, saying=SAYING, human=HUMAN,
    ages=("year-old",),
)  # fmt: skip
TOPIC_WORDS = TopicWords(
    about_person="What do we learn about {}?",
    about_thing="What does the text say about {}?",
    about="about",
    first="first",
    last="last",
    event="What happened {}?",
    consequence={
        **dict.fromkeys(("when", "after", "before", "once", "while"), "What happened {}?"),
        "if": "What is the case {}?",
    },
    both="and",
    time=re.compile(
        rf"\b(?:[Ii]n (?:{A_MONTH} )?(?:1\d{{3}}|20\d\d)|"
        rf"[Oo]n (?:{A_MONTH} \d{{1,2}}|\d{{1,2}} {A_MONTH})(?:,? (?:1\d{{3}}|20\d\d))?)\b(?![-–,]?\d)"
    ),
    objects=re.compile(r"(?<=[FVYP])(?:R*A)*N{1,3}(?![NEdAxGpKY])"),
    wording=WORDING,
    vocabulary=VOCABULARY,
    write_topic=lambda clause, topic: WORDING.write(clause, ["about", topic])[len("About ") : -1],
)
