"""The folders that have models if nobody names one."""

import os
import sys
from pathlib import Path

from app.engine.models.discovery import find_bundles
from app.errors import BundleError

VARIABLE = "DRAGOMAN_MODELS"
SHIPPED = Path("artifacts/de-en")
"""The bundle of the repository, in its folder."""

_CHECKOUT = Path(__file__).parents[3]


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


def usual_bundles() -> tuple[Path, ...]:
    """The shipped bundle, in this folder or in the checkout that the program is from, and what the user has installed.

    If there is neither, the place of the shipped bundle in this folder.
    """
    shipped = next((folder for folder in (SHIPPED, _CHECKOUT / SHIPPED) if folder.exists()), None)
    own = user_models()
    found = [folder for folder in (shipped, own if find_bundles([own]) else None) if folder]
    return tuple(found) or (SHIPPED,)


def no_bundle(folder: Path) -> BundleError:
    """The error that a folder has no bundle, and what to do about it."""
    return BundleError(
        f"{folder}: there is no bundle here. Name one with --bundle or DRAGOMAN_BUNDLE; or put bundles into "
        f"{user_models()}, as `dragoman models install` does. The repository has one, {SHIPPED}."
    )
