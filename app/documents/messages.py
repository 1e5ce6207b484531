"""The spans of program messages that stay unchanged, in addition to those protected in every text."""

PLACEHOLDERS = (
    # printf of C, Python, PHP, Objective-C
    r"regex:%(?:\([\w.]+\)|\d+\$)?[-+#0']*\d*(?:\.\d+)?(?:hh|h|ll|l|L|q|j|z|t)?(?:[diouxXeEfFgGcspaA]\b|@)",
    r"regex:\{\w+(?:,[^{}]*|:[^{}]*|![rsa][^{}]*)\}",  # {0:N2} {date, date, short} {name!r}
    r"regex:\$t\([^()]*\)",  # i18next
    r"regex:\\[nrt\"\\]",
)
"""Patterns for ``TranslationRequest.protect``."""
