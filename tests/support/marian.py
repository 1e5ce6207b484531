"""MarianMT models of random weights, as the transformers library saves them and as Marian itself does.

The transformers library is the oracle of imports; nothing but the tests uses it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import sentencepiece
import torch
import transformers  # imports its classes when they are first used, which takes seconds
import yaml

from tests.support.tiny import sentence_pairs

EOS, UNKNOWN = 0, 1

TINY: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 128,
}
# Helsinki-NLP/opus-mt-en-de and most others.
OPUS_MT: dict[str, Any] = {
    "d_model": 512,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 8,
    "decoder_attention_heads": 8,
    "encoder_ffn_dim": 2048,
    "decoder_ffn_dim": 2048,
    "max_position_embeddings": 512,
}
OPUS_MT_VOCABULARY = 58_101


def reference_model(
    vocabulary: int, *, seed: int = 0, sharpness: float = 1.0, **changes: Any
) -> transformers.MarianMTModel:
    """MarianMT with random weights that make it translate differently every time, and end now and then.

    Args:
        vocabulary: Ids, of which the last is padding and start.
        seed: Of the weights.
        sharpness: Scale of the embeddings, and so of the logits.
        changes: To ``MarianConfig``.
    """
    torch.manual_seed(seed)
    shape: dict[str, Any] = {"activation_function": "swish", "scale_embedding": True} | TINY | changes
    config = transformers.MarianConfig(
        vocab_size=vocabulary,
        pad_token_id=vocabulary - 1,
        decoder_start_token_id=vocabulary - 1,
        eos_token_id=EOS,
        forced_eos_token_id=EOS,
        bad_words_ids=[[vocabulary - 1]],
        **shape,
    )
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name:
                continue
            if "shared" in name or "embed_tokens" in name or "lm_head" in name:
                torch.nn.init.normal_(parameter, std=sharpness * config.d_model**-0.5)
            elif parameter.dim() > 1:
                torch.nn.init.xavier_uniform_(parameter, gain=1.5)
            else:
                parameter.add_(0.1 * torch.randn_like(parameter))
        model.final_logits_bias.normal_(std=0.3)
        model.final_logits_bias[0, EOS] += 2.0
        # Marian starts from nothing, for which the transformers library has a row of zeros.
        model.get_input_embeddings().weight[config.pad_token_id] = 0
        model.get_decoder().embed_tokens.weight[config.pad_token_id] = 0
    return model


def train_pieces(path: Path, texts: Sequence[str], size: int) -> list[str]:
    """A SentencePiece model with SentencePiece's own special ids; returns its pieces, special ones left out."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(path.with_suffix("")),
        vocab_size=size,
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [processor.id_to_piece(index) for index in range(3, processor.vocab_size())]


def write_tokenizers(folder: Path) -> tuple[list[str], list[str]]:
    """``source.spm`` and ``target.spm`` of made-up German and English; returns their pieces."""
    folder.mkdir(parents=True, exist_ok=True)
    (source, source_pieces), (target, target_pieces) = _trained_tokenizers()
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    return source_pieces, target_pieces


@cache
def _trained_tokenizers() -> list[tuple[bytes, list[str]]]:
    """The file and the pieces of each side."""
    numbers = [f"{number} {number * 7}, Anna {number}-{number}." for number in range(100)]
    found = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trained.spm"
        for side, size in zip(zip(*sentence_pairs(400), strict=True), (160, 150), strict=True):
            pieces = train_pieces(path, [*side, *numbers], size)
            found.append((path.read_bytes(), pieces))
    return found


def vocabulary_of(pieces: Sequence[str], *, padding: bool = True) -> dict[str, int]:
    """Marian's ids: end, unknown, then the pieces; the transformers library adds padding at the end."""
    names = ["</s>", "<unk>", *sorted(set(pieces)), *(["<pad>"] if padding else [])]
    return {piece: index for index, piece in enumerate(names)}


