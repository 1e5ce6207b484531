"""Greedy translations by one of a bundle's models, with their tokens and what the alignment head looked at."""

from collections.abc import Iterable, Sequence

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import Hypothesis, default_max_length
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.opening import open_model
from app.engine.options import SearchOptions


class Greedy:
    """A bundle's model in a precision."""

    def __init__(self, bundle: Bundle, precision: Precision) -> None:
        self._model, self._manifest = open_model(bundle, precision), bundle.manifest
        self._tokenizer = Tokenizer(*bundle.tokenizer_files)

    def sources(self, texts: Iterable[str]) -> list[list[int]]:
        """Source ids, end of sentence included."""
        return [[*self._tokenizer.encode(text), self._manifest.ids.eos] for text in texts]

    def translate(self, sources: Sequence[Sequence[int]]) -> list[Hypothesis]:
        """The best hypothesis of each."""
        ids = self._manifest.ids
        found = decode(
            self._model,
            sources,
            start_id=ids.decoder_start,
            eos_id=ids.eos,
            options=SearchOptions(beam_size=1),
            max_length=min(self._manifest.shape.max_positions, default_max_length(max(map(len, sources)))),
        )
        return [hypotheses[0] for hypotheses in found]
