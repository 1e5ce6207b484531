"""The Transformer of "Attention Is All You Need", in the order of the paper.

Axes: B sentences, S source length, T target length, V vocabulary, D model width, H heads. Ids are int64.
Masks are bool, True on real tokens.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn

from model.network.attention import KeysValues
from model.network.config import TransformerConfig
from model.network.embedding import AdaptiveEmbedding, AdaptiveSoftmax
from model.network.layers import DecoderLayer, EncoderLayer, Past
from model.network.masks import causal_mask, padding_mask
from model.network.memory import Memories, Memory, recall_mask, remember
from model.network.positions import PositionSignal
from model.network.stack import Stack


class Encoded(NamedTuple):
    """The encoder's result for a source: its states and mask."""

    states: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool


@dataclass
class DecoderCache:
    """The state of an incremental decoder, owned by the caller.

    ``past`` grows by one position a step, unless it is states, and begins with the M positions of the memory, if there
    is one. ``cross`` never changes, and is what the exported encoder returns.
    """

    cross: list[KeysValues]  # per layer, (B, S, D)
    source_mask: Tensor  # (B, S) bool
    past: list[Past] = field(default_factory=list)  # per layer, keys and values (B, M + T, D) or states (B, D)
    length: int = 0  # target positions seen so far
    recalled: Tensor | None = None  # (B, M) bool, see ``Memory.mask``
    inputs: list[Tensor] = field(default_factory=list)  # per layer, (B, T, D): what entered it in the latest pass

    @property
    def recalled_length(self) -> int:
        """M."""
        return 0 if self.recalled is None else self.recalled.shape[1]

    def select(self, rows: Tensor) -> "DecoderCache":
        """The cache of the given rows, (R,) int64, in that order."""
        return DecoderCache(
            cross=[KeysValues(k[rows], v[rows]) for k, v in self.cross],
            source_mask=self.source_mask[rows],
            past=[
                each[rows] if isinstance(each, Tensor) else KeysValues(*(side[rows] for side in each))
                for each in self.past
            ],
            length=self.length,
            recalled=None if self.recalled is None else self.recalled[rows],
        )


