"""Models in Marian's ``.bin`` format with random weights, and the files beside them."""

import io
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
import yaml
from numpy.typing import NDArray

Array = NDArray[Any]
FLOAT32, INT8, INTGEMM8 = 0x0404, 0x0101, 0x4101
BLOCK = 256
# Width, feed-forward width and decoder layers of the models that Mozilla trains.
SHAPES = {"tiny": (256, 1536, 2), "base-memory": (384, 1536, 4), "base": (512, 2048, 2)}
CONTROL_SYMBOLS = ("__source__", "__target__", "__done__", "__start__", "__end__", "__sep__")
_MAGIC = 0xF11A48D5013417F5


def options(**changes: Any) -> dict[str, Any]:
    """The options of a recurrent model."""
    return {
        "type": "transformer",
        "dec-cell": "ssru",
        "transformer-decoder-autoreg": "rnn",
        "transformer-preprocess": "",
        "transformer-postprocess": "dan",
        "transformer-postprocess-emb": "d",
        "transformer-ffn-activation": "relu",
        "transformer-ffn-depth": 2,
        "transformer-heads": 8,
        "tied-embeddings-all": True,
        "version": "v1.9.0; made for a test",
    } | changes


def random_tensors(given: Mapping[str, Any], vocabulary: int, *, tables: int = 1, seed: int = 0) -> dict[str, Array]:
    """Weights whose outputs differ from sentence to sentence; float16 holds them."""
    rng = np.random.default_rng(seed)
    width, inner, made = given["dim-emb"], given["transformer-dim-ffn"], {}

    def matrix(name: str, rows: int, columns: int, gain: float = 1.0) -> None:
        made[name] = rng.standard_normal((rows, columns)) * gain * np.sqrt(2 / (rows + columns))

    def vector(name: str, columns: int, mean: float = 0.0) -> None:
        made[name] = mean + 0.1 * rng.standard_normal((1, columns))

    def norm(prefix: str) -> None:
        vector(f"{prefix}_ln_scale", width, 1.0)
        vector(f"{prefix}_ln_bias", width)

    def attention(prefix: str) -> None:
        for letter in "qkvo":
            matrix(f"{prefix}_W{letter}", width, width, 2.0)
            vector(f"{prefix}_b{letter}", width)
        norm(f"{prefix}_Wo")

    def feed_forward(prefix: str) -> None:
        for number, rows, columns in (("1", width, inner), ("2", inner, width)):
            matrix(f"{prefix}_W{number}", rows, columns)
            vector(f"{prefix}_b{number}", columns)
        norm(f"{prefix}_ffn")

    for name in ("encoder_Wemb", "decoder_Wemb") if tables == 2 else ("Wemb",):
        made[name] = 0.06 * rng.standard_normal((vocabulary, width))
    vector("decoder_ff_logit_out_b", vocabulary)
    for layer in range(1, given["enc-depth"] + 1):
        attention(f"encoder_l{layer}_self")
        feed_forward(f"encoder_l{layer}_ffn")
    for layer in range(1, given["dec-depth"] + 1):
        prefix = f"decoder_l{layer}"
        if given["transformer-decoder-autoreg"] == "rnn":
            matrix(f"{prefix}_rnn_W", width, width)
            matrix(f"{prefix}_rnn_Wf", width, width)
            vector(f"{prefix}_rnn_bf", width)
            norm(f"{prefix}_rnn_ffn")
        else:
            attention(f"{prefix}_self")
        attention(f"{prefix}_context")
        feed_forward(f"{prefix}_ffn")
    return {name: values.astype(np.float16).astype(np.float32) for name, values in made.items()}


def quantised(tensors: Mapping[str, Array]) -> dict[str, Array | tuple[Array, float]]:
    """Matrices as Marian's 8 bits and their multiplier, with the multiplier of their inputs; vectors as they are."""
    made: dict[str, Array | tuple[Array, float]] = {}
    for name, values in tensors.items():
        if ("_W" not in name and "Wemb" not in name) or "_ln_" in name:
            made[name] = values
            continue
        multiplier = 127 / float(np.abs(values).max())
        made[name] = np.clip(np.rint(values * multiplier), -127, 127).astype(np.int8), multiplier
        own = np.full((1, 1), 31.5, np.float32)
        made[f"{name}_QuantMultA"] = (np.full((1, 1), 127, np.int8), 4.0) if "Wemb" in name else own
    return made


