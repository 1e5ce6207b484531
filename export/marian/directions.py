"""The pairs of languages that a model translates, and their target tags."""

import re
from collections.abc import Iterable, Sequence

from app.engine.models.manifest import MAX_PAIRS, Pair
from export.marian.card import Card, codes
from export.marian.languages import language_code
from export.marian.limits import SourceError
from languages.codes import base

_NAME = re.compile(r"(?:opus-mt-)?(?:tc-(?:big|base|bible-big)-)?([A-Za-z_+]{2,})-([A-Za-z_+]{2,})")
_CODE = "[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?"
_GIVEN = re.compile(rf"([A-Za-z]{{2,3}}(?=-)|{_CODE}(?=:))[-:]({_CODE})(?:=(.+))?")


def find_pairs(
    given: Sequence[str], *, card: Card, stated: tuple[str, str] | None, name: str, tags: Sequence[str]
) -> tuple[Pair, ...]:
    """The pairs of a model.

    Args:
        given: Pairs that the user named, see ``parse_pair``; they overrule all others.
        card: Facts of the model's README.
        stated: Source and target language in the configuration.
        name: Name of the folder, or on the Hub; it usually ends in the languages.
        tags: Target tags of the vocabulary.

    Raises:
        SourceError: Nothing tells the languages, or a pair needs a tag that the model lacks.
    """
    by_code = codes(tuple(tag[2:-2] for tag in tags))
    if given:
        return tuple(_tagged(parse_pair(text), by_code, tags) for text in given)
    match = _NAME.fullmatch(name)
    named = [pair for pair in (stated, card.release, match and (match[1], match[2])) if pair]
    sources = codes(card.sources) or _first_codes(source for source, _ in named)
    trained = codes(tuple(tag[2:-2] for tag in card.tags if tag in tags))
    targets = codes(card.targets) or _first_codes(target for _, target in named)
    # All labels of a language in several scripts count. Labels of other languages count only if none is known.
    languages = {base(code) for code in trained or targets}
    labels = {code: label for code, label in by_code.items() if base(code) in languages}
    labels = labels or ({} if targets else by_code)
    targets = labels or targets
    if not sources or not targets or (len(targets) > 1 and not labels):
        raise SourceError(f"{name} doesn't say which languages it translates: give --pair SOURCE-TARGET")
    pairs = tuple(
        Pair(source=source, target=target, tag=f">>{label}<<" if labels else None)
        for source in sources
        for target, label in targets.items()
        if source != target
    )
    if not 0 < len(pairs) <= MAX_PAIRS:
        raise SourceError(f"{name} translates {len(pairs)} pairs of languages: choose some with --pair SOURCE-TARGET")
    return pairs


def parse_pair(text: str) -> Pair:
    """Read a pair as users write it: ``de-en``, or ``en-zh=cmn_Hans`` to name the tag, or ``zh-Hans:en``.

    Raises:
        SourceError: It is of another form.
    """
    match = _GIVEN.fullmatch(text)
    if match is None:
        raise SourceError(f"{text!r:.40} is not a pair of languages such as de-en or en-zh=cmn_Hans")
    return Pair(source=match[1], target=match[2], tag=f">>{match[3]}<<" if match[3] else None)


def _tagged(pair: Pair, by_code: dict[str, str], tags: Sequence[str]) -> Pair:
    if pair.tag is None and tags:
        label = by_code.get(pair.target)
        if label is None:
            raise SourceError(f"the model has no tag for {pair.target}; one of its tags must be given, as in en-zh=cmn")
        return pair.model_copy(update={"tag": f">>{label}<<"})
    if pair.tag is not None and pair.tag not in tags:
        raise SourceError(f"the model has no tag {pair.tag:.40}")
    return pair


def _first_codes(texts: Iterable[str]) -> dict[str, str]:
    """Return the codes in the first text, ``de`` or several as in ``de+nl``; none if it is a group of languages."""
    labels = tuple(next(iter(texts), "").split("+"))
    return codes(labels) if all(map(language_code, labels)) else {}
