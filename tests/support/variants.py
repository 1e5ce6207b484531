"""Every choice of ``[model]`` beside the standard Transformer, as changes to the tiny configuration."""

CHOICES: dict[str, dict[str, object]] = {
    "relative positions": {"positions": "relative"},
    "no positions": {"positions": "none", "norm": "post"},
    "dot": {"scoring": "dot"},
    "general": {"scoring": "general", "biases": False},
    "additive": {"scoring": "additive", "positions": "learned"},
    "convolutions": {"feed_forward_kind": "conv", "convolution_width": 3},
    "adaptive softmax": {"cutoffs": (100, 300), "div_val": 2},
    "memory": {"memory_length": 16},
    "memory, other options": {"memory_length": 8, "same_length": True, "positions": "relative", "norm": "post"},
    "recurrent": {"decoder_cell": "ssru"},
    "recurrent, other options": {"decoder_cell": "ssru", "norm": "post", "positions": "sinusoidal-halves"},
    "a decoder alone": {"encoder_layers": 0, "positions": "sinusoidal"},
    "a decoder alone, other options": {
        "encoder_layers": 0,
        "norm": "post",
        "scoring": "additive",
        "positions": "learned",
    },
}

STANDARD: dict[str, dict[str, object]] = {
    "post-norm, swish, learned positions, nothing tied, no biases, no alignment": {
        "norm": "post",
        "embedding_norm": True,
        "activation": "swish",
        "positions": "learned",
        "max_positions": 60,
        "scale_embeddings": False,
        "source_vocabulary": 70,
        "target_vocabulary": 50,
        "tie_source_target": False,
        "tie_output": False,
        "biases": False,
        "alignment_layer": None,
        "encoder_layers": 1,
        "decoder_layers": 1,
    },
    "GELU, concatenated sinusoids, Marian's bias, odd numbers": {
        "activation": "gelu",
        "positions": "sinusoidal-halves",
        "source_vocabulary": 50,
        "target_vocabulary": 50,
        "output_bias": True,
        "norm_epsilon": 1e-6,
        "pad_id": 7,
        "eos_id": 0,
        "decoder_start_id": 7,
        "width": 24,
        "heads": 3,
        "feed_forward": 20,
        "encoder_layers": 1,
        "decoder_layers": 2,
        "alignment_layer": 0,
        "alignment_head": 2,
    },
}
"""Options of standard Transformers. With the tiny model itself (pre-norm, ReLU, interleaved sinusoids, all embeddings
tied, biases, an alignment head) they cover every option of the configuration. Depths, vocabularies and position limits
differ on purpose.
"""
