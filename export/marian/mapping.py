"""The configuration and the weights of our model from foreign weights."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from export.arrays import Array, Arrays, layer_shapes
from export.marian.limits import SourceError
from export.marian.names import FORBIDDEN, Foreign
from model.network.config import ConfigError, TransformerConfig

_SLACK_BYTES = 4 << 20  # for parameters that files don't hold: the row of the start, biases


def make_config(stored_bytes: int, **values: Any) -> TransformerConfig:
    """Make a configuration of our model.

    Args:
        stored_bytes: Size of the stored weights; a model that needs more memory is refused before it is allocated.
        values: Fields of ``TransformerConfig``.

    Raises:
        SourceError: It describes no model, one that can't be exported, or a larger one than the weights are of.
    """
    try:
        config = TransformerConfig(**values)
    except ConfigError as error:
        raise SourceError(f"the configuration describes no model: {error}") from error
    for name in ("pad_id", "eos_id"):
        if not 0 <= getattr(config, name) < config.source_vocabulary:
            raise SourceError(f"{name} {getattr(config, name)} is not in the source vocabulary")
    if config.export_obstacle:
        raise SourceError(config.export_obstacle)
    rows = config.target_vocabulary * (1 if config.tie_output else 2)
    rows += 0 if config.tie_source_target else config.source_vocabulary
    parameters = rows * config.width + sum(math.prod(shape) for _, shape in layer_shapes(config))
    if 2 * parameters > stored_bytes + _SLACK_BYTES:
        raise SourceError(f"the configuration describes {parameters:,} parameters, and the file of weights holds fewer")
    return config


def assemble(
    config: TransformerConfig,
    tables: Mapping[str, Array],
    take: Callable[[Foreign, tuple[int, ...]], Array],
    name_of: Callable[[str], Foreign],
    forbidden: set[int],
) -> Arrays:
    """All weights, as ``export.arrays`` names them.

    Args:
        config: With ``output_bias``.
        tables: What is outside the layers, by our names, the signals of positions among it; tied tables once.
        take: Gives a foreign parameter of an expected shape as it lies in its file.
        name_of: Translates our names.
        forbidden: Ids that must never be produced.

    Raises:
        SourceError: A parameter is missing, not finite or of another shape.
    """
    arrays = dict(tables)
    source, target = config.source_vocabulary, config.target_vocabulary
    expected = {
        "source_embedding.weight": (source, config.width),
        "target_embedding.weight": (target, config.width),
        "projection.weight": (target, config.width),
        "projection.bias": (target,),
        "positions": (config.max_positions, config.width),
    }
    arrays.setdefault("source_embedding.weight", arrays["target_embedding.weight"])
    for name, value in arrays.items():
        if value.shape != expected[name]:
            raise SourceError(f"{name} is of shape {value.shape}, not {expected[name]}")
    for name, shape in layer_shapes(config):
        foreign = name_of(name)
        value = take(foreign, shape[::-1] if foreign.transposed else shape)
        arrays[name] = value.T if foreign.transposed else value
    if not all(bool(np.isfinite(value).all()) for value in arrays.values()):
        raise SourceError("the weights are not all finite")
    arrays["projection.bias"] = arrays["projection.bias"].copy()
    arrays["projection.bias"][sorted(forbidden)] = FORBIDDEN
    return arrays
