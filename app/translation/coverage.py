"""Words that a translation leaves out, by its alignment.

Beside stand-ins, models drop words: "\ue000 of \ue001 done" became "\ue000 von \ue001". Of 47 short messages with
variables, 9 had a word of content that no word of the translation is aligned to; it was missing in 5 of them.
"""

import re
from collections.abc import Sequence

from app.text.inline.target_tokens import Link
from languages.language import Language

_WORD = re.compile(r"[^\W\d_]{3,}(?:['’-][^\W\d_]+)*")
# The alignment of long sentences skips words that the translation has; they seldom lose one.
_LONGEST = 80  # characters


def left_out(
    sentence: str, links: Sequence[Link], language: Language, stand_ins: Sequence[tuple[int, int]] = ()
) -> list[str]:
    """Returns the words of a short sentence that no word of its translation is aligned to, but for common ones.

    Args:
        sentence: The sentence.
        links: The alignment of the sentence and its translation; without one, nothing is known to be left out.
        language: Of the sentence; it must have a list of common words.
        stand_ins: Ranges of the sentence that are no words of it.
    """
    if not (links and language.common_words) or len(sentence) > _LONGEST:
        return []
    covered = [*stand_ins, *(link[:2] for link in links)]
    return [
        match[0]
        for match in _WORD.finditer(sentence)
        if match[0].lower() not in language.common_words
        and not any(begin < match.end() and match.start() < end for begin, end in covered)
    ]
