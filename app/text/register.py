"""The register of a translation: whether it addresses its reader formally, as far as the target language knows that."""

from enum import StrEnum
from typing import Literal, get_args

from app.errors import InvalidRequest
from languages.registry import language_of


class Register(StrEnum):
    """How a reader is addressed; the values are the contracts' values of ``formality``."""

    FORMAL = "more"
    INFORMAL = "less"


Formality = Literal["default", "more", "less", "prefer_more", "prefer_less"]
FORMALITIES: tuple[str, ...] = get_args(Formality)
"""Values of the contracts' parameter. The last two are ignored where the register can't be steered."""


def has_register(language: str) -> bool:
    """Whether the register of translations into a language can be told and steered."""
    return language_of(language).address is not None


def choose_register(name: str, formality: str, target: str) -> Register | None:
    """The register that a parameter asks for, with one of ``FORMALITIES``; None for any.

    Raises:
        InvalidRequest: It must be steered and can't be, for this target language.
    """
    if formality == "default":
        return None
    if not has_register(target):
        if not formality.startswith("prefer_"):
            raise InvalidRequest(f"Target language '{target}' doesn't support {name}.")
        return None
    return Register(formality.removeprefix("prefer_"))
