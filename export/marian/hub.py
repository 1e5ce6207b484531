"""Download a model of the Hugging Face Hub into its usual cache, so that a repeated import finds it there."""

import re
from pathlib import Path

from export.marian.huggingface import FILES
from export.marian.limits import SourceError, first_line

_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


def is_hub_id(name: str) -> bool:
    """Tell whether a source looks like a model of the Hub: ``owner/name``."""
    return _ID.fullmatch(name) is not None and not name.startswith(".")


def download(name: str) -> Path:
    """Download the files of a model that an import needs, with only one of its two files of weights.

    Returns:
        The folder that holds it; its name is the revision.

    Raises:
        SourceError: There is no network and no earlier download, or no such model.
    """
    from huggingface_hub import snapshot_download

    try:
        for weights in _WEIGHTS:
            folder = Path(snapshot_download(name, allow_patterns=[*FILES, weights]))
            if (folder / weights).exists():
                break
    except Exception as error:  # the library's, the network's, the file system's
        raise SourceError(
            f"{name} is not a folder or zip file here, and not a model that could be downloaded: {first_line(error)}"
        ) from error
    return folder
