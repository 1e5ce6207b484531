"""The languages and the licence in the README of a model."""

import re
from dataclasses import dataclass

from export.marian.languages import language_code
from export.marian.limits import SourceError, parse_yaml

_LINE = r"^[ \t]*[*-][ \t]*{}[ \t]*:[ \t]*(.*)$"
_SOURCES = re.compile(_LINE.format(r"source language(?:s|\(s\))"), re.MULTILINE)
_TARGETS = re.compile(_LINE.format(r"target language(?:s|\(s\))"), re.MULTILINE)
_TAGS = re.compile(_LINE.format(r"valid (?:target )?language labels"), re.MULTILINE)
_RELEASE = re.compile(r"/(?:OPUS|Tatoeba)-MT-models/([A-Za-z_+]+)-([A-Za-z_+]+)/")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|$)", re.DOTALL)


@dataclass(frozen=True)
class Card:
    """Facts of a README; empty where it says nothing.

    Attributes:
        sources, targets: Labels of languages, as the model's makers write them.
        tags: Target tags that the model was trained with.
        release: Source and target in the address of its release, several joined by a plus.
        licence: As the front matter names it.
    """

    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    release: tuple[str, str] | None = None
    licence: str | None = None


def read_card(text: str) -> Card:
    """Return the facts in a README of OPUS-MT, from the Hub or from a release."""
    release = _RELEASE.search(text)
    return Card(
        sources=_labels(_SOURCES, text),
        targets=_labels(_TARGETS, text),
        tags=_labels(_TAGS, text),
        release=(release[1], release[2]) if release else None,
        licence=_licence(text),
    )


def _labels(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """Return the last such line with content: releases list earlier versions below, cards repeat groups above."""
    lines = [found for match in pattern.finditer(text) if (found := re.split(r"[\s,]+", match[1].strip()))]
    labels = next((line for line in lines if any(line)), [])
    return tuple(label.strip("`") for label in labels if label)


def _licence(text: str) -> str | None:
    match = _FRONT_MATTER.match(text)
    if match is None:
        return None
    try:
        licence = parse_yaml(match[1], "front matter").get("license")
    except SourceError:
        return None
    return licence if isinstance(licence, str) else None


def codes(labels: tuple[str, ...]) -> dict[str, str]:
    """Return codes that clients send, each with its first label; a label that is not a language is left out."""
    found: dict[str, str] = {}
    for label in labels:
        code = language_code(label)
        if code is not None:
            found.setdefault(code, label)
    return found
