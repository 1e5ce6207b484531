"""Counts protected spans that survive a translation: 1,000 real sentences with added placeholders, addresses and codes.

    python -m benchmarks.protection artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Half of the sentences are German, half are English. Each gets one to three spans at word boundaries: in place of a
number, in place of a capitalised word inside the sentence (a noun or a name), or else between two words. They go to
POST /translate of the whole application, with ``protect``, once with a beam and once greedily.

A span survives if the translation has it exactly once and it isn't in ``protectedLost``. The columns tell how: "first":
all stand-ins of its sentence survived the first attempt; "beside": they did, but it seemed to leave out words beside
them, so the sentence was translated again with other stand-ins; "again": some stand-ins didn't survive, so it was
translated again with other ones, and perhaps piece by piece. "guessed" spans are there exactly once too, but the answer
says that their place is a guess. "broken" spans are not: there must be none.
chrF tells what the stand-ins cost: of other sentences, in which a name or number that the reference has too became a
span in both. ``--names`` keeps a model from using its placeholders. The last line is JSON.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple
from unittest.mock import patch

import sacrebleu
import typer
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from app.engine.interface import Alphabet
from app.engine.single_model import Engine
from app.main import create_app
from app.settings import Settings
from app.text.protection.protected import Protected
from app.translation.attempts import Attempt, with_other_stand_ins
from benchmarks.figures import json_line, read_sentences

WORDS = "name count user title item date path total file order city price page link key".split()
KINDS: dict[str, Callable[[Random], str]] = {
    "{{name}}": lambda random: f"{{{{{random.choice(WORDS)}{random.randint(10, 99)}}}}}",
    "%s": lambda random: f"%{random.randint(10, 99)}$s",
    "%(count)d": lambda random: f"%({random.choice(WORDS)}{random.randint(10, 99)})d",
    "$VAR": lambda random: f"${random.choice(WORDS).upper()}_{random.randint(10, 99)}",
    "{0}": lambda random: f"{{{random.randint(10, 99)}}}",
    "<x1/>": lambda random: f"<x{random.randint(10, 99)}/>",
    "URL": lambda random: f"https://www.example.com/{random.choice(WORDS)}?id={random.randint(10, 99)}",
    "e-mail": lambda random: f"{random.choice(WORDS)}{random.randint(10, 99)}@example.org",
    "AB-1234": lambda random: f"{''.join(random.choices('ABCDEFGHKLMNPRSTUVWXYZ', k=2))}-{random.randint(1000, 9999)}",
}
PATTERNS = [
    r"regex:\{\{\w+\}\}",
    r"regex:%\d+[$]s",
    r"regex:%\(\w+\)d",
    r"regex:[$][A-Z]+_\d+",
    r"regex:\{\d+\}",
    r"regex:<x\d+/>",
    r"regex:https?://[\w./?=-]+\w",
    r"regex:[\w.]+@[\w.]+\w",
    r"regex:\b[A-Z]{2}-\d{4}\b",
]
# Letters of the word itself, then what makes a place for a span: a number, a capitalised word after a small one.
_PLACE = re.compile(r"(?<![\w.,:-])\d+(?:[.,]\d+)*(?![\w:-])|(?<=[a-zäöüß] )[A-ZÄÖÜ][a-zäöüß]+(?![\w'’-])")
_COMMON = re.compile(r"(?<= )(?:[A-Z][a-z]{2,}|\d+)(?![\w'’-])")
_GAP = re.compile(r"(?<=\w) (?=\w)")
_SURVIVED = ("first", "beside", "again")
OUTCOMES = (*_SURVIVED, "guessed", "broken")


class Case(NamedTuple):
    """A sentence with spans in it, and the (kind, span) pairs."""

    text: str
    spans: tuple[tuple[str, str], ...]


def any_span(random: Random) -> tuple[str, str]:
    """A new span and its kind."""
    kind = random.choice(list(KINDS))
    return KINDS[kind](random), kind


def put_in(sentence: str, random: Random, make: Callable[[Random], tuple[str, str]] = any_span, most: int = 3) -> Case:
    """Puts one to ``most`` different spans, which ``make`` gives, into a sentence, and fewer if it has fewer places."""
    places = [match.span() for match in _PLACE.finditer(sentence)]
    gaps = [match.span() for match in _GAP.finditer(sentence)]
    chosen: list[tuple[int, int]] = []
    for _ in range(random.randint(1, most)):
        free = [
            place
            for place in (places if places and random.random() < 0.5 else gaps)
            if all(place[1] < begin or end < place[0] for begin, end in chosen)
        ]
        if free:
            chosen.append(random.choice(free))
    spans: dict[str, str] = {}
    pieces, done = [], 0
    for begin, end in sorted(chosen):
        span, kind = make(random)
        if span in spans:
            continue
        spans[span] = kind
        pieces += sentence[done:begin], f" {span} " if sentence[begin:end] == " " else span
        done = end
    return Case("".join([*pieces, sentence[done:]]), tuple((kind, span) for span, kind in spans.items()))


def make_cases(sentences: Iterable[str], count: int, seed: int) -> list[Case]:
    """The first ``count`` sentences that have a place for a span."""
    random = Random(seed)
    cases = (put_in(sentence, random) for sentence in sentences)
    return [case for case in cases if case.spans][:count]


def common_thing(source: str, reference: str, random: Random) -> tuple[str, str, str] | None:
    """Source and reference with a new span, in place of a name or number that both have exactly once; and the span."""
    words = [set(_COMMON.findall(side)) for side in (source, reference)]
    found = sorted(word for word in words[0] & words[1] if source.count(word) == 1 == reference.count(word))
    if not found:
        return None
    word, (span, _) = random.choice(found), any_span(random)
    return source.replace(word, span), reference.replace(word, span), span


class Watch:
    """Replaces ``with_other_stand_ins`` and notes for each span of a sentence that is translated again the reason."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}

    def attempts(
        self, sentence: Protected, placeholders: Sequence[str] = (), *, cuts: bool = True
    ) -> Iterator[Attempt]:
        """The real attempts. A sentence that may be cut has lost spans; another one lacks words beside its spans."""
        self.reasons |= dict.fromkeys(sentence.spans, "again" if cuts else "beside")
        yield from with_other_stand_ins(sentence, placeholders, cuts=cuts)


