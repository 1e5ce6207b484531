"""From raw sentence pairs to training files: cleaning, duplicates, and a split that leaks nothing.

Duplicates and shared sides are recognised by a key: lower case, punctuation ignored. The set of keys seen takes about
100 bytes of memory a pair.
"""

import hashlib
import heapq
import json
import os
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from model.data.pairs import Pair, read_pairs, write_pairs

Progress = Callable[[str, int, int | None], None]
"""Called now and then with the step ("clean", then "split"), the pairs done and the pairs in all if known."""

EMPTY = "empty side"
TOO_SHORT = "too few words"
TOO_LONG = "too many words"
UNBALANCED = "lengths too unlike"
COPY = "source equals target"
FEW_LETTERS = "too few letters"
DUPLICATE = "duplicate"
SHARED = "shares a side with valid or test"

_REPORT_EVERY = 2_000
# Controls that are no whitespace, and invisible characters that carry no text: soft hyphen, zero-width space, BOM.
# Zero-width joiners stay: some scripts need them.
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\ufeff]")


class PreparationError(ValueError):
    """The data cannot be prepared as asked; the message says what to change."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Which pairs are kept. Words are what whitespace separates.

    Attributes:
        min_words: Minimum number of words of each side.
        max_words: Maximum number of words of each side.
        max_ratio: Maximum ratio of the two sides' numbers of words ...
        ratio_above_words: ... for pairs whose longer side has more words than this.
        min_letter_share: At least this part of each side's visible characters are letters (or marks on letters).
    """

    min_words: int = 1
    max_words: int = 120
    max_ratio: float = 3.0
    ratio_above_words: int = 3
    min_letter_share: float = 0.6

    def __post_init__(self) -> None:
        if not 1 <= self.min_words <= self.max_words:
            raise PreparationError(f"min_words {self.min_words} must lie between 1 and max_words {self.max_words}")
        if self.max_ratio < 1:
            raise PreparationError(f"max_ratio {self.max_ratio} must be at least 1")
        if not 0 <= self.min_letter_share <= 1:
            raise PreparationError(f"min_letter_share {self.min_letter_share} must lie between 0 and 1")


@dataclass(frozen=True)
class Split:
    """Three parts without a common side. ``train`` is read lazily and can be iterated once."""

    train: Iterator[Pair]
    valid: list[Pair]
    test: list[Pair]


@dataclass(frozen=True, kw_only=True)
class Report:
    """How many pairs were kept and rejected: ``read`` is the sum of ``rejected``, ``train``, ``valid`` and ``test``."""

    inputs: dict[str, int]
    read: int
    rejected: dict[str, int]
    train: int
    valid: int
    test: int
    seed: int
    rules: Rules


def normalise(text: str) -> str:
    """NFC, invisible characters dropped, every run of whitespace one space, none at the ends."""
    return unicodedata.normalize("NFC", " ".join(_INVISIBLE.sub("", text).split()))


def key(text: str) -> str:
    """The key of a text: lower case, without punctuation and spacing. Texts with equal keys count as the same."""
    return " ".join(text.lower().translate(_PUNCTUATION).split())


def clean(pairs: Iterable[Pair], rules: Rules, *, rejected: Counter[str] | None = None) -> Iterator[Pair]:
    """Yields the normalised pairs that pass the rules, in order, and of duplicates the first.

    Args:
        pairs: Raw pairs.
        rules: What to keep.
        rejected: Counts the others by reason, as the pairs are drawn.
    """
    counts = Counter[str]() if rejected is None else rejected
    seen: set[bytes] = set()
    for raw_source, raw_target in pairs:
        pair = normalise(raw_source), normalise(raw_target)
        reason = _fault(*pair, rules)
        if reason is None:
            digest = _digest(*map(key, pair))
            reason = DUPLICATE if digest in seen else None
            seen.add(digest)
        if reason is None:
            yield pair
        else:
            counts[reason] += 1


def split(pairs: Iterable[Pair], *, valid: int, test: int, seed: int) -> Split:
    """Draws ``test``, then ``valid`` pairs; the other pairs that share no side with them are ``train``.

    Pairs are drawn in the order of a seeded hash of their keys, so the draw depends on the seed and on which pairs
    there are, not on their order. No two drawn pairs share a side either.

    Args:
        pairs: Clean pairs. They are iterated several times, so an iterator won't do.
        valid: Validation pairs to draw, 0 for none.
        test: Test pairs to draw, 0 for none.
        seed: Another seed draws other pairs.

    Raises:
        PreparationError: Negative sizes, or too few pairs without common sides.
    """
    if iter(pairs) is pairs:
        raise TypeError("split() iterates several times: pass a list or another re-iterable, not an iterator")
    if valid < 0 or test < 0:
        raise PreparationError(f"cannot draw {valid} validation and {test} test pairs: sizes must not be negative")
    drawn, taken = _draw(pairs, valid + test, seed)
    train = (pair for pair in pairs if taken.isdisjoint(_sides(pair)))
    return Split(train=train, valid=drawn[test:], test=drawn[:test])


