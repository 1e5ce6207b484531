"""Branches of messages are texts of their own; the syntax around them comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.notation import GARBLED, GARBLES, WORDS, check_kept, seen, texts_with, translation

_NAME = st.sampled_from(["n", "count", "num_files", "0"])
_TEXT = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
_KEYWORDS = st.lists(st.sampled_from(["=0", "=1", "one", "few", "many"]), max_size=3, unique=True)


def _message(name: str, kind: str, keywords: list[str], texts: list[str], space: str) -> tuple[str, list[str]]:
    """A message and the texts of its branches."""
    used = texts[: len(keywords) + 1]
    branches = [f"{key}{space}{{{text}}}" for key, text in zip([*keywords, "other"], used, strict=True)]
    return f"{{{name},{space}{kind},{space}{' '.join(branches)}}}", used


MESSAGES = st.builds(
    _message,
    _NAME,
    st.sampled_from(["plural", "selectordinal", "select"]),
    _KEYWORDS,
    st.lists(_TEXT, min_size=4, max_size=4),
    st.sampled_from([" ", "", "\n  "]),
)


@given(st.tuples(_TEXT, MESSAGES, _TEXT))
def test_each_branch_of_icu_is_a_text_of_its_own(parts: tuple[str, tuple[str, list[str]], str]) -> None:
    before, (message, texts), after = parts
    text = f"{before} {message} {after}."
    assert seen(text) == [before, *texts, f"{after}."]
    assert translation(text) == text
    shouted = translation(text, str.upper)
    for one in texts:
        message = message.replace(f"{{{one}}}", f"{{{one.upper()}}}")
    assert shouted == f"{before.upper()} {message} {after.upper()}."


@pytest.mark.parametrize("garble", GARBLED.values(), ids=GARBLED)
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Du hast {n, plural, offset:1 =0 {keine Datei} one {# Datei von {name}} other {# Dateien}}.",
            ["{n, plural, offset:1 =0 {", "} one {", "} other {", "{name}"],
        ),
        (
            "{g, select, male {{n, plural, one {eins} other {viele}}} other {{name} ging}} weg",
            ["{g, select, male {{n, plural, one {", "} other {viele}"[:9], "}}} other {", "{name}"],
        ),
        ("Es gibt {0,choice,0#nichts|1#eine Datei|1<{0} Dateien}", ["{0,choice,0#", "|1#", "|1<", "{0}"]),
        (
            "{ $count ->\n    [one] Eine Datei\n   *[other] { $count } Dateien\n}",
            ["{ $count ->\n    [one] ", "\n   *[other] ", "{ $count }", "\n}"],
        ),
        ("(1)[eine Datei];(2-inf)[viele Dateien];", ["(1)[", "];(2-inf)[", "];"[:1] + ";"]),
        ("{0} Nichts da|[1,19] Ein paar|[20,*] Viele", ["{0} ", "|[1,19] ", "|[20,*] "]),
    ],
)
def test_the_syntax_of_messages_stays(garble, text: str, kept: list[str]) -> None:
    translated = translation(text, garble)
    done = 0
    for piece in kept:
        assert translated.count(piece) == text.count(piece), translated
        assert "{name}" in piece or translated.index(piece, done) >= done
    assert translated.count("#") == text.count("#")


def test_doubled_apostrophes_of_icu_are_read_and_written() -> None:
    text = "{n, plural, one {It''s # dog} other {They''re # dogs}}"
    assert seen(text) == ["It's \ue000 dog", "They're \ue001 dogs"]
    assert translation(text, str.upper) == "{n, plural, one {IT''S # DOG} other {THEY''RE # DOGS}}"


CALLS = st.sampled_from(
    [
        "$t(boys)",
        '$t(boys, {"count": {{boys}} })',
        "$t(ns:key.of.it, { 'a': (1) })",
        '{ DATETIME($date, month: "long") }',
        "{ $name }",
        "{ -brand }",
        '{ NUMBER($n, style: "percent") }',
        "{ menu.label }",
        '{"{"}',
        "{day, date, short}",
        "{now,time}",
        "{n, number, ::currency/EUR}",
        "{{ value, number }}",
        "{{- raw}}",
    ]
)


@given(GARBLES, texts_with(CALLS))
def test_calls_and_arguments_come_back_once(garble, text_and_pieces: tuple[str, list[str]]) -> None:
    text, pieces = text_and_pieces
    check_kept(text, pieces, translation(text, garble))


@pytest.mark.parametrize(
    "text",
    ["Das {ist, wie gesagt, gut", "eine Liste {a, b}: [one] two", "a -> b und c", "(1)eins und [zwei]"],
)
def test_prose_has_no_branches(text: str) -> None:
    assert translation(text, str.upper) == text.upper()


def test_ordinals_are_no_words() -> None:
    text = "{n, selectordinal, one {#st place} two {#nd} few {#rd} other {#th}}"
    assert translation(text, str.upper) == text.replace("place", "PLACE")
