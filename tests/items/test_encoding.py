"""Which letters the bytes of a text file or a table mean."""

import codecs

import pytest

from items.formats.text_files import Undecodable, decode

GERMAN = "Die Fähre fährt am Sonntag um zehn, weil der Hafenmeister „Grüße“ schreibt."
FRENCH = "L’été, la forêt est à l’ombre : « ça va », dit le garçon du café."


@pytest.mark.parametrize(
    "content",
    [
        GERMAN.encode(),
        codecs.BOM_UTF8 + GERMAN.encode(),
        GERMAN.encode("utf-16"),
        codecs.BOM_UTF16_LE + GERMAN.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be"),
    ],
)
def test_unicode_is_read_without_a_doubt(content):
    decoded = decode(content)
    assert (decoded.text, decoded.doubtful) == (GERMAN, ())


def test_windows_1252_is_read_and_shows_words_to_check():
    decoded = decode(GERMAN.encode("cp1252"))
    assert decoded.text == GERMAN
    assert decoded.doubtful[:2] == ("Fähre", "fährt")


def test_signs_between_letters_that_french_has_are_windows_1252():
    assert decode(FRENCH.encode("cp1252")).text == FRENCH


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "mac_roman"),
        (GERMAN.replace("„", "'").replace("“", "'"), "cp850"),
        ("Wszyscy ludzie rodzą się wolni i równi, są obdarzeni rozumem.", "iso8859-2"),
        ("Все люди рождаются свободными и равными.", "cp1251"),
        ("Όλοι οι άνθρωποι γεννιούνται ελεύθεροι.", "cp1253"),
        ("Bütün insanlar hür, değer ve haklar bakımından eşit doğarlar.", "cp1254"),
        ("人人生而自由。", "gb2312"),
        ("すべての人間は自由である。", "shift_jis"),
    ],
)
def test_other_encodings_are_refused_rather_than_misread(text, encoding):
    with pytest.raises(Undecodable, match="UTF-8"):
        decode(text.encode(encoding))


@pytest.mark.parametrize(
    ("start", "kind"),
    [(b"PK\x03\x04", "ZIP"), (b"\xd0\xcf\x11\xe0", "Office"), (b"%PDF-1.7", "PDF"), (b"{\\rtf1", "RTF")],
)
def test_a_file_of_another_program_is_named(start, kind):
    with pytest.raises(Undecodable, match=kind):
        decode(start + b" and so on")


def test_a_nul_is_refused_with_its_line():
    with pytest.raises(Undecodable, match="Line 2 contains a NUL"):
        decode(b"a\nb\0c")


@pytest.mark.parametrize("content", ["Fähre".encode("utf-16-le"), "Fähre".encode("utf-32")])
def test_wide_characters_without_their_mark_are_refused(content):
    with pytest.raises(Undecodable, match="Save"):
        decode(content)


def test_a_damaged_utf_16_file_is_refused_with_the_place():
    with pytest.raises(Undecodable, match="UTF-16-LE, but byte 3"):
        decode(codecs.BOM_UTF16_LE + b"a\0b")