def prepare(
    inputs: list[Path],
    out: Path,
    *,
    rules: Rules,
    valid: int,
    test: int,
    seed: int,
    progress: Progress | None = None,
) -> Report:
    """Cleans and splits files of pairs into ``out/train.tsv.xz``, ``valid.tsv``, ``test.tsv`` and ``report.json``.

    The folder appears only when it is complete. Training pairs keep their order.

    Raises:
        PairsError: An input is missing, damaged, not UTF-8 or has a line without a tab.
        PreparationError: ``out`` is already there, or there are too few pairs.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise PreparationError(f"{out}: already exists; choose another folder or remove it")
    readers = {path: read_pairs(path) for path in inputs}  # missing files are reported before any work
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    try:
        counts, rejected = Counter[str](), Counter[str]()
        cleaned = _Stored(part / "cleaned.tsv", progress)
        cleaned.fill(clean(_chained(readers, counts, progress), rules, rejected=rejected))
        parts = split(cleaned, valid=valid, test=test, seed=seed)
        train = write_pairs(part / "train.tsv.xz", parts.train)
        if not train:
            raise PreparationError(f"none of {counts.total()} pairs is left to train on: {_in_words(rejected)}")
        write_pairs(part / "valid.tsv", parts.valid)
        write_pairs(part / "test.tsv", parts.test)
        rejected[SHARED] += cleaned.count - train - valid - test
        report = Report(
            inputs=dict(counts),
            read=counts.total(),
            rejected=dict(rejected.most_common()),
            train=train,
            valid=valid,
            test=test,
            seed=seed,
            rules=rules,
        )
        cleaned.path.unlink()
        (part / "report.json").write_text(json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n", "utf-8")
        part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return report


class _Stored:
    """Pairs in a file, which can be iterated again and again without holding them in memory."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        self.path = path
        self.count = 0
        self._progress = progress

    def fill(self, pairs: Iterable[Pair]) -> None:
        self.count = write_pairs(self.path, pairs)

    def __iter__(self) -> Iterator[Pair]:
        for done, pair in enumerate(read_pairs(self.path), start=1):
            if self._progress is not None and (done % _REPORT_EVERY == 0 or done == self.count):
                self._progress("split", done, self.count)
            yield pair


def _chained(readers: Mapping[Path, Iterable[Pair]], counts: Counter[str], progress: Progress | None) -> Iterator[Pair]:
    """Yields the pairs of all files; ``counts`` gets the number of pairs of each file."""
    for path, pairs in readers.items():
        for pair in pairs:
            counts[str(path)] += 1
            if progress is not None and (done := counts.total()) % _REPORT_EVERY == 0:
                progress("clean", done, None)
            yield pair
    if progress is not None:
        progress("clean", counts.total(), counts.total())


def _fault(source: str, target: str, rules: Rules) -> str | None:
    """Why a normalised pair is rejected, None if it is not."""
    if not source or not target:
        return EMPTY
    shorter, longer = sorted((len(source.split()), len(target.split())))
    if shorter < rules.min_words:
        return TOO_SHORT
    if longer > rules.max_words:
        return TOO_LONG
    if longer > rules.ratio_above_words and longer > rules.max_ratio * shorter:
        return UNBALANCED
    if source == target:
        return COPY
    if min(_letter_share(source), _letter_share(target)) < rules.min_letter_share:
        return FEW_LETTERS
    return None


def _letter_share(text: str) -> float:
    """Letters, with the marks that some scripts write on them, among the characters that are no spaces."""
    visible = len(text) - text.count(" ")
    letters = sum(map(str.isalpha, text))
    if letters < visible:
        letters += sum(unicodedata.category(character).startswith("M") for character in text)
    return letters / visible


def _draw(pairs: Iterable[Pair], count: int, seed: int) -> tuple[list[Pair], set[tuple[str, str]]]:
    """The first ``count`` pairs, in the order of their seeded hash, that share no side; and all their sides."""
    drawn: list[Pair] = []
    taken: set[tuple[str, str]] = set()
    shortlist = 2 * count
    while len(drawn) < count:
        ranked = heapq.nsmallest(shortlist, ((_digest(str(seed), *map(key, pair)), pair) for pair in pairs))
        drawn, taken = [], set()
        for _, pair in ranked:
            if len(drawn) < count and taken.isdisjoint(_sides(pair)):
                drawn.append(pair)
                taken.update(_sides(pair))
        if len(drawn) < count and len(ranked) < shortlist:
            raise PreparationError(
                f"cannot draw {count} pairs without common sides for valid and test: "
                f"of {len(ranked)} clean pairs only {len(drawn)} qualify; lower --valid and --test"
            )
        shortlist *= 4  # too many pairs share a side: the shortlist was too short
    return drawn, taken


def _sides(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("source", key(pair[0])), ("target", key(pair[1]))


def _digest(*parts: str) -> bytes:
    # 64 bits: among 10 million pairs the chance that two different ones collide is 3 in a million.
    return hashlib.blake2b("\t".join(parts).encode(), digest_size=8).digest()


def _in_words(rejected: Counter[str]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in rejected.most_common()) or "the files are empty"


class _Punctuation(dict[int, str]):
    """Maps punctuation to a space and everything else to itself; filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = " " if unicodedata.category(character).startswith("P") else character
        return self[code]


_PUNCTUATION = _Punctuation()
