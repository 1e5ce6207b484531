"""Attributes that readers see."""

from collections.abc import Iterator

import pytest

from app.text.markup import attributes
from app.text.markup.attributes import in_language
from app.text.markup.extraction import Rules, extract, joined
from app.text.markup.html_tokenizer import Token, Tokenizer
from app.text.protection.patterns import compile_patterns

RULES = Rules(translate_attributes=True)


def translated(source: str) -> str:
    document = extract(source, RULES)
    return joined(RULES, [document.rebuild([text.upper() for text in document.texts])]).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<img src="a.png" alt="Ein Hund">', '<img src="a.png" alt="EIN HUND">'),
        ("<p title='Tom&#39;s Hund'>ja</p>", "<p title='TOM&#x27;S HUND'>JA</p>"),
        ("<input placeholder=Name value=x>", '<input placeholder="NAME" value=x>'),
        ('<b title="a &amp; b">c</b>', '<b title="A &amp; B">C</b>'),
        ('<a TITLE="x" title="y">z</a>', '<a TITLE="X" title="y">Z</a>'),
        ('<a title="" alt title="x">z</a>', '<a title="" alt title="x">Z</a>'),
        ('<p translate="no" title="a"><img alt="b"></p>', '<p translate="no" title="a"><img alt="b"></p>'),
        ('<img translate="no" alt="b"><img alt="42">', '<img translate="no" alt="b"><img alt="42">'),
        ('<script title="a">x</script><i alt="b"/>', '<script title="A">x</script><i alt="B"/>'),
    ],
)
def test_values_are_translated_where_text_is(source: str, expected: str) -> None:
    assert translated(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<meta name="description" content="Ein Hund">', '<meta name="description" content="EIN HUND">'),
        ('<meta property="og:title" content="Ein Hund">', '<meta property="og:title" content="EIN HUND">'),
        ('<meta property="og:url" content="Ein Hund">', '<meta property="og:url" content="Ein Hund">'),
        ('<meta name="viewport" content="width=1">', '<meta name="viewport" content="width=1">'),
        ('<meta content="Ein Hund" name="twitter:title"/>', '<meta content="EIN HUND" name="twitter:title"/>'),
        ('<input type="submit" value="Suchen">', '<input type="submit" value="SUCHEN">'),
        ('<input type="text" value="Suchen">', '<input type="text" value="Suchen">'),
        ('<optgroup label="Tiere"><option label="Hund">', '<optgroup label="TIERE"><option label="HUND">'),
        ('<p label="Tiere">a</p>', '<p label="Tiere">A</p>'),
        ('<img alt="bild-1.png"><input placeholder="a@b.de">', '<img alt="bild-1.png"><input placeholder="a@b.de">'),
    ],
)
def test_what_a_page_says_about_itself_is_translated(source: str, expected: str) -> None:
    assert translated(source) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            '<html lang="de"><p lang=de-AT>a</p><i lang="fr">b</i><b lang="DE" translate="no">c</b>',
            '<html lang="en-GB"><p lang=en-GB>a</p><i lang="fr">b</i><b lang="DE" translate="no">c</b>',
        ),
        (
            '<html xml:lang="de" class="x" lang="de"><a hreflang="de">a</a>',
            '<html xml:lang="en-GB" class="x" lang="en-GB"><a hreflang="de">a</a>',
        ),
        ('<html><p lang="de">a</p>', '<html><p lang="de">a</p>'),
        ('<p lang="de">a</p>', '<p lang="de">a</p>'),
        ("<html lang>", "<html lang>"),
        ('<html lang="">', '<html lang="">'),
    ],
)
def test_the_root_names_the_new_language_and_what_was_translated_with_it(page: str, expected: str) -> None:
    assert in_language(page, "en-GB") == expected


@pytest.mark.parametrize(
    ("page", "language", "expected"),
    [
        ('<html lang="de"><p>x', "ar", '<html lang="ar" dir="rtl"><p>x'),
        ('<html lang="de" dir="ltr"><p dir="ltr">x', "he", '<html lang="he" dir="rtl"><p dir="ltr">x'),
        ("<html dir=rtl lang=ar>", "en", "<html dir=ltr lang=en>"),
        ('<html dir="auto"><p>x', "ar", '<html dir="auto"><p>x'),
    ],
)
def test_the_root_has_the_direction_of_the_new_language(page: str, language: str, expected: str) -> None:
    assert in_language(page, language) == expected


def test_without_the_rule_attributes_stay() -> None:
    assert extract('<img alt="Ein Hund">').texts == ()


def test_equal_values_are_one_text_and_protected_spans_stay() -> None:
    document = extract('<p title="Hund $X">a</p><p title="Hund $X">b</p>', RULES, compile_patterns(["$X"]))
    assert len(document.texts) == 3
    rebuilt = joined(RULES, [document.rebuild([text.replace("Hund", "dog") for text in document.texts])])
    assert rebuilt.text == '<p title="dog $X">a</p><p title="dog $X">b</p>'


def test_only_the_part_with_languages_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Token] = []

    class Counting(Tokenizer):
        def __iter__(self) -> Iterator[Token]:
            for token in super().__iter__():
                read.append(token)
                yield token

    monkeypatch.setattr(attributes, "Tokenizer", Counting)
    page = "<html lang=de><p>Eine Language</p>" + "<p>Text</p>" * 1000
    assert in_language(page, "en") == page.replace("lang=de", "lang=en")
    assert len(read) < 5
    read.clear()
    assert in_language(f"{page}<p lang = 'de'>", "en").endswith("<p lang = 'en'>")
    assert len(read) > 3000
