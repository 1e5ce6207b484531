import json
import shutil
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from app.cli.main import app
from app.engine.models.bundle import Bundle
from model.data.pairs import write_pairs
from model.training.curves import draw_curves
from tests.support.tiny import sentence_pairs
from tests.support.toy_language import toy_recipe, write_toy_data

PNG = b"\x89PNG\r\n\x1a\n"


def run(*arguments: object) -> Result:
    # Wide enough that no line of a table or of an error is folded.
    return CliRunner(env={"COLUMNS": "400", "TERM": "dumb"}).invoke(app, [str(argument) for argument in arguments])


def refused(result: Result, *, code: int, saying: str) -> None:
    """It failed with this exit code and said why: in the last line, or, where the usage is wrong, in a box."""
    assert result.exit_code == code, result.output
    assert saying in result.stderr
    assert "Traceback" not in result.output
    if code == 1:
        assert saying in result.stderr.splitlines()[-1]
        assert result.stderr.splitlines()[-1].startswith("error: ")


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A folder with a recipe and its data."""
    return write_toy(tmp_path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """Such a folder whose recipe was run, and what the command said."""
    folder = write_toy(tmp_path_factory.mktemp("trained"))
    return folder, run("train", folder / "toy.toml", *in_folder(folder))


def write_toy(folder: Path) -> Path:
    write_toy_data(folder / "data")
    (folder / "toy.toml").write_text(toy_recipe(updates=6, validate_every=3), encoding="utf-8")
    return folder


def in_folder(folder: Path) -> list[object]:
    return ["--data", folder / "data", "--out", folder / "run", "--device", "cpu", "--threads", "1"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A folder of test sets."""
    (tmp_path / "sets").mkdir()
    write_pairs(tmp_path / "sets" / "first.tsv", sentence_pairs(6, seed=2))
    write_pairs(tmp_path / "sets" / "second.tsv", sentence_pairs(4, seed=3))
    return tmp_path / "sets"


def test_shares_compares_means_of_a_run_and_its_initial_model(trained: tuple[Path, Result], toy: Path) -> None:
    initial = trained[0] / "run" / "averaged"
    (toy / "again.toml").write_text(toy_recipe(head=f'initial = "{initial}"', updates=6), encoding="utf-8")
    assert run("train", toy / "again.toml", *in_folder(toy)).exit_code == 0
    result = run("shares", toy / "again.toml", toy / "data", "--out", toy / "run", "--share", "0", "--share", "0.5")
    assert result.exit_code == 0, result.output
    lines = [line.replace("│", " ").split() for line in result.stdout.splitlines() if "│" in line]
    assert [name for name, *_ in lines] == ["easy", "mixed", "valid", "mean"]
    (*sets, means) = [[float(cell) for cell in cells] for _, *cells in lines]
    assert means == pytest.approx([sum(column) / 3 for column in zip(*sets, strict=True)], abs=0.0011)
    assert len(means) == 2
    refused(run("shares", toy / "toy.toml", toy / "data"), code=1, saying="the recipe names no initial model")


