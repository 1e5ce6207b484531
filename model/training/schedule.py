"""Learning rates over updates, as factors of the peak rate."""

import math

from model.recipe import Training


def learning_rate(update: int, training: Training) -> float:
    """Rate of the given update (1-based): linear warm-up to ``peak_rate``, then down.

    "inverse-sqrt" is section 5.3 of the paper, written with its peak: peak * min(u / w, sqrt(w / u)).
    "cosine" falls to a hundredth of the peak at the last update (Loshchilov and Hutter 2017). "trapezoid" keeps the
    peak until ``cooldown`` updates before the end, then falls to nothing in a straight line (Zhai et al. 2022): a run
    that is given more updates later has wasted none.
    """
    if update <= training.warmup:
        return training.peak_rate * update / training.warmup
    if training.schedule == "inverse-sqrt":
        return training.peak_rate * math.sqrt(training.warmup / update)
    if training.schedule == "trapezoid":
        return training.peak_rate * min(1.0, (training.updates - update + 1) / (training.cooldown + 1))
    done = (update - training.warmup) / max(1, training.updates - training.warmup)
    return training.peak_rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
