from collections.abc import AsyncGenerator
from pathlib import Path
from typing import ClassVar

from typer.testing import CliRunner, Result

from app.cli.main import app
from app.engine.interface import (
    Alphabet,
    Event,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextTranslation,
    Timing,
    TranslationCall,
)
from app.text.quality_checks import Verdict


def run(*arguments: str | Path, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


class UpperCaseEngine:
    """Translates into capitals; what it was asked is in ``calls``."""

    pairs = frozenset({("de", "en"), ("en", "de"), ("de", "fr")})
    calls: ClassVar[list[tuple[list[str], str, str, int]]] = []
    splittings: ClassVar[set[str]] = set()
    error: ClassVar[BaseException | None] = None
    running = False

    @classmethod
    def from_settings(cls, settings: object) -> "UpperCaseEngine":
        return cls()

    async def start(self) -> None:
        self.running = True

    async def stop(self) -> None:
        self.running = False

    def alphabet(self, source: str, target: str) -> Alphabet:
        return Alphabet(placeholders=("\ue000",))

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        assert self.running
        self.calls.append((list(call.texts), call.source, call.target, call.options.beam_size))
        self.splittings.add(call.splitting)
        if self.error is not None:
            raise self.error
        for index, text in enumerate(call.texts):
            translation = self._translate(text)
            for sentence in translation.sentences:
                yield SentenceEvent(call.key(index), sentence)
            yield TextEvent(call.key(index), translation)
        yield Timing(queue_s=0, encode_s=0, decode_s=0)

    def _translate(self, text: str) -> TextTranslation:
        sentence = SentenceTranslation(
            source_begin=0,
            target_begin=0,
            source=text,
            text=text.upper(),
            score=-1,
            alternatives=(),
            verdicts=(Verdict.TRUNCATED,) if "endless" in text else (),
        )
        pivot = "en" if "far" in text else None
        return TextTranslation(text=text.upper(), alternatives=(), sentences=(sentence,), pivot=pivot)
