"""The terms that a segment's translation must have, as the search takes them: source positions and target tokens."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.decoding.search import Hypothesis
from app.engine.decoding.term_search import TermConstraint, TermConstraints
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import MAX_BEAM_SIZE, SearchOptions
from app.engine.request.segmentation import Segment
from app.text.terms.glossary import Term

# Terms of a segment that are enforced; further ones are only reported.
MAX_TERMS = 12
_BEAM = 4  # hypotheses for each number of terms
# Tokens of the guide that are left out before a term: its article may have to change.
_ARTICLE = 1


def constraints_of(segment: Segment, terms: Sequence[Term], free: Hypothesis, tokenizer: Tokenizer) -> TermConstraints:
    """Returns the constraints of the search.

    Args:
        segment: The segment.
        terms: Its terms.
        free: Its translation without them.
        tokenizer: The model's.
    """
    spans = tokenizer.encode_with_spans(segment.source).spans
    tag_length = len(segment.ids) - len(spans) - 1
    found = []
    for term in terms[:MAX_TERMS]:
        positions = frozenset(
            index + tag_length for index, (begin, end) in enumerate(spans) if begin < term.end and term.begin < end
        )
        forms = term.forms
        if term.begin == 0:
            forms = (*forms, *(form[:1].upper() + form[1:] for form in forms))
        sequences = dict.fromkeys(tuple(tokenizer.encode_target(form)) for form in forms)
        found.append(TermConstraint(positions, tuple(sequences)))
    replaced = frozenset[int]().union(*(term.positions for term in found))
    is_replaced = [position in replaced for position in free.attended]
    guide = [
        token
        for index, token in enumerate(free.tokens)
        if free.attended and not any(is_replaced[index : index + 1 + _ARTICLE])
    ]
    return TermConstraints(tuple(found), tuple(guide))


def term_options(options: SearchOptions, constraints: TermConstraints) -> SearchOptions:
    """Returns the options of a search for terms. Hypotheses with none, one, two, ... of them share its beam."""
    beam = min(MAX_BEAM_SIZE, _BEAM * (1 + len(constraints.terms)))
    return replace(options, beam_size=max(beam, options.beam_size))
