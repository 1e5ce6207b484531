"""One call to the models of a route. Drafts become sentences: in the target language, with their terms, judged."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace

from app.engine.interface import Draft, Event, OpenHop, RequestQuota, Timing, TranslationCall, Version, collect
from app.engine.options import SearchOptions
from app.errors import DragomanError
from app.fairness.offload import Inline, is_brief, offload
from app.text.quality_checks import doubled_in, loops
from app.text.terms.glossary import Term, missing, within
from app.translation.pivoting import compose, first_options, in_between
from app.translation.sentence import SentenceTranslation, TextTranslation, judged
from app.translation.stage import Stage
from app.translation.text_builder import TextBuilder

_Completed = tuple[int, SentenceTranslation] | Timing | None


class Drafting:
    """Translates the texts of a call along a route.

    A draft that lacks terms is searched for again. With a pivot, the second model translates each sentence of the first
    model's, and the two translations are composed. There are no tokens then: they would be of another language.

    Args:
        hops: One model, or two with the pivot between them.
        call: What to translate.
        terms: For each text the terms that its translation should have; () for none at all.
        bulk: The call is a part of much work; see ``app.fairness.offload``.

    Attributes:
        pivot: Code of the language between two models; None if there is one model.
    """

    def __init__(
        self,
        hops: Sequence[OpenHop],
        call: TranslationCall,
        terms: Sequence[Sequence[Term]] = (),
        *,
        bulk: bool = False,
    ) -> None:
        self._first, *rest = hops
        self._second = rest[0] if rest else None
        self.pivot = self._first.target.lower() if rest else None
        self._call, self._terms, self._bulk = call, terms, bulk
        self._prefix = call.options.prefix
        self._second_quota = RequestQuota(admitted=True)  # one for all sentences: a book stays long work
        self._doubled = doubled_in((call.source, call.target))
        self._began, self._encode_s = time.monotonic(), 0.0

    def events(self) -> AsyncGenerator[Event, None]:
        """The drafts of the first model, to be completed in their order."""
        call = self._call
        if self._second:
            options = first_options(call.options)
            options = replace(options, alignment=True) if self._terms else options
            call = replace(call, options=options, tokens=False, examples=())
        return self._first.stream(call)

    def complete_now(self, draft: Draft) -> SentenceTranslation | None:
        """Returns the sentence of a draft; None if that takes another search or a while."""
        terms = self._terms_of(draft)
        if self._second or not self._is_brief(draft) or (terms and missing(draft.text, terms)):
            return None
        return judged(draft, self._doubled, terms)

    async def complete(self, draft: Draft) -> SentenceTranslation:
        """Returns the sentence of a draft, after another search for its terms, or in the second model's language."""
        terms = self._terms_of(draft)
        if self._second is None:
            return await self._judged(await _with_terms(self._first, self._call, draft, terms), terms)
        options, self._prefix = replace(self._call.options, prefix=self._prefix), None  # of the first sentence alone
        first = await self._judged(draft, ())
        call = replace(
            self._call,
            texts=(first.text,),
            options=options,
            splitting="off",
            tokens=False,
            items=(),
            quota=self._second_quota,
            whole=(),
            context="",
            examples=(),
        )
        own = (in_between(first, terms),) if terms else ()
        half = Drafting((self._second,), call, own, bulk=self._bulk)
        [second], timing = await half.translate()
        self._encode_s = max(self._encode_s, timing.encode_s)
        return replace(compose(first, second, self._doubled), terms=terms)

    async def translate(self) -> tuple[list[TextTranslation], Timing]:
        """Waits for all sentences; returns the texts."""
        builders, timing = [TextBuilder(text) for text in self._call.texts], Timing()

        def begin(event: Event) -> _Completed | asyncio.Task[_Completed]:
            if isinstance(event, Draft):
                ready = self.complete_now(event)
                return (event.text_index, ready) if ready else asyncio.create_task(self._numbered(event))
            return event if isinstance(event, Timing) else None

        stage: Stage[Event, _Completed] = Stage(self.events(), begin)
        async with aclosing(stage) as results:
            async for result in results:
                if isinstance(result, Timing):
                    timing = self.timed(result)
                elif result:
                    index, sentence = result
                    builders[index].add(sentence)
        return [builder.finish() for builder in builders], timing

    async def _numbered(self, draft: Draft) -> _Completed:
        return draft.text_index, await self.complete(draft)

    def timed(self, timing: Timing) -> Timing:
        """The time of all models, given that of the first one's events, after the last sentence."""
        if self._second is None:
            return timing
        encode_s = timing.encode_s + self._encode_s
        rest_s = max(0.0, time.monotonic() - self._began - timing.queue_s - encode_s)
        return Timing(queue_s=timing.queue_s, encode_s=encode_s, decode_s=rest_s)

    def _terms_of(self, draft: Draft) -> tuple[Term, ...]:
        end = draft.begin + len(draft.source)
        return within(self._terms[draft.text_index], draft.begin, end) if self._terms else ()

    def _is_brief(self, draft: Draft) -> bool:
        return is_brief(len(draft.source), Inline.SENTENCE, bulk=self._bulk)

    async def _judged(self, draft: Draft, terms: tuple[Term, ...]) -> SentenceTranslation:
        size, inline = len(draft.source), Inline.SENTENCE
        return await offload(judged, draft, self._doubled, terms, size=size, inline=inline, bulk=self._bulk)


async def _with_terms(hop: OpenHop, call: TranslationCall, draft: Draft, terms: Sequence[Term]) -> Draft:
    """Searches for the terms that a draft lacks; returns it with the versions first that have most of them."""
    # Somebody is writing the translation, or it has them all.
    if call.options.prefix is not None or not missing(draft.text, terms):
        return draft
    quota = replace(call.quota, admitted=True, is_retry=True) if call.quota else RequestQuota(admitted=True)
    again = replace(
        call,
        texts=(draft.source,),
        splitting="off",
        tokens=False,
        items=(),
        quota=quota,
        terms=(terms,),
        whole=(),
        context="",
        examples=(),
    )
    with suppress(DragomanError):  # then what there is must do
        [found], _ = await collect(hop.stream(again), 1)
        if len(found) == 1:
            return draft._replace(versions=_ranked(draft, terms, [*found[0].versions, *draft.versions], call.options))
    return draft


def _ranked(
    draft: Draft, terms: Sequence[Term], versions: Sequence[Version], options: SearchOptions
) -> tuple[Version, ...]:
    """Returns the versions with most of the terms first, but loops last; as many as are wanted."""
    said = [version for version in versions if version.text] or versions
    ranked = sorted(said, key=lambda version: (loops(draft.source, version.text), missing(version.text, terms)))
    different: dict[str, Version] = {}
    for version in ranked:
        different.setdefault(version.text, version)
    return tuple(different.values())[: options.n_best]
