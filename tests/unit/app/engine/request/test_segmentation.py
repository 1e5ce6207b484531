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


def test_no_sentence_ends_inside_of_what_must_stay_whole() -> None:
    text = "Es kam. Am 3. Mai 24 ging es. Ja."
    segmenter = Segmenter(WordByWord(), longest_source=5, eos_id=2)  # type: ignore[arg-type]

    def cut(*ranges: tuple[int, int]) -> list[str]:
        found = segmenter.segments([text], language="en", splitting="sentences", prefix=(), whole=[ranges])
        return [segment.source for segment in found]

    assert cut() == ["Es kam.", "Am 3.", "Mai 24 ging es.", "Ja."]
    date = text.index("3. Mai 24"), text.index(" ging")
    assert cut(date) == ["Es kam.", "Am 3. Mai 24", "ging es.", "Ja."]
    assert cut((0, 10), date) == ["Es kam. Am", "3. Mai 24 ging", "es.", "Ja."]
