"""What comes back from a review: sentences with corrections, which go into the translated document."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.documents.corrections import Correction, Place, TranslatedText
from app.documents.inline import INLINE, objects_of
from app.documents.reading.readers import OpenDocument
from app.documents.sentences import reading_rules
from app.errors import WrongReview
from app.fairness.budget import checkpoint
from app.fairness.offload import offload
from app.text.markup.extraction import Rules

# Half of a character, which JSON can spell; and control characters, which some formats can't hold.
_HALF = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(" *+[\x00-\x1f\x7f\ufffe\uffff\ud800-\udfff][\x00-\x20\x7f\ufffe\uffff\ud800-\udfff]*+")
_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_WRONG = "The review doesn't belong to this file, or its texts were changed."


class Review(NamedTuple):
    """A review that came back.

    Attributes:
        source: Code of the language of the document.
        target: Its target as a locale.
        output: Name of the format of the translated file.
        texts: Its translated texts, with their markup.
        corrections: The sentences that were changed, by text.
    """

    source: str
    target: str
    output: str
    texts: list[str]
    corrections: Mapping[int, Sequence[Correction]]

    @classmethod
    def read(cls, value: object) -> "Review":
        """Reads what ``packed`` wrote, in which sentences have got a ``corrected``. Others may be missing.

        Raises:
            WrongReview: It isn't that.
        """
        try:
            corrections: dict[int, list[Correction]] = {}
            found: Any = value
            for each in found["sentences"]:
                checkpoint()
                if each.get("corrected") not in (None, each["translation"]):
                    numbers = (each["text"], each["block"], each["begin"])
                    texts = (each["translation"], each["corrected"])
                    if not _are(numbers, int) or not _are(texts, str) or min(numbers) < 0:
                        raise WrongReview(_WRONG)
                    correction = Correction(Place(*numbers[1:]), texts[0], _on_one_line(texts[1], texts[0]))
                    corrections.setdefault(numbers[0], []).append(correction)
            source, target, output, texts = (found[name] for name in ("source", "target", "output", "texts"))
        except (KeyError, TypeError, AttributeError):
            raise WrongReview(_WRONG) from None
        if not isinstance(texts, list) or not _are((source, target, output, *texts), str):
            raise WrongReview(_WRONG)
        review = cls(source, target, output, texts, corrections)
        if not all(map(_LANGUAGE.fullmatch, (source, target))) or any(map(_HALF.search, texts)):
            raise WrongReview(_WRONG)
        return review

    def corrected(self, originals: Sequence[str], markup: Rules | None) -> list[str]:
        """Returns the translated texts with the corrections in them.

        Args:
            originals: The texts of the document before its translation.
            markup: How they are marked up.

        Raises:
            WrongReview: It is of another document.
        """
        texts = list(self.texts)
        if len(texts) != len(originals) or any(not 0 <= number < len(texts) for number in self.corrections):
            raise WrongReview(_WRONG)
        if markup == INLINE:
            for original, text in zip(originals, texts, strict=True):
                checkpoint()
                if objects_of(original) != objects_of(text):
                    raise WrongReview(_WRONG)
        rules = reading_rules(markup, self.source)
        for number, corrections in self.corrections.items():
            checkpoint()
            try:
                texts[number] = TranslatedText(texts[number], rules).corrected(corrections)
            except ValueError:
                raise WrongReview(_WRONG) from None
        return texts


def _on_one_line(text: str, old: str) -> str:
    """Returns a correction without control characters, and without line breaks if the old translation has none."""
    lines = text.split("\n") if "\n" in old else [text]
    return "\n".join(_CONTROLS.sub(" ", line) for line in lines).strip()


def _are(values: Sequence[object], kind: type) -> bool:
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


async def correct_document(document: OpenDocument, review: Review) -> bytes:
    """Returns the translated file with the corrections of a review.

    Args:
        document: The document before its translation; it can't be used again.
        review: The review.

    Raises:
        WrongReview: It is of another document.
        DocumentTooLarge: The file can't be written within the limits.
    """
    texts = await offload(review.corrected, document.texts, document.markup, size=document.characters)
    return await document.write(texts, review.target)
