"""Second attempts at a capitalised word alone that came back as it was.

The models copy such words, because without context most of them are names: "Kitchen" stays "Kitchen", and "Ente" stays
"Ente". With an article, a noun is no name: "a kitchen" is "eine Küche". So the word is asked for after two articles. If
both translations agree and the model is sure of them, this is the word's translation. Names stay: the model copies them
("a Berlin"), or the two differ, or it is unsure. Words that aren't nouns get a second chance as a sentence ("Ja." is
"Yes.").

The thresholds separate words from names with the shipped models (``benchmarks/lone_words.py``).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.translation.questions import Asking, Question
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceTranslation

# A word, and what may end it.
_WORD = re.compile(r"([^\W\d_]{2,})([.:!?…]?)")
_LONG = 5  # letters; most acronyms have fewer
# The least scores (length-normalised log-probabilities) of the translations with articles, and as a sentence.
_SURE, _SURE_OF_SENTENCE = -1.0, -0.6


def word_again(
    translation: SentenceTranslation, direction: Direction, options: SearchOptions
) -> Asking[SentenceTranslation | None]:
    """Returns a better translation of a capitalised word that came back as it was; None if there is none.

    Args:
        translation: The first translation.
        direction: The languages of both.
        options: The request's.
    """
    match = _WORD.fullmatch(translation.source)
    if not match or translation.source.casefold() != translation.text.casefold():
        return None
    if translation.score == 0:  # the bundle's list has it as it is, such as a name: no model is that sure
        return None
    asked, answered = direction.here.noun_probe, direction.there.noun_probe
    if not (asked and answered) or translation.terms or options.prefix is not None:
        return None
    word, ending = match.groups()
    if not (word.istitle() or (word.isupper() and len(word) >= _LONG)):
        return None
    questions = (*asked.ask(word), f"{word.capitalize()}.")
    answers = yield Question(questions, replace(options, n_best=1, length_penalty=1.0))
    sentences = [sentence for answer in answers or () for sentence in answer.sentences]
    if len(sentences) != 3:
        return None
    *with_article, alone = sentences
    found = [answer and answer[1] for answer in (answered.answer.fullmatch(each.text) for each in with_article)]
    text, parts = "", with_article
    if found[0] and found[0] == found[1] and min(part.score for part in parts) >= _SURE:
        text = found[0]
    elif alone.score >= _SURE_OF_SENTENCE and re.fullmatch(r"[\w-]+\.", alone.text):
        text, parts = alone.text[:-1], [alone]
    if not text or text.casefold() == word.casefold():
        return None
    text = text.upper() if word.isupper() else text[0].upper() + text[1:]
    return _with_text(translation, text + ending, parts, options)


def _with_text(
    translation: SentenceTranslation, text: str, parts: Sequence[SentenceTranslation], options: SearchOptions
) -> SentenceTranslation:
    chances = [part.confidence for part in parts if part.confidence is not None]
    links = (Link(0, len(translation.source), 0, len(text)),)
    return replace(
        translation,
        text=text,
        score=min(part.score for part in parts),
        confidence=min(chances, default=translation.confidence),
        verdicts=(),
        alignment=links if translation.alignment else (),
        alternatives=(translation.as_alternative(), *translation.alternatives)[: options.n_best - 1],
    )
