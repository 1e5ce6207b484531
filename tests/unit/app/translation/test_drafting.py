"""Drafts become sentences: another search for terms, silence, and what a memory has among what a model translates."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from app.engine.interface import Draft, Event, OpenHop, RequestQuota, Timing, TranslationCall, Version
from app.engine.options import SearchOptions
from app.errors import Overloaded
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Term
from app.translation.drafting import Drafting
from app.translation.memory import Part, Piece, StoredDraft, with_matches
from app.translation.passages import Hit

TERM = Term(4, 8, "Hund", "hound", ("hound", "hounds"))
TEXT = "Der Hund bellt."


class Model:
    """Says one thing, and another if it is to have terms."""

    def __init__(self, free: Sequence[Version], found: Sequence[Version] | Exception = ()) -> None:
        self.free, self.found = tuple(free), found
        self.calls: list[TranslationCall] = []

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        self.calls.append(call)
        if call.terms and isinstance(self.found, Exception):
            raise self.found
        for index, text in enumerate(call.texts):
            yield Draft(index, 0, text, tuple(self.found) if call.terms else self.free)  # type: ignore[arg-type]
        yield Timing()


async def texts_of(model: Model, **options: object) -> list[str]:
    """The translation and its alternatives."""
    quota = RequestQuota(source_tokens=7)
    call = TranslationCall(texts=[TEXT], source="de", target="en", options=SearchOptions(**options), quota=quota)
    [found], _ = await Drafting([OpenHop(model, "de", "en")], call, [[TERM]]).translate()  # type: ignore[arg-type]
    [sentence] = found.sentences
    assert sentence.terms == (TERM,)
    return [version.text for version in sentence.versions]


async def test_a_draft_without_its_terms_is_searched_for_again():
    model = Model([Version("The dog barks.", -0.1)], [Version("The hound barks.", -0.9)])
    assert await texts_of(model) == ["The hound barks."]
    free, again = model.calls
    assert not free.terms and list(again.terms) == [(TERM,)]
    assert again.quota is not None and again.quota.is_retry and again.quota.source_tokens == 7


async def test_those_with_the_terms_come_first_and_the_others_are_alternatives():
    free = [Version("The dog barks.", -0.1), Version("A dog barks.", -0.2)]
    found = [Version("The hound hound hound hound.", -0.3), Version("The hound barks.", -0.9)]
    assert await texts_of(Model(free, found), beam_size=4, n_best=3) == [
        "The hound barks.",
        "The dog barks.",
        "A dog barks.",
    ]


@pytest.mark.parametrize(
    ("model", "options", "calls"),
    [
        (Model([Version("The hounds bark.", -0.1)]), {}, 1),  # an inflected form
        (Model([Version("The dog barks.", -0.1)], [Version("The hound barks.", -1)]), {"prefix": "The"}, 1),
        (Model([Version("The dog barks.", -0.1)], Overloaded("full")), {}, 2),
    ],
)
async def test_otherwise_the_draft_must_do(model, options, calls):
    assert await texts_of(model, **options) == [model.free[0].text]
    assert len(model.calls) == calls


async def test_a_model_that_says_nothing_copies_the_sentence():
    model = Model([Version("", -0.1, 0.0)], [Version("", -0.2, 0.0)])
    call = TranslationCall(texts=[TEXT], source="de", target="en", options=SearchOptions())
    [found], _ = await Drafting([OpenHop(model, "de", "en")], call).translate()  # type: ignore[arg-type]
    assert (found.text, found.sentences[0].verdicts) == (TEXT, (Verdict.COPIED_SOURCE,))


async def events(*found: Event) -> AsyncGenerator[Event, None]:
    for event in found:
        yield event


async def test_matches_stand_among_the_drafts_of_the_model():
    hits = [StoredDraft(segment, Hit(0, 1, str(segment), str(segment), 0)) for segment in range(4)]
    parts: list[Part] = [hits[0], Piece(1, 0, 5), hits[1], hits[2], Piece(2, 1, 9), Piece(3, 0, 2), hits[3]]
    first, second, last = (Draft(index, begin, "a", (Version("b", 0),)) for index, begin in ((0, 0), (0, 3), (2, 0)))
    found = [event async for event in with_matches(parts, events(first, second, last, Timing()))]
    assert found == [hits[0], first, second, hits[1], hits[2], last, hits[3], Timing()]
    assert [event async for event in with_matches(hits, None)] == [*hits, Timing()]