def write_huggingface(
    folder: Path, *, tags: Sequence[str] = (), separate: bool = False, pickled: bool = False, **changes: Any
) -> transformers.MarianMTModel:
    """A folder as the transformers library saves it; returns its model."""
    source, target = write_tokenizers(folder)
    if separate:
        vocabularies = {"vocab.json": vocabulary_of([*source, *tags]), "target_vocab.json": vocabulary_of(target)}
        # Padding has one id in both.
        size = max(map(len, vocabularies.values()))
        for vocabulary in vocabularies.values():
            vocabulary["<pad>"] = size - 1
        changes |= {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": size}
    else:
        vocabularies = {"vocab.json": vocabulary_of([*source, *target, *tags])}
        size = len(vocabularies["vocab.json"])
    for name, vocabulary in vocabularies.items():
        (folder / name).write_text(json.dumps(vocabulary), encoding="utf-8")
    facts = {"source_lang": "de", "target_lang": "mul" if tags else "en", "separate_vocabs": separate}
    (folder / "tokenizer_config.json").write_text(json.dumps(facts), encoding="utf-8")
    model = reference_model(size, **changes)
    if pickled:
        model.config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bad_words_ids belongs elsewhere by now
            model.save_pretrained(folder)
    return model


def write_release(
    folder: Path, *, tags: Sequence[str] = (), separate: bool = False, **changes: Any
) -> transformers.MarianMTModel:
    """A folder as OPUS-MT releases it: Marian's arrays with Marian's names; returns the same model as MarianMT.

    That computes what Marian does: positions by Marian's formula, and Marian's epsilon of norms.
    """
    source, target = write_tokenizers(folder)
    if separate:
        vocabularies = {"source.vocab.yml": [*source, *tags], "target.vocab.yml": target}
    else:
        vocabularies = {"opus.vocab.yml": [*source, *target, *tags]}
    ids = {name: vocabulary_of(pieces, padding=False) for name, pieces in vocabularies.items()}
    for name, vocabulary in ids.items():
        lines = [f"{json.dumps(piece, ensure_ascii=False)}: {index}\n" for piece, index in vocabulary.items()]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    sizes = [len(vocabulary) for vocabulary in ids.values()]
    if separate:
        changes |= {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": max(sizes) + 1}
    model = as_marian(reference_model(max(sizes) + 1, **changes))
    with torch.no_grad():  # what the smaller of two tables lacks
        model.get_encoder().embed_tokens.weight[sizes[0] :] = 0
        model.get_decoder().embed_tokens.weight[sizes[-1] :] = 0
    arrays = marian_arrays(model, *sizes)
    options = marian_options(model, *sizes)
    content = (yaml.safe_dump(options) + "\0").encode()  # as a C string
    np.savez(folder / "opus.npz", **arrays, **{"special:model.yml": np.frombuffer(content, dtype=np.int8)})
    names = list(ids)
    decoder = {"models": ["opus.npz"], "vocabs": [names[0], names[-1]], "beam-size": 6, "relative-paths": True}
    (folder / "decoder.yml").write_text(yaml.safe_dump(decoder), encoding="utf-8")
    return model


def as_marian(model: transformers.MarianMTModel) -> transformers.MarianMTModel:
    """In place: what Marian computes where MarianMT differs a little."""
    half = model.config.d_model // 2
    frequencies = np.exp(-np.arange(half) * np.log(10_000) / (half - 1))
    angles = np.arange(model.config.max_position_embeddings)[:, None] * frequencies
    table = torch.from_numpy(np.concatenate([np.sin(angles), np.cos(angles)], axis=1)).float()
    with torch.no_grad():
        model.get_encoder().embed_positions.weight.copy_(table)
        model.get_decoder().embed_positions.weight.copy_(table)
    for module in model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-6
    return model


def marian_arrays(
    model: transformers.MarianMTModel, source_size: int, target_size: int | None = None
) -> dict[str, np.ndarray]:
    """Weights under Marian's names: matrices (in, out), vectors as one row, no row for padding."""
    arrays: dict[str, np.ndarray] = {}

    def linear(name: str, letter: str, module: torch.nn.Linear) -> None:
        arrays[f"{name}_W{letter}"] = module.weight.detach().numpy().T.copy()
        arrays[f"{name}_b{letter}"] = module.bias.detach().numpy()[None]

    def norm(name: str, module: torch.nn.LayerNorm) -> None:
        arrays[f"{name}_ln_scale"] = module.weight.detach().numpy()[None]
        arrays[f"{name}_ln_bias"] = module.bias.detach().numpy()[None]

    def attention(name: str, module: Any, after: torch.nn.LayerNorm) -> None:
        for letter, part in zip("qkvo", (module.q_proj, module.k_proj, module.v_proj, module.out_proj), strict=True):
            linear(name, letter, part)
        norm(f"{name}_Wo", after)

    for stack, module in (("encoder", model.get_encoder()), ("decoder", model.get_decoder())):
        for number, layer in enumerate(module.layers, 1):
            name = f"{stack}_l{number}"
            attention(f"{name}_self", layer.self_attn, layer.self_attn_layer_norm)
            if stack == "decoder":
                attention(f"{name}_context", layer.encoder_attn, layer.encoder_attn_layer_norm)
            linear(f"{name}_ffn", "1", layer.fc1)
            linear(f"{name}_ffn", "2", layer.fc2)
            norm(f"{name}_ffn_ffn", layer.final_layer_norm)
    if target_size is None:
        target_size = source_size
        arrays["Wemb"] = model.get_input_embeddings().weight.detach().numpy()[:source_size]
    else:
        arrays["encoder_Wemb"] = model.get_encoder().embed_tokens.weight.detach().numpy()[:source_size]
        arrays["decoder_Wemb"] = model.get_decoder().embed_tokens.weight.detach().numpy()[:target_size]
    arrays["decoder_ff_logit_out_b"] = model.final_logits_bias.numpy()[:, :target_size]
    return arrays


def marian_options(
    model: transformers.MarianMTModel, source_size: int, target_size: int | None = None
) -> dict[str, Any]:
    """The options that Marian writes beside the weights, as far as they matter."""
    config = model.config
    return {
        "type": "transformer",
        "dim-emb": config.d_model,
        "dim-vocabs": [source_size, target_size or source_size],
        "enc-depth": config.encoder_layers,
        "dec-depth": config.decoder_layers,
        "transformer-heads": config.encoder_attention_heads,
        "transformer-dim-ffn": config.encoder_ffn_dim,
        "transformer-ffn-depth": 2,
        "transformer-ffn-activation": "swish",
        "transformer-preprocess": "",
        "transformer-postprocess": "dan",
        "transformer-postprocess-emb": "d",
        "transformer-decoder-autoreg": "self-attention",
        "transformer-no-projection": False,
        "transformer-tied-layers": [],
        "transformer-guided-alignment-layer": "last",
        "guided-alignment": "none",
        "tied-embeddings-all": target_size is None,
        "tied-embeddings": target_size is not None,
        "tied-embeddings-src": False,
        "max-length": 500,
        "version": "v1.8.2",
    }
