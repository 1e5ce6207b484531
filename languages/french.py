"""Everything that is French.

The spaces before marks are those of the Imprimerie nationale (Lexique des règles typographiques): a narrow no-break
space before "?", "!" and ";", a no-break space before ":" and inside of guillemets. Canada writes one before ":" alone
(Office québécois de la langue française).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from languages.address import Address, AddressRules, Clues, both_cases
from languages.clock import Clock, Phrase, Wording
from languages.neutral import neutral, writing_of
from languages.numbers import NumberWords
from languages.writing import OrdinalSlip, Quotes

_NUMBERS = NumberWords(
    cardinals=tuple("un deux trois quatre cinq six sept huit neuf dix onze douze".split()),
    traces=(
        r"\b(?:deux|second|couple|paire|doubl|demi|bi)",
        r"\b(?:trois|trio|tripl|tiers\b)",
        r"\bqua(?:tr|rt)",
        r"\bcin[qt]",
        r"\bsix",
        r"\bsept",
        r"\bhuit",
        r"\bneu[fv]",
        r"\b(?:dix|décenni)",
        r"\bonz",
        r"\b(?:douz|ann[ée]|an\b|midi|minuit)",
    ),
    scales={"k": 3, "K": 3, "M": 6, "Md": 9, "Mds": 9},
    scale_words={3: "\u00a0mille", 6: "\u00a0millions", 9: "\u00a0milliards", 12: "\u00a0billions"},
    scale_letters=frozenset({"k"}),
    large_numbers=("mille", "million", "milliard", "billion"),
    joiners=("à", "et", "ou"),
    percent="pour cent|pour mille",
    named="versions?|chapitre|section|article|fig|figure|tableau|n°|no|v",
    versioned="licence|protocole",
    measures=r"""pour[ ]cent|degrés?|points?\b|fois\b|(?:kilo|centi|milli|nano)|mètres?\b|pouces?\b|pieds?\b|acres?\b
    |hectares?|litres?\b|gallons?\b|tonnes?\b|livres?\b|grammes?\b|dollars?\b|euros?\b|francs?\b|centimes?\b|ans?\b|années?\b
    |mois\b|semaines?\b|jours?\b|heures?\b|minutes?\b|secondes?\b|étoiles?\b|sur[ ]\d""",
    ordinal_endings=("er", "re", "ème", "e"),
    date_articles=("le",),
)
_CLOCK = Clock(
    at="à",
    hours=("une", *_NUMBERS.cardinals[1:]),
    units=(" heure", " heures"),
    phrases=(
        Phrase("{hour} et demie?", 30),
        Phrase("{hour} et quart", 15),
        Phrase("{hour} moins le quart", 45, is_coming=True),
    ),
    wordings={
        15: Wording("{hour} et quart"),
        30: Wording("{hour} et demie"),
        45: Wording("{hour} moins le quart", is_coming=True),
    },
)
_WRITING = replace(
    writing_of("fr"),
    quotes=Quotes("«", "»", "\u00a0"),
    space_before={"?": "\u202f", "!": "\u202f", ";": "\u202f", ":": "\u00a0"},
    small_words=frozenset(
        "à au aux avec ce dans de des du elle en est et il je la le les ne nous pas pour que qui son sur un une".split()
    ),
    final_abbreviations=("etc", "Cie", "MM", "Mme", "St", "Ste"),
    ordinal_slips=(
        OrdinalSlip(re.compile(r"(?<![\d.,])1(?P<ending>i?ème|st)\b"), "er"),
        OrdinalSlip(re.compile(r"(?<![\d.,])(?!1\D)\d+(?P<ending>i?ème|th|st|nd|rd)\b"), "e"),  # "2ème", "2th"
    ),
    doubled=frozenset({"nous", "vous"}),
)

_VOWEL = re.compile("[aâeéèêëiîïoôuûyhœæ]", re.IGNORECASE)
_ELIDED = ("l", "d", "qu")
_ELISION = re.compile(r"(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu)['’](?=\w)")


def _plurals(word: str) -> Iterator[str]:
    if word.endswith(("s", "x", "z")):
        return
    if word.endswith("al"):
        yield word[:-1] + "ux"
    elif word.endswith(("eau", "au", "eu")):
        yield word + "x"
    yield word + "s"


def _inflected(word: str, is_last: bool) -> Iterator[str]:
    """Plurals, feminine forms, and each of them behind an elided article or preposition: "l'entreprise"."""
    forms = [word, *_plurals(word)]
    if not word.endswith("e"):
        forms += [word + "e", word + "es"]
    yield from forms
    if _VOWEL.match(word):
        yield from (elided + mark + form for form in forms for elided in _ELIDED for mark in "'’")


def _bases(form: str) -> Iterator[str]:
    whole = _ELISION.sub("", form, count=1)
    if whole != form:
        yield whole
    for ending in ("s", "x", "e", "es"):
        if whole.endswith(ending) and len(whole) > len(ending):
            yield whole[: -len(ending)]
    if whole.endswith("aux"):
        yield whole[:-2] + "l"


_INFORMAL = re.compile(r"\b(?:(?:tu|te|toi|ton|ta|tes|tien(?:ne)?s?)\b|t(?=['’]))", re.IGNORECASE)
_FORMAL = re.compile(r"\b(?:vous|votre|vos|vôtres?)\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:il|elle|ils|elles|lui|leurs?|eux)\b", re.IGNORECASE)
_COMMAND = re.compile(r"\W*(?P<verb>[^\W\d_]+ez)\b(?!-vous)", re.IGNORECASE)  # "Fermez la porte"


def _clues(source: str) -> Clues:
    to_reader = _INFORMAL.search(source) or _FORMAL.search(source)
    return Clues(bool(to_reader), bool(_THIRD_PERSON.search(source)), bool(_COMMAND.match(source)))


def _read(clues: Clues, translation: str) -> Address:
    formal = _FORMAL.findall(translation)
    if clues.is_command and (command := _COMMAND.match(translation)):
        formal.append(command["verb"])
    return Address(tuple(formal), tuple(_INFORMAL.findall(translation)))


LANGUAGE = replace(
    neutral("fr"),
    regions=("BE", "CA", "CH", "FR"),
    abbreviations=tuple(
        "M MM Mme Mmes Mlle Me Dr Pr St Ste av apr env cf pp fig vol art chap janv févr juil sept oct nov déc".split()
    ),
    conjunctions=("et", "ou", "mais", "car", "que", "qui", "quand", "si", "lorsque"),
    numbers=_NUMBERS,
    clock=_CLOCK,
    writing=_WRITING,
    inflect=_inflected,
    bases=_bases,
    word_endings=frozenset("e ent er es ment nt r s t x".split()),
    address=AddressRules(
        read=_read,
        formal_words=both_cases("vous votre vos".split()),
        informal_words=both_cases("tu te toi ton ta tes".split()),
    ),
    clues=_clues,
    bracketed_endings=frozenset({"e", "es", "ne", "s"}),
    common_words=frozenset(
        """
        au aux avec bonjour ce cela cette comme dans des du elle elles est et il ils je jamais les leur mais merci moi
        mon ne nous oui où pas peut pour pourquoi quand que quel qui sont suis sur très tu une vous à ça était être
        """.split()
    ),
)
REGIONS = {"CA": replace(LANGUAGE, writing=replace(_WRITING, space_before={":": "\u00a0"}))}
