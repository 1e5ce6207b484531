"""Decides where work on users' texts runs: here, on the event loop, or in the pool of threads.

The event loop serves all requests, so nothing may keep it for more than a few milliseconds. A hop to a thread and back
costs more than all the work on a short sentence, and waits for what runs in the pool. So little work is done at once,
and the rest in the pool. What waits for a disk or loads a model is no work on texts: ``asyncio.to_thread`` runs that.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, TypeVar

from app.fairness.budget import checkpoint
from app.fairness.pool import TEXT_POOL

Result = TypeVar("Result")

_TEXT_CHARS = 16  # what a text costs besides its characters, in characters: its objects, its job, its task
_FREED = 64  # objects that are freed between two checkpoints, in a millisecond at most


class Inline(IntEnum):
    """Below which size a kind of work is done at once: it takes some 4 ms at most then.

    Attributes:
        READING: Bytes of a request: its JSON or form, and the checks of its parameters.
        TEXTS: Size of plain texts that are cut into sentences or put together; see ``size_of``.
        SENTENCE: Characters of a sentence that becomes text, is judged and restored; 1,500 take 10 ms. A request has
            many sentences; the pool takes all that wait in one go.
        NEVER: What a stranger's pattern, markup, glossary or file costs, its size doesn't tell.
    """

    READING = 1 << 16
    TEXTS = 4_000
    SENTENCE = 500
    NEVER = 0


def size_of(texts: Sequence[str]) -> int:
    """Returns the size of texts in characters. A text counts as some more, so many short texts are much work, too."""
    return sum(map(len, texts)) + _TEXT_CHARS * len(texts)


def is_brief(size: int | None, inline: Inline, *, bulk: bool = False) -> bool:
    """Tells whether work is done at once. Arguments as of ``offload``."""
    return not bulk and size is not None and size < inline


async def offload(
    function: Callable[..., Result],
    *arguments: object,
    size: int | None = None,
    inline: Inline = Inline.NEVER,
    bulk: bool = False,
    admitted: bool = False,
) -> Result:
    """Calls a function here if that is brief, otherwise in the pool.

    There, the function ends at its next checkpoint if the waiting task is cancelled.

    Args:
        function: What to call.
        arguments: Its arguments.
        size: Size of what it works on, in characters or bytes; None if nobody knows.
        inline: The kind of work.
        bulk: It is a part of much work, all of which takes turns in the pool.
        admitted: It continues accepted work and is never refused.

    Raises:
        Overloaded: The pool has its maximum of large jobs.
    """
    if is_brief(size, inline, bulk=bulk):
        return function(*arguments)
    if inline is Inline.SENTENCE:
        return await TEXT_POOL.run_small(function, *arguments)
    return await TEXT_POOL.run(function, *arguments, size=size or 0, admitted=admitted)


def free(items: list[Any]) -> None:
    """Empties a list whose objects nobody else has. The pool calls it.

    If the event loop drops the last reference to 9,000 translations, every request waits for 50 ms.
    """
    while items:
        checkpoint()
        del items[-_FREED:]
