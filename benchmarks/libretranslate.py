"""LibreTranslate as a peer: in its own environment, it serves a bundle's weights with CTranslate2.

The environment is made from exact versions (``libretranslate.txt``) on first use. Nothing but these packages is
downloaded, and none of LibreTranslate's code is changed:

* Each direction is an Argos package: the converted weights, the bundle's tokenizer, and spaCy's rule-based sentencizer,
  which costs less than the neural splitter that LibreTranslate would download.
* The model wants a target tag before the source and an end of sentence behind it. CTranslate2 adds both itself: a
  model's ``config.json`` may ask for a first and a last source token, and here the first is the tag.
* The weights are in int8, as Argos packages have them. The beam of 4 is LibreTranslate's default.
* Argos Translate would download a spaCy model for packages without one of their own, unless it finds a file under its
  cache folder; an empty one is put there.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Pair
from benchmarks.ctranslate2_model import convert

REQUIREMENTS = Path(__file__).with_name("libretranslate.txt")
NAMES = {"de": "German", "en": "English"}


def version() -> str:
    """The version that is measured."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("libretranslate==") for line in lines if line.startswith("libretranslate=="))


def make_environment(folder: Path) -> None:
    """Install LibreTranslate, unless the folder has these very versions already.

    Raises:
        subprocess.CalledProcessError: pip failed; it has said why on stderr.
    """
    stamp = folder / "installed"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--no-deps", "--requirement", str(REQUIREMENTS)]
    subprocess.run(pip, check=True, stdout=sys.stderr)
    stamp.write_text(wanted)


def write_packages(bundle: Bundle, environment: Path, home: Path) -> None:
    """Write the Argos packages of all directions, and the rest of what LibreTranslate keeps on disk.

    Args:
        bundle: Weights and tokenizer.
        environment: Where LibreTranslate is installed, for its spaCy.
        home: Folder to write to; see ``variables``.
    """
    for pair in bundle.manifest.pairs:
        folder = home / "packages" / f"{pair.source}_{pair.target}"
        folder.mkdir(parents=True)
        write_model(bundle, pair, folder / "model", quantization="int8")
        shutil.copy(bundle.path / bundle.manifest.source_tokenizer, folder / "sentencepiece.model")
        metadata = {"package_version": "1.0", "argos_version": "1.0"}
        for side, code in (("from", pair.source), ("to", pair.target)):
            metadata |= {f"{side}_code": code, f"{side}_name": NAMES.get(code, code)}
        (folder / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
        save = "import sys, spacy; spacy.blank(sys.argv[1]).to_disk(sys.argv[2])"
        subprocess.run([environment / "bin" / "python", "-c", save, pair.source, folder / "spacy"], check=True)
    marker = home / "cache" / "argos-translate" / "spacy" / "senter" / "model"
    marker.parent.mkdir(parents=True)
    marker.touch()


def write_model(bundle: Bundle, pair: Pair, out: Path, quantization: str | None = None) -> None:
    """Write a CTranslate2 model that takes the plain pieces of a sentence, without tag and end of sentence."""
    convert(bundle.model_of(pair.source, pair.target), out, quantization)
    path = out / "config.json"
    config = json.loads(path.read_text(encoding="utf-8")) | {"add_source_eos": True}
    if pair.tag is not None:
        config |= {"add_source_bos": True, "bos_token": pair.tag}
    path.write_text(json.dumps(config), encoding="utf-8")


def command(environment: Path, bundle: Bundle, port: int) -> list[str]:
    """LibreTranslate's own server, with its own settings, without web page and file translation."""
    codes = sorted({code for pair in bundle.manifest.pairs for code in (pair.source, pair.target)})
    program = environment / "bin" / "libretranslate"
    unused = ["--disable-web-ui", "--disable-files-translation"]
    return [str(program), "--port", str(port), "--load-only", ",".join(codes), *unused]


def variables(home: Path, threads: int) -> Mapping[str, str]:
    """The process environment: everything on disk under ``home``, and ``threads`` threads a translation."""
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "ARGOS_PACKAGES_DIR": str(home / "packages"),
        "ARGOS_CHUNK_TYPE": "SPACY",
        "ARGOS_COMPUTE_TYPE": "int8",
        "ARGOS_INTRA_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        # ONNX Runtime is installed there for splitting sentences. It is idle, but would send telemetry.
        "ORT_DISABLE_TELEMETRY": "1",
    }
