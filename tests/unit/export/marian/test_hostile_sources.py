"""Whatever is wrong, truncated or hostile gives one clear line, runs nothing and leaves nothing behind."""

import json
import os
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from export.bundle_builder import BuildError
from export.marian.importing import Choices, import_bundle
from export.marian.limits import SourceError
from tests.support.marian import write_huggingface, write_release

Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sound models in both forms."""
    folder = tmp_path_factory.mktemp("whole")
    write_huggingface(folder / "hub")
    write_huggingface(folder / "pickled", pickled=True)
    write_release(folder / "release")
    return folder


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Imports what must fail; gives the message, after a look at what is left."""

    def no_build(*args: Any, **kwargs: Any) -> None:
        pytest.fail("a bundle was begun")

    monkeypatch.setattr("export.marian.importing.build", no_build)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def import_(source: object, error: type[Exception] = SourceError, pairs: tuple[str, ...] = ("de-en",)) -> str:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(error) as caught:
            import_bundle(str(source), tmp_path / "out", choices=Choices(pairs=pairs), report=lambda line: None)
        assert sorted(tmp_path.rglob("*")) == before
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 500
        return message

    return import_


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Path]]:
        return Path.touch, (self.mark,)


def config(**changes: Any) -> Damage:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")

    return change


def write(name: str, content: bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(content) and None


def link(name: str, target: str) -> Damage:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(target)

    return change


def pipe(name: str) -> Damage:
    def change(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return change


def delete(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def cut(name: str, size: int = 100) -> Damage:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-size]) and None


def vocabulary(**changes: Any) -> Damage:
    def change(folder: Path) -> None:
        path = folder / "vocab.json"
        ids = json.loads(path.read_text(encoding="utf-8")) | changes
        path.write_text(json.dumps({k: v for k, v in ids.items() if v is not None}), encoding="utf-8")

    return change


HUB: list[tuple[str, str, Damage]] = [
    ("no JSON", "config.json is no JSON", write("config.json", b"{")),
    ("deep JSON", "config.json is no JSON", write("config.json", b"[" * 100_000)),
    ("a list", "config.json holds no JSON object", write("config.json", b"[]")),
    ("a long config", "config.json: it has 2,097,152 bytes", write("config.json", b" " * (2 << 20))),
    ("a device", "config.json: it is no plain file", link("config.json", "/dev/zero")),
    ("a pipe", "config.json: it is no plain file", pipe("config.json")),
    ("a number without end", "config.json is no JSON", write("config.json", b"1" * 5_000)),
    ("no UTF-8", "config.json is no UTF-8", write("config.json", b"\xff")),
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
    ("weights without end", "model.safetensors: it is no plain file", link("model.safetensors", "/dev/zero")),
    ("weights that never come", "model.safetensors: it is no plain file", pipe("model.safetensors")),
    ("cut weights", "model.safetensors is damaged", cut("model.safetensors")),
    ("empty weights", "claims a header of 0 bytes", write("model.safetensors", b"")),
    ("a huge header", "claims a header of", write("model.safetensors", struct.pack("<Q", 1 << 60) + b"{}")),
    ("a pickle", "claims a header of", write("model.safetensors", pickle.dumps({"a": 1}) * 20)),
    ("a header of nonsense", "no JSON object", write("model.safetensors", struct.pack("<Q", 4) + b"[1]]")),
    ("integers", "is not of floating-point numbers", lambda folder: _save(folder, torch.ones(2, dtype=torch.int64))),
    ("not a number", "not all finite", lambda folder: _spoil(folder)),
    ("no vocabulary", "vocab.json: No such file", delete("vocab.json")),
    ("a vocabulary too long", "is 4711, not one of", vocabulary(Hund=4711)),
    ("an id twice", "belongs to two pieces", vocabulary(Hund=3)),
    ("an id of text", "is '5', not one of", vocabulary(Hund="5")),
    ("no unknown piece", "has no <unk>", vocabulary(**{"<unk>": None})),
    ("no end", "has no </s>", vocabulary(**{"</s>": None})),
    ("another end", "eos_token_id", config(eos_token_id=5)),
    ("pieces that never come", "source.spm: it is no plain file", pipe("source.spm")),
    ("no SentencePiece", "source.spm: No such file", delete("source.spm")),
    ("a cut SentencePiece", "target.spm is no SentencePiece model", cut("target.spm", 1000)),
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
    assert "it is no plain file of weights, or holds code" in refused(folder)
    torch.save([torch.ones(2)], path)
    assert "holds no named tensors" in refused(folder)
    torch.save({"model.shared.weight": torch.ones(2, 2).to_sparse()}, path)
    assert "is no tensor of floating-point numbers" in refused(folder)
    # A tensor that claims to be large: all of its elements are one number.
    torch.save({"model.shared.weight": torch.ones(1).expand(1 << 20, 1 << 20)}, path)
    assert "is of shape (1048576, 1048576)" in refused(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * (1 << 20))
    assert "is compressed" in refused(folder)
    path.write_bytes((whole / "pickled" / "pytorch_model.bin").read_bytes()[:-3000])
    assert "pytorch_model.bin" in refused(folder)
    assert not mark.exists()
    pickle.loads(pickle.dumps(Trap(mark)))
    assert mark.exists(), "the trap works"


def options(**changes: Any) -> Damage:
    """Other training options inside the arrays."""

    def change(folder: Path) -> None:
        with np.load(folder / "opus.npz") as file:
            arrays = {name: file[name] for name in file.files}
        facts = yaml.safe_load(arrays["special:model.yml"][:-1].tobytes()) | changes
        content = yaml.safe_dump({k: v for k, v in facts.items() if v is not None}).encode() + b"\0"
        np.savez(folder / "opus.npz", **arrays | {"special:model.yml": np.frombuffer(content, np.uint8)})

    return change


def arrays(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        with np.load(folder / "opus.npz") as file:
            found = {name: file[name] for name in file.files}
        change(found)
        np.savez(folder / "opus.npz", **found)

    return damage


def bomb(folder: Path) -> None:
    """Members that unpack to more than may be, as their directory says."""
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\n"
    with zipfile.ZipFile(folder / "opus.npz", "w") as archive:
        for index in range(3):
            archive.writestr(f"{index}.npy", header)
            archive.infolist()[-1].file_size = 0xFFFF_FFF0


def liar(folder: Path) -> None:
    """An array whose header promises 4 TB."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 1048576), }".ljust(117) + b"\n"
    with zipfile.ZipFile(folder / "opus.npz", "a") as archive:
        archive.writestr("liar.npy", b"\x93NUMPY\x01\x00v\x00" + header)


def objects(folder: Path) -> None:
    np.savez(folder / "opus.npz", **{"special:model.yml": np.array([Trap(folder / "unpickled")], dtype=object)})


RELEASE: list[tuple[str, str, Damage]] = [
    ("no .npz", "opus.npz is missing", delete("opus.npz")),
    ("no zip", "is no .npz file", write("opus.npz", b"nothing")),
    ("cut arrays", "is no .npz file", cut("opus.npz")),
    ("objects", "is no plain array of numbers", objects),
    ("a bomb", "unpacks to more than", bomb),
    ("a header that lies", "is shorter than its header says", liar),
    ("no options", "holds no options", arrays(lambda found: found.pop("special:model.yml"))),
    ("an RNN", "option type is 's2s'", options(type="s2s")),
    (
        "average attention",
        "transformer-decoder-autoreg",
        options(**{"transformer-decoder-autoreg": "average-attention"}),
    ),
    ("tied layers", "transformer-tied-layers", options(**{"transformer-tied-layers": [1, 1]})),
    ("unknown norms", "neither post-norm nor pre-norm", options(**{"transformer-postprocess": "da"})),
    ("no depth", "enc-depth is None", options(**{"enc-depth": None})),
    ("a huge width", "dim-emb is 1000000", options(**{"dim-emb": 1_000_000})),
    ("more than the file has", "the file of weights holds fewer", options(**{"transformer-dim-ffn": 60_000})),
    (
        "aliases",
        "is no YAML",
        arrays(
            lambda found: found.update({"special:model.yml": np.frombuffer(b"a: &a [1]\nb: [*a, *a]\n\0", np.int8)})
        ),
    ),
    ("a missing array", "has no encoder_l2_self_Wq", arrays(lambda found: found.pop("encoder_l2_self_Wq"))),
    (
        "another shape",
        "is of shape (2, 2)",
        arrays(lambda found: found.update(encoder_l2_self_Wq=np.ones((2, 2), "f4"))),
    ),
    (
        "an unknown array",
        "is a parameter of something unknown",
        arrays(lambda found: found.update(x_W=np.ones((2, 2), "f4"))),
    ),
    (
        "integers",
        "which is not supported",
        arrays(lambda found: found.update(encoder_l2_self_Wq=np.ones((32, 32), np.int8))),
    ),
    ("no matrix", "has no matrix encoder_Wemb", arrays(lambda found: found.pop("Wemb"))),
    ("two models", "holds 2 models", write("decoder.yml", b"models: [a.npz, b.npz]\nvocabs: [a, b]\n")),
    (
        "a model elsewhere",
        "which is no file of the folder",
        write("decoder.yml", b"models: [../a.npz]\nvocabs: [a, b]\n"),
    ),
    ("a model at the root", "which is no file of the folder", write("decoder.yml", b"models: [/etc/passwd]\n")),
    ("a number for a model", "which is no file of the folder", write("decoder.yml", b"models: [1]\n")),
    (
        "a vocabulary elsewhere",
        "which is no file of the folder",
        write("decoder.yml", b"models: [opus.npz]\nvocabs: [../v.yml, ../v.yml]\n"),
    ),
    ("code in YAML", "decoder.yml is no YAML", write("decoder.yml", b"!!python/object/apply:os.getcwd []")),
    ("a vocabulary of nonsense", "line 1 is not of the form", write("opus.vocab.yml", b"nonsense\n")),
    ("a vocabulary too long", "not one of", write("opus.vocab.yml", b"</s>: 0\n<unk>: 1\na: 99999\n")),
    ("as many pieces as rows", "has more pieces than", lambda folder: _one_more(folder)),
    ("no SentencePiece", "only models with SentencePiece can be imported", delete("source.spm")),
]


def _one_more(folder: Path) -> None:
    path = folder / "opus.vocab.yml"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, f"more: {len(lines)}"]), encoding="utf-8")


@pytest.mark.parametrize(("reason", "damage"), [case[1:] for case in RELEASE], ids=[case[0] for case in RELEASE])
def test_a_release(whole: Path, tmp_path: Path, refused: Callable[..., str], reason: str, damage: Damage) -> None:
    folder = Path(shutil.copytree(whole / "release", tmp_path / "model"))
    damage(folder)
    assert reason in refused(folder)
    assert not (folder / "unpickled").exists()


def zip_of(path: Path, members: dict[str, bytes], **facts: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)
            for key, value in facts.items():
                setattr(member, key, value)
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.parametrize(
    ("members", "facts", "reason"),
    [
        ({"../outside": b"x"}, {}, "is no path inside it"),
        ({"model/../../outside": b"x"}, {}, "is no path inside it"),
        ({"/outside": b"x"}, {}, "is no path inside it"),
        ({"..\\outside": b"x"}, {}, "is no path inside it"),
        ({"C:outside": b"x"}, {}, "is no path inside it"),
        ({"link": b"/etc/passwd"}, {"external_attr": 0o120777 << 16}, "is a link"),
        ({"zeros": b"\0" * (64 << 20)}, {}, "unpack to far more than it holds"),
        ({str(index): b"" for index in range(1001)}, {}, "unpack to far more than it holds"),
        ({"a": b"x", "a/b": b"y"}, {}, "can't be unpacked"),
        ({"README.md": b"x"}, {}, "holds neither config.json"),
    ],
)
def test_a_zip_file(
    tmp_path: Path, refused: Callable[..., str], members: dict[str, bytes], facts: dict[str, Any], reason: str
) -> None:
    assert reason in refused(zip_of(tmp_path / "model.zip", members, **facts))
    assert not (tmp_path / "outside").exists()


def test_a_damaged_zip_file(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    content = {path.name: path.read_bytes() for path in (whole / "release").iterdir()}
    path = zip_of(tmp_path / "model.zip", content)
    sound = path.read_bytes()
    for damaged in (b"", b"PK\3\4" + b"\0" * 50, sound[:-30], sound[:500] + b"\xff" * 50 + sound[550:]):
        path.write_bytes(damaged)
        assert "model.zip" in refused(path)


def test_what_is_not_there(tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "is no folder, no zip file and no name of a model" in refused(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "holds neither config.json" in refused(tmp_path / "empty")


def test_no_network(refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    message = refused("nobody/has-this-model")
    assert message.startswith(
        "nobody/has-this-model is no folder or zip file here, and no model that could be downloaded"
    )


def test_what_is_no_bundle_is_not_replaced(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "out").write_text("precious")
    assert "out exists and is not a bundle" in refused(whole / "hub", BuildError)
    assert (tmp_path / "out").read_text() == "precious"


def test_a_model_without_languages(whole: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    folder = Path(shutil.copytree(whole / "release", tmp_path / "model"))
    assert "give --pair SOURCE-TARGET" in refused(folder, pairs=())
    assert "is no pair of languages" in refused(folder, pairs=("german",))
    assert "the model has no tag >>eng<<" in refused(folder, pairs=("de-en=eng",))
