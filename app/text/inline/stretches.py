"""Ranges of a translation's words for the elements that own words of it."""

from collections.abc import Mapping, Sequence


def best_stretches(owners: Sequence[int | None], weights: Sequence[float]) -> dict[int, tuple[int, int]]:
    """Returns for each owner the range with most of its own tokens and fewest unowned ones; ranges don't overlap.

    This is the maximum subarray (Kadane): an own token counts its weight, an unowned token -1, and a token of another
    owner ends the range.
    """
    best: dict[int, tuple[float, int, int]] = {}
    current, begin, score = None, 0, 0.0
    for index, (owner, weight) in enumerate(zip(owners, weights, strict=True)):
        if owner is None:
            score -= 1
            continue
        if owner != current or score < 0:
            current, begin, score = owner, index, 0.0
        score += weight
        so_far = best.get(owner, (0, -1, 0))
        if score > so_far[0] or (score == so_far[0] and begin == so_far[1]):  # of equals the first, and its longest
            best[owner] = (score, begin, index + 1)
    return {owner: (begin, end) for owner, (_, begin, end) in best.items()}


def spread(stretches: Mapping[int, tuple[int, int]], needs: Sequence[int], size: int) -> dict[int, tuple[int, int]]:
    """Moves stretches, each as little as possible, so that all have the length they need and none overlap.

    If there are fewer than all need, the last ones go short.
    """
    moved: dict[int, tuple[int, int]] = {}
    done, waiting = 0, sum(needs[owner] for owner in stretches)
    for owner, (first, last) in sorted(stretches.items(), key=lambda item: (item[1], item[0])):
        need = needs[owner]
        waiting -= need
        limit = max(size - waiting, min(done + need, size))  # leaves the others what they need
        first = max(done, min(first, limit - need))
        done = min(max(last, first + need), limit)
        moved[owner] = (first, done)
    return moved