def write_weights(path: Path, tensors: Mapping[str, Array | tuple[Array, float]], given: Mapping[str, Any]) -> None:
    """Write a ``.bin`` file: arrays as float32, pairs of int8 and multiplier as intgemm's 8 bits."""
    blocks = []
    for name, held in sorted(tensors.items()):
        if isinstance(held, tuple):
            whole, multiplier = held
            stored = whole if "Wemb" in name else whole.T
            data = np.ascontiguousarray(stored).tobytes() + struct.pack("<f", multiplier)
            blocks.append((name, INTGEMM8, whole.shape, data + bytes(-len(data) % BLOCK)))
        else:
            data = np.ascontiguousarray(held, "<f4").tobytes()
            blocks.append((name, FLOAT32, held.shape, data + bytes(-len(data) % BLOCK)))
    text = yaml.safe_dump(dict(given)).encode() + b"\0"
    blocks.append(("special:model.yml", INT8, (len(text),), text))
    head = struct.pack("<QQ", 1, len(blocks))
    for name, kind, shape, data in blocks:
        head += struct.pack("<QQQQ", len(name) + 1, kind, len(shape), len(data))
    head += b"".join(name.encode() + b"\0" for name, *_ in blocks)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in blocks)
    padding = -(len(head) + 8) % BLOCK
    path.write_bytes(head + struct.pack("<Q", padding) + bytes(padding) + b"".join(data for *_, data in blocks))


def write_lexical(path: Path, rows: list[list[int]], first: int = 4) -> None:
    """Write a binary shortlist with the target ids of each source piece."""
    offsets = np.cumsum([0, *map(len, rows)]).astype("<u8").tobytes()
    entries = np.array([target for row in rows for target in row], "<u4").tobytes()
    rest = struct.pack("<4Q", first, 50, len(rows) + 1, len(entries) // 4) + offsets + entries
    seed, keep = 0, (1 << 64) - 1
    for (word,) in struct.iter_unpack("<Q", rest[: len(rest) // 8 * 8]):
        seed ^= (word + 0x9E3779B9 + ((seed << 6) & keep) + (seed >> 2)) & keep
    path.write_bytes(struct.pack("<2Q", _MAGIC, seed) + rest)


def train_pieces(path: Path, text: list[str], *, size: int = 300, byte_fallback: bool = False) -> None:
    """A SentencePiece model as Marian trains it: </s> is 0, <unk> is 1. With byte fallback, of the newer generation."""
    held = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text),
        model_writer=held,
        vocab_size=size + (256 if byte_fallback else 0),
        hard_vocab_limit=False,
        byte_fallback=byte_fallback,
        user_defined_symbols=list(CONTROL_SYMBOLS) if byte_fallback else [],
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        pad_id=-1,
        minloglevel=2,
    )
    path.write_bytes(held.getvalue())


def write_model(
    folder: Path,
    text: list[str],
    *,
    tables: int = 1,
    vocabularies: int = 1,
    whole: bool = True,
    pair: str = "ende",
    **changes: Any,
) -> Path:
    """A folder as Firefox has it, with a model of random weights; returns the file of weights.

    Args:
        folder: To make.
        text: What the vocabularies are trained on.
        tables: Embedding tables.
        vocabularies: SentencePiece models; the second is another one, padded to the first's size by the table.
        pair: The languages in the names of the files.
        whole: Matrices are 8-bit integers, else float32.
        changes: Options; ``byte_fallback`` is one of the vocabulary.
    """
    folder.mkdir(parents=True)
    fallback = bool(changes.pop("byte_fallback", False))
    names = [f"{side}.{pair}.spm" for side in (("vocab",) if vocabularies == 1 else ("srcvocab", "trgvocab"))]
    for number, name in enumerate(names):
        train_pieces(folder / name, text, size=300 - 40 * number, byte_fallback=fallback)
    size = sentencepiece.SentencePieceProcessor(model_file=str(folder / names[0])).vocab_size()
    given = options(**{"dim-emb": 64, "transformer-dim-ffn": 96, "enc-depth": 2, "dec-depth": 2} | changes)
    tensors = random_tensors(given, size, tables=tables)
    path = folder / f"model.{pair}.intgemm.alphas.bin"
    write_weights(path, quantised(tensors) if whole else tensors, given)
    return path
