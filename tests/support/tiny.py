"""A real model small enough for tests: a made-up pair of languages, its tokenizer, a few seconds of training.

The "German" sentences are words in a random order; the "English" ones are the same words translated one by one. A
hundred updates don't teach that, but they teach when a sentence ends and that the source matters: outputs differ from
sentence to sentence in words and in length, which is what the tests of search and batching need.
"""

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import sentencepiece
import torch

from app.engine.models.bundle import GOLDEN as GOLDEN_FILE
from app.engine.models.bundle import Bundle, sha256
from app.engine.models.manifest import Pair, Precision, write_manifest
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.opening import OpenModel, open_model
from export.arrays import arrays_of
from export.written_graphs import written_decoder, written_encoder
from model.data.batches import Batch, pad
from model.data.tokenizer import BOS_ID, EOS_ID, target_tag, train_tokenizer
from model.network.config import TransformerConfig
from model.network.decoder_only import new_model
from model.network.transformer import Transformer
from model.training.checkpoint import model_tensors, write_model
from model.training.loss import losses
from model.training.provenance import CARD, ModelCard

VOCABULARY = 512  # times the width of 64, in float16, is just enough for the weights file that precisions share
LONGEST_SOURCE = 32
# No test may depend on what a model computes: TINY_SEED=1 trains another one. `make test-variations` tries some.
SEED = int(os.environ.get("TINY_SEED", "0"))
_BATCH = 32

LEXICON = dict(
    pair.split(":")
    for pair in """
    der:the ein:a und:and nicht:not ist:is hat:has sieht:sees liebt:loves trinkt:drinks kauft:buys Hund:dog Katze:cat
    Bahnhof:station Kaffee:coffee Wasser:water Straße:street Mädchen:girl Bäcker:baker König:king Zug:train
    Abend:evening Morgen:morning Frühstück:breakfast heute:today gestern:yesterday immer:always schnell:quickly
    langsam:slowly groß:big klein:small grün:green schön:beautiful alt:old neu:new mit:with ohne:without
    unter:under über:over zwischen:between vielleicht:perhaps
    """.split()
)
GOLDEN = {
    "de": ("Der Hund trinkt Wasser.", "Gestern ist der Zug nicht schnell."),
    "en": ("The dog drinks water.", "Perhaps the king buys coffee."),
}


