"""A glossary: the terms of one language with their translations, and the search for both in texts.

    glossary = Glossary({"Vorstand": "board"}, "de", "en")
    [term] = glossary.find("Die Vorstände tagen.")
    uses("The boards meet.", [term])  # inflected

The time is proportional to the text, however many entries there are, and the memory to the entries.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from app.fairness.budget import checkpoint
from app.text.inline.objects import TOKEN
from languages.registry import language_of

# Ways to read the words so far that are followed at once; strangers could make up words with thousands of them.
_MAX_PATHS = 8
_PART = re.compile(r"\w+|[^\w\s]")
_WORD_CHARACTER = re.compile(r"\w")
_MAX_FORMS = 64  # of a target term: of an adjective and a noun there are 40


class TermStatus(StrEnum):
    """Whether and how a translation uses a term."""

    APPLIED = "applied"
    INFLECTED = "inflected"
    NOT_FOUND = "not_found"


class TermUse(NamedTuple):
    """A term of the source text, as the glossary writes it, and its status in the translation."""

    source: str
    target: str
    status: TermStatus


class Term(NamedTuple):
    """An occurrence of a term in a text.

    Attributes:
        begin: Its first character, in code points.
        end: The one after its last.
        source: The entry's term, which the text may have inflected.
        target: The entry's translation.
        forms: Forms that the translation may have in a sentence, ``target`` first.
    """

    begin: int
    end: int
    source: str
    target: str
    forms: tuple[str, ...]

    def moved(self, by: int) -> "Term":
        """Returns the same term, shifted by a number of characters."""
        return self._replace(begin=self.begin + by, end=self.end + by)


@dataclass(slots=True)
class _Node:
    """A node of the prefix tree of all terms.

    Attributes:
        children: By the next word, with a space before it if a space parts it from the last.
        entries: Source terms that end here; several if they differ in case only.
    """

    children: dict[str, "_Node"] | None = None
    entries: tuple[str, ...] = ()


class Glossary:
    """The entries of one direction.

    Args:
        entries: Target terms by source terms; none is empty.
        source: Code of the language of the texts.
        target: Code of the language of their translations.
    """

    def __init__(self, entries: Mapping[str, str], source: str, target: str) -> None:
        self.source, self.target = source, target
        self._entries = dict(entries)
        self._root = _Node()
        self._vocabulary: set[str] = set()
        for term in self._entries:
            checkpoint()
            node = self._root
            for word in _words(term):
                self._vocabulary.add(word.lstrip(" "))
                node.children = {} if node.children is None else node.children
                node = node.children.setdefault(word, _Node())
            node.entries = (*node.entries, term)

    def find(self, text: str) -> list[Term]:
        """Finds the terms in a text, in order and disjoint; the longest of those at one position."""
        tokens = [match.span() for match in TOKEN.finditer(text)]
        words = [text[begin:end] for begin, end in tokens]
        readings = {word: self._readings(word) for word in dict.fromkeys(words)}
        # Where nouns are capitalised, "essen" is no form of "Essen"; but some people write no capitals at all.
        any_case = not language_of(self.source).writing.capital_nouns or text == text.lower()
        found: list[Term] = []
        done = 0
        for first, (begin, _) in enumerate(tokens):
            checkpoint()
            if first < done or not readings[words[first]]:
                continue
            nodes = [self._root]
            entry = None
            for index in range(first, len(tokens)):
                space = " " if index > first and tokens[index][0] > tokens[index - 1][1] else ""
                nodes = _followed(nodes, [space + reading for reading in readings[words[index]]])
                if not nodes:
                    break
                for node in nodes:
                    longer = self._entry(node, words[first : index + 1], any_case)
                    if longer is not None:
                        entry, done = longer, index + 1
                        break
            if entry is not None:
                target = self._entries[entry]
                forms = target_forms(target, self.target)
                found.append(Term(begin, tokens[done - 1][1], entry, target, forms))
        return found

    def _readings(self, word: str) -> list[str]:
        """Returns the glossary words that a word of a text may be a form of."""
        form = word.casefold()
        possible = dict.fromkeys([word, form, *language_of(self.source).bases(form), *_bases_of_capitals(word)])
        return [base for base in possible if base in self._vocabulary]

    def _entry(self, node: _Node, words: Sequence[str], any_case: bool) -> str | None:
        """Returns the entry of a node that these words are a form of, preferably in the same letter case."""
        for entry in sorted(node.entries, key=lambda entry: [word for word, _ in _tokens(entry)] != list(words)):
            if all(
                any(_agree(form, word, any_case) for form in forms)
                for forms, word in zip(_paradigm(entry, self.source), words, strict=True)
            ):
                return entry
        return None


def _followed(nodes: Sequence[_Node], words: Sequence[str]) -> list[_Node]:
    """Returns the nodes that one of the words leads to, at most as many as the search follows."""
    found = (node.children[word] for node in nodes if node.children for word in words if word in node.children)
    return list(islice(found, _MAX_PATHS))


def within(terms: Sequence[Term], begin: int, end: int) -> tuple[Term, ...]:
    """Returns the terms that lie entirely in a part of the text, with their positions in the part."""
    return tuple(term.moved(-begin) for term in terms if begin <= term.begin and term.end <= end)


def missing(translation: str, terms: Sequence[Term]) -> int:
    """Counts the terms that a translation lacks."""
    return sum(use.status is TermStatus.NOT_FOUND for use in uses(translation, terms))


def uses(translation: str, terms: Sequence[Term]) -> tuple[TermUse, ...]:
    """Finds the terms in a translation; each position counts for one term only."""
    if not terms:
        return ()
    groups = {term.forms: _Group(term) for term in terms}
    _count_forms(translation, groups.values())
    found = []
    for term in terms:
        left = groups[term.forms].left
        is_same = next((each for each in (True, False) if left[each]), None)
        if is_same is None:
            status = TermStatus.NOT_FOUND
        else:
            left[is_same] -= 1
            status = TermStatus.APPLIED if is_same else TermStatus.INFLECTED
        found.append(TermUse(term.source, term.target, status))
    return tuple(found)


class _Group:
    """The lower-case forms that a group of terms shares.

    Attributes:
        left: How many places hold the target term as it is, and how many another of its forms.
        done: The end of the last place.
    """

    def __init__(self, term: Term) -> None:
        self.target = term.target.casefold()
        self.forms = {form.casefold() for form in term.forms}
        self.left: Counter[bool] = Counter()
        self.done = 0


def _count_forms(text: str, groups: Collection[_Group]) -> None:
    """Finds the forms of all groups in one pass; of a group's forms at the same place, the longest."""
    folded = text.casefold()
    parts = [match.span() for match in _PART.finditer(folded)]
    owners: dict[str, list[_Group]] = {}
    for group in groups:
        checkpoint()
        for form in group.forms:
            owners.setdefault(form, []).append(group)
    lengths = sorted({sum(1 for _ in _PART.finditer(form)) for form in owners}, reverse=True)
    for first, (begin, _) in enumerate(parts):
        checkpoint()
        if _WORD_CHARACTER.match(folded, begin - 1, begin):
            continue  # a sign that stands right behind a word
        for last in (first + length - 1 for length in lengths if first + length <= len(parts)):
            end = parts[last][1]
            form = folded[begin:end]
            if form in owners and not _WORD_CHARACTER.match(folded, end):
                for group in owners[form]:
                    if begin >= group.done:
                        group.left[form == group.target] += 1
                        group.done = end


