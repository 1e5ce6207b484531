"""The register of a translation, where the request wants one: which of its words are wrong, and which to avoid."""

from app.text.register import Register
from app.translation.rules.pair import Direction, Pair


def offending(pair: Pair) -> tuple[str, ...]:
    """Returns the words of a translation that are in the wrong register."""
    rules, wanted = pair.there.address, pair.options.register
    if rules is None or wanted is None:
        return ()
    address = rules.read(pair.here.clues(pair.source), pair.translation)
    return (address.informal if wanted == Register.FORMAL else address.formal) + address.clashing


def avoided(direction: Direction) -> tuple[str, ...]:
    """Returns the words that a search must avoid to find translations of the register."""
    rules, wanted = direction.there.address, direction.options.register
    if rules is None or wanted is None:
        return ()
    return rules.informal_words if wanted == Register.FORMAL else rules.formal_words
