"""Gives the objects in a translation the gaps that they had: no letters come to touch them, and no spaces part them."""

import re
from typing import NamedTuple

from app.text.inline.objects import UNSPACED, Inline

_SPACED_LETTER = re.compile(rf"(?![{UNSPACED}])[^\W_]")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_WORD = re.compile(r"[^\W\d_](?:.*[^\W\d_])?", re.DOTALL)


class Edit(NamedTuple):
    """Replaces the characters from ``begin`` to ``end`` of a translation."""

    begin: int
    end: int
    replacement: str


def with_gaps(inline: Inline, source: int, edit: Edit, text: str, done: int) -> Edit:
    """Gives an atom a space where it had one, and none where it touched a word or the same mark.

    Args:
        inline: The source.
        source: The atom's token.
        edit: What replaces its stand-in.
        text: The translation.
        done: Where the stand-in before it ends.
    """
    atom, (begin, end, markup) = inline.atoms[source], edit
    behind, ahead = atom.touches
    token = inline.tokens[source]
    # Beside another stand-in, or where only markup stands between it and a word.
    joined_behind = behind or inline.text[token.begin - 1 : token.begin].isalnum()
    joined_ahead = ahead or inline.text[token.end : token.end + 1].isalnum()
    # Numbers have endings in some languages: "8th", "20er".
    keeps_off = atom.rewrite is None and not _NUMBER.fullmatch(markup)
    gap = text[begin - 1 : begin] if begin > done else ""
    if gap == " " and ((behind and inline.spaced) or _is_mark(atom.before, text[begin - 2 : begin - 1])):
        begin -= 1
    elif (keeps_off and not joined_behind and _SPACED_LETTER.match(gap)) or (
        0 < begin == done and atom.before in (" ", "\u00a0", "\n")
    ):
        markup = f" {markup}"  # or behind another stand-in
    gap = text[end : end + 1]
    if gap == " " and ((ahead and inline.spaced) or _is_mark(atom.after, text[end + 1 : end + 2])):
        end += 1
    elif keeps_off and not joined_ahead and _SPACED_LETTER.match(gap):
        is_ending = not text[end + 1 : end + 2].isalnum()  # one letter, as that of a genitive
        if not is_ending:
            markup = f"{markup} "
        elif markup[-1:].isalnum() and not _WORD.fullmatch(markup):
            end += 1  # it would be one with "%s", but not with "{name}"
    return Edit(begin, end, markup)


def _is_mark(source: str, target: str) -> bool:
    """Whether a punctuation mark stood beside an atom, and stands there again."""
    return source == target and bool(source.strip()) and not source.isalnum()
