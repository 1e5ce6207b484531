"""How many replicas a model needs: by the tokens that wait for it and the rows that it decodes."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ray.serve.config import AutoscalingContext

    from app.settings import Settings

LOAD = "load"
# A queue of this share of its limit is the work of one more replica: a second of waiting with the default limit.
_SHARE_OF_QUEUE = 1 / 20


def load_of(statistics: Mapping[str, float], settings: "Settings") -> float:
    """How many replicas the work of one replica would keep busy: 1 if its batches are full and nothing waits.

    Args:
        statistics: Of its engine.
        settings: Its limits.
    """
    rows = settings.batch_rows * settings.decode_workers
    waiting = statistics["queued_tokens"] / (settings.max_queue_tokens * _SHARE_OF_QUEUE)
    return statistics["running_rows"] / rows + waiting


def replicas_for_load(context: "AutoscalingContext") -> tuple[int, dict[str, Any]]:
    """Ray Serve's autoscaling policy; Ray Serve applies the bounds and delays of the deployment."""
    loads = (context.aggregated_metrics or {}).get(LOAD)
    if not loads:  # nobody has reported yet
        return context.target_num_replicas, {}
    return max(1, math.ceil(sum(loads.values()))), {}
