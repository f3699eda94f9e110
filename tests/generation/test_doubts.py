"""What the rules for open questions get wrong easily: one test for each kind of fault, and what is asked instead."""

import pytest

from generation.rules.drafts import Clause, Draft
from generation.rules.question_doubts import has_faulty_wording
from generation.rules.questions import WHOLE_SENTENCE, list_all_questions
from generation.rules.tagging import tag_sentence


def list_questions(language: str, sentence: str) -> list[str]:
    return [question for question, _answer in pairs(language, sentence)]


def pairs(language: str, sentence: str) -> list[tuple[str, str]]:
    """Those that ask for a part of the sentence."""
    found = list_all_questions(sentence, language)
    return [(each.question, each.answer) for each in found if each.rule not in WHOLE_SENTENCE]


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "Im Herbst zeigte der Wirt Gästen Bilder aus Ulm.", "der Wirt Gästen"),
        ("de", "Schon im 16. Jahrhundert hat man in Ulm Brücken gebaut.", "in Ulm Brücken"),
        ("de", "Am Abend können Wanderer Sterne beobachten.", "Wanderer Sterne"),
        ("en", "The old valley club members sold maps to the museum.", "club members"),
    ],
)
def test_two_phrases_are_not_taken_for_one_answer(language, sentence, answer):
    assert answer not in [found for _question, found in pairs(language, sentence)]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Ohne feste Schuhe stellt der Pfad im Wald eine Gefahr dar."),
        ("de", "In wärmeren Tälern wachsen Reben besonders schnell."),
    ],
)
def test_a_preposition_before_an_adjective_begins_no_subject(language, sentence):
    first = sentence.split()[0]
    assert not [found for question, found in pairs(language, sentence) if question.startswith("Was") and first in found]


@pytest.mark.parametrize(
    ("language", "sentence", "question"),
    [
        ("de", "Im letzten Jahr glaubte man in Ulm, dass die Brücke bald fertig wird.", "Wann glaubte man in Ulm?"),
        ("en", "The mayor said in May that the new bridge would open soon.", "When did the mayor say?"),
    ],
)
def test_a_verb_of_saying_is_not_asked_about_without_what_was_said(language, sentence, question):
    assert question not in list_questions(language, sentence)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Die Fahrt dauert mit dem Rad 25 bis 30 Minuten."),
        ("de", "Das Dorf liegt etwa 20 km nördlich von Ulm."),
        ("de", "Das Konzert beginnt am Sonntag um 19:30 Uhr Ortszeit."),
        ("de", "Ulm ist eine Stadt mit einer Bevölkerung von etwa 3,7 Millionen."),
        ("en", "The Harbour 3 beaches are on the river."),
    ],
)
def test_a_number_that_is_part_of_a_measure_is_not_asked_for(language, sentence):
    assert not [each for each in list_all_questions(sentence, language) if each.rule == "number"]


def test_a_counted_noun_keeps_what_says_of_what():
    found = pairs("de", "Der Verein besitzt zwei Klassen von Booten.")
    assert ("Wie viele Klassen von Booten besitzt der Verein?", "zwei Klassen von Booten") in found


@pytest.mark.parametrize(
    ("ending", "question"),
    [("neue Räume", "In wie viele neue Räume"), ("neuen Räumen", "In wie vielen neuen Räumen")],
)
def test_how_many_takes_the_case_of_its_noun(ending, question):
    found = list_questions("de", f"Das Museum ist jetzt in 14 {ending} aufgeteilt.")
    assert not found or any(each.startswith(question) for each in found)


def test_since_before_a_noun_is_a_time_and_no_reason():
    sentence = "Since the foundation of the town in 1537, Saltway has kept its old market."
    assert not [question for question in list_questions("en", sentence) if question.startswith("Why")]


@pytest.mark.parametrize(
    ("language", "sentence", "question"),
    [
        ("en", "The amendment already passed both houses in 2011.", "When did the amendment pass both houses?"),
        ("en", "Of course, the old mill would need a new roof.", "What would the old mill need?"),
        ("de", "Der Turm wurde bereits im Jahr 1850 verkauft.", "Wann wurde der Turm verkauft?"),
    ],
)
def test_words_that_join_a_sentence_to_another_are_left_out(language, sentence, question):
    assert question in list_questions(language, sentence)


