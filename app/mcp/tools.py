"""The tools of the Model Context Protocol server (https://modelcontextprotocol.io/specification)."""

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from app.mcp.client import Client
from app.text import register

_INSTRUCTIONS = (
    "Machine translation on the user's own server. `languages` lists what it translates. A translation comes with the "
    "sentences that a person should look at: the model is unsure of them, or they failed a check."
)
_DOUBTFUL = 0.5  # below this confidence, a sentence is rather not a good translation than one
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Source = Annotated[str, Field(description="Code of the text's language, such as `de`, or `auto` to detect it.")]
Target = Annotated[str, Field(description="Code of the language to translate into, such as `en` or `en-GB`.")]
Formality = Annotated[
    register.Formality,
    Field(description="How the translation addresses its reader: `more` is German Sie, `less` is du."),
]
Terms = Annotated[dict[str, str] | None, Field(description='Terms and their translations: `{"Vorstand": "board"}`.')]
GlossaryId = Annotated[str | None, Field(description="A stored glossary, in place of `glossary`; see `glossaries`.")]


class Doubtful(BaseModel):
    """A sentence that a person should look at."""

    source: str
    translation: str
    confidence: float | None = Field(description="Chance that the translation is good; null if that is not known.")
    verdicts: list[str] = Field(description="Failed checks, such as `digits_changed`.")


class Translation(BaseModel):
    """A translated text."""

    text: str
    source: str = Field(description="Code of the language that the text was in.")
    doubtful: list[Doubtful]
    terms: list[dict[str, Any]] = Field(description="With a glossary: how its terms were used.")


class TranslatedFile(BaseModel):
    """A translated document."""

    name: str = Field(description="Of the translated file.")
    path: str | None = Field(description="Where it was written, if the file was named by its path.")
    content: str | None = Field(description="The file in base64, if it came as `content`.")
    report: dict[str, Any] = Field(description="What the server says of the translation.")


class Detected(BaseModel):
    """A language that a text may be in."""

    language: str
    confidence: float = Field(description="From 0 to 100; 0 if it is none of the served languages.")


class ServedLanguage(BaseModel):
    """A language that the server knows."""

    code: str
    name: str
    targets: list[str] = Field(description="Codes of the languages that it is translated into.")


class Dictionary(BaseModel):
    """The terms of a glossary for one pair of languages."""

    source_lang: str
    target_lang: str
    entry_count: int


class StoredGlossary(BaseModel):
    """A glossary on the server."""

    glossary_id: str
    name: str
    dictionaries: list[Dictionary]


