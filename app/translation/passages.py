"""Reads the texts of a request in batches of passages, so that memory doesn't grow with the texts.

A passage is what is read and written in one go: a plain text or a piece of it, or some blocks of a marked-up text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import NamedTuple

from app.engine.interface import Alphabet, Example
from app.fairness.budget import checkpoint
from app.text.inline.target_tokens import Link
from app.text.markup.collector import decode_html
from app.text.markup.extraction import Document, extract_parts
from app.text.memory.matching import Match
from app.text.numerals.grammar import may_have_numerals
from app.text.pieces import PIECE_CHARS, pieces
from app.text.protection.defaults import untranslatable
from app.text.protection.expressions import Expressions, Searched
from app.text.protection.families import Families
from app.text.protection.patterns import NOTHING, Patterns, Range, compile_patterns, find
from app.text.protection.protected import Protected, protect, with_stand_ins
from app.text.sentences import has_words
from app.text.terms.glossary import Glossary, Term
from app.translation.request import TranslationRequest
from app.translation.sentence import TextKey, TextTranslation
from languages.registry import language_of

# Enough to fill the engine's window of sentences several times. What is known of a batch takes up to 40 MB.
_BATCH_CHARS = 131_072
# Texts and protected spans count as characters: they take 1,500 and 300 bytes.
_TEXT_CHARS = 128
_SPAN_CHARS = 32


class Hit(NamedTuple):
    """An entry of a translation memory that is the translation of a range of a segment.

    Attributes:
        begin: Where the range begins in the segment's text.
        end: Where it ends.
        text: Its translation, with the stand-ins of markup.
        stored: Its translation.
        match: Index of the match that it comes from.
        needs_links: There is markup to place in it.
        links: The alignment of the range and ``text``.
    """

    begin: int
    end: int
    text: str
    stored: str
    match: int
    needs_links: bool = False
    links: tuple[Link, ...] = ()


@dataclass(eq=False)
class Segment:
    """A text for the engine and its translation: a plain text, a piece of one, or a block of markup.

    Attributes:
        key: Its item, and its number in the item.
        language: Code of its language.
        protected: What it has stand-ins for; None for nothing.
        text: What is translated.
        translation: The translation of ``text``, which may have stand-ins.
        restored: The translation with what the stand-ins stand for.
        needs_model: It has something to translate.
        begin: Where it begins in a plain text; 0 in markup.
        glossary: The request's glossary; None without one.
        terms: The glossary's terms in it.
        hits: Its ranges that a translation memory translates, in order and disjoint.
        matches: What the translation memory has for it, in order.
        examples: Translations of similar texts in the translation memory, to learn from.
        lost: Protected spans whose place in ``restored`` is a guess.
        pivot: As of ``ItemTranslation``.
    """

    key: TextKey
    language: str
    protected: Protected | None
    text: str
    translation: TextTranslation
    restored: TextTranslation
    needs_model: bool
    begin: int = 0
    glossary: Glossary | None = None
    terms: Sequence[Term] = ()
    hits: list[Hit] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    examples: Sequence[Example] = ()
    lost: tuple[str, ...] = ()
    pivot: str | None = None


@dataclass(eq=False, kw_only=True)
class Passage:
    """A part of an item.

    Attributes:
        item: Index of the item.
        document: The part of a marked-up text; None in plain text.
        segments: Its segments; one in plain text.
    """

    item: int
    document: Document | None = None
    segments: list[Segment] = field(default_factory=list)


Batch = list[Passage]
"""Passages in the same language, in order."""


def batches(wanted: TranslationRequest, languages: Sequence[str], alphabets: Mapping[str, Alphabet]) -> Iterator[Batch]:
    """Yields all passages, language by language.

    Args:
        wanted: The request.
        languages: The language of each text.
        alphabets: The characters that the model for each language knows.

    Raises:
        InvalidRequest: The client's patterns are none, take too long, or find too much.
    """
    own = compile_patterns(wanted.protect) if wanted.protect else NOTHING
    for language, alphabet in alphabets.items():
        reader = _Reader(wanted, own, language)
        batch: Batch = []
        size = 0
        for item, text in enumerate(wanted.texts):
            if languages[item] != language:
                continue
            for passage, passage_size in reader.passages(item, text, alphabet):
                batch.append(passage)
                size += passage_size
                if size >= _BATCH_CHARS:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch


class _Reader:
    """Reads the texts in one language."""

    def __init__(self, wanted: TranslationRequest, own: Patterns, language: str) -> None:
        self._wanted, self._own, self._language = wanted, own, language
        is_same = language == wanted.target
        self._glossary = wanted.glossary(language, wanted.target) if wanted.glossary and not is_same else None

    def passages(self, item: int, text: str, alphabet: Alphabet) -> Iterator[tuple[Passage, int]]:
        """Yields the passages of a text, and the size of each in characters."""
        if self._wanted.markup:
            yield from self._markup(item, text, alphabet)
        else:
            yield from self._plain(item, text, alphabet)

    def _markup(self, item: int, text: str, alphabet: Alphabet) -> Iterator[tuple[Passage, int]]:
        assert self._wanted.markup
        decoded = decode_html(text)  # characters may be entities
        patterns = self._with_numerals(
            self._own | self._names(decoded) | untranslatable(decoded, alphabet.characters, has_markup=True), decoded
        )
        del decoded
        number = 0
        rules = self._wanted.markup
        if rules.syntax == "html":
            rules = replace(rules, language=self._language)
        for part in extract_parts(text, rules, patterns, size=_BATCH_CHARS):
            document = part.with_placeholders(alphabet.placeholders)
            passage = Passage(item=item, document=document)
            for inline in document.inlines:
                protected = with_stand_ins(inline) if inline.atoms else None
                passage.segments.append(self._segment(TextKey(item, number), inline.text, protected))
                number += 1
            yield passage, document.size

    def _plain(self, item: int, text: str, alphabet: Alphabet) -> Iterator[tuple[Passage, int]]:
        def kept(around: str) -> list[Range]:
            return find(around, self._own | self._names(around) | untranslatable(around, alphabet.characters))

        cut = partial(pieces, language=self._language, newlines=self._wanted.splitting == "sentences", kept=kept)
        ranges = cut(text) if len(text) > PIECE_CHARS else [(0, len(text))]
        for number, (begin, end) in enumerate(ranges):
            checkpoint()
            piece = text[begin:end]
            patterns = self._with_numerals(
                self._own | self._names(piece) | untranslatable(piece, alphabet.characters), piece
            )
            by_line = self._wanted.splitting == "sentences"
            protected = protect(piece, patterns, alphabet.placeholders, by_line=by_line) if any(patterns) else None
            if protected and not protected.differs:
                protected = None
            segment = self._segment(TextKey(item, number), protected.text if protected else piece, protected)
            segment.begin = begin
            spans = len(protected.spans) if protected else 0
            yield Passage(item=item, segments=[segment]), len(piece) + _TEXT_CHARS + _SPAN_CHARS * spans

    def _names(self, text: str) -> Patterns:
        """Patterns of the addresses in a text."""
        names = _kept_names(self._language)
        if names is None or self._language == self._wanted.target:
            return NOTHING
        found = names.of(text, frozenset(text))
        return Patterns(**found) if found else NOTHING

    def _with_numerals(self, patterns: Patterns, text: str) -> Patterns:
        """Adds numbers to the patterns if the target language writes them differently."""
        if self._wanted.options.prefix is not None:  # somebody is writing the translation, in any notation
            return patterns
        if self._language == self._wanted.target or not may_have_numerals(text, self._language):
            return patterns
        return patterns._replace(numerals=(self._language, self._wanted.locale or self._wanted.target))

    def _segment(self, key: TextKey, text: str, protected: Protected | None) -> Segment:
        unchanged = TextTranslation(text=text)
        # Numbers, emoji and blanks need no model, and neither does a language into itself.
        has_letters = protected.is_translatable if protected else has_words(text)
        needs_model = has_letters and self._language != self._wanted.target
        source = protected.source if protected else text
        if protected and not needs_model:
            source = protected.restore(text).text  # numbers in the target's notation
        restored = TextTranslation(text=source)
        segment = Segment(key, self._language, protected, text, unchanged, restored, needs_model)
        segment.glossary = self._glossary
        if self._glossary and needs_model:
            segment.terms = _terms(self._glossary, text, protected)
        return segment


@lru_cache(maxsize=64)
def _kept_names(language: str) -> Families | None:
    expressions = language_of(language).kept_names
    names: Expressions = [(needed, Searched(expression)) for needed, expression in expressions]
    return Families(harmless=names) if names else None


def _terms(glossary: Glossary, text: str, protected: Protected | None) -> list[Term]:
    """Finds the glossary's terms in a text, except in stand-ins, which may be names."""
    terms = glossary.find(text)
    if protected is None:
        return terms
    taken = {place for begin, end in protected.stand_ins for place in range(begin, end)}
    return [term for term in terms if taken.isdisjoint(range(term.begin, term.end))]
