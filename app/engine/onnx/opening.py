"""Which runtime opens a bundle's graphs: the native operators or the device's graphs, else ONNX Runtime's own."""

import logging
from typing import TypeAlias

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import DeviceGraphs
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from app.errors import ConfigurationError

logger = logging.getLogger(__name__)

OpenModel: TypeAlias = OnnxModel | NativeModel | DeviceModel


def open_model(
    bundle: Bundle,
    precision: Precision,
    *,
    provider: str = "cpu",
    threads: int = 1,
    kernels: str = "auto",
    device_sentences: int = 256,
) -> OpenModel:
    """Open the model of a bundle.

    Args:
        bundle: A verified bundle, of one model: see ``Bundle.models``.
        precision: Number format. For int8 there are native operators, which give nearly the same translations faster.
            Without them, a bundle that has no other int8 graphs is opened in float32.
        provider: "cpu" or "cuda".
        threads: Threads inside one operator of ONNX Runtime's own.
        device_sentences: Sentences that a GPU decodes together, greedily and with beams each.
        kernels: "auto" for native operators where there are any, "off" for none, or an instruction set.

    Raises:
        BundleError: The bundle lacks the precision, or a graph can't be loaded.
        ConfigurationError: The provider is not there, or there are no such kernels.
    """
    if precision == "int8" and kernels != "off":
        missing = None
        if choose_kernels(kernels) is None:
            missing = "no library of them was built, or it has none for this processor"
        elif "int8-native" not in bundle.manifest.graphs:
            missing = "the bundle has no graphs for them"
        if not missing:
            return _native(bundle, kernels)
        if kernels != "auto":
            raise ConfigurationError(f"kernels {kernels} were asked for, but {missing}")
        logger.warning("no native operators: %s; int8 takes two to four times as long", missing)
    if precision == "int8" and "int8" not in bundle.manifest.graphs:
        precision = "float32"  # imported without PyTorch
    elif precision == "int8-native":
        return _native(bundle, kernels)
    ids = bundle.manifest.ids
    simple = OnnxModel(**bundle.graphs(precision), pad_id=ids.pad, provider=provider, threads=threads)
    if provider == "cpu" or precision != "float16" or "float16-cuda" not in bundle.manifest.graphs:
        return simple
    graphs = DeviceGraphs(bundle.graphs("float16-cuda"), pad_id=ids.pad, provider=provider)
    return DeviceModel(graphs, simple, eos_id=ids.eos, sentences=device_sentences)


def _native(bundle: Bundle, kernels: str) -> NativeModel:
    paths = bundle.graphs("int8-native")
    return NativeModel(paths["encoder"], paths["decoder"], kernels=kernels, shortlist=paths.get("shortlist"))
