"""Measures the index of a translation memory: how long it takes to build, how large it is, how long a search takes.

    python -m benchmarks.translation_memory data/de-en/eval/tatoeba.test.tsv

Its texts are the sentences of the file, and copies of them with three words more each. Half of the searches are for a
sentence with another word in it. Times are the processor's.
"""

import argparse
import random
import sys
import time
from pathlib import Path

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from app.text.memory.index import FuzzyIndex

TEXTS, SEARCHES, COMPARED = 100_000, 2_000, 50
LEAST = 0.75


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pairs", type=Path, help="a file of lines with the text before a tab")
    sentences = [line.partition("\t")[0] for line in parser.parse_args().pairs.read_text().splitlines()]
    numbers = random.Random(1)
    words = sorted({word for sentence in sentences for word in sentence.split()})
    texts = [*sentences]
    while len(texts) < TEXTS:
        longer = numbers.choice(sentences).split()
        for _ in range(3):
            longer.insert(numbers.randrange(len(longer) + 1), numbers.choice(words))
        texts.append(" ".join(longer))
    began = time.process_time()
    index = FuzzyIndex(enumerate(texts))
    print(f"{len(index):,} texts of {sum(map(len, texts)) / len(texts):.0f} characters")
    print(f"built in {time.process_time() - began:.2f} s")
    size = index._postings.nbytes + sum(map(sys.getsizeof, index._texts))
    print(f"{size / 1e6:.0f} MB")
    queries = [_changed(numbers.choice(texts), words, numbers) for _ in range(SEARCHES)]
    began = time.process_time()
    for query in queries:
        index.find(query, LEAST)
    print(f"{1000 * (time.process_time() - began) / SEARCHES:.1f} ms for a search")
    missed = 0
    for query in queries[:COMPARED]:
        best = process.extractOne(query, texts, scorer=Levenshtein.normalized_similarity, score_cutoff=LEAST)
        found = index.find(query, LEAST)
        missed += best is not None and (not found or found[0].similarity < best[1])
    print(f"{missed} of {COMPARED} searches missed the best that a comparison with all texts finds")


def _changed(text: str, words: list[str], numbers: random.Random) -> str:
    changed = text.split()
    if numbers.random() < 0.5:
        changed[numbers.randrange(len(changed))] = numbers.choice(words)
    return " ".join(changed)


if __name__ == "__main__":
    main()
