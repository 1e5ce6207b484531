"""Answers the questions of a rule in place of the engine."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from app.engine.options import SearchOptions
from app.translation.questions import Asking, Question, answered
from app.translation.sentence import TextTranslation

Result = TypeVar("Result")
Model = Callable[[Sequence[str], SearchOptions], Awaitable[list[TextTranslation]]]


async def answered_by(model: Model, asking: Asking[Result]) -> Result:
    """The result of the rule."""

    async def translate(question: Question) -> list[TextTranslation]:
        return await model(question.texts, question.options)

    return await answered(asking, translate)
