import pytest

from app.text.memory.placeables import patched


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("Seite 7 von 9", "Seite 3 von 10", "page 3 of 10", "page 7 of 9"),
        ("Es kostet 6.917,40 Euro.", "Es kostet 5 Euro.", "It costs 5 euros.", "It costs 6,917.40 euros."),
        ("Hallo {user}, hier!", "Hallo {name}, hier!", "Hello {name}, here!", "Hello {user}, here!"),
        ("Siehe https://a.de/x.", "Siehe https://b.de/y.", "See https://b.de/y.", "See https://a.de/x."),
        ("5,5 % Zinsen", "4,5 % Zinsen", "4.5% interest", "5.5% interest"),
        ("Am 26.07.1983.", "Am 25.07.1982.", "On 25/07/1982.", "On July 26, 1983."),
        ("2 von 2", "3 von 3", "3 of 3", "2 of 2"),
        ("10 Äpfel, 7 Birnen", "7 Äpfel, 10 Birnen", "10 pears, 7 apples", "7 pears, 10 apples"),
    ],
)
def test_placeables_change_in_the_notation_of_the_translation(text, source, target, expected):
    assert patched(text, source, target, "de", "en") == expected


@pytest.mark.parametrize(
    ("text", "source", "target"),
    [
        ("5 Datei", "1 Datei", "1 file"),  # another plural
        ("1,0 Liter", "1 Liter", "1 litre"),
        ("2 von 3", "2 von 2", "2 of 2"),  # which of them is it?
        ("ein 8-Zoll-Bildschirm", "ein 9-Zoll-Bildschirm", "a 9-inch screen"),
        ("Rabatt von 80 Euro", "Rabatt von 90 Euro", "a 90 euro discount"),  # an 80
        ("Am 3. Tag", "Am 4. Tag", "On the 4th day"),
        ("6 Meilen", "5 Meilen", "8 kilometres"),
        ("6 Meilen", "5 Meilen", "5 miles (8 km)"),
        ("Wort 5", "Wert 5", "value 5"),
        ("Guten Morgen", "Guten Morgen!", "Good morning!"),
        ("Kapitel eins", "Kapitel 1", "chapter 1"),
    ],
)
def test_what_is_not_certain_is_not_patched(text, source, target):
    assert patched(text, source, target, "de", "en") is None
