"""Coverage-guided fuzzing of everything in ``targets`` with Atheris: ``python -m tests.fuzzing SECONDS``.

Inputs begin as the files of ``corpus``, a folder for each target. One that a target fails on, or takes longer than ten
seconds for, is written to ``build/fuzzing``, and ``python -m tests.fuzzing 0 FILE`` tries it again. Other options are
libFuzzer's: with ``-seed=1``, and PYTHONHASHSEED set, each run tries the same inputs in the same order.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
FOUND = ROOT / "build" / "fuzzing"
LONGEST, SLOWEST_S, MEMORY_MB = 6_000, 10, 2_048


def main(seconds: str, *given: str) -> None:
    """Fuzzes for some seconds; the process ends with another code than 0 if a target fails."""
    try:
        import atheris
    except ImportError:
        print("skipped: Atheris has no wheel for this Python and machine")
        return
    with atheris.instrument_imports(include=["app"]):
        from tests.fuzzing.targets import TARGETS, refuses_or_reads
    names = list(TARGETS)

    def try_one(data: bytes) -> None:
        if data:
            name = names[data[0] % len(names)]
            try:
                refuses_or_reads(name, data[1:])
            except Exception:
                print(f"\ntarget {name}: {data[1:][:2000]!r}", flush=True)
                raise

    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names):  # which target an input is for is its first byte
            for file in (CORPUS / name).iterdir():
                (Path(folder) / f"{name}-{file.name}").write_bytes(bytes([number]) + file.read_bytes())
        FOUND.mkdir(parents=True, exist_ok=True)
        limits = [f"-max_len={LONGEST}", f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MEMORY_MB}"]
        options = [*limits, f"-max_total_time={seconds}", f"-artifact_prefix={FOUND}/"]
        inputs = [] if any(not each.startswith("-") for each in given) else [folder]
        atheris.Setup([sys.argv[0], *options, *given, *inputs], try_one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
