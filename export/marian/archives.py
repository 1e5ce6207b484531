"""Unpack an untrusted zip file: only plain files, only inside the folder, and only a plausible size."""

import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath

from export.marian.limits import MODEL_BYTES, SourceError, first_line

_MEMBERS = 1000
# Weights hardly compress, vocabularies to a quarter. A file that grows more than this is made to fill a disk.
_GROWTH = 20
_SLACK_BYTES = 16 << 20


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack into an existing folder.

    Returns:
        The folder or, if the archive has but one at its top, the one inside.

    Raises:
        SourceError: It is no zip file, is damaged, or would write elsewhere or too much.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            _check(members, archive)
            for member in members:
                path = folder.joinpath(*PurePosixPath(member.filename).parts)
                if member.is_dir():
                    path.mkdir(parents=True, exist_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                # zipfile stops at the declared size, even if the data goes on.
                with opened.open(member) as source, path.open("xb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
    except SourceError:
        raise
    except Exception as error:  # of a damaged archive: zipfile's, zlib's, the file system's
        raise SourceError(f"{archive} can't be unpacked: {first_line(error)}") from error
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _check(members: list[zipfile.ZipInfo], archive: Path) -> None:
    """Refuse an archive that is not a folder of plain files, before anything is written."""
    most_bytes = min(MODEL_BYTES, _GROWTH * archive.stat().st_size + _SLACK_BYTES)
    if len(members) > _MEMBERS or sum(member.file_size for member in members) > most_bytes:
        raise SourceError(f"{archive} would unpack to far more than it holds")
    for member in members:
        name = member.filename
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute() or "\\" in name or ":" in name:
            raise SourceError(f"{archive} names {name!r:.60}, which is not a path inside it")
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or member.flag_bits & 1:
            raise SourceError(f"{archive}: {name!r:.60} is a link, encrypted, or not a plain file")