def sentence_pairs(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Sentences of 1 to 9 words and their translations."""
    rng = np.random.default_rng(seed)
    words = list(LEXICON)
    pairs = []
    for _ in range(count):
        german = [words[index] for index in rng.integers(0, len(words), rng.integers(1, 10))]
        pairs.append((" ".join(german) + ".", " ".join(LEXICON[word] for word in german) + "."))
    return pairs


def tiny_config(**changes: object) -> TransformerConfig:
    """2 + 2 layers, D = 64, pre-norm, with an alignment head."""
    values: dict[str, object] = {
        "source_vocabulary": VOCABULARY,
        "target_vocabulary": VOCABULARY,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "width": 64,
        "heads": 2,
        "feed_forward": 64,
        "dropout": 0.0,
        "norm": "pre",
        "max_positions": 160,
        "alignment_layer": 1,
    }
    return TransformerConfig.from_dict(values | changes)


def random_model(seed: int = 0, **changes: object) -> Transformer:
    """An untrained model in evaluation mode."""
    torch.manual_seed(SEED + seed)
    return new_model(tiny_config(**changes)).eval()


def train_tiny(model: Transformer, tokenizer: Path, *, updates: int) -> None:
    """Train in place, in both directions."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    pairs = sentence_pairs(_BATCH * updates, seed=1)
    model.train()
    for update in range(updates):
        batch = _batch(processor, pairs[_BATCH * update : _BATCH * (update + 1)], reverse=update % 2 == 1)
        result = losses(model, batch, 0.1)
        optimizer.zero_grad()
        (result.smoothed / result.tokens).backward()
        optimizer.step()
    model.eval()


def round_weights(model: Transformer) -> None:
    """Round in place to what float16 can hold, as a build does."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())


def write_checkpoint(folder: Path, model: Transformer, tokenizer: Path) -> Path:
    """A model folder as training leaves it, card included."""
    folder.mkdir(parents=True)
    write_model(folder, model_tensors(model), model.config, tokenizer)
    card = ModelCard(
        name="tiny",
        languages=("de", "en"),
        licence="CC0-1.0",
        longest_source=LONGEST_SOURCE,
        golden=GOLDEN,
        recipe=tiny_recipe(model.config),
        seed=0,
        updates=1,
        target_tokens=1,
        training_seconds=1.0,
        sources=(
            {"name": "made-up", "pairs": 1, "weight": 1.0, "sha256": "0" * 64, "licence": "CC0-1.0", "origin": "here"},
        ),
    )
    (folder / CARD).write_text(card.model_dump_json(), encoding="utf-8")
    return folder


def tiny_recipe(config: TransformerConfig) -> str:
    """A recipe of such a model."""
    decided = {"source_vocabulary", "target_vocabulary", "pad_id", "eos_id", "decoder_start_id"}
    fields = {key: value for key, value in config.to_dict().items() if key not in decided and value is not None}
    consecutive = "consecutive = true" if config.memory_length else ""
    model = "\n".join(f"{key} = {json.dumps(value)}" for key, value in fields.items())
    return f"""
name = "tiny"
languages = ["de", "en"]
vocabulary = {config.target_vocabulary}
validation = "valid.tsv"

[training]
updates = 1

[model]
{model}

[[sources]]
path = "made-up.tsv"
{consecutive}
"""


def write_tokenizer(path: Path) -> Path:
    """The tokenizer of the made-up languages."""
    text = [side for pair in sentence_pairs(400) for side in pair]
    names = [f"{a.capitalize()}{b}" for a in LEXICON for b in LEXICON.values()]
    train_tokenizer([*text, *names], path, vocabulary=VOCABULARY, languages=("de", "en"))
    return path


def relabel(bundle: Bundle, folder: Path, source: str, target: str) -> Path:
    """A copy of a bundle that says it translates another pair: a random model, which knows neither language."""
    shutil.copytree(bundle.path, folder)
    (folder / GOLDEN_FILE).write_text("[]", encoding="utf-8")
    manifest = bundle.manifest.model_copy(
        update={
            "name": f"{source}-{target}",
            "pairs": (Pair(source=source, target=target, tag=bundle.manifest.pairs[0].tag),),
            "files": {**bundle.manifest.files, GOLDEN_FILE: sha256(folder / GOLDEN_FILE)},
        }
    )
    write_manifest(folder, manifest)
    return folder


def open_graphs(bundle: Bundle, precision: Precision) -> OpenModel:
    """The runtime over a bundle's graphs, with one thread."""
    return open_model(bundle, precision)


def write_graphs(model: Transformer, folder: Path) -> OnnxModel:
    """The runtime over the float32 graphs of a model, which are saved in the folder."""
    encoder, decoder, arrays = folder / "encoder.onnx", folder / "decoder.onnx", arrays_of(model)
    onnx.save(written_encoder(model.config, arrays), encoder)
    onnx.save(written_decoder(model.config, arrays), decoder)
    return OnnxModel(encoder, decoder, pad_id=model.config.pad_id, provider="cpu", threads=1)


def source_ids(tokenizer: Path, texts: Sequence[str], target: str = "en") -> list[list[int]]:
    """Texts as the encoder sees them: tag, pieces, end of sentence."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    tag = processor.piece_to_id(target_tag(target))
    return [[tag, *processor.encode(text), EOS_ID] for text in texts]


def _batch(
    processor: sentencepiece.SentencePieceProcessor, pairs: Sequence[tuple[str, str]], *, reverse: bool
) -> Batch:
    tag = processor.piece_to_id(target_tag("de" if reverse else "en"))
    sources = [processor.encode(pair[reverse]) for pair in pairs]
    targets = [processor.encode(pair[not reverse]) for pair in pairs]
    return Batch(
        source=pad([np.array([tag, *source, EOS_ID]) for source in sources]),
        target_input=pad([np.array([BOS_ID, *target]) for target in targets]),
        target_output=pad([np.array([*target, EOS_ID]) for target in targets]),
        links=torch.zeros(0, 3, dtype=torch.int64),
        link_weights=torch.zeros(0),
    )
