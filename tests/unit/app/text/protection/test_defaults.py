import string
from random import Random

import pytest

from app.text.protection import defaults
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import NOTHING, compile_patterns
from app.text.protection.protected import protect

KNOWN = frozenset(string.printable + "äöüßÄÖÜé…“„")


def spans(text: str, known: frozenset[str] = KNOWN) -> list[str]:
    protected = protect(text, untranslatable(text, known))
    assert protected.source == text
    return list(protected.spans)


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("Mehr auf https://www.zeit.de/politik?id=7.", ["https://www.zeit.de/politik?id=7"]),
        ("(siehe HTTP://a.b/c)!", ["HTTP://a.b/c"]),
        ('href="www.x.de">', ["www.x.de"]),
        ("Schreib an max.mustermann+a@mail.firma.de, bitte.", ["max.mustermann+a@mail.firma.de"]),
        ("mailto:x.y@z.co.uk; http://q.de…", ["x.y@z.co.uk", "http://q.de"]),
        ("ftp://ftp.gnu.org/pub, github.com/python/cpython.", ["ftp://ftp.gnu.org/pub", "github.com/python/cpython"]),
        ("(https://de.wikipedia.org/wiki/Bank_(Recht))", ["https://de.wikipedia.org/wiki/Bank_(Recht)"]),
        ("Bei sub.example.net: 5. Das war es.Das auch. node.js", ["sub.example.net"]),
        ("müller.de, über.example.co.uk, jürgen@müller.de", ["müller.de", "über.example.co.uk", "jürgen@müller.de"]),
        ("a@b, https://, 5 @ 3 und @name", []),
        ("hhhhh", ["hhhhh"]),
        ("Frau XXXX sagt aaa, www und jaaaaa.", ["XXXX"]),
        ("1️⃣ Erster Punkt, #⃣ und 1 Punkt", ["1️⃣", "#⃣"]),
        ("Nichts davon: 10.000 ist keine Adresse.", []),
    ],
)
def test_addresses(text: str, addresses: list[str]) -> None:
    assert spans(text) == addresses
    both = protect(text, untranslatable(text, KNOWN) | compile_patterns(["und"]))
    assert list(both.spans) == [*addresses, *(["und"] if "und" in text else [])]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Das Wort Привет heißt Hallo.", ["Привет"]),
        ("Lech Wałęsa war in Łódź.", ["Wałęsa", "Łódź"]),  # whole words, of which it has some letters
        ("Łódź Škoda, 北京市", ["Łódź Škoda", "北京市"]),  # a space lies inside a span, a comma between two
        ("Ich mag 🍕!", ["🍕"]),
        ("Kopf \ue003 und \uf8ff.", ["\ue003", "\uf8ff"]),  # of a font of somebody's own, or a placeholder
        ("Pizza🍕und Bier", ["🍕"]),  # a sign isn't part of the word that it touches
        ("👩\u200d💻 👍🏽 🇩🇪 ❤\ufe0f!", ["👩\u200d💻 👍🏽 🇩🇪 ❤\ufe0f"]),  # joined, coloured, paired, selected
        ("नमस्ते und สวัสดี", ["नमस्ते", "สวัสดี"]),  # vowels that are marks
        ("١٢٣ sind 123", ["١٢٣"]),
        ("Hallo\x01Welt und\x02 Łódź", ["Łódź"]),
    ],
)
def test_what_the_model_has_no_letters_for(text: str, words: list[str]) -> None:
    assert spans(text) == words
    words = [word for word in words if word[0] in "🍕👩" and text.endswith(f"{word}!")]  # they part texts
    assert spans(text, frozenset()) == words, "nothing is said about a model of which that is not known"


CODE = "#<=>@\\^_`{|}~*"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hallo {name}, {{ user.name }} und ${x}!", ["{name}", "{{ user.name }}", "${x}"]),
        ("%s von %(count)d, %1$s: %.2f, %@", ["%s", "%(count)d", "%1$s", "%.2f", "%@"]),
        ("100 %ig, 5 % Rabatt, 10%", []),
        ("[X1X] und [X23X]", ["[X1X]", "[X23X]"]),
        ("Die Spalte user_name und MAX_2.", ["user_name", "MAX_2"]),
        ("5 &lt; 7 &amp; 8&#8211;9 &amp;gt; 3", ["&lt;", "&amp;", "&#8211;", "&amp;gt;"]),
        ("Forschung&Entwicklung; R&D; A & B;", []),
        ("Leser_innen", []),
    ],
)
def test_variables_are_kept_whether_the_model_knows_their_signs_or_not(text: str, kept: list[str]) -> None:
    assert spans(text) == spans(text, KNOWN - set(CODE) | {"_"}) == kept


