"""The one description of a Transformer: enough for the paper's models, for ours and for every Marian/OPUS-MT model."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

NormPlacement = Literal["post", "pre"]
Activation = Literal["relu", "gelu", "swish"]
Positions = Literal["sinusoidal", "sinusoidal-halves", "sinusoidal-marian", "learned", "relative", "none"]
Scoring = Literal["scaled-dot", "dot", "general", "additive"]
FeedForwardKind = Literal["linear", "conv"]
DecoderCell = Literal["attention", "ssru"]

_CHOICES = {
    "norm": get_args(NormPlacement),
    "activation": get_args(Activation),
    "positions": get_args(Positions),
    "scoring": get_args(Scoring),
    "feed_forward_kind": get_args(FeedForwardKind),
    "decoder_cell": get_args(DecoderCell),
}
_AT_LEAST_ONE = (
    "source_vocabulary",
    "target_vocabulary",
    "decoder_layers",
    "width",
    "heads",
    "feed_forward",
    "convolution_width",
    "max_positions",
    "div_val",
)


class ConfigError(ValueError):
    """A configuration that describes no model; the message names the field."""


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """Shape and conventions of an encoder-decoder Transformer (Vaswani et al. 2017, "Attention Is All You Need").

    Attributes:
        source_vocabulary: Rows of the source embedding.
        target_vocabulary: Rows of the target embedding and of the output projection.
        encoder_layers, decoder_layers: Depths; they may differ (a shallow decoder is cheap to serve). Without encoder
            layers the decoder reads source and target as one text (Radford et al. 2018).
        width: Model width D.
        heads: Attention heads H; each has E = D / H channels.
        feed_forward: Inner width of the position-wise network.
        dropout: After the embeddings and on every residual branch (the paper's only dropout).
        attention_dropout: On the attention weights.
        feed_forward_dropout: After the activation inside the position-wise network.
        norm: "post" (the paper) or "pre" (a final norm closes each stack).
        embedding_norm: Layer norm right after the embeddings (some Marian models).
        activation: Activation of the position-wise network.
        feed_forward_kind: "linear" (the paper), or "conv": two convolutions over time, of ``convolution_width`` in the
            encoder and of 1 in the decoder. Of width 1 both kinds are the same.
        convolution_width: Positions that a convolution sees, odd.
        decoder_cell: How a decoder layer reads the target so far: "attention" (the paper), or "ssru", a recurrent unit
            with a state of D numbers in place of keys and values (Kim et al. 2019, see ``model.network.recurrent``).
        scoring: How a query q and a key k of one head are compared. "scaled-dot" is q.k / sqrt(E) (the paper), "dot" is
            q.k, "general" is q.W.k (Luong et al. 2015), "additive" is v.tanh(q + k), q and k being projections
            (Bahdanau et al. 2015).
        positions: "sinusoidal" interleaves sine and cosine (the paper), "sinusoidal-halves" puts all sines first
            (Transformer-XL, MarianMT of the transformers library), "sinusoidal-marian" besides spreads the frequencies
            as tensor2tensor and Marian itself do, "learned" is a table of ``max_positions`` rows, "relative" scores
            distances inside self-attention (Dai et al. 2019, "Transformer-XL"), "none" gives no signal.
        max_positions: Longest source, and longest target, served. A hard limit for learned positions only: the others
            extrapolate.
        memory_length: Positions of the sentences before whose states, without gradient, are keys and values of the
            next, in the self-attention of every layer (Dai et al. 2019, section 3.2). 0: each sentence stands alone.
        same_length: A position looks back over its own sentence and so much of the memory that it sees no position
            ``memory_length`` or more before it: in a long text all then see equally many.
        cutoffs: Ids at which the clusters of an adaptive embedding and softmax end, ascending, without the last, which
            ends with the vocabulary (Grave et al. 2017; Baevski & Auli 2019). Pieces must be numbered by frequency, as
            SentencePiece does. Empty: one table.
        div_val: Cluster n of an adaptive embedding is D / div_val^n wide.
        scale_embeddings: Multiply embeddings by sqrt(D), as the paper does.
        tie_source_target: One table embeds both languages.
        tie_output: The target embedding is also the output projection.
        biases: Linear layers have biases.
        output_bias: A bias is added to the final logits (Marian's ``final_logits_bias``).
        norm_epsilon: Epsilon of every layer norm.
        pad_id, eos_id, decoder_start_id: Special ids; the start id is what the decoder sees first.
        alignment_layer, alignment_head: The cross-attention head trained towards word alignments; None: there is none.
    """

    source_vocabulary: int
    target_vocabulary: int
    encoder_layers: int = 6
    decoder_layers: int = 6
    width: int = 512
    heads: int = 8
    feed_forward: int = 2048
    dropout: float = 0.1
    attention_dropout: float = 0.0
    feed_forward_dropout: float = 0.0
    norm: NormPlacement = "post"
    embedding_norm: bool = False
    activation: Activation = "relu"
    feed_forward_kind: FeedForwardKind = "linear"
    convolution_width: int = 1
    decoder_cell: DecoderCell = "attention"
    scoring: Scoring = "scaled-dot"
    positions: Positions = "sinusoidal"
    max_positions: int = 512
    memory_length: int = 0
    same_length: bool = False
    cutoffs: tuple[int, ...] = ()
    div_val: int = 4
    scale_embeddings: bool = True
    tie_source_target: bool = True
    tie_output: bool = True
    biases: bool = True
    output_bias: bool = False
    norm_epsilon: float = 1e-5
    pad_id: int = 0
    eos_id: int = 2
    decoder_start_id: int = 1
    alignment_layer: int | None = None
    alignment_head: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "cutoffs", tuple(self.cutoffs))  # JSON and TOML have lists
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        for name in ("dropout", "attention_dropout", "feed_forward_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 0 and less than 1")
        for name in ("pad_id", "eos_id", "decoder_start_id"):
            if not 0 <= getattr(self, name) < self.target_vocabulary:
                raise ConfigError(f"{name} {getattr(self, name)} is not in the target vocabulary")
        if self.width % self.heads:
            raise ConfigError(f"width {self.width} is not a multiple of heads {self.heads}")
        if self.width % 2 and self.positions not in ("learned", "none"):
            raise ConfigError(f"sinusoidal positions need an even width, not {self.width}")
        if self.tie_source_target and self.source_vocabulary != self.target_vocabulary:
            raise ConfigError("tie_source_target needs vocabularies of equal size")
        if self.alignment_layer is not None and not 0 <= self.alignment_layer < self.decoder_layers:
            raise ConfigError(f"alignment_layer {self.alignment_layer} is not one of {self.decoder_layers} layers")
        if not 0 <= self.alignment_head < self.heads:
            raise ConfigError(f"alignment_head {self.alignment_head} is not one of {self.heads} heads")
        self._check_variants()

    def _check_variants(self) -> None:
        if self.recurrent and len(self.variants) > 1:
            raise ConfigError(f'decoder_cell = "ssru" can\'t be combined with {self.variants[0]}')
        for name in ("encoder_layers", "memory_length"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0")
        if self.memory_length and self.decoder_only:
            raise ConfigError("memory_length needs encoder_layers")
        if self.same_length and not self.memory_length:
            raise ConfigError("same_length needs memory_length")
        if self.decoder_only and (not self.tie_source_target or self.convolution_width > 1):
            raise ConfigError("without encoder_layers there is one embedding and no convolution_width above 1")
        if not self.convolution_width % 2:
            raise ConfigError(f"convolution_width must be odd, not {self.convolution_width}")
        if self.convolution_width > 1 and self.feed_forward_kind != "conv":
            raise ConfigError('convolution_width needs feed_forward_kind = "conv"')
        if self.positions == "relative" and (self.decoder_only or self.scoring != "scaled-dot"):
            raise ConfigError('relative positions need encoder_layers and scoring = "scaled-dot"')
        if not self.cutoffs:
            return
        if sorted({0, *self.cutoffs, self.target_vocabulary}) != [0, *self.cutoffs, self.target_vocabulary]:
            raise ConfigError("cutoffs must ascend, within the vocabulary")
        if self.width % self.div_val ** len(self.cutoffs):
            raise ConfigError(f"width {self.width} can't be divided by div_val {self.div_val} for each of the cutoffs")
        if not (self.tie_source_target and self.tie_output) or self.output_bias:
            raise ConfigError("cutoffs need tie_source_target and tie_output, and no output_bias")
        if max(self.pad_id, self.eos_id, self.decoder_start_id) >= self.cutoffs[0]:
            raise ConfigError("the special ids must be in the first of the clusters that the cutoffs make")

    @property
    def head_width(self) -> int:
        """Channels per attention head, E."""
        return self.width // self.heads

    @property
    def without_dropout(self) -> "TransformerConfig":
        """This with all dropout at 0. Models that differ only in dropout compute the same."""
        return replace(self, dropout=0.0, attention_dropout=0.0, feed_forward_dropout=0.0)

    @property
    def decoder_only(self) -> bool:
        """The decoder reads source and target as one text; there is no encoder and no cross-attention."""
        return self.encoder_layers == 0

    @property
    def recurrent(self) -> bool:
        """The decoder has states in place of self-attention."""
        return self.decoder_cell == "ssru"

    @property
    def position_rows(self) -> int:
        """Positions of the longest text that a layer sees: where there is no encoder, source and target."""
        return self.max_positions * (2 if self.decoder_only else 1)

    @property
    def adds_positions(self) -> bool:
        """Signals of positions are added to embeddings."""
        return self.positions not in ("relative", "none")

    @property
    def recall_limit(self) -> int | None:
        """Distance from which on remembered positions are not seen; None: all are."""
        return self.memory_length if self.same_length else None

    @property
    def variants(self) -> tuple[str, ...]:
        """The settings, as in a recipe, by which it is no standard Transformer.

        Scores by "dot" and "general" are standard with other weights, see ``export.equivalents``.
        """
        choices = {
            "encoder_layers = 0": self.decoder_only,
            'positions = "relative"': self.positions == "relative",
            'scoring = "additive"': self.scoring == "additive",
            f"convolution_width = {self.convolution_width}": self.convolution_width > 1,
            f"memory_length = {self.memory_length}": self.memory_length > 0,
            "same_length = true": self.same_length,
            f"cutoffs = {list(self.cutoffs)}": bool(self.cutoffs),
            'decoder_cell = "ssru"': self.recurrent,
        }
        return tuple(choice for choice, made in choices.items() if made)

    @property
    def native(self) -> bool:
        """The operators of ``kernels/`` compute such a model."""
        return not self.variants or self.recurrent

    @property
    def export_obstacle(self) -> str | None:
        """Why no bundle can be made of such a model, or None. The only place that says so."""
        if self.head_width % 8:  # ONNX Runtime's grouped-query attention has no other heads
            return f"heads of {self.head_width} channels can't be exported; a multiple of 8 can"
        if self.memory_length % 4:  # then the positions of a sentence would not begin with a block of them
            return f"memory_length = {self.memory_length} can't be exported; a multiple of 4 can"
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TransformerConfig":
        """Inverse of ``to_dict``.

        Raises:
            ConfigError: A key is not a field of the configuration.
        """
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise ConfigError(f"unknown keys in the model configuration: {', '.join(unknown)}")
        return cls(**values)
