"""Texts of the tests, and what models say about them."""

WHOLE = """1. Wann hörte Mira das Klavierstück jeden Abend?
a) jeden Abend um sieben Uhr (richtig)
b) jeden Morgen um sieben Uhr (falsch)
c) nur am Sonntag nach dem Essen (falsch)

2. Wer spielte das Klavierstück in der Wohnung?
a) die Studentin aus dem zweiten Stock (falsch)
b) der alte Herr Seidel (richtig)
c) der Vermieter des Hauses (falsch)

3. Was wusste Mira schon am ersten Abend?
a) wie das Stück ausgehen würde (falsch)
b) wer im Treppenhaus wohnte (falsch)
c) wo das Notenheft lag (falsch)
"""
ENGLISH = """1. When did Mira hear the piece of music every evening?
a) every evening at seven o'clock (correct)
b) every morning at seven o'clock (incorrect)
c) only on Sundays after the meal (incorrect)
"""
GERMAN_OTHER = "Die alte Burg steht seit vielen Jahren auf dem Berg über der Stadt."
BODY = (
    "Seit drei Wochen wohnte Mira in der Gerbergasse. Am Abend hörte Mira ein schönes Klavierstück im Treppenhaus. "
    "Der alte Nachbar spielte jeden Abend auf seinem Klavier. Im Keller fand Mira ein altes Notenheft ohne Titel. "
    "Auf dem Dachboden lag die letzte Seite unter einem Teppich. "
    "Am nächsten Morgen brachte Mira dem Nachbarn die Seite."
)
