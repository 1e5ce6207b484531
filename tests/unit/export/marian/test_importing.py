"""From a source to the ingredients of a build, and the command."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import torch
import typer
import yaml
from typer.testing import CliRunner

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Alignment
from app.engine.models.tokenizer import Tokenizer
from export.choices import Choices
from export.imported_bundle import Imported
from export.importing import import_bundle
from export.marian.commands import describe, import_model
from export.marian.hub import is_hub_id
from export.marian.names import FORBIDDEN
from export.marian.original import read_original
from model.network.transformer import Transformer
from tests.support.imported import as_transformer
from tests.support.marian import vocabulary_of, write_huggingface, write_release, write_tokenizers
from tests.support.tiny import random_model


class Built:
    """Takes down what would be built."""

    imported: Imported
    out: Path

    def __call__(self, imported: Imported, out: Path, *, report: Any) -> Any:
        self.imported, self.out = imported, out
        self.tokenizer = imported.open_tokenizer()
        raise StopIteration


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Built:
    recorder = Built()
    monkeypatch.setattr("export.marian.importing.build", recorder)
    return recorder


def start(source: object, tmp_path: Path, **choices: Any) -> list[str]:
    lines: list[str] = []
    with pytest.raises(StopIteration):
        import_bundle(str(source), tmp_path / "out", choices=Choices(**choices), report=lines.append)
    return lines


def test_a_release_as_a_zip_file(tmp_path: Path, built: Built) -> None:
    folder = tmp_path / "files" / "model"
    write_release(folder)
    card = "# opus-2020-02-26.zip\n* source language(s): deu nds\n* target language(s): eng\n"
    (folder / "README.md").write_text(card, encoding="utf-8")
    archive = Path(shutil.make_archive(str(tmp_path / "opus-2020-02-26"), "zip", tmp_path / "files"))
    lines = start(archive, tmp_path, licence="CC-BY-4.0")
    assert lines[0] == f"unpacking {archive}"
    made = built.imported
    assert made.name == "opus-2020-02-26"
    assert [(pair.source, pair.target, pair.tag) for pair in made.pairs] == [("de", "en", None), ("nds", "en", None)]
    assert made.provenance.licence == "CC-BY-4.0"
    assert made.provenance.origin is not None
    assert made.provenance.origin.startswith("opus-2020-02-26.zip, opus.npz with sha256 ")
    assert [path.name for path in made.tokenizers] == ["source.spm", "target.spm"]
    assert built.tokenizer.decode(built.tokenizer.encode("Anna 42, 7.")).strip() == "Anna 42, 7."


def test_a_zip_file_of_marian_mt_without_a_folder_inside(tmp_path: Path, built: Built) -> None:
    write_huggingface(tmp_path / "model", separate=True)
    with zipfile.ZipFile(tmp_path / "model.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (tmp_path / "model").iterdir():
            archive.write(path, path.name)
    start(tmp_path / "model.zip", tmp_path, name="mine")
    assert built.imported.name == "mine"
    assert [path.name for path in built.imported.vocabularies or ()] == ["source.vocab.json", "target.vocab.json"]
    assert [(pair.source, pair.target) for pair in built.imported.pairs] == [("de", "en")]


def test_names_on_the_hub() -> None:
    assert is_hub_id("Helsinki-NLP/opus-mt-de-en")
    for other in ("model", "./model", "/model", "../model", "a/b/c", "https://example.org/x", "a b/c"):
        assert not is_hub_id(other)


def test_a_download_takes_one_of_two_files_of_weights(
    tmp_path: Path, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        asked.append(allow_patterns)
        folder = tmp_path / "cache" / "0123abcd"
        if not folder.exists():
            write_huggingface(folder, pickled=True)
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    start("somebody/opus-mt-de-en", tmp_path)
    assert [patterns[-1] for patterns in asked] == ["model.safetensors", "pytorch_model.bin"]
    assert built.imported.name == "opus-mt-de-en"
    assert built.imported.provenance.origin is not None
    assert "pytorch_model.bin with sha256" in built.imported.provenance.origin


def test_sentencepiece_models_as_vocabularies(tmp_path: Path) -> None:
    """Marian can segment by itself: then ids are SentencePiece's."""
    write_release(tmp_path / "model")
    read = read_original(tmp_path / "model")
    pieces = [piece for piece in read.vocabularies.target if piece]
    folder = tmp_path / "model"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(pieces)] * 3),
        model_prefix=str(folder / "vocab"),
        vocab_size=60,
        hard_vocab_limit=False,
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        minloglevel=2,
    )
    (folder / "vocab.model").rename(folder / "vocab.spm")
    (folder / "source.spm").unlink()
    decoder = yaml.safe_load((folder / "decoder.yml").read_text()) | {"vocabs": ["vocab.spm", "vocab.spm"]}
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder))
    read = read_original(folder)
    assert read.source_pieces == read.target_pieces == folder / "vocab.spm"
    assert read.vocabularies.source[:2] == ["</s>", "<unk>"]


