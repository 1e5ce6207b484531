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
    "a decoder alone": {"encoder_layers": 0},
    "a decoder alone, other options": {
        "encoder_layers": 0,
        "norm": "post",
        "scoring": "additive",
        "positions": "learned",
        "alignment_layer": None,
    },
}
