"""Tells from its words how a German sentence addresses its reader: "Sie" (formal) or "du" and "ihr" (informal).

The rules are exact where German is: "du", "dich", "dein" are informal; "Ihnen" or "Sie" inside a sentence is formal.
Where it isn't, the source decides: "Sie" at the beginning may be "she" or "they", "ihr" may be "her" or "their". An
imperative without a pronoun ("Schließe die Tür") is informal, unless it is an infinitive ("Bitte warten").
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Register(StrEnum):
    """How a reader is addressed; the values are the contracts' values of ``formality``."""

    FORMAL = "more"
    INFORMAL = "less"


FORMALITIES = ("default", "more", "less", "prefer_more", "prefer_less")
"""Values of the contracts' parameter. The last two are ignored where the register can't be steered."""


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


@dataclass(frozen=True)
class Formality:
    """The register that translations must have.

    Attributes:
        wanted: The register.
        source_language: Language of the sources; the unclear words are read by English sources only.
    """

    wanted: Register
    source_language: str

    def offending(self, source: str, translation: str) -> tuple[str, ...]:
        """Returns the words of a translation that are in the wrong register."""
        address = read_address(source if self.source_language == "en" else "", translation)
        return (address.informal if self.wanted == Register.FORMAL else address.formal) + address.clashing

    def avoided(self) -> tuple[str, ...]:
        """Words that a search must avoid to find translations of the register."""
        return _INFORMAL_WORDS if self.wanted == Register.FORMAL else _FORMAL_WORDS


LANGUAGES = frozenset({"de"})
"""Target languages whose register is known."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NEW_SENTENCE = re.compile(r"(?:^|[.!?:…]|[\"„“«»‚‘(\[–—-])[\s\"„“«»‚‘(\[]*$")
_INFORMAL = re.compile(
    r"du(?:['’]s)?|dich|dir|dein(?:e[mnrs]?)?|deins|deinetwegen|euch|euer|eure[mnrs]?", re.IGNORECASE
)
_FORMAL_POSSESSIVE = re.compile(r"Ihr(?:e[mnrs]?)?")
_INFORMAL_WORDS = tuple(
    form
    for word in "du dich dir dein deine deinem deinen deiner deines euch euer eure eurem euren eurer eures".split()
    for form in (word, word.capitalize())
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
_SECOND_PERSON = re.compile(r"\b(?:you|yours?|yoursel(?:f|ves)|y['’]?all|ya)\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:she|hers?|herself|they|them|theirs?|themselves)\b", re.IGNORECASE)
_LETS = re.compile(r"let['’]?s\b|let us\b", re.IGNORECASE)
_BEFORE_IMPERATIVE = re.compile(
    r"^\W*(?:(?:please|just|now|so|then|well|and|but|always|never|kindly|hey|oh|okay|ok|first|next)\b\W*)*"
    r"(?:do\s+not\s+|don['’]t\s+|do\s+)?(?:(?:always|ever|never|just|please)\s+)?",
    re.IGNORECASE,
)
# Verbs that begin English commands. A noun that is spelled like one ("Water is cold") is told by what follows.
_COMMANDS = frozenset(
    """
    accept act add admit agree allow answer apologize apply arrive ask avoid bake be become begin believe borrow bring
    brush build burn buy calculate call calm cancel carry catch change charge check cheer choose clean clear click climb
    close collect come compare complete concentrate confirm connect consider contact continue cook copy count cover
    create cross cut dance decide delete deliver describe dial dig do double download draw dress drink drive drop dry
    eat email empty enjoy enter erase escape examine excuse explain fasten feed feel fetch fight fill find finish fix
    fold follow forget forgive get give go grab grow guess hand hang have hear help hide hit hold hope hurry ignore
    imagine improve include insert inspect introduce invite join jump keep kick knock know laugh lay lead learn leave
    lend let lie lift light listen load lock look lose love lower make mark mean measure meet memorize mention mind mix
    move note notice obey offer open order pack paint park pass pause pay phone pick place plan play plug pour practice
    practise prepare present press pretend prevent print promise protect prove pull push put raise reach read realize
    relax release remain remember remind remove repair repeat replace reply report request reserve respect rest return
    ring rinse run save say scroll search see select sell send serve set shake share show shut sign sing sit sleep slow
    smell smile speak spell spend spread stand start stay step stick stir stop strike study stretch submit suppose swim
    switch take talk taste teach tell thank think throw tidy tie touch train translate travel treat trust try turn twist
    type understand unlock update upload use visit wait wake walk warn wash watch wear welcome wipe wish work worry wrap
    write
    """.split()
)
# Common imperatives, which an infinitive at the end doesn't make one ("Hilf mir suchen").
_IMPERATIVES = frozenset(
    """
    gib gebt nimm nehmt lies lest sieh seht hilf helft iss esst sprich sprecht vergiss vergesst triff trefft wirf werft
    versprich versprecht lass lasst sei seid hab habt tu tut geh geht komm kommt mach macht ruf rufe ruft leg legt hör
    hört sag sagt zeig zeigt bring bringt halt halte haltet warte wartet bleib bleibt schau schaut setz setzt
    steh steht stell stellt frag fragt pass passt schreib schreibt zieh zieht
    """.split()
)
_NO_COMMAND_BEFORE = frozenset("is are was were has had will would can could may might must 's".split())


def supports(language: str) -> bool:
    """Whether the register of translations into a language can be told and steered."""
    return language.partition("-")[0].lower() in LANGUAGES


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


def addresses(source: str) -> bool:
    """Whether an English sentence speaks to its reader."""
    return bool(_SECOND_PERSON.search(source)) or is_command(source)


def is_command(source: str) -> bool:
    """Whether an English sentence begins with an imperative."""
    rest = _BEFORE_IMPERATIVE.sub("", source, count=1)
    words = [word[0].lower() for word in _WORD.finditer(rest)][:2]
    if not words or words[0] not in _COMMANDS or _LETS.match(rest):
        return False
    return not (len(words) > 1 and words[1] in _NO_COMMAND_BEFORE)


def read_address(source: str, translation: str) -> Address:
    """Finds the words with which a German sentence addresses its reader.

    Args:
        source: The sentence that it translates, in English; "" or another language leaves the unclear words out.
        translation: The sentence.
    """
    words = list(_WORD.finditer(translation))
    spoken_to, others = bool(_SECOND_PERSON.search(source)), bool(_THIRD_PERSON.search(source))
    unclear_is_reader = (spoken_to and not others) or is_command(source)
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
    if not informal and is_command(source):
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
