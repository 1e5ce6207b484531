"""Where inline objects go in a translation. Alignments are written by hand, word by word, as a person would."""

import re

import pytest

from app.text.inline.stretches import best_stretches
from app.text.markup.extraction import extract


def rebuild(source: str, translation: str, words: str | None) -> str:
    """Rebuilds one text; ``words`` says for each word of the translation which word of the text it is aligned to."""
    document = extract(source)
    [text] = document.texts
    old = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    new = [match.span() for match in re.finditer(r"\w+|[^\w\s]", translation)]
    if words is None:
        return document.rebuild([translation]).text
    links = [(*old[int(word)], *place) for word, place in zip(words.split(), new, strict=True) if word != "-"]
    return document.rebuild([translation], [links]).text


@pytest.mark.parametrize(
    ("source", "translation", "words", "expected"),
    [
        # The tags go with their words, and white space stays outside.
        ("Hello <b>World</b>!", "Hallo Welt!", "0 1 2", "Hallo <b>Welt</b>!"),
        ("Hello<b> World</b>!", "Hallo Welt!", "0 1 2", "Hallo <b>Welt</b>!"),
        ("Hello <b>World </b>now", "Hallo Welt jetzt", "0 1 2", "Hallo <b>Welt</b> jetzt"),
        (
            "I have <b>not</b> <i>seen</i> it", "Ich habe es nicht gesehen",
            "0 1 4 2 3", "Ich habe es <b>nicht</b> <i>gesehen</i>",
        ),
        ("to <b>confirm</b> it", "um es zu bestätigen", "1 2 0 1", "um es zu <b>bestätigen</b>"),
        ("the <b>red</b> <i>house</i>", "la maison rouge", "0 2 1", "la <i>maison</i> <b>rouge</b>"),
        (
            "a <a>big <b>red</b> house</a> here", "ici une maison rouge grande",
            "4 0 3 2 1", "ici une <a>maison <b>rouge</b> grande</a>",
        ),
        # A full stop that is linked to the word before it.
        ("I <i>sleep</i>.", "Ich schlafe.", "0 1 1", "Ich <i>schlafe</i>."),
        ("I <i>sleep.</i>", "Ich schlafe.", "0 1 1", "Ich <i>schlafe.</i>"),
        # A mark that the source hasn't stays outside.
        (
            "ein Mann, <b>der</b> war", "a man, who was",
            "0 1 3 3 4", "a man, <b>who</b> was",
        ),
        ("In ihm <i>waren</i> viele", "In it, there were many", "0 1 2 - 2 3", "In it, <i>there were</i> many"),
        # Words without a link join a neighbour; of several stretches the largest is marked, and noise is bridged.
        (
            "I <b>really like</b> it", "Das mag ich wirklich sehr gern",
            "3 2 0 1 - 2", "Das <b>mag ich wirklich sehr gern</b>",
        ),
        (
            "He <b>calls up</b> his mother", "Er ruft seine liebe Mutter an",
            "0 1 3 3 4 2", "Er <b>ruft</b> seine liebe Mutter an",
        ),
        ("<a>New York</a> is big", "New groß York ist", "0 3 1 2", "<a>New groß York</a> ist"),
        # One word for a part of a compound, and a compound for many words.
        ("<b>Donau</b>-Dampfer und mehr", "Danube steamboat and more", "0 2 3 4", "<b>Danube</b> steamboat and more"),
        ("the <b>health</b> insurance", "die Krankenversicherung", "0 1", "die <b>Krankenversicherung</b>"),
        # An element that no word is aligned to takes one nearby, so that no link ends up around nothing.
        ("Das ist <a>doch</a> gut", "That is good", "0 1 3", "That <a>is</a> good"),
        ("Ja <a>doch</a> <b>so</b>", "Yes so", "0 2", "<a>Yes</a> <b>so</b>"),
        ("<b>Ja</b> <a>doch</a>", "Yes", "0", "<b>Yes</b> <a></a>"),
        # Points keep to their neighbour, with the white space they had.
        ("Press <img> now", "Jetzt drücken", "1 0", "<img> Jetzt drücken"),
        ("Press<img> the key", "Die Taste drücken", "1 2 0", "Die Taste drücken<img>"),
        ("A (<img>note) here", "Hier (eine Notiz)", "4 1 0 2 3", "Hier (eine <img>Notiz)"),
        ("one <b>two <img></b> three", "drei zwei eins", "2 1 0", "drei <b>zwei <img></b> eins"),
        ("x <b>two</b><img> <i>three</i> y", "y x zwei drei", "3 0 1 2", "y x <b>zwei</b><img> <i>drei</i>"),
        # A protected span takes the place of its stand-in, or else a place beside its neighbours.
        ("Call <code>f()</code> now", "Rufe jetzt Tom auf", "0 2 1 0", "Rufe jetzt <code>f()</code> auf"),
        ("Call <code>f()</code>'s code", "Toms Code aufrufen", "1 3 0", "<code>f()</code>s Code aufrufen"),
        ("Call <code>f()</code> now", "Jetzt aufrufen", "2 0", "Jetzt aufrufen <code>f()</code>"),
        ("Call <code>f()</code> now", "Tom ruft Tom", "1 0 1", "<code>f()</code> ruft"),
        ("Call <code>f()</code>.", "Ruf an", "0 0", "Ruf an <code>f()</code>"),
        ("<code>f</code> or <code>g</code>", "Boston oder Tom", "2 1 0", "<code>g</code> oder <code>f</code>"),
        ("<b><code>f</code></b> or not", "Oder nicht", "1 2", "<b><code>f</code></b> Oder nicht"),
        # Without any alignment words are taken to keep their order.
        ("one <b>two</b> three", "eins zwei drei", None, "eins <b>zwei</b> drei"),
        ("one <b>two</b> <img> three", "", None, "<b></b><img>"),
        # Markup inside a word: what is the same in both languages is cut in the same places, a number by itself.
        ("H<sub>2</sub>O is wet", "H2O ist nass", "0 1 2", "H<sub>2</sub>O ist nass"),
        # Exponents and the marks of footnotes are no words.
        ("10<sup>6</sup> times", "10 mal", "0 1", "10<sup>6</sup> mal"),
        ("the book<sup>1</sup> here", "das Buch hier", "0 1 2", "das Buch<sup>1</sup> hier"),
        # Scripts without spaces: each character is a word.
        ("<b>good</b> morning", "早上好", None, "<b>早</b>上好"),
    ],
)  # fmt: skip
def test_objects_go_where_a_reader_expects_them(
    source: str, translation: str, words: str | None, expected: str
) -> None:
    assert rebuild(source, translation, words) == expected


def test_a_stretch_is_the_one_that_holds_most() -> None:
    a, b = 1, 2
    assert best_stretches([a, None, a, b, None, b, b], [1] * 7) == {a: (0, 3), b: (3, 7)}
    assert best_stretches([a, a, b, a], [1] * 4) == {a: (0, 2), b: (2, 3)}
    assert best_stretches([a, None, None, a, a], [1] * 5) == {a: (3, 5)}
    assert best_stretches([a, b, a], [1, 1, 1000]) == {a: (2, 3), b: (1, 2)}


def test_a_long_text_with_many_objects_takes_time_in_proportion() -> None:
    # A quadratic step takes minutes.
    source = "<b>eins</b> zwei <i>drei <code>x</code></i> vier <img> " * 3_000
    document = extract(source)
    alignments = []
    for text in document.texts:
        words = [match.span() for match in re.finditer(r"\S+", text)]
        alignments.append([(*old, *new) for old, new in zip(reversed(words), words, strict=True)])
    rebuilt = document.rebuild([text + "!" for text in document.texts], alignments).text
    assert sorted(re.findall("<.*?>", rebuilt)) == sorted(re.findall("<.*?>", source))
