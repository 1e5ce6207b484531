import pytest

from app.text.terms.inflection import bases, inflected

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
    found = inflected(word, language)
    assert found[0] == word
    assert set(forms.split()) <= set(found)
    assert all(word.casefold() in set(bases(form.casefold(), language)) for form in found)


@pytest.mark.parametrize(
    ("word", "other"),
    [("Lehre", "Lehrer"), ("Spiel", "Spieler"), ("Bau", "Bauer"), ("Arbeit", "Arbeiter"), ("Schule", "Schüler")],
)
def test_another_word_is_no_form(word: str, other: str) -> None:
    assert other not in inflected(word, "de")


def test_before_a_noun_stands_an_adjective() -> None:
    assert "Allgemeiner" in inflected("Allgemeine", "de", is_last=False)
    assert "gesetzlichen" in inflected("gesetzlicher", "de", is_last=False)


@pytest.mark.parametrize("word", ["a", "5", "C++", "§", "µ"])
def test_signs_and_letters_have_one_form(word: str) -> None:
    assert inflected(word, "de") == inflected(word, "en") == (word,)


def test_words_of_other_languages_have_one_form() -> None:
    assert inflected("casa", "es") == ("casa",)
    assert list(bases("casas", "es")) == ["casas"]
