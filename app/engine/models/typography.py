"""Typographic quotes and dashes written plainly, for models whose vocabulary lacks them.

Models that were imported may have no piece for “ or –, and no bytes to write it with. They would meet an unknown
piece, and guess. Each sign becomes one other, so places in a text stay what they are.
"""

from collections.abc import Callable, Mapping

_PLAIN = dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‘’‚‛ʼ′", "'") | dict.fromkeys("‐‑‒–—―−", "-")


def plain_signs(is_known: Callable[[str], bool]) -> Mapping[int, str]:
    """The signs that a vocabulary lacks while it has the plain one, as a table for ``str.translate``."""
    return str.maketrans({sign: plain for sign, plain in _PLAIN.items() if not is_known(sign) and is_known(plain)})
