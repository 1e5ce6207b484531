import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace

import pytest

from app.engine.interface import Draft, Event, OpenHop, Timing, TokenEvent, TranslationCall, Version
from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Term, TermStatus, TermUse, uses
from app.translation.drafting import Drafting
from app.translation.pivoting import compose, first_options
from app.translation.sentence import Alternative, SentenceTranslation, TextTranslation
from app.translation.text_builder import TextBuilder


def sentence(source: str, text: str, **others) -> SentenceTranslation:
    values = {"source_begin": 0, "target_begin": 0, "score": -1.0, "alternatives": ()} | others
    return SentenceTranslation(source=source, text=text, **values)


def whole(*sentences: SentenceTranslation) -> TextTranslation:
    source, placed = "", []
    for each in sentences:
        source += " " if source else ""
        placed.append(replace(each, source_begin=len(source)))
        source += each.source
    builder = TextBuilder(source)
    for each in placed:
        builder.add(each)
    return builder.finish()


def link(source: tuple[int, int], target: tuple[int, int]) -> Link:
    return Link(*source, *target)


class Model:
    """The engine of one model, by a function of a sentence: each word of a text is a sentence. Remembers its calls."""

    def __init__(self, translate: Callable[[str], str], links: Sequence[Link] = ()) -> None:
        self.translate, self.links = translate, tuple(links)
        self.calls: list[TranslationCall] = []
        self.gates: dict[str, asyncio.Event] = {}

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        self.calls.append(call)
        for index, text in enumerate(call.texts):
            words = [text] if call.splitting == "off" else text.split()
            done = 0
            for word in words:
                begin = text.index(word, done)
                done = begin + len(word)
                if word in self.gates:
                    await self.gates[word].wait()
                if call.tokens:
                    yield TokenEvent(index, "A")
                yield Draft(index, begin, word, (Version(self.translate(word), -1.0, alignment=self.links),))
        yield Timing(queue_s=0.25, encode_s=0.5, decode_s=1.0)


def bracketed(text: str) -> str:
    return f"<{text}>"


def drafting(
    first: Model, second: Model, *texts: str, terms: Sequence[Sequence[Term]] = (), **options: object
) -> Drafting:
    hops = [OpenHop(first, "de", "en"), OpenHop(second, "en", "fr")]  # type: ignore[arg-type]
    call = TranslationCall(texts=texts, source="de", target="fr", options=SearchOptions(**options), tokens=True)
    return Drafting(hops, call, terms)


async def test_every_sentence_goes_through_both_and_what_stands_between_them_stays():
    texts = [" a b\n\tc ", "", "d"]
    pivoted = drafting(Model(str.upper), Model(bracketed), *texts)
    translations, timing = await pivoted.translate()
    assert [each.text for each in translations] == [" <A> <B>\n\t<C> ", "", "<D>"]
    assert pivoted.pivot == "en"
    for text, translation in zip(texts, translations, strict=True):
        for each in translation.sentences:
            assert text[each.source_begin :].startswith(each.source)
            assert translation.text[each.target_begin :].startswith(each.text)
    assert (timing.queue_s, timing.encode_s) == (0.25, 1.0)
    assert timing.decode_s >= 0


async def test_there_are_no_tokens_of_the_language_in_between():
    events = [event async for event in drafting(Model(str.upper), Model(bracketed), "a").events()]
    assert [type(event) for event in events] == [Draft, Timing]


async def test_the_second_half_runs_beside_the_first_and_the_order_stays():
    second = Model(bracketed)
    second.gates = {name: asyncio.Event() for name in "ABC"}
    translating = asyncio.create_task(drafting(Model(str.upper), second, "a b c").translate())
    while len(second.calls) < 3:
        await asyncio.sleep(0)
    for name in "CBA":
        second.gates[name].set()
    [translation], _ = await translating
    assert translation.text == "<A> <B> <C>"
    quotas = [call.quota for call in second.calls]
    assert all(quota is quotas[0] for quota in quotas)  # so the queue knows how long the text is


async def test_a_prefix_belongs_to_the_first_sentence_alone_whichever_is_done_first():
    second = Model(bracketed)
    second.gates = {"A": asyncio.Event()}
    translating = asyncio.create_task(drafting(Model(str.upper), second, "a b", prefix="Bonjour").translate())
    while len(second.calls) < 2:
        await asyncio.sleep(0)
    second.gates["A"].set()
    await translating
    assert [call.options.prefix for call in second.calls] == ["Bonjour", None]


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
    text = "abbc"
    terms = [Term(1, 3, "bb", "bébé", ("bébé", "bébés")), Term(3, 4, "c", "cé", ("cé",))]
    first = Model(lambda _: "baby A C", links=(link((0, 1), (5, 6)), link((1, 3), (0, 4))))
    second = Model(lambda _: "un A")
    [translation], _ = await drafting(first, second, text, terms=[terms]).translate()
    assert not any(call.terms for call in first.calls) and first.calls[0].options.alignment
    free, again = second.calls
    assert not free.terms
    assert [*again.terms[0]] == [terms[0]._replace(begin=0, end=4)]  # of the other, the alignment knows nothing
    [found] = translation.sentences
    assert uses(found.text, found.terms) == (
        TermUse("bb", "bébé", TermStatus.NOT_FOUND),
        TermUse("c", "cé", TermStatus.NOT_FOUND),
    )
