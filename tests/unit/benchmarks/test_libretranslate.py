"""The peer translates with the same weights and the same source ids as we do."""

from pathlib import Path

import sentencepiece

from app.engine.decoding.batch_decoder import decode
from app.engine.models.bundle import Bundle
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from benchmarks.ctranslate2_model import open_model
from benchmarks.libretranslate import write_model
from tests.support.tiny import sentence_pairs, source_ids


def test_plain_pieces_are_translated_as_with_tag_and_end_of_sentence(
    tiny_bundle: Bundle, tiny_onnx: OnnxModel, tmp_path: Path
) -> None:
    tokenizer = tiny_bundle.path / tiny_bundle.manifest.source_tokenizer
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer))
    texts = [german for german, _ in sentence_pairs(20, seed=5)]
    ids = tiny_bundle.manifest.ids
    for pair in tiny_bundle.manifest.pairs:
        write_model(tiny_bundle, pair, tmp_path / pair.target)
        translator = open_model(tmp_path / pair.target, compute_type="float32", threads=1)
        found = translator.translate_batch(processor.encode(texts, out_type=str), beam_size=1, max_decoding_length=40)
        expected = decode(
            tiny_onnx,
            source_ids(tokenizer, texts, pair.target),
            start_id=ids.decoder_start,
            eos_id=ids.eos,
            options=SearchOptions(beam_size=1, max_length=40),
        )
        theirs = [[processor.piece_to_id(piece) for piece in result.hypotheses[0]] for result in found]
        assert theirs == [list(hypotheses[0].tokens) for hypotheses in expected]
        assert len({tuple(tokens) for tokens in theirs}) > len(texts) // 2
