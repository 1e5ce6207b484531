"""Everything that is German."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from languages.clock import Clock, Phrase, Wording
from languages.frames import frames_of
from languages.german.address import ADDRESS
from languages.german.bible import verses
from languages.german.gender import plain_forms
from languages.german.inflection import bases, inflected
from languages.german.laws import references
from languages.german.made_short_forms import ADJECTIVES, NUMBERS
from languages.german.nouns import is_common_noun
from languages.german.short_forms import SHORT_FORMS, UNITS
from languages.german.streets import COMPOUND, KEPT
from languages.german.titles import KEPT as KEPT_TITLES
from languages.german.umlauts import restored
from languages.language import DottedOrdinals, Negations, NounProbe
from languages.neutral import neutral, writing_of
from languages.numbers import NumberWords
from languages.short_forms import Rewritings, rewritten
from languages.signs import NUMBER
from languages.writing import OrdinalSlip

# "im 19. Jahrhundert", "der 2. Weltkrieg": after an article or such, a short number with a dot is an ordinal. The rare
# "Ich bin der 1. Er ist der 2." then stays in one piece, which costs less than a sentence cut in half.
_BEFORE_ORDINALS = (
    *"am an beim bis das dem den der des die im ins jede oder seit und vom zum zur".split(),
    *(f"jede{ending}" for ending in "rmns"),
    *(word + ending for word in "ein dein mein sein ihr unser".split() for ending in ("", "e", "er", "em", "en", "es")),
)
_AFTER_ORDINALS = (
    "|".join(SHORT_FORMS.months) + r"|Jahrh|Jh\b|Jahrtausend|Weltkrieg|Geburtstag|Lebensjahr"
    r"|Quartal|Halbjahr|Halbzeit|Mal\b|Klasse|Stock\b|Etage|Platz|Liga|Bundesliga|Advent|Auflage|Person\b"
    r"|Aufl\b|FC\b|KW\b|Kalenderwoche|[OU]G\b|Obergeschoss|Vors(?:\.|itzende)|Mannschaft|Spieltag|Schuljahr|Semester|Monatsgehalt"
    r"|und\b|oder\b|bis\b"
)
_NUMBERS = NumberWords(
    cardinals=tuple("eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()),
    traces=(
        "zwei|zwo|beid|doppel|paar|halb",
        "drei|dritt|trio",
        "(?<!kla)vier",
        "fünf",
        "sechs",
        "sieb",
        "(?<![a-zäöü])acht(?!ung|e[nt])",
        "neun",
        "zehn|jahrzehnt",
        "(?<!h)elf",
        "zwölf|dutzend|jahr|mittag|mitternacht",
    ),
    scales={"Tsd": 3, "Mio": 6, "Mill": 6, "Mrd": 9, "Mia": 9, "Bio": 12, "k": 3, "K": 3, "M": 6},
    scale_words={3: " Tsd.", 6: " Mio.", 9: " Mrd.", 12: " Bio."},
    large_numbers=("tausend", "million", "milliarde", "billion", "billiarde"),
    joiners=("bis", "und", "oder"),
    percent="Prozent|Promille",
    named=r"version|release|build|v(?!\.)|nr|no|kapitel|abschnitt|ziffer|abb|abbildung|fig|figur|tabelle",
    versioned="lizenz|protokoll|firmware|industrie",
    measures=r"""prozent|grad\b|punkte?n?\b|mal\b|fach|(?:kilo|zenti|milli|nano)|meter|meilen?\b|zoll\b|fu(?:ß|ss)\b|yards?\b
    |acres?\b|hektar|liter\b|gallonen\b|tonnen?\b|pfund\b|gramm\b|dollar\b|euro\b|franken\b|pence\b|cent\b|jahre?n?\b
    |monate?n?\b|wochen?\b|tage?n?\b|stunden?\b|minuten?\b|sekunden?\b|sterne?n?\b|von[ ]\d|uhr\b""",
    pointing="oben|unten",
    units=UNITS,
    short_months=SHORT_FORMS.months,
)
_CLOCK = Clock(
    at="um",
    hours=_NUMBERS.cardinals,
    phrases=(
        Phrase("halb", 30, is_coming=True),
        Phrase("viertel nach", 15, needs="before", is_noun=True),
        Phrase("viertel vor", 45, needs="before", is_coming=True, is_noun=True),
        Phrase("dreiviertel", 45, is_coming=True, is_noun=True),
        Phrase("viertel", 15, needs="at", is_coming=True, is_noun=True),
    ),
    wordings={
        15: Wording("Viertel nach"),
        30: Wording("halb", is_coming=True),
        45: Wording("Viertel vor", is_coming=True),
    },
    before=("gegen", "bis", "ab", "seit", "ist", "war", "ist es", "war es"),
    not_hours=r"pro[cz]ent|liter|meter|km\b|jahre",
    hour_word=" Uhr",
)

_WRITING = replace(
    writing_of("de"),
    capital_nouns=True,
    always_capital=frozenset("Sie Ihnen Ihr Ihre Ihrem Ihren Ihrer Ihres".split()),
    small_words=frozenset(
        """
        an auf aus bei das dass dem den der die ein eine er es für hat ich ihr in ist mit nach nicht sie sind und von
        war was wie wir zu zum zur über um
        """.split()
    ),
    final_abbreviations=(
        *"etc usw Co Nr Dr Str bzw ca Hausnr tlg".split(),
        *(f"{full}nr" for full in NUMBERS.values()),
        *SHORT_FORMS.inside,
        *SHORT_FORMS.before_small,
    ),
    ordinal_slips=(OrdinalSlip(re.compile(r"(?<![\d.,])\d+(?P<ending>te[mnrs]?)(?= \w)"), "."),),  # "29ter"
    doubled=frozenset("das dem den der die sie ihr".split()),
)


_COMMON_WORDS = frozenset(
    """
    aber als auch auf aus bald bei beim bereits bitte dabei dafür damit danach danke dann davon dazu das dass
    deine deinen deiner dem den denn der des deshalb dich die diese diesem diesen dieser dieses dir doch du
    durch ein eine einem einen einer eines er es etwas euch euer eure für gegen gibt gut habe haben hallo hast
    hat hatte heute hier hätte ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im ist ja jetzt kann kein keine
    keinen keiner können könnte könnten mehr mein meine meinen meiner mich mir mit muss möchte müssen nach nein
    nicht nichts nie noch nur ob oder ohne schon sehr seine seinem seinen seiner seit sich sie sind soll sollte
    tschüss und uns unser unsere unseren viel viele vielen vom von vor waren warum weil wenn werden wie wieder
    wir wird wo worden wurde wurden während würde zu zum zur zwischen über
    """.split()
)
_TRANSCRIBED = re.compile(r"[aou]e|ss", re.IGNORECASE)
_GENDER = re.compile(r"[*:_/(·•-]-?in|\w[*:_/]-?[ernms]\b|[a-zäöüß]In|/d")
_VERB = re.compile(r"(?:[^d]e[nrl]n?|iert|bar|lich|isch|ig(?:e[nrs]?)?)$")
# "Hallo Welt" is greeted with a comma; models take it for a name otherwise.
_GREETING = re.compile(
    r"(?P<greeting>(?:[Hh]allo|[Hh]i|[Hh]ey|[Ss]ervus|[Mm]oin|[Gg]rüß (?:dich|euch|Gott)|[Gg]rüezi|[Tt]schüss|[Cc]iao"
    r"|[Gg]ute[nr]? (?:Morgen|Tag|Abend|Nacht)|[Ww]illkommen|[Dd]anke|[Aa]uf Wiedersehen))"
    r" (?!zusammen|alle|ihr|du|lieb|wie|und|noch|mal|aus|an|von|in|im|dir|euch|Ihnen|für|auch)[^\W\d_]+(?: [^\W\d_]+)?"
    r"(?P<mark>,|[.!?…]*)"
)

# TL is the Turkish lira, too: "50 TL".
_SPOON = re.compile(rf"(?<=[{NUMBER}] )(?<!\d\d\d )[ET]L(?= [A-ZÄÖÜ])")
_SPOONS = {"EL": "Esslöffel", "TL": "Teelöffel"}
_NUMBER_OF = re.compile(r"(?<=[a-zäöüß]{3})(?:nr\.|-Nr\.?)(?=[ :)]|\Z)")  # "Kundennr.", "Kunden-Nr."
_CODE_NUMBER = re.compile(r"(?<=[A-ZÄÖÜ]{2}-)Nr\.?(?=[ :)]|\Z)")  # "CAS-Nr."
# "2. OG": models know only the other word for a storey.
_STOREY = re.compile(r"(?<=\d\.)(?<!/\d\.) ?OG\b(?!/)")
_WEEK = re.compile(r"(?<=\d\.)(?<!/\d\.) ?KW\b(?!/)")
# "3-Zi.-Whg."; models take the hyphen for another word.
_ROOMS = re.compile(rf"(?<=[{NUMBER}])-Zi(?:mmer(?=-?[Ww]ohnung)|\b\.?)")
_FLAT = re.compile(r"(?<=-)Whg\b\.?")
# "Di. Papier, Do. Glas"; not "Ich komme Sa. Er nicht", nor "Fr. Müller"
_DAY = re.compile(r"(?:\A|(?<=[,;:] ))(?P<span>(?P<day>Mo|Di|Mi|Do|Sa)\.)(?= [A-ZÄÖÜ])")
_GENDERS = re.compile(r"(?<=\()(?:m/w/d|w/m/d|m/w|w/m|m/w/x|w/m/x)(?=\))")  # English has an "f"
_PARTS = re.compile(r"(?<=\d-)tlg\.")
# "Hallo Frau Braun, danke": models take the greeting for a name, too.
_GREETED = re.compile(
    r"\A(?:Hallo|Hi|Guten (?:Morgen|Tag|Abend))(?P<span>)(?= (?:Frau|Herrn?)(?: [^\W\d_]+\.?){1,3}[,!] \S)"
)
# Duden has "danke schön" for saying so, and "Dankeschön" for what is said; models know the noun.
_THANKS = re.compile(r"\A[Dd]anke schön(?=[,.!…]|\Z)")
REWRITINGS: Rewritings = (
    (_SPOON, lambda spoon: _SPOONS[spoon[0]]),
    (_NUMBER_OF, "nummer"),
    (_CODE_NUMBER, "Nummer"),
    (_STOREY, " Stock"),
    (_WEEK, " Kalenderwoche"),
    (_ROOMS, " Zimmer"),
    (_FLAT, "Wohnung"),
    (_DAY, lambda day: SHORT_FORMS.days[day["day"]]),
    (_GENDERS, lambda genders: genders[0].replace("w", "f")),
    (_PARTS, "teilig"),
    (_GREETED, ","),
    (_THANKS, "Dankeschön"),
)


def _respelled(sentence: str) -> Iterator[tuple[int, int, str]]:
    if _TRANSCRIBED.search(sentence):
        yield from restored(sentence)
    if _GENDER.search(sentence):
        yield from plain_forms(sentence)
    yield from SHORT_FORMS.written_out(sentence)
    yield from rewritten(sentence, REWRITINGS)


def _references(text: str, target: str) -> Iterator[tuple[int, int, str]]:
    yield from references(text, target)
    yield from verses(text, target)


def _may_be_noun(word: str) -> bool:
    """Tells words that are neither common ones nor, by their ending, verbs."""
    return len(word) > 2 and word not in _WRITING.small_words | _COMMON_WORDS and not _VERB.search(word)


def _with_articles(word: str) -> tuple[str, str]:
    noun = word.capitalize()
    return f"ein {noun}", f"der {noun}"


_NEGATIONS = Negations(
    re.compile(
        r"\b(?:nicht(?! (?:nur|zuletzt|weiter|zufällig|gleich)\b)|keine?|keine[mnrs]|nie|niemals|niemand\w{0,2}|nichts"
        r"|nirgends|nirgendwo\w{0,3}|weder|ohne(?! weiteres))\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:nicht\w*|kein\w*|nie|niemals|niemand\w*|nirgend\w*|weder|ohne\w*|nein|un(?!d|s|ter|gefähr|bedingt)\w{3,}"
        r"|ver(?:bot|biet|weiger|mei?d|mied|hinder|pass|nachlässig|zicht|lier|lor|sag)\w*|(?:ab|aus)(?:ge)?(?:lehn|schl)\w*"
        r"|falsch\w*|fehl\w*|miss\w+|kaum|selten|statt|anstatt|außer\w*|sonst|andernfalls|weniger|nur|erst|trotz\w*|egal"
        r"|(?:aller)?(?:höchst|mindest|spätest|wenigst)ens|geschweige|schweigen"
        r"|untersag\w*|unterl(?:ass|ieß)\w*|lass\w*|denk\w*|stopp?\w*|gegen|\w+(?:los|frei|leer)(?:e[mnrs]?)?)\b",
        re.IGNORECASE,
    ),
)

_KEYS = {
    "Strg": "Ctrl",
    "Umschalt": "Shift",
    "Umsch": "Shift",
    "Shift": "Shift",
    "Alt": "Alt",
    "AltGr": "AltGr",
    "Windows": "Win",
    "Win": "Win",
    "Cmd": "Cmd",
    "Befehl": "Cmd",
    "Wahl": "Option",
    "Fn": "Fn",
    "Entf": "Del",
    "Einfg": "Ins",
    "Pos1": "Home",
    "Ende": "End",
    "Bild auf": "Page Up",
    "Bild ab": "Page Down",
    "Eingabe": "Enter",
    "Enter": "Enter",
    "Esc": "Esc",
    "Tab": "Tab",
    "Leertaste": "Space",
    "Rücktaste": "Backspace",
    "Druck": "PrtSc",
    "Pfeil auf": "Up",
    "Pfeil ab": "Down",
    "Pfeil links": "Left",
    "Pfeil rechts": "Right",
}

LANGUAGE = replace(
    neutral("de"),
    regions=("AT", "CH", "DE", "LI"),
    abbreviations=(
        *"Dipl Ing sog sogen Tel Tsd".split(),
        *(day for day in SHORT_FORMS.days if day != "So"),
        *(short for short in SHORT_FORMS.inside if short not in ADJECTIVES),
    ),
    abbreviations_before_small=(*SHORT_FORMS.before_small, *ADJECTIVES),
    abbreviations_before_noun=SHORT_FORMS.before_noun,
    dotted_ordinals=DottedOrdinals(_BEFORE_ORDINALS, _AFTER_ORDINALS),
    conjunctions=("und", "oder", "aber", "sondern", "weil", "dass", "wenn"),
    numbers=_NUMBERS,
    clock=_CLOCK,
    writing=_WRITING,
    inflect=inflected,
    bases=bases,
    word_endings=frozenset("e em en er es m n r s st te".split()),
    bracketed_endings=frozenset("e en er es in innen n nen r s".split()),
    gender_endings=frozenset({"in", "innen"}),
    noun_probe=NounProbe(
        _with_articles, re.compile(r"(?:[Dd](?:er|ie|as|en|em|es)|[Ee]in(?:e|en|em|er|es)?) ([A-ZÄÖÜ][\w-]+)")
    ),
    address=ADDRESS,
    respell=_respelled,
    greeting=_GREETING,
    may_be_noun=_may_be_noun,
    is_common_noun=is_common_noun,
    references=_references,
    keys=_KEYS,
    kept_names=(*KEPT, *KEPT_TITLES),
    street_names=COMPOUND,
    negations=_NEGATIONS,
    common_words=_COMMON_WORDS,
    frames=partial(frames_of, Path(__file__).parent),
)
# Switzerland and Liechtenstein write no "ß" (Duden, "Rechtschreibung", D 160).
REGIONS = dict.fromkeys(("CH", "LI"), replace(LANGUAGE, letters={"ß": "ss", "ẞ": "SS"}))
