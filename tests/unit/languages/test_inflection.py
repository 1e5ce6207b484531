import pytest

from languages.registry import language_of

GERMAN = {  # words and forms of theirs
    "Vorstand": "Vorstands Vorstandes Vorstände Vorständen",
    "Haus": "Hauses Hause Häuser Häusern",
    "Bild": "Bilder Bildern Bildes",
    "Lehrerin": "Lehrerinnen",
    "Termin": "Termine Terminen Termins",
    "Ergebnis": "Ergebnisses Ergebnisse Ergebnissen",
    "Firma": "Firmen",
    "Konto": "Kontos Konten",
    "Zentrum": "Zentrums Zentren",
    "Garten": "Gartens Gärten",
    "Apfel": "Apfels Äpfel Äpfeln",
    "Lehrer": "Lehrers Lehrern",
    "Kunde": "Kunden",
    "Sitzung": "Sitzungen",
    "Prozess": "Prozesses Prozesse Prozessen",
    "Auto": "Autos",
    "Preis": "Preises Preise Preisen",
    "Baum": "Baumes Bäume Bäumen",
    "PC": "PCs",
    "gesetzlich": "gesetzliche gesetzlicher gesetzlichen gesetzliches gesetzlichem",
}
ENGLISH = {
    "board": "boards board's boards' board’s",
    "policy": "policies",
    "day": "days",
    "box": "boxes",
    "child": "children children's",
    "Person": "People",
}


@pytest.mark.parametrize(
    ("language", "word", "forms"),
    [("de", *item) for item in GERMAN.items()] + [("en", *item) for item in ENGLISH.items()],
)
def test_forms_of_a_word_and_the_way_back(language: str, word: str, forms: str) -> None:
    found = language_of(language).inflected(word)
    assert found[0] == word
    assert set(forms.split()) <= set(found)
    assert all(word.casefold() in {form.casefold(), *language_of(language).bases(form.casefold())} for form in found)


@pytest.mark.parametrize(
    ("word", "other"),
    [("Lehre", "Lehrer"), ("Spiel", "Spieler"), ("Bau", "Bauer"), ("Arbeit", "Arbeiter"), ("Schule", "Schüler")],
)
def test_another_word_is_no_form(word: str, other: str) -> None:
    assert other not in language_of("de").inflected(word)


def test_before_a_noun_stands_an_adjective() -> None:
    assert "Allgemeiner" in language_of("de").inflected("Allgemeine", is_last=False)
    assert "gesetzlichen" in language_of("de").inflected("gesetzlicher", is_last=False)


@pytest.mark.parametrize("word", ["a", "5", "C++", "§", "µ"])
def test_signs_and_letters_have_one_form(word: str) -> None:
    assert language_of("de").inflected(word) == language_of("en").inflected(word) == (word,)


def test_words_of_a_language_without_a_room_have_one_form() -> None:
    assert language_of("fi").inflected("talo") == ("talo",)
    assert list(language_of("fi").bases("talot")) == []
