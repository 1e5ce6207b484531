"""Sentences whose stand-ins a model loses are translated again, and whatever comes of it all spans are there."""

from collections.abc import Awaitable, Callable, Sequence

import pytest

from app.engine.interface import SentenceTranslation, TextTranslation
from app.errors import ModelFailure, Overloaded
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import protect
from app.text.quality_checks import Verdict
from app.translation.restoring import Restorer

pytestmark = pytest.mark.anyio
TEXT = "Hallo! Ich sah {0} gestern."


def of(source: str, text: str, begin: int = 0, truncated: bool = False) -> SentenceTranslation:
    return SentenceTranslation(
        source=source,
        source_begin=begin,
        text=text,
        target_begin=begin,
        score=-1.0,
        alternatives=(),
        confidence=1 / len(text),
        verdicts=(Verdict.TRUNCATED,) if truncated else (),
    )


def translator(
    asked: list[Sequence[str]], model: Callable[[str], str], cut_off: str
) -> Callable[[Sequence[str]], Awaitable[list]]:
    async def translate(texts: Sequence[str]) -> list[TextTranslation]:
        asked.append(texts)
        outputs = [model(text) for text in texts]
        return [
            TextTranslation(text=output, alternatives=(), sentences=(of(text, output, truncated=output == cut_off),))
            for text, output in zip(texts, outputs, strict=True)
        ]

    return translate


async def restore(
    model: Callable[[str], str], cut_off: str = ""
) -> tuple[list[Sequence[str]], str, list[str], SentenceTranslation]:
    """What was asked for again, the whole translation, the lost spans, and the last sentence.

    The limit has cut off what is translated by ``cut_off``.
    """
    protected = protect(TEXT, compile_patterns(["{0}"]))
    asked: list[Sequence[str]] = []
    restorer = Restorer(
        protected.text,
        protected,
        mirror=lambda source, translation: [],
        placeholders=(),
        translate=translator(asked, model, cut_off),
    )
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


async def test_what_was_cut_off_on_the_way_is_said_to_be() -> None:
    pieces = {"Ich sah": "I saw.", "gestern.": "Yester"}
    *_, sentence = await restore(lambda source: pieces.get(source, "Blah blah blah."), cut_off="Yester")
    assert Verdict.TRUNCATED in sentence.verdicts


@pytest.mark.parametrize("error", [Overloaded("full"), ModelFailure("not finite")])
async def test_a_failure_ends_the_attempts(error: Exception) -> None:
    def model(source: str) -> str:
        if "57" in source:
            raise error
        return "I was seen yesterday."

    _, text, lost, _ = await restore(model)
    assert lost == ["{0}"]
    assert text.count("{0}") == 1