def test_train_makes_a_model_that_evaluate_takes(trained: tuple[Path, Result]) -> None:
    toy, result = trained
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    for line in ("training a tokenizer of 300 pieces", "update 3: validation loss", "update 6: validation loss"):
        assert line in result.stderr
    assert f"{toy / 'run' / 'averaged'} is ready: dragoman export {toy / 'run' / 'averaged'} OUT" in result.stderr
    assert (toy / "run" / "curves.png").read_bytes().startswith(PNG)
    assert len((toy / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()) == 6

    again = run("train", toy / "toy.toml", *in_folder(toy))
    assert again.exit_code == 0 and "update" not in again.stderr

    scores = run("evaluate", toy / "run" / "averaged", toy / "data" / "valid.tsv", "--beam-size", "1", "--json")
    assert scores.exit_code == 0, scores.output
    directions = [json.loads(line) for line in scores.stdout.splitlines()]
    assert [(score["source"], score["target"], score["sentences"]) for score in directions] == [
        ("xa", "xb", 20),
        ("xb", "xa", 20),
    ]


def test_a_run_is_kept_under_the_recipes_name(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(toy)
    (toy / "data" / "valid.tsv").unlink()
    refused(run("train", "toy.toml", "--data", "data"), code=1, saying="valid.tsv: no such file")
    assert (toy / "runs" / "toy").is_dir()


def test_what_train_can_not_use_is_one_clear_line(toy: Path) -> None:
    def train(recipe: str, *options: object) -> Result:
        return run("train", toy / recipe, "--data", toy / "data", "--out", toy / "run", "--device", "cpu", *options)

    refused(train("missing.toml"), code=1, saying="missing.toml: No such file or directory")
    (toy / "typo.toml").write_text(toy_recipe().replace("updates", "update", 1), encoding="utf-8")
    refused(train("typo.toml"), code=1, saying="typo.toml: training.updates: Field required")
    (toy / "big.toml").write_text(toy_recipe().replace("vocabulary = 300", "vocabulary = 900"), encoding="utf-8")
    refused(train("big.toml"), code=1, saying="no tokenizer of 900 pieces from this text: Vocabulary size too high")
    (toy / "data" / "easy.tsv").write_text("no tab\n", encoding="utf-8")
    refused(train("toy.toml"), code=1, saying="easy.tsv:1: expected source TAB target, found no tab")
    refused(train("toy.toml", "--threads", "0"), code=2, saying="--threads")


def test_a_device_that_is_not_there_is_refused(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    refused(run("train", toy / "toy.toml", "--device", "cuda"), code=2, saying="no CUDA device")
    refused(run("train", toy / "toy.toml", "--device", "tpu"), code=2, saying="must be auto, cpu or cuda")


def test_a_damaged_checkpoint_is_named(trained: tuple[Path, Result], tmp_path: Path) -> None:
    toy = Path(shutil.copytree(trained[0], tmp_path / "toy"))
    optimizer = toy / "run" / "checkpoints" / "step-0000006" / "optimizer.safetensors"
    optimizer.write_bytes(optimizer.read_bytes()[:100])
    refused(run("train", toy / "toy.toml", *in_folder(toy)), code=1, saying=f"{optimizer} is damaged")


def test_evaluate_shows_every_set_in_both_directions(tiny_checkpoint: Path, pairs: Path) -> None:
    result = run("evaluate", tiny_checkpoint, pairs, "--beam-size", "2", "--limit", "5")
    assert result.exit_code == 0, result.output
    rows = [line.replace("│", " ").split() for line in result.stdout.splitlines()]
    shown = [row[:3] for row in rows if row[:1] in (["first"], ["second"])]
    assert shown == [
        ["first", "de-en", "5"],
        ["first", "en-de", "5"],
        ["second", "de-en", "4"],
        ["second", "en-de", "4"],
    ]
    assert "float32, beam 2" in " ".join(result.stdout.split())  # the folder's name may break the line
    assert "BLEU nrefs:1|case:mixed" in result.stdout and "chrF nrefs:1|case:mixed" in result.stdout
    for name in ("first", "first reversed", "second", "second reversed"):
        assert name in result.stderr


def test_what_evaluate_can_not_use_is_one_clear_line(tiny_checkpoint: Path, pairs: Path, tmp_path: Path) -> None:
    refused(run("evaluate", tmp_path / "none", pairs), code=1, saying="none/config.json can't be read")
    refused(run("evaluate", tiny_checkpoint, tmp_path / "none.tsv"), code=1, saying="none.tsv: no such file")
    (tmp_path / "empty").mkdir()
    refused(run("evaluate", tiny_checkpoint, tmp_path / "empty"), code=1, saying="no files that end in .tsv")
    refused(run("evaluate", tiny_checkpoint, pairs, "--precision", "int4"), code=2, saying="must be one of int8,")
    refused(run("evaluate", tiny_checkpoint, pairs, "--write"), code=2, saying="needs a bundle")
    refused(run("evaluate", tiny_checkpoint, pairs, "--beam-size", "17"), code=2, saying="--beam-size")


def test_evaluate_writes_scores_of_whole_sets_into_a_bundle(tiny_bundle: Bundle, pairs: Path, tmp_path: Path) -> None:
    bundle = shutil.copytree(tiny_bundle.path, tmp_path / "bundle")
    options = ["--precision", "float32", "--beam-size", "1", "--threads", "1", "--write"]
    refused(run("evaluate", bundle, pairs, *options, "--limit", "2"), code=2, saying="whole sets")
    assert Bundle.open(bundle).manifest.scores == ()
    result = run("evaluate", bundle, pairs, *options, "--json")
    assert result.exit_code == 0, result.output
    printed = [json.loads(line) for line in result.stdout.splitlines()]
    assert [score.model_dump() for score in Bundle.open(bundle).manifest.scores] == printed
    assert len(printed) == 4


@pytest.mark.parametrize("validated", [True, False])
def test_curves_are_a_picture(tmp_path: Path, validated: bool) -> None:
    rows = [
        {"tokens": 100 * n, "likelihood": 5 - n / 10, "alignment": 1.0, "rate": n / 1000}
        | ({"validation_loss": 4.5} if validated and n % 3 == 0 else {})
        for n in range(1, 8)
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    draw_curves(tmp_path / "metrics.jsonl", tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(PNG)


def test_contrast_measures_a_model_that_translates_into_german_and_refuses_others(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    document = [("Der Hund schläft.", "The dog is asleep."), ("Er ist müde.", "It is tired.")]
    write_pairs(tmp_path / "document.tsv", document)
    result = run("contrast", tiny_checkpoint, tmp_path / "document.tsv", "--before", "1", "--threads", "1")
    assert result.exit_code == 0, result.output
    assert any(line.split()[1:3] == ["er", "│"] for line in result.stdout.splitlines()), result.stdout

    shutil.copytree(tiny_checkpoint, tmp_path / "forward")
    card = json.loads((tiny_checkpoint / "card.json").read_text(encoding="utf-8"))
    (tmp_path / "forward" / "card.json").write_text(json.dumps({**card, "direction": "forward"}), encoding="utf-8")
    refused(run("contrast", tmp_path / "forward", tmp_path / "document.tsv"), code=2, saying="from en to de")
