"""The words and phrases by which the rules take German sentences apart. Phrases are patterns of kinds
of words, whose letters are listed in `tagging`."""

import re

from generation.rules.drafts import Clause, Range, Wording, make_word_set
from generation.rules.phrases import SAYING_IN_GERMAN, Vocabulary, find_first_nouns
from generation.rules.tagging import NAME, NOUN
from generation.rules.topics import TopicWords
from items.wording import MONTHS

A_MONTH = f"(?:{'|'.join(MONTHS['de'])})"
BARE = r"(?:R(?=[CA]))?A?C*(?:R*A(?:[,K]R?A)*)*[NE]+C?p*"
CORE = rf"(?:(?:[OC]|D?A)(?=d))?[DdHQ]*(?:(?<=[DdHQ])P[DdH]*C?(?:R*A)*[NE]+(?:K[Dd]?[NE]+)?(?=R*A[AN]))?{BARE}"
MORE = rf"(?:(?:d|P[DdHQ]*){BARE})*"
PHRASE = rf"{CORE}{MORE}(?:K{CORE}{MORE})*"
LISTED = rf"{CORE}{MORE}(?:,{CORE}{MORE})+K{CORE}{MORE}"
SUBJECT = re.compile(
    rf"(?:{LISTED}|R{{0,2}}{PHRASE}(?:K{MORE})?)(?:,[^,;FSW]*(?:TV|Z),|,R[^;,F]*,|,P?W[^;]*?,|,{PHRASE},)?R?(?=F)"
)
PREPOSITIONAL = re.compile(rf"R?P{PHRASE}(?:,P?W[^;,]*F,)?(?=F)|P[Dd]?C(?=F)|[DA]+N(?=F)")
CLAUSE_BEFORE = re.compile(r"S[^;]*?,(?=F)|P[^;,F]*(?:TV|Z)(?:,P?W[^,;]*F)?,(?=F)")
ADVERBS = re.compile(rf"R+(?=F)|{PHRASE}x(?=F)")
OBJECT = re.compile(rf"R*({CORE}{MORE}(?:K{CORE}{MORE})*)")
AFTER_VERB = re.compile(rf"{CORE}{MORE}(?:K{CORE}{MORE})?|O")
OF_PHRASE = re.compile(rf"(?:d+|P[DdH]*){BARE}")
PHRASE_OF_TIME = re.compile(rf"P[DdHQ]*{BARE}")
MORE_OF_IT = re.compile(rf"(?:d+|R?P[DdH]*|K[PDdH]*){BARE}")
GOVERNED_PHRASE = re.compile(rf"P{PHRASE}")
INNER_SUBJECT = re.compile(rf"({CORE}{MORE})")
STATING = make_word_set("obwohl während weil da nachdem als sodass wodurch dass")
ACTOR = re.compile(rf"({CORE}(?:d{BARE})*|O)")
TIME_PHRASE = re.compile(rf"PCKC|PCPC|P[DdHQ]*{BARE}(?:d{BARE})?|PC")
COUNTED = re.compile(r"P?([RP]{0,2}C(?:C|(?=R*A?[NE]))(?:R*A)*[NE]+)")
LASTING = re.compile(r"[RP]{0,3}(?:CKC|CPC|C+)N")
LIST_GOES_ON = re.compile(rf",{CORE}{MORE}[,K]")
INSERTION = re.compile(rf",(?:{PHRASE}|P?W[^,;]*F),(?![KSWFP])")
SHARED_SUBJECT = re.compile("KR*F(?![;,])")
SECOND_CLAUSE = re.compile(r"K(?=R*F|O[RO]*F)")
TIMES = re.compile(
    r"\w*(?<!bundes)(?<!land)(?<!reichs)(?:tag|abend|morgen|nacht|woche|monat|jahr|jahrhundert|jahrzehnt|jahrtausend|"
    rf"sommer|herbst|winter|frühling|frühjahr|mittag|stunde|minute|zeitalter|mittelalter)(?:e?n|s|es|e)?|uhr|ortszeit|"
    rf"{A_MONTH.lower()}|montag|anfang|ende|mitte|"
    r"jahrhunderts|1\d{3}|20\d\d|\d+er"
)
EVENTS = re.compile(
    r"\w*(?:krieg|kriegs|wahl|wahlen|tod|geburt|unfall|revolution|schlacht|ankunft|angriff|spiel)(?:e?s)?"
)
NO_PLACES = re.compile(
    r"\w*(?:fall|falle|fällen|gegensatz|vergleich|seite|weise|allgemeinen|regel|zusammenhang|rahmen|hinblick|bezug|"
    r"platz|rang|position|stelle|wirklichkeit|linie|voraus|einklang|alltag|folge|laufe?|zuge?|anbetracht|prinzip|grunde?|durchschnitt|form|sinne?|lage|teil|teilen|maß|"
    r"maße|beispiel|gefahr|art|ordnung|basis|anspruch|frage|antrag|kraft|bau|besitz|kontakt|verbindung|millionen|"
    r"richtung|interesse|bedeutung|entwicklung|zahl|höhe|kampf|reihe|hälfte|wahrheit|stand|hilfe|situation|vordergrund"
    r"|satz|spiel|wert|umgang|bereich|art|stil|blick|anteil|wissenschaft|sprache|englisch|hinsicht|kategorie|phase|versuch|jagd|latein|sanskrit|\w+isch|wort|worten|fossilien|alter|version|falle|verbindungen|gruppen?|begriff|namen?|jahren|hitze|kälte|wärme|führung|leitung|klima|schatten)"
    r"(?:e?n)?"
)
PERSONS = re.compile(
    r"(?!\w*staat)\w*(?:ärztin|ärztinnen|meisterin|täterin|kommissar|kommandant|beauftragte|zeuge|zeugin|häftling|flüchtling|schauspieler|chirurg|redner|wähler|kunde|käufer|verkäufer|händlerin|mann|männer|frau|frauen|person|personen|mensch|menschen|kind|kinder|leute|präsident|minister|forscher|"
    r"wissenschaftler|autor|sprecher|trainer|spieler|polizist|beamte|experte|arzt|ärzte|könig|königin|kaiser|soldat|"
    r"student|schüler|lehrer|künstler|reisende|tourist|besucher|patient|direktor|chef|leiter|gouverneur|senator|"
    r"richter|anwalt|anwälte|bürger|bewohner|vater|mutter|sohn|tochter|bruder|opfer|täter|demonstrant|kletterer|fahrer|"
    r"fotograf|historiker|archäologe|kritiker|journalist|reporter|gewinner|sieger|meister|gründer|besitzer|mitarbeiter|vorsitzende|pilot|\w+naut|sänger|tenor|diva|star|held|gast|musiker|komponist|maler|dichter|schriftsteller|araber|\w+aner|\w+iener|briten?|spanier|kanadier|australier|belgier|japaner|italiener|polen|schweden|dänen|türken?|inder|angreifer|besatzer|\w{3,}nesen?|franzosen?|russen?|griechen?|römer|assyrer|pilger|general|admiral|oberst|sekretär|botschafter|diplomat|reisender|reisenden|experten|jude|juden|christen|muslime?|mönche?|nonnen?|priester|heilige|adlige|sklaven?|jäger|sammler|züchter|arbeiter|angestellte|angehörige|verwandte|eltern|paare?|jungen?|mädchen|baby|babys|jugendliche|erwachsene|senioren|rentner|nachbarn?|freunde?|feinde?|gefangene|verletzte|tote|überlebende|verdächtige|angeklagte|entführer|räuber|diebe?|mörder|attentäter|terroristen?|aktivisten?|politiker|abgeordneter|berater|vertreter|direktorin|manager|ökonom|psychologe|soziologe|anthropologe|geologe|astronom|mathematiker|schwimmer|läufer|skifahrer|skifahrerin|radfahrer|motorradfahrer|wanderer|camper|urlauber|fremde|einwanderer|migranten?|flüchtlinge|bischöfe|päpste|erbe|thronfolger|eskimos?|inuit|maori|ureinwohner|indianer|publikum|personal|polizei|feuerwehr|rettungskräfte|soldaten|truppen?|streitkräfte|armee|schlagmänner|verbraucher|konsument|leser|zuschauer|hörer|absender|empfänger|begleiter|betreuer|pfleger|helfer|retter|anwohner|insassen?|befragter?|befragten|gläubiger?|gläubigen|bevölkerung|volk|völker|wikinger|portugiesen?|\w+länder|europäer|nutzer|reiter|eroberer|abgeordnete|athlet|sportler|präsidentin|gäste|"
    r"anfänger|familie|passagier|siedler|institut|länder|staaten|ministerium|verband|verein|kirche|partei|universität|kolonist|judoka|"
    r"marine|hersteller|anbieter|gewerkschaft|stiftung|supermarkt|supermärkte|bauer|händler|kanzler|philosoph|physiker|biologe|chemiker|ingenieur|erfinder|entdecker|"
    r"einwohner|mitglied|mitglieder|kandidat|führer|herrscher|prinz|prinzessin|papst|bischof|einheimische|fans?|"
    r"anhänger|gegner|befürworter|teilnehmer|gruppe|team|mannschaft|polizei|regierung|behörde|behörden|komitee|"
    r"kommission|gericht|parlament|kongress|sender|zeitung|agentur|firma|unternehmen|organisation)(?:e?n|innen|in|s|es)?"
)
# Nouns with these endings may be people: “Judokas”, “Staatsbürger”; “Was” is used for all others.
MAYBE_PERSONS = re.compile(
    r".*(?:[^h]er|ler|ner|ker|ern|isten?|enten?|anten?|oren?|[lt]ogen?|[^i]aten?|[^e]iten|oten|ende[nr]?|[gt]ierte[nr]?|igte[nr]?)"
)
GROUPS = re.compile(
    r"\w*(?:institut|länder|staaten|ministerium|verband|verein|kirche|partei|universität|marine|gewerkschaft|"
    r"stiftung|gruppe|team|mannschaft|regierung|behörde|komitee|kommission|gericht|parlament|kongress|sender|zeitung|"
    r"agentur|firma|unternehmen|organisation|opfer|polizei|armee|truppe|star|held|volk|erbe|führer)(?:en|n|s|es)?"
)
TITLES = make_word_set("herr frau dr dr. prof prof. sir präsident königin könig papst")
HUMAN = make_word_set(
    "geboren gestorben sterben zurückgetreten studieren studiert verheiratet heiraten erscheinen entlassen"
)
WHEN_CLAUSES = {"wenn": "Wann", "falls": "Wann", "als": "Wann", "nachdem": "Wann", "bevor": "Wann", "sobald": "Wann",
                "sofern": "Wann",
                "seitdem": "Seit wann", "solange": "Wie lange", "bis": "Bis wann"}  # fmt: skip
