"""Tells which of the served languages a text is in, offline, with a confidence that means something.

The library is ``py3langid`` (BSD): naive Bayes over byte n-grams, restricted to the served languages. Its normalised
probability divides the log-odds by the square root of the length, so that short text stays unsure by itself: of WMT19
sentences with 99 or more, 99.9 % are right; of single words with 80 to 90, 95 %, with 50 to 60, 59 %.

German against English, percent correct over both sides of each set:

=====================================  ===============  ===========  ==============================
set                                    py3langid 0.4.0  this module  lingua-language-detector 2.1.1
=====================================  ===============  ===========  ==============================
WMT19 news, 4000 sentences                       99.38        99.45                           98.10
Tatoeba test, 4000 sentences                    100.00       100.00                           99.80
Tatoeba training, 4302 of <= 2 words             97.07        97.47                           97.79
Ding dictionary, 23543 single words              91.02        91.03                           93.69
wheel, MB                                          4.6          4.6                              96
resident memory, MB (without numpy)                 80           55                              77
time to load, s                                    0.8          0.6                             0.4
=====================================  ===============  ===========  ==============================

Of names and phrases of one to five words (CLDR's, ``python -m benchmarks.detection``), percent correct:

=======================  ===========  ======
served languages         this module  lingua
=======================  ===========  ======
de en                           70.6    74.2
de en fr pt                     64.1    69.3
de en fr pt es it nl pl         56.7    65.7
=======================  ===========  ======

So lingua is better at single words, worse at sentences, and costs twenty times the space in the image. Its memory grows
by some 20 MB with each language; this module's doesn't, and it also knows languages that are not served. So it stays.
The rooms of the languages add words: with those of French and Portuguese, 83.2 instead of 76.6 % of single words of
Tatoeba are told among four languages. A sentence takes 0.1 ms. Loading needs about 50 MB more for a moment.
"""

import math
import re
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]

from app.errors import ConfigurationError
from languages import codes
from languages.registry import language_of

_MODEL_FILE = "data/model.npz.xz"  # inside the library's package
_MOST_ANSWERS = 3
# Enough to be sure, and a book costs no more than a page: the library walks bytes in Python, 0.1 s per million.
_SAMPLE_CHARS = 4000

# Languages that a text may be in although they are not served. More of them would be mistaken for each other.
_KNOWN = frozenset(
    """
    af ar az be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt
    lv mk ml mn mr ms mt ne nl no pa pl pt ro ru sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh""".split()
)
# A text is in none of the served languages if all of them together are less likely than this, and it has enough
# letters. A text with fewer words in small letters may be a name ("Recep Tayyip Erdoğan"): more must speak against it.
# `python -m benchmarks.detection` counts how often it is said.
_FOREIGN_PROBABILITY = 0.005
_FOREIGN_PROBABILITY_OF_NAMES = 0.001
_SMALL_WORDS = 2
_FOREIGN_LETTERS = 8
_COMMON_WORD_LOG_ODDS = 4.0  # for a text of nothing else; in proportion to their share otherwise
_ADDRESS = re.compile(r"(?i:https?://|www\.)\S++|(?<!\S)[^\s@]++@\S++")  # says nothing of the text around it
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Detection:
    """One candidate: a served language and how sure it is, from 0 to 100, to one decimal."""

    language: str
    confidence: float


