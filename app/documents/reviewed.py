"""What comes back from a review: sentences with corrections and states, which go into the translated document."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.documents.corrections import Correction, Place, TranslatedText
from app.documents.inline import INLINE, objects_of
from app.documents.marks import Mark, Marks
from app.documents.reading.readers import OpenDocument
from app.documents.sentences import reading_rules
from app.errors import WrongReview
from app.fairness.budget import checkpoint
from app.fairness.offload import offload
from app.text.markup.extraction import Rules
from app.text.quality_checks import Verdict

APPROVED, DOUBTFUL = "approved", "doubtful"
"""The states that a reviewer gives sentences."""

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
        marks: What the reviewer knows of each text; None if no sentence has a state.
    """

    source: str
    target: str
    output: str
    texts: list[str]
    corrections: Mapping[int, Sequence[Correction]]
    marks: Marks

    @classmethod
    def read(cls, value: object) -> "Review":
        """Reads what ``packed`` wrote, in which sentences have got ``corrected`` and ``state``. Others may be missing.

        Raises:
            WrongReview: It isn't that.
        """
        try:
            corrections = defaultdict[int, list[Correction]](list)
            judged = defaultdict[int, list[dict[str, Any]]](list)
            found: Any = value
            for each in found["sentences"]:
                checkpoint()
                if each.get("corrected") not in (None, each["translation"]):
                    corrections[each["text"]].append(_correction(each))
                judged[each["text"]].append(each)
            source, target, output, texts = (found[name] for name in ("source", "target", "output", "texts"))
            if not isinstance(texts, list) or not _are((source, target, output, *texts), str):
                raise WrongReview(_WRONG)
            has_states = any(each.get("state") for sentences in judged.values() for each in sentences)
            marks = [_mark(judged.get(number, ())) for number in range(len(texts))] if has_states else None
        except (KeyError, TypeError, AttributeError, ValueError):
            raise WrongReview(_WRONG) from None
        if not all(map(_LANGUAGE.fullmatch, (source, target))) or any(map(_HALF.search, texts)):
            raise WrongReview(_WRONG)
        if not _are([*judged], int) or any(not 0 <= number < len(texts) for number in judged):
            raise WrongReview(_WRONG)
        return cls(source, target, output, texts, corrections, marks)

    def corrected(self, originals: Sequence[str], markup: Rules | None) -> list[str]:
        """Returns the translated texts with the corrections in them.

        Args:
            originals: The texts of the document before its translation.
            markup: How they are marked up.

        Raises:
            WrongReview: It is of another document.
        """
        texts = list(self.texts)
        if len(texts) != len(originals):
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


def _correction(sentence: Mapping[str, Any]) -> Correction:
    numbers = (sentence["text"], sentence["block"], sentence["begin"])
    old, new = sentence["translation"], sentence["corrected"]
    if not _are(numbers, int) or not _are((old, new), str) or min(numbers) < 0:
        raise WrongReview(_WRONG)
    return Correction(Place(*numbers[1:]), old, _on_one_line(new, old))


def _mark(sentences: Sequence[Mapping[str, Any]]) -> Mark:
    """Returns what is known of a text whose sentences these are.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: A sentence is none.
    """
    states = [each.get("state") for each in sentences]
    if not {*states} <= {None, APPROVED, DOUBTFUL}:
        raise ValueError("an unknown state")
    reasons = (reason for each in sentences if each.get("state") == DOUBTFUL for reason in _reasons(each))
    changed = [each.get("corrected") not in (None, each["translation"]) for each in sentences]
    told = (each.get("confidence") for each, is_new in zip(sentences, changed, strict=True) if not is_new)
    match = sentences[0].get("match") if changed == [False] else None
    is_used = match is not None and match["used"]
    return Mark(
        reasons=tuple(dict.fromkeys(reasons)),
        confidence=min((_within(confidence, 1) for confidence in told if confidence is not None), default=None),
        score=int(_within(match["score"], 100)) if match and is_used else None,
        entry=(_in_file(match["source"]), _in_file(match["translation"])) if match and is_used else None,
        is_corrected=any(changed),
        is_approved=bool(states) and {*states} == {APPROVED},
    )


def _reasons(sentence: Mapping[str, Any]) -> Iterator[str]:
    """Yields why a sentence is doubtful."""
    confidence, verdicts = sentence.get("confidence"), [Verdict(each) for each in sentence.get("verdicts") or ()]
    if confidence is not None:
        yield f"confidence {_within(confidence, 1):.2f}"
    elif not verdicts:
        yield DOUBTFUL
    yield from map(str, verdicts)


def _within(number: float, most: int) -> float:
    if not 0 <= number <= most:
        raise ValueError("a number that nothing is measured by")
    return number


def _in_file(text: str) -> str:
    return _CONTROLS.sub(" ", text)


def _on_one_line(text: str, old: str) -> str:
    """Returns a correction without control characters, and without line breaks if the old translation has none."""
    lines = text.split("\n") if "\n" in old else [text]
    return "\n".join(_CONTROLS.sub(" ", line) for line in lines).strip()


def _are(values: Sequence[object], kind: type) -> bool:
    return all(isinstance(value, kind) and not isinstance(value, bool) for value in values)


async def correct_document(document: OpenDocument, review: Review) -> bytes:
    """Returns the translated file with the corrections and states of a review.

    Args:
        document: The document before its translation; it can't be used again.
        review: The review.

    Raises:
        WrongReview: It is of another document.
        DocumentTooLarge: The file can't be written within the limits.
    """
    texts = await offload(review.corrected, document.texts, document.markup, size=document.characters)
    return await document.write(texts, review.target, review.marks)
