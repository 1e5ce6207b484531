"""Everything that is German."""

from dataclasses import replace

from languages.language import DottedOrdinals
from languages.neutral import neutral

# "im 19. Jahrhundert", "der 2. Weltkrieg": after an article or such, a short number with a dot is an ordinal. The rare
# "Ich bin der 1. Er ist der 2." then stays in one piece, which costs less than a sentence cut in half.
_BEFORE_ORDINALS = (
    *"am an beim bis das dem den der des die im ins jede oder seit und vom zum zur".split(),
    *(f"jede{ending}" for ending in "rmns"),
    *(word + ending for word in "ein dein mein sein ihr unser".split() for ending in ("", "e", "er", "em", "en", "es")),
)
_AFTER_ORDINALS = (
    r"Jan|Jän|Feb|März|Apr|Mai|Jun|Jul|Aug|Sept|Okt|Nov|Dez|Jahrh|Jh\b|Jahrtausend|Weltkrieg|Geburtstag|Lebensjahr"
    r"|Quartal|Halbjahr|Halbzeit|Mal\b|Klasse|Stock\b|Etage|Platz|Liga|Bundesliga|Advent|Auflage|Person\b"
    r"|und\b|oder\b|bis\b"
)

LANGUAGE = replace(
    neutral("de"),
    regions=("AT", "CH", "DE"),
    abbreviations=(
        "z. Hd",
        *"""
        Dipl Hrsg Ing inkl exkl zzgl abzgl geb gest verh sog vgl bzgl dt engl frz ehem Tsd bspw insb insbes evtl Abschn
        sogen urspr Anm Fa Hrn Bhf Mo Di Mi Do Fr Sa
        """.split(),
    ),
    dotted_ordinals=DottedOrdinals(_BEFORE_ORDINALS, _AFTER_ORDINALS),
    conjunctions=("und", "oder", "aber", "sondern", "weil", "dass", "wenn"),
    common_words=frozenset(
        """
        aber auch auf aus bei bitte danke das dem den der des dich die dir du ein eine einem einen einer er es für
        gut hallo hast hat ich ihr im ist ja kein keine mein mich mir mit nach nein nicht nichts noch nur oder sehr
        sich sie sind tschüss und uns vom von warum wenn wie wir wo wurde zu zum zur über
        """.split()
    ),
)
