"""Twice the text takes at most twice the work and twice the memory, for any text.

Of what C code does in one call, the searches of regular expressions aren't counted; ``make fuzz`` bounds them.
"""

import asyncio
from collections.abc import Callable
from functools import cache, partial
from itertools import count

import pytest

from app.engine.options import SearchOptions
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from tests.support.charged import charged_copies
from tests.support.fakes import DETECTOR, FakeEngine
from tests.support.work import check_growth, lines_of, work_of_copies

with charged_copies():
    from app.text.data_values import is_data
    from app.text.inline.target_tokens import Link
    from app.text.long_sentences import break_long
    from app.text.markup.extraction import HTML, MARKDOWN, Rules, extract, joined
    from app.text.protection.defaults import untranslatable
    from app.text.protection.patterns import NOTHING, compile_patterns
    from app.text.protection.protected import protect
    from app.text.quality_checks import judge
    from app.text.sentences import spans
    from app.text.terms.glossary import Glossary, uses
    from app.text.well_formed import is_malformed, is_malformed_markup
    from app.translation.rules.corrections import corrections
    from app.translation.rules.pair import Direction
    from languages.english.address import clues
    from languages.german.address import ADDRESS
    from languages.registry import language_of

KNOWN = frozenset("abcdefghijklmnopqrstuvwxyzäöüßABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?-()\"'/%&\n")
CHARS = 600
CHARS_FOR_MEMORY = 100  # eight bytes for each pair of characters are 320 KB at twice that; 230 KB are let pass

REPEATED = {
    "cut numbers": "<b>1,5</b>{a}",
    "cut variables": "<b>{a}</b>1.234,5",
    "words": "Das ist ein Satz. ",
    "misnested": "<a><b>Wort</a></b> ",
    "never closed": "<b>Wort ",
    "never opened": "Wort</b> ",
    "nested twice": "<b><i>Wort</i></b> ",
    "empty elements": "<b></b>",
    "blocks": "<p>Wort</p>",
    "attributes": '<p title="ein Wort">',
    "one attribute after the other": 'a="b" ',
    "comments": "<!-- a -->Wort",
    "open comments": "<!-- ",
    "open tags": "<a ",
    "open quotes": '<a b="',
    "untranslated": '<b translate="no">x</b> Wort ',
    "entities": "&amp;&foo;&nbsp;",
    "links": "[Wort](x) ",
    "brackets": "[",
    "stars": "**a* ",
    "underscores": "_a ",
    "backticks": "`a ``b ",
    "tables": "|a|b|\n|-|-|\n",
    "quotations": "> a\n",
    "lists": "- a\n",
    "definitions": "[a]: b\n",
    "variables": "{{a}} Wort %s ",
    "code": "a_b ",
    "templates": "{% a %}${b + 1} :abc <1>a</1> {",
    "directives": "%d%% of %1$s, %lld {0:N2} ",
    "percent signs": "% ",
    "escapes": "Don\\'t\\n\\u00fc ",
    "backslashes": "\\",
    "forum tags": '[b]Wort[/b] [a b="c"] [quote] ',
    "open forum tags": "[a b=",
    "messages": "{n, plural, one {# file} other {{x}}} ",
    "nested messages": "{n, select, a {",
    "selectors": "{ $n ->\n [one] x\n *[other] y\n} $t(a, {b}) ",
    "calls": "$t(",
    "control tags": "{% if a %}x{% end %}{{#a}}b{{/a}}{b}c{/b}",
    "codes": "§aWort \\C[2]x |cff00ff00 &aWort &bWort ^1Wort ",
    "emoticons": ":-) <3 ^^ \U0001f600 :smile: ",
    "formulas": "H₂SO₄ C6H12O6 $a_1$ \\(x\\) ",
    "dollars": "$a ",
    "publications": "10.1038/a.b doi:10.1/x 1.2.3a ",
    "menus": "&Wort _Wort ~Wort ",
    "paths": "a/b.txt ./c /d/e C:\\f a.b() ",
    "emoji": "Wort \U0001f600 ",
    "numbers": "1.1",
    "dots": ". ",
    "spaces": " ",
    "gender forms": "Leser*innen KollegIn jede*r ",
    "footnotes": "1</a><sup>1</sup> ",
    "lengths": "1px 1 ",
    "lines": "a\n",
    "accents": "a\u0301",
    "unspaced": "字。",
    "quotation marks": "„a “",
}


def numbered_names(chars: int) -> str:
    text = "a_b Tom Boston Paris Berlin London Julia Peter Maria"
    names = map(" Tom{}".format, count(2))
    while len(text) < chars:
        text += next(names)
    return text