def test_the_decoder_may_allow_unknown_pieces(tmp_path: Path) -> None:
    write_release(tmp_path / "model")
    assert read_original(tmp_path / "model").arrays["projection.bias"][1] == FORBIDDEN
    with (tmp_path / "model" / "decoder.yml").open("a") as file:
        file.write("allow-unk: true\n")
    assert read_original(tmp_path / "model").arrays["projection.bias"][1] != FORBIDDEN


def test_a_guided_head_is_known(tmp_path: Path) -> None:
    write_release(tmp_path / "model")
    with np.load(tmp_path / "model" / "opus.npz") as file:
        arrays = {name: file[name] for name in file.files}
    facts = yaml.safe_load(arrays["special:model.yml"][:-1].tobytes())
    for layer, expected in (("last", 1), ("1", 0), (2, 1), ("7", None)):
        facts |= {"guided-alignment": "links.gz", "transformer-guided-alignment-layer": layer}
        arrays["special:model.yml"] = np.frombuffer(yaml.safe_dump(facts).encode(), np.uint8)
        np.savez(tmp_path / "model" / "opus.npz", **arrays)
        assert read_original(tmp_path / "model").guided == expected


def test_another_kind_of_marian_model(tmp_path: Path) -> None:
    """Pre-norm, norms of embeddings, learned positions, an output matrix of its own, ReLU: written by hand."""
    pieces = vocabulary_of([piece for side in write_tokenizers(tmp_path) for piece in side], padding=False)
    size = len(pieces)
    model = random_model(
        source_vocabulary=size + 1,
        target_vocabulary=size + 1,
        width=16,
        feed_forward=24,
        norm="pre",
        embedding_norm=True,
        positions="learned",
        max_positions=40,
        scale_embeddings=False,
        tie_output=False,
        output_bias=True,
        norm_epsilon=1e-6,
        pad_id=size,
        decoder_start_id=size,
        eos_id=0,
        alignment_layer=None,
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
        model.target_embedding.weight[-1] = 0
        model.projection.weight[-1] = 0
    np.savez(tmp_path / "model.npz", **{"special:model.yml": options_of(model)}, **arrays_of(model, size))
    lines = [f"{yaml.safe_dump(piece, default_style=chr(34)).strip()}: {index}" for piece, index in pieces.items()]
    (tmp_path / "vocab.yml").write_text("\n".join(lines), encoding="utf-8")
    read = read_original(tmp_path)
    assert read.config.to_dict() == model.config.to_dict() | {"dropout": read.config.dropout}
    rng = np.random.default_rng(0)
    source, target = (torch.from_numpy(rng.integers(2, size, (3, length))) for length in (7, 5))
    with torch.no_grad():
        ours, expected = (each.logits(each(source, target)[0]) for each in (as_transformer(read), model))
    assert (ours - expected)[..., 2:-1].abs().max() < 1e-6


def options_of(model: Transformer) -> np.ndarray[Any, Any]:
    facts = {
        "dim-emb": 16,
        "enc-depth": 2,
        "dec-depth": 2,
        "transformer-heads": 2,
        "transformer-dim-ffn": 24,
        "transformer-ffn-activation": "relu",
        "transformer-preprocess": "n",
        "transformer-postprocess": "da",
        "transformer-postprocess-top": "n",
        "transformer-postprocess-emb": "nd",
        "transformer-train-position-embeddings": True,
    }
    return np.frombuffer(yaml.safe_dump(facts).encode(), np.uint8)


def arrays_of(model: Transformer, size: int) -> dict[str, np.ndarray[Any, Any]]:
    """Marian's names, spelt out once more."""
    letters = {"query": "q", "key": "k", "value": "v", "output": "o"}
    found: dict[str, np.ndarray[Any, Any]] = {}
    for name, parameter in model.named_parameters():
        value = parameter.detach().numpy()
        parts, matrix = name.split("."), "W" if name.endswith("weight") else "b"
        norm = f"ln_{'scale' if matrix == 'W' else 'bias'}"
        if parts[0] in ("encoder", "decoder"):
            prefix = f"{parts[0]}_l{int(parts[1]) + 1}"
            block = {"self": "self", "cross": "context", "feed": "ffn"}[parts[2].split("_")[0]]
            if parts[2].endswith("residual"):
                found[f"{prefix}_{block}_{'ffn' if block == 'ffn' else 'Wo'}_{norm}_pre"] = value[None]
            else:
                letter = {"inner": "1", "outer": "2"}.get(parts[3]) or letters[parts[3]]
                found[f"{prefix}_{block}_{matrix}{letter}"] = value.T if matrix == "W" else value[None]
        elif parts[0] in ("source_norm", "target_norm"):
            found[f"{'encoder' if parts[0] == 'source_norm' else 'decoder'}_emb_{norm}_pre"] = value[None]
        elif parts[0] in ("encoder_norm", "decoder_norm"):
            found[f"{parts[0].removesuffix('_norm')}_top_{norm}"] = value[None]
    found["Wemb"] = model.target_embedding.weight.detach().numpy()[:size]
    found["Wpos"] = dict(model.named_parameters())["positions.learned"].detach().numpy()
    found["decoder_ff_logit_out_W"] = model.projection.weight.detach().numpy()[:size].T
    found["decoder_ff_logit_out_b"] = model.projection.bias.detach().numpy()[None, :size]
    return found


def test_the_command(tmp_path: Path, built: Built) -> None:
    write_huggingface(tmp_path / "model", tags=[">>eng<<", ">>fra<<"])
    (tmp_path / "sentences.txt").write_text("Der Hund.\n\nAnna 42.\n", encoding="utf-8")
    app = typer.Typer()
    app.command("import")(import_model)
    arguments = [
        str(tmp_path / "model"),
        str(tmp_path / "out"),
        "--pair",
        "de-fr",
        "--name",
        "mine",
        "--licence",
        "CC0",
    ]
    result = CliRunner().invoke(app, [*arguments, "--sentences", str(tmp_path / "sentences.txt")])
    assert isinstance(result.exception, RuntimeError | StopIteration)
    made = built.imported
    assert (made.name, made.provenance.licence, [pair.tag for pair in made.pairs]) == ("mine", "CC0", [">>fra<<"])
    assert list(made.sentences) == ["Der Hund.", "Anna 42."]
    assert built.out == tmp_path / "out"
    assert isinstance(built.tokenizer, Tokenizer)


@pytest.mark.parametrize("form", ["release", "pickled"])
def test_it_needs_no_pytorch(tmp_path: Path, form: str) -> None:
    if form == "release":
        write_release(tmp_path / "model")
    else:
        write_huggingface(tmp_path / "model", pickled=True)
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from app.cli.main import app\n"
        f"app(['import', {str(tmp_path / 'model')!r}, {str(tmp_path / 'out')!r}, '--pair', 'de-en'])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    bundle = Bundle.open(tmp_path / "out")
    assert bundle.golden and bundle.attention_graphs()
    assert [(pair.source, pair.target) for pair in bundle.manifest.pairs] == [("de", "en")]


def test_the_alignment_head_is_described_in_words() -> None:
    head = Alignment(copied_tokens=80, layer=4, head=1, share=0.91, used=True)
    assert describe(head) == "head 1 of decoder layer 4 finds 91% of copied tokens"
    assert describe(head.model_copy(update={"used": False})).endswith("too few to be used")
    assert "only 3 tokens" in describe(Alignment(copied_tokens=3, layer=None, head=None, share=None, used=False))


def test_the_command_is_declared() -> None:
    project = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    value = project["entry-points"]["dragoman.commands"]["import"]
    assert EntryPoint("import", value, "dragoman.commands").load() is import_model
