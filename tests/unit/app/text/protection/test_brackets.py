"""Tags in square brackets, and tags of HTML in plain text: elements around their words."""

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.text.markup.extraction import HTML, extract
from app.text.protection.defaults import untranslatable
from app.text.protection.protected import protect
from tests.support.notation import GARBLED, GARBLES, KNOWN, WORDS, check_seen, seen, translation

_INLINE = st.sampled_from(["[b]{}[/b]", "[i]{}[/i]", "[url=https://x.de/a?b=1]{}[/url]", '[box title="a b"]{}[/box]'])
_TAGS = st.sampled_from(["<b>{}</b>", "<i>{}</i>", '<a href="/a">{}</a>', "<1>{}</1>", "{{em}}{}{{/em}}"])


def nested(pairs: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Words, some of them in elements, which may be nested."""
    words = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
    return st.recursive(
        words,
        lambda inner: st.lists(st.builds(str.format, pairs, inner) | words, min_size=1, max_size=3).map(" ".join),
        max_leaves=5,
    )


def tags(text: str) -> list[str]:
    """The tags of the made-up texts, in order."""
    return [part[0] + part[1] for part in _TAG.findall(text)]


_TAG = re.compile(r"(\[/?[a-z][^\]]*\])|(</?[a-z1][^>]*>|\{/?em\})")
_NAME = re.compile(r"[a-z1]+")


def is_nested(text: str) -> bool:
    """Whether each tag is closed, in order."""
    open_: list[str] = []
    for tag in tags(text):
        name = _NAME.search(tag)
        assert name
        if "/" not in tag[:2]:
            open_.append(name[0])
        elif not open_ or open_.pop() != name[0]:
            return False
    return not open_


@given(GARBLES, nested(st.one_of(_INLINE, _TAGS)))
@example(GARBLED["reversed"], "{em}{em}Hund Katze{/em}{/em}")
def test_tags_come_back_once_and_nested(garble, text: str) -> None:
    translated = translation(text, garble)
    assert sorted(tags(translated)) == sorted(tags(text))
    assert is_nested(translated), (text, translated)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("[quote]Das ist gut.[/quote]", ["Das ist gut."]),
        ("[list][*]Eins da[*]Zwei da[/list]", ["Eins da", "Zwei da"]),
        ('[contact-form-7 id="123" title="Kontakt"]', []),
        ('[gallery ids="1,2,3"]\nUnser Hund', ["Unser Hund"]),
        ('Er kostet [price id="3"] Euro.', ["Er kostet \ue000 Euro."]),
        ("[code]x = 1 und y[/code] ist gut", ["ist gut"]),
        ("[url=https://x.de]Mehr lesen[/url]", ["Mehr lesen"]),
        ('[vc_row][vc_column width="1/2"]Ein Hund[/vc_column][/vc_row]', ["Ein Hund"]),
    ],
)
def test_words_in_brackets_tags_are_translated(text: str, sentences: list[str]) -> None:
    check_seen(text, sentences)


@pytest.mark.parametrize(
    "text", ["Er sagte [sic] nichts.", "Siehe [1] und [Meier 2020].", "[Bitte klingeln] und [b] dann", "a[i] = b"]
)
def test_brackets_of_prose_are_left_to_the_model(text: str) -> None:
    assert protect(text, untranslatable(text, frozenset())).spans == ()
    assert not untranslatable(text, frozenset()).brackets or "[" in " ".join(seen(text))


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        ('<p>[caption id="a_1" width="3"]<img src="a.jpg"/> Unser Hund[/caption]</p>', ("Unser Hund",)),
        ("<p>[b]Ein <i>Hund</i>[/b] bellt</p>", ("Ein Hund bellt",)),
        ('<p>[contact-form-7 id="123" title="Kontakt"]</p>', ()),
        ("<p>[quote]Das ist gut.[/quote]</p>", ("\u2029Das ist gut.\u2029",)),
        ("<p>Das ist &lt;b&gt;ein Hund&lt;/b&gt;.</p>", ("Das ist ein Hund.",)),
        ('<p>Ein &lt;a href="/a"&gt;<i>guter</i> Hund&lt;/a&gt; bellt</p>', ("Ein guter Hund bellt",)),
    ],
)
def test_brackets_in_html(markup: str, texts: tuple[str, ...]) -> None:
    document = extract(markup, HTML, untranslatable(markup, frozenset(KNOWN)))
    assert document.texts == texts
    assert document.rebuild(document.texts).text == markup
    shouted = document.rebuild([text.upper() for text in document.texts]).text
    assert shouted.lower() == markup.lower()
    assert sorted(tags(shouted)) == sorted(tags(markup))


@pytest.mark.parametrize("text", ["Das Element <div> ist gut", "Das Ende </b> ist gut"])
def test_a_tag_alone_in_html_is_what_the_text_is_about(text: str) -> None:
    markup = html.escape(text)
    assert extract(markup, HTML, untranslatable(markup, frozenset(KNOWN))).texts == (text,)
