"""Counts the terms of a glossary that translations have, and measures what terms cost the rest of the sentence.

    python -m benchmarks.glossary artifacts/de-en

500 sentences of Tatoeba with one to three terms each (benchmarks/glossary_cases.jsonl, made by
benchmarks.glossary_cases) are translated freely and in two ways that enforce terms. "search" is what the server does: a
sentence that lacks a term is searched again, by beam search that must write a form of it. "placeholders" is the other
way, which is only here: the model translates a placeholder instead of the term, and the term replaces it, in the plural
if it has one in the source.

A term is present if the translation has a form of it. BLEU of the rest compares translations and references in which a
sign stands for every term and the German determiner before it, whose gender is the term's. In the reference it stands
for what that has for the term, and in translations for any translation of the term that the dictionary knows. Sentences
whose free translation has none of these are left out, for the free translation would lose by them.
``--examples`` prints sentences. The last line is JSON.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import sacrebleu
import typer
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from app.engine.interface import OpenHop, Term, TranslationCall
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.main import create_app
from app.settings import Settings
from app.text.protection.protected import protect_ranges
from app.text.terms.glossary import Glossary, target_forms
from app.translation.drafting import Drafting
from app.translation.sentence import TextTranslation
from benchmarks.figures import json_line
from benchmarks.glossary_cases import CASES, Case, has, read_cases
from languages.registry import language_of

BARS = {"present": 98.0, "bleu_lost": 0.3}
_SIGN = "TERM"
# A term of another gender needs another one.
_DETERMINER = re.compile(
    rf"\b(?:d(?:er|ie|as|e[mns])|(?:irgend|k)?ein\w?\w?|(?:[mds]ein|ihr|uns(?:er|r)|dies|jed)\w?\w?) (?={_SIGN})",
    re.IGNORECASE,
)

Translate = Callable[[list[Case]], list[str]]


def terms_of(case: Case) -> list[Term]:
    """Where the terms of a case are."""
    return Glossary({term.source: term.target for term in case.terms}, case.source, case.target).find(case.text)


def translate(
    client: TestClient,
    engine: Engine,
    texts: Sequence[str],
    pair: tuple[str, str],
    terms: Sequence[Sequence[Term]] = (),
) -> list[TextTranslation]:
    """Translations by the model, with beam search."""
    source, target = pair
    options = SearchOptions(alignment=True)
    call = TranslationCall(texts=texts, source=source, target=target, options=options)
    drafting = Drafting([OpenHop(engine, source, target)], call, terms)
    answers, _ = client.portal.call(drafting.translate)  # type: ignore[union-attr]
    return list(answers)


def by_search(client: TestClient, engine: Engine, pair: tuple[str, str], cases: Sequence[Case]) -> list[str]:
    """Enforce terms as the server does: by search."""
    terms = [terms_of(case) for case in cases]
    return [each.text for each in translate(client, engine, [case.text for case in cases], pair, terms)]


def by_placeholders(client: TestClient, engine: Engine, pair: tuple[str, str], cases: Sequence[Case]) -> list[str]:
    """Enforce terms by placeholders, which the terms replace afterwards."""
    signs = engine.alphabet(*pair).placeholders
    hidden = [protect_ranges(case.text, [term[:2] for term in terms_of(case)], signs) for case in cases]
    found = []
    for case, protected, answer in zip(
        cases, hidden, translate(client, engine, [each.text for each in hidden], pair), strict=True
    ):
        text = protected.restore(answer.text, answer.alignment).text
        for term in terms_of(case):
            word = case.text[term.begin : term.end]
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", _like(word, term, case), text, count=1)
        found.append(text)
    return found


def _like(word: str, term: Term, case: Case) -> str:
    """The target term, in its plural if the source is in one, as far as endings tell."""
    plural = _plural(term.source, case.source)
    return _plural(term.target, case.target) if word.lower() == plural.lower() != term.source.lower() else term.target


def _plural(word: str, language: str) -> str:
    forms = language_of(language).inflected(word)
    return forms[1] if language == "en" else next((form for form in forms if form.endswith(("en", "e"))), word)


def masked(text: str, case: Case) -> str | None:
    """The text with a sign for each term; None if it has none of the possible words for one."""
    for term in case.terms:
        words = [term.target, term.in_reference, *term.others]
        word = next((each for each in words if has(text, each, case.target)), None)
        if word is None:
            return None
        forms = sorted(target_forms(word, case.target), key=len, reverse=True)
        text = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)", _SIGN, text, count=1)
    return _DETERMINER.sub("", text) if case.target == "de" else text


def rest_bleu(cases: Sequence[Case], free: Sequence[str], others: Sequence[str]) -> tuple[float, float, int]:
    """BLEU of the rest of free translations and of others, and of how many sentences."""
    rows = []
    for case, one, other in zip(cases, free, others, strict=True):
        reference = masked(case.reference, case)
        row = (reference, masked(one, case), masked(other, case))
        if all(text is not None for text in row):
            rows.append(row)
    references, *systems = ([str(row[index]) for row in rows] for index in range(3))
    scores = [sacrebleu.corpus_bleu(system, [references]).score for system in systems]
    return scores[0], scores[1], len(rows)


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    file: Annotated[Path, typer.Option("--cases", help="Cases, made by benchmarks.glossary_cases.")] = CASES,
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    examples: Annotated[int, typer.Option(help="Print so many sentences of each direction.")] = 0,
) -> None:
    """Count the terms, and score the rest."""
    settings = Settings.load(bundle=path, workers=workers)
    table = Table("direction", "way", "terms", "present %", "BLEU of the rest", "free", "of sentences", title=str(path))
    results = []
    everything = read_cases(file)
    for pair in (("de", "en"), ("en", "de")):
        cases = [case for case in everything if (case.source, case.target) == pair]
        engine = Engine.from_settings(settings)
        with TestClient(create_app(settings, engine)) as client:
            free = [each.text for each in translate(client, engine, [case.text for case in cases], pair)]
            ways = {
                "free": lambda cases, free=free: free,
                "search": partial(by_search, client, engine, pair),
                "placeholders": partial(by_placeholders, client, engine, pair),
            }
            for way, run in ways.items():
                found = run(cases)
                present = [has(text, term.target, pair[1]) or has(text[:1].lower() + text[1:], term.target, pair[1])
                           for case, text in zip(cases, found, strict=True) for term in case.terms]  # fmt: skip
                freely, rest, count = rest_bleu(cases, free, found)
                row = {"direction": "-".join(pair), "way": way, "terms": len(present), "present": sum(present)}
                results.append(row | {"bleu": round(rest, 2), "bleu_free": round(freely, 2), "sentences": count})
                share = f"{100 * sum(present) / len(present):.1f}"
                table.add_row(
                    row["direction"], way, str(len(present)), share, f"{rest:.2f}", f"{freely:.2f}", str(count)
                )
                shown = [(case, one, text) for case, one, text in zip(cases, free, found, strict=True) if one != text]
                for case, one, text in (
                    shown[:: max(1, len(shown) // examples)][:examples] if examples and way == "search" else ()
                ):
                    print(f"{case.text}\n  {[term[:2] for term in case.terms]}\n  free   {one}\n  {way} {text}")
    Console(width=120).print(table)
    print(json_line(benchmark="glossary", cases=file.name, sentences=len(everything), results=results))


if __name__ == "__main__":
    typer.run(main)
