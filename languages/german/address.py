"""Tells from its words how a German sentence addresses its reader: "Sie" (formal) or "du" and "ihr" (informal).

The rules are exact where German is: "du", "dich", "dein" are informal; "Ihnen" or "Sie" inside a sentence is formal.
Where it isn't, the source decides: "Sie" at the beginning may be "she" or "they", "ihr" may be "her" or "their". An
imperative without a pronoun ("Schließe die Tür") is informal, unless it is an infinitive ("Bitte warten").
"""

import re

from languages.address import Address, AddressRules, Clues, both_cases

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEW_SENTENCE = re.compile(r"(?:^|[.!?:…]|[\"„“«»‚‘(\[–—-])[\s\"„“«»‚‘(\[]*$")
_INFORMAL = re.compile(
    r"du(?:['’]s)?|dich|dir|dein(?:e[mnrs]?)?|deins|deinetwegen|euch|euer|eure[mnrs]?", re.IGNORECASE
)
_FORMAL_POSSESSIVE = re.compile(r"Ihr(?:e[mnrs]?)?")
_INFORMAL_WORDS = both_cases(
    "du dich dir dein deine deinem deinen deiner deines euch euer eure eurem euren eurer eures".split()
)
_FORMAL_WORDS = ("Sie", "Ihnen", "Ihr", "Ihre", "Ihrem", "Ihren", "Ihrer", "Ihres")
# Words before "du" and before "Sie" that are no verbs, although they end like one.
_BEFORE_DU = frozenset("den denen wen wessen wegen weswegen deswegen morgen".split())
_BEFORE_SIE = frozenset("erst selbst sonst fast meist zuerst längst sobald ernst".split())
# What "ihr" stands before if it is "you": verbs of that person, and objects.
_BEHIND_IHR = frozenset(
    """
    seid habt werdet wart hattet könnt müsst wollt sollt dürft mögt wisst könntet würdet solltet wolltet müsstet dürftet
    geht kommt macht seht sagt denkt glaubt braucht tut lasst sie ihn
    """.split()
)
_SINGULAR_VERB = re.compile(r"ist|hat|war|wird|kann|muss|soll|will|darf|mag|weiß|\w{2,}t|\w{2,}te", re.IGNORECASE)
# Common imperatives, which an infinitive at the end doesn't make one ("Hilf mir suchen").
_IMPERATIVES = frozenset(
    """
    gib gebt nimm nehmt lies lest sieh seht hilf helft iss esst sprich sprecht vergiss vergesst triff trefft wirf werft
    versprich versprecht lass lasst sei seid hab habt tu tut geh geht komm kommt mach macht ruf rufe ruft leg legt hör
    hört sag sagt zeig zeigt bring bringt halt halte haltet warte wartet bleib bleibt schau schaut setz setzt
    steh steht stell stellt frag fragt pass passt schreib schreibt zieh zieht
    """.split()
)


def _read(clues: Clues, translation: str) -> Address:
    """Finds the words with which a sentence addresses its reader; unclear ones are left out without clues."""
    words = list(_WORD.finditer(translation))
    spoken_to = clues.speaks_to_reader
    unclear_is_reader = (spoken_to and not clues.speaks_of_others) or clues.is_command
    formal: list[str] = []
    informal: list[str] = []
    clashing: list[str] = []
    for index, match in enumerate(words):
        word, before = match[0], words[index - 1][0] if index else ""
        after = words[index + 1][0] if index + 1 < len(words) else ""
        first = bool(_NEW_SENTENCE.search(translation[max(0, match.start() - 8) : match.start()]))
        if _INFORMAL.fullmatch(word):
            informal.append(word)
            if word.lower() == "du" and before.lower().endswith("st"):
                informal.append(before)
            elif word.lower() == "du" and before.lower().endswith("en") and before.lower() not in _BEFORE_DU:
                clashing.append(before)
        elif word == "ihr" or (word == "Ihr" and first and after in _BEHIND_IHR):
            if unclear_is_reader or (spoken_to and after in _BEHIND_IHR):
                informal.append(word)
        elif word == "Ihnen" or _FORMAL_POSSESSIVE.fullmatch(word):
            if not first or unclear_is_reader:
                formal.append(word)
        elif word == "Sie" and (not first or (unclear_is_reader and not _SINGULAR_VERB.fullmatch(after))):
            formal.append(word)
            if not first and _adjacent(translation, words[index - 1], match):
                if before.lower().endswith("n"):
                    formal.append(before)
                elif before.lower().endswith("st") and before.lower() not in _BEFORE_SIE:
                    clashing.append(before)
    if not informal and clues.is_command:
        informal += _imperative(words, is_known_only=bool(formal))
    return Address(tuple(formal), tuple(informal), tuple(clashing))


def _adjacent(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return not text[one.end() : other.start()].strip()


def _imperative(words: list[re.Match[str]], *, is_known_only: bool) -> list[str]:
    """The first word, if the sentence is an informal imperative and not an infinitive ("Bitte nicht rauchen")."""
    spelled = [match[0] for match in words if match[0].lower() != "bitte"]
    if spelled and spelled[0].lower() in _IMPERATIVES and spelled[1:2] != ["Sie"]:
        return [spelled[0]]
    if is_known_only or not spelled or spelled[-1].endswith(("en", "ern", "eln")):
        return []
    return [] if spelled[0].lower() in ("wir", "man", "nicht", "kein", "keine") else [spelled[0]]


ADDRESS = AddressRules(read=_read, formal_words=_FORMAL_WORDS, informal_words=_INFORMAL_WORDS)
