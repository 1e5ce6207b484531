"""Graphs written without PyTorch compute what PyTorch does."""

import onnx
import pytest

from app.engine.onnx.model import OnnxModel
from export.arrays import arrays_of
from export.parity import measure, require
from export.written_graphs import written_decoder, written_encoder
from tests.support.tiny import random_model

OPTIONS = {
    "as Firefox has it": {"norm": "post", "positions": "sinusoidal-marian", "output_bias": True, "norm_epsilon": 1e-6},
    "pre-norm, gelu, nothing tied, no biases": {
        "activation": "gelu",
        "tie_output": False,
        "tie_source_target": False,
        "biases": False,
    },
    "swish, embeddings as they are": {
        "norm": "post",
        "activation": "swish",
        "embedding_norm": True,
        "scale_embeddings": False,
        "alignment_layer": None,
    },
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("cell", ["attention", "ssru"])
def test_written_graphs_are_the_model(cell, options, tmp_path):
    model = random_model(decoder_cell=cell, max_positions=26, **options)
    arrays = arrays_of(model)
    onnx.save(written_encoder(model.config, arrays), tmp_path / "encoder.onnx")
    onnx.save(written_decoder(model.config, arrays), tmp_path / "decoder.onnx")
    graphs = OnnxModel(tmp_path / "encoder.onnx", tmp_path / "decoder.onnx", pad_id=0, provider="cpu", threads=1)
    require(measure(model, graphs), 1e-4)
    assert ("alignment" in {output.name for output in graphs._decoder.get_outputs()}) == (
        model.config.alignment_layer is not None
    )
