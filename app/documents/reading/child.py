"""What a reader process does: it reads one file of a stranger, and writes its translation, within its limits."""

import os
import resource
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import Any

from app.documents import term_files
from app.documents.marks import unpacked
from app.documents.memory_files import find_form, find_pair, read_file
from app.documents.reading.frames import TOO_MUCH_MEMORY, Connection, frames_of_file, frames_of_texts, message
from app.documents.registry import find_format
from app.errors import DamagedDocument, DragomanError, TextTooLong

_OWN_BYTES = 256 << 20  # of address space, where the system doesn't tell
_NICE = 10  # a busy server's translations get ten times the processor time of its readers
_FILES = 32  # at a time; libraries read some of their own


def serve(connection: Connection) -> None:
    """Carries out one task."""
    task = connection.message()
    _limit_memory(task["memory_bytes"])
    _limit_processor(task["processor_s"])
    _tasks[task["task"]](connection, task)


def _translate(connection: Connection, task: dict[str, Any]) -> None:
    """Reads a document, sends its texts, waits for their translations, and sends the translated file."""
    read = find_format(f".{task['format']}").reader(task["output"], task["target"])
    document = _answered(connection, partial(read, connection.file()))
    if document is None:
        return
    characters = document.characters
    if characters > task["max_chars"]:
        _refuse(connection, TextTooLong(f"The document has {characters} characters; {task['max_chars']} are allowed."))
        return
    described = message(
        characters=characters,
        markup=document.markup and asdict(document.markup),
        splitting=document.splitting,
        kept=dict(document.kept),
        takes_marks=document.takes_marks,
    )
    connection.send(chain([described], frames_of_texts(document.texts)))
    wanted = connection.message()
    translations = connection.texts()
    arguments = [translations, wanted["language"]]
    if wanted["has_marks"]:
        arguments.append([unpacked(text) for text in connection.texts()])
    _limit_processor(task["processor_s"])
    content = _answered(connection, lambda: document.write(*arguments), is_file=False)
    if content is not None:
        connection.send(chain([message(size=len(content))], frames_of_file(content)))


def _import_memory(connection: Connection, task: dict[str, Any]) -> None:
    """Reads the file of a translation memory, and sends its texts and their translations in turns."""
    work = partial(read_file, connection.file(), find_form(task["format"]), task["source"], task["target"])
    read = _answered(connection, work)
    if read is not None:
        sent = chain([message(skipped=read.skipped)], frames_of_texts(text for pair in read.pairs for text in pair))
        connection.send(sent)


def _find_pair(connection: Connection, task: dict[str, Any]) -> None:
    """Tells the pair of languages of a translation memory's file."""
    served = {(source, target) for source, target in task["served"]}
    pair = _answered(connection, partial(find_pair, connection.file(), served))
    if pair is not None:
        connection.send([message(pair=pair)])


def _import_terms(connection: Connection, task: dict[str, Any]) -> None:
    """Reads a TBX file, and sends its terms and their translations in turns."""
    pairs = _answered(connection, partial(term_files.read, connection.file(), task["source"], task["target"]))
    if pairs is not None:
        connection.send(chain([message()], frames_of_texts(text for pair in pairs for text in pair)))


_tasks: dict[str, Callable[[Connection, dict[str, Any]], None]] = {
    "document": _translate,
    "memory": _import_memory,
    "pair": _find_pair,
    "terms": _import_terms,
}


def _answered(connection: Connection, work: Callable[[], Any], *, is_file: bool = True) -> Any:
    """Returns the result of the work; None if it failed, which is then told to the server.

    Args:
        connection: The server.
        work: Reads or writes a file.
        is_file: What nobody foresaw is the fault of the file.
    """
    try:
        return work()
    except MemoryError:
        failed = message(error=TOO_MUCH_MEMORY, text="", place="")
    except DragomanError as error:
        _refuse(connection, error)
        return None
    except Exception as error:
        # What is wrong with a stranger's file has no end. The error's text may have some of it, and is left out.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}"
        damaged = DamagedDocument("The file is damaged, or not what its name says.") if is_file else DragomanError("")
        failed = message(error=damaged.code, text=str(damaged), place=where)
    connection.send([failed])
    return None


def _refuse(connection: Connection, error: DragomanError) -> None:
    connection.send([message(error=error.code, text=str(error), place="")])


def _limit_memory(document_bytes: int) -> None:
    """Bounds what this process takes beyond what it has now, and forbids what no reader does."""
    # Where the memory of the machine or container ends, this process is to end, and not the server.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    with suppress(OSError):
        os.nice(_NICE)
    own_bytes = _OWN_BYTES
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        own_bytes = int(file.read().split()[0]) * resource.getpagesize()
    limits = {"AS": own_bytes + document_bytes, "FSIZE": 0, "CORE": 0, "NPROC": 0, "NOFILE": _FILES}
    for name, limit in limits.items():
        with suppress(ValueError, OSError):  # another system, or one that allows less already
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (limit, limit))


def _limit_processor(seconds: int) -> None:
    """Ends this process when it has used so much more processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
