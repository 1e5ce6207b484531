"""Protected spans: which spans there are, that each comes back exactly once with any model, and at its place."""

import itertools
import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidRequest
from app.text.inline.target_tokens import Link
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import Protected, protect
from app.text.sentences import spans
from app.translation.attempts import Aligned, with_other_stand_ins
from tests.support.notation import translation

BRACES = compile_patterns([r"regex:\{\d+\}"])


def guard(text: str, *patterns: str) -> Protected:
    return protect(text, compile_patterns(patterns))


def names(protected: Protected) -> list[str]:
    return [protected.text[begin:end] for begin, end in protected.stand_ins]


PLACEHOLDERS = ("\ue000", "\ue001", "\ue002")


def word_by_word(text: str, translation: str) -> tuple[Link, ...]:
    """Links the n-th word of the one to the n-th of the other."""
    sides = ([match.span() for match in re.finditer(r"\w+", side)] for side in (text, translation))
    return tuple(Link(*source, *target) for source, target in zip(*sides, strict=True))


@pytest.mark.parametrize(
    ("text", "patterns", "spans"),
    [
        ("Hallo {{name}}, du hast %d Briefe.", ["{{name}}", "%d"], ["{{name}}", "%d"]),
        ("aaa", ["aa"], ["aa"]),  # a literal's matches don't overlap themselves
        ("Gib abcd ein", ["abc", "bcd"], ["abcd"]),  # overlapping: one span
        ("Gib abcd ein", ["ab", "cd"], ["abcd"]),  # touching: one span
        ("Gib %d%s ein", ["%d%s", "%d"], ["%d%s"]),  # one in the other
        ("Gib %d %s ein", ["%d", "%s"], ["%d", "%s"]),
        ("a.b axb", ["a.b"], ["a.b"]),  # a literal is no expression
        ("a.b axb", ["regex:a.b"], ["a.b", "axb"]),
        ("Straße $HOME_2 und ${x}", [r"regex:[$]\w+", r"regex:\$\{\w+\}"], ["$HOME_2", "${x}"]),
        ("nichts", ["regex:x*"], []),  # empty matches protect nothing
        ("😀 {0} 😀", ["{0}", "😀"], ["😀", "{0}", "😀"]),
        ("", ["x"], []),
    ],
)
def test_spans_are_what_the_patterns_match(text: str, patterns: list[str], spans: list[str]) -> None:
    protected = guard(text, *patterns)
    assert list(protected.spans) == spans
    assert protected.source == text
    assert protected.restore(protected.text).text == text


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([""], "pattern 1"),
        (["x", "regex:"], "pattern 2"),
        (["x" * 201], "200"),
        (["x"] * 101, "101"),
        (["regex:("], "RE2"),
        (["regex:(?=x)"], "RE2"),  # lookaround
        ([r"regex:(x)\1"], "RE2"),  # a backreference
        (["regex:\ud800"], "RE2"),
        ([r"regex:(?:[\p{L}\p{N}]{50}7)"] * 100, "pattern 1 is too large"),
    ],
)
def test_refuses_patterns_that_it_cannot_search(patterns: list[str], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        compile_patterns(patterns)


def test_takes_patterns_up_to_the_limits() -> None:
    patterns = [f"{number:0200}" for number in range(100)]
    assert compile_patterns(patterns).literals == tuple(patterns)


def test_an_expression_that_makes_others_hang_takes_no_time() -> None:
    text = "a" * 5_000 + "!"
    assert guard(text, "regex:(a|a)*(a+)+$").spans == ()


def test_searches_that_take_too_long_are_given_up_whether_in_one_text_or_in_many(monkeypatch) -> None:
    clock = (number / 100 for number in itertools.count())  # 10 ms a match
    monkeypatch.setattr("app.text.protection.patterns.time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert len(guard("a " * 150, "a").spans) == 150
    with pytest.raises(InvalidRequest, match="take too long"):
        guard("a " * 250, "a")
    patterns = compile_patterns(["a"])
    protect("a " * 150, patterns)
    with pytest.raises(InvalidRequest, match="take too long"):
        protect("a " * 150, patterns)


def test_what_matches_often_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.text.protection.patterns.time", SimpleNamespace(monotonic=lambda: 0.0))
    text = "a" * 100_000
    assert protect(text, compile_patterns(["a" * size for size in range(1, 101)])).spans == (text,)
    with pytest.raises(InvalidRequest, match=r"more than 100,000 spans to protect"):
        protect("a " * 100_001, compile_patterns(["a"]))


def test_places_are_counted_once_however_many_patterns_find_them() -> None:
    text = "siehe www.example.de und mail@example.com. " * 10_000
    assert len(protect(text, untranslatable(text, frozenset())).spans) == 20_000


def test_a_long_chain_of_numbers_takes_no_time() -> None:
    # Minutes, if each number in it were looked at to the end of the chain.
    text = "1" + ".1" * 100_000 + "x"
    assert protect(f"{text} a", compile_patterns(["a"])).restore(f"{text} Tom").text == f"{text} a"


def test_stand_ins_are_names_that_the_text_has_nowhere() -> None:
    protected = guard("Tom sah {0} in BOSTON, {1} und Thomas.", "{0}", "{1}")
    assert len(set(names(protected))) == 2
    assert all(protected.text.count(name) == 1 for name in names(protected))
    everybody = "Tom Boston Paris Berlin London Julia Peter Maria"
    [name] = names(guard(f"{everybody} {{0}}", "{0}"))
    assert name not in everybody


def test_placeholders_stand_in_where_the_model_knows_any() -> None:
    protected = protect("Tom sah {0}{1}, {2} und x{3}y.", BRACES, PLACEHOLDERS)
    assert protected.text == "Tom sah \ue000, \ue001 und x \ue002 y."
    restored = protected.restore("Tom saw \ue001s, and x\ue002y, \ue000\ue001.")
    assert (restored.text, restored.lost) == ("Tom saw {2}s, and x{3}y, {0}{1}.", ())


@pytest.mark.parametrize(
    ("text", "shown", "translation", "expected"),
    [
        ("Die {0}Seite{1} da", "Die \ue000 Seite \ue001 da", "The \ue000 page \ue001 there", "The {0}page{1} there"),
        ("Ja{0}Nein", "Ja \ue000 Nein", "Yes \ue000 no", "Yes{0}no"),
        ("Ja{0}Nein", "Ja \ue000 Nein", "\ue000", "{0}"),
        ("{0}Ja. {1}Nein.{2}", "\ue000 Ja. \ue001 Nein.\ue002", "\ue000 Yes. \ue001 No. \ue002", "{0}Yes. {1}No.{2}"),
        ("a{0}b{1}c", "a \ue000 b \ue001 c", "a \ue000 \ue001 c", "a{0}{1}c"),
        ("Von {0} nach {1}", "Von \ue000 nach \ue001", "From \ue000 to \ue001", "From {0} to {1}"),
    ],
)
def test_a_stand_in_is_kept_off_the_words_that_its_span_touches(text, shown, translation, expected) -> None:
    protected = protect(text, BRACES, PLACEHOLDERS)
    assert (protected.text, protected.source) == (shown, text)
    assert protected.restore(translation).text == expected


def test_the_placeholders_of_a_line_do_not_depend_on_other_lines() -> None:
    patterns = compile_patterns(["A", "B", "C"])
    text = "A und B\nC und B"
    assert protect(text, patterns, "12").text == "1 und 2\n1 und 2"
    assert protect(f"A\n{text}", patterns, "123").text == "1\n2 und 3\n1 und 2"
    assert protect(f"A\n{text}", patterns, "123", by_line=True).text == "1\n1 und 2\n1 und 2"


def test_a_mark_between_words_is_kept_off_a_stand_in() -> None:
    protected = protect("Ja &lt;b&gt; {0}.", untranslatable("&lt;b&gt;", frozenset()) | BRACES, PLACEHOLDERS)
    assert protected.restore("Yes \ue000.").text == "Yes &lt;b&gt; {0}."


TAGS = untranslatable("<b>", frozenset())


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("Klicke <b>hier</b> jetzt!", "Click here now!", "Click <b>here</b> now!"),
        ("<i>Ich komme.</i> <i>Er nicht.</i>", "I come. He not.", "<i>I come.</i> <i>He not.</i>"),
        ("<b>Ja</b>", "Yes", "<b>Yes</b>"),
        ("a <img> b", "c d", "c <img> d"),
    ],
)
def test_tags_go_with_their_words(text: str, translation: str, expected: str) -> None:
    protected = protect(text, TAGS)
    links = word_by_word(protected.text, translation)
    assert protected.restore(translation, links).text == expected


