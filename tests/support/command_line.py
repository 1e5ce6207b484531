from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

from typer.testing import CliRunner, Result

from app.cli.main import app
from app.engine.interface import (
    Alphabet,
    Draft,
    Event,
    OpenHop,
    Timing,
    TranslationCall,
    Version,
)


def run(*arguments: str | Path, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


def output_of(*arguments: object, fails: str = "") -> str:
    """What a command writes to stdout. It must succeed, or fail as wrong usage with a message that has ``fails``."""
    done = run(*map(str, arguments))
    assert done.exit_code == (2 if fails else 0), done.output
    assert fails in done.output
    return done.stdout


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

    @asynccontextmanager
    async def route(self, source: str, target: str) -> AsyncIterator[list[OpenHop]]:
        """French takes two models."""
        ways = [(source, "en"), ("en", target)] if target == "fr" else [(source, target)]
        yield [OpenHop(self, *way) for way in ways]  # type: ignore[arg-type]

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        assert self.running
        self.calls.append((list(call.texts), call.source, call.target, call.options.beam_size))
        self.splittings.add(call.splitting)
        if self.error is not None:
            raise self.error
        for index, text in enumerate(call.texts):
            yield Draft(index, 0, text, (Version(text.upper(), -1, truncated="endless" in text),))
        yield Timing(queue_s=0, encode_s=0, decode_s=0)
