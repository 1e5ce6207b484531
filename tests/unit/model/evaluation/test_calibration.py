"""Confidence: the fit finds the parameters of made-up data, the error fits its definition, the service reports it."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Confidence
from model.data.pairs import write_pairs
from model.evaluation.calibration import Judged, calibration_error, chances, draw_reliability, fit, judge, together
from model.evaluation.commands import calibrate
from model.evaluation.evaluate import TestSet
from tests.support.tiny import sentence_pairs

TRUTH = Confidence(bias=2.0, mean_log_probability=3.0, good_chrf=50)


def made_by(truth: Confidence, count: int, seed: int) -> Judged:
    """Sentences that are good as often as the truth says."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(2, 60, count)
    unknown = Judged("made up", -rng.gamma(2.0, 0.4, count) * tokens, tokens, np.zeros(count, bool))
    return unknown._replace(good=rng.random(count) < chances(truth, unknown))


def test_the_fit_finds_what_made_the_data() -> None:
    found = fit([made_by(TRUTH, 30_000, 0), made_by(TRUTH, 30_000, 1)])
    assert found.bias == pytest.approx(TRUTH.bias, abs=0.15)
    assert found.mean_log_probability == pytest.approx(TRUTH.mean_log_probability, abs=0.15)
    others = made_by(TRUTH, 30_000, 2)
    assert calibration_error(chances(found, others), others.good) < 0.01
    shifted = np.clip(chances(found, others) + 0.2, 0, 1)
    assert calibration_error(shifted, others.good) > 0.1


@pytest.mark.parametrize("good", [True, False])
def test_the_fit_ends_where_all_is_the_same(good: bool) -> None:
    judged = made_by(TRUTH, 100, 0)._replace(good=np.full(100, good))
    found = chances(fit([judged]), judged)
    assert (found > 0.9).all() if good else (found < 0.1).all()


def test_the_error_is_the_mean_gap_between_word_and_deed() -> None:
    chance = np.array([0.05, 0.05, 0.95, 0.95, 1.0])
    good = np.array([False, True, True, True, False])
    # Of the first bin 1/2 is good where 0.05 was said, of the last 2/3 where 2.9/3 was.
    assert calibration_error(chance, good) == pytest.approx((2 * 0.45 + 3 * (2.9 / 3 - 2 / 3)) / 5)


def test_the_chance_is_a_logistic_function() -> None:
    assert TRUTH.chance(-4.0, 10) == pytest.approx(1 / (1 + math.exp(-(2 - 3 * 0.4))))
    assert 0 < TRUTH.chance(-1e6, 2) < TRUTH.chance(0.0, 2) < 1


def test_halves_make_a_whole() -> None:
    judged = made_by(TRUTH, 21, 0)
    first, second = judged.halves()
    assert (len(first.good), len(second.good)) == (10, 11)
    whole = together([first, second])
    assert all((one == other).all() for one, other in zip(whole[1:], judged[1:], strict=True))


def test_the_picture_is_a_picture(tmp_path: Path) -> None:
    judged = made_by(TRUTH, 100, 0)
    draw_reliability(chances(TRUTH, judged), judged.good, tmp_path / "new" / "plot.png")
    assert (tmp_path / "new" / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_puts_it_into_the_manifest(tiny_bundle: Bundle, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_bundle.path, tmp_path / "bundle")
    write_pairs(tmp_path / "pairs.tsv", sentence_pairs(12, seed=7))
    program = typer.Typer()
    program.command()(calibrate)
    arguments = [str(folder), str(tmp_path / "pairs.tsv"), "--threads", "1"]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(program, arguments)
    assert result.exit_code == 0, result.output
    assert Bundle.open(folder).manifest.confidence is None
    result = CliRunner(env={"COLUMNS": "200"}).invoke(program, [*arguments, "--write"])
    confidence = Bundle.open(folder).manifest.confidence
    assert confidence and confidence.model_dump_json() in result.stdout
    assert confidence.error is not None and 0 <= confidence.error <= 1
    for direction in ("pairs de-en", "pairs en-de"):
        assert direction in result.stdout


def test_lines_of_several_sentences_are_left_out(tiny_bundle: Bundle) -> None:
    sentences = sentence_pairs(6, seed=7)
    pairs = [(f"{a} {a.title()}", f"{b} {b.title()}") for a, b in sentence_pairs(70, seed=8)] + sentences
    counted: list[int] = []
    judged = list(judge(tiny_bundle, [TestSet("pairs", tuple(pairs))], threads=1, advance=counted.append))
    assert all(len(sentences) <= len(each.good) < 12 for each in judged)
    assert sum(counted) == 2 * len(pairs)
