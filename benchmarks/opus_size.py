"""A MarianMT folder of OPUS-MT's usual size with random weights, to time engines on: 74 million parameters.

    python -m benchmarks.opus_size build/opus/model
    dragoman import build/opus/model build/opus/bundle --pair de-en
    python -m benchmarks.engine build/opus/bundle data/de-en/eval/tatoeba.test.tsv --target-length 16

Texts are cut into the pieces of the shipped model; the vocabulary is filled up with pieces that no text has.
"""

import json
import shutil
from pathlib import Path
from typing import Annotated

import sentencepiece
import torch
import typer
from safetensors.torch import save_file

from export.marian.names import huggingface_name
from model.network.config import TransformerConfig
from model.network.transformer import Transformer

POSITIONS = 512


def main(
    out: Annotated[Path, typer.Argument(help="Folder to make.")],
    pieces: Annotated[Path, typer.Option(help="SentencePiece model of both languages.")] = Path(
        "artifacts/de-en/tokenizer.spm"
    ),
    vocabulary: Annotated[int, typer.Option(min=10_000, help="Pieces, the filling included.")] = 58_101,
) -> None:
    """Write config, weights and vocabulary."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(pieces, out / name)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    plain = [processor.id_to_piece(index) for index in range(processor.vocab_size()) if not _special(processor, index)]
    filled = [*plain, *(f"<more {index}>" for index in range(vocabulary - len(plain) - 3))]
    names = ["</s>", "<unk>", *filled, "<pad>"]
    (out / "vocab.json").write_text(json.dumps({name: index for index, name in enumerate(names)}), encoding="utf-8")
    torch.manual_seed(0)
    config = TransformerConfig(
        source_vocabulary=vocabulary,
        target_vocabulary=vocabulary,
        activation="swish",
        positions="sinusoidal-halves",
        output_bias=True,
        eos_id=0,
        pad_id=vocabulary - 1,
        decoder_start_id=vocabulary - 1,
    )
    tensors = _random_weights(config)
    save_file(tensors, out / "model.safetensors")
    facts = {
        "model_type": "marian",
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads,
        "encoder_ffn_dim": config.feed_forward,
        "decoder_ffn_dim": config.feed_forward,
        "activation_function": "swish",
        "scale_embedding": True,
        "max_position_embeddings": POSITIONS,
        "vocab_size": vocabulary,
        "pad_token_id": config.pad_id,
        "eos_token_id": config.eos_id,
        "decoder_start_token_id": config.decoder_start_id,
    }
    (out / "config.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
    typer.echo(f"{out}: {sum(tensor.numel() for tensor in tensors.values()) / 1e6:.1f} million parameters")


def _random_weights(config: TransformerConfig) -> dict[str, torch.Tensor]:
    """The tensors of a Marian model by their names there."""
    bias = torch.zeros(1, config.target_vocabulary)
    bias[0, config.eos_id] = -1e4  # no translation ends before its length limit
    tensors = {"final_logits_bias": bias}
    for name, parameter in Transformer(config).named_parameters():
        # Vectors start as zeros and ones; equal ones would be stored once.
        value = parameter.detach() + (0.01 * torch.randn_like(parameter) if parameter.dim() == 1 else 0)
        if name == "target_embedding.weight":
            tensors["model.shared.weight"] = value
        elif name != "projection.bias":
            tensors[huggingface_name(name).name] = value
    return tensors


def _special(processor: sentencepiece.SentencePieceProcessor, index: int) -> bool:
    return processor.is_control(index) or processor.is_unknown(index)


if __name__ == "__main__":
    typer.run(main)
