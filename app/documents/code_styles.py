"""The styles for code in word processors, known by their names: as in HTML, code isn't translated.

``HTML Preformatted`` and ``Preformatted Text`` are none: they are also what a text gets that was pasted or opened.
"""

import re
from collections.abc import Iterable

# Of pandoc, Word, LibreOffice, and as people name theirs.
_NAME = re.compile(
    r"source(?:code|text)|verbatim(?:char)?|htmlcode|(?:inline|block)?code(?:block|inline|text|char)?"
    r"|(?:code|program)?listing",
    re.IGNORECASE,
)
_SPACE = re.compile(r"_20_|[ _-]")


def code_styles(styles: Iterable[tuple[str, str, str]]) -> frozenset[str]:
    """Returns the ids of the styles for code, given id, name and parent's id of each; a style is what its parent is."""
    named = {own: (_NAME.fullmatch(_SPACE.sub("", name)) is not None, parent) for own, name, parent in styles}
    found: dict[str, bool] = {}
    for style in named:
        path: list[str] = []
        while style in named and style not in found:
            found[style], parent = named[style]
            path.append(style)
            if found[style]:
                break
            style = parent
        found |= dict.fromkeys(path, found.get(style, False))
    return frozenset(style for style, is_code in found.items() if is_code)
