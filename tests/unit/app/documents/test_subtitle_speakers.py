"""Subtitles: a line that begins with a speaker stays a line, a title stays apart, and times keep their words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents import ShoutingEngine, translate

CUE = "{}\n00:00:{:02},000 --> 00:00:{:02},900\n{}\n\n"


class LongEngine(ShoutingEngine):
    """Writes many words."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (f"{sentence.upper()} UND NOCH VIEL MEHR",)


def cue(text: str, engine: ShoutingEngine | None = None, name: str = "a.srt") -> str:
    return translate(CUE.format(1, 1, 2, text).encode(), name, engine=engine).decode().split("\n", 2)[2].rstrip("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JOHN: Komm her!\nMARY: Warum?", "JOHN: KOMM HER!\nMARY: WARUM?"),
        ("JOHN: Komm her!\nMARY: Warum sollte ich\nkommen?", "JOHN: KOMM HER!\nMARY: WARUM SOLLTE\nICH KOMMEN?"),
        ("- Komm her!\n- Warum?", "- KOMM HER!\n- WARUM?"),
        ("-JOHN: Komm her!\n-MARY: Warum?", "-JOHN: KOMM HER!\n-MARY: WARUM?"),
        ("<i>JOHN: Komm her!\nMARY: Warum?</i>", "<i>JOHN: KOMM HER!\nMARY: WARUM?</i>"),
        ("[JOHN]: Komm her!\n[MR. X]: Warum?", "[JOHN]: KOMM HER!\n[MR. X]: WARUM?"),
        ("Anna: Komm her!\nBen: Warum?", "ANNA: KOMM HER!\nBEN: WARUM?"),
        ("DER GROSSE HUND\nEin Film von mir", "DER GROSSE HUND\nEIN FILM VON MIR"),
        ("[Tür knallt]\nWer ist da?", "[TÜR KNALLT]\nWER IST DA?"),
        ("Wer ist da?\n(lacht)", "WER IST DA?\n(LACHT)"),
        ("JOHN: Komm her und", "JOHN: KOMM HER UND"),
    ],
)
def test_who_speaks_begins_a_line(text: str, expected: str) -> None:
    assert cue(text) == expected


def test_a_longer_translation_stays_with_its_speaker() -> None:
    lines = cue("JOHN: Komm her!\nMARY: Warum sollte ich das denn jetzt tun?", LongEngine()).split("\n")
    assert [line for line in lines if ":" in line] == [lines[0], *[line for line in lines if line.startswith("MARY: ")]]
    assert lines[0] == "JOHN: KOMM HER! UND NOCH VIEL MEHR!"
    assert " ".join(lines[1:]) == "MARY: WARUM SOLLTE ICH DAS DENN JETZT TUN? UND NOCH VIEL MEHR?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<v Anna>Komm!</v>\n<v Ben>Warum?</v>", "<v Anna>KOMM!</v>\n<v Ben>WARUM?</v>"),
        ("<v Anna>Komm!\n<v Ben>Warum?", "<v Anna>KOMM!\n<v Ben>WARUM?"),
        ("<v.laut Anna>Komm <i>her</i>!</v>", "<v.laut Anna>KOMM <i>HER</i>!</v>"),
        ("<00:01.100>Eins <00:01.200>zwei <00:01.300>drei", "<00:01.100>EINS <00:01.200>ZWEI <00:01.300>DREI"),
        (
            "eins<00:01.200><c> zwei</c><00:01.500><c> drei</c>\nvier<00:01.700><c> fünf</c>",
            "EINS<00:01.200><c> ZWEI</c><00:01.500><c> DREI</c>\nVIER<00:01.700><c> FÜNF</c>",
        ),
    ],
)
def test_voices_and_times_of_webvtt_stay(text: str, expected: str) -> None:
    assert cue(text, name="a.vtt") == expected


def test_a_cue_without_words_stays() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>\n\n00:02.000 --> 00:03.000\nund das\n"
    assert translate(text.encode(), "a.vtt").decode() == text.replace("und das", "UND DAS")


def test_a_line_of_spaces_is_no_end_of_a_cue() -> None:
    times = "00:00:00.160 --> 00:00:02.550 align:start position:0%"
    source = f"WEBVTT\n\n{times}\n \nhallo<00:00:00.480><c> und</c>\n\n{times}\nhallo und\n \n\n"
    expected = source.replace("hallo", "HALLO").replace("und", "UND")
    assert translate(source.encode(), "a.vtt").decode() == expected


class ShortEngine(ShoutingEngine):
    """Forgets the words of a sentence but for the first one."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (sentence.split()[0].upper(),)


def test_times_share_other_numbers_of_words() -> None:
    text = "<00:01.100>Eins <00:01.200>zwei <00:01.300>drei <00:01.400>vier"
    for engine in (LongEngine(), ShortEngine()):
        found = cue(text, engine, "a.vtt")
        assert re.findall(r"<[^>]+>", found) == re.findall(r"<[^>]+>", text)
        assert all(part.split() for part in re.split(r"<[^>]+>", found)[1:])
    assert found == text.upper()


WORDS = st.lists(st.sampled_from("Der Hund läuft über die Wiese und sieht Katzen".split()), min_size=1, max_size=5)
LINE = st.tuples(
    st.sampled_from(["JOHN: ", "MARY ANN: ", "- ", "- JOHN: ", ">> "]), WORDS.map(" ".join), st.sampled_from("?!.…")
).map("".join)
TEXT = st.lists(LINE, min_size=1, max_size=3).map("\n".join)


@given(st.lists(TEXT, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["a.srt", "a.vtt"]))
def test_all_but_the_words_of_speakers_is_as_it_was(texts: list[str], line_end: str, name: str) -> None:
    source = "".join(CUE.format(number, number, number, text) for number, text in enumerate(texts, 1))
    source = source.replace("\n", line_end)
    times = re.compile(r"[\d:,]+ --> [\d:,]+")
    translated = translate(source.encode(), name).decode()
    assert translated == times.sub(lambda match: match[0], source.upper())
