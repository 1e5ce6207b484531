"""Web and mail addresses, and character references in a text that isn't HTML.

Sources: RFC 3986 (URI), RFC 5322 (addresses of mail), HTML, "Character references".
"""

from app.text.protection.expressions import INNER_DOT, Expressions, compiled

# Punctuation after an address isn't part of it, nor is the bracket that closes one around it.
# A bracket without another is one of BBCode: [url=https://example.org].
_PAIR = r"""\([^\s<>"()]*\)|\[[^\s<>"()\[\]/]*\]"""
_INSIDE = rf"""[^\s<>"()\[\]]|{_PAIR}"""
_LAST = rf"""[^\s<>"()'.,;:!?\[\]…]|{_PAIR}"""
_LABEL = r"[\p{L}\p{N}-]+"  # RE2's \w knows no umlauts
# Without domains that are words ("it", "me", "us"): people forget the space after a full stop.
_DOMAIN = rf"(?:{_LABEL}\.)+(?:com|org|net|edu|gov|info|io|dev|app|eu|de|at|ch|fr|nl|pl|uk)(?:\.[a-z]{{2}})?\b"

ADDRESSES: Expressions = compiled(
    {
        rf"(?i:https?|ftp)://(?:{_INSIDE})*(?:{_LAST})": "://",
        rf"(?i:www)\.(?:{_INSIDE})*(?:{_LAST})": INNER_DOT,
        rf"{_DOMAIN}(?:/(?:{_INSIDE})*(?:{_LAST}))?": INNER_DOT,
        rf"[\p{{L}}\p{{N}}_.+-]+@{_LABEL}(?:\.{_LABEL})+": "@",
        r"&(?:amp;)*(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});": "&",
    }
)
