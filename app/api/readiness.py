"""Whether texts can be translated now: for the probe and for the metric."""

from app.engine.interface import EngineState, TranslationEngine
from app.fairness.pool import TEXT_POOL

_REASONS = {
    EngineState.STARTING: "The model is still loading.",
    EngineState.STOPPING: "The server is shutting down.",
    EngineState.FAILED: "The engine has failed; restart the server.",
}


def obstacle_of(engine: TranslationEngine) -> str | None:
    """Says why no text can be translated now; None if texts can."""
    if engine.state != EngineState.READY:
        return _REASONS.get(engine.state, "The engine is not ready.")
    return "Work on texts has not begun for several seconds." if TEXT_POOL.is_stuck else None