WHY_CLAUSES = {"weil": "Warum", "da": "Warum", "damit": "Wozu", "um": "Wozu", "indem": "Wie"}
WHEN = make_word_set("in im am an um vor nach seit bis während gegen zwischen ab innerhalb anfang ende mitte zur")
TIME_WORDS = {"seit": "Seit wann", "bis": "Bis wann", "ab": "Ab wann"}
MOVING = make_word_set(
    "gehen reisen fahren fliegen kommen ziehen bringen schicken verlegen führen fliehen wandern auswandern einwandern "
    "zurückkehren exportieren liefern segeln transportieren senden umziehen aufbrechen"
)
PLACES = make_word_set("in im an am auf unter über hinter nahe entlang außerhalb innerhalb")
# A phrase with one of these seldom belongs to the noun before it.
AROUND = make_word_set("in im am an auf bei vor nach seit während ab bis unter über")
PLANNING = make_word_set(
    "planen beschließen versuchen versprechen vorschlagen empfehlen beabsichtigen verbieten vermeiden erwägen fordern"
)
COMPARED = make_word_set("mehr weniger anders so eher")
CAUSES = {"wegen": "Warum", "aufgrund": "Warum", "durch": "Wodurch"}
BOUNDS = make_word_set("etwa rund fast knapp ungefähr circa ca. über unter als bis mindestens höchstens gut")
COUNTED_BOUNDS = make_word_set("über unter etwa rund fast knapp ungefähr als")
UNITS = make_word_set(
    "fuß m km meter kilometer meilen meile grad cm zentimeter millionen milliarden uhr ortszeit euro dollar"
)
MEASURES = make_word_set("hoch lang breit tief groß alt weit schwer schnell dick")
ABOUT = {"darauf": "worauf", "davon": "wovon", "daran": "woran", "dafür": "wofür", "darüber": "worüber",
         "darin": "worin", "damit": "womit", "dagegen": "wogegen", "daraus": "woraus",
         "dadurch": "wodurch", "dazu": "wozu"}  # fmt: skip
