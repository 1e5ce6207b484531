"""Broken and hostile releases and zip files of Marian's own give one clear line each."""

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.support.hostile_models import Damage, Trap, cut, delete, write


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
    ("no zip", "is not an .npz file", write("opus.npz", b"nothing")),
    ("cut arrays", "is not an .npz file", cut("opus.npz")),
    ("objects", "is not a plain array of numbers", objects),
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
        "is not YAML",
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
        "is an unknown parameter",
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
        "which is not a file of the folder",
        write("decoder.yml", b"models: [../a.npz]\nvocabs: [a, b]\n"),
    ),
    ("a model at the root", "which is not a file of the folder", write("decoder.yml", b"models: [/etc/passwd]\n")),
    ("a number for a model", "which is not a file of the folder", write("decoder.yml", b"models: [1]\n")),
    (
        "a vocabulary elsewhere",
        "which is not a file of the folder",
        write("decoder.yml", b"models: [opus.npz]\nvocabs: [../v.yml, ../v.yml]\n"),
    ),
    ("code in YAML", "decoder.yml is not YAML", write("decoder.yml", b"!!python/object/apply:os.getcwd []")),
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
        ({"../outside": b"x"}, {}, "is not a path inside it"),
        ({"model/../../outside": b"x"}, {}, "is not a path inside it"),
        ({"/outside": b"x"}, {}, "is not a path inside it"),
        ({"..\\outside": b"x"}, {}, "is not a path inside it"),
        ({"C:outside": b"x"}, {}, "is not a path inside it"),
        ({"link": b"/etc/passwd"}, {"external_attr": 0o120777 << 16}, "is a link"),
        ({"zeros": b"\0" * (64 << 20)}, {}, "unpack to far more than it holds"),
        ({str(index): b"" for index in range(1001)}, {}, "unpack to far more than it holds"),
        ({"a": b"x", "a/b": b"y"}, {}, "can't be unpacked"),
        ({"README.md": b"x"}, {}, "model.zip holds neither config.json"),
        ({"model/README.md": b"x"}, {}, "model.zip holds neither config.json"),
        ({"config.json": b'{"model_type": "bert"}'}, {}, "model.zip/config.json: model_type is 'bert'"),
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
