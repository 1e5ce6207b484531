"""A language without a room keeps its text: what goes through the pipeline is neither lost nor damaged nor split."""

import asyncio
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.translation.pipeline import Translator
from app.translation.request import TranslationRequest
from languages.registry import language_of, rooms
from tests.support.fakes import DETECTOR, FakeEngine

# Codes of languages with the first and last letter of their scripts, and their own marks.
SCRIPTS = {
    "tr": ("aâçğıöşüzABÇİŞZ", ".?!,;:"),
    "ru": ("абвгдежзийклмнопрстуфхцчшщъыьэюяАЖЯ", ".?!,«»"),
    "el": ("αβγδεζηθικλμνξοπρστυφχψωάήςΑΩ", ".;!·,«»"),
    "ar": ("ابتثجحخدذرزسشصضطظعغفقكلمنهويةىء", ".؟!،؛"),
    "he": ("אבגדהוזחטיכךלמםנןסעפףצץקרשת", ".?!,״"),
    "hi": ("अआइईउऊएऐकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह", "।?!,"),
    "th": ("กขคงจฉชซญดตถทธนบปผพภมยรลวสหอาเแโใไ", " "),
    "zh-Hant": ("的一是不了人我在有他這為之大來以個中上們", "。？！，、「」"),
    "ja": ("あいうえおかきくけこアイウエオ日本語今天気", "。？！、「」"),
    "ko": ("가나다라마바사아자차카타파하한국어", ".?!,"),
    "hy": ("աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ", "։՞՜,«»"),
    "ka": ("აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ", ".?!,„“"),
    "am": ("ሀሁሂለሉመሙሠረሰሸቀበተቸኀነኘአከኸወዐዘዠየደጀገጠጨጰጸፀፈፐ", "።፣?!"),
}
QUOTES = re.compile('[„“”«»「」"]')


class Echo(FakeEngine):
    """Gives back every sentence."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (sentence,)


def texts(code: str) -> st.SearchStrategy[str]:
    letters, marks = SCRIPTS[code]
    word = st.text(letters, min_size=1, max_size=9)
    number = st.integers(0, 9999).map("  {}  ".format)  # apart: others are written in the target's notation
    piece = word | word | number | st.sampled_from([*marks, "🙂", "(", ")", "-", "e\u0301"])
    space = st.sampled_from(["", " ", " ", " ", "\n", "\n\n", "\u00a0", "\t"])
    return st.lists(st.tuples(piece, space).map("".join), max_size=25).map("".join)


PAIRS = frozenset((one, other) for one in SCRIPTS for other in SCRIPTS if one != other)
CASES = st.sampled_from(sorted(PAIRS)).flatmap(lambda pair: st.tuples(st.just(pair), texts(pair[0])))


def without_conventions(text: str) -> str:
    """The text without what the target language may write otherwise: quotation marks, and spaces that don't break."""
    return QUOTES.sub("", text).replace("\u00a0", " ")


def test_none_of_them_has_a_room() -> None:
    assert {room.code for room in rooms()}.isdisjoint(language_of(code).code for code in SCRIPTS)


@given(CASES)
def test_nothing_is_lost_damaged_or_split(case: tuple[tuple[str, str], str]) -> None:
    (source, target), text = case
    request = TranslationRequest(
        texts=(text,), source=source, target=target, options=SearchOptions(beam_size=1), details=True
    )
    [item] = asyncio.run(Translator(Echo(PAIRS), DETECTOR).translate(request)).items
    assert without_conventions(item.text) == without_conventions(text)
    for block in item.blocks:
        done = 0
        for sentence in block:
            begin, end = sentence.source_begin, sentence.source_begin + len(sentence.source)
            assert text[begin:end] == sentence.source and done <= begin < end
            assert not (text[:begin][-1:].isalnum() and text[begin].isalnum()) or text[begin - 1] in SCRIPTS[source][1]
            assert end == len(text) or not unicodedata.combining(text[end])
            done = end