GOVERNED = {
    "bestehen": "aus", "führen": "zu", "gehören": "zu", "zählen": "zu", "basieren": "auf", "beruhen": "auf",
    "handeln": "von", "leiden": "unter", "sorgen": "für", "warnen": "vor", "hoffen": "auf", "abhängen": "von",
    "profitieren": "von", "teilnehmen": "an", "beitragen": "zu", "verfügen": "über", "rechnen": "mit",
    "dienen": "zu", "beschäftigen": "mit", "befassen": "mit", "konzentrieren": "auf", "verzichten": "auf",
    "hinweisen": "auf", "schützen": "vor", "erinnern": "an", "berichten": "über", "entstehen": "aus",
    "verwendet": "für", "genutzt": "für", "abgeleitet": "von", "bekannt": "für", "verbunden": "mit",
    "erkranken": "an", "bedeckt": "mit", "ausgestattet": "mit", "gekennzeichnet": "durch", "verursacht": "durch",
    "spezialisieren": "auf", "deuten": "auf", "reagieren": "auf", "achten": "auf", "verweisen": "auf", "zielen": "auf",
    "beschränken": "auf", "stützen": "auf", "warten": "auf", "konkurrieren": "mit", "beginnen": "mit", "enden": "mit",
    "verbinden": "mit", "vergleichen": "mit", "vergleichbar": "mit", "verglichen": "mit", "ausstatten": "mit",
    "suchen": "nach", "streben": "nach", "benannt": "nach", "diskutieren": "über", "verhandeln": "über",
    "entscheiden": "für", "interessieren": "für", "zuständig": "für", "verantwortlich": "für", "berühmt": "für",
    "kämpfen": "um", "bitten": "um", "handelt": "von", "ernähren": "von", "abhängig": "von", "überzeugt": "von",
    "beteiligen": "an", "beteiligt": "an", "arbeiten": "an", "glauben": "an", "sterben": "an", "reich": "an",
    "gebaut": "aus", "hergestellt": "aus", "gefertigt": "aus", "hervorgehen": "aus", "werden": "zu",
    "zwingen": "zu", "gezwungen": "zu", "ernannt": "zu", "fähig": "zu", "geschützt": "vor", "fliehen": "vor",
    "bestimmt": "durch", "ersetzt": "durch", "zerstört": "durch", "ausgelöst": "durch", "umgeben": "von",
    "neigen": "zu", "eignen": "für", "umgehen": "mit", "stammen": "aus", "einsetzen": "für", "verwandeln": "in",
}  # fmt: skip
DATIVE = make_word_set("dem der einem einer diesem dieser allem jedem jeder keinem keiner")
COPULAS = frozenset(["sein", "werden", "bleiben", "heißen"])
MODALS = frozenset(["können", "müssen", "sollen", "dürfen", "wollen", "mögen"])
WORDING = Wording(
    pointing=re.compile(
        r"(?:hier|dort|da|da(?:r?(?:an|auf|aus|bei|durch|für|gegen|hin|hinter|in|mit|nach|neben|über|um|unter|von|vor|zu"
        r"|zwischen))|deren|dessen|solche[mnrs]?|ersterer?|letztere[rns]?|ebenfalls|ebenso|darunter|sonst|"
        r"entweder|weder|wir|uns|unsere?\w?|derartige\w?|dieselbe\w?|derselbe\w?|hierbei|hierfür|dies\w*|danach|seitdem|zuvor|vorher)"),
    connectives=make_word_set(
        "auch zwar jedoch allerdings zudem außerdem daher deshalb somit dann dennoch folglich deswegen schließlich "
        "nämlich also sogar nun beispielsweise hingegen dagegen trotzdem aber bereits schon doch ohnehin übrigens "
        "hierbei ferner weiterhin so indes indessen infolgedessen demnach demzufolge"
    ),
    harmless=make_word_set(
        "sich man Sie Ihnen jeder jede jeden jedem viele vielen alle allem alles nichts etwas einige mehrere "
        "niemand jemand was einer eine eines mehr andere anderen anderes"
    ),
    asides=re.compile(
        r",? ?\b(?:zum Beispiel|im Gegensatz dazu|darüber hinaus|in der Regel|unter anderem|im Übrigen|in "
        r"diesem Fall|in der Tat|zum einen|zum anderen|vor allem|im Allgemeinen|im Wesentlichen|nach wie vor|"
        r"unter diesen Umständen|auf diese Weise|im Prinzip|im Grunde|z\. ?B\.|u\. ?a\.)(?!\w)", re.I),
)  # fmt: skip
AUXILIARIES = {
    "sind": "ist", "waren": "war", "seien": "sei", "wären": "wäre", "haben": "hat", "hatten": "hatte",
    "hätten": "hätte", "werden": "wird", "wurden": "wurde", "würden": "würde", "können": "kann", "könnten": "könnte",
    "müssen": "muss", "müssten": "müsste", "sollen": "soll", "dürfen": "darf", "dürften": "dürfte", "wollen": "will",
    "mögen": "mag", "möchten": "möchte", "wissen": "weiß", "tun": "tut",
}  # fmt: skip
WITH_ANOTHER_VOWEL = {
    "beinhalten": "beinhaltet", "beantragen": "beantragt", "beauftragen": "beauftragt", "veranlassen": "veranlasst",
    "heiraten": "heiratet", "veranschlagen": "veranschlagt", "pressen": "presst",
    "geben": "gibt", "nehmen": "nimmt", "sehen": "sieht", "sprechen": "spricht", "helfen": "hilft", "treffen": "trifft",
    "lesen": "liest", "essen": "isst", "gessen": "gisst", "werfen": "wirft", "sterben": "stirbt", "treten": "tritt",
    "gelten": "gilt", "halten": "hält", "fallen": "fällt", "lassen": "lässt", "laufen": "läuft", "tragen": "trägt",
    "schlagen": "schlägt", "fahren": "fährt", "wachsen": "wächst", "raten": "rät", "schlafen": "schläft",
    "fangen": "fängt", "stoßen": "stößt", "brechen": "bricht", "pfehlen": "pfiehlt", "fehlen": "fehlt",
    "messen": "misst", "fressen": "frisst", "werben": "wirbt", "schehen": "schieht", "graben": "gräbt",
    "laden": "lädt", "waschen": "wäscht", "braten": "brät", "blasen": "bläst", "stehlen": "stiehlt",
}  # fmt: skip
MIXED = ("brachten", "dachten", "kannten", "nannten", "rannten", "brannten", "sandten", "wussten", "wandten", "konnten",
         "mussten", "sollten", "durften", "wollten", "mochten")  # fmt: skip


