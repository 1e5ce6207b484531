"""One engine in a process of its own, as ``bergamot_peer.py`` is: Dragoman's, or CTranslate2 on the same weights.

    python -m benchmarks.efficiency_peer ENGINE BEAM BUNDLE BATCH

ENGINE is "dragoman" or the folder of a CTranslate2 model. Lines of standard input are English sentences. Prints
processor seconds to translate them and to be ready, the process's peak memory in MB, then the translations.
"""

import sys
from pathlib import Path

from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from benchmarks.bergamot_peer import measure
from benchmarks.ctranslate2_model import piece_names
from benchmarks.engine import dragoman, peer


def main() -> None:
    engine, beam, folder, batch = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    bundle = next(one for one in Bundle.open(folder).models if one.manifest.pairs[0].source == "en")
    manifest, tokenizer = bundle.manifest, Tokenizer(*bundle.tokenizer_files)
    tag = manifest.pairs[0].tag
    prefix = [tokenizer.piece_id(tag)] if tag else []
    if engine == "dragoman":
        search = dragoman(bundle, "int8-native", 1, None)
    else:
        search = peer(Path(engine), piece_names(bundle)[0], "int8-native", 1, None, "cpu")

    def translate(texts: list[str]) -> list[str]:
        sources = [[*prefix, *tokenizer.encode(text), manifest.ids.eos] for text in texts]
        return [tokenizer.decode(tokens) for tokens in search(sources, beam)]

    measure(translate, [line.rstrip("\n") for line in sys.stdin], batch)


if __name__ == "__main__":
    main()
