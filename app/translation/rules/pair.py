"""What all rules look at: a sentence, a translation of it, and their languages."""

import re
from dataclasses import dataclass

from app.text.register import Register
from languages.language import Language

FIGURE = "0"
"""Among the signs of a pair: any figure of any script."""
DOTS = "..."
_SIGN = re.compile(r"[^\w ,.]|\.{3}")
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """What a request asks of the rules.

    Attributes:
        preserves_formatting: First letters and punctuation are the source's, whatever the target's conventions.
        register: How the reader must be addressed; None for any way.
    """

    preserves_formatting: bool = False
    register: Register | None = None


@dataclass(frozen=True)
class Direction:
    """Two languages, and what a request asks of translations from one into the other.

    Attributes:
        here: The language of the source.
        there: The language of the translation, with the region that is asked for.
        options: What the request asks for.
    """

    here: Language
    there: Language
    options: RuleOptions = RuleOptions()

    def pair(self, source: str, translation: str) -> "Pair":
        """A sentence and a translation of it in these languages."""
        return Pair(self, source, translation)


@dataclass(frozen=True)
class Pair:
    """A sentence and a translation of it.

    Attributes:
        direction: Their languages and the request's options.
        source: The sentence.
        translation: The translation.
    """

    direction: Direction
    source: str
    translation: str

    @property
    def here(self) -> Language:
        """The language of the sentence."""
        return self.direction.here

    @property
    def there(self) -> Language:
        """The language of the translation."""
        return self.direction.there

    @property
    def options(self) -> RuleOptions:
        """What the request asks for."""
        return self.direction.options

    @property
    def signs(self) -> frozenset[str]:
        """The signs of both texts but commas and full stops; ``FIGURE`` for a figure, ``DOTS`` for three full stops.

        Full stops may have spaces between them: ". . .".
        """
        both = f"{self.source} {self.translation}"
        signs = frozenset(_SIGN.findall(both))
        if ". . ." in both:
            signs |= {DOTS}
        return signs | {FIGURE} if _FIGURE.search(both) else signs