def make_singular(form: str, infinitive: str) -> str:
    """The singular of a verb form: fand for fanden, gibt for geben; a singular form is unchanged."""
    small = form.lower()
    if small in AUXILIARIES:
        return AUXILIARIES[small]
    if not small.endswith("en") and not small.endswith(("ern", "eln")):
        return form
    stem = infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]
    if small == infinitive.lower() or infinitive.endswith(small):
        return _make_present_singular(small)
    if small.endswith(MIXED) or small in (f"{stem}ten", f"{stem}eten") or f"{stem}ten".endswith(small):
        return form[:-1]
    if small.endswith("ten") and stem.endswith(small[:-3]):
        return form[:-1]
    return form[:-2]


def _make_present_singular(plural: str) -> str:
    """The third person singular of the present tense, from the plural, which equals the infinitive."""
    for ending, changed in WITH_ANOTHER_VOWEL.items():
        if plural.endswith(ending):
            return plural[: -len(ending)] + changed
    if plural.endswith(("ern", "eln")):
        return plural[:-1] + "t"
    stem = plural[:-2]
    needs_e = stem.endswith(("t", "d", "chn", "gn", "dn", "tm", "fn", "ffn"))
    return stem + ("et" if needs_e else "t")


VOCABULARY = Vocabulary(
    who="Wer", what="Was", either="Wer oder was", persons=PERSONS, titles=TITLES, saying=SAYING_IN_GERMAN, human=HUMAN,
    ages=("jährige", "jähriger"), maybe=MAYBE_PERSONS,
)  # fmt: skip
WEAK_NOUN = re.compile(
    r".*(?:e|ent|ant|ist|and|at|et|ot|it|graf|nom|arch|herr|mensch|bauer|nachbar|held|prinz|bär|fürst|ender|schter|eter|elter|igter)"
)


