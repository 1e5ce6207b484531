"""German nouns that are no names, told by their form and the article before them.

Any verb makes a noun ("das Ausschleichen"), and many endings do ("die Durchimpfung"), so no list has them all.
"""

from collections.abc import Sequence

_ENDINGS = tuple(
    ending + plural for ending in ("ung", "heit", "keit", "schaft", "tion", "tät") for plural in ("", "en")
)
_INFINITIVES = ("en", "ens", "ern", "erns", "eln", "elns")
# An infinitive is neuter. Other nouns that end with -en are often names with a plural: "die Petersens".
_NEUTER = frozenset("das dem des beim zum vom im am ins ans fürs durchs ums dieses diesem jedes jedem".split()) | {
    stem + ending for stem in "ein kein mein dein sein ihr unser euer eur".split() for ending in ("", "em", "es")
}
_ARTICLES = (
    _NEUTER
    | frozenset("der die den zur diese dieser diesen jede jeder jeden".split())
    | {stem + ending for stem in "ein kein mein dein sein ihr unser euer eur".split() for ending in ("e", "en", "er")}
)


def is_common_noun(word: str, before: Sequence[str]) -> bool:
    """Tells whether a word with a capital is a noun and no name; False means that it isn't known.

    Args:
        word: The word.
        before: The words before it in its sentence, at most the two nearest: "das langsame Ausschleichen".
    """
    articles = {each.lower() for each in before[-2:]}
    return (word.endswith(_ENDINGS) and not articles.isdisjoint(_ARTICLES)) or (
        word.endswith(_INFINITIVES) and not articles.isdisjoint(_NEUTER)
    )
