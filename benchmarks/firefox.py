"""Times a model of Firefox's kind against Firefox's own engine.

    python -m benchmarks.firefox FOLDER BUNDLE SENTENCES --peer PYTHON

FOLDER is the model as it is published, BUNDLE what ``dragoman import`` made of it. Both engines search greedily, on one
thread, with their shortlists. Pin the command to one processor with taskset. Times are processor time, the least of
several rounds in which the engines take turns; they include the tokenizer, but not loading.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import default_max_length
from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.native import NativeModel
from app.engine.options import SearchOptions

Timed = tuple[float, list[str]]
"""Processor seconds, and the translations."""


class Ours:
    """A bundle's native graphs, with the table of its shortlist or without."""

    def __init__(self, bundle: Bundle, *, shortlist: bool) -> None:
        paths, self._manifest = bundle.graphs("int8-native"), bundle.manifest
        table = paths.get("shortlist") if shortlist else None
        self._model = NativeModel(paths["encoder"], paths["decoder"], shortlist=table)
        self._tokenizer = Tokenizer(*bundle.tokenizer_files)

    def translate(self, texts: list[str]) -> list[str]:
        """One batch."""
        ids, options = self._manifest.ids, SearchOptions(beam_size=1)
        sources = [[*self._tokenizer.encode(text), ids.eos] for text in texts]
        most = min(self._manifest.shape.max_positions, default_max_length(max(map(len, sources))))
        found = decode(
            self._model, sources, start_id=ids.decoder_start, eos_id=ids.eos, options=options, max_length=most
        )
        return [self._tokenizer.decode(hypotheses[0].tokens) for hypotheses in found]

    def timed(self, texts: list[str], batch: int) -> Timed:
        """All sentences, in batches."""
        began = time.process_time()
        found = [text for first in range(0, len(texts), batch) for text in self.translate(texts[first : first + batch])]
        return time.process_time() - began, found


def peer(python: str, folder: Path) -> Callable[[list[str], int], Timed]:
    """Firefox's engine, in a process of its own."""

    def timed(texts: list[str], batch: int) -> Timed:
        command = [python, str(Path(__file__).with_name("bergamot_peer.py")), str(folder), str(batch)]
        done = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=True)
        seconds, *found = done.stdout.splitlines()
        return float(seconds), found

    return timed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--peer", help="a Python that has the wheel bergamot")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts = given.sentences.read_text(encoding="utf-8").splitlines()
    words = sum(len(text.split()) for text in texts)
    bundle = Bundle.open(given.bundle)
    engines: dict[str, Callable[[list[str], int], Timed]] = {
        "dragoman": Ours(bundle, shortlist=True).timed,
        "dragoman, whole vocabulary": Ours(bundle, shortlist=False).timed,
    }
    if given.peer:
        engines["bergamot"] = peer(given.peer, given.folder)
    translations: dict[tuple[str, int], list[str]] = {}
    print(f"{len(texts)} sentences, {words} words")
    print("| engine | batch | words/s | ms a sentence |\n| --- | ---: | ---: | ---: |")
    for batch in given.batches:
        least = dict.fromkeys(engines, float("inf"))
        for _ in range(given.rounds):
            for name, timed in engines.items():
                seconds, translations[name, batch] = timed(texts, batch)
                least[name] = min(least[name], seconds)
        for name, seconds in least.items():
            print(f"| {name} | {batch} | {words / seconds:,.0f} | {1000 * seconds / len(texts):.2f} |")
    first, last = given.batches[0], given.batches[-1]
    for name in engines:
        changed = sum(a != b for a, b in zip(translations[name, first], translations[name, last], strict=True))
        print(f"{name}: {changed} translations change between batches of {first} and of {last}")
    reference = translations["dragoman, whole vocabulary", first]
    same = sum(a == b for a, b in zip(translations["dragoman", first], reference, strict=True))
    print(f"dragoman: {same} translations are the same with and without the shortlist")


if __name__ == "__main__":
    sys.exit(main())
