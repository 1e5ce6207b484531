"""Times a model of Firefox's kind against Firefox's own engine.

    python -m benchmarks.firefox FOLDER BUNDLE SENTENCES --peer PYTHON --wasm NODE_FOLDER

FOLDER is the model as it is published, BUNDLE what ``dragoman import`` made of it. All engines search greedily, on one
thread, with their shortlists. Pin the command to one processor with taskset. Times are processor time, the least of
several rounds in which the engines take turns; they include the tokenizer, but not loading. Memory is the peak of a
process, and time to be ready its processor time until the first sentence is translated: Python's or Node's is in both.
"""

import argparse
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import default_max_length
from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.native import NativeModel
from app.engine.options import SearchOptions

_HERE = Path(__file__).resolve().parent

Timed = tuple[float, list[str]]
"""Processor seconds, and the translations."""
Footprint = tuple[float, float]
"""Processor seconds to be ready, and peak memory in MB."""


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


class Peer:
    """Firefox's engine, in a process of its own."""

    footprint: Footprint

    def __init__(self, command: list[str], folder: Path, cwd: Path | None = None) -> None:
        self._command, self._folder, self._cwd = command, str(folder.resolve()), cwd

    def timed(self, texts: list[str], batch: int) -> Timed:
        """All sentences, in batches."""
        command, given = [*self._command, self._folder, str(batch)], "\n".join(texts)
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, cwd=self._cwd)
        figures, *found = done.stdout.splitlines()
        seconds, *footprint = map(float, figures.split())
        self.footprint = (footprint[0], footprint[1])
        return seconds, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--peer", help="a Python that has the wheel bergamot")
    parser.add_argument("--wasm", type=Path, help="a folder where npm installed @browsermt/bergamot-translator")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts = given.sentences.read_text(encoding="utf-8").splitlines()
    words = sum(len(text.split()) for text in texts)
    bundle = Bundle.open(given.bundle)
    ours = Ours(bundle, shortlist=True)
    ours.translate(texts[:1])
    ready = time.process_time()
    for batch in given.batches:
        ours.timed(texts, batch)
    footprints: dict[str, Footprint] = {"dragoman": (ready, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)}
    engines: dict[str, Callable[[list[str], int], Timed]] = {
        "dragoman": ours.timed,
        "dragoman, whole vocabulary": Ours(bundle, shortlist=False).timed,
    }
    peers: dict[str, Peer] = {}
    if given.peer:
        peers["bergamot"] = Peer([given.peer, str(_HERE / "bergamot_peer.py")], given.folder)
    if given.wasm:
        peers["bergamot, WASM"] = Peer(["node", str(_HERE / "bergamot_wasm.mjs")], given.folder, given.wasm)
    engines |= {name: each.timed for name, each in peers.items()}
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
    print("\n| engine | s to be ready | MB |\n| --- | ---: | ---: |")
    footprints |= {name: each.footprint for name, each in peers.items()}
    for name, (seconds, megabytes) in footprints.items():
        print(f"| {name} | {seconds:.2f} | {megabytes:,.0f} |")
    first, last = given.batches[0], given.batches[-1]
    for name in engines:
        changed = sum(a != b for a, b in zip(translations[name, first], translations[name, last], strict=True))
        print(f"{name}: {changed} translations change between batches of {first} and of {last}")
    reference = translations["dragoman, whole vocabulary", first]
    same = sum(a == b for a, b in zip(translations["dragoman", first], reference, strict=True))
    print(f"dragoman: {same} translations are the same with and without the shortlist")


if __name__ == "__main__":
    main()
