"""A slow reference for models of Marian's ``.bin`` format, in numpy: its own reader, model and greedy search.

On 200 sentences and two models it gives what Marian's own engine gives in float32, token for token. It shares no code
with the import that tests hold to it.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

Floats = NDArray[np.float32]
EPSILON = np.float32(1e-6)
UNKNOWN, END = 1, 0


def read_tensors(path: Path) -> tuple[dict[str, Floats], dict[str, Any]]:
    """All tensors as float32, (in, out), and the options. Nothing is checked."""
    data = path.read_bytes()
    _, count = struct.unpack_from("<QQ", data, 0)
    place = 16 + 32 * count
    records = [struct.unpack_from("<QQQQ", data, 16 + 32 * i) for i in range(count)]
    names, shapes = [], []
    for length, *_ in records:
        names.append(data[place : place + length - 1].decode())
        place += length
    for _, _, axes, _ in records:
        shapes.append(struct.unpack_from(f"<{axes}i", data, place))
        place += 4 * axes
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    tensors, options = {}, {}
    for (_, kind, _, size), name, shape in zip(records, names, shapes, strict=True):
        held, place = data[place : place + size], place + size
        elements = int(np.prod(shape))
        if name == "special:model.yml":
            options = yaml.safe_load(held.rstrip(b"\0").decode())
        elif kind == 0x4101:
            (multiplier,) = struct.unpack_from("<f", held, elements)
            whole = np.frombuffer(held, "<i1", elements)
            whole = whole.reshape(shape) if "Wemb" in name else whole.reshape(shape[1], shape[0]).T
            tensors[name] = whole.astype(np.float32) / np.float32(multiplier)
        else:
            tensors[name] = np.frombuffer(held, "<f4", elements).reshape(shape)
    return tensors, options


class Reference:
    """One sentence at a time, one step at a time; the attention to the target is computed again at every step."""

    def __init__(self, path: Path) -> None:
        self.tensors, self.options = read_tensors(path)
        self.heads = self.options["transformer-heads"]
        shared = "Wemb" in self.tensors
        self.source = self.tensors["Wemb" if shared else "encoder_Wemb"]
        self.target = self.tensors["Wemb" if shared else "decoder_Wemb"]
        self.width = self.source.shape[1]

    def product(self, x: Floats, weight: str, bias: str | None = None) -> Floats:
        shift = 0 if bias is None else self.tensors[bias].reshape(-1)
        return np.asarray(x @ self.tensors[weight] + shift, np.float32)

    def norm(self, x: Floats, prefix: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(-1, keepdims=True) + EPSILON)
        gain, bias = self.tensors[f"{prefix}_ln_scale"], self.tensors[f"{prefix}_ln_bias"]
        return np.asarray(centred / deviation * gain + bias, np.float32)

    def embed(self, rows: Floats, first: int) -> Floats:
        half = self.width // 2
        angles = np.arange(first, first + len(rows))[:, None] * 1e-4 ** (np.arange(half) / (half - 1))
        signals = np.concatenate([np.sin(angles), np.cos(angles)], 1)
        return np.asarray(rows * np.sqrt(self.width) + signals, np.float32)

    def attend(self, prefix: str, x: Floats, memory: Floats) -> tuple[Floats, Floats]:
        """The sub-layer, and its maps (H, T, S)."""

        def split(states: Floats) -> Floats:
            return states.reshape(len(states), self.heads, -1).transpose(1, 0, 2)

        query, keys, values = (
            split(self.product(given, f"{prefix}_W{letter}", f"{prefix}_b{letter}"))
            for letter, given in (("q", x), ("k", memory), ("v", memory))
        )
        scores = query @ keys.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        maps = np.exp(scores - scores.max(-1, keepdims=True))
        maps /= maps.sum(-1, keepdims=True)
        joined = (maps @ values).transpose(1, 0, 2).reshape(len(x), -1).astype(np.float32)
        return self.norm(self.product(joined, f"{prefix}_Wo", f"{prefix}_bo") + x, f"{prefix}_Wo"), maps

    def feed_forward(self, prefix: str, x: Floats) -> Floats:
        inner = np.maximum(self.product(x, f"{prefix}_W1", f"{prefix}_b1"), 0)
        return self.norm(self.product(inner, f"{prefix}_W2", f"{prefix}_b2") + x, f"{prefix}_ffn")

    def encode(self, ids: list[int]) -> Floats:
        x = self.embed(self.source[ids], 0)
        for layer in range(1, self.options["enc-depth"] + 1):
            x, _ = self.attend(f"encoder_l{layer}_self", x, x)
            x = self.feed_forward(f"encoder_l{layer}_ffn", x)
        return x

    def recur(self, prefix: str, x: Floats, state: Floats) -> tuple[Floats, Floats]:
        gate = 1 / (1 + np.exp(-self.product(x, f"{prefix}_Wf", f"{prefix}_bf")))
        state = gate * state + (1 - gate) * self.product(x, f"{prefix}_W")
        return self.norm(np.maximum(state, 0) + x, f"{prefix}_ffn"), state

    def translate(self, ids: list[int], most: int) -> tuple[list[int], list[int], list[float]]:
        """Greedy: ids without the end; the source position that head 0 of the last layer looks at; and margins.

        Margins are those of the best logit of each step, the end's included, over the second.
        """
        memory, depth = self.encode(ids), self.options["dec-depth"]
        states = [np.zeros((1, self.width), np.float32) for _ in range(depth)]
        seen: list[list[Floats]] = [[] for _ in range(depth)]
        found: list[int] = []
        looked: list[int] = []
        margins: list[float] = []
        row = np.zeros((1, self.width), np.float32)  # a zero embedding starts the sentence
        while len(found) < most:
            x = self.embed(row, len(found))
            for layer in range(depth):
                prefix = f"decoder_l{layer + 1}"
                if self.options["transformer-decoder-autoreg"] == "rnn":
                    x, states[layer] = self.recur(f"{prefix}_rnn", x, states[layer])
                else:
                    seen[layer].append(x)
                    x, _ = self.attend(f"{prefix}_self", x, np.concatenate(seen[layer]))
                x, maps = self.attend(f"{prefix}_context", x, memory)
                x = self.feed_forward(f"{prefix}_ffn", x)
            logits = (x @ self.target.T + self.tensors["decoder_ff_logit_out_b"].reshape(-1))[0]
            logits[UNKNOWN] = -np.inf
            best = int(logits.argmax())
            margins.append(float(logits[best] - np.partition(logits, -2)[-2]))
            if best == END:
                break
            found.append(best)
            looked.append(int(maps[0, 0].argmax()))
            row = self.target[[best]]
        return found, looked, margins
