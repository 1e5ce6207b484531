from app.engine.request.segmentation import Cutter


class WordByWord:
    """A tokenizer to which white space of any length is nothing."""

    def encode(self, text: str) -> list[int]:
        return [1] * len(text.split())


def test_a_unit_has_bounded_characters_however_few_pieces_they_are() -> None:
    text = "Hallo" + " " * 100_000 + "Welt"
    cutter = Cutter(WordByWord(), longest_source=12, eos_id=2)  # type: ignore[arg-type]
    units = list(cutter.cut([text], language="de", splitting="sentences", prefix=()))
    assert [unit.source for unit in units] == ["Hallo", "Welt", ""]
    assert "".join(unit.gap + unit.source for unit in units) == text
