"""The confidence in a sentence: from the probabilities of its tokens to the chance that the translation is good.

A translation is good if it is close to the reference: a chrF of ``GOOD_CHRF`` or more for the sentence. The chance is a
logistic function of the mean log-probability of a token; its two numbers are fitted on the first half of each test set,
and checked on the second. The number of tokens and the direction were tried as further inputs, and didn't make it
better (4,800 sentences: expected calibration error 1.8 %, 1.7 % with the length, 1.9 % with the direction).
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from app.engine.decoding.batch_decoder import Model, decode
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Confidence, Manifest, write_manifest
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.opening import open_model
from app.engine.options import SearchOptions
from app.text.sentences import spans
from model.evaluation.evaluate import TestSet, columns

GOOD_CHRF = 50.0
_CHUNK = 32
_BINS = 10
_STEPS = 50


class Judged(NamedTuple):
    """Translations of one test set in one direction, one row a sentence.

    Attributes:
        name: Name of the test set, with the direction.
        log_probabilities: (N,) sums over the tokens of each translation.
        tokens: (N,) their lengths, the end included.
        good: (N,) bool, whether each translation is good.
    """

    name: str
    log_probabilities: NDArray[np.float64]
    tokens: NDArray[np.int64]
    good: NDArray[np.bool_]

    def halves(self) -> tuple["Judged", "Judged"]:
        """First and second half."""
        middle = len(self.good) // 2
        return self._part(slice(middle)), self._part(slice(middle, None))

    def _part(self, rows: slice) -> "Judged":
        return Judged(self.name, self.log_probabilities[rows], self.tokens[rows], self.good[rows])


def judge(
    bundle: Bundle, test_sets: Sequence[TestSet], *, threads: int, advance: Callable[[int], None]
) -> Iterator[Judged]:
    """Translate test sets in all directions of a bundle, in int8 with the beam that ships, and judge each translation.

    Lines that the service would split are left out, since confidence is told of sentences.

    Args:
        bundle: The bundle.
        test_sets: Pairs of the languages that it was trained on; its other pairs are passed over.
        threads: Threads of the graphs.
        advance: Called with the number of lines done.

    Raises:
        BundleError: The bundle has no such graphs, or its tokenizer does not fit.
    """
    manifest = bundle.manifest
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    directions = [
        (model, pair)
        for alone in bundle.models
        for model in [open_model(alone, "int8", threads=threads)]
        for pair in alone.manifest.pairs
    ]
    languages = columns(manifest)
    metric = sacrebleu.CHRF()
    for test_set in test_sets:
        for model, pair in directions:
            if {pair.source, pair.target} != set(languages):
                continue
            tag = (tokenizer.piece_id(pair.tag),) if pair.tag else ()
            sides = [couple if pair.source == languages[0] else couple[::-1] for couple in test_set.pairs]
            rows: list[tuple[float, int, bool]] = []
            for start in range(0, len(sides), _CHUNK):
                part = sides[start : start + _CHUNK]
                chosen = [
                    (ids, reference)
                    for text, reference in part
                    if len(list(spans(text, language=pair.source))) == 1
                    and len(ids := (*tag, *tokenizer.encode(text), manifest.ids.eos)) <= manifest.longest_source
                ]
                if chosen:
                    rows += _judged(model, manifest, tokenizer, metric, chosen)
                advance(len(part))
            if len(rows) > 1:
                yield Judged(f"{test_set.name} {pair.source}-{pair.target}", *map(np.array, zip(*rows, strict=True)))


def _judged(
    model: Model[Any],
    manifest: Manifest,
    tokenizer: Tokenizer,
    metric: sacrebleu.CHRF,
    chosen: Sequence[tuple[Sequence[int], str]],
) -> Iterator[tuple[float, int, bool]]:
    """Translate source ids; yields log-probability, tokens, and whether the translation is close to its reference."""
    found = decode(
        model,
        [ids for ids, _ in chosen],
        start_id=manifest.ids.decoder_start,
        eos_id=manifest.ids.eos,
        options=SearchOptions(),
        max_length=manifest.shape.max_positions,
    )
    for (best, *_), (_, reference) in zip(found, chosen, strict=True):
        score = metric.sentence_score(tokenizer.decode(best.tokens).strip(), [reference]).score
        yield best.log_probability, len(best.tokens) + 1, score >= GOOD_CHRF


def fit(judged: Sequence[Judged]) -> Confidence:
    """Logistic regression by Newton's method, with a trace of ridge so that it always ends."""
    log_probabilities, tokens, good = together(judged)[1:]
    inputs = np.column_stack([np.ones(len(tokens)), log_probabilities / tokens])  # (N, 2)
    weights = np.zeros(inputs.shape[1])
    ridge = 1e-4 * len(inputs) * np.eye(len(weights))
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))  # (N,)
        gradient = inputs.T @ (good - chance) - ridge @ weights
        curvature = (inputs.T * (chance * (1 - chance))) @ inputs + ridge
        weights += np.linalg.solve(curvature, gradient)
    bias, mean = (round(float(weight), 4) for weight in weights)
    return Confidence(bias=bias, mean_log_probability=mean, good_chrf=GOOD_CHRF)


def chances(confidence: Confidence, judged: Judged) -> NDArray[np.float64]:
    """Return (N,) the confidence that the service would report for each sentence."""
    rows = zip(judged.log_probabilities.tolist(), judged.tokens.tolist(), strict=True)
    return np.array([confidence.chance(*row) for row in rows])


def together(judged: Sequence[Judged]) -> Judged:
    """All of them as one."""
    return Judged("all", *map(np.concatenate, zip(*(part[1:] for part in judged), strict=True)))


def calibration_error(chance: NDArray[np.float64], good: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width (Guo et al. 2017, equation 3)."""
    return float(sum(len(own) * abs(own.mean() - hits.mean()) for own, hits in bins(chance, good)) / len(good))


def bins(chance: NDArray[np.float64], good: NDArray[np.bool_]) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """The sentences of each tenth of the scale that has any."""
    place = np.minimum((chance * _BINS).astype(int), _BINS - 1)
    return [(chance[place == index], good[place == index]) for index in range(_BINS) if (place == index).any()]


def record_confidence(bundle: Bundle, confidence: Confidence) -> None:
    """Put the confidence into the bundle's manifest."""
    write_manifest(bundle.path, bundle.manifest.model_copy(update={"confidence": confidence}))


def draw_reliability(chance: NDArray[np.float64], good: NDArray[np.bool_], out: Path) -> None:
    """Plot the share of good translations over their confidence, as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups = bins(chance, good)
    figure, (share, count) = pyplot.subplots(2, 1, figsize=(5, 6), sharex=True, height_ratios=(3, 1))
    share.plot([0, 1], [0, 1], color="grey", linewidth=1, label="perfect")
    share.plot([own.mean() for own, _ in groups], [hits.mean() for _, hits in groups], "o-", label="measured")
    share.set_ylabel(f"share with chrF {GOOD_CHRF:g} or more")
    share.legend()
    share.grid(alpha=0.3)
    count.hist(chance, bins=np.linspace(0, 1, _BINS + 1).tolist())
    count.set_ylabel("sentences")
    count.set_xlabel("confidence")
    figure.tight_layout()
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=100)
    pyplot.close(figure)
