"""Which runtime opens a bundle's graphs: the native operators or the device's graphs, else ONNX Runtime's own."""

import logging
from typing import TypeAlias

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Manifest, Precision
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import DeviceGraphs
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.native import NativeModel, choose_kernels
from app.errors import ConfigurationError

logger = logging.getLogger(__name__)

OpenModel: TypeAlias = OnnxModel | NativeModel | DeviceModel


def opened_graphs(manifest: Manifest, precision: Precision, kernels: str = "auto") -> Precision:
    """The graphs that are opened for a number format.

    int8 means the native operators: models with variants have no graphs for them, and not every machine has the
    library. Then the float32 graphs are opened.

    Args:
        manifest: The bundle's.
        precision: What is wanted.
        kernels: See ``open_model``.
    """
    if precision != "int8":
        return precision
    return "float32" if kernels == "off" or _missing(manifest, kernels) else "int8-native"


def _on_device(manifest: Manifest, precision: Precision, provider: str) -> bool:
    return provider != "cpu" and precision == "float16" and "float16-cuda" in manifest.graphs


def _missing(manifest: Manifest, kernels: str) -> str | None:
    """Why a bundle can't run on the native operators here; None if it can."""
    if choose_kernels(kernels) is None:
        return "no library of them was built, or it has none for this processor"
    return None if "int8-native" in manifest.graphs else "the bundle has no graphs for them"


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
        precision: Number format, see ``opened_graphs``.
        provider: "cpu" or "cuda".
        threads: Threads inside one operator of ONNX Runtime's own.
        device_sentences: Sentences that a GPU decodes together, greedily and with beams each.
        kernels: "auto" for native operators where there are any, "off" for none, or an instruction set.

    Raises:
        BundleError: The bundle lacks the precision, or a graph can't be loaded.
        ConfigurationError: The provider is not there, or there are no such kernels.
    """
    found = opened_graphs(bundle.manifest, precision, kernels)
    if precision == "int8" and kernels != "off" and found != "int8-native":
        missing = _missing(bundle.manifest, kernels)
        if kernels != "auto":
            raise ConfigurationError(f"kernels {kernels} were asked for, but {missing}")
        logger.warning("no native operators: %s; the float32 graphs take several times as long", missing)
    paths = bundle.graphs(found)
    if found == "int8-native":
        return NativeModel(paths["encoder"], paths["decoder"], kernels=kernels, shortlist=paths.get("shortlist"))
    ids = bundle.manifest.ids
    simple = OnnxModel(**paths, pad_id=ids.pad, provider=provider, threads=threads)
    if not _on_device(bundle.manifest, found, provider):
        return simple
    graphs = DeviceGraphs(bundle.graphs("float16-cuda"), pad_id=ids.pad, provider=provider)
    if any(pair.lexicon for pair in bundle.manifest.pairs) and not graphs.has_lexicon:
        logger.warning(
            "%s got its lexicon after its graphs for a GPU: sentences with rare words go step by step; "
            "dragoman export BUNDLE BUNDLE --cuda makes the graphs again",
            bundle.path,
        )
    return DeviceModel(graphs, simple, eos_id=ids.eos, sentences=device_sentences)
