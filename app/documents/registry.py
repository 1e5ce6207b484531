"""The formats of documents. To add one: a module in ``app.documents.formats`` with ``read``, and a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec

from app.documents.document import Document
from app.errors import ExtraMissing, UnsupportedDocument, shortened

EXTRA = "documents"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."


@cache
def is_installed(library: str) -> bool:
    """Tells whether a library is there; it is searched for once, since that takes a millisecond."""
    return find_spec(library) is not None


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        name: The usual extension, without the dot; also the module that reads it.
        media_type: Of its files.
        extensions: Others that its files have.
        libraries: Modules of the extra ``documents`` that it needs.
        outputs: Formats of its translation; the first is the default.
        is_text: Its files can be shown on a terminal.
        is_multilingual: Its files have translations into several languages.
    """

    name: str
    media_type: str
    extensions: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    is_text: bool = False
    is_multilingual: bool = False

    @property
    def is_available(self) -> bool:
        """Whether the libraries of the format are installed."""
        return all(map(is_installed, self.libraries))

    def output(self, wanted: str | None = None) -> str:
        """Returns the name of the output format; the default format if none is requested.

        Raises:
            UnsupportedDocument: A file of this format can't be translated into one of that.
        """
        outputs = self.outputs or (self.name,)
        found = find_format(f".{wanted}").name if wanted else outputs[0]
        if found not in outputs:
            raise UnsupportedDocument(f"A translated {self.name} file can be: {', '.join(outputs)}.")
        return found

    def check(self, wanted: str | None = None) -> str:
        """Returns the name of the output format, as ``output`` does, if files can be read. Imports no library.

        Raises:
            UnsupportedDocument: As ``output``.
            ExtraMissing: A library that it needs is not installed.
        """
        output = self.output(wanted)
        if not self.is_available:
            raise ExtraMissing.needed_by(f"Translating {self.name} files", EXTRA)
        return output

    def reader(self, wanted: str | None = None, target: str = "") -> Callable[[bytes], Document]:
        """Returns the function that reads a file for a translation in the given output format, into the target.

        Raises:
            UnsupportedDocument: As ``output``.
            ExtraMissing: A library that it needs is not installed.
        """
        output = self.check(wanted)
        read: Callable[..., Document] = import_module(f"app.documents.formats.{self.name}").read
        if self.is_multilingual:
            return partial(read, target=target)
        return partial(read, output=output) if self.outputs else read


FORMATS = (
    Format("txt", "text/plain", is_text=True),
    Format("md", "text/markdown", ("markdown",), is_text=True),
    Format("html", "text/html", ("htm", "xhtml"), is_text=True),
    Format("xml", "application/xml", is_text=True),
    Format("srt", "application/x-subrip", is_text=True),
    Format("vtt", "text/vtt", is_text=True),
    Format("json", "application/json", is_text=True),
    Format("csv", "text/csv", is_text=True),
    Format("tsv", "text/tab-separated-values", is_text=True),
    Format("po", "text/x-gettext-translation", ("pot",), is_text=True),
    Format("strings", "text/plain", is_text=True),
    Format("stringsdict", "application/xml", libraries=("lxml",), is_text=True),
    Format("xcstrings", "application/json", is_text=True, is_multilingual=True),
    Format("xliff", "application/xliff+xml", ("xlf", "sdlxliff"), libraries=("lxml",), is_text=True),
    Format("docx", f"{_OFFICE}wordprocessingml.document", libraries=("lxml",)),
    Format("pptx", f"{_OFFICE}presentationml.presentation", libraries=("lxml",)),
    Format("xlsx", f"{_OFFICE}spreadsheetml.sheet", libraries=("lxml",)),
    Format("odt", f"{_ODF}text", libraries=("lxml",)),
    Format("odp", f"{_ODF}presentation", libraries=("lxml",)),
    Format("epub", "application/epub+zip", libraries=("lxml",)),
    Format("idml", "application/vnd.adobe.indesign-idml-package", libraries=("lxml",)),
    Format("pdf", "application/pdf", libraries=("lxml", "pdfminer", "docx"), outputs=("docx", "html")),
)
_BY_EXTENSION = {extension: each for each in FORMATS for extension in (each.name, *each.extensions)}


def find_format(name: str) -> Format:
    """Finds the format of a file by its name.

    Raises:
        UnsupportedDocument: There is none for its extension.
    """
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    found = _BY_EXTENSION.get(extension)
    if found is None:
        names = ", ".join(each.name for each in FORMATS)
        fault = f"the format {shortened(extension)} is not translated" if extension else "its name has no extension"
        raise UnsupportedDocument(f"Invalid file: {fault}; use {names}.")
    return found


def served_extensions() -> list[str]:
    """Returns the extensions, without the dot, of all formats whose libraries are installed."""
    return [extension for each in FORMATS if each.is_available for extension in (each.name, *each.extensions)]
