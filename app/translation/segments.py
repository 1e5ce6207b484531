"""The segments of a request: its texts, or the blocks of their markup, with protected spans replaced by stand-ins."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.interface import Alphabet, TextKey, TextTranslation
from app.text.budget import checkpoint
from app.text.markup.collector import decode_html
from app.text.markup.extraction import Document, extract
from app.text.numerals.grammar import may_have_numerals
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import NOTHING, Patterns, compile_patterns
from app.text.protection.protected import Protected, protect, with_stand_ins
from app.text.sentences import has_words
from app.text.terms.glossary import Glossary, Term, uses
from app.translation.request import ItemTranslation, TranslationRequest


@dataclass(eq=False)
class Segment:
    """A text for the engine and its translation: a text of the request, or a block of its markup.

    Attributes:
        key: Names the item and the block.
        language: The source language.
        protected: The text with stand-ins for its protected spans; None if it has none.
        text: What the model translates.
        translation: The translation of ``text``, stand-ins included.
        restored: The same with the protected spans in their places.
        needs_model: Whether there is anything to translate.
        glossary: The glossary for this language; None without one.
        terms: The glossary's terms in ``text``.
        lost: Protected spans whose position in the translation is a guess.
        pivot: Code of the language between the two models; None if one model translates the segment.
    """

    key: TextKey
    language: str
    protected: Protected | None
    text: str
    translation: TextTranslation
    restored: TextTranslation
    needs_model: bool
    glossary: Glossary | None = None
    terms: Sequence[Term] = ()
    lost: tuple[str, ...] = ()
    pivot: str | None = None


def extract_documents(
    wanted: TranslationRequest, languages: Sequence[str], alphabets: Sequence[Alphabet]
) -> list[Document]:
    """Takes the text of every item out of its markup.

    Args:
        wanted: A request with markup.
        languages: The language of each item.
        alphabets: What the model of each item can write.
    """
    assert wanted.markup
    own = compile_patterns(wanted.protect) if wanted.protect else NOTHING
    documents = []
    for text, language, alphabet in zip(wanted.texts, languages, alphabets, strict=True):
        patterns = own | untranslatable(decode_html(text), alphabet.characters)  # characters may be entities
        patterns = _with_numerals(wanted, patterns, decode_html(text), language)
        documents.append(extract(text, wanted.markup, patterns).with_placeholders(alphabet.placeholders))
    return documents


def make_segments(
    wanted: TranslationRequest,
    documents: Sequence[Document] | None,
    languages: Sequence[str],
    alphabets: Sequence[Alphabet],
) -> list[Segment]:
    """The segments of all items, in order.

    Args:
        wanted: The request.
        documents: The items without their markup; None for plain text.
        languages: The language of each item.
        alphabets: What the model of each item can write.
    """
    others = set(languages) - {wanted.target}
    glossaries = {language: wanted.glossary(language, wanted.target) for language in others if wanted.glossary}
    own = compile_patterns(wanted.protect) if wanted.protect and not documents else NOTHING
    segments = []
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
            segment = _untranslated(TextKey(item, block), text, protected, language, wanted.target)
            segment.glossary = glossaries.get(language)
            if segment.glossary and segment.needs_model:
                segment.terms = _terms(segment.glossary, text, protected)
            segments.append(segment)
    return segments


def _untranslated(key: TextKey, text: str, protected: Protected | None, language: str, target: str) -> Segment:
    """A segment whose translation is its source: numbers, emoji and blanks, which need no model, keep it."""
    has_letters = protected.is_translatable if protected else has_words(text)
    needs_model = has_letters and language != target
    source = protected.source if protected else text
    if protected and not needs_model:
        source = protected.restore(text).text  # numbers in the target's notation
    unchanged, restored = (TextTranslation(text=each, alternatives=(), sentences=()) for each in (text, source))
    return Segment(key, language, protected, text, unchanged, restored, needs_model)


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


def put_into_items(
    wanted: TranslationRequest, documents: Sequence[Document] | None, segments: Sequence[Segment]
) -> list[ItemTranslation]:
    """The translation of each item, from its translated segments."""
    own: list[list[Segment]] = [[] for _ in wanted.texts]
    for segment in segments:
        own[segment.key.item].append(segment)
    items = []
    for index, blocks in enumerate(own):
        if documents:
            text, lost = documents[index].rebuild(
                [segment.translation.text for segment in blocks], [segment.translation.alignment for segment in blocks]
            )
            alternatives: tuple[str, ...] = ()
        else:
            [segment] = blocks
            text, lost = segment.restored.text, segment.lost
            alternatives = segment.restored.alternatives[: wanted.alternatives]
        sentences = [sentence for segment in blocks for sentence in segment.restored.sentences]
        items.append(
            ItemTranslation(
                text=text,
                alternatives=alternatives,
                detection=None,
                blocks=tuple(segment.restored.sentences for segment in blocks),
                lost=lost,
                pivot=next((segment.pivot for segment in blocks if segment.pivot), None),
                terms=tuple(use for sentence in sentences for use in uses(sentence.text, sentence.terms)),
            )
        )
    return items
