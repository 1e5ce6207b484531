from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def quiet_transformers() -> Iterator[None]:
    """The library reports on what it was asked for; the service doesn't know the variable of the tests."""
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DRAGOMAN_FULL_COUNTS", raising=False)
        yield