@pytest.mark.parametrize(
    ("text", "shown", "kept"),
    [
        ("<p>Guten Morgen</p>", "Guten Morgen", []),
        ('Die <a href="https://x.de/y z">Seite</a>, <br/> ja', "Die Seite, \u2029 ja", ["<br/>"]),
        ("{\\an8}Hallo <font color=red>Welt</font><color=#ff0000>!", "Hallo Welt!", []),
        ("Ich komme &lt;heute&gt; nach &amp;lt;b&amp;gt;Hause.", "Ich komme  nach Hause.", []),
        ("eins<br>zwei, <b>{name}</b>", "eins \u2029 zwei, Boston", ["<br>", "{name}"]),
        ("<b>x <i</b> y und <a {b=<c}>", "x <i y und <a Tom>", ["{b=<c}"]),
        ("1 <2 und <3> sind <y und z> dort", "1 <2 und <3> sind <y und z> dort", []),
    ],
)
def test_tags_in_plain_text_are_no_words_of_it(text: str, shown: str, kept: list[str]) -> None:
    protected = protect(text, untranslatable(text, KNOWN))
    assert (protected.text, list(protected.spans), protected.source) == (shown, kept, text)
    assert protected.restore(protected.text).text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a_b ist in C# neu.", ["a_b", "C#"]),
        ("@tom: #1 = x^2 < 5", ["@tom", "#1 = x^2 < 5"]),
        ("{ja und \\alpha", ["{", "\\alpha"]),
        ("Ja|Nein, Größe=groß", ["|", "="]),
        ("Das ist _sehr_ wichtig, <y und z> auch.", ["_", "_", "<", ">"]),
        ("Leser_innen", []),
        ("Bürger*innen, *sehr* wichtig", []),  # words of a sentence
    ],
)
def test_signs_of_code_that_the_model_does_not_know(text: str, words: list[str]) -> None:
    assert spans(text, KNOWN - set(CODE)) == words


@pytest.mark.parametrize(
    "text",
    [
        "Das kostet 50 €, ½ davon zahlst du – bei 20 °C © ®",  # signs that sentences are made of
        "e\u0301 ﬁn m² ①",  # other forms of what is known
        "Wort\u200b\u00ad\u2060teil\u00a0mit\u3000Raum\x01\x02\x7f",  # nothing to be seen
    ],
)
def test_what_is_left_to_the_model(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize(
    "unit",
    [
        "a.",
        "a.com.",
        "a.com ",
        "a@",
        "a@b.",
        "a@b.c ",
        "www.",
        "www.,",
        "http://",
        "http://,",
        "(a",
        "1\u20e3",
        "xxxx",
        "xxxx ",
        "a_",
        "<a ",
        "<a =",
        "{{",
        "{{a",
        "${",
        "{\\",
        "%(",
        "%1",
        "[X1",
        *"a/{$(:<.",
        "{% %}",
        "<%",
        "<% ",
        "<?php ",
        "%a",
        "@@a",
        "*|a",
        "</1><1>",
        "${a}",
        "{a,plural,",
        " :abc",
        "$a/",
        "f_a(a,",
        "f_a(a, ",
        "./a ",
        "/a",
        "a/a.txt ",
        "a.txt.",
        "aa.bb.",
        "aa.bb.cc ",
        "c:\\a ",
        "a:\\b\\",
        "\\\\a\\",
        "a::",
        "1:",
        "a1b",
        "\x1b[1",
    ],
)
def test_no_repetition_takes_more_than_a_look_at_each_character(unit: str) -> None:
    text = unit * 5_000
    assert protect(text, untranslatable(text, KNOWN)).source == text


def test_a_text_of_known_characters_costs_nothing_more() -> None:
    assert untranslatable("Guten Morgen!", KNOWN) == NOTHING


def test_a_text_of_many_unknown_characters_is_one_span() -> None:
    text = "".join(map(chr, range(0x4E00, 0x9F00)))
    assert spans(text) == [text]


def test_what_an_expression_needs_is_in_all_its_matches():
    random = Random(1)
    pieces = [
        *"wW. deD/()[]-_:@\x0b\x0c\u00a01abf09…\n%{}$&",
        "www.",
        "com",
        ".txt",
        "abc1234",
        "0x",
        "aaaa",
        "H2O",
        "BIC",
        *"*<>|:;)!@#§€²x8'",
        "lt;",
    ]
    families = defaults._FAMILIES
    all_ = [own[1:] for needing in families._needs.values() for own in needing if own[1] != "breaks"]
    for _ in range(1_000):
        text = "".join(random.choice(pieces) for _ in range(random.randint(1, 9)))
        found = families.of(text, frozenset(text))
        told = {(kind, expression) for kind, own in found.items() for expression in own if kind != "breaks"}
        assert told == {(kind, expression) for kind, expression in all_ if expression.search(text)}, text