@lru_cache(maxsize=1024)
def target_forms(term: str, language: str) -> tuple[str, ...]:
    """Returns the forms of a term, the term itself first."""
    pieces = [text for text, _ in _tokens(term)]
    spaces = [" " if spaced else "" for _, spaced in _tokens(term)]
    ways = islice(product(*_paradigm(term, language)), _MAX_FORMS)
    return (
        tuple(dict.fromkeys([term, *("".join(map("".join, zip(spaces, words, strict=True))) for words in ways)]))
        if pieces
        else (term,)
    )


@lru_cache(maxsize=4096)
def _paradigm(term: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Returns the forms of each word of a term; words in brackets and before a hyphen have one: "E-Mail (neu)"."""
    tokens = _tokens(term)
    words = [word for word, _ in tokens]
    rules = language_of(language)
    opened = next((index for index, word in enumerate(words) if index and word in "([{"), len(words))
    last = opened - 1
    return tuple(
        rules.inflected(word, is_last=index == last)
        if index <= last
        and (rules.head_before is None or index == last or words[index + 1] in rules.head_before)
        and tokens[index + 1 : index + 2] != [("-", False)]
        else (word,)
        for index, word in enumerate(words)
    )


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Splits a term into words and signs, each with whether a space stands before it."""
    found: list[tuple[str, bool]] = []
    done = 0
    for match in TOKEN.finditer(text):
        found.append((match[0], bool(found) and match.start() > done))
        done = match.end()
    return found


def _words(term: str) -> list[str]:
    return [(" " if spaced else "") + (word if _is_strict(word) else word.casefold()) for word, spaced in _tokens(term)]


def _is_strict(word: str) -> bool:
    """Tells whether a word, such as IT, matches in capitals only."""
    return len(word) > 1 and word.isupper()


def _bases_of_capitals(word: str) -> Iterator[str]:
    """Returns the base of a word in capitals with an ending: PCs is a form of PC."""
    stem = word.rstrip("s'’")
    if stem != word and _is_strict(stem):
        yield stem


def _agree(form: str, word: str, any_case: bool) -> bool:
    if form == word:
        return True
    if not any_case and form[0].isupper() and word[0].islower():
        return False
    return not _is_strict(form.rstrip("s'’")) and form.casefold() == word.casefold()
