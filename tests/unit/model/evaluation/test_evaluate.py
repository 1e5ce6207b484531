import random
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import sacrebleu

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision, Score
from app.engine.options import SearchOptions
from app.errors import BundleError
from model.data.pairs import PairsError, sentence_key, write_pairs
from model.evaluation.evaluate import CheckpointTranslator, TestSet, evaluate, open_translator, record_scores
from model.training.checkpoint import CheckpointError
from tests.support.reference import greedy_search, model_scores
from tests.support.tiny import sentence_pairs, source_ids

GREEDY = SearchOptions(beam_size=1)


class Fake:
    """Returns every reference, sometimes without a word, and records its requests."""

    languages = ("de", "en")
    precision: Precision = "float32"

    def __init__(self, test_set: TestSet) -> None:
        self.calls: list[tuple[list[str], str, str]] = []
        self.options: list[SearchOptions] = []
        self._known = {("de", "en"): dict(test_set.pairs), ("en", "de"): {b: a for a, b in test_set.pairs}}

    def translate(self, texts: Sequence[str], source: str, target: str, options: SearchOptions) -> list[str]:
        self.calls.append((list(texts), source, target))
        self.options.append(options)
        return [self.answer(text, source, target) for text in texts]

    def answer(self, text: str, source: str, target: str) -> str:
        words = self._known[source, target][text].split()
        return " ".join(word for at, word in enumerate(words) if (len(text) + at) % 5)

    def close(self) -> None:
        pass


def made_up_set(count: int = 150) -> TestSet:
    rng = random.Random(0)
    pairs = list(dict.fromkeys(sentence_pairs(3 * count, seed=5)))
    rng.shuffle(pairs)
    # One sentence can have two translations; the fake one knows only one.
    unique = list({a: (a, b) for a, b in {b: (a, b) for a, b in pairs}.values()}.values())
    return TestSet("made-up", tuple(unique[:count]))


@pytest.mark.parametrize("reverse", [False, True])
def test_scores_are_sacrebleus_own(reverse: bool) -> None:
    tests = made_up_set()
    fake, done = Fake(tests), [0]

    def advance(lines: int) -> None:
        done[0] += lines

    options = SearchOptions(beam_size=3)
    score = evaluate(fake, tests, reverse=reverse, options=options, advance=advance)

    source, target = ("en", "de") if reverse else ("de", "en")
    texts = [pair[reverse] for pair in tests.pairs]
    references = [[pair[not reverse] for pair in tests.pairs]]
    outputs = [fake.answer(text, source, target) for text in texts]
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    assert score.bleu == pytest.approx(bleu.corpus_score(outputs, references).score, abs=0.005)
    assert score.chrf == pytest.approx(chrf.corpus_score(outputs, references).score, abs=0.005)
    assert 20 < score.bleu < 95, "neither perfect nor hopeless: a wrong order would show"
    assert (score.bleu_signature, score.chrf_signature) == (str(bleu.get_signature()), str(chrf.get_signature()))
    assert (score.test_set, score.source, score.target, score.sentences) == ("made-up", source, target, 150)
    assert (score.precision, score.beam_size) == ("float32", 3)

    asked = [text for call, *_ in fake.calls for text in call]
    assert sorted(asked) == sorted(texts)
    assert asked == sorted(asked, key=len), "batches hold sentences of similar length"
    assert {(a, b) for _, a, b in fake.calls} == {(source, target)}
    assert max(len(call) for call, *_ in fake.calls) <= 64 < len(texts)
    assert done == [150] and set(fake.options) == {options}


def test_a_perfect_translation_scores_100() -> None:
    tests = made_up_set(20)
    fake = Fake(tests)
    fake.answer = lambda text, source, target: fake._known[source, target][text]  # type: ignore[method-assign]
    score = evaluate(fake, tests, reverse=False, options=GREEDY, advance=lambda lines: None)
    assert (score.bleu, score.chrf) == (100, 100)


def test_a_test_set_is_a_pair_file_named_after_it(tmp_path: Path) -> None:
    pairs = [("ja", "yes"), ("nein", "no"), ("gut", "good")]
    write_pairs(tmp_path / "tatoeba.valid.tsv.gz", pairs)
    assert TestSet.read(tmp_path / "tatoeba.valid.tsv.gz") == TestSet("tatoeba.valid", tuple(pairs))
    assert TestSet.read(tmp_path / "tatoeba.valid.tsv.gz", 2).pairs == tuple(pairs[:2])
    with pytest.raises(PairsError):
        TestSet.read(tmp_path / "other.tsv")