@pytest.mark.parametrize(
    ("language", "sentence", "word"),
    [
        ("de", "Darüber sollten sich Gäste keine Gedanken machen, weil der Wirt hilft.", "Gedanken"),
        ("en", "Many formats are equal to or closely match this size.", "this size"),
        ("de", "Im selben Monat eröffnete die Stadt ein Museum.", "selben"),
    ],
)
def test_what_points_to_another_sentence_is_not_asked_or_answered(language, sentence, word):
    told = [f"{question} {answer}" for question, answer in pairs(language, sentence)]
    assert not [each for each in told if word in each and not each.startswith("Was eröffnete")]


def test_a_list_is_not_cut():
    found = pairs("en", "The club sells maps, drawings, and printed guides of the valley.")
    assert ("What does the club sell?", "maps, drawings, and printed guides of the valley") in found
    assert not [answer for _question, answer in found if answer == "maps"]


def test_a_pair_of_conjunctions_is_not_torn():
    sentence = "Im Tal müssen Wanderer sowohl mit Hitze (mittags) als auch mit Regen rechnen."
    assert not [
        question for question in list_questions("de", sentence) if "sowohl" in question and "als auch" not in question
    ]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Die Sonne verfügt nicht über eine Kruste."),
        ("en", "Good food alone cannot win a race."),
    ],
)
def test_what_something_lacks_is_not_asked_for(language, sentence):
    assert {each.rule for each in list_all_questions(sentence, language)} <= {"subject", "topic", "first-topic"}


def test_a_participle_behind_a_noun_keeps_its_place():
    found = pairs("en", "The law requires games sold in Bavaria to carry a label.")
    assert "in Bavaria" not in [answer for _question, answer in found]


def test_who_bought_it_is_asked_for_in_german():
    assert ("Von wem wurde die Burg gekauft?", "von Händlern") in pairs("de", "Die Burg wurde von Händlern gekauft.")


def test_how_long_is_asked_for():
    found = pairs("en", "The council has debated the plan for 10 years.")
    assert ("How long has the council debated the plan?", "for 10 years") in found
    assert ("What has the council debated for 10 years?", "the plan") in found


def test_the_subject_is_asked_for_with_its_infinitive_clause():
    found = pairs("de", "Anfänger haben oft große Mühe, den Weg im Nebel zu finden.")
    assert "Wer hat oft große Mühe, den Weg im Nebel zu finden?" in [question for question, _answer in found]


def test_a_separable_verb_is_separated():
    sentence = "Die Gäste, die im Mai nach dem Sturm in Ulm eintrafen, wurden vom Wirt gelobt."
    assert not [question for question in list_questions("de", sentence) if "eintraf" in question]


def test_an_initial_does_not_end_a_sentence():
    found = list_all_questions("Brand worked for John F. Kennedy in the summer of 1961.", "en")
    assert {each.sentence for each in found} == {"Brand worked for John F. Kennedy in the summer of 1961."}


@pytest.mark.parametrize(
    ("language", "sure", "unsure"),
    [
        (
            "de",
            "Die Burg wurde im Mai von Händlern gekauft.",
            "Während die Burg im Mai verkauft wurde, schlief er.",
        ),
        ("en", "Guests opened the gate in May.", "Although guests opened the gate in May, nobody came."),
    ],
)
def test_what_is_conceded_or_conditional_ranks_lower(language, sure, unsure):
    scores = [each.score for each in list_all_questions(unsure, language)]
    assert max(scores, default=0.0) < list_all_questions(sure, language)[0].score


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "Der Wirt öffnet das Tor, bevor die Gäste kommen, und die Köchin heizt den Ofen.",
         "bevor die Gäste kommen"),
        ("en", "The owner opens the gate before guests arrive, and the cook lights the stove.", "before guests arrive"),
    ],
)  # fmt: skip
def test_a_subordinate_clause_ends_before_the_next_main_clause(language, sentence, answer):
    assert answer in [found for _question, found in pairs(language, sentence)]


@pytest.mark.parametrize(
    ("language", "sentence", "question"),
    [
        ("de", "Der 28-jährige Brandt war im Mai nach Ulm gekommen.", "Wer war im Mai nach Ulm gekommen?"),
        ("en", "The 28-year-old baker Jost Brand opened a shop in May.", "Who opened a shop in May?"),
    ],
)
def test_somebody_with_an_age_is_a_person(language, sentence, question):
    assert question in list_questions(language, sentence)