def test_a_tag_behind_a_break_belongs_to_the_text_behind_it() -> None:
    text = "[center][b]Ja[/b][/center]"
    protected = protect(text, untranslatable(text, frozenset()), PLACEHOLDERS)
    [sentence] = spans(protected.text, language="de")
    assert protected.part(*sentence).source == "[b]Ja[/b]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Es kostet <b>4.763,13</b> heute.", "Es kostet <b>4,763.13</b> heute."),
        ("Um <b>halb acht</b> kam er.", "Um <b>half past seven</b> kam er."),
        ('<a title="4.763,13">Preis</a> 4.763,13', '<a title="4.763,13">Preis</a> 4,763.13'),
        ("Gib {4.763,13} ein", "Gib {4.763,13} ein"),
    ],
)
def test_numbers_that_touch_tags_are_written_for_the_target(text: str, expected: str) -> None:
    known = frozenset(chr(code) for code in range(32, 127) if chr(code) not in "<>={}")  # as models know them
    protected = protect(text, untranslatable(text, known)._replace(numerals=("de", "en")), PLACEHOLDERS)
    assert protected.restore(protected.text).text == expected


@given(
    st.lists(st.sampled_from(["<b>", "</b>", "{0}", "ein ", "Haus", ". ", "Er", " ", "!"]), max_size=12).map("".join)
)
def test_sentences_with_tags_make_up_the_text(text: str) -> None:
    protected = protect(text, BRACES | TAGS, PLACEHOLDERS)
    assert protected.source == protected.restore(protected.text).text == text
    done, found = 0, ""
    for begin, end in spans(protected.text, language="de"):
        part = protected.part(begin, end)
        first = protected.offsets.begin(begin)
        found += text[done:first] + part.source
        done = first + len(part.source)
        restored = part.restore("Etwas \ue000 anderes.")
        assert all(restored.text.count(tag) == part.source.count(tag) for tag in ("<b>", "</b>", "{0}"))
    assert found + text[done:] == text


