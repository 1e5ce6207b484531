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


class TimedTrapezoid:
    """A trapezoid by time: the peak for half of it, then down to nothing at its end. For a machine that is rented.

    Attributes:
        seconds: The time.
        elapsed: Seconds since the beginning; whoever trains sets it before each update.
        plateau: The last update before the way down; None until then.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.elapsed = seconds, 0.0
        self.plateau: int | None = None

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.elapsed >= self.seconds

    def rate(self, update: int, training: Training) -> float:
        """Rate of the given update (1-based) at the present time."""
        peak = training.peak_rate * min(1.0, update / training.warmup)
        if self.elapsed < self.seconds / 2:
            return peak
        if self.plateau is None:
            self.plateau = update - 1
        return peak * max(0.0, 2 * (1 - self.elapsed / self.seconds))

    def expected(self, update: int) -> int:
        """Updates that there will be in all, if all take as long as those up to this one."""
        return max(update, round(update * self.seconds / self.elapsed)) if self.elapsed else update
