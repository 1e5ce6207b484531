"""The model card of a bundle (Mitchell et al. 2019, https://arxiv.org/abs/1810.03993), made from its manifest."""

from collections.abc import Iterator
from itertools import groupby
from textwrap import fill

from app.engine.models.manifest import Manifest, Provenance

_INTENDED = """\
* Meant for: drafts and gist of everyday text, interfaces, correspondence and documents, read by a person who can judge
  the result, or where an error costs little.
* Not meant for: medical, legal or safety-critical text without a translator who revises it; decisions about people;
  proof of what somebody said."""
# What docs/quality.md and docs/robustness.md count for the shipped model; models of this size are alike in kind.
_FAILURES = """\
* Words left out or added, and fluent sentences that say something else: more often in long sentences, in news and in
  idioms than in everyday sentences.
* Names that are also words may be translated, and rare names changed. Words that training text doesn't have are taken
  from the lexicon, if there is one, or put together from parts.
* Each sentence is translated by itself: pronouns, gender and terms may change between sentences.
* Text teaches a model its prejudices: the gender of professions is guessed.
* Texts in other languages than the source, or none at all, are translated into something.
* Confidence is a chance, not a promise; quality checks find visible damage only."""


def card(manifest: Manifest) -> str:
    """The card in Markdown."""
    return "\n".join(_lines(manifest)) + "\n"


def _lines(manifest: Manifest) -> Iterator[str]:
    shape = manifest.shape
    pairs = ", ".join(f"{pair.source} to {pair.target}" for pair in manifest.pairs)
    yield f"# Model card: {manifest.name}"
    yield "\nMade by `dragoman info --card` from the manifest of the bundle, which has more.\n"
    yield "## Model\n"
    yield f"* Translates {pairs}."
    yield (
        f"* A Transformer with {shape.encoder_layers} encoder and {shape.decoder_layers} decoder layers, width "
        f"{shape.width}, {shape.heads} heads, {shape.vocabulary:,} pieces."
    )
    yield f"* Sentences of more than {manifest.longest_source} pieces are split at clauses."
    yield f"\n## Intended use\n\n{_INTENDED}\n"
    yield "## Scores\n"
    yield from _scores(manifest)
    if (confidence := manifest.confidence) and confidence.error is not None:
        yield f"\nConfidence: expected calibration error {confidence.error:.3f}."
    yield f"\n## Known failures\n\n{_FAILURES}\n"
    yield "## Training and licences\n"
    shared = ", ".join(f"{pair.source} to {pair.target}" for pair in manifest.pairs if not pair.model)
    yield from _provenance(shared, manifest.provenance)
    for pair in manifest.pairs:
        if pair.model:
            yield from _provenance(f"{pair.source} to {pair.target}", pair.model.provenance)


def _scores(manifest: Manifest) -> Iterator[str]:
    if not manifest.scores:
        yield "None were measured."
        return
    yield "| set | direction | format, beam | sentences | BLEU | chrF |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for score in manifest.scores:
        yield (
            f"| {score.test_set} | {score.source} to {score.target} | {score.precision}, {score.beam_size} "
            f"| {score.sentences:,} | {score.bleu:.1f} | {score.chrf:.1f} |"
        )


def _provenance(name: str, provenance: Provenance) -> Iterator[str]:
    runs = [*provenance.earlier, provenance]
    yield f"### {name}\n"
    yield fill(f"* Licence of the weights: {provenance.licence}", 120, subsequent_indent="  ")
    if provenance.origin:
        yield f"* Imported from {provenance.origin}"
    tokens = sum(run.target_tokens or 0 for run in runs)
    hours = sum(run.training_seconds or 0 for run in runs) / 3600
    if tokens:
        yield f"* {len(runs)} training runs, {tokens:,} target tokens, {hours:.1f} hours"
    sources = {source.name: source for run in runs for source in run.sources}
    if sources:
        yield "\n| text | pairs | licence | origin |\n| --- | ---: | --- | --- |"
    by_terms = sorted(sources.values(), key=lambda source: (source.licence, source.origin, source.name))
    for (licence, origin), group in groupby(by_terms, key=lambda source: (source.licence, source.origin)):
        texts = list(group)
        names = ", ".join(source.name for source in texts)
        yield f"| {names} | {sum(source.pairs for source in texts):,} | {_cell(licence)} | {_cell(origin)} |"
    yield ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