def test_a_placeholder_of_the_users_own_is_text() -> None:
    protected = protect("\ue000 sah {0}, {1} und {2}.", BRACES, PLACEHOLDERS)
    assert protected.text == "\ue000 sah \ue001, \ue002 und \ue001."  # in turn, as the links tell which is which
    restored = protected.restore("\ue002, \ue001 saw \ue000, \ue001.")
    assert (restored.text, restored.lost) == ("{1}, {0} saw \ue000, {2}.", ())
    [name] = names(protect(f"{''.join(PLACEHOLDERS)} {{0}}", BRACES, PLACEHOLDERS))
    assert name.isalpha()


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("{0} ist da.", "A is here.", "{0} is here."),
        ("Da ist {0}", "There is A", "There is {0}"),
        ("Da ist „{0}“!", 'There is "A"!', 'There is "{0}"!'),
        ("({0}), [{1}]: ja", "(A), [B]: yes", "({0}), [{1}]: yes"),
        ("Von {0} {1} gesehen", "Seen by A B", "Seen by {0} {1}"),
        ("Die {0} von {1}", "B's A", "{1}'s {0}"),
        ("Das Haus von {0}", "As house", "{0}s house"),  # with the ending of a German genitive
        ("Er sah {0} gestern", "Yesterday A he A saw A", "Yesterday {0} he saw"),  # doubled
    ],
)
def test_a_stand_in_that_came_through_becomes_its_span(text: str, translation: str, expected: str) -> None:
    protected = protect(text, BRACES)
    for letter, name in zip("AB", names(protected), strict=False):
        translation = re.sub(rf"\b{letter}(?=s?\b)", name, translation)
    restored = protected.restore(translation)
    assert (restored.text, restored.lost) == (expected, ())


def test_a_lost_span_stands_where_its_neighbours_are_and_is_reported() -> None:
    protected = protect("Ich sah {0} gestern", BRACES)
    translation = "Yesterday I saw"
    links = (Link(*word(protected.text, "gestern"), 0, 9), Link(0, 3, 10, 11), Link(4, 7, 12, 15))
    restored = protected.restore(translation, links)
    assert (restored.text, restored.lost) == ("Yesterday I saw {0}", ("{0}",))


def word(text: str, part: str) -> tuple[int, int]:
    return text.index(part), text.index(part) + len(part)


