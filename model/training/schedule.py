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
    """A trapezoid by time, for training with a time limit: the peak for half of it, then down to zero at its end.

    Attributes:
        seconds: The time limit.
        elapsed: Seconds of training so far; the trainer sets it after each update.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.elapsed = seconds, 0.0

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.elapsed >= self.seconds

    def rate(self, update: int, training: Training) -> float:
        """Rate of the given update (1-based) at the present time."""
        peak = training.peak_rate * min(1.0, update / training.warmup)
        return peak * min(1.0, max(0.0, 2 * (1 - self.elapsed / self.seconds)))

    def expected(self, update: int) -> int:
        """Updates that there will be in all, if all take as long as those up to this one."""
        return max(update, round(update * self.seconds / self.elapsed)) if self.elapsed else update

    @staticmethod
    def untimed(updates: int, training: Training) -> str:
        """The keys of a recipe that makes about the same run without a time limit."""
        cooldown = max(0, min(updates // 2, updates - training.warmup))
        return f"updates = {updates}, cooldown = {cooldown}"