def write_accusative(clause: Clause, of: Range) -> str:
    """“der alte Turm” as “den alten Turm”; empty if the form is unclear."""
    words = WORDING.write(clause, ["über", of])[len("Über ") : -1]
    kinds, tokens = clause.kinds(of), clause.tokens(of)
    if not words or re.search("K[Dd]|NN", kinds):
        return ""
    first = tokens[0]
    if (
        first.kind in (NOUN, NAME)
        or first.plain in ("die", "das", "eine", "einen")
        or re.match(r"(?:ein \w+es|\w+e) ", words)
    ):
        return words
    found = re.match(r"(der |ein |)((?:[a-zäöüß-]+er? )*)(?=[A-ZÄÖÜ])(.*)", words)
    is_masculine = found and (found[1] == "der " or found[2].endswith("er "))
    if not found or not is_masculine or WEAK_NOUN.fullmatch(find_first_nouns(clause, of)[0]):
        return ""
    return {"der ": "den ", "ein ": "einen "}.get(found[1], "") + re.sub("er? ", "en ", found[2]) + found[3]


TOPIC_WORDS = TopicWords(
    about_person="Was erfährt man über {}?",
    about_thing="Was sagt der Text über {}?",
    about="über",
    first="zuerst",
    last="zuletzt",
    event="Was geschah {}?",
    consequence={
        "wenn": "Was gilt, {}?",
        "falls": "Was gilt, {}?",
        "sobald": "Was geschieht, {}?",
        "nachdem": "Was geschah, {}?",
        "als": "Was geschah, {}?",
        "bevor": "Was geschah, {}?",
    },
    both="und",
    time=re.compile(
        rf"\b(?:[Ii]m (?:Jahre? |{A_MONTH} )(?:1\d{{3}}|20\d\d)|"
        rf"[Aa]m \d{{1,2}}\. {A_MONTH}(?: (?:1\d{{3}}|20\d\d))?)\b(?![-–,]?\d)"
    ),
    objects=re.compile(r"(?<=[FOR])D?(?:R*A)*N{1,3}(?:d[DA]*N)?(?![NEdAxGpK])"),
    wording=WORDING,
    vocabulary=VOCABULARY,
    write_topic=write_accusative,
)
