"""gettext catalogs as lines: a message that gets a translation leaves all other lines as they were written.

The format: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.documents.marks import SENDER
from app.errors import DamagedDocument
from app.fairness.budget import checkpoint

_DAMAGED = "The file is damaged or not a message catalog."
# What begins a line: an old message (#~), and then a keyword with a string, or a string that goes on.
_OBSOLETE = re.compile(r"#~(?:\||)\s*+")
_STRING = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[[0-9]{1,3}\])?)\s*+)?"((?:[^"\\]|\\.)*+)"\s*+')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_WRITTEN = str.maketrans({character: f"\\{letter}" for letter, character in _ESCAPED.items()})
_WORD = re.compile(r"\s*+\S++\s*+|\s++")
_NOTE = f"# {SENDER}: "
_WIDTH = 79  # of a line, as gettext's tools write it


@dataclass
class Message:
    """A message.

    Attributes:
        begin: Number of its first line, which may be a comment.
        keyword: Number of the line with its first keyword.
        texts: Its strings by keyword (``msgctxt``, ``msgid``, ``msgid_plural``, ``msgstr``, ``msgstr[0]``, ...).
        strings: Where the lines of its translations begin and end.
        flags: Numbers of its lines with flags.
        outdated: Numbers of lines that tell what a fuzzy message was before, and what this program said of it.
        parts: The lines of its strings, by keyword, until all are read.
    """

    begin: int
    keyword: int = -1
    texts: dict[str, str] = field(default_factory=dict)
    strings: tuple[int, int] = (-1, -1)
    flags: list[int] = field(default_factory=list)
    outdated: list[int] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def translations(self) -> list[str]:
        """The texts of its translations."""
        return [text for name, text in self.texts.items() if name.startswith("msgstr")]

    @property
    def is_complete(self) -> bool:
        """Whether it has all that a message needs."""
        return any(name.startswith("msgstr") for name in self.parts)


class Catalog:
    """A catalog.

    Args:
        source: The file.

    Attributes:
        messages: All messages except old ones, in order.

    Raises:
        DamagedDocument: It is none.
    """

    def __init__(self, source: str) -> None:
        # Unlike ``splitlines``, at the line ends of files only.
        self._lines = list(io.StringIO(source, newline=""))
        self._line_end = "\r\n" if 2 * source.count("\r\n") > source.count("\n") else "\n"
        self._new: dict[int, str] = {}  # by line; what comes in its place
        self._new_header = ""
        self.messages = list(self._read())
        self._width = _WIDTH if self._is_wrapped() else 0

    def is_fuzzy(self, message: Message) -> bool:
        """Tells whether a translation is only a guess."""
        return any("fuzzy" in _flags(self._lines[number]) for number in message.flags)

    def translate(self, message: Message, translations: Mapping[str, str | None], doubt: str = "") -> None:
        """Replaces the translations of a message.

        Args:
            message: The message.
            translations: By keyword: ``msgstr``, or ``msgstr[0]`` and so on; None leaves one as it is written.
            doubt: Why the message is fuzzy; it isn't without.
        """
        for number in message.outdated:
            self._new[number] = ""
        self._mark(message, doubt)
        begin, end = message.strings
        self._new |= dict.fromkeys(range(begin, end), "")
        lines: list[str] = []
        for name, text in translations.items():
            lines += self._as_written(message, name) if text is None else _written(name, text, self._width)
        self._new[begin] = "".join(f"{line}{self._line_end}" for line in lines)
        if not self._lines[end - 1].endswith(("\n", "\r")):  # the end of the file
            self._new[begin] = self._new[begin].removesuffix(self._line_end)

    def _as_written(self, message: Message, name: str) -> Iterator[str]:
        """Yields the lines of one of a message's translations."""
        keyword = ""
        for number in range(*message.strings):
            found = _STRING.fullmatch(self._lines[number].strip())
            keyword = found[1] if found and found[1] else keyword
            if found and keyword == name:
                yield self._lines[number].rstrip("\r\n")

    def _mark(self, message: Message, doubt: str) -> None:
        """Makes a message fuzzy or not."""
        has_flag = False
        for number in message.flags:
            flags = _flags(self._lines[number])
            if doubt and ("fuzzy" in flags or not has_flag):
                flags, has_flag = [*(["fuzzy"] if "fuzzy" not in flags else []), *flags], True
            elif not doubt:
                flags = [flag for flag in flags if flag != "fuzzy"]
            if flags != _flags(self._lines[number]):
                self._new[number] = f"#, {', '.join(flags)}{self._line_end}" if flags else ""
        if doubt:
            note = f"{_NOTE}{doubt}{self._line_end}"
            before = {message.begin: note}
            if not has_flag:
                before[message.keyword] = before.get(message.keyword, "") + f"#, fuzzy{self._line_end}"
            for number, text in before.items():
                self._new[number] = text + self._new.get(number, self._lines[number])

    def complete_header(self, fields: Mapping[str, str]) -> None:
        """Sets fields of the header, and adds a header where there is none; may be called once."""
        header = next((each for each in self.messages if _is_header(each)), None)
        if header is None:
            lines = _header_lines(fields)
            lines = ['msgid ""', 'msgstr ""', *lines, ""]
            self._new_header = "".join(f"{line}{self._line_end}" for line in lines)
            return
        self._mark(header, "")  # readers skip a fuzzy header
        begin, end = header.strings
        rest = dict(fields)
        for number in range(begin, end):
            found = _STRING.match(self._lines[number].strip())
            text = _unescaped(found[2]) if found else ""
            if text.count("\n") > 1 or (text and not text.endswith("\n")):
                break  # a field and its line are not the same
            name = text.partition(":")[0]
            if name in rest and (value := rest.pop(name)) != text.partition(":")[2].strip():
                self._new[number] = f"{_header_lines({name: value})[0]}{self._line_end}"
        else:
            if rest:
                added = "".join(f"{line}{self._line_end}" for line in _header_lines(rest))
                last = self._new.get(end - 1, self._lines[end - 1])
                self._new[end - 1] = last.rstrip("\r\n") + self._line_end + added
            return
        values = {**self.header, **fields}
        lines = ['msgstr ""', *_header_lines(values)]
        self._new |= dict.fromkeys(range(begin, end), "")
        self._new[begin] = "".join(f"{line}{self._line_end}" for line in lines)

    @property
    def header(self) -> dict[str, str]:
        """The fields of the header."""
        texts = (each.texts.get("msgstr", "") for each in self.messages if _is_header(each))
        split = (line.partition(":") for line in next(texts, "").split("\n"))
        return {name.strip(): value.strip() for name, colon, value in split if colon}

    def written(self) -> str:
        """Returns the catalog with all changes."""
        return "".join([self._new_header, *(self._new.get(*each) for each in enumerate(self._lines))])

    def _is_wrapped(self) -> bool:
        """Tells whether long strings go on in other lines, as far as one can see."""
        long = (line for line in self._lines if len(line) > _WIDTH + 2 and _STRING.match(line.strip()))
        return not any(" " in line.rstrip()[:-2] for line in long)

    def _read(self) -> Iterator[Message]:
        message: Message | None = None
        keyword = ""
        for number, raw in enumerate(self._lines):
            checkpoint()
            line = raw.strip()
            if obsolete := _OBSOLETE.match(line):
                rest = line[obsolete.end() :]
                if rest.startswith(("msg", '"')) and not _STRING.fullmatch(rest):
                    raise DamagedDocument(_DAMAGED)
                if message and message.parts:
                    yield _checked(message)
                message = None  # comments before it belong to it
            elif not line:
                continue
            elif line.startswith("#"):
                if message and message.is_complete:
                    yield _checked(message)
                    message = None
                message = message or Message(number)
                _read_comment(message, number, line)
            else:
                found = _STRING.fullmatch(line)
                if found is None or (found[1] is None and (message is None or not message.parts)):
                    raise DamagedDocument(_DAMAGED)
                if found[1] in ("msgctxt", "msgid") and message and message.is_complete:
                    yield _checked(message)
                    message = None
                message = message or Message(number)
                keyword = found[1] or keyword
                if found[1]:
                    _begin(message, number, keyword)
                message.parts[keyword].append(_unescaped(found[2]))
                if keyword.startswith("msgstr"):
                    message.strings = (message.strings[0] if message.strings[0] >= 0 else number, number + 1)
        if message and message.parts:
            yield _checked(message)


