"""Directives of format strings come back as they were; a percent sign of prose is one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.notation import GARBLED, GARBLES, check_kept, seen, texts_with, translation

_WIDTH = st.sampled_from(["", "5", "05", "12", "*"])
_PRECISION = st.sampled_from(["", ".2", ".0", ".*", ".10"])
C = st.builds(
    "%{}{}{}{}{}".format,
    st.sampled_from(["", "-", "+", "#", "0", "'", "-0", "+-"]),
    _WIDTH,
    _PRECISION,
    st.sampled_from(["", "hh", "h", "l", "ll", "L", "q", "j", "z", "t"]),
    st.sampled_from("diouxXeEfFgGaAcsp"),
)
PYTHON = st.builds(
    "%({}){}{}{}{}".format,
    st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
    st.sampled_from(["", "-", "+", "#", "0"]),
    st.sampled_from(["", "5", "05"]),
    st.sampled_from(["", ".2"]),
    st.sampled_from("diouxXeEfFgGcrsa"),
)
JAVA = st.builds(
    "%{}${}{}{}{}".format,
    st.integers(1, 12),
    st.sampled_from(["", "-", ",", "+", "0", "(", ",("]),
    st.sampled_from(["", "8"]),
    st.sampled_from(["", ".3"]),
    st.sampled_from("bBhHsScCdoxXeEfgGaA"),
)
OBJECTIVE_C = st.builds("%{}{}".format, st.sampled_from(["", "1$", "2$"]), st.sampled_from(["@", "ld", "lu", "zd"]))
QT = st.sampled_from(["%1", "%2", "%L1", "%99", "%n", "%Ln"])
FIELDS = st.builds(
    "{{{}{}{}}}".format,
    st.sampled_from(["", "0", "name", "user.name", "items[0]"]),
    st.sampled_from(["", "!r", "!s"]),
    st.sampled_from(["", ":>10", ":.2f", ":N2", ":,", ":%d.%m.%Y"]),
)
DIRECTIVES = st.one_of(C, PYTHON, JAVA, OBJECTIVE_C, QT, FIELDS)


@given(GARBLES, texts_with(DIRECTIVES))
def test_each_directive_comes_back_once(garble, text_and_pieces: tuple[str, list[str]]) -> None:
    text, pieces = text_and_pieces
    translated = translation(text, garble)
    if not any(one != other and one in other for one in pieces for other in pieces):
        check_kept(text, pieces, translated)


@given(st.lists(st.one_of(C, PYTHON, st.just("%%")), min_size=1, max_size=4).map("".join), GARBLES)
def test_directives_side_by_side_stay_together(run: str, garble) -> None:
    check_kept(run, [run], translation(f"Hund {run} Katze", garble))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Download finished: %d%% of %s", ["%d%%", "%s"]),
        ("100%% fertig", ["100%%"]),
        ("%s%% of %s", ["%s%%", "%s"]),
        ("%05.2f percent", ["%05.2f"]),
        ("%-5.1f%% done", ["%-5.1f%%"]),
        ("%lld photos", ["%lld"]),
        ("%+d degrees", ["%+d"]),
        ("Saved %% in total", ["%%"]),
        ("%1$,d users", ["%1$,d"]),
        ("%dMB of %1$sx, %.*f and %*d", ["%d", "%1$s", "%.*f", "%*d"]),
        ("At %H:%M on %d.%m.%Y, %tY or %1$tB", ["%H", "%M", "%d", "%m", "%Y", "%tY", "%1$tB"]),
        ("%#@files@ and %{count} or %<n>d", ["%#@files@", "%{count}", "%<n>d"]),
        ("Der Wert % d ist da", ["% d"]),
        ("my%20new%C3%A4 file", ["my%20new%C3%A4"]),
        ("{} of {:.2f}, {0:N2} and {when:%d %B}", ["{}", "{:.2f}", "{0:N2}", "{when:%d %B}"]),
    ],
)
def test_directives(text: str, kept: list[str]) -> None:
    for garble in GARBLED.values():
        translated = translation(text, garble)
        found = re.sub("|".join(map(re.escape, sorted(set(kept), key=len, reverse=True))), "\0", translated)
        assert found.count("\0") == len(kept) and "%" not in found and "{" not in found, translated


@pytest.mark.parametrize(
    "text",
    [
        "100 % finished and 5% discount, 50 % dieser Leute, 10% so",
        "100%ige Sicherheit, 5%er, 80%d der Leute",
        "Das sind 3 % i, 7 % d und 9 % Fett",
    ],
)
def test_percent_signs_of_prose_are_left_to_the_model(text: str) -> None:
    assert " ".join(seen(text)) == text