class _Server(MCPServer):
    """Refuses wrong and unknown arguments, with a sentence for the agent."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        known = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}.get(name, arguments)
        if unknown := [argument for argument in arguments if argument not in known]:
            raise ToolError(f"Unknown arguments: {', '.join(unknown)}; known: {', '.join(known) or 'none'}.")
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:  # not the agent's fault
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError("; ".join(map(_fault, error.__cause__.errors()))) from error.__cause__
            raise


def build(client: Client, folder: Path | None) -> MCPServer:
    """Builds the server.

    Args:
        client: The Dragoman server that does the work.
        folder: Where ``translate_file`` may read and write; None if agents are elsewhere and send contents only.
    """
    server = _Server(
        "dragoman", title="Dragoman", instructions=_INSTRUCTIONS, version=version("dragoman"), log_level="WARNING"
    )
    _add_text_tools(server, client)
    _add_file_tool(server, client, folder)
    return server


def _add_text_tools(server: MCPServer, client: Client) -> None:
    @server.tool(title="Translate a text", annotations=_READS)
    async def translate(
        context: Context,
        text: Annotated[
            str, Field(min_length=1, description="The text; its lines, spaces, markup and placeholders are kept.")
        ],
        target: Target,
        source: Source = "auto",
        format: Annotated[Literal["text", "html", "markdown"], Field(description="Of the text.")] = "text",
        formality: Formality = "default",
        glossary: Terms = None,
        glossary_id: GlossaryId = None,
    ) -> Translation:
        """Translates a text, and names the sentences that a person should look at."""
        body = {"q": text, "source": source, "target": target, "format": format, "formality": formality}
        body |= {"details": True} | _glossary(glossary, glossary_id)
        answer = await client.post("translate", body, key=_key(context))
        return Translation(
            text=answer["translatedText"],
            source=answer["detectedLanguage"]["language"] if source == "auto" else source,
            doubtful=[_doubtful(each) for each in answer["details"] if _is_doubtful(each)],
            terms=answer.get("terms", []),
        )

    @server.tool(title="Detect a language", annotations=_READS)
    async def detect(
        context: Context, text: Annotated[str, Field(min_length=1, description="The text.")]
    ) -> list[Detected]:
        """Lists the languages that a text may be in, the likeliest first."""
        answer = await client.post("detect", {"q": text}, key=_key(context))
        return [Detected.model_validate(each) for each in answer]

    @server.tool(title="List the languages", annotations=_READS)
    async def languages(context: Context) -> list[ServedLanguage]:
        """Lists the languages and what each can be translated into."""
        return [ServedLanguage.model_validate(each) for each in await client.get("languages", key=_key(context))]

    @server.tool(title="List the glossaries", annotations=_READS)
    async def glossaries(context: Context) -> list[StoredGlossary]:
        """Lists the glossaries that are stored on the server; their ids go into `glossary_id`."""
        answer = await client.get("v3/glossaries", key=_key(context))
        return [StoredGlossary.model_validate(each) for each in answer["glossaries"]]


def _add_file_tool(server: MCPServer, client: Client, folder: Path | None) -> None:
    @server.tool(title="Translate a document", annotations=_WRITES)
    async def translate_file(
        context: Context,
        target: Target,
        path: Annotated[str | None, Field(description=_path_help(folder))] = None,
        content: Annotated[str | None, Field(description="In place of `path`: the file in base64.")] = None,
        name: Annotated[str, Field(description="With `content`: the file's name; its extension is its format.")] = "",
        source: Source = "auto",
        formality: Formality = "default",
        glossary: Terms = None,
        glossary_id: GlossaryId = None,
    ) -> TranslatedFile:
        """Translates a document (docx, pptx, xlsx, odt, pdf, epub, html, md, srt, po, xliff, ...), keeping its format.

        The translation of a file named by `path` is written beside it; no file is overwritten.
        """
        fields = {"source": source, "target": target, "formality": formality}
        fields |= {
            field: json.dumps(value) if field == "glossary" else value
            for field, value in _glossary(glossary, glossary_id).items()
        }
        if (path is None) == (content is None):
            raise ToolError("Give either `path` or `content`.")
        if path is None:
            translated = await client.translate_file(name, _decoded(content or ""), fields, key=_key(context))
            found, data, report = translated
            return TranslatedFile(name=found, path=None, content=base64.b64encode(data).decode(), report={**report})
        file = _within(folder, path)
        read = await asyncio.to_thread(_read, file)
        found, data, report = await client.translate_file(file.name, read, fields, key=_key(context))
        written = await asyncio.to_thread(_write_new, file.with_name(Path(found).name), data)
        return TranslatedFile(name=found, path=str(written), content=None, report={**report})


def _fault(entry: Mapping[str, Any]) -> str:
    """One error of pydantic's as a sentence that names the argument."""
    name = ".".join(map(str, entry["loc"]))
    return f"{name} is missing" if entry["type"] == "missing" else f"{name}: {entry['msg']}"


def _glossary(terms: dict[str, str] | None, glossary_id: str | None) -> dict[str, Any]:
    return {name: value for name, value in (("glossary", terms), ("glossary_id", glossary_id)) if value}


def _key(context: Context) -> str | None:
    """The API key that the agent sends along over HTTP."""
    scheme, _, key = (context.headers or {}).get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def _is_doubtful(sentence: dict[str, Any]) -> bool:
    confidence = sentence["confidence"]
    return bool(sentence["verdicts"]) or (confidence is not None and confidence < _DOUBTFUL)


def _doubtful(sentence: dict[str, Any]) -> Doubtful:
    return Doubtful(
        source=sentence["source"]["text"],
        translation=sentence["target"]["text"],
        confidence=sentence["confidence"],
        verdicts=sentence["verdicts"],
    )


def _path_help(folder: Path | None) -> str:
    return f"A file in {folder}." if folder else "Not on this server: send `content`."


def _within(folder: Path | None, path: str) -> Path:
    """Returns a file that agents may read.

    Raises:
        ToolError: They may not.
    """
    if folder is None:
        raise ToolError("This server reads no files; send `content`.")
    file = (folder / path).resolve()  # resolves links: they could lead elsewhere
    if not file.is_relative_to(folder.resolve()):
        raise ToolError(f"Only files in {folder} are translated; `dragoman mcp --files` chooses the folder.")
    return file


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ToolError(f"{file.name} can't be read: {error.strerror}.") from None


def _write_new(file: Path, data: bytes) -> Path:
    try:
        with file.open("xb") as stream:
            stream.write(data)
    except OSError as error:
        raise ToolError(f"{file.name} can't be written: {error.strerror}.") from None
    return file


def _decoded(content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error:
        raise ToolError("`content` is not base64.") from None
