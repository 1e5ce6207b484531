"""Words in capitals among others are translated in small letters, and come back in capitals."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.translation.emphasis import emphasised, with_emphasis
from app.translation.sentence import SentenceTranslation, TextTranslation
from tests.support.questions import answered_by


def answer(source: str, text: str, score: float, words: Mapping[str, str] | None = None) -> SentenceTranslation:
    links = tuple(
        Link(source.index(own), source.index(own) + len(own), text.index(other), text.index(other) + len(other))
        for own, other in (words or {}).items()
    )
    return SentenceTranslation(
        source=source, source_begin=0, text=text, target_begin=0, score=score, alternatives=(), alignment=links
    )


ANSWERS = {
    each.source: each
    for each in (
        answer("Das ist sehr wichtig.", "That is very important.", -0.3, {"sehr": "very", "wichtig": "important"}),
        answer("Das ist Sehr Wichtig.", "That is Very Time.", -2.0),
        answer("Die Unesco ist da.", "The unesco is there.", -3.0, {"Unesco": "unesco"}),
    )
}


async def translate(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
    assert options.alignment
    found = [ANSWERS.get(text) or answer(text, text, -9.0) for text in texts]
    return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]


async def emphatic(source: str, stand_ins: Sequence[tuple[int, int]] = ()) -> str | None:
    found = await answered_by(translate, with_emphasis(answer(source, "?", -1.0), stand_ins, SearchOptions()))
    assert found is None or not found.alignment  # the request hasn't asked for it
    return found and found.text


async def test_the_likeliest_translation_gets_its_capitals() -> None:
    assert await emphatic("Das ist SEHR WICHTIG.") == "That is VERY IMPORTANT."
    assert await emphatic("Die UNESCO ist da.") is None  # the first translation is likelier
    assert await emphatic("Das ist SEHR WICHTIG.", [(8, 20)]) is None


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("WICHTIG: Das ist SEHR GUT GEMACHT.", ["WICHTIG", "SEHR", "GUT", "GEMACHT"]),
        ("Bitte NICHT berühren", ["NICHT"]),
        ("Die NATO und die USA, HTML5 und MAX_VALUE", []),
        ("HALT: Das NATO-Tor, die NATO", ["HALT"]),
        ("EU: Die NATO: nein; TIPP 5: ja", []),
        ("BITTE WARTEN", []),
        ("Der NVIDIA-Treiber von @ANNA_MARIA in C:/WINDOWS", []),
    ],
)
def test_which_words_are_in_capitals(sentence: str, words: list[str]) -> None:
    assert [sentence[begin:end] for begin, end in emphasised(sentence)] == words


@given(st.text("AÄßaİ :.-'5", max_size=40))
def test_words_are_in_order_and_disjoint(sentence: str) -> None:
    ends = [place for word in emphasised(sentence) for place in word]
    assert ends == sorted(ends) and len(set(ends)) == len(ends)
