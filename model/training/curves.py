"""A picture of a run: loss, validation loss and learning rate over the target tokens seen."""

import json
from pathlib import Path


def draw_curves(metrics: Path, out: Path) -> None:
    """Plot ``metrics.jsonl`` of a run as a PNG.

    Args:
        metrics: One JSON object a line, as ``model.training.train`` writes them.
        out: Path of the picture.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    millions = [row["tokens"] / 1e6 for row in rows]
    figure, (loss, rate) = pyplot.subplots(2, 1, figsize=(9, 7), sharex=True, height_ratios=(3, 1))
    smooth, mean = [], 0.0
    for index, row in enumerate(rows):
        mean += (row["likelihood"] - mean) / min(index + 1, 50)
        smooth.append(mean)
    loss.plot(millions, smooth, label="training (mean of the last 50 updates)")
    loss.plot(millions, [row["alignment"] for row in rows], alpha=0.3, linewidth=0.5, label="guided alignment")
    validated = [row for row in rows if "validation_loss" in row]
    if validated:
        points = [row["tokens"] / 1e6 for row in validated]
        loss.plot(points, [row["validation_loss"] for row in validated], "o-", label="validation")
    loss.set_ylabel("negative log-likelihood per target token")
    loss.legend()
    loss.grid(alpha=0.3)
    rate.plot(millions, [row["rate"] for row in rows])
    rate.set_ylabel("learning rate")
    rate.set_xlabel("target tokens seen, millions")
    rate.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out, dpi=120)
    pyplot.close(figure)