class Detector:
    """Detects which of some languages a text is in. Safe to use from several threads.

    Args:
        languages: Codes to choose from, the most usual first. ``de-AT`` is looked for as ``de`` and reported as given.
            A code that the library doesn't know is never reported as detected.

    Attributes:
        languages: The same.

    Raises:
        ValueError: if there are no languages.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        if not languages:
            raise ValueError("a detector needs at least one language")
        self.languages = tuple(languages)
        self._code_of = {codes.base(code): code for code in reversed(languages)}
        self._fallback = self._code_of.get("en", languages[0])
        self._identifier: LanguageIdentifier | None = None
        self._world: LanguageIdentifier | None = None  # of the languages that are not served, too
        self._loading = threading.Lock()

    def load(self) -> None:
        """Loads the model now, so that the first ``detect`` need not load it.

        Raises:
            ConfigurationError: if there is no folder for the temporary file that the library unpacks its model to.
        """
        self._loaded()

    def detect(self, text: str) -> list[Detection]:
        """Returns the likeliest languages, best first, at most three; their confidences add up to 100 or less.

        Text without a letter, or whose languages the library doesn't know, gives English (the first language where
        English isn't served) with confidence 0. Of a long text only the beginning is looked at.

        Raises:
            ConfigurationError: as ``load``.
        """
        sample = _sample(text)
        identifier = self._loaded() if sample else None
        if identifier is None or not identifier.labels:
            return [Detection(self._fallback, 0.0)]
        weights = dict(identifier.rank(sample))
        # N-grams know little of the shortest words: without these, "the" is undecided and "Hallo" is English. In
        # Tatoeba's short texts they take away a seventh of the errors.
        common = {language: language_of(language).common_words for language in weights}
        if all(common.values()):  # else a language without a list would be at a disadvantage
            words = _WORD.findall(sample.lower())
            for language in weights:
                share = sum(word in common[language] for word in words) / max(1, len(words))
                weights[language] *= math.exp(_COMMON_WORD_LOG_ODDS * share)
        total = sum(weights.values())
        found = [Detection(self._code_of[label], round(100 * weight / total, 1)) for label, weight in weights.items()]
        # A tie ("Hand", "in") goes to the language that undetectable text gets.
        return sorted(found, key=lambda d: (-d.confidence, d.language != self._fallback))[:_MOST_ANSWERS]

    def detect_served(self, text: str) -> list[Detection]:
        """Detects as ``detect``; text that is clearly in none of the served languages gets what undetectable text gets.

        Raises:
            ConfigurationError: as ``load``.
        """
        return [Detection(self._fallback, 0.0)] if self.foreign(text) else self.detect(text)

    def foreign(self, text: str) -> Detection | None:
        """Returns the likeliest language of a text that is clearly in none of the served languages.

        Raises:
            ConfigurationError: as ``load``.
        """
        sample = _sample(text)
        if sum(map(str.isalpha, sample)) < _FOREIGN_LETTERS:
            return None
        self._loaded()
        assert self._world
        chances = dict(self._world.rank(sample))
        likeliest = max(chances, key=lambda label: chances[label])
        served = sum(chance for label, chance in chances.items() if label in self._code_of)
        may_be_name = sum(word[0].islower() for word in sample.split()) < _SMALL_WORDS
        most = _FOREIGN_PROBABILITY_OF_NAMES if may_be_name else _FOREIGN_PROBABILITY
        if served >= most or likeliest in self._code_of:
            return None
        return Detection(likeliest, round(100 * chances[likeliest] / sum(chances.values()), 1))

    def _loaded(self) -> LanguageIdentifier:
        with self._loading:
            if self._identifier is None:
                self._world = _only(_load(), _KNOWN.union(self._code_of))
                self._identifier = _only(self._world, self._code_of)
            return self._identifier


def _load() -> LanguageIdentifier:
    try:
        return LanguageIdentifier.from_model_file(_MODEL_FILE, norm_probs=True)
    except OSError as error:
        raise ConfigurationError("language detection needs a writable temporary folder with 80 MB free") from error


def _only(whole: LanguageIdentifier, languages: Collection[str]) -> LanguageIdentifier:
    """Returns an identifier for fewer languages that does not keep the table of all 140 languages (28 MB) alive."""
    few = LanguageIdentifier(
        whole.nb_ptc,
        whole.nb_pc,
        whole.nb_classes,
        whole.tk_nextmove,
        whole.tk_output,
        norm_probs=True,
        tk_row=whole.tk_row,
    )
    few.set_languages([language for language in few.labels if language in languages])
    return LanguageIdentifier(
        few.nb_ptc, few.nb_pc, few.nb_classes, few.tk_nextmove, few.tk_output, norm_probs=True, tk_row=few.tk_row
    )


def _sample(text: str) -> str:
    """Returns the text without addresses from its first letter on, up to a length; empty if it has no letter."""
    begin = _first_letter(text)
    plain = _ADDRESS.sub(" ", text[begin : begin + 4 * _SAMPLE_CHARS])
    begin = _first_letter(plain)
    return plain[begin : begin + _SAMPLE_CHARS]


def _first_letter(text: str) -> int:
    return next((index for index, character in enumerate(text) if character.isalpha()), len(text))