texts = st.lists(
    st.sampled_from(
        ["{0}", "{1}", "{22}", " ", " ", "der", "Hund", "Tom", "Boston's", "57", "ß", "。", ", ", ".", "\n", "(", "😀"]
    )
).map("".join)
outputs = st.lists(
    st.sampled_from(
        ["Tom", "Boston", "Paris", "Berlin", "Tom2", "Toms", "57", "70", "the", "dog", " ", " ", ".", "…", "!", "😀"]
    )
).map("".join)
links = st.lists(st.tuples(*[st.integers(0, 40)] * 4).map(lambda n: Link(*sorted(n[:2]), *sorted(n[2:]))), max_size=8)


@given(texts, outputs, links)
def test_whatever_a_model_writes_every_span_comes_back_exactly_once(text: str, output: str, links: list[Link]) -> None:
    protected = protect(text, BRACES)
    restored = protected.restore(output, links)
    assert sorted(re.findall(r"\{\d+\}", restored.text)) == sorted(re.findall(r"\{\d+\}", text))
    assert set(restored.lost) <= set(protected.spans)


@given(texts, outputs, links)
def test_with_placeholders_too_whatever_a_model_writes(text: str, output: str, links: list[Link]) -> None:
    text, output = (side.replace("ß", PLACEHOLDERS[1]).replace("Paris", PLACEHOLDERS[0]) for side in (text, output))
    protected = protect(text, BRACES, PLACEHOLDERS)
    restored = protected.restore(output, links)
    assert sorted(re.findall(r"\{\d+\}", restored.text)) == sorted(re.findall(r"\{\d+\}", text))
    assert protected.restore(protected.text).text == protected.source == text
    for attempt in with_other_stand_ins(protected) if protected.spans else ():
        joined = attempt.join([Aligned(output, tuple(links))] * len(attempt.texts))
        assert not joined or protected.restore(*joined).lost == ()


@given(texts)
def test_places_in_the_text_as_it_was(text: str) -> None:
    protected = protect(text, BRACES)
    offsets = protected.offsets
    assert protected.restore(protected.text).text == protected.source == text
    # Cut at the stand-ins, what lies between is the same, and each stand-in is its span.
    done = 0
    for (begin, end), span in zip(protected.stand_ins, re.findall(r"(?:\{\d+\})+", text), strict=True):
        assert text[offsets.end(done) : offsets.begin(begin)].strip(" ") == protected.text[done:begin].strip(" ")
        assert text[offsets.begin(begin) : offsets.end(end)] == span
        done = end
    assert text[offsets.end(done) :].strip(" ") == protected.text[done:].strip(" ")
    places = range(len(protected.text) + 1)
    assert all(offsets.begin(one) <= offsets.begin(other) for one, other in pairwise(places))
    assert all(offsets.begin(place) <= offsets.end(place) for place in places)


@given(texts)
def test_a_part_is_the_same_text_on_its_own(text: str) -> None:
    protected = protect(text, BRACES)
    # Behind the space that keeps a stand-in off what follows, if there is one.
    edges = [0, *(end + protected.text.startswith(" ", end) for _, end in protected.stand_ins), len(protected.text)]
    parts = [protected.part(begin, end) for begin, end in pairwise(edges)]
    assert "".join(part.text for part in parts) == protected.text
    assert "".join(part.source for part in parts) == text


@given(texts, outputs, links)
def test_further_attempts_lose_no_span(text: str, output: str, links: list[Link]) -> None:
    protected = protect(text, BRACES)
    if not protected.spans:
        return
    for attempt in with_other_stand_ins(protected):
        joined = attempt.join([Aligned(output, tuple(links))] * len(attempt.texts))
        if joined:
            assert protected.restore(*joined).lost == ()
    assert joined


def test_numbers_in_cells_without_words_are_written_for_the_target() -> None:
    text = "Lunch\t1:30 pm   24/7 | 9 a.m."
    protected = protect(text, untranslatable(text, frozenset())._replace(numerals=("en", "de")), PLACEHOLDERS)
    assert [(text[edit.begin : edit.end], edit.replacement) for edit in protected.rewrites()] == [
        ("1:30 pm", "13:30 Uhr"),
        ("9 a.m.", "9 Uhr"),
    ]
    assert translation(text, source="en", target="de") == "Lunch\t13:30 Uhr   24/7 | 9 Uhr"
