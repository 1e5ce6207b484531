"""How often the language of a name or phrase of one to five words is told: ``python -m benchmarks.detection``.

The texts are CLDR's names of languages, countries and units in eight languages, 400 of each, without those that two
languages share. Nobody tuned a detector to them. Where ``lingua-language-detector`` is installed, it is measured, too.
"""

import importlib
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from random import Random

from babel import Locale

from app.text.detection import Detector

LANGUAGES = ("de", "en", "fr", "pt", "es", "it", "nl", "pl")
EVALUATION = Path("data/de-en/eval")
_EACH = 400
_SEED = 5


def names(code: str) -> list[str]:
    """CLDR's names of one to five words in a language, in a fixed order."""
    locale = Locale(code)
    found = {*locale.languages.values(), *locale.territories.values()}
    texts = sorted(text for text in found if len(text.split()) <= 5 and re.search(r"\w{3}", text))
    Random(_SEED).shuffle(texts)
    return texts[:_EACH]


def cases(languages: tuple[str, ...]) -> list[tuple[str, str]]:
    """Languages and texts; a text that several languages have is left out."""
    found = [(code, text) for code in languages for text in names(code)]
    count = Counter(text.lower() for _, text in found)
    return [(code, text) for code, text in found if count[text.lower()] == 1]


def detectors(languages: tuple[str, ...]) -> Iterator[tuple[str, Callable[[str], str | None]]]:
    """The name and function of each detector that there is."""
    own = Detector(languages)
    own.load()
    yield "Dragoman", lambda text: own.detect(text)[0].language
    try:
        lingua = importlib.import_module("lingua")
    except ModuleNotFoundError:
        return
    codes = [getattr(lingua.IsoCode639_1, code.upper()) for code in languages]
    other = lingua.LanguageDetectorBuilder.from_iso_codes_639_1(*codes).with_preloaded_language_models().build()
    yield "lingua", lambda text: (found := other.detect_language_of(text)) and found.iso_code_639_1.name.lower()


def sentences() -> set[str]:
    """German and English sentences of the test sets."""
    lines = (line for file in EVALUATION.glob("*.tsv") for line in file.read_text(encoding="utf-8").splitlines())
    return {text for line in lines for text in line.split("\t")[:2]}


def print_refused(what: str, texts: Collection[str]) -> None:
    """Prints how many texts a server of German and English takes for another language."""
    detector = Detector(LANGUAGES[:2])
    refused = sum(detector.foreign(text) is not None for text in texts)
    print(f"served are {', '.join(LANGUAGES[:2])}; in neither of them: {refused} of {len(texts)} {what}")


def main() -> None:
    """Prints a line for each detector and set of languages, and how often a text is said to be in none of them."""
    for size in (2, 4, 8):
        texts = cases(LANGUAGES[:size])
        for name, detect in detectors(LANGUAGES[:size]):
            began = time.process_time()
            right = sum(detect(text) == code for code, text in texts)
            each = (time.process_time() - began) / len(texts)
            print(f"{size} languages, {len(texts)} texts: {name} {right / len(texts):.1%}, {1e6 * each:.0f} µs each")
    served = LANGUAGES[:2]
    print_refused("sentences of the test sets", sentences())
    print_refused("names in German and English", [text for code, text in cases(LANGUAGES) if code in served])
    print_refused("names in other languages", [text for code, text in cases(LANGUAGES) if code not in served])


if __name__ == "__main__":
    main()
