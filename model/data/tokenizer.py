"""Trains the SentencePiece model of a bundle.

Choices, and why:

* Byte fallback: any Unicode survives a round trip, so names, emoji and unknown scripts can be copied.
* Normalisation is NFC and nothing more (SentencePiece's own rules are NFKC, which rewrites "½", "™" or "x²"), except
  that every Unicode white space becomes a plain space and invisible format characters vanish. The rules are compiled
  into the model file, so that serving needs no second normaliser and character offsets still refer to the user's text.
* Digits are pieces of their own: a number is copied digit by digit, never half-remembered.
* Case is kept: "Sie" and "sie", "US" and "us" are different words.
* A few placeholders are pieces. They always stay whole, next to any text.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import sentencepiece

# Private-use characters that stand in for what must not be translated: no text has them by chance, and each is one
# character to whoever counts offsets. See ``model.data.placeholders``.
PLACEHOLDERS = tuple(chr(0xE000 + index) for index in range(8))

PAD_ID, BOS_ID, EOS_ID, UNK_ID = 0, 1, 2, 3

# The control piece that marks a source written by a machine.
BACK_TRANSLATED = "<bt>"

_SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) not in " \x1c\x1d\x1e\x1f")
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"


class TokenizerError(ValueError):
    """The text does not make the tokenizer asked for; the message has SentencePiece's reason."""


def target_tag(language: str) -> str:
    """The control piece that asks for a target language. Control pieces can't be produced by any input text."""
    return f"<2{language}>"


def known_placeholders(path: Path) -> tuple[str, ...]:
    """Return the ``PLACEHOLDERS`` that a SentencePiece model has as pieces."""
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return tuple(piece for piece in PLACEHOLDERS if processor.piece_to_id(piece) != processor.unk_id())


def nfc_rules() -> Iterator[str]:
    """Lines of a SentencePiece rule file that composes to NFC, folds white space and drops invisible characters."""

    def line(source: str, target: str) -> str:
        return "\t".join(" ".join(f"{ord(char):X}" for char in side) for side in (source, target))

    for char in _SPACES:
        yield line(char, " ")
    for char in _INVISIBLE:
        yield line(char, "")
    for code in range(0x110000):
        char = chr(code)
        if 0xD800 <= code < 0xE000 or char in _SPACES:
            continue
        composed, decomposed = unicodedata.normalize("NFC", char), unicodedata.normalize("NFD", char)
        if composed != char:
            yield line(char, composed)  # singletons: the Angstrom sign is the letter Å
        elif decomposed != char:
            yield line(decomposed, char)
            partly = unicodedata.normalize("NFC", decomposed[:-1]) + decomposed[-1]
            if partly not in (decomposed, char):
                yield line(partly, char)  # ê + grave -> ề


@cache  # half a second
def _rule_file() -> str:
    return "\n".join(dict.fromkeys(nfc_rules())) + "\n"


def train_tokenizer(sentences: Iterable[str], out: Path, *, vocabulary: int, languages: Iterable[str]) -> None:
    """Train a unigram model and write it to ``out``.

    Args:
        sentences: Training text of all languages, one sentence each.
        out: Path of the ``.spm`` file.
        vocabulary: Number of pieces V, all special ones included.
        languages: Target languages; each gets a control piece, see ``target_tag``.

    Raises:
        TokenizerError: The text is too short, or too varied, for this number of pieces.
    """
    with TemporaryDirectory() as folder:
        rules = Path(folder) / "nfc.tsv"
        rules.write_text(_rule_file(), encoding="utf-8")
        prefix = Path(folder) / "model"
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(sentences),
                model_prefix=str(prefix),
                model_type="unigram",
                vocab_size=vocabulary,
                character_coverage=0.9999,
                byte_fallback=True,
                split_digits=True,
                normalization_rule_tsv=str(rules),
                control_symbols=[*(target_tag(language) for language in languages), BACK_TRANSLATED],
                user_defined_symbols=list(PLACEHOLDERS),
                pad_id=PAD_ID,
                bos_id=BOS_ID,
                eos_id=EOS_ID,
                unk_id=UNK_ID,
                max_sentence_length=2000,
                num_threads=2,
                minloglevel=1,
            )
        except RuntimeError as error:
            # "INTERNAL: file(line) [condition] Vocabulary size too high (8000). Please set it to a value <= 512."
            reason = str(error).rpartition("] ")[2]
            text = f"no tokenizer of {vocabulary} pieces from this text: {reason} Set vocabulary in the recipe."
            raise TokenizerError(text) from error
        # Whole or not at all: a run that is killed here must not go on with half a tokenizer.
        partial = out.with_suffix(".partial")
        partial.write_bytes(prefix.with_suffix(".model").read_bytes())
        partial.replace(out)