class AttentionMaps(NamedTuple):
    """Attention maps per layer, as ``Transformer.forward`` collects them."""

    encoder: list[Tensor]  # (B, H, S, S)
    decoder: list[Tensor]  # (B, H, T, T)
    cross: list[Tensor]  # (B, H, T, S)


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output projection."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.target_embedding: nn.Embedding | AdaptiveEmbedding = (
            AdaptiveEmbedding(config) if config.cutoffs else nn.Embedding(config.target_vocabulary, config.width)
        )
        self.source_embedding = (
            self.target_embedding if config.tie_source_target else nn.Embedding(config.source_vocabulary, config.width)
        )
        self.positions = PositionSignal(config)
        norms = config.embedding_norm
        self.source_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if norms else nn.Identity()
        self.target_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if norms else nn.Identity()
        self.encoder: Stack[EncoderLayer] = Stack(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.decoder: Stack[DecoderLayer] = Stack(DecoderLayer(config) for _ in range(config.decoder_layers))
        # Post-norm stacks end normalised; a pre-norm stack needs one norm more.
        final = config.norm == "pre"
        self.encoder_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if final else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if final else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        self.projection = self._projection()
        self.reset_parameters()

    def _projection(self) -> nn.Linear | AdaptiveSoftmax:
        config = self.config
        if isinstance(self.target_embedding, AdaptiveEmbedding):
            return AdaptiveSoftmax(self.target_embedding, config.width)
        projection = nn.Linear(config.width, config.target_vocabulary, bias=config.output_bias)
        if config.tie_output:
            projection.weight = self.target_embedding.weight
        return projection

    def reset_parameters(self) -> None:
        """Xavier for matrices (as tensor2tensor), N(0, 1/D) for embeddings, so that scaled ones have unit variance."""
        for name, parameter in self.named_parameters():
            if name.endswith("between") or "embedding.projections" in name:
                continue  # they start as they were made
            if "embedding" in name or name == "positions.learned":
                nn.init.normal_(parameter, std=self.config.width**-0.5)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def embed(self, ids: Tensor, table: nn.Module, norm: nn.Module, signals: Tensor) -> Tensor:
        """(B, T) ids and their position signals (T, D) or (B, T, D) -> (B, T, D) embeddings (section 3.4)."""
        states = table(ids)
        if self.config.scale_embeddings:
            states = states * self.config.width**0.5
        embedded: Tensor = self.dropout(norm(states + signals.to(states)))
        return embedded

    @property
    def dtype(self) -> torch.dtype:
        """Number type of the weights."""
        return next(self.parameters()).dtype

    def encode(self, source: Tensor, memory: Memory | None = None) -> Encoded:
        """(B, S) source ids, padded with ``pad_id``, and the encoder's memory -> encoder states and mask."""
        return self._encode(source, memory)[0]

    def _encode(self, source: Tensor, memory: Memory | None) -> tuple[Encoded, list[Tensor], list[Tensor]]:
        """Also returns the attention maps and the inputs of all layers."""
        mask = padding_mask(source, self.config.pad_id)
        states = self.embed(source, self.source_embedding, self.source_norm, self.positions(0, source.shape[1]))
        visible, remembered = mask.unsqueeze(1), list[Tensor | None]([None] * len(self.encoder))
        if memory is not None:
            own = visible.expand(-1, source.shape[1], -1)
            visible = torch.cat([recall_mask(memory.mask, 0, source.shape[1], self.config.recall_limit), own], -1)
            remembered = list(memory.states)
        maps, inputs = list[Tensor](), list[Tensor]()
        for layer, states_before in zip(self.encoder, remembered, strict=True):
            inputs.append(states)
            states, layer_maps = layer(states, mask, visible, states_before)
            maps.append(layer_maps)
        return Encoded(self.encoder_norm(states), mask), maps, inputs

    def start(self, encoded: Encoded, memory: Memory | None = None) -> DecoderCache:
        """Project source and memory once for all layers: the cache of a decoder that has seen no target yet."""
        cross = [layer.cross_attention.project(encoded.states) for layer in self.decoder]
        if memory is None:
            return DecoderCache(cross=cross, source_mask=encoded.mask)
        past: list[Past] = [layer.recall(states) for layer, states in zip(self.decoder, memory.states, strict=True)]
        return DecoderCache(cross=cross, source_mask=encoded.mask, past=past, recalled=memory.mask)

    def decode(self, target: Tensor, encoded: Encoded) -> Tensor:
        """(B, T) target ids, starting with ``decoder_start_id`` -> states (B, T, D) that predict the next ids."""
        return self.advance(target, self.start(encoded))[0]

    def step(self, tokens: Tensor, cache: DecoderCache) -> Tensor:
        """One step: (B, 1) last ids -> (B, V) logits of the next; ``cache`` grows in place."""
        states, _, _ = self.advance(tokens, cache)
        return self.logits(states[:, -1])

    def advance(self, target: Tensor, cache: DecoderCache) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Run the decoder over (B, T) new target ids; ``cache`` grows in place.

        Padding in ``target`` comes last, so causality keeps real positions from ever seeing it.

        Returns:
            States (B, T, D), self-attention maps (recurrent layers have none) and cross-attention maps, one a layer.
        """
        past_length, length = cache.length, target.shape[1]
        mask = causal_mask(past_length + length, target.device)[past_length:].unsqueeze(0)  # (1, T, P + T)
        if cache.recalled is not None:
            visible = recall_mask(cache.recalled, past_length, length, self.config.recall_limit)
            mask = torch.cat([visible, mask.expand(len(target), -1, -1)], -1)
        signals = self.positions(past_length, length)
        states = self.embed(target, self.target_embedding, self.target_norm, signals)
        past: list[Past | None] = list(cache.past) or [None] * len(self.decoder)
        cross_mask, recalled = cache.source_mask.unsqueeze(1), cache.recalled_length
        seen, self_maps, cross_maps = list[Past](), list[Tensor](), list[Tensor]()
        cache.inputs = []
        for layer, layer_past, cross in zip(self.decoder, past, cache.cross, strict=True):
            cache.inputs.append(states)
            states, layer_seen, self_map, cross_map = layer(states, mask, layer_past, cross, cross_mask, recalled)
            seen.append(layer_seen)
            if self_map is not None:
                self_maps.append(self_map)
            cross_maps.append(cross_map)
        cache.past, cache.length = seen, past_length + length
        return self.decoder_norm(states), self_maps, cross_maps

    def predict(self, text: Tensor) -> Tensor:
        """(B, T) ids -> states (B, T, D) that predict the next ids: the decoder alone, as a language model.

        It has no source; Radford et al. 2018 call this the Transformer decoder.
        """
        mask = causal_mask(text.shape[1], text.device).unsqueeze(0)
        states = self.embed(text, self.target_embedding, self.target_norm, self.positions(0, text.shape[1]))
        for layer in self.decoder:
            states = layer(states, mask, None)[0]
        result: Tensor = self.decoder_norm(states)
        return result

    def logits(self, states: Tensor) -> Tensor:
        """(..., D) decoder states -> (..., V) scores before the softmax; of an adaptive softmax, log-probabilities."""
        scores: Tensor = self.projection(states)
        return scores

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, AttentionMaps]:
        """Teacher forcing: (B, S) source and (B, T) target ids -> decoder states (B, T, D) and all attention maps.

        The caller projects the states with ``logits``, on real positions only: over a large vocabulary that is a
        quarter of a training step.
        """
        states, maps, _ = self.read(source, target, None)
        return states, maps

    def read(
        self, source: Tensor, target: Tensor, memories: Memories | None
    ) -> tuple[Tensor, AttentionMaps, Memories | None]:
        """Like ``forward``, for sentences with a memory. Also returns the memory for the sentences after them.

        Args:
            source: (B, S).
            target: (B, T).
            memories: Memories after the sentences before; None at the beginning of a text.

        Returns:
            States and maps as of ``forward``; in the maps of encoder and decoder, memory comes before the own
            positions. The memories are None if the model has none.
        """
        encoded, encoder_maps, inputs = self._encode(source, memories.encoder if memories else None)
        cache = self.start(encoded, memories.decoder if memories else None)
        states, self_maps, cross_maps = self.advance(target, cache)
        maps = AttentionMaps(encoder_maps, self_maps, cross_maps)
        if not self.config.memory_length:
            return states, maps, None
        real = padding_mask(target, self.config.pad_id)
        before, most = memories or Memories(None, None), self.config.memory_length
        encoder = remember(before.encoder, inputs, encoded.mask, most)
        return states, maps, Memories(encoder, remember(before.decoder, cache.inputs, real, most))
