"""Files of weights, read without PyTorch, hold what PyTorch wrote."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from export.marian.names import Foreign
from export.marian.weights import open_weights

TABLE = torch.randn(6, 5)
TENSORS = {
    "single": torch.randn(2, 3),
    "half": torch.randn(7).half(),
    "bfloat16": torch.randn(3, 2).bfloat16(),
    "double": torch.randn(4).double(),
    "number": torch.tensor(2.5),
    "table": TABLE,
    "the same table": TABLE,
    "a part of it": TABLE[2:4],
    "parameter": torch.nn.Parameter(torch.randn(2)),
}


@pytest.mark.parametrize("form", ["safetensors", "zip", "before PyTorch 1.6"])
def test_tensors_are_those_that_pytorch_wrote(tmp_path: Path, form: str) -> None:
    if form == "safetensors":
        own = {name: tensor.detach().clone() for name, tensor in TENSORS.items()}
        safetensors.torch.save_file(own, tmp_path / "model.safetensors")
    else:
        torch.save(TENSORS, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=form == "zip")
    weights = open_weights(tmp_path)
    assert weights.shapes == {name: tuple(tensor.shape) for name, tensor in TENSORS.items()}
    for name, tensor in TENSORS.items():
        read = weights.take(Foreign(name), tuple(tensor.shape))
        assert read.dtype == np.float32
        np.testing.assert_array_equal(read, tensor.detach().float().numpy())
