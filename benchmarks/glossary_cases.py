"""Makes the cases of benchmarks.glossary: sentences with one to three terms, from pair files and a dictionary.

    python -m benchmarks.glossary_cases data/de-en/train/ding-words.tsv.xz data/de-en/eval/tatoeba.*.tsv > cases.jsonl

A term is a noun of the source that the reference translates with one of its translations in the dictionary. If there is
a synonym, a term asks for that, and otherwise for what the reference has. A synonym is another translation that has a
second source word in common with it, and isn't in the reference. Tatoeba's
sentences (CC BY 2.0 FR, tatoeba.org) are in benchmarks/glossary_cases.jsonl.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

import typer

from app.text.terms.glossary import Glossary, target_forms
from benchmarks.figures import read_sentences
from languages.registry import language_of
from model.data.pairs import read_pairs

CASES = Path(__file__).with_suffix(".jsonl")
_NOUN = {"de": re.compile(r"[A-ZÄÖÜ][a-zäöüß]{2,}"), "en": re.compile(r"[a-z]{3,}")}
_MOST = 3


class CaseTerm(NamedTuple):
    """A term; what the reference has for it; and all its translations in the dictionary."""

    source: str
    target: str
    in_reference: str
    others: tuple[str, ...]


class Case(NamedTuple):
    """A sentence with its reference and the terms in it."""

    source: str
    target: str
    text: str
    reference: str
    terms: tuple[CaseTerm, ...]


def read_cases(path: Path = CASES) -> list[Case]:
    """The cases of a file."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Case(**line | {"terms": tuple(CaseTerm(*term) for term in line["terms"])}) for line in lines]


def has(text: str, term: str, language: str) -> bool:
    """A form of the term is in the text, in the term's own case."""
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in target_forms(term, language))


def _dictionary(path: Path, source: str, target: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for pair in read_pairs(path):
        one, other = pair if source == "de" else pair[::-1]
        if _NOUN[source].fullmatch(one) and _NOUN[target].fullmatch(other) and one.lower() != other.lower():
            found[one].append(other)
    return found


def _is_form(word: str, dictionary: Mapping[str, list[str]], language: str) -> bool:
    candidates = {
        base.capitalize() if word[0].isupper() else base for base in language_of(language).bases(word.lower())
    } - {word}
    return any(base in dictionary and word in language_of(language).inflected(base) for base in candidates)


def _cases(
    pairs: Iterable[tuple[str, str]], dictionary: Mapping[str, list[str]], source: str, target: str, random: Random
) -> Iterator[Case]:
    # A glossary has dictionary forms.
    everything = Glossary({word: word for word in dictionary if not _is_form(word, dictionary, source)}, source, source)
    reverse: dict[str, set[str]] = defaultdict(set)
    for word, others in dictionary.items():
        for other in others:
            reverse[other].add(word)
    for text, reference in pairs:
        if len(text.split()) < 7:
            continue
        possible = []
        matches = everything.find(text)
        for match in matches:
            others = [each for each in dictionary[match.source] if has(reference, each, target)]
            if len(others) == 1 and sum(one.source == match.source for one in matches) == 1:
                possible.append((match.source, others[0]))
        terms = []
        for word, in_reference in random.sample(possible, min(len(possible), random.randint(1, _MOST))):
            rest = [
                each
                for each in dictionary[word]
                if not has(reference, each, target) and len(reverse[each] & reverse[in_reference]) > 1
            ]
            wanted = random.choice(rest) if rest else in_reference
            if wanted not in [term.target for term in terms]:
                terms.append(CaseTerm(word, wanted, in_reference, tuple(dictionary[word])))
        if terms:
            yield Case(source, target, text, reference, tuple(terms))


def main(
    dictionary: Annotated[Path, typer.Argument(help="Pair file of German and English words.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files of German and English sentences.")],
    sentences: Annotated[int, typer.Option(min=2, help="Sentences, half of each language.")] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the sentences and terms.")] = 0,
) -> None:
    """Print the cases, one a line."""
    for source, target in (("de", "en"), ("en", "de")):
        read = read_sentences(pairs, seed=seed, reverse=source == "en")
        cases = _cases(read, _dictionary(dictionary, source, target), source, target, Random(seed))
        by_size = sorted(cases, key=lambda case: -len(case.terms))  # by far the most cases have one term
        few = [[case for case in by_size if len(case.terms) == size] for size in range(_MOST, 0, -1)]
        chosen = [case for own in few for case in own[: sentences // 6]]
        chosen += [case for case in few[-1] if case not in chosen][: sentences // 2 - len(chosen)]
        for case in chosen:
            print(json.dumps(case._asdict(), ensure_ascii=False))


if __name__ == "__main__":
    typer.run(main)
