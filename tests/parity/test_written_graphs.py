"""Graphs written without PyTorch compute what PyTorch does."""

import pytest

from export.parity import measure, require
from tests.support.tiny import random_model, write_graphs

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
    graphs = write_graphs(model, tmp_path)
    require(measure(model, graphs), 1e-4)
    assert ("alignment" in {output.name for output in graphs._decoder.get_outputs()}) == (
        model.config.alignment_layer is not None
    )
