"""Marian's own files give the model that MarianMT reads from the library's."""

from pathlib import Path

import numpy as np
import pytest

from export.marian.names import FORBIDDEN
from export.marian.original import read_original
from model.evaluation.inference import TorchModel
from tests.support.imported import as_transformer
from tests.support.marian import (
    reference_model,
    vocabulary_of,
    write_release,
    write_tokenizers,
)
from tests.support.marian_reference import (
    BEAM,
    LENGTH_LIMIT,
    assert_same_numbers,
    generated,
    random_sources,
    translated,
)

pytestmark = [
    pytest.mark.usefixtures("quiet_transformers"),
    pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses"),
]


@pytest.mark.parametrize("separate", [False, True], ids=["one vocabulary", "two vocabularies"])
def test_marians_own_files_give_the_same_model(tmp_path: Path, separate: bool) -> None:
    model = write_release(tmp_path / "de-en", separate=separate, tags=[">>eng<<"])
    read = read_original(tmp_path / "de-en")
    assert read.config.positions == "sinusoidal-marian"
    assert read.longest_source == 500
    assert read.vocabularies.tags == (">>eng<<",)
    ours = as_transformer(read)
    assert_same_numbers(ours, model)
    # The decoder allows no unknown pieces, nor what there is only to make two tables equally long.
    ruled_out = np.flatnonzero(read.arrays["projection.bias"] == FORBIDDEN).tolist()
    assert ruled_out[0] == 1 and ruled_out[-1] == model.config.pad_token_id
    sources = random_sources(model, 50)
    expected = generated(model, sources, num_beams=BEAM, bad_words_ids=[[index] for index in ruled_out])
    assert translated(TorchModel(ours), model, sources, beam_size=BEAM) == expected


def test_marians_files_are_what_others_take_for_them(tmp_path: Path) -> None:
    """CTranslate2 reads the same folder, independently, and translates as the model it was written from does.

    It takes the positions that the transformers library takes, so that is what it is compared with.
    """
    from ctranslate2 import Translator
    from ctranslate2.converters import OpusMTConverter

    write_release(tmp_path / "de-en")
    size = len(vocabulary_of([*write_tokenizers(tmp_path / "again")[0], *write_tokenizers(tmp_path / "again")[1]]))
    model = reference_model(size)
    OpusMTConverter(str(tmp_path / "de-en")).convert(str(tmp_path / "converted"))
    translator = Translator(str(tmp_path / "converted"), compute_type="float32", intra_threads=1)
    pieces = read_original(tmp_path / "de-en").vocabularies.target
    sources = random_sources(model, 50)
    found = translator.translate_batch(
        [[pieces[index] for index in source[:-1]] for source in sources],
        beam_size=1,
        max_decoding_length=LENGTH_LIMIT,
        min_decoding_length=0,  # unlike the others, it doesn't think that nothing is a translation
    )
    expected = generated(model, sources, num_beams=1)
    ids = {piece: index for index, piece in enumerate(pieces)}
    assert [tuple(ids[piece] for piece in result.hypotheses[0]) for result in found] == expected
