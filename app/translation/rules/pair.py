"""What all rules look at: a sentence, a translation of it, and their languages."""

from dataclasses import dataclass

from app.text.formality import Register
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


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A sentence and a translation of it.

    Attributes:
        source: The sentence.
        translation: The translation.
        here: The language of the sentence.
        there: The language of the translation, with the region that is asked for.
        options: What the request asks for.
    """

    source: str
    translation: str
    here: Language
    there: Language
    options: RuleOptions = RuleOptions()
