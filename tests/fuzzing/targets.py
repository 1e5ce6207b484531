"""What is fuzzed: functions that read strangers' bytes. Each may refuse them, and nothing else."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

from pydantic import TypeAdapter, ValidationError

from app.documents.document import Document
from app.documents.memory_files import FORMS, read_file
from app.documents.registry import FORMATS
from app.engine.models.manifest import Manifest
from app.errors import DocumentTooLarge, InvalidRequest
from app.text.terms.entries import check_entries, from_csv, from_tsv
from tests.support import hostile_documents as files

Target = Callable[[bytes], object]

READERS: dict[str, Callable[..., Document]] = {
    each.name: import_module(f"app.documents.formats.{each.name}").read for each in FORMATS
}

# Of packages, the XML of the main text: mutated archives would be refused before anything is read.
PACKED: dict[str, Callable[[str], bytes]] = {
    "docx": files.docx,
    "pptx": files.pptx,
    "xlsx": files.xlsx,
    "odt": lambda text: files.odf("text", text),
    "odp": lambda text: files.odf("presentation", text),
    "epub": files.epub,
    "idml": files.idml,
}
_OUTPUTS = {"pdf": ["html"]}
_PDF_S = 2.0


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Refuses what takes more processor time, as the limits of a reader's process do."""

    def stop(*_: object) -> None:
        raise DocumentTooLarge("too slow")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def read_and_write(name: str, data: bytes) -> None:
    """Reads a document and writes it with other texts of the same markup."""
    document = READERS[name](data, *_OUTPUTS.get(name, ()))
    document.write([text.replace("Wort", "word") for text in document.texts], "en")


def _document(name: str) -> Target:
    pack = PACKED.get(name)
    return lambda data: read_and_write(name, pack(data.decode("utf-8", "ignore")) if pack else data)


def _pdf(data: bytes) -> None:
    """pdfminer has endless loops, which are not ours to mend: here and in the server they end with the time."""
    with _stopped_after(_PDF_S):
        read_and_write("pdf", data)


def _memory(name: str) -> Target:
    return lambda data: read_file(data, FORMS[name], "de", "en")


def _glossary(read: Callable[[str], Iterable[tuple[str, str]]]) -> Target:
    return lambda data: check_entries(read(data.decode("utf-8", "ignore")))


def _manifest(data: bytes) -> None:
    with suppress(ValidationError):
        TypeAdapter(Manifest).validate_json(data)


TARGETS: dict[str, Target] = {
    **{each.name: _document(each.name) for each in FORMATS},
    "pdf": _pdf,
    **{f"memory.{name}": _memory(name) for name in FORMS},
    "glossary.tsv": _glossary(from_tsv),
    "glossary.csv": _glossary(from_csv),
    "manifest.json": _manifest,
}


def refuses_or_reads(name: str, data: bytes) -> None:
    """Raises what a target raises beside refusals."""
    with suppress(InvalidRequest):
        TARGETS[name](data)
