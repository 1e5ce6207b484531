"""What all rules look at: a sentence, a translation of it, and their languages."""

from dataclasses import dataclass

from app.text.register import Register
from languages.language import Language


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
