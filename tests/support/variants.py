"""Every choice of ``[model]`` beside the standard Transformer, as changes to the tiny configuration."""

CHOICES: dict[str, dict[str, object]] = {
    "relative positions": {"positions": "relative"},
    "no positions": {"positions": "none", "norm": "post"},
    "dot": {"scoring": "dot"},
    "general": {"scoring": "general", "biases": False},
    "additive": {"scoring": "additive", "positions": "learned"},
    "convolutions": {"feed_forward_kind": "conv", "convolution_width": 3},
    "adaptive softmax": {"cutoffs": (100, 300), "div_val": 2},
}
