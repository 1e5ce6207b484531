import json
import random
from collections import Counter
from pathlib import Path

import pytest

from model.data import preparation
from model.data.pairs import PairsError, read_pairs, write_pairs
from model.data.preparation import PreparationError, Rules, clean, key, normalise, prepare, split

RULES = Rules()


def reasons(*pairs: tuple[str, str], rules: Rules = RULES) -> dict[str, int]:
    rejected: Counter[str] = Counter()
    kept = list(clean(pairs, rules, rejected=rejected))
    assert len(kept) + rejected.total() == len(pairs)
    return dict(rejected)


def corpus(size: int, *, sources: int | None = None) -> list[tuple[str, str]]:
    """Different pairs; with ``sources`` fewer different sources than pairs."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]

    def number(n: int) -> str:
        return " ".join(words[int(digit)] for digit in str(n))

    return [(f"quelle {number(n % (sources or size))}", f"target {number(n)}") for n in range(size)]


def keys(pairs: list[tuple[str, str]], side: int) -> set[str]:
    return {key(pair[side]) for pair in pairs}


def test_text_is_normalised() -> None:
    assert normalise("  Scho\u0308n,\u00a0\t sagte\u2028sie. ") == "Schön, sagte sie."
    assert normalise("Do\u00adnau\x00\ufeff dampf\u200b\x7f\x9f") == "Donau dampf"
    assert normalise("نمی\u200cخواهم") == "نمی\u200cخواهم"


def test_pairs_that_pass_come_out_normalised_and_in_order() -> None:
    pairs = [("Guten  Tag.", "Good day. "), ("Ja", "Yes")]
    assert list(clean(pairs, RULES)) == [("Guten Tag.", "Good day."), ("Ja", "Yes")]


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("", "nothing"), preparation.EMPTY),
        (("nichts", " \x00 "), preparation.EMPTY),
        (("wort " * 121, "word " * 120), preparation.TOO_LONG),
        (("wort", "four words are many"), preparation.UNBALANCED),
        (("Berlin", "Berlin"), preparation.COPY),
        (("2 + 2 = 4 also", "2 + 2 = 4 so"), preparation.FEW_LETTERS),
        (("Worte", "?!"), preparation.FEW_LETTERS),
    ],
)
def test_each_rule_rejects_with_its_reason(pair: tuple[str, str], reason: str) -> None:
    assert reasons(pair) == {reason: 1}


@pytest.mark.parametrize(
    "pair",
    [
        ("wort " * 120, "word " * 120),
        ("zwei Wörter", "two words and four more"),  # exactly 3 to 1
        ("abc 12", "xyz 34"),  # exactly 60 % letters
        ("हिन्दी की", "of Hindi"),  # vowel signs are no letters to Unicode, but to us
    ],
)
def test_pairs_at_the_bounds_pass(pair: tuple[str, str]) -> None:
    assert reasons(pair) == {}


def test_rules_can_be_tightened() -> None:
    assert reasons(("ja", "yes"), rules=Rules(min_words=2)) == {preparation.TOO_SHORT: 1}
    assert reasons(("eins zwei drei", "one two"), rules=Rules(max_words=2)) == {preparation.TOO_LONG: 1}
    balanced = Rules(max_ratio=1.5)
    assert reasons(("Wort", "three words long"), rules=balanced) == {}  # 3 to 1, but too short to judge
    assert reasons(("zwei Wörter", "a few words more"), rules=balanced) == {preparation.UNBALANCED: 1}
    assert reasons(("A 1", "B 2"), rules=Rules(min_letter_share=0)) == {}


@pytest.mark.parametrize(
    "options", [{"min_words": 0}, {"min_words": 5, "max_words": 4}, {"max_ratio": 0.5}, {"min_letter_share": 60}]
)
def test_impossible_rules_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(PreparationError, match=next(iter(options))):
        Rules(**options)


def test_of_duplicates_the_first_is_kept() -> None:
    pairs = [("Na gut!", "Well, OK."), ("na gut", "„well“ ok"), ("Na gut!", "All right."), ("Na gut!", "Well, OK.")]
    rejected: Counter[str] = Counter()
    assert list(clean(pairs, RULES, rejected=rejected)) == [pairs[0], pairs[2]]
    assert rejected == {preparation.DUPLICATE: 2}


def test_split_has_the_asked_sizes_and_loses_nothing() -> None:
    pairs = corpus(500)
    parts = split(pairs, valid=30, test=50, seed=1)
    train = list(parts.train)
    assert (len(train), len(parts.valid), len(parts.test)) == (420, 30, 50)
    assert sorted(train + parts.valid + parts.test) == sorted(pairs)


def test_split_does_not_depend_on_the_order() -> None:
    pairs = corpus(500, sources=100)
    shuffled = random.Random(5).sample(pairs, len(pairs))
    one, other = split(pairs, valid=10, test=20, seed=1), split(shuffled, valid=10, test=20, seed=1)
    assert (one.valid, one.test, sorted(one.train)) == (other.valid, other.test, sorted(other.train))


def test_another_seed_draws_other_pairs() -> None:
    pairs = corpus(500)
    draws = [split(pairs, valid=0, test=20, seed=seed).test for seed in (1, 1, 2)]
    assert draws[0] == draws[1]
    assert len(set(draws[0]) & set(draws[2])) < 10


@pytest.mark.parametrize("sources", [100, 40])  # with 40 sources the first shortlist is too short
def test_no_part_shares_a_side_with_another(sources: int) -> None:
    pairs = corpus(2000, sources=sources)
    parts = split([(source.upper() + "!", target) for source, target in pairs], valid=15, test=20, seed=3)
    train = list(parts.train)
    assert (len(parts.valid), len(parts.test)) == (15, 20)
    assert train
    for side in (0, 1):
        assert keys(train, side).isdisjoint(keys(parts.valid, side) | keys(parts.test, side))
        assert keys(parts.valid, side).isdisjoint(keys(parts.test, side))


def test_split_refuses_what_it_cannot_do() -> None:
    with pytest.raises(PreparationError, match=r"cannot draw 11 pairs .* of 100 clean pairs only 10 qualify"):
        split(corpus(100, sources=10), valid=1, test=10, seed=1)
    with pytest.raises(PreparationError, match="must not be negative"):
        split(corpus(10), valid=-1, test=2, seed=1)
    with pytest.raises(TypeError, match="not an iterator"):
        split(iter(corpus(10)), valid=1, test=1, seed=1)


def test_prepare_writes_the_parts_and_a_report_that_adds_up(tmp_path: Path) -> None:
    first, second = tmp_path / "a.tsv.gz", tmp_path / "b.tsv"
    write_pairs(first, [*corpus(200), ("", "empty")])
    write_pairs(second, [*corpus(200)[:50], *corpus(300, sources=150)[200:], ("Berlin", "Berlin")])
    steps: list[tuple[str, int, int | None]] = []
    report = prepare(
        [first, second],
        tmp_path / "new" / "out",
        rules=RULES,
        valid=10,
        test=20,
        seed=1,
        progress=lambda *step: steps.append(step),
    )
    out = tmp_path / "new" / "out"
    assert sorted(path.name for path in out.iterdir()) == ["report.json", "test.tsv", "train.tsv.xz", "valid.tsv"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    sizes = {name: len(list(read_pairs(out / name))) for name in ("train.tsv.xz", "valid.tsv", "test.tsv")}
    assert sizes == {"train.tsv.xz": report.train, "valid.tsv": 10, "test.tsv": 20}
    assert report.inputs == {str(first): 201, str(second): 151}
    assert report.rejected[preparation.DUPLICATE] == 50
    assert report.rejected[preparation.EMPTY] == report.rejected[preparation.COPY] == 1
    assert report.rejected[preparation.SHARED] > 0
    assert report.read == 352 == sum(report.rejected.values()) + report.train + 30
    assert ("clean", 352, 352) in steps
    assert steps[-1] == ("split", 300, 300)
    record = json.loads((out / "report.json").read_text())
    assert (record["read"], record["seed"], record["rules"]["max_words"]) == (352, 1, 120)


def test_training_pairs_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    write_pairs(path, corpus(100))
    prepare([path], tmp_path / "out", rules=RULES, valid=5, test=5, seed=1)
    train = list(read_pairs(tmp_path / "out" / "train.tsv.xz"))
    assert train == [pair for pair in corpus(100) if pair in set(train)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "a.tsv: no such file"),
        (b"ja\tyes\nnein\n", "a.tsv:2: expected source TAB target"),
        (b"\xff\tyes\n", "a.tsv:1: not UTF-8"),
        (b"", "none of 0 pairs is left .* the files are empty"),
        (b"Berlin\tBerlin\n", "none of 1 pairs is left to train on: 1 source equals target"),
    ],
)
def test_failure_leaves_nothing_behind(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "a.tsv"
    if content is not None:
        path.write_bytes(content)
    before = sorted(tmp_path.iterdir())
    with pytest.raises((PairsError, PreparationError), match=message):
        prepare([path], tmp_path / "out", rules=RULES, valid=0, test=0, seed=1)
    assert sorted(tmp_path.iterdir()) == before


def test_an_existing_result_is_never_overwritten(tmp_path: Path) -> None:
    path, out = tmp_path / "a.tsv", tmp_path / "out"
    write_pairs(path, corpus(20))
    out.mkdir()
    prepare([path], out, rules=RULES, valid=2, test=2, seed=1)
    with pytest.raises(PreparationError, match="already exists"):
        prepare([path], out, rules=RULES, valid=2, test=2, seed=1)
