import hashlib
import math
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sentencepiece
import torch
from torch import distributed
from torch.nn import functional as F

from model.data.batches import Batch, BatchStream
from model.data.corpus import build_corpus, corpus_facts, load_corpus
from model.data.pairs import read_pairs
from model.data.tokenizer import PLACEHOLDERS
from model.recipe import RecipeError
from model.training.checkpoint import load_model, model_tensors, training_checkpoints
from model.training.provenance import read_card
from model.training.schedule import learning_rate
from model.training.train import Metrics, Trainer, train
from tests.support.toy_language import write_toy_data
from tests.support.workplace import CPU, Workplace

ROOT = Path(__file__).parents[4]
WAIT_S = 120.0  # an upper bound for what takes seconds; reaching it fails a test
TIMINGS = {"seconds", "tokens_per_s"}


def curve(metrics: list[Metrics]) -> list[Metrics]:
    """The figures that a run computes, without its timings."""
    return [{name: value for name, value in row.items() if name not in TIMINGS} for row in metrics]


def test_from_pair_files_to_an_averaged_model(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    write_toy_data(workplace.data)
    recipe = workplace.write_recipe(model="alignment_layer = 1", updates=60, alignment_weight=0.5, keep=3)
    reported: list[str] = []
    seen: list[Metrics] = []
    averaged = train(
        workplace.recipe, workplace.data, workplace.run, CPU, report=reported.append, on_update=seen.append
    )

    assert any("aligning 280 pairs" in line for line in reported)
    assert [row["update"] for row in seen] == list(range(1, 61))
    assert workplace.logged() == seen
    assert [row["rate"] for row in seen] == [learning_rate(update, recipe.training) for update in range(1, 61)]
    assert [row["update"] for row in seen if "validation_loss" in row] == [10, 20, 30, 40, 50, 60]
    assert all(math.isfinite(value) for row in seen for value in row.values())

    def mean(name: str, rows: list[Metrics]) -> float:
        return sum(row[name] for row in rows) / len(rows)

    for name in ("loss", "likelihood"):
        assert mean(name, seen[-5:]) < 0.7 * mean(name, seen[:5])
    assert mean("alignment", seen[-5:]) < mean("alignment", seen[:5])
    validation = [row["validation_loss"] for row in seen if "validation_loss" in row]
    assert validation[-1] < 0.7 * validation[0]

    checkpoints = training_checkpoints(workplace.run / "checkpoints")
    assert [path.name for path in checkpoints] == ["step-0000040", "step-0000050", "step-0000060"]
    parts = [model_tensors(load_model(path)) for path in checkpoints]
    for name, tensor in model_tensors(load_model(averaged)).items():
        torch.testing.assert_close(tensor, torch.stack([part[name] for part in parts]).mean(0))
    assert (averaged / "tokenizer.spm").read_bytes() == (workplace.run / "tokenizer.spm").read_bytes()

    card = read_card(averaged)
    assert (card.name, card.languages, card.licence, card.updates) == ("toy", ("xa", "xb"), "CC0-1.0", 60)
    assert card.golden == {"xa": ("a b",), "xb": ("n m",)}
    assert card.recipe == workplace.recipe.read_text(encoding="utf-8")
    assert card.target_tokens == seen[-1]["tokens"]
    assert [(source["name"], source["pairs"], source["weight"]) for source in card.sources] == [
        ("easy", 60, 1.0),
        ("mixed", 200, 0.5),
    ]
    assert card.sources[1]["sha256"] == hashlib.sha256((workplace.data / "mixed.tsv.gz").read_bytes()).hexdigest()

    assert workplace.train() == [], "a finished run has nothing left to do"
    assert workplace.logged() == seen


@pytest.mark.parametrize("optimizer", ["adam", "muon"])
def test_a_run_that_died_continues_as_if_it_had_not(workplaces: Iterator[Workplace], optimizer: str) -> None:
    # Everything that could differ: dropout noise, accumulation, the early sources, the averaged model.
    options = {"model": "dropout = 0.2", "updates": 15, "accumulate": 2, "early_updates": 6, "batch_tokens": 60}
    options |= {"optimizer": optimizer, "checkpoint_every": 5, "validate_every": 5}
    whole, broken = next(workplaces), next(workplaces)
    whole.write_recipe(**options)
    expected = whole.train()
    broken.write_recipe(**options)
    for update in (2, 7, 13):  # before the first checkpoint, and twice after one

        def die(metrics: Metrics, at: int = update) -> None:
            if metrics["update"] == at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            broken.train(die)
        with (broken.run / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"update": 9')  # as if it had died while writing
    broken.train()
    assert curve(broken.logged()) == curve(expected) == curve(whole.logged())
    assert equal_models(broken.run / "averaged", whole.run / "averaged")


def equal_models(a: Path, b: Path) -> bool:
    ours, theirs = model_tensors(load_model(a)), model_tensors(load_model(b))
    return all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())


def command(workplace: Workplace) -> list[str]:
    paths = [str(workplace.recipe), "--data", str(workplace.data), "--out", str(workplace.run)]
    return [sys.executable, "-m", "app", "train", *paths, "--device", "cpu", "--threads", "1"]


def test_a_killed_run_continues_as_if_it_had_not(workplaces: Iterator[Workplace]) -> None:
    options = {"model": "dropout = 0.1", "updates": 2000, "checkpoint_every": 5, "validate_every": 5}
    killed, whole = next(workplaces), next(workplaces)
    killed.write_recipe(**options)
    with subprocess.Popen(command(killed), cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(WAIT_S, process.kill)
        watchdog.start()
        assert process.stderr is not None
        # The validation of update 10 is reported after the checkpoint of update 5 and before that of update 10.
        reached = any("update 10: validation loss" in line for line in process.stderr)
        process.kill()
        watchdog.cancel()
    assert reached and process.returncode == -9
    assert training_checkpoints(killed.run / "checkpoints")
    assert not (killed.run / "averaged").exists()

    # Far fewer updates are enough to compare: both go on to 20, under the same schedule.
    def stop(metrics: Metrics) -> None:
        if metrics["update"] == 20:
            raise KeyboardInterrupt

    whole.write_recipe(**options)
    for workplace in (killed, whole):
        with pytest.raises(KeyboardInterrupt):
            workplace.train(stop)
    assert [row["update"] for row in killed.logged()] == list(range(1, 21))
    assert curve(killed.logged()) == curve(whole.logged())


def test_two_processes_train_as_one_that_accumulates(workplaces: Iterator[Workplace]) -> None:
    options = {"model": "dropout = 0.0", "updates": 10, "early_updates": 3, "batch_tokens": 60}
    single, parallel = next(workplaces), next(workplaces)
    single.write_recipe(**options, accumulate=2)
    expected = single.train()
    parallel.write_recipe(**options)
    # What torchrun sets, with the test in the agent's place.
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "WORLD_SIZE": "2",
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "GLOO_SOCKET_IFNAME": "lo",
    }
    workers = [
        subprocess.Popen(
            command(parallel),
            cwd=ROOT,
            env={**os.environ, **shared, "RANK": rank, "LOCAL_RANK": rank},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    try:
        outputs = [worker.communicate(timeout=WAIT_S)[1] for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    assert [worker.returncode for worker in workers] == [0, 0], outputs
    found = parallel.logged()
    assert [row["update"] for row in found] == list(range(1, 11))
    for ours, theirs in zip(curve(found), curve(expected), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    assert "update 10: validation loss" in outputs[0] and "update 10" not in outputs[1]
    assert read_card(parallel.run / "averaged").updates == 10


def test_two_accumulated_batches_are_one_of_double_size(workplaces: Iterator[Workplace]) -> None:
    model = "alignment_layer = 1\ndropout = 0.0"
    parts = next(workplaces).trainer(model=model, accumulate=2, alignment_weight=0.3, clip_norm=0.5)
    whole = next(workplaces).trainer(model=model, alignment_weight=0.3, clip_norm=0.5)
    stream = BatchStream(parts.corpora, [1.0, 1.0], parts.recipe, parts.tags)
    plan = stream.epoch(0)
    for first, second in zip(plan[:6:2], plan[1:6:2], strict=True):
        halves = parts.update(iter([stream.collate(first), stream.collate(second)]))
        double = whole.update(iter([stream.collate(np.concatenate([first, second]))]))
        assert curve([halves])[0] == pytest.approx(curve([double])[0], rel=1e-4)
    for name, tensor in model_tensors(parts.model).items():
        if name.endswith("key.bias"):
            continue  # attention doesn't depend on it: its gradient is rounding noise, which Adam makes as large as any
        torch.testing.assert_close(tensor, model_tensors(whole.model)[name], rtol=1e-3, atol=1e-5)


def test_training_stops_when_validation_no_longer_improves(workplace: Workplace) -> None:
    # A rate too small to change a weight: the first validation stays the best.
    workplace.write_recipe(updates=50, validate_every=2, patience=3, peak_rate=1e-30)
    seen = workplace.train()
    assert [row["update"] for row in seen if "validation_loss" in row] == [2, 4, 6, 8]
    assert seen[-1]["update"] == 8
    assert read_card(workplace.run / "averaged").updates == 8
    assert workplace.train() == [], "nor does it start again"


def test_without_patience_training_goes_on(workplace: Workplace) -> None:
    workplace.write_recipe(updates=9, validate_every=1, patience=0, peak_rate=1e-30)
    assert len(workplace.train()) == 9


def test_bfloat16_trains_nearly_as_float32_does(workplaces: Iterator[Workplace]) -> None:
    curves = []
    for precision in ("float32", "bfloat16"):
        workplace = next(workplaces)
        workplace.write_recipe(updates=15, precision=precision)
        curves.append([row["likelihood"] for row in workplace.train()])
        tensors = model_tensors(load_model(workplace.run / "averaged"))
        assert {tensor.dtype for tensor in tensors.values()} == {torch.float32}
    assert curves[0] != curves[1]
    assert curves[1] == pytest.approx(curves[0], rel=0.02)
    assert curves[1][-1] < curves[1][0]


def sentences(trainer: Trainer, batches: list[Batch]) -> set[str]:
    processor = sentencepiece.SentencePieceProcessor(model_file=str(trainer.tokenizer))
    return {processor.decode(row) for batch in batches for row in batch.source.tolist()}


def test_early_updates_see_early_sources_only(workplace: Workplace) -> None:
    trainer = workplace.trainer(early_updates=8, accumulate=2)
    easy = {side for pair in read_pairs(workplace.data / "easy.tsv") for side in pair}
    every = easy | {side for pair in read_pairs(workplace.data / "mixed.tsv.gz") for side in pair}
    batches = list(islice(trainer.batches(0), 60))
    early, later = sentences(trainer, batches[:16]), sentences(trainer, batches[16:])
    assert early and early <= easy
    assert later <= every and not later <= easy


@pytest.mark.parametrize("update", [0, 3, 8, 11])
def test_batches_from_an_update_on_are_those_the_run_would_have_seen(workplace: Workplace, update: int) -> None:
    trainer = workplace.trainer(early_updates=8, accumulate=2)
    every = list(islice(trainer.batches(0), 40))
    for ours, theirs in zip(trainer.batches(update), every[2 * update :], strict=False):
        for one, other in zip(ours.segments, theirs.segments, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one[:5], other[:5], strict=True))


def test_the_validation_loss_is_the_likelihood_of_each_pair_in_both_directions(workplace: Workplace) -> None:
    trainer = workplace.trainer(model="dropout = 0.5")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(trainer.tokenizer))
    tags = [processor.piece_to_id(f"<2{language}>") for language in ("xa", "xb")]
    total, tokens = 0.0, 0
    with torch.no_grad():
        trainer.model.eval()
        for pair in read_pairs(workplace.data / "valid.tsv"):
            for reverse in (False, True):
                source, target = (processor.encode(pair[side]) for side in (reverse, not reverse))
                states, _ = trainer.model(torch.tensor([[tags[not reverse], *source, 2]]), torch.tensor([[1, *target]]))
                expected = torch.tensor([*target, 2])
                total += F.cross_entropy(trainer.model.logits(states[0]), expected, reduction="sum").item()
                tokens += len(expected)
        trainer.model.train()
    assert trainer.validate() == pytest.approx(total / tokens, rel=1e-5)
    assert trainer.model.training, "dropout is back"
    assert trainer.state.best_loss == pytest.approx(total / tokens, rel=1e-5)


def test_a_run_goes_on_from_an_earlier_one(workplaces: Iterator[Workplace]) -> None:
    earlier, later = next(workplaces), next(workplaces)
    earlier.write_recipe(updates=40)
    before = earlier.train()
    later.write_recipe(head=f'initial = "{earlier.run / "averaged"}"', updates=10, warmup=1, peak_rate=1e-3)
    after = later.train()
    assert after[0]["likelihood"] < 0.8 * before[0]["likelihood"]
    cards = [read_card(workplace.run / "averaged") for workplace in (earlier, later)]
    assert [run.recipe for run in cards[1].earlier] == [cards[0].recipe]
    assert cards[1].earlier[0].target_tokens == cards[0].target_tokens == int(before[-1]["tokens"])
    assert cards[1].updates == 10


def test_the_averaged_model_keeps_a_share_of_what_the_run_started_from(workplaces: Iterator[Workplace]) -> None:
    earlier, later = next(workplaces), next(workplaces)
    earlier.write_recipe(updates=4)
    earlier.train()
    initial = earlier.run / "averaged"
    later.write_recipe(head=f'initial = "{initial}"\ninitial_share = 0.25', model="dropout = 0.3", updates=6, keep=1)
    later.train()
    (last,) = training_checkpoints(later.run / "checkpoints")
    parts = [model_tensors(load_model(folder)) for folder in (initial, last)]
    for name, tensor in model_tensors(load_model(later.run / "averaged")).items():
        torch.testing.assert_close(tensor, 0.25 * parts[0][name] + 0.75 * parts[1][name])


def test_changed_copies_are_trained_on_and_not_counted_as_pairs(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    write_toy_data(workplace.data)
    recipe = workplace.write_recipe(
        model="alignment_layer = 1", alignment_weight=0.5, augmentation="capitals = 0.5\nplaceholders = 1.0"
    )
    reported: list[str] = []
    build_corpus(recipe, workplace.data, workplace.run, report=reported.append)
    assert "added 130 changed copies" in reported
    assert [fact["pairs"] for fact in corpus_facts(workplace.run)] == [60, 200, 20]
    corpora, validation = load_corpus(recipe, workplace.run)
    assert len(validation) == 20
    processor = sentencepiece.SentencePieceProcessor(model_file=str(workplace.run / "tokenizer.spm"))
    texts = [[processor.decode(corpus.side(pair, 0).tolist()) for pair in range(len(corpus))] for corpus in corpora]
    for found, size in zip(texts, (60, 200), strict=True):
        assert sum(text.isupper() for text in found) == size // 2
        assert size // 4 < sum(any(char in PLACEHOLDERS for char in text) for text in found) <= 3 * size // 2


class Clock:
    """Each look at it takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_a_run_ends_when_its_time_is_over(workplaces: Iterator[Workplace], monkeypatch: pytest.MonkeyPatch) -> None:
    timed, again = next(workplaces), next(workplaces)
    options = {"schedule": "trapezoid", "warmup": 3}
    timed.write_recipe(updates=1000, cooldown=500, **options)
    monkeypatch.setattr("model.training.train.time", SimpleNamespace(monotonic=Clock(), perf_counter=Clock()))
    reported, seen = list[str](), list[Metrics]()
    train(timed.recipe, timed.data, timed.run, CPU, report=reported.append, on_update=seen.append, minutes=0.4)
    assert [row["update"] for row in seen] == list(range(1, 24))
    assert seen[-1]["updates"] == 24
    assert reported[-1] == "about the same without --minutes: updates = 23, cooldown = 11"
    assert read_card(timed.run / "averaged").updates == 23

    again.write_recipe(updates=23, cooldown=11, **options)
    assert [row["rate"] for row in seen] == pytest.approx([row["rate"] for row in again.train()], abs=5e-3 / 11)


def test_the_time_of_earlier_starts_counts(workplace: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    workplace.write_recipe(schedule="trapezoid", updates=40, checkpoint_every=10)
    seen = list[Metrics]()

    def stop(metrics: Metrics) -> None:
        seen.append(metrics)
        if len(seen) == 12:
            raise InterruptedError

    def start() -> None:
        train(workplace.recipe, workplace.data, workplace.run, CPU, report=print, on_update=stop, minutes=0.4)

    # An update takes a second. Only the trainer has these clocks: others, which anybody may look at, would run ahead.
    monkeypatch.setattr("model.training.train.time", SimpleNamespace(monotonic=Clock(), perf_counter=Clock()))
    with pytest.raises(InterruptedError):
        start()
    start()
    assert [row["update"] for row in seen] == [*range(1, 13), *range(11, 24)]
    assert seen[12]["rate"] == pytest.approx(seen[10]["rate"])
    start()
    assert seen[-1]["update"] == 23, "there is nothing left to do"


def test_minutes_need_a_trapezoid(workplace: Workplace) -> None:
    workplace.write_recipe()
    with pytest.raises(RecipeError, match="--minutes needs schedule"):
        train(workplace.recipe, workplace.data, workplace.run, CPU, report=print, on_update=print, minutes=1)
