"""Rules that ask for other translations, without waiting for them.

A rule is a generator: it yields a ``Question``, is sent the answers, and returns its result. So it knows neither the
event loop nor threads, and who runs it decides where it works (``answered``).
"""

from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from app.engine.options import SearchOptions
from app.errors import DragomanError
from app.translation.sentence import SentenceTranslation, TextTranslation

if TYPE_CHECKING:
    from app.translation.second_tier.prompt import Brief

Result = TypeVar("Result")


class Question(NamedTuple):
    """Texts to translate, each as one sentence, and how to search; or a sentence for the second tier."""

    texts: tuple[str, ...]
    options: SearchOptions
    brief: "Brief | None" = None


Answers = list[TextTranslation] | None
"""The translations of a question's texts; None if there are none, and then what there is must do."""

Asking = Generator[Question, Answers, Result]


def likeliest(answers: Answers) -> SentenceTranslation | None:
    """The likeliest of several translations of one sentence, those without verdicts first; None if there are none."""
    found = (answer.sentences[0] for answer in answers or () if len(answer.sentences) == 1)
    return max(found, key=lambda each: each.likelihood, default=None)


class Done(NamedTuple, Generic[Result]):
    """The result of a rule."""

    result: Result


def step(asking: Asking[Result], answers: Answers = None) -> Question | Done[Result]:
    """Goes on with a rule until it asks or is done. ``answers`` is None at its beginning."""
    try:
        return asking.send(answers)
    except StopIteration as end:
        return Done(end.value)


async def answered(
    asking: Asking[Result],
    translate: Callable[[Question], Awaitable[Answers]],
    *,
    first: Question | None = None,
    run: Callable[..., Awaitable[Any]] | None = None,
) -> Result:
    """Answers the questions of a rule; returns its result.

    Args:
        asking: The rule.
        translate: Answers a question. If it refuses, there are no answers.
        first: The question that the rule has asked; None if it hasn't begun.
        run: Calls a function with arguments somewhere, such as ``offload``; None to call it here.
    """
    outcome = first or (await run(step, asking) if run else step(asking))
    while isinstance(outcome, Question):
        answers = None
        with suppress(DragomanError):
            answers = await translate(outcome)
        outcome = await run(step, asking, answers) if run else step(asking, answers)
    result: Result = outcome.result
    return result