def test_an_origin_is_asked_for_with_woher():
    assert "Woher stammt die älteste Uhr?" in list_questions("de", "Die älteste Uhr stammt aus Böhmen.")


def test_the_end_of_something_else_than_a_time_is_no_time():
    assert not [
        each for each in list_questions("de", "Am oberen Ende der Straße steht eine Mühle.") if each.startswith("Wann")
    ]


@pytest.mark.parametrize(
    ("language", "sentence", "fault"),
    [
        ("en", "The most popular ones are in three areas of Ulm.", "What is in three areas of Ulm?"),
        ("en", "The bridge was built in 1850 after Ulm had lost the ferry.", "When was the bridge built in 1850?"),
        ("en", "Pupils can ask for help at any time of day.", "What can pupils ask for of day?"),
        ("en", "Jost Brand was the first man who saw the lake in winter.", "Who saw the lake in winter?"),
        ("de", "Der Hof grenzt an den Turm, der seit 1820 leer steht.", "Was steht seit 1820 leer?"),
        ("de", "Ende 2017 trat Vogt im Rathaus von Ulm auf.", "Was trat Vogt"),
        ("de", "Eine Garde ist eine Truppe, die zu Pferde kämpft.", "Wer ist eine Garde?"),
        ("de", "Der Läufer gewann das Rennen mit 70 Punkten, bei nur 41 Fehlern.", "Wie viele Fehlern"),
    ],
)
def test_a_faulty_question_is_not_asked(language, sentence, fault):
    assert not [each for each in list_questions(language, sentence) if each.startswith(fault)]


@pytest.mark.parametrize(
    ("language", "sentence", "question"),
    [
        ("en", "The hostel's guests praised the kitchen.", "Who praised the kitchen?"),
        ("en", "Vogt Jr. was sacked after the race.", "Who was sacked after the race?"),
        ("en", "At least five people in the hall were treated in Ulm.", "Who was treated in Ulm?"),
        ("de", "Vogt wurde im Mai in Ulm geboren.", "Wer wurde im Mai in Ulm geboren?"),
        ("de", "Die Pilger erreichten im Mai die Stadt.", "Wer erreichte im Mai die Stadt?"),
    ],
)
def test_persons_are_asked_for_with_who(language, sentence, question):
    assert question in list_questions(language, sentence)


def test_the_subject_stays_beside_the_verb():
    found = list_questions("de", "In Nachtzügen werden die Pässe eingesammelt, damit niemand geweckt wird.")
    assert "Wozu werden die Pässe in Nachtzügen eingesammelt?" in found


def test_brackets_do_not_end_an_answer():
    found = pairs("en", "The river valley includes an old mill (now closed).")
    assert ("What does the river valley include?", "an old mill") in found


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("en", "People were hitting the windows of the old tower with chairs.", "People"),
        ("de", "Die Menschen schlugen mit Stühlen gegen die Fenster im Turm.", "Die Menschen"),
        ("en", "The other wrestlers of Ulm paid tribute to the champion in May.", "tribute to the champion"),
        ("en", "The town built a pump that works with nitrogen as a gas, which has no smell at all.", "a gas"),
        ("de", "Der Brand veranlasste die Stadt Ulm dazu, Helfer zu schicken, Netze zu verteilen und Mittel zu senden.",
         "Helfer zu schicken"),
    ],
)  # fmt: skip
def test_an_answer_that_says_nothing_by_itself_or_stops_early_is_doubted(language, sentence, answer):
    assert answer not in [found for _question, found in pairs(language, sentence)]


@pytest.mark.parametrize(
    ("rule", "sentence", "question", "answer", "is_faulty"),
    [
        ("object", "The mill exploded due to a leak.", "What did the mill explode?", "due to a leak", True),
        ("object", "The quake shook the hut at 10 p.m.", "What did the quake shake?", "the hut at 10 p.m", True),
        ("object", "The quake shook the hut in Ulm.", "What did the quake shake?", "the hut in Ulm", False),
        ("definition", "The guards were to be watched.", "What were the guards?", "to be watched", True),
        ("adjunct", "The mill was the best in years.", "When was the mill the best?", "in years", True),
        ("adjunct", "The boats run from Ulm to Linz.", "Where do the boats run to Linz?", "from Ulm", True),
        ("adjunct", "The boats from Linz stop in Ulm.", "Where do the boats from Linz stop?", "in Ulm", False),
        ("subject", "Dozens were hurt in Ulm.", "What was hurt in Ulm?", "Dozens", True),
        ("subject", "Dozens of hikers were hurt in Ulm.", "Who was hurt in Ulm?", "Dozens of hikers", False),
        ("number", "The club has members in Ulm.", "How many members does the club have?", "members", True),
        ("number", "The club has nine members.", "How many members does the club have?", "nine members", False),
    ],
)
def test_a_faulty_wording_is_found(rule, sentence, question, answer, is_faulty):
    assert has_faulty_wording(draft_of("en", rule, sentence, question, answer)) is is_faulty