def _begin(message: Message, number: int, keyword: str) -> None:
    if keyword in message.parts or (keyword.startswith("msgstr") and "msgid" not in message.parts):
        raise DamagedDocument(_DAMAGED)
    if message.keyword < 0:
        message.keyword = number
    message.parts[keyword] = []


def _read_comment(message: Message, number: int, line: str) -> None:
    if line.startswith("#,"):
        message.flags.append(number)
    elif line.startswith("#|") or line.startswith(_NOTE):
        message.outdated.append(number)


def _checked(message: Message) -> Message:
    if "msgid" not in message.parts or not message.is_complete:
        raise DamagedDocument(_DAMAGED)
    message.texts = {name: "".join(parts) for name, parts in message.parts.items()}
    message.parts = {}
    return message


def _is_header(message: Message) -> bool:
    return message.texts["msgid"] == "" and "msgctxt" not in message.texts


def _flags(line: str) -> list[str]:
    return [flag for each in line.strip()[2:].split(",") if (flag := each.strip())]


def _header_lines(fields: Mapping[str, str]) -> list[str]:
    return [f'"{_escaped(f"{name}: {value}")}\\n"' for name, value in fields.items()]


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), text)


def _escaped(text: str) -> str:
    return text.translate(_WRITTEN)


def _written(keyword: str, text: str, width: int) -> Sequence[str]:
    """Returns the lines of a string: a line break ends one, and so does the width, if there is one."""
    parts = [_escaped(part) for part in text.splitlines(keepends=True)] if "\n" in text else [_escaped(text)]
    single = f'{keyword} "{"".join(parts)}"'
    if len(parts) == 1 and (not width or len(single) <= width or " " not in text):
        return [single]
    lines = [f'{keyword} ""']
    for part in parts:
        lines += (f'"{line}"' for line in (_wrapped(part, width - 2) if width else [part]))
    return lines


def _wrapped(text: str, width: int) -> Iterator[str]:
    line: list[str] = []
    size = 0
    for word in _WORD.findall(text):
        if line and size + len(word.rstrip()) > width:
            yield "".join(line)
            line, size = [], 0
        line.append(word)
        size += len(word)
    if line:
        yield "".join(line)
