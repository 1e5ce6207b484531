"""Composes two translations of a sentence: from its language into the pivot, and from there into the target."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.quality_checks import judge
from app.text.terms.glossary import Term
from app.translation.sentence import SentenceTranslation, TextTranslation


def first_options(options: SearchOptions) -> SearchOptions:
    """Return the options for the intermediate translation: one hypothesis, without length limits."""
    return replace(options, n_best=1, min_length=0, max_length=None, prefix=None)


def compose(first: SentenceTranslation, second: TextTranslation, doubled: Collection[str] = ()) -> SentenceTranslation:
    """Compose the translation of a sentence with the translation of that translation.

    The score is the sum of both scores, which are log-probabilities, and the confidence is the product. If the second
    model saw several sentences, their worst score and confidence count. The verdicts are those of both. Each target
    piece is linked to the source range that most of its intermediate characters are linked to.
    """
    score = first.score + min((sentence.score for sentence in second.sentences), default=0.0)
    chances = [sentence.confidence for sentence in second.sentences]
    worst = None if None in chances else min((chance for chance in chances if chance is not None), default=1.0)
    others = second.sentences[0].alternatives if len(second.sentences) == 1 else ()
    verdicts = (
        *first.verdicts,
        *(verdict for sentence in second.sentences for verdict in sentence.verdicts),
        *judge(first.source, second.text, doubled=doubled),
    )
    return replace(
        first,
        text=second.text,
        score=score,
        confidence=None if first.confidence is None or worst is None else first.confidence * worst,
        alternatives=tuple(
            other._replace(score=first.score + other.score, alignment=_compose_links(first, other.alignment))
            for other in others
        ),
        verdicts=tuple(dict.fromkeys(verdicts)),
        alignment=_compose_links(first, second.alignment),
    )


def _compose_links(first: SentenceTranslation, second: Sequence[Link]) -> tuple[Link, ...]:
    owners: list[Link | None] = [None] * len(first.text)  # the link that each character in between belongs to
    for link in first.alignment:
        owners[link.target_begin : link.target_end] = [link] * (link.target_end - link.target_begin)
    links = []
    for link in second:
        shares = Counter(owner for owner in owners[link.source_begin : link.source_end] if owner)
        for owner, _ in shares.most_common(1):
            links.append(Link(owner.source_begin, owner.source_end, link.target_begin, link.target_end))
    return tuple(links)


def in_between(first: SentenceTranslation, terms: Sequence[Term]) -> list[Term]:
    """Returns the terms of a sentence at their positions in the intermediate translation, by alignment."""
    found = []
    for term in terms:
        links = [link for link in first.alignment if link.source_begin < term.end and term.begin < link.source_end]
        if links:
            begin, end = min(link.target_begin for link in links), max(link.target_end for link in links)
            found.append(term._replace(begin=begin, end=end))
    return found