@pytest.mark.parametrize("column", [0, 1])
def test_keys_are_no_test_set(tmp_path: Path, column: int) -> None:
    pairs = [("Ein Satz.", "A sentence."), ("Noch einer.", "Another one.")]
    keyed = [(sentence_key(a), b) if column == 0 else (a, sentence_key(b)) for a, b in pairs]
    write_pairs(tmp_path / "keyed.tsv", keyed)
    with pytest.raises(PairsError, match=r"keyed\.tsv: holds keys, not sentences"):
        TestSet.read(tmp_path / "keyed.tsv")
    write_pairs(tmp_path / "keyed.tsv", [*keyed, pairs[0]])
    assert len(TestSet.read(tmp_path / "keyed.tsv").pairs) == 3, "a sentence may look like a key"


def test_an_empty_test_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").write_bytes(b"\n")
    with pytest.raises(PairsError, match=r"empty\.tsv: holds no pairs"):
        TestSet.read(tmp_path / "empty.tsv")


def test_a_checkpoint_translates_as_the_reference_does(tiny_checkpoint: Path) -> None:
    translator = CheckpointTranslator(tiny_checkpoint)
    assert translator.languages == ("de", "en")
    texts = ["Hund trinkt Wasser.", "", "klein alt Zug über Straße nicht heute."]
    for source, target in (("de", "en"), ("en", "de")):
        outputs = translator.translate(texts, source, target, GREEDY)
        sources = source_ids(tiny_checkpoint / "tokenizer.spm", texts, target)  # with the tag of the target
        for ids, output in zip(sources, outputs, strict=True):
            expected = greedy_search(model_scores(translator.model, ids), eos_id=2, max_length=3 * len(ids) + 16)
            assert output == translator.tokenizer.decode(expected)
    translator.close()


def test_the_path_decides_what_translates(tiny_checkpoint: Path, tiny_bundle: Bundle) -> None:
    checkpoint = open_translator(tiny_checkpoint, precision="int8", threads=1)
    assert isinstance(checkpoint, CheckpointTranslator) and checkpoint.precision == "float32"
    bundle = open_translator(tiny_bundle.path, precision="float32", threads=1)
    try:
        assert bundle.languages == ("de", "en") and bundle.precision == "float32"
        texts = ["Hund trinkt Wasser.", "Katze sieht Kaffee."]
        assert bundle.translate(texts, "de", "en", GREEDY) == checkpoint.translate(texts, "de", "en", GREEDY)
    finally:
        bundle.close()


def test_a_bundle_can_be_measured_without_its_lexicons(tiny_bundle: Bundle) -> None:
    found = []
    for lexicons in (True, False):
        with closing(
            open_translator(tiny_bundle.path, precision="float32", threads=1, lexicons=lexicons)
        ) as translator:
            found += translator.translate(["Narkose"], "de", "en", GREEDY)
    assert "anesthesia" in found[0] and "anesthesia" not in found[1]


def test_what_can_not_be_opened_is_named(tiny_checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"config\.json"):
        open_translator(tmp_path / "missing", precision="int8", threads=1)
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    (folder / "tokenizer.spm").write_bytes(b"no tokenizer")
    with pytest.raises(BundleError, match=r"tokenizer\.spm"):
        CheckpointTranslator(folder)
    shutil.copyfile(tiny_checkpoint / "tokenizer.spm", folder / "tokenizer.spm")
    (folder / "card.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"card\.json"):
        CheckpointTranslator(folder)


def test_scores_are_recorded_in_the_manifest_and_replace_earlier_ones(tiny_bundle: Bundle, tmp_path: Path) -> None:
    path = shutil.copytree(tiny_bundle.path, tmp_path / "bundle")

    def score(name: str, bleu: float, **changes: object) -> Score:
        values = {"source": "de", "target": "en", "sentences": 9, "precision": "int8", "beam_size": 4, **changes}
        return Score(test_set=name, bleu=bleu, chrf=5.0, bleu_signature="b", chrf_signature="c", **values)

    record_scores(path, [score("a", 1), score("b", 2)])
    record_scores(path, [score("a", 3), score("a", 4, beam_size=1), score("a", 5, source="en", target="de")])
    recorded = Bundle.open(path).manifest.scores
    assert [(item.test_set, item.bleu) for item in recorded] == [("a", 3), ("b", 2), ("a", 4), ("a", 5)]
