"""A language as the rules of translation see it: small tables, each with a default that no language objects to.

A room is a module that holds everything of one language and gives it as ``LANGUAGE``; ``languages.german`` is one. The
defaults below are those of a language without a room, to which ``languages.neutral`` adds what Unicode and CLDR say.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from languages.address import AddressRules, Clues
from languages.clock import Clock
from languages.numbers import NumberWords
from languages.writing import Writing


class DottedOrdinals(NamedTuple):
    """How to tell "3." for "third" from a number at the end of a sentence.

    Attributes:
        before: Words, in small letters, behind which a number of two digits with a dot is an ordinal.
        after: Words that stand behind an ordinal, or their beginnings, as a regular expression.
    """

    before: tuple[str, ...]
    after: str


class NounProbe(NamedTuple):
    """How to find out whether a word alone is a noun: it is translated after two articles.

    Attributes:
        ask: The word, in the letter case of a dictionary, after each of two articles.
        answer: A translation into this language of a noun after an article; the group is the noun.
    """

    ask: Callable[[str], tuple[str, str]]
    answer: re.Pattern[str]


class Negations(NamedTuple):
    """The words that deny, in any letter case; in translations, other words may do so.

    Attributes:
        words: Of a sentence that denies something: "not", "never". A question and its tag aren't meant.
        traces: What a translation may have for such a word of another language: also "hardly", "unknown", "avoid".
    """

    words: re.Pattern[str]
    traces: re.Pattern[str]


def _no_forms(word: str, is_last: bool) -> Iterable[str]:
    return ()


def _no_bases(form: str) -> Iterable[str]:
    return ()


def _no_clues(source: str) -> Clues:
    return Clues()


def _no_respelling(sentence: str) -> Iterable[tuple[int, int, str]]:
    return ()


def _no_references(text: str, target: str) -> Iterable[tuple[int, int, str]]:
    return ()


def _no_table() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, eq=False, kw_only=True)
class Language:
    """One language, perhaps of one region.

    Attributes:
        code: Its code without script and region: ``de``.
        name: Its English name: ``German``.
        script: The script it is written in, as ISO 15924 has it: ``Latn``; "" if that is unknown.
        region: The region that was asked for: ``AT``; None for none.
        regions: Regions whose notation of numbers and dates, or whose spelling, a client may ask for.
        right_to_left: It is written from right to left.
        abbreviations: Words whose full stop hardly ever ends a sentence, without that stop: "approx". One in small
            letters may begin with a capital; a space in one may be missing ("z. Hd").
        abbreviations_before_small: Words whose full stop ends no sentence where a small letter follows.
        abbreviations_before_noun: Words whose full stop, behind a number, ends no sentence before a word with a capital
            that isn't among ``common_words``: "2 Stk. Papier".
        dotted_ordinals: If ordinals are written with a full stop ("3. Mai"), how to tell them; None if they aren't.
        listed_letters: What stands with a full stop before an item of a list, "b." or "iv.", as a regular expression.
        conjunctions: Words before which a sentence too long for a model may be cut.
        numbers: Words beside numbers, or for them.
        clock: How the time is told; None if that isn't known.
        reads_half_days: "9.30 am" and "5 p.m." are times.
        writing: Its quotation marks, capitals and other conventions.
        inflect: Yields the other forms of a glossary's word. It gets the word as a dictionary has it, and whether it
            is the last of its term; before another word stands an adjective.
        bases: Yields the words that a lower-case form may be a form of. Many of them do not exist.
        head_before: Words behind the head of a term ("board of directors"), if only the head is inflected: it is the
            last word, or the one before these. None if every word of a term is inflected.
        word_endings: Endings that a word may get without becoming another one; see ``app.engine.decoding.half_words``.
        bracketed_endings: Endings that are written in brackets behind a word: "Schüler(innen)".
        gender_endings: Endings behind a sign for all genders: "Schüler_innen".
        ampersand_words: Words in small letters that "&" joins to another without spaces: "drag&drop".
        sounded_articles: Articles that change with the sound of the next word or number: "an 8", but "a 9".
        noun_probe: How to ask for a noun alone, and to read the answer; None leaves such words alone.
        address: How to tell its register; None if it has none, or none is known.
        clues: Reads what a sentence says of its reader.
        spelling: Gives the words that the language spells in another way than its other regions, in small letters,
            with its own spelling.
        letters: Letters that it doesn't have but other regions do, and what it writes instead.
        respell: Yields what a sentence has in a spelling that models don't know, and how it is usually written, as
            begin, end and text, in any order: words without their umlauts, for instance, or short forms.
        greeting: A greeting alone with a name and no comma between them; its groups are ``greeting`` and the final
            ``mark``, which may be empty. None where none is known.
        may_be_noun: Guesses whether a word in small letters would have a capital; None where only names have one.
        is_common_noun: Tells of a word with a capital, and the two words before it, whether it is a noun and no name.
        references: Yields the references to laws and the like in a text, as begin, end and what the language with a
            given code has for them.
        keys: Names of the keys of a keyboard, each with the English one, of several the usual one first; see
            ``languages.keyboard``.
        kept_names: What stays as it is whatever the target: addresses; each after characters, one of which is in all
            its matches.
        street_names: Names of streets that are one word with "street" or the like; the group ``name`` is the rest of
            it. None where there are none.
        street_words: Words in small letters for streets and squares: "lane".
        negations: The words that deny; None if they aren't known.
        common_words: Words in small letters that (nearly) no other language has; they tell it in short texts.
        frames: Gives sentences to train with, by names that all languages share. Their slots are filled with
            ``amount``, ``date``, ``decimal``, ``number`` and the like in the notation of each language.
    """

    code: str
    name: str
    script: str = ""
    region: str | None = None
    regions: tuple[str, ...] = ()
    right_to_left: bool = False
    abbreviations: tuple[str, ...] = ()
    abbreviations_before_small: tuple[str, ...] = ()
    abbreviations_before_noun: tuple[str, ...] = ()
    dotted_ordinals: DottedOrdinals | None = None
    listed_letters: str = ""
    conjunctions: tuple[str, ...] = ()
    numbers: NumberWords = field(default_factory=NumberWords)
    clock: Clock | None = None
    reads_half_days: bool = False
    writing: Writing = field(default_factory=Writing)
    inflect: Callable[[str, bool], Iterable[str]] = _no_forms
    bases: Callable[[str], Iterable[str]] = _no_bases
    head_before: tuple[str, ...] | None = None
    word_endings: frozenset[str] = frozenset()
    bracketed_endings: frozenset[str] = frozenset()
    gender_endings: frozenset[str] = frozenset()
    ampersand_words: frozenset[str] = frozenset()
    sounded_articles: frozenset[str] = frozenset()
    noun_probe: NounProbe | None = None
    address: AddressRules | None = None
    clues: Callable[[str], Clues] = _no_clues
    spelling: Callable[[], Mapping[str, str]] = _no_table
    letters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    respell: Callable[[str], Iterable[tuple[int, int, str]]] = _no_respelling
    greeting: re.Pattern[str] | None = None
    may_be_noun: Callable[[str], bool] | None = None
    is_common_noun: Callable[[str, Sequence[str]], bool] = lambda word, before: False
    references: Callable[[str, str], Iterable[tuple[int, int, str]]] = _no_references
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    kept_names: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = ()
    street_names: re.Pattern[str] | None = None
    street_words: frozenset[str] = frozenset()
    negations: Negations | None = None
    common_words: frozenset[str] = frozenset()
    frames: Callable[[], Mapping[str, str]] = _no_table

    def inflected(self, word: str, *, is_last: bool = True) -> tuple[str, ...]:
        """A word of a glossary and its other forms, each once; see ``inflect``."""
        if not word[-1:].isalpha() or len(word) < 2:
            return (word,)
        return tuple(dict.fromkeys((word, *self.inflect(word, is_last))))
