"""A wrong, truncated or hostile source gives one clear line, runs nothing and leaves nothing behind."""

import json
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from export.bundle_builder import BuildError
from tests.support.hostile_models import Damage, Trap, cut, delete, link, pipe, write


def config(**changes: Any) -> Damage:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")

    return change


def vocabulary(**changes: Any) -> Damage:
    def change(folder: Path) -> None:
        path = folder / "vocab.json"
        ids = json.loads(path.read_text(encoding="utf-8")) | changes
        path.write_text(json.dumps({k: v for k, v in ids.items() if v is not None}), encoding="utf-8")

    return change


HUB: list[tuple[str, str, Damage]] = [
    ("no JSON", "config.json is not JSON", write("config.json", b"{")),
    ("deep JSON", "config.json is not JSON", write("config.json", b"[" * 100_000)),
    ("a list", "config.json holds no JSON object", write("config.json", b"[]")),
    ("a long config", "config.json: it has 2,097,152 bytes", write("config.json", b" " * (2 << 20))),
    ("a device", "config.json: it is not a plain file", link("config.json", "/dev/zero")),
    ("a pipe", "config.json: it is not a plain file", pipe("config.json")),
    ("a number without end", "config.json is not JSON", write("config.json", b"1" * 5_000)),
    ("no UTF-8", "config.json is not UTF-8", write("config.json", b"\xff")),
    ("another architecture", "model_type is 'bart', not 'marian'", config(model_type="bart")),
    ("no layers", "encoder_layers is 0", config(encoder_layers=0)),
    ("a layer too many", "has no model.decoder.layers.2", config(decoder_layers=3)),
    ("a layer too few", "is not a parameter of MarianMT", config(decoder_layers=1)),
    ("a million layers", "encoder_layers is 1000000", config(encoder_layers=1_000_000)),
    ("more than the file has", "parameters, and the file of weights holds fewer", config(vocab_size=900_000)),
    ("a vocabulary of text", "vocab_size is 'many'", config(vocab_size="many")),
    (
        "heads that don't divide",
        "the configuration describes no model: width 32",
        config(encoder_attention_heads=5, decoder_attention_heads=5),
    ),
    ("pre-norm", "normalize_before is True", config(normalize_before=True)),
    ("unknown activation", "the activation is 'tanh'", config(activation_function="tanh")),
    ("two widths", "encoder_ffn_dim and decoder_ffn_dim differ", config(decoder_ffn_dim=7)),
    ("no padding", "pad_token_id is None", config(pad_token_id=None)),
    ("padding outside", "pad_id 9999", config(pad_token_id=9999)),
    ("forbidden text", "bad_words_ids", config(bad_words_ids="all")),
    ("forbidden end", "bad_words_ids forbids 0", config(bad_words_ids=[[0]])),
    ("no weights", "neither model.safetensors nor pytorch_model.bin", delete("model.safetensors")),
    ("weights without end", "model.safetensors: it is not a plain file", link("model.safetensors", "/dev/zero")),
    ("weights that never come", "model.safetensors: it is not a plain file", pipe("model.safetensors")),
    ("cut weights", "model.safetensors is damaged", cut("model.safetensors")),
    ("empty weights", "claims a header of 0 bytes", write("model.safetensors", b"")),
    ("a huge header", "claims a header of", write("model.safetensors", struct.pack("<Q", 1 << 60) + b"{}")),
    ("a pickle", "claims a header of", write("model.safetensors", pickle.dumps({"a": 1}) * 20)),
    ("a header of nonsense", "not a JSON object", write("model.safetensors", struct.pack("<Q", 4) + b"[1]]")),
    ("integers", "is not of floating-point numbers", lambda folder: _save(folder, torch.ones(2, dtype=torch.int64))),
    ("not a number", "not all finite", lambda folder: _spoil(folder)),
    ("no vocabulary", "vocab.json: No such file", delete("vocab.json")),
    ("a vocabulary too long", "is 4711, not one of", vocabulary(Hund=4711)),
    ("an id twice", "belongs to two pieces", vocabulary(Hund=3)),
    ("an id of text", "is '5', not one of", vocabulary(Hund="5")),
    ("no unknown piece", "has no <unk>", vocabulary(**{"<unk>": None})),
    ("no end", "has no </s>", vocabulary(**{"</s>": None})),
    ("another end", "eos_token_id", config(eos_token_id=5)),
    ("pieces that never come", "source.spm: it is not a plain file", pipe("source.spm")),
    ("no SentencePiece", "source.spm: No such file", delete("source.spm")),
    ("a cut SentencePiece", "target.spm is not a SentencePiece model", cut("target.spm", 1000)),
    ("other positions", "does not hold sinusoids", lambda folder: _positions(folder)),
]


