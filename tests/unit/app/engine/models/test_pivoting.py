import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from app.engine.interface import (
    Alternative,
    Event,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextKey,
    TextTranslation,
    Timing,
    TokenEvent,
    collect,
)
from app.engine.models.pivoting import compose, first_options, pivot
from app.engine.options import SearchOptions
from app.engine.text_builder import TextBuilder
from app.errors import ModelFailure
from app.text.inline.target_tokens import Link
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Term, TermStatus, TermUse, uses

pytestmark = pytest.mark.anyio


def sentence(source: str, text: str, **others) -> SentenceTranslation:
    values = {"source_begin": 0, "target_begin": 0, "score": -1.0, "alternatives": ()} | others
    return SentenceTranslation(source=source, text=text, **values)


def whole(*sentences: SentenceTranslation, gaps: Sequence[str] = ("", " ", " ")) -> TextTranslation:
    assembly = TextBuilder()
    for gap, each in zip(gaps, sentences, strict=False):
        assembly.add(gap, each)
    return assembly.finish("")


def link(source: tuple[int, int], target: tuple[int, int]) -> Link:
    return Link(*source, *target)


class First:
    """Hands out the words of texts as sentences, each in capitals; remembers how far it got."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.handed_out = 0
        self.closed = False

    async def stream(self, texts: Sequence[str]) -> AsyncGenerator[Event, None]:
        try:
            for place, text in enumerate(texts):
                assembly, done = TextBuilder(), 0
                for word in text.split():
                    begin = text.index(word, done)
                    gap, done = text[done:begin], begin + len(word)
                    if word == "fail" and self.error:
                        raise self.error
                    self.handed_out += 1
                    yield SentenceEvent(TextKey(place), assembly.add(gap, sentence(word, word.upper())))
                yield TextEvent(TextKey(place), assembly.finish(text[done:]))
            yield Timing(queue_s=0.25, encode_s=0.5, decode_s=1.0)
        finally:
            self.closed = True


async def bracket(text: str, terms: Sequence[Term] = ()) -> tuple[list[TextTranslation], Timing]:
    return [whole(sentence(text, f"<{text}>"))], Timing(encode_s=0.125)


async def test_every_sentence_goes_through_both_and_what_stands_between_them_stays():
    texts = [" a b\n\tc ", "", "d"]
    translations, timing = await collect(pivot(texts, First().stream(texts), bracket, "en"))
    assert [each.text for each in translations] == [" <A> <B>\n\t<C> ", "", "<D>"]
    assert [each.pivot for each in translations] == ["en", None, "en"]
    for text, translation in zip(texts, translations, strict=True):
        for each in translation.sentences:
            assert text[each.source_begin :].startswith(each.source)
            assert translation.text[each.target_begin :].startswith(each.text)
    assert (timing.queue_s, timing.encode_s) == (0.25, 0.625)
    assert timing.decode_s >= 0


async def test_sentences_are_handed_out_as_they_come_and_there_are_no_tokens():
    may_end = asyncio.Event()

    async def first() -> AsyncGenerator[Event, None]:
        yield TokenEvent(TextKey(0), "A")
        yield SentenceEvent(TextKey(0), sentence("a", "A"))
        await may_end.wait()
        yield TextEvent(TextKey(0), whole(sentence("a", "A")))

    events = pivot(["a"], first(), bracket, "en")
    event = await anext(events)
    assert isinstance(event, SentenceEvent) and event.sentence.text == "<A>"
    may_end.set()
    assert [type(event) async for event in events] == [TextEvent, Timing]


async def test_the_second_half_runs_beside_the_first_and_the_order_stays():
    gates = {name: asyncio.Event() for name in "ABC"}
    running: set[str] = set()

    async def translate(text: str, terms: Sequence[Term]) -> tuple[list[TextTranslation], Timing]:
        running.add(text)
        if running == set(gates):
            gates["C"].set()  # the last may end first, but only when all are under way
        await gates[text].wait()
        gates[chr(ord(text) - 1)].set() if text > "A" else None
        return await bracket(text)

    translations, _ = await collect(pivot(["a b c"], First().stream(["a b c"]), translate, "en"))
    assert translations[0].text == "<A> <B> <C>"


async def test_a_book_does_not_wait_in_memory():
    first = First()
    text = "x " * 10_000
    events = pivot([text], first.stream([text]), bracket, "en")
    await anext(events)
    for _ in range(1_000):
        await asyncio.sleep(0)
    assert first.handed_out < 100
    await events.aclose()
    assert first.closed


async def test_an_error_of_the_first_comes_after_what_was_done():
    error = ModelFailure("broken")
    events = pivot(["a fail"], First(error).stream(["a fail"]), bracket, "en")
    assert isinstance(await anext(events), SentenceEvent)
    with pytest.raises(ModelFailure) as caught:
        await anext(events)
    assert caught.value is error


async def test_an_error_of_the_second_ends_everything():
    first, cancelled = First(), asyncio.Event()

    async def translate(text: str, terms: Sequence[Term]) -> tuple[list[TextTranslation], Timing]:
        if text == "A":
            raise ModelFailure("broken")
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    with pytest.raises(ModelFailure):
        await collect(pivot(["a b"], first.stream(["a b"]), translate, "en"))
    assert first.closed and (cancelled.is_set() or first.handed_out == 1)


async def test_whoever_leaves_frees_both_halves():
    first, began, cancelled = First(), asyncio.Event(), asyncio.Event()

    async def translate(text: str, terms: Sequence[Term]) -> tuple[list[TextTranslation], Timing]:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError

    task = asyncio.create_task(collect(pivot(["a b"], first.stream(["a b"]), translate, "en")))
    await began.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert first.closed and cancelled.is_set()


def test_links_go_through_whatever_most_of_a_piece_stands_for():
    # Hund läuft schnell -> dog runs fast -> vite court le chien: each piece by its characters.
    first = sentence(
        "Hund läuft schnell",
        "dog runs fast",
        alignment=(link((0, 4), (0, 3)), link((5, 10), (4, 8)), link((11, 18), (9, 13))),
    )
    second = whole(
        sentence(
            "dog runs fast",
            "vite court le chien",
            # "court" looks at "g runs", which is mostly "runs"; nothing stands behind the gap that "le" looks at.
            alignment=(
                link((9, 13), (0, 4)),
                link((2, 8), (5, 10)),
                link((3, 4), (11, 13)),
                link((0, 3), (14, 19)),
            ),
        )
    )
    assert compose(first, second).alignment == (
        link((11, 18), (0, 4)),
        link((5, 10), (5, 10)),
        link((0, 4), (14, 19)),
    )


@pytest.mark.parametrize("half", ["first", "second"])
def test_without_the_alignment_of_either_half_there_is_none(half):
    aligned = {"alignment": (link((0, 1), (0, 1)),)}
    first = sentence("a", "b", **(aligned if half == "second" else {}))
    second = whole(sentence("b", "c", **(aligned if half == "first" else {})))
    assert compose(first, second).alignment == ()


def test_scores_add_up_and_alternatives_are_the_seconds():
    second = whole(sentence("b", "c", score=-0.5, alternatives=(Alternative("d", -0.75),)))
    found = compose(sentence("a", "b", score=-1.0, alternatives=(Alternative("x", -2.0),)), second)
    assert (found.source, found.text, found.score) == ("a", "c", -1.5)
    assert found.alternatives == (Alternative("d", -1.75),)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(0.5, [0.5], 0.25), (0.5, [0.5, 0.25], 0.125), (0.5, [], 0.5), (None, [0.5], None), (0.5, [0.5, None], None)],
)
def test_the_chance_that_all_is_good_is_that_of_both_halves(first, second, expected):
    halves = whole(*(sentence("b", "c", confidence=chance) for chance in second))
    assert compose(sentence("a", "b", confidence=first), halves).confidence == expected


def test_a_sentence_that_the_second_breaks_up_is_one_again():
    second = whole(sentence("b", "c", score=-0.5, alternatives=(Alternative("x", -1),)), sentence("d", "e", score=-2.0))
    found = compose(sentence("a", "b d", score=-1.0), second)
    assert (found.text, found.score, found.alternatives) == ("c e", -3.0, ())


def test_what_is_wrong_with_either_half_or_with_both_together_is_said():
    truncated = sentence("Er hat 1914 angefangen.", "He began in 1914.", verdicts=(Verdict.TRUNCATED,))
    second = whole(sentence("He began in 1914.", "Il il il.", verdicts=(Verdict.REPETITION, Verdict.DIGITS_CHANGED)))
    assert set(compose(truncated, second).verdicts) == {
        Verdict.TRUNCATED,
        Verdict.REPETITION,
        Verdict.DIGITS_CHANGED,
    }
    source = "Das ist ein langer Satz, in dem vieles steht, was nicht verloren gehen darf."
    shrinking = compose(sentence(source, "A sentence in between."), whole(sentence("A sentence in between.", "Une.")))
    assert shrinking.verdicts == (Verdict.TOO_SHORT,)


def test_limits_of_length_and_alternatives_are_the_second_halfs_business():
    asked = SearchOptions(beam_size=8, n_best=4, min_length=3, max_length=9, no_repeat_ngram=2, alignment=True)
    assert first_options(asked) == SearchOptions(beam_size=8, no_repeat_ngram=2, alignment=True)


async def test_terms_go_to_the_second_model_where_the_alignment_puts_them():
    text, given = "a bb c", []
    terms = [Term(2, 4, "bb", "bébé", ("bébé", "bébés")), Term(5, 6, "c", "cé", ("cé",))]

    async def first() -> AsyncGenerator[Event, None]:
        builder = TextBuilder()
        links = (link((0, 1), (5, 6)), link((2, 4), (0, 4)))
        yield SentenceEvent(TextKey(0), builder.add("", sentence(text, "baby A C", alignment=links)))
        yield TextEvent(TextKey(0), builder.finish(""))
        yield Timing()

    async def translate(text: str, terms: Sequence[Term]) -> tuple[list[TextTranslation], Timing]:
        given.extend(terms)
        return [whole(sentence(text, "un bébé A"))], Timing()

    [translation], _ = await collect(pivot([text], first(), translate, "en", terms=[terms]))
    assert given == [terms[0]._replace(begin=0, end=4)]  # of the other, the alignment knows nothing
    [found] = translation.sentences
    assert uses(found.text, found.terms) == (
        TermUse("bb", "bébé", TermStatus.APPLIED),
        TermUse("c", "cé", TermStatus.NOT_FOUND),
    )
