"""Our model in PyTorch from foreign weights."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from export.marian.limits import SourceError
from export.marian.names import FORBIDDEN, Foreign
from model.network.config import ConfigError, TransformerConfig
from model.network.transformer import Transformer

_SLACK_BYTES = 4 << 20  # for parameters that files don't hold: the row of the start, biases


def make_config(stored_bytes: int, **values: Any) -> TransformerConfig:
    """Make a configuration of our model.

    Args:
        stored_bytes: Size of the stored weights; a model that needs more memory is refused before it is allocated.
        values: Fields of ``TransformerConfig``.

    Raises:
        SourceError: It describes no model, or a larger one than the weights are of.
    """
    try:
        config = TransformerConfig(**values)
    except ConfigError as error:
        raise SourceError(f"the configuration describes no model: {error}") from error
    for name in ("pad_id", "eos_id"):
        if not 0 <= getattr(config, name) < config.source_vocabulary:
            raise SourceError(f"{name} {getattr(config, name)} is not in the source vocabulary")
    with torch.device("meta"):
        parameters = sum(parameter.numel() for parameter in Transformer(config).parameters())
    if 2 * parameters > stored_bytes + _SLACK_BYTES:
        raise SourceError(f"the configuration describes {parameters:,} parameters, and the file of weights holds fewer")
    return config


def assemble(
    config: TransformerConfig,
    tables: Mapping[str, Tensor],
    take: Callable[[Foreign, tuple[int, ...]], Tensor],
    name_of: Callable[[str], Foreign],
    forbidden: set[int],
) -> Transformer:
    """Our model with foreign weights, in float32 and evaluation mode.

    Args:
        config: With ``output_bias``.
        tables: Parameters outside the layers, by our names; tied tables once, as in ``named_parameters``.
        take: Gives a foreign parameter of an expected shape as it lies in its file.
        name_of: Translates our names.
        forbidden: Ids that must never be produced.

    Raises:
        SourceError: A parameter is missing or of another shape.
    """
    model = Transformer(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            shape = tuple(parameter.shape)
            if name in tables:
                value = tables[name]
                if tuple(value.shape) != shape:
                    raise SourceError(f"{name} is of shape {tuple(value.shape)}, not {shape}")
            else:
                foreign = name_of(name)
                value = take(foreign, shape[::-1] if foreign.transposed else shape)
                value = value.T if foreign.transposed else value
            parameter.copy_(value)
        if not all(bool(torch.isfinite(parameter).all()) for parameter in model.parameters()):
            raise SourceError("the weights are not all finite")
        cast(nn.Linear, model.projection).bias[sorted(forbidden)] = FORBIDDEN
    return model.eval()