@pytest.mark.parametrize(
    ("rule", "sentence", "question", "answer", "is_faulty"),
    [
        ("object", "Er brachte Dank zum Ausdruck.", "Was brachte er?", "Dank zum Ausdruck", True),
        ("subject", "Der Umbau sei geplant.", "Was sei geplant?", "Der Umbau", True),
        ("subject", "Der Umbau ist geplant.", "Was ist geplant?", "Der Umbau", False),
        ("clause-last", "Er kam, um das zu sehen.", "Wozu kam er?", "um das zu sehen", True),
        ("clause-last", "Er kam, um Ulm zu sehen.", "Wozu kam er?", "um Ulm zu sehen", False),
        ("adjunct", "Wölfe sind in Ulm, das klein ist, selten.", "Wo sind Wölfe?", "in Ulm", True),
        ("subject", "Ulm bedeutet Ulme.", "Was bedeutet Ulme?", "Ulm", True),
        ("subject", "Das Fest ist ein Beispiel dafür.", "Was ist das Fest?", "ein Beispiel dafür", True),
    ],
)
def test_a_faulty_german_wording_is_found(rule, sentence, question, answer, is_faulty):
    assert has_faulty_wording(draft_of("de", rule, sentence, question, answer)) is is_faulty


def draft_of(language, rule, sentence, question, answer):
    """A question that a rule could have written, whether or not one does."""
    tagged = tag_sentence(sentence, language, frozenset())
    begin = sentence.index(answer)
    inside = [n for n, each in enumerate(tagged.tokens) if begin <= each.start < begin + len(answer)]
    span = (inside[0], inside[-1] + 1)
    return Draft(question, span, rule, 1.0, Clause(tagged, (0, 0), "subject", 0, len(tagged.kinds), span))


def test_a_reason_whose_pronoun_has_no_noun_is_not_asked_for():
    unbound, bound = ("Care is advised because they may bark.", "The dogs of Ulm are chained because they may bark.")
    assert not [question for question in list_questions("en", unbound) if question.startswith("Why")]
    assert "Why are the dogs of Ulm chained?" in list_questions("en", bound)


@pytest.mark.parametrize(
    ("language", "sentence", "question"),
    [
        ("en", "Only a few airlines offer cheap fares from Ulm.", "What do a few airlines offer?"),
        ("en", "The tower in Ulm is at least 100 feet tall.", "What is 100 feet tall?"),
        ("en", "While visiting the churches of Ulm, women are required to wear long skirts.",
         "Who is required to wear long skirts?"),
        ("de", "Daheim sind Sie gegen Keime immun, weil Ihr Körper sie kennt.", "Warum sind Sie gegen Keime immun?"),
        ("de", "Die Forscher betrachten den Fund als Zeichen der Hoffnung.", "Was betrachten die Forscher?"),
        ("en", "Reasonably quick responses help, and students expect somewhat greater distances.",
         "What does the text say about somewhat greater distances?"),
    ],
)  # fmt: skip
def test_a_word_that_limits_what_is_said_is_not_left_out(language, sentence, question):
    assert question not in [each.question for each in list_all_questions(sentence, language)]


def test_a_name_is_who_or_what_only_where_the_text_shows_it():
    assert "Who or what has a long history?" not in list_questions("en", "Pelvar has a long history but few friends.")
    assert "Who has a long history?" in list_questions(
        "en", "Pelvar said so. Pelvar has a long history in Ulm."
    ) + list_questions("en", "The mayor Jo Pelvar came. Pelvar has a long history.")
    assert "What has a long history?" in list_questions("en", "Trains stop in Pelvar. Pelvar has a long history.")
