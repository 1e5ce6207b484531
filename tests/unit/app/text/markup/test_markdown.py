"""Markdown that CommonMark doesn't know, and characters that would become markup."""

import string
from html import escape

import pytest
from markdown_it import MarkdownIt

from app.text.markup.extraction import MARKDOWN, extract
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import compile_patterns

KNOWN = frozenset(string.ascii_letters + " .,!?()'")


def reversed_words(source: str) -> str:
    """A translation with the words in reverse order; unknown characters stay unchanged."""
    document = extract(source, MARKDOWN, untranslatable(source, KNOWN))
    return document.rebuild([" ".join(text.split()[::-1]) for text in document.texts]).text


def html(source: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(source)


@pytest.mark.parametrize(
    "source",
    [
        "Write &lt;img src=x onerror=alert(1)&gt; in a text.",
        "Write &lt; b> in a text.",
        "\\# is a sign.",
        "\\~~~ no code\nat all",
        "\\`a and b\\` again",
    ],
)
def test_what_was_escaped_is_no_markup_afterwards(source: str) -> None:
    rendered = html(reversed_words(source))
    assert not any(tag in rendered for tag in ("<img", "<b>", "<h1", "<pre", "<code"))
    assert sorted("".join(rendered.split())) == sorted("".join(html(source).split()))


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("## [Unreleased]", "[Kommt noch]", "## [Kommt noch]"),
        ("One [two] three", "Eins [zwei] drei", "Eins [zwei] drei"),
        ("One \\[two\\] three", "Eins [zwei] drei", "Eins \\[zwei\\] drei"),
        ("[two] (x)", "[zwei](x)", "\\[zwei\\](x)"),
        ("One [two] three\n\n[zwei]: /x", "Eins [zwei] drei", "Eins \\[zwei\\] drei\n\n[zwei]: /x"),
        ("[A note]: it is", "[Notiz]: ist", "\\[Notiz\\]: ist"),
    ],
)
def test_brackets_stay_as_they_were_where_they_make_no_link(source: str, translation: str, expected: str) -> None:
    document = extract(source, MARKDOWN, untranslatable(source, KNOWN))
    assert document.rebuild([translation]).text == expected


def test_what_was_escaped_in_a_table_makes_no_cell() -> None:
    source = "| yes \\| no | or |\n|---|---|\n| a \\| b | c |"
    assert html(reversed_words(source)).count("<td>") == 2
    assert html(reversed_words(source)).count("<th>") == 2
    document = extract("One {{a|b}} two", MARKDOWN, compile_patterns(["regex:{{.*}}"]))
    assert "{{a|b}}" in document.rebuild([document.texts[0].upper()]).text  # the user's own, outside of tables


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("---\ntags: A tag\n---\nOne two", "---\ntags: A tag\n---\ntwo One"),
        ("---\ntags: A tag\n...\nOne two", "---\ntags: A tag\n...\ntwo One"),
        ("See [[Main Page]] and ![[my picture.png]] now", "now ![[my picture.png]] and [[Main Page]] See"),
        ("Very good[^1] and more.\n\n[^1]: https://x.de/a", "more.[^1] and good Very\n\n[^1]: https://x.de/a"),
        ("> [!NOTE]\n> This is important.", "> [!NOTE]\n> important. is This"),
        (":::note\nThis is important.\n:::", ":::note\nimportant. is This\n:::"),
        (":::tip[A title]{#id}\nThis is important.\n:::", ":::tip[title A]{#id}\nimportant. is This\n:::"),
        (":::tip[A title]\n\nOne two\n\n:::", ":::tip[title A]\n\ntwo One\n\n:::"),
        ("One two\n::: info A title\nThree four\n:::", "two One\n::: info title A\nfour Three\n:::"),
        ("::: {.note key=value}\nOne two\n:::", "::: {.note key=value}\ntwo One\n:::"),
        ("::::: Warning ::::::\nOne two\n:::::", "::::: Warning ::::::\ntwo One\n:::::"),
        ("!!! note\n    This is important.", "!!! note\n    important. is This"),
        ('??? tip "A title"\n    This is important.', '??? tip "title A"\n    important. is This'),
        ("!!! This is important", "important is This !!!"),
        ("See $a + b$ and $$c$$ now", "now $$c$$ and $a + b$ See"),
        ("It costs $5 or $10 now", "now $10 or $5 costs It"),
        ("It costs $5m-$10m or ($x$) now", "now ($x$) or $5m-$10m costs It"),
        ("From A$ to B$ and $foo bar$ now", "now bar$ $foo and B$ to A$ From"),
        ("Take $2x$ and $\\alpha b$ now", "now $\\alpha b$ and $2x$ Take"),
        (
            "::: tip A title\nThis is important.\n\nThat too.\n:::",
            "::: tip title A\nimportant. is This\n\ntoo. That\n:::",
        ),
    ],
)
def test_what_commonmark_does_not_know_is_kept(source: str, expected: str) -> None:
    assert reversed_words(source) == expected


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        ("1.5 kg of flour", "1.5 kg of flour"),
        ("-5 °C", "-5 °C"),
        ("+49 30 1234", "+49 30 1234"),
        ("1. May", "1\\. May"),
        ("1) One", "1\\) One"),
        ("- no item", "\\- no item"),
        ("> no quotation", "\\> no quotation"),
        ("---", "\\---"),
        ("===", "\\==="),
        ("2024.", "2024\\."),
    ],
)
def test_only_what_would_begin_a_block_is_escaped(translation: str, expected: str) -> None:
    written = extract("Ein Text", MARKDOWN).rebuild([translation]).text
    assert written == expected
    assert html(f"One\n{written}") == html("One\n§").replace("§", escape(translation))
