"""Counts the translations into German that address the reader as wanted.

    python -m benchmarks.formality artifacts/de-en

The 300 English sentences of ``formality.tsv`` speak to somebody; they and their German references are from Tatoeba
(tatoeba.org, CC BY 2.0 FR). Each is translated as it comes, formally (``more``) and informally (``less``). A
translation is right if it has a word of the wanted register and none of the other, open if it has neither, as "Man darf
hier nicht rauchen", and otherwise wrong. These words are counted here by a list of their own, which knows neither the
source nor verbs. BLEU is against the references of the register.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

import sacrebleu
import typer
from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from benchmarks.translating import by_service

SENTENCES = Path(__file__).with_suffix(".tsv")
_INFORMAL = re.compile(
    r"\b(?:[Dd](?:u|ich|ir)|[Dd]ein(?:e[mnrs]?|s)?|[Ee]uch|[Ee]uer|[Ee]ure[mnrs]?)\b"
    r"|\bihr (?:seid|habt|könnt|müsst|wollt|sollt|dürft|werdet|wart)\b"
)
# Inside a sentence; at its beginning "Sie" may be others, so there it needs a verb of the plural, and counts as formal
# because every source speaks to somebody.
_FORMAL = re.compile(
    r"(?<=[\w,;] )(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b|(?:^|[.!?\"] ?)(?:Sie \w+n\b|Ihr(?:e[mnrs]?)? |Ihnen )"
)
# Informal imperatives have no pronoun.
_COMMAND = re.compile(
    r"(?:^|[.!?] )(?:Bitte )?(?:Gib|Nimm|Lies|Sieh|Hilf|Iss|Sprich|Vergiss|Triff|Wirf|Lass|Sei|Hab|Tu|Geh|Komm|Mach"
    r"|Ruf|Leg|Hör|Sag|Zeig|Bring|Halt|Warte|Bleib|Schau|Setz|Frag|Stell|Zieh|Steh|Pass|Schreib)e?\b(?! Sie| ich)"
)

Outcome = Literal["right", "open", "wrong"]


def outcome(translation: str, wanted: str) -> Outcome:
    """Whether a translation addresses its reader as wanted; ``wanted`` is ``more`` or ``less``."""
    formal = bool(_FORMAL.search(translation))
    informal = bool(_INFORMAL.search(translation) or _COMMAND.search(translation))
    if formal == informal:
        return "wrong" if formal else "open"
    return "right" if formal == (wanted == "more") else "wrong"


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle for English to German.")],
    show: Annotated[int, typer.Option(help="Print this many sentences with their translations.")] = 0,
    failures: Annotated[bool, typer.Option("--failures", help="Print what is wrong.")] = False,
) -> None:
    """Count translations of the wanted register."""
    pairs = [line.split("\t") for line in SENTENCES.read_text(encoding="utf-8").splitlines()]
    found: dict[str, list[str]] = {}
    with TestClient(create_app(Settings.load(bundle=path))) as client:
        for formality in ("default", "more", "less"):
            found[formality] = by_service(client, "en", "de", [english for english, _ in pairs], formality=formality)
    console = Console()
    table = Table("formality", "sentences", "right %", "open %", "wrong %", "BLEU", "BLEU by default")
    for wanted in ("more", "less"):
        outcomes = [outcome(translation, wanted) for translation in found[wanted]]
        shares = [f"{100 * outcomes.count(each) / len(pairs):.1f}" for each in ("right", "open", "wrong")]
        own = [index for index, (_, german) in enumerate(pairs) if outcome(german, wanted) == "right"]
        scores = [
            sacrebleu.corpus_bleu([found[name][index] for index in own], [[pairs[index][1] for index in own]]).score
            for name in (wanted, "default")
        ]
        table.add_row(wanted, str(len(pairs)), *shares, *(f"{score:.1f} ({len(own)})" for score in scores))
        for index, each in enumerate(outcomes):
            if failures and each == "wrong":
                console.print(f"{wanted}: {pairs[index][0]} | {found[wanted][index]}", markup=False)
    console.print(table)
    for (english, _), *own in list(zip(pairs, *found.values(), strict=True))[:: max(1, len(pairs) // max(1, show))]:
        if show:
            console.print(english, *own, sep="\n  ", markup=False)


if __name__ == "__main__":
    typer.run(main)
