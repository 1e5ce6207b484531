from app.engine.request.segmentation import Segmenter


class WordByWord:
    """A tokenizer to which white space of any length is nothing."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, text: str) -> list[int]:
        self.encoded.append(text)
        return [1] * len(text.split())


def test_a_segment_has_bounded_characters_however_few_pieces_they_are() -> None:
    text = "Hallo" + " " * 100_000 + "Welt"
    segmenter = Segmenter(WordByWord(), longest_source=12, eos_id=2)  # type: ignore[arg-type]
    segments = list(segmenter.segments([text], language="de", splitting="sentences", prefix=()))
    assert [(segment.source, segment.begin) for segment in segments] == [("Hallo", 0), ("Welt", len(text) - 4)]


def test_a_sentence_that_fits_is_encoded_once() -> None:
    tokenizer = WordByWord()
    segmenter = Segmenter(tokenizer, longest_source=12, eos_id=2)  # type: ignore[arg-type]
    list(segmenter.segments(["Eins. Zwei drei."], language="de", splitting="sentences", prefix=()))
    list(segmenter.segments(["\n Vier. \n"], language="de", splitting="off", prefix=()))
    assert tokenizer.encoded == ["Eins.", "Zwei drei.", "Vier."]
