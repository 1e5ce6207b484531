"""A bundle's graphs, run by ONNX Runtime's own operators, as the decoder needs them."""

from app.engine.onnx.batch_state import BatchState
from app.engine.onnx.sessions import Sessions


class OnnxModel(Sessions):
    """Satisfies ``app.engine.decoding.batch_decoder.Model``. Thread-safe."""

    def rows(self) -> BatchState:
        """An empty batch."""
        return BatchState(self)
