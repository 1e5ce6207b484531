"""The report of a translated document, as a table (CSV) or a page (HTML)."""

import csv
import html
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from app.errors import InvalidRequest

HEAD = ("kind", "text", "source", "translation", "value", "note")
# A spreadsheet takes a cell that begins like this for a formula (https://owasp.org/www-community/attacks/CSV_Injection).
_FORMULAS = tuple("=+-@\t\r")

_STYLE = """body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:bold;padding:1.5rem 0 .5rem}
th,td{border:1px solid #bbb;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}"""


def rows(report: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table.

    ``text`` is the number of the paragraph, cell or message, from 1 on. ``value`` is the confidence of a sentence, the
    score of a match, or a count. Kinds: ``sentence`` (to be looked at; ``note`` has the reasons), ``span`` (a protected
    span that may stand in the wrong place), ``match`` (of the translation memory), ``term`` (of the glossary) and
    ``untranslated`` (``note`` has the reason).
    """
    review = report.get("review", {})
    for each in review.get("listed", ()):
        confidence = "" if each["confidence"] is None else f"{each['confidence']:.2f}"
        reasons = ", ".join(each["reasons"])
        yield "sentence", str(each["text"] + 1), each["source"], each["translation"], confidence, reasons
    for each in review.get("lost", ()):
        yield "span", str(each["text"] + 1), each["span"], "", "", "may stand in the wrong place"
    for each in review.get("matches", ()):
        note = "used" if each["used"] else "offered"
        yield "match", str(each["text"] + 1), each["source"], each["translation"], str(each["score"]), note
    for each in report.get("terms", ()):
        yield "term", "", each["source"], each["target"], str(each["count"]), each["status"]
    for reason, count in report.get("untranslated", {}).items():
        yield "untranslated", "", "", "", str(count), reason


def as_csv(report: Mapping[str, Any]) -> str:
    """Returns the table; cells that look like formulas begin with an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(HEAD)
    for row in rows(report):
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULAS) else cell for cell in row])
    return file.getvalue()


def as_html(report: Mapping[str, Any]) -> str:
    """Returns the page."""
    review = report.get("review", {})
    below = "" if review.get("below") is None else f", or with a confidence below {review['below']:g}"
    told = f"{review.get('doubtful', 0)} of {review.get('sentences', 0)} sentences failed a check{below}."
    tables: dict[str, list[tuple[str, ...]]] = {}
    for kind, *cells in rows(report):
        tables.setdefault(kind, []).append(tuple(cells))
    body = "".join(_table(kind, cells) for kind, cells in tables.items())
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Translation report</title><style>{_STYLE}</style>'
        f"<h1>Translation report</h1><p>{html.escape(told)}</p>{body}</html>"
    )


def _table(kind: str, cells: list[tuple[str, ...]]) -> str:
    used = [column for column in range(len(HEAD) - 1) if any(row[column] for row in cells)]
    head = "".join(f'<th scope="col">{HEAD[column + 1]}</th>' for column in used)
    lines = ("".join(f"<td>{html.escape(row[column])}</td>" for column in used) for row in cells)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{kind}</caption><tr>{head}</tr>{body}</table>"


FORMS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "html": ("text/html; charset=utf-8", as_html),
    "csv": ("text/csv; charset=utf-8", as_csv),
}
"""Media type and writer of each form, by its extension."""


def find_form(name: str) -> tuple[str, Callable[[Mapping[str, Any]], str]]:
    """Returns the media type and the writer of a form.

    Raises:
        InvalidRequest: There is no such form.
    """
    if name not in FORMS:
        raise InvalidRequest(f"A report can be: {', '.join(FORMS)}.")
    return FORMS[name]
