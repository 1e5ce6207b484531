"""A translator without an encoder: one decoder reads the source, its end of sentence, the start and the target as one.

It is the Transformer decoder of GPT (Radford et al. 2018) with the source as its prompt; Liu et al. 2018 ("Generating
Wikipedia by Summarizing Long Sequences") use it so. Encoding, here, is the pass over the source, and the features of a
source are the keys and values of that pass.

Axes: B sentences, S source length, T target length, P earlier target positions, D model width, L layers.
"""

import torch
from torch import Tensor

from model.network.attention import KeysValues
from model.network.config import TransformerConfig
from model.network.layers import Past
from model.network.masks import causal_mask, padding_mask
from model.network.memory import Memory
from model.network.transformer import DecoderCache, Encoded, Transformer


class DecoderOnly(Transformer):
    """The decoder stack alone; the target's positions go on after the source's."""

    def _encode(self, source: Tensor, memory: Memory | None) -> tuple[Encoded, list[Tensor], list[Tensor]]:
        """The encoded states are the keys and values of all layers side by side, (B, S, 2L * D). There is no memory."""
        length = source.shape[1]
        mask = padding_mask(source, self.config.pad_id)
        visible = causal_mask(length, source.device) & mask.unsqueeze(1)  # (B, S, S)
        states = self.embed(source, self.source_embedding, self.source_norm, self.positions(0, length))
        memories, maps = list[Tensor](), list[Tensor]()
        for layer in self.decoder:
            states, seen, layer_maps, _ = layer(states, visible, None)
            memories += seen
            maps.append(layer_maps)
        return Encoded(torch.cat(memories, -1), mask), maps, []

    def start(self, encoded: Encoded, memory: Memory | None = None) -> DecoderCache:
        """Nothing is left to project."""
        sides = encoded.states.chunk(2 * len(self.decoder), dim=-1)
        cross = [KeysValues(*pair) for pair in zip(sides[::2], sides[1::2], strict=True)]
        return DecoderCache(cross=cross, source_mask=encoded.mask)

    def advance(self, target: Tensor, cache: DecoderCache) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """See ``Transformer.advance``; the maps of one attention are cut in two, at the end of the source."""
        length, source = target.shape[1], cache.source_mask.shape[1]
        own = causal_mask(cache.length + length, target.device)[cache.length :]  # (T, P + T)
        parts = (cache.source_mask.unsqueeze(1).expand(-1, length, -1), own.expand(len(target), -1, -1))
        mask = torch.cat(parts, -1)  # (B, T, S + P + T)
        lengths = cache.source_mask.sum(1, keepdim=True)
        positions = lengths + torch.arange(cache.length, cache.length + length, device=target.device)  # (B, T)
        signals = self.positions(0, source + cache.length + length).to(target.device)[positions]
        states = self.embed(target, self.target_embedding, self.target_norm, signals)
        memories, self_maps, cross_maps = list[Past](), list[Tensor](), list[Tensor]()
        for index, (layer, prefix) in enumerate(zip(self.decoder, cache.cross, strict=True)):
            past = cache.past[index] if cache.past else None
            seen = prefix.append(past) if isinstance(past, KeysValues) else prefix
            states, memory, maps, _ = layer(states, mask, seen)
            memories.append(KeysValues(*(side[:, source:] for side in memory)))
            self_maps.append(maps[..., source:])
            cross_maps.append(maps[..., :source])
        cache.past, cache.length = memories, cache.length + length
        return self.decoder_norm(states), self_maps, cross_maps


def new_model(config: TransformerConfig) -> Transformer:
    """A model of the kind that a configuration describes, with new weights."""
    return DecoderOnly(config) if config.decoder_only else Transformer(config)
