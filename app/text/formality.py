"""The register of a translation: whether it addresses its reader formally, as far as the target language knows that."""

from dataclasses import dataclass
from enum import StrEnum

from languages.registry import language_of


class Register(StrEnum):
    """How a reader is addressed; the values are the contracts' values of ``formality``."""

    FORMAL = "more"
    INFORMAL = "less"


FORMALITIES = ("default", "more", "less", "prefer_more", "prefer_less")
"""Values of the contracts' parameter. The last two are ignored where the register can't be steered."""


@dataclass(frozen=True)
class Formality:
    """The register that translations must have.

    Attributes:
        wanted: The register.
        source: Code of the language of the sources, by which unclear words are read.
        target: Code of the language of the translations; ``supports`` it.
    """

    wanted: Register
    source: str
    target: str

    def offending(self, source: str, translation: str) -> tuple[str, ...]:
        """Returns the words of a translation that are in the wrong register."""
        rules = language_of(self.target).address
        if rules is None:
            return ()
        address = rules.read(language_of(self.source).clues(source), translation)
        return (address.informal if self.wanted == Register.FORMAL else address.formal) + address.clashing

    def avoided(self) -> tuple[str, ...]:
        """Words that a search must avoid to find translations of the register."""
        rules = language_of(self.target).address
        if rules is None:
            return ()
        return rules.informal_words if self.wanted == Register.FORMAL else rules.formal_words


def supports(language: str) -> bool:
    """Whether the register of translations into a language can be told and steered."""
    return language_of(language).address is not None


def choose_register(formality: str, target: str) -> Register | None:
    """The register that one of ``FORMALITIES`` asks for; None for any.

    Raises:
        ValueError: It must be steered and can't be, for this target language.
    """
    if formality == "default":
        return None
    if not supports(target):
        if not formality.startswith("prefer_"):
            raise ValueError(f"no formality in {target}")
        return None
    return Register(formality.removeprefix("prefer_"))
