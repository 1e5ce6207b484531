"""Lines that programs write or read, among prose: stack traces, commands behind a prompt, trailers of commits.

What stands before the message of a log, and the codes before statements of hazards, part texts.

Sources: Python, ``traceback``; Java, ``Throwable.printStackTrace``; V8, "Stack trace API"; POSIX, PS1 (``$ ``);
git-interpret-trailers (``Signed-off-by: Name <address>``); log4j, "Levels"; the Globally Harmonized System (GHS),
annex 3 (``P305+P351``).
"""

import re
from collections.abc import Iterator

from app.fairness.windows import finditer
from app.text.protection.expressions import Expressions, Finder, Searched, Span

_HEAD = "Traceback (most recent call last):"
_OF_PYTHON = re.compile(re.escape(_HEAD))
_INDENTED = re.compile(r"\r?\n[ \t>]*[ \t]{2}(?P<line>\S[^\r\n]*)")
_RAISED = re.compile(r"\r?\n[ \t>]*(?P<line>[A-Za-z_][\w.]*(?::[^\r\n]*)?)(?=\r?$)", re.MULTILINE)
# "at com.example.App.main(App.java:14)", "at Object.run (/app/x.js:10:5)", "Caused by: java.io.IOException: closed";
# "... 3 more" only indented.
_FRAME = re.compile(
    r"^[ \t]*(?P<span>at (?:[\w$<>/]+\.)+[\w$<>]+\([^()\n]{1,200}\)"
    r"|at (?:[^()\n]{1,200} \()?[^\s()]*[./][^\s():]*:\d+:\d+\)?"
    r"|(?<=[ \t])\.\.\. \d+ (?:common frames omitted|more)"
    r"|(?:Caused by: |Exception in thread \"[^\"\n]{1,80}\" )?(?:[a-z_]\w*\.)+(?=[A-Z])\w*(?:Exception|Error)"
    r"(?::[^\n]*)?)"
    r"(?=\r?$)",
    re.MULTILINE,
)
# What is no word alone: "$ git push", "$ ./run", "$ foo --all"; not "$ per share", "$ amounts are in thousands".
PROGRAMS = (
    "apt(?:-get)?|cargo|cd|chmod|cmake|cp|curl|docker|git|grep|kubectl|ls|mkdir|mv|npm|npx|pip3?|pipx|pnpm|poetry|pytest"
    "|python3?|rm|rustup|sed|ssh|sudo|systemctl|tar|uv|wget"
)
"""Usual programs whose names are no words."""
_WORDS = "brew|cat|echo|export|go|make|node|source|yarn"
_COMMAND = re.compile(
    rf"^[ \t]*(?P<span>\$ (?:(?:{PROGRAMS}|{_WORDS})(?= |\r?$)|[.~/][./~]*\w"
    r"|[a-z][\w.-]*(?=(?: [\w.:/=-]{1,40}){0,4} -))[^\n]*?)(?=\r?$)",
    re.MULTILINE,
)
_TRAILER = re.compile(r"^(?P<span>[A-Z][a-z]+(?:-[a-z]+)?-by: [^<>\n]{1,80} <\S+@\S+>)(?=\r?$)", re.MULTILINE)

_LEVELS = ("TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "FATAL", "CRITICAL")
_LOG = re.compile(
    r"^[ \t]*(?P<span>\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?[ \t]{1,4}"
    rf"\[?(?:{'|'.join(_LEVELS)}|WARNING)\]?:?)(?=[ \t])",
    re.MULTILINE,
)
_STATEMENT = re.compile(
    r"^[ \t•-]*(?P<span>(?:EUH|[HP])\d{3}\w?(?: ?\+ ?[HP]\d{3}\w?){0,5}:?)(?= [A-Z][A-Za-z])", re.MULTILINE
)


class _Traceback(Finder[Span]):
    """The lines of a traceback of Python: its head, what is indented below, and what was raised."""

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the lines, in order."""
        for head in finditer(_OF_PYTHON, text):
            yield Span(*head.span())
            end = head.end()
            while line := _INDENTED.match(text, end):
                yield Span(*line.span("line"))
                end = line.end()
            if end > head.end() and (line := _RAISED.match(text, end)):
                yield Span(*line.span("line"))


LINES: Expressions = [
    (_HEAD, _Traceback()),
    (("at ", "Exception", "Error", "... "), Searched(_FRAME)),
    ("$ ", Searched(_COMMAND)),
    ("-by: ", Searched(_TRAILER)),
]
BREAKS: Expressions = [(_LEVELS, Searched(_LOG)), (frozenset("HP"), Searched(_STATEMENT))]
