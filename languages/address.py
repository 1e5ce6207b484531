"""How a sentence addresses its reader, in languages that have a formal and an informal way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Clues(NamedTuple):
    """What a source sentence says of its reader; by default nothing.

    Attributes:
        speaks_to_reader: It has a word for the reader: "you".
        speaks_of_others: It has a word for others: "she", "they".
        is_command: It begins with an imperative.
    """

    speaks_to_reader: bool = False
    speaks_of_others: bool = False
    is_command: bool = False


class Address(NamedTuple):
    """The words of a sentence that address its reader.

    Attributes:
        formal: Formal words, with the verb that goes with them if it stands before.
        informal: Informal words, likewise.
        clashing: Verbs that don't agree with the pronoun behind them, as in "Können du".
    """

    formal: tuple[str, ...]
    informal: tuple[str, ...]
    clashing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class AddressRules:
    """How to tell and to steer the register of a language.

    Attributes:
        read: Finds the words of a sentence that address its reader, given what the source says of the reader.
        formal_words: Words that a translation in the informal register must avoid, in each letter case that occurs.
        informal_words: Likewise for the formal register.
    """

    read: Callable[[Clues, str], Address]
    formal_words: tuple[str, ...]
    informal_words: tuple[str, ...]


def both_cases(words: Iterable[str]) -> tuple[str, ...]:
    """Each word as it is and with a capital, as sentences begin."""
    return tuple(form for word in words for form in (word, word.capitalize()))
