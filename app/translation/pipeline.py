"""Carries out a checked request: detects languages, takes text out of markup, asks the engine, puts all together."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeVar

from app.engine.interface import (
    INLINE_CHARS,
    Alphabet,
    RequestQuota,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextKey,
    TextTranslation,
    Timing,
    TokenEvent,
    TranslationCall,
    TranslationEngine,
    collect,
)
from app.engine.options import SearchOptions
from app.text.budget import checkpoint
from app.text.detection import Detection, Detector
from app.text.english_spelling import spelling_edits
from app.text.formality import Formality
from app.text.inline.placement import Edit
from app.text.markup.collector import decode_html
from app.text.markup.extraction import Document, extract
from app.text.mirroring import mirror_edits, no_edits
from app.text.numerals.grammar import may_have_numerals
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import NOTHING, Patterns, compile_patterns
from app.text.protection.protected import Protected, protect, with_stand_ins
from app.text.sentences import has_words
from app.text.terms.glossary import Glossary, Term, uses
from app.translation.deadline import within
from app.translation.languages import check_pair, refuse_foreign
from app.translation.request import AUTO, Answer, ItemTranslation, Progress, TranslationRequest
from app.translation.restoring import Mirror, Restorer
from app.translation.retries import improve
from app.work_pool import TEXT_POOL

Result = TypeVar("Result")


@dataclass(eq=False)
class _Segment:
    """A text for the engine and its translation: a text of the request, or a block of its markup."""

    key: TextKey
    language: str
    protected: Protected | None
    text: str
    translation: TextTranslation  # of ``text``, which may have stand-ins for protected spans
    restored: TextTranslation
    needs_model: bool
    glossary: Glossary | None = None
    terms: Sequence[Term] = ()
    lost: tuple[str, ...] = ()
    pivot: str | None = None


class Translator:
    """Carries out requests with one engine.

    Args:
        engine: What translates.
        detector: What tells languages apart; replaced when other languages are served.
        observe: Called with each request that was answered and its answer; None to call nobody.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        detector: Detector,
        observe: Callable[[TranslationRequest, Answer], None] | None = None,
    ) -> None:
        self._engine, self.detector, self._observe = engine, detector, observe

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return self._engine.pairs

    async def translate(self, wanted: TranslationRequest) -> Answer:
        """Translates every text of the request, in order, within its deadline.

        Raises:
            DragomanError: As ``stream``.
        """
        async with aclosing(self.stream(wanted)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream without an answer")

    def stream(self, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
        """Translates the texts of the request; yields every sentence as soon as it is translated, then the answer.

        Sentences and texts come in order, except that with detection the texts of one language come together.

        Raises:
            UnsupportedPair: A detected language has no model for the target.
            DeadlineExceeded: The deadline passed.
            DragomanError: Another error of the engine.
        """
        return within(self._stream(wanted), wanted.deadline_s)

    async def _stream(self, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
        detections = await work_out(wanted, _detect_all, self.detector, wanted) if wanted.source == AUTO else None
        languages = (
            [detection.language for detection in detections] if detections else [wanted.source] * len(wanted.texts)
        )
        for index, language in enumerate(languages):
            # Where no language is to be seen, none is needed.
            if not detections or detections[index].confidence:
                check_pair(language, wanted.target, self._engine.pairs)
        alphabets = [self._engine.alphabet(language, wanted.target) for language in languages]
        documents = await work_out(wanted, _extract_all, wanted, languages, alphabets) if wanted.markup else None
        segments = await work_out(wanted, _segments, wanted, documents, languages, alphabets)
        timing = Timing()
        open_segments = [segment for segment in segments if segment.needs_model]
        quota = RequestQuota()
        for language in dict.fromkeys(segment.language for segment in open_segments):
            own = [segment for segment in open_segments if segment.language == language]
            async with aclosing(self._translate_segments(wanted, own, quota)) as events:
                async for event in events:
                    if isinstance(event, Timing):
                        timing += event
                    else:
                        yield event

        items = await put_together(wanted, _assemble, wanted, documents, segments)
        if detections:
            items = [replace(item, detection=detection) for item, detection in zip(items, detections, strict=True)]
        answer = Answer(items, timing)
        if self._observe:
            self._observe(wanted, answer)
        yield answer

    async def _translate_segments(
        self, wanted: TranslationRequest, segments: Sequence[_Segment], quota: RequestQuota
    ) -> AsyncGenerator[TokenEvent | SentenceEvent | Timing, None]:
        """Translates segments of one language, and fills in what comes of them."""
        # The alignment says where tags and protected spans go.
        needs_alignment = wanted.alignment or wanted.markup or any(segment.protected for segment in segments)
        options = wanted.options
        if options.prefix and segments[0].protected:
            options = replace(options, prefix=segments[0].protected.hide(options.prefix))
        call = TranslationCall(
            texts=[segment.text for segment in segments],
            source=segments[0].language,
            target=wanted.target,
            options=replace(options, alignment=True) if needs_alignment else options,
            splitting=wanted.splitting,
            tokens=wanted.tokens,
            keys=[segment.key for segment in segments],
            quota=quota,
            terms=[segment.terms for segment in segments] if wanted.glossary else (),
            context=wanted.context,
        )
        placeholders = self._engine.alphabet(segments[0].language, wanted.target).placeholders
        protected = {segment.key: segment.protected for segment in segments}
        glossary = segments[0].glossary
        formality = Formality(wanted.register, segments[0].language) if wanted.register else None
        extra: list[Timing] = []

        async def translate_again(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
            own_quota = replace(quota, admitted=True, is_retry=True)
            again = replace(call, texts=texts, options=options, splitting="off", tokens=False, keys=(), quota=own_quota)
            again = replace(again, terms=[glossary.find(text) for text in texts] if glossary else (), context="")
            translations, timing = await collect(self._engine.stream(again))
            extra.append(timing)
            return translations

        async def improve_sentence(key: TextKey, sentence: SentenceTranslation) -> SentenceTranslation:
            whole, end = protected[key], sentence.source_begin + len(sentence.source)
            part = whole.part(sentence.source_begin, end) if whole else None
            return await improve(
                sentence,
                part,
                options=call.options,
                placeholders=placeholders,
                translate=translate_again,
                formality=formality,
            )

        def mirror(source: str, translation: str) -> list[Edit]:
            edits = mirror_edits(source, translation, wanted.target, is_strict=wanted.preserves_formatting)
            return sorted(edits + spelling_edits(source, translation, wanted.locale))

        # With a prefix, somebody is writing the translation, and wants it as it is.
        edit: Mirror = mirror if wanted.options.prefix is None else no_edits
        restorer = None
        remaining = iter(segments)
        segment = next(remaining)
        async with aclosing(self._engine.stream(replace(call, improve=improve_sentence))) as events:
            async for event in events:
                if isinstance(event, Timing):
                    yield sum(extra, event)
                    continue
                if segment.key != event.key:
                    segment = next(remaining)
                if restorer is None:
                    restorer = Restorer(segment.text, segment.protected, edit)
                if isinstance(event, TextEvent):
                    segment.pivot = event.translation.pivot
                    segment.translation, segment.restored = restorer.finish()
                    segment.lost, restorer = tuple(restorer.lost), None
                elif isinstance(event, SentenceEvent):
                    yield SentenceEvent(event.key, restorer.add(event.sentence))
                elif not segment.protected:  # a client has no use for placeholders
                    yield event


async def work_out(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Calls a function on the texts: on the event loop if they are few and plain, otherwise in the pool.

    For a single sentence, a hop to a thread and back takes longer than the work itself.

    Raises:
        Overloaded: The pool is full for texts of this size.
    """
    if is_quick(wanted):
        return function(*arguments)
    return await TEXT_POOL.run(function, *arguments, size=sum(map(len, wanted.texts)))


async def put_together(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Like ``work_out``, but never refused, because the texts are already translated."""
    if is_quick(wanted):
        return function(*arguments)
    return await TEXT_POOL.run(function, *arguments, size=sum(map(len, wanted.texts)), admitted=True)


def is_quick(wanted: TranslationRequest) -> bool:
    """Tells whether all the work on the texts takes less than a millisecond or two."""
    return not (wanted.markup or wanted.protect or wanted.glossary) and sum(map(len, wanted.texts)) <= INLINE_CHARS


def _segments(
    wanted: TranslationRequest,
    documents: Sequence[Document] | None,
    languages: Sequence[str],
    alphabets: Sequence[Alphabet],
) -> list[_Segment]:
    segments = []
    glossaries = {
        language: wanted.glossary(language, wanted.target)
        for language in set(languages) - {wanted.target}
        if wanted.glossary
    }
    own = compile_patterns(wanted.protect) if wanted.protect and not documents else NOTHING
    for item, (language, alphabet) in enumerate(zip(languages, alphabets, strict=True)):
        checkpoint()
        texts: Sequence[tuple[str, Protected | None]]
        if documents:
            texts = [
                (inline.text, with_stand_ins(inline) if inline.atoms else None) for inline in documents[item].inlines
            ]
        else:
            text = wanted.texts[item]
            patterns = _with_numerals(wanted, own | untranslatable(text, alphabet.characters), text, language)
            protected = protect(text, patterns, alphabet.placeholders) if any(patterns) else None
            texts = [(protected.text, protected) if protected and protected.differs else (text, None)]
        for block, (text, protected) in enumerate(texts):
            unchanged = TextTranslation(text=text, alternatives=(), sentences=())
            # Numbers, emoji and blanks need no model, and neither does a language into itself.
            has_letters = protected.is_translatable if protected else has_words(text)
            needs_model = has_letters and language != wanted.target
            source = protected.source if protected else text
            if protected and not needs_model:
                source = protected.restore(text).text  # numbers in the target's notation
            restored = TextTranslation(text=source, alternatives=(), sentences=())
            segment = _Segment(TextKey(item, block), language, protected, text, unchanged, restored, needs_model)
            segment.glossary = glossaries.get(language)
            if segment.glossary and needs_model:
                segment.terms = _terms(segment.glossary, text, protected)
            segments.append(segment)
    return segments


def _terms(glossary: Glossary, text: str, protected: Protected | None) -> list[Term]:
    """The glossary's terms in a text, without stand-ins, which may be names."""
    terms = glossary.find(text)
    if protected is None:
        return terms
    taken = {place for begin, end in protected.stand_ins for place in range(begin, end)}
    return [term for term in terms if taken.isdisjoint(range(term.begin, term.end))]


def _with_numerals(wanted: TranslationRequest, patterns: Patterns, text: str, language: str) -> Patterns:
    """The patterns, and where numbers are written otherwise in the target, numbers, too."""
    if wanted.options.prefix is not None:  # somebody is writing the translation, in any notation
        return patterns
    if language == wanted.target or not may_have_numerals(text):
        return patterns
    return patterns._replace(numerals=(language, wanted.locale or wanted.target))


def _assemble(
    wanted: TranslationRequest, documents: Sequence[Document] | None, segments: Sequence[_Segment]
) -> list[ItemTranslation]:
    own: list[list[_Segment]] = [[] for _ in wanted.texts]
    for segment in segments:
        own[segment.key.item].append(segment)
    items = []
    for index, blocks in enumerate(own):
        sentences = tuple(segment.restored.sentences for segment in blocks)
        if documents:
            text, lost = documents[index].rebuild(
                [segment.translation.text for segment in blocks], [segment.translation.alignment for segment in blocks]
            )
            alternatives: tuple[str, ...] = ()
        else:
            [segment] = blocks
            text, lost = segment.restored.text, segment.lost
            alternatives = segment.restored.alternatives[: wanted.alternatives]
        pivot = next((segment.pivot for segment in blocks if segment.pivot), None)
        items.append(
            ItemTranslation(
                text=text,
                alternatives=alternatives,
                detection=None,
                blocks=sentences,
                lost=lost,
                pivot=pivot,
                terms=tuple(
                    use for own in sentences for sentence in own for use in uses(sentence.text, sentence.terms)
                ),
            )
        )
    return items


def _detect_all(detector: Detector, wanted: TranslationRequest) -> list[Detection]:
    """The most likely language of each item.

    Raises:
        UnsupportedPair: An item is in a language that is not served.
    """
    contents = [extract(text, wanted.markup).texts if wanted.markup else (text,) for text in wanted.texts]
    detections = []
    for texts in contents:
        text = "\n".join(texts)
        refuse_foreign(detector.foreign(text), "text")
        detections.append(detector.detect(text)[0])
    return detections


def _extract_all(wanted: TranslationRequest, languages: Sequence[str], alphabets: Sequence[Alphabet]) -> list[Document]:
    assert wanted.markup
    own = compile_patterns(wanted.protect) if wanted.protect else NOTHING
    documents = []
    for text, language, alphabet in zip(wanted.texts, languages, alphabets, strict=True):
        patterns = own | untranslatable(decode_html(text), alphabet.characters)  # characters may be entities
        patterns = _with_numerals(wanted, patterns, decode_html(text), language)
        documents.append(extract(text, wanted.markup, patterns).with_placeholders(alphabet.placeholders))
    return documents