def _tensors(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def _write_tensors(folder: Path, tensors: dict[str, torch.Tensor]) -> None:
    from safetensors.torch import save_file

    save_file(tensors, folder / "model.safetensors")


def _save(folder: Path, tensor: torch.Tensor) -> None:
    _write_tensors(folder, {"model.shared.weight": tensor})


def _spoil(folder: Path) -> None:
    tensors = _tensors(folder)
    tensors["model.encoder.layers.0.fc1.weight"][0, 0] = torch.nan
    _write_tensors(folder, tensors)


def _positions(folder: Path) -> None:
    _write_tensors(folder, _tensors(folder) | {"model.encoder.embed_positions.weight": torch.ones(128, 32)})


@pytest.mark.parametrize(("reason", "damage"), [case[1:] for case in HUB], ids=[case[0] for case in HUB])
def test_a_marian_mt_folder(
    whole: Path, tmp_path: Path, refused: Callable[..., str], reason: str, damage: Damage
) -> None:
    folder = Path(shutil.copytree(whole / "hub", tmp_path / "model"))
    damage(folder)
    assert reason in refused(folder)


def test_nothing_is_ever_unpickled(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    folder = Path(shutil.copytree(whole / "pickled", tmp_path / "model"))
    path, mark = folder / "pytorch_model.bin", tmp_path / "unpickled"
    for content in (pickle.dumps(Trap(mark)), pickle.dumps({"model.shared.weight": Trap(mark)})):
        path.write_bytes(content)
        assert "can't be loaded as weights alone" in refused(folder)
    torch.save({"model.shared.weight": Trap(mark)}, path)
    assert "it is not a plain file of weights, or holds code" in refused(folder)
    torch.save([torch.ones(2)], path)
    assert "holds no named tensors" in refused(folder)
    torch.save({"model.shared.weight": torch.ones(2, 2).to_sparse()}, path)
    assert "it is not a plain file of weights, or holds code" in refused(folder)
    torch.save({"model.shared.weight": torch.ones(2, 2, dtype=torch.int64)}, path)
    assert "is not a tensor of floating-point numbers" in refused(folder)
    torch.save({"model.shared.weight": torch.ones(2, 3).T}, path)
    assert "a tensor is not contiguous" in refused(folder)
    # A tensor that claims to be large: all of its elements are one number.
    torch.save({"model.shared.weight": torch.ones(1).expand(1 << 20, 1 << 20)}, path)
    assert "a tensor is larger than its storage" in refused(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * (1 << 20))
    assert "is compressed" in refused(folder)
    path.write_bytes((whole / "pickled" / "pytorch_model.bin").read_bytes()[:-3000])
    assert "pytorch_model.bin" in refused(folder)
    assert not mark.exists()
    pickle.loads(pickle.dumps(Trap(mark)))
    assert mark.exists(), "the trap works"


def _changed(by: bytes) -> bytes:
    """A pickle that takes PyTorch's function to make tensors, and changes its attributes."""
    return b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" + by


MANY_AXES = b"(" + 20_000 * b"K\x01" + b"t"


@pytest.mark.parametrize(
    ("reason", "description"),
    [
        pytest.param("it numbers what it doesn't have", b"\x80\x02}r\x00\xe1\xf5\x05.", id="a memo without end"),
        pytest.param("it numbers what it doesn't have", b"\x80\x02}p400000000\n.", id="the same in text"),
        pytest.param("AttributeError", _changed(b"N}X\x0c\x00\x00\x00__defaults__Ns\x86b."), id="attributes"),
        pytest.param(
            "a tensor has too many axes",
            _changed(
                b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x01tQK\x00"
                + MANY_AXES
                + MANY_AXES
                + b"tR."
            ),
            id="axes without end",
        ),
    ],
)
@pytest.mark.parametrize("form", ["zip", "before PyTorch 1.6"])
def test_pickles_that_would_take_memory_time_or_change_the_program(
    whole: Path, tmp_path: Path, refused: Callable[..., str], reason: str, description: bytes, form: str
) -> None:
    folder = Path(shutil.copytree(whole / "pickled", tmp_path / "model"))
    path = folder / "pytorch_model.bin"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("archive/data.pkl", description)
    else:
        head = (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True})
        path.write_bytes(b"".join(pickle.dumps(each, protocol=2) for each in head) + description)
    assert f"can't be loaded as weights alone: {reason}" in refused(folder)


def test_what_is_not_there(tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "is not a folder, a zip file or the name of a model" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "holds neither config.json" in refused(tmp_path / "empty")


def test_no_network(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    message = refused("nobody/has-this-model")
    assert message.startswith(
        "nobody/has-this-model is not a folder or zip file here, and not a model that could be downloaded"
    )


def test_what_is_no_bundle_is_not_replaced(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "out").write_text("precious")
    assert "out exists and is not a bundle" in refused(whole / "hub", BuildError)
    assert (tmp_path / "out").read_text() == "precious"


def test_a_model_without_languages(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    folder = Path(shutil.copytree(whole / "release", tmp_path / "model"))
    assert "give --pair SOURCE-TARGET" in refused(folder, pairs=())
    assert "is not a pair of languages" in refused(folder, pairs=("german",))
    assert "the model has no tag >>eng<<" in refused(folder, pairs=("de-en=eng",))
