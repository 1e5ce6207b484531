"""Times Firefox's own engine, its native build in the wheel ``bergamot`` 0.4.5, which needs Python 3.10 at most.

``benchmarks.firefox`` runs this file with the Python that has the wheel. Lines of standard input are sentences. Prints
processor seconds to translate them and to be ready, the process's peak memory in MB, then the translations.
"""

import glob
import importlib.util
import resource
import sys
import time
from collections.abc import Callable


def extension():  # type: ignore[no-untyped-def]
    """The engine without its package, whose beginning asks the network."""
    [path] = glob.glob(f"{sys.prefix}/lib/python3*/site-packages/bergamot/_bergamot*.so")
    spec = importlib.util.spec_from_file_location("_bergamot", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def settings(folder: str) -> str:
    def find(pattern: str) -> list[str]:
        return sorted(glob.glob(f"{folder}/{pattern}"))

    pieces = find("*.spm")
    lines = ["models:", f"  - {find('model*.bin')[0]}", "vocabs:", f"  - {pieces[0]}", f"  - {pieces[-1]}"]
    lines += ["shortlist:", f"  - {find('lex*.bin')[0]}", "  - false", "alignment: soft", "ssplit-mode: sentence"]
    lines += ["beam-size: 1", "skip-cost: true", "cpu-threads: 0", "max-length-break: 128", "max-length-factor: 2.0"]
    lines += ["mini-batch-words: 1024", "workspace: 128", "gemm-precision: int8shiftAlphaAll", "quiet: true"]
    return "\n".join(lines) + "\n"


def main() -> None:
    folder, batch = sys.argv[1], int(sys.argv[2])
    engine = extension()
    service = engine.Service(engine.ServiceConfig(1, 0, "off"))
    model = service.modelFromConfig(settings(folder))
    lines = [line.rstrip("\n") for line in sys.stdin]

    def translate(texts: list[str]) -> list[str]:
        answers = service.translate(model, engine.VectorString(texts), engine.ResponseOptions())
        return [answer.target.text for answer in answers]

    measure(translate, lines, batch)


def measure(translate: Callable[[list[str]], list[str]], lines: list[str], batch: int) -> None:
    """Translates lines, ``batch`` at a time; prints what the docstring of this module says."""
    translate(lines[:1])
    ready = time.process_time()
    found = [text for first in range(0, len(lines), batch) for text in translate(lines[first : first + batch])]
    print(time.process_time() - ready, ready, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
    print("\n".join(found))


if __name__ == "__main__":
    main()
