"""The folder of the models that a user has installed."""

import os
import sys
from pathlib import Path

VARIABLE = "DRAGOMAN_MODELS"


def user_models() -> Path:
    """The folder that DRAGOMAN_MODELS names; without it, ``dragoman/models`` in the user's folder for data.

    That is ``$XDG_DATA_HOME`` or ``~/.local/share``, on macOS ``~/Library/Application Support``, on Windows
    ``%LOCALAPPDATA%``. It need not exist.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "dragoman" / "models"
