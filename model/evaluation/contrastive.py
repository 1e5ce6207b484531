"""A contrastive test of words that depend on earlier sentences: the German for "it", and du or Sie for "you".

Examples are found in documents by rules: a reference translation and one that differs in the word in question alone. A
model is right if it gives the reference the higher probability (Sennrich 2017; Müller et al. 2018, "A Large-Scale Test
Set for the Evaluation of Context-Aware Pronoun Translation"). It reads the sentences before, with their reference
translations, or nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from app.engine.models.tokenizer import Tokenizer
from model.data.batches import pad
from model.data.pairs import Pair
from model.data.tokenizer import target_tag
from model.network.memory import Memories
from model.network.transformer import Transformer

_TOGETHER = 32
# Longer sentences say more by themselves, and are longer than most training had.
_MOST_WORDS = 30
_PRONOUNS = ("er", "sie", "es")
_PRONOUN = re.compile(r"\b(?:[Ee]r|[Ss]ie|[Ee]s)\b")
# A pronoun beside one of these is its subject.
_SINGULAR = (
    "ist war hat hatte wird wurde würde kann konnte könnte muss musste soll sollte will wollte darf durfte wäre hätte "
    "scheint schien kommt kam geht ging liegt lag steht stand bleibt blieb sieht sah gibt gab fällt fiel macht machte"
)
_VERB = f"(?i:{'|'.join(_SINGULAR.split())})"
_SUBJECT = re.compile(rf"\b(?:{_VERB} (er|sie|es)|([Ee]r|[Ss]ie|[Ee]s) {_VERB})\b")
_IT = re.compile(r"\bit\b", re.IGNORECASE)
_OTHER_PERSONS = re.compile(r"\b(?:he|she|they|you|him|her|them)\b", re.IGNORECASE)
_YOU = re.compile(r"\byou(?:r|rs|rself)?\b", re.IGNORECASE)
# Second person singular and the polite form, of verbs whose forms can't be taken for others.
_VERBS = {
    verb.split(":")[0]: verb.split(":")[1]
    for verb in """
    hast:haben bist:sind kannst:können willst:wollen musst:müssen sollst:sollen darfst:dürfen weißt:wissen wirst:werden
    würdest:würden warst:waren hattest:hatten könntest:könnten solltest:sollten wolltest:wollten musstest:mussten
    hättest:hätten möchtest:möchten siehst:sehen gehst:gehen kommst:kommen glaubst:glauben denkst:denken meinst:meinen
    sagst:sagen machst:machen bleibst:bleiben liebst:lieben kennst:kennen brauchst:brauchen verstehst:verstehen
    hörst:hören findest:finden gibst:geben nimmst:nehmen tust:tun stehst:stehen
    """.split()
}
_POLITE_VERBS = {polite: familiar for familiar, polite in _VERBS.items()}
_FAMILIAR = re.compile(r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein(?:e[mnrs]?)?|[Ee]uch|[Ee]uer|[Ee]ure[mnrs]?)\b")
_POLITE = re.compile(r"\b(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b")
# At the beginning of a sentence these may mean others, and "Ihr" alone is an old form of address.
_UNCLEAR = re.compile(r"(?:^|[^\w,; ] ?)(?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b|\b[Ii]hr\b")


class Example(NamedTuple):
    """A reference, and what differs from it in the word in question."""

    kind: str  # "er", "sie", "es", "du" or "Sie": what is right
    before: tuple[Pair, ...]  # (German, English), the sentences before
    source: str
    target: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """How often the reference won against its alternatives, over all examples of one kind.

    Attributes:
        kind: See ``Example``.
        examples: Their number.
        accuracy: Share of them that the reference won, with context and without.
        margin: Mean log-probability of the reference less that of the best other, with context and without.
    """

    kind: str
    examples: int
    accuracy: tuple[float, float]
    margin: tuple[float, float]


def find_examples(pairs: Sequence[Pair], sentences_before: int) -> Iterator[Example]:
    """The examples in (German, English) pairs that are in the order of their document."""
    for index in range(sentences_before, len(pairs)):
        german, english = pairs[index]
        if any(
            len(text.split()) > _MOST_WORDS for pair in pairs[index - sentences_before : index + 1] for text in pair
        ):
            continue
        found = _pronoun(german, english) or _address(german, english)
        if found:
            kind, wrong = found
            yield Example(kind, tuple(pairs[index - sentences_before : index]), english, german, wrong)


def _pronoun(german: str, english: str) -> tuple[str, tuple[str, ...]] | None:
    """The only pronoun is the subject of a verb beside it, which has one form for all three genders."""
    subject = _SUBJECT.search(german)
    if len(_IT.findall(english)) != 1 or _OTHER_PERSONS.search(english) or not subject:
        return None
    if len(_PRONOUN.findall(german)) != 1:
        return None
    begin, end = subject.span(1 if subject[1] else 2)
    word = german[begin:end]
    others = (pronoun for pronoun in _PRONOUNS if pronoun != word.lower())
    wrong = (other.capitalize() if word[0].isupper() else other for other in others)
    return word.lower(), tuple(german[:begin] + other + german[end:] for other in wrong)


def _address(german: str, english: str) -> tuple[str, tuple[str, ...]] | None:
    """There is one word of address, and its verb, if it is a subject, is a known one beside it."""
    if not _YOU.search(english) or _UNCLEAR.search(german):
        return None
    familiar, polite = _FAMILIAR.findall(german), _POLITE.findall(german)
    if len(familiar) + len(polite) != 1:
        return None
    words = german.split(" ")
    for index, word in enumerate(words):
        core = re.sub(r"\W", "", word)
        if core == (familiar or polite)[0]:
            changed = _changed(words, index, core)
            return ("du" if familiar else "Sie", (changed,)) if changed else None
    return None


def _changed(words: list[str], index: int, core: str) -> str | None:
    """The sentence in the other form of address; None if it can't be told what that is."""
    lower, verbs = core.lower(), _VERBS if core.lower().startswith("d") else _POLITE_VERBS
    if lower in ("du", "sie"):
        for beside in (index - 1, index + 1):
            verb = re.sub(r"\W", "", words[beside]) if 0 <= beside < len(words) else ""
            if verb.lower() in verbs:
                other = verbs[verb.lower()]
                changed = list(words)
                changed[beside] = words[beside].replace(verb, other.capitalize() if verb[0].isupper() else other)
                changed[index] = words[index].replace(core, "Sie" if lower == "du" else "du")
                return " ".join(changed)
        return None
    if lower in ("dir", "ihnen"):
        other = "Ihnen" if lower == "dir" else "dir"
    elif lower.startswith("dein"):
        other = "Ihr" + lower.removeprefix("dein")
    elif lower.startswith("ihr"):
        other = "dein" + lower.removeprefix("ihr")
    else:
        return None
    other = other.capitalize() if index == 0 else other
    return " ".join([*words[:index], words[index].replace(core, other), *words[index + 1 :]])


