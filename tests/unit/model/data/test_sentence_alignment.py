from random import Random

from model.data.sentence_alignment import align_sentences

SYLLABLES = "ka lo mi ru te sa no pi du ge fa ho".split()


def document(sentences: int, rng: Random) -> list[str]:
    words = ["".join(rng.choices(SYLLABLES, k=3)) for _ in range(400)]
    return [" ".join(rng.choices(words, k=rng.randint(6, 14))) for _ in range(sentences)]


def roughly(sentence: str, rng: Random) -> str:
    """A free translation: a third of the words are different, and in another order."""
    words = [word for word in sentence.split() if rng.random() < 0.67]
    rng.shuffle(words)
    return " ".join([*words, "".join(rng.choices(SYLLABLES, k=3))])


def test_equal_documents_are_aligned_sentence_by_sentence() -> None:
    sentences = document(40, Random(1))
    beads = align_sentences(sentences, sentences)
    assert [(bead.first, bead.second) for bead in beads] == [((n, n + 1), (n, n + 1)) for n in range(40)]
    assert min(bead.cosine for bead in beads) > 0.99


def test_missing_split_and_joined_sentences_are_found() -> None:
    rng = Random(2)
    first = document(200, rng)
    second, truth, row = [], set(), 0
    while row < len(first):
        kind = rng.random()
        if kind < 0.1:
            row += 1  # not translated
            continue
        if kind < 0.15:
            second.append(" ".join(document(1, rng)))  # the translator's own
        if kind < 0.3 and row + 1 < len(first):
            truth.add(((row, row + 2), (len(second), len(second) + 1)))
            second.append(f"{roughly(first[row], rng)} {roughly(first[row + 1], rng)}")
            row += 2
        elif kind < 0.4:
            words = first[row].split()
            truth.add(((row, row + 1), (len(second), len(second) + 2)))
            second += [roughly(" ".join(part), rng) for part in (words[: len(words) // 2], words[len(words) // 2 :])]
            row += 1
        else:
            truth.add(((row, row + 1), (len(second), len(second) + 1)))
            second.append(roughly(first[row], rng))
            row += 1
    found = {(bead.first, bead.second) for bead in align_sentences(first, second) if bead.cosine > 0.3}
    assert len(found & truth) / len(found) > 0.9
    assert len(found & truth) / len(truth) > 0.9


def test_documents_with_nothing_in_common_have_no_beads() -> None:
    assert align_sentences(["one two three"], ["vier fünf sechs"]) == []


def test_an_empty_document_has_no_beads() -> None:
    assert align_sentences([], ["a"]) == align_sentences(["a"], []) == []