TEXTS: dict[str, Callable[[int], str]] = {
    **{name: lambda chars, unit=unit: unit * (chars // len(unit)) for name, unit in REPEATED.items()},
    "numbered names": numbered_names,
    "deep": lambda chars: "<b>" * (chars // 8) + "Wort" + "</b>" * (chars // 8),
    "many attributes": lambda chars: "<html" + " lang lang=" * (chars // 11) + ">Wort",
    "attributes without an end": lambda chars: "<a" + " b=" * (chars // 3),
    "deep elsewhere": lambda chars: "<div>" * (chars // 16) + "Wort" + "</div>" * (chars // 8),
}


def links_of(text: str) -> list[Link]:
    return [Link(place, place + 5, place, place + 5) for place in range(0, len(text), 5)]


def markup(rules: Rules) -> Callable[[str], None]:
    def rebuild(text: str) -> None:
        document = extract(text, rules, untranslatable(text, KNOWN))
        rebuilt = document.rebuild([f"{text}!" for text in document.texts], list(map(links_of, document.texts)))
        joined(rules, [rebuilt])

    return rebuild


def protection(text: str) -> None:
    patterns = compile_patterns(["Wort", "regex:[a-z]+;", "regex:(a|b)*c"])
    protected = protect(text, untranslatable(text, KNOWN) | patterns, ("\ue000", "\ue001"))
    protected.restore(f"{protected.text}!", links_of(protected.text))


def sentences(text: str) -> None:
    for language in ("de", "en"):
        for newlines in (True, False):
            for begin, end in spans(text, language=language, newlines=newlines):
                break_long(text[begin:end], language="de", fits=lambda part: len(part) <= 200)


def quality(text: str) -> None:
    judge(text, text)
    judge(text, text.upper())


def numerals(text: str) -> None:
    protect(text, NOTHING._replace(numerals=("de", "en")), ("\ue000",))


def mirroring(text: str) -> None:
    corrections(Direction(language_of("de"), language_of("en")).pair(text, text.swapcase()))


GLOSSARY = Glossary({"Wort": "word", "ein Wort": "a word", "a b": "c", "Satz. Das": "d", "a": "e"}, "de", "en")


def glossary(text: str) -> None:
    uses(text.swapcase(), GLOSSARY.find(text))


def formality(text: str) -> None:
    ADDRESS.read(clues(f"Do you know? {text}"), f"Wissen Sie, ob du {text}")


def spelling(text: str) -> None:
    list(language_of("de").respell(text))


def values(text: str) -> None:
    here, there = language_of("de"), language_of("en")
    is_malformed(text, text.swapcase(), here, there)
    is_malformed_markup(text, text.swapcase(), here, there, "html")


def data(text: str) -> None:
    for begin in range(0, len(text), 250):  # longer values are none
        is_data(text[begin : begin + 250])


FUNCTIONS: dict[str, Callable[[str], None]] = {
    "html": markup(HTML),
    "page": markup(Rules(line_breaks_split=True, translate_attributes=True)),
    "xml": markup(Rules(syntax="xml")),
    "markdown": markup(MARKDOWN),
    "protection": protection,
    "sentences": sentences,
    "quality": quality,
    "numerals": numerals,
    "mirroring": mirroring,
    "glossary": glossary,
    "formality": formality,
    "spelling": spelling,
    "values": values,
    "data": data,
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_work_and_memory_grow_no_faster_than_the_text(function: str, text: str) -> None:
    run, make = FUNCTIONS[function], TEXTS[text]
    warm(function)
    check_growth(lambda chars: partial(run, make(chars)), CHARS, CHARS_FOR_MEMORY)


@cache
def warm(function: str) -> None:
    """Fills the caches, so that the first call doesn't count them."""
    FUNCTIONS[function]("Das ist ein Satz.")


def test_terms_are_found_in_one_pass_however_many_there_are() -> None:
    def find(chars: int) -> None:
        text = numbered_names(chars)
        uses(text, Glossary({word: word for word in text.split()}, "de", "en").find(text))

    small, large = (work_of_copies(partial(find, chars)) for chars in (CHARS, 2 * CHARS))
    assert large.lines <= 2.3 * small.lines and large.charges <= 2.6 * small.charges


def test_a_text_is_placed_without_a_look_at_those_before_it() -> None:
    def translate(number: int) -> None:
        wanted = TranslationRequest(texts=("Wer?",) * number, source="de", target="en", options=SearchOptions())
        asyncio.run(Translator(FakeEngine(), DETECTOR).translate(wanted))

    small, large = (lines_of(partial(translate, number)) for number in (100, 200))
    assert large <= 2.1 * small