def outcomes(case: Case, translation: str, lost: Sequence[str], reasons: dict[str, str]) -> Counter[tuple[str, str]]:
    """How often each kind of span had each outcome."""
    found: Counter[tuple[str, str]] = Counter()
    for kind, span in case.spans:
        once = translation.count(span) == 1
        found[kind, "broken" if not once else "guessed" if span in lost else reasons.get(span, "first")] += 1
    return found


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files of German and English sentences.")],
    sentences: Annotated[int, typer.Option(min=2, max=2000, help="Sentences, half of each language.")] = 1000,
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the sentences and spans.")] = 0,
    names: Annotated[
        bool, typer.Option("--names", help="Use names first, even if the model knows placeholders.")
    ] = False,
) -> None:
    """Count the protected spans that survive."""
    table = Table("beam", "direction", "spans of", *(f"{name}" for name in OUTCOMES), "survived %")
    results = []
    engine = Engine.from_settings(Settings.load(bundle=path, workers=workers))
    if names:
        engine.alphabet = lambda source, target: Alphabet()  # type: ignore[method-assign]
    chrf = {}
    with TestClient(create_app(Settings.load(bundle=path, workers=workers), engine)) as client:
        for source, target in (("de", "en"), ("en", "de")):
            pairs_of = read_sentences(pairs, seed=seed, reverse=source == "en")
            chrf[f"{source}-{target}"] = measure_chrf(client, pairs_of, {"source": source, "target": target}, seed)
        for beam in (4, 1):
            totals: Counter[tuple[str, str]] = Counter()
            for source, target in (("de", "en"), ("en", "de")):
                texts = [text for text, _ in read_sentences(pairs, seed=seed, reverse=source == "en")]
                cases = make_cases(texts, sentences // 2, seed)
                request = {"source": source, "target": target, "protect": PATTERNS, "beam_size": beam}
                counts = sum((translate(client, case, request) for case in cases), Counter[tuple[str, str]]())
                totals += counts
                results.append(row(table, beam, f"{source}-{target}", "all", counts))
            for kind in KINDS:
                own = Counter({key: number for key, number in totals.items() if key[0] == kind})
                results.append(row(table, beam, "both", kind, own))
            results.append(row(table, beam, "both", "all", totals))
            table.add_section()
    table.title = f"{path}: protected spans in {sentences} sentences"
    Console(width=120).print(table)
    print("chrF of sentences with one span, beam 4: " + ", ".join(f"{pair} {score}" for pair, score in chrf.items()))
    print(json_line(benchmark="protection", sentences=sentences, seed=seed, names=names, chrf=chrf, results=results))


def measure_chrf(client: TestClient, pairs: Iterable[tuple[str, str]], request: dict[str, object], seed: int) -> float:
    """Score up to 300 translations with one protected span."""
    random = Random(seed)
    changed = [case for pair in pairs if (case := common_thing(*pair, random))][:300]
    translations = []
    for source, _, span in changed:
        answer = client.post("/translate", json={"q": source, "protect": [span], "beam_size": 4, **request})
        answer.raise_for_status()
        translations.append(answer.json()["translatedText"])
    return round(sacrebleu.corpus_chrf(translations, [[reference for _, reference, _ in changed]]).score, 2)


def translate(client: TestClient, case: Case, request: dict[str, object]) -> Counter[tuple[str, str]]:
    watch = Watch()
    with patch("app.translation.rules.retries.with_other_stand_ins", watch.attempts):
        answer = client.post("/translate", json={"q": case.text, **request})
    answer.raise_for_status()
    return outcomes(case, answer.json()["translatedText"], answer.json()["protectedLost"], watch.reasons)


def row(table: Table, beam: int, direction: str, kind: str, counts: Counter[tuple[str, str]]) -> dict[str, object]:
    numbers = {name: sum(n for (_, outcome), n in counts.items() if outcome == name) for name in OUTCOMES}
    survived = sum(numbers[name] for name in _SURVIVED) / max(1, sum(numbers.values()))
    table.add_row(str(beam), direction, kind, *map(str, numbers.values()), f"{100 * survived:.1f}")
    return {"beam": beam, "direction": direction, "kind": kind, **numbers}


if __name__ == "__main__":
    typer.run(main)
