"""The sentences of an answer as JSON: places, scores, verdicts, word alignment."""

from typing import Any

from app.translation.sentence import SentenceTranslation
from app.translation.word_links import word_links


def sentence_body(sentence: SentenceTranslation) -> dict[str, Any]:
    """Writes one sentence; all positions are code points in the text that contains it."""
    source_begin, target_begin = sentence.source_begin, sentence.target_begin
    return {
        "source": _place(sentence.source, source_begin),
        "target": _place(sentence.text, target_begin),
        "score": round(sentence.score, 4),
        "confidence": None if sentence.confidence is None else round(sentence.confidence, 3),
        "tier": sentence.tier,
        "verdicts": [verdict.value for verdict in sentence.verdicts],
        "alternatives": [{"text": other.text, "score": round(other.score, 4)} for other in sentence.alternatives],
        "alignment": [
            {
                "source": [link.source_begin + source_begin, link.source_end + source_begin],
                "target": [link.target_begin + target_begin, link.target_end + target_begin],
            }
            for link in word_links(sentence.source, sentence.text, sentence.alignment)
        ],
    }


def _place(text: str, begin: int) -> dict[str, Any]:
    return {"text": text, "begin": begin, "end": begin + len(text)}
