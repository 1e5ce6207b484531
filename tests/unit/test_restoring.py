"""Sentences whose stand-ins a model loses are translated again, and whatever comes of it all spans are there."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from app.api.restoring import Restorer
from app.engine.translation import SentenceTranslation, TextTranslation
from app.errors import Overloaded
from app.text.protection import compile_patterns, protect

pytestmark = pytest.mark.anyio
TEXT = "Hallo! Ich sah {0} gestern."


def of(source: str, text: str, begin: int = 0) -> SentenceTranslation:
    return SentenceTranslation(
        source=source,
        source_begin=begin,
        text=text,
        target_begin=begin,
        score=-1.0,
        alternatives=(),
        confidence=1 / len(text),
    )


def translator(asked: list[Sequence[str]], model: Callable[[str], str]) -> Callable[[Sequence[str]], Awaitable[list]]:
    async def translate(texts: Sequence[str]) -> list[TextTranslation]:
        asked.append(texts)
        outputs = [model(text) for text in texts]
        return [
            TextTranslation(text=output, alternatives=(), sentences=(of(text, output),))
            for text, output in zip(texts, outputs, strict=True)
        ]

    return translate


async def restore(model: Callable[[str], str]) -> tuple[list[Sequence[str]], str, list[str], SentenceTranslation]:
    """What was asked for again, the whole translation, the lost spans, and the last sentence."""
    protected = protect(TEXT, compile_patterns(["{0}"]))
    asked: list[Sequence[str]] = []
    restorer = Restorer(protected, translator(asked, model))
    await restorer.add(of("Hallo!", "Hi!"))
    source = protected.text[7:]
    sentence = await restorer.add(of(source, model(source), 7))
    unrestored, restored = restorer.finish()
    [name] = [protected.text[begin:end] for begin, end in protected.stand_ins]
    assert restored.text == unrestored.text.replace(name, "{0}") or restorer.lost
    assert restored.text[sentence.target_begin :] == sentence.text
    assert sentence.source == TEXT[7:] and sentence.source_begin == 7
    return asked, restored.text, restorer.lost, sentence


async def test_a_sentence_that_kept_its_stand_ins_is_translated_once() -> None:
    asked, text, lost, _ = await restore(lambda source: source.replace("Ich sah", "I saw"))
    assert (asked, text, lost) == ([], "Hi! I saw {0} gestern.", [])


async def test_a_model_that_drops_names_gets_numbers() -> None:
    asked, text, lost, _ = await restore(
        lambda source: "I saw 57 yesterday." if "57" in source else "I was seen yesterday."
    )
    assert (asked, text, lost) == ([("Ich sah 57 gestern.",)], "Hi! I saw {0} yesterday.", [])


async def test_a_model_that_drops_everything_gets_what_is_between_the_spans() -> None:
    pieces = {"Ich sah": "I saw.", "gestern.": "Yesterday."}
    asked, text, lost, sentence = await restore(lambda source: pieces.get(source, "Blah blah blah."))
    assert asked[-1] == ("Ich sah", "gestern.")
    assert (text, lost) == ("Hi! I saw {0} Yesterday.", [])
    assert sentence.score == -1.0
    assert sentence.confidence == 1 / len("Yesterday.")  # the least of the pieces'


async def test_a_full_queue_ends_the_attempts() -> None:
    def model(source: str) -> str:
        if "57" in source:
            raise Overloaded("full")
        return "I was seen yesterday."

    _, text, lost, _ = await restore(model)
    assert lost == ["{0}"]
    assert text.count("{0}") == 1
