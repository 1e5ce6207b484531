"""The least time that the native operators' work takes."""

from app.engine.models.manifest import Shape
from benchmarks.bounds import Peak, Work, least_seconds, weights_of
from tests.support.tiny import random_model

MODEL = random_model()
SHAPE = Shape(
    encoder_layers=MODEL.config.encoder_layers,
    decoder_layers=MODEL.config.decoder_layers,
    heads=MODEL.config.heads,
    width=MODEL.config.width,
    feed_forward=MODEL.config.feed_forward,
    vocabulary=MODEL.config.target_vocabulary,
    max_positions=64,
    alignment_head=True,
)


def test_weights_are_those_of_the_matrices() -> None:
    matrices = [parameter for parameter in MODEL.parameters() if parameter.dim() == 2]
    assert sum(weights_of(SHAPE)) == sum(matrix.numel() for matrix in matrices)


def test_a_run_takes_the_longer_of_sums_and_weights() -> None:
    encoder, decoder = weights_of(SHAPE)
    work = Work(encoded=[8], stepped=[1, 8])
    peak = Peak(multiply_adds=4.0, bytes_read=1.0)  # as long for four tokens as for the weights
    assert least_seconds(work, SHAPE, peak) == 2 * encoder + decoder + 2 * decoder