@torch.no_grad()
def measure(
    model: Transformer,
    tokenizer: Tokenizer,
    examples: Sequence[Example],
    *,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """The results for each kind, in the order er, sie, es, du, Sie; kinds without examples are left out."""
    margins: dict[str, list[tuple[float, float]]] = {kind: [] for kind in (*_PRONOUNS, "du", "Sie")}
    remaining = iter(sorted(examples, key=lambda example: len(example.target)))
    while together := list(islice(remaining, _TOGETHER)):
        both = (_margins(model, tokenizer, together, has_context) for has_context in (True, False))
        for example, *found in zip(together, *both, strict=True):
            margins[example.kind].append((found[0], found[1]))
        advance(len(together))
    return [_result(kind, np.array(found)) for kind, found in margins.items() if found]


def _result(kind: str, margins: NDArray[np.float64]) -> Result:
    """Compute the result from (N, 2) margins."""
    (with_context, without), means = (margins > 0).mean(0).tolist(), margins.mean(0).tolist()
    return Result(kind, len(margins), (with_context, without), (means[0], means[1]))


def _margins(model: Transformer, tokenizer: Tokenizer, examples: Sequence[Example], has_context: bool) -> list[float]:
    """Log-probability of the reference less that of the best other, of each example."""
    memories: Memories | None = None
    if has_context:
        for before in zip(*(example.before for example in examples), strict=True):
            source, target = _batch(model, tokenizer, [(english, german) for german, english in before])
            memories = model.read(source, target[:, :-1], memories)[2]
    reference = _scores(model, tokenizer, [(each.source, each.target) for each in examples], memories)
    best = torch.full_like(reference, -torch.inf)
    for rank in range(max(len(example.wrong) for example in examples)):
        texts = [(each.source, each.wrong[min(rank, len(each.wrong) - 1)]) for each in examples]
        best = torch.maximum(best, _scores(model, tokenizer, texts, memories))
    margins: list[float] = (reference - best).tolist()
    return margins


def _batch(model: Transformer, tokenizer: Tokenizer, texts: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor]:
    """(source, target) texts -> source (B, S), and target (B, T + 1) with start and end."""
    ids, tag = model.config, tokenizer.piece_id(target_tag("de"))
    source = [np.array([tag, *tokenizer.encode(text), ids.eos_id]) for text, _ in texts]
    target = [np.array([ids.decoder_start_id, *tokenizer.encode_target(text), ids.eos_id]) for _, text in texts]
    return pad(source, ids.pad_id), pad(target, ids.pad_id)


def _scores(
    model: Transformer, tokenizer: Tokenizer, texts: Sequence[tuple[str, str]], memories: Memories | None
) -> Tensor:
    """Log-probability of each target, (B,)."""
    source, target = _batch(model, tokenizer, texts)
    states = model.read(source, target[:, :-1], memories)[0]
    logits, wanted = model.logits(states).transpose(1, 2), target[:, 1:]
    total: Tensor = F.cross_entropy(logits, wanted, ignore_index=model.config.pad_id, reduction="none").sum(1)
    return -total
