"""Families of notation. A family needs certain characters, which most sentences don't have."""

from collections.abc import Collection
from typing import Any

from app.text.protection.expressions import Beside, Expressions

# From the commonest to the rarest in texts; other characters are rarer still.
_COMMON = " .enirstadhulgocmbfwkzvpyjxqSITDAWEMHBGFLNRPKVUOCJZQYX"


class Families:
    """Kinds of expressions. One look at a text's characters tells which of a hundred are asked at all.

    Args:
        kinds: The expressions of each kind, by its name.
    """

    def __init__(self, **kinds: Expressions) -> None:
        self._needs: dict[str | frozenset[str] | Beside, list[tuple[int, str, Any]]] = {}
        each = ((kind, *own) for kind, expressions in kinds.items() for own in expressions)
        for number, (kind, needed, expression) in enumerate(each):
            for one in (needed,) if isinstance(needed, str | frozenset | Beside) else needed:
                self._needs.setdefault(one, []).append((number, kind, expression))
        self._by_sign: dict[str, list[str | frozenset[str] | Beside]] = {}
        for one in self._needs:
            for sign in _signs_of(one):
                self._by_sign.setdefault(sign, []).append(one)
        self._signs = frozenset(self._by_sign)
        self._always = frozenset(one for one in self._needs if not _signs_of(one))

    def of(self, text: str, characters: frozenset[str], *, sure: str = "") -> dict[str, Any]:
        """Returns the expressions that match somewhere in the text: tuples by kind, as ``Patterns`` takes them.

        Args:
            text: Any string.
            characters: Its characters.
            sure: A kind whose expressions need not match, if only they may.
        """
        asked = self._always.union(*map(self._by_sign.__getitem__, self._signs & characters))
        may_match = {own for needed in asked if _is_in(needed, text) for own in self._needs[needed]}
        found: dict[str, tuple[Any, ...]] = {}
        for _, kind, expression in sorted(may_match):
            if kind == sure or expression.search(text):
                found[kind] = (*found.get(kind, ()), expression)
        return {kind: tuple(dict.fromkeys(own)) for kind, own in found.items()}


def _signs_of(needed: str | frozenset[str] | Beside) -> Collection[str]:
    """The characters one of which is in every text that has what is needed."""
    if isinstance(needed, str):
        return max(needed, key=lambda sign: _COMMON.find(sign) % (len(_COMMON) + 1), default="")
    return needed.sign if isinstance(needed, Beside) else needed


def _is_in(needed: str | frozenset[str] | Beside, text: str) -> bool:
    """Tells whether a text that has one of the signs has what is needed."""
    if isinstance(needed, str):
        return needed in text
    return isinstance(needed, frozenset) or needed.expression.search(text) is not None
