"""Files of sentence pairs: ``source TAB target``, UTF-8, one pair a line; plain, gzip (.gz) or xz (.xz).

Also reads the layouts in which public corpora are published (``published_pairs``): a table with more columns, or two
text files whose lines correspond (the Moses layout), loose or inside a zip or tar archive.
"""

import gzip
import hashlib
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import BinaryIO, TextIO, cast

Pair = tuple[str, str]

TABLE_SUFFIXES = (".tsv", ".tsv.gz", ".tsv.xz")
ARCHIVE_SUFFIXES = (".zip", ".tgz", ".tar.gz")

# A sentence is a few hundred bytes. A longer line is not text, and reading it whole could exhaust the memory.
MAX_LINE_BYTES = 1 << 20
# A public archive may hold this many bytes of text, plus so many a byte of its own size. Text shrinks about 4 times,
# rarely 20 times; a decompression bomb 1,000 times and more.
FREE_TEXT_BYTES = 64 << 20
MAX_EXPANSION = 100
# On news text xz preset 1 writes 4 times as fast as the default 6, and files 24 % larger.
_XZ_PRESET = 1
_KEY = re.compile("[0-9a-f]{16}")
"""See ``sentence_key``."""

# zipfile raises NotImplementedError for a way of packing that it doesn't know.
_DAMAGED = (EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError, NotImplementedError)


class PairsError(ValueError):
    """A file does not hold sentence pairs; the message names the file, the line and the reason."""


def sha256(path: Path) -> str:
    """Hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_pairs(path: Path) -> Iterator[Pair]:
    """Reads (source, target) from a .tsv, .tsv.gz or .tsv.xz file; blank lines are skipped, text is not changed.

    The file's name and existence are checked at once, each line when it is read.

    Raises:
        PairsError: Missing or damaged file, another ending, not UTF-8, or a line that is not two columns.
    """
    if not path.name.endswith(TABLE_SUFFIXES):
        raise PairsError(f"{path}: expected a file that ends in {', '.join(TABLE_SUFFIXES)}")
    if not path.is_file():
        raise PairsError(f"{path}: no such file")
    return _read_table(path)


def read_test_pairs(path: Path, limit: int | None = None) -> list[Pair]:
    """Reads a pair file to measure with, or its first ``limit`` pairs.

    Raises:
        PairsError: It is missing, malformed or empty, or has keys in the place of sentences.
    """
    pairs = list(islice(read_pairs(path), limit))
    if not pairs:
        raise PairsError(f"{path}: holds no pairs")
    if any(all(_KEY.fullmatch(side) for side in column) for column in zip(*pairs, strict=True)):
        raise PairsError(
            f"{path}: holds keys, not sentences; `dragoman data complete` puts the sentences in their place"
        )
    return pairs


def pair_files(paths: Iterable[Path]) -> list[Path]:
    """The given pair files, and those in the given folders in the order of their names.

    Raises:
        PairsError: A folder has none.
    """
    found = []
    for path in paths:
        files = (
            sorted(file for suffix in TABLE_SUFFIXES for file in path.glob(f"*{suffix}")) if path.is_dir() else [path]
        )
        if not files:
            raise PairsError(f"{path}: no files that end in {', '.join(TABLE_SUFFIXES)}")
        found += files
    return found


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    """Writes pairs to a .tsv, .tsv.gz or .tsv.xz file and returns their number; the file appears only when complete.

    Raises:
        PairsError: A side holds a tab or a line break, which the format cannot express.
    """
    part = path.with_name(path.name + ".part")
    count = 0
    try:
        with _create_text(part, compression=path.suffix) as file:
            for count, (source, target) in enumerate(pairs, start=1):
                line = f"{source}\t{target}"
                if line.count("\t") != 1 or "\n" in line:
                    raise PairsError(f"{path}: pair {count} holds a tab or a line break inside a side")
                file.write(line + "\n")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return count


def open_lines(path: Path) -> Iterator[str]:
    """Lines of a text, plain or compressed (.gz, .xz), without white space around them; blank ones are skipped.

    Raises:
        PairsError: The file is missing or damaged, not UTF-8, or has a line of more than a megabyte.
    """
    if not path.is_file():
        raise PairsError(f"{path}: no such file")
    with _open_bytes(path) as stream:
        for line in _lines(stream, str(path)):
            if line.strip():
                yield " ".join(line.split())


def sentence_key(sentence: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a sentence, which stand for it in a file of translations."""
    return hashlib.sha256(sentence.encode()).hexdigest()[:16]


def with_sentences(pairs: Sequence[Pair], column: int, files: Sequence[Path]) -> list[Pair]:
    """Puts sentences in the place of their keys, for translations that are published without what they translate.

    Args:
        pairs: One column holds keys, see ``sentence_key``.
        column: Which one, 0 or 1.
        files: Hold the sentences, one a line, among others.

    Raises:
        PairsError: A file can't be read, or a sentence is in none of them.
    """
    wanted = {pair[column] for pair in pairs}
    found = {
        key: sentence for file in files for sentence in open_lines(file) if (key := sentence_key(sentence)) in wanted
    }
    if missing := wanted - found.keys():
        names = ", ".join(str(file) for file in files)
        raise PairsError(f"{len(missing):,} of {len(wanted):,} sentences are in none of these files: {names}")
    if column:
        return [(first, found[key]) for first, key in pairs]
    return [(found[key], second) for key, second in pairs]


def published_pairs(
    paths: Sequence[Path], *, members: Sequence[str] = (), columns: tuple[int, int] = (0, 1)
) -> Iterator[Pair]:
    """Reads pairs as published: from one table, or from two files (or members) whose lines correspond.

    Whitespace is collapsed; pairs with an empty side (document breaks, lines without a counterpart) are left out.

    Args:
        paths: One table, one archive, or the source file and the target file.
        members: How the wanted archive members' names end: one (a table) or two (source, target). Archives are never
            unpacked to disk by name: a member is only ever read as a stream.
        columns: Where source and target stand in a table, counted from 0.

    Raises:
        PairsError: Damaged, oversized, unsafe or incomplete archive; not UTF-8; too few columns; unequal line counts.
    """
    with ExitStack() as stack:
        texts: list[Iterator[str]] = []
        for path in paths:
            limit = FREE_TEXT_BYTES + MAX_EXPANSION * path.stat().st_size
            if path.name.endswith(ARCHIVE_SUFFIXES):
                streams = _archive_members(path, members, stack, limit)
                names = [f"{path}/{member}" for member in members]
            else:
                streams, names = [stack.enter_context(_open_bytes(path))], [str(path)]
            texts += [_lines(stream, name, limit) for stream, name in zip(streams, names, strict=True)]
        rows = _corresponding(texts, names=" and ".join(str(path) for path in paths), columns=columns)
        for source, target in rows:
            pair = " ".join(source.split()), " ".join(target.split())
            if all(pair):
                yield pair


def _read_table(path: Path) -> Iterator[Pair]:
    with _open_bytes(path) as stream:
        for number, line in enumerate(_lines(stream, str(path)), start=1):
            if not line.strip():
                continue
            columns = line.split("\t")
            if len(columns) != 2:
                what = "no tab" if len(columns) == 1 else f"{len(columns)} columns"
                raise PairsError(f"{path}:{number}: expected source TAB target, found {what}")
            yield columns[0], columns[1]


def _corresponding(texts: Sequence[Iterator[str]], *, names: str, columns: tuple[int, int]) -> Iterator[Pair]:
    """Pairs of one table (columns) or of two texts (line by line)."""
    if len(texts) == 1:
        for number, line in enumerate(texts[0], start=1):
            cells = line.split("\t")
            if not line.strip():
                continue
            if len(cells) <= max(columns):
                raise PairsError(f"{names}:{number}: expected at least {max(columns) + 1} columns, found {len(cells)}")
            yield cells[columns[0]], cells[columns[1]]
    elif len(texts) == 2:
        for number, (source, target) in enumerate(zip_longest(*texts), start=1):
            if source is None or target is None:
                raise PairsError(f"{names}: one side ends at line {number}, the other goes on: they do not correspond")
            yield source, target
    else:
        raise PairsError(f"{names}: expected one table or two corresponding texts, found {len(texts)} texts")


def _lines(stream: BinaryIO, name: str, limit_bytes: int | None = None) -> Iterator[str]:
    """Decoded lines without their ends. Only LF separates lines: U+2028 and the like belong to the text."""
    number = total = 0
    while True:
        number += 1
        try:
            line = stream.readline(MAX_LINE_BYTES + 1)
        except _DAMAGED as error:
            raise PairsError(f"{name}: damaged or unreadable after line {number - 1}: {error}") from None
        if not line:
            return
        total += len(line)
        if len(line) > MAX_LINE_BYTES:
            raise PairsError(f"{name}:{number}: a line of more than {MAX_LINE_BYTES:,} bytes")
        if limit_bytes is not None and total > limit_bytes:
            raise PairsError(f"{name}: more than {limit_bytes:,} bytes of text in so small a file: refused")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise PairsError(f"{name}:{number}: not UTF-8 (byte {error.start + 1} of the line)") from None
        yield text.rstrip("\r\n")


def _open_bytes(path: Path) -> BinaryIO:
    try:
        match path.suffix:
            case ".gz":
                return cast(BinaryIO, gzip.open(path, "rb"))
            case ".xz":
                return cast(BinaryIO, lzma.open(path, "rb"))
            case _:
                return path.open("rb")
    except OSError as error:
        raise PairsError(f"{path}: cannot be opened: {error.strerror}") from None


def _create_text(path: Path, *, compression: str) -> TextIO:
    match compression:
        case ".gz":
            return gzip.open(path, "wt", encoding="utf-8", newline="\n")
        case ".xz":
            return lzma.open(path, "wt", preset=_XZ_PRESET, encoding="utf-8", newline="\n")
        case _:
            return path.open("w", encoding="utf-8", newline="\n")


def _archive_members(path: Path, members: Sequence[str], stack: ExitStack, limit_bytes: int) -> list[BinaryIO]:
    """Open a stream for each wanted member, in their order; the stack closes them."""
    try:
        if path.suffix == ".zip":
            archive = stack.enter_context(zipfile.ZipFile(path))
            chosen = _choose(path, [info.filename for info in archive.infolist() if not info.is_dir()], members)
            return [cast(BinaryIO, stack.enter_context(archive.open(name))) for name in chosen]
        return _tar_members(path, members, stack, limit_bytes)
    except _DAMAGED as error:
        raise PairsError(f"{path}: damaged or unreadable archive: {error}") from None
    except RuntimeError as error:  # what zipfile raises for encrypted members
        raise PairsError(f"{path}: {error}") from None


def _tar_members(path: Path, members: Sequence[str], stack: ExitStack, limit_bytes: int) -> list[BinaryIO]:
    """Copies the wanted members to nameless temporary files.

    Two members of a compressed tar cannot be read side by side: each step back would decompress from the start again.
    """
    spooled: dict[str, BinaryIO] = {}
    total = 0
    with tarfile.open(path, "r|gz") as archive:
        for info in archive:
            total += info.size
            if total > limit_bytes:
                raise PairsError(f"{path}: more than {limit_bytes:,} bytes in so small an archive: refused")
            stream = archive.extractfile(info) if info.isfile() else None
            if stream is None:
                continue
            _refuse_unsafe(path, info.name)
            if info.name.endswith(tuple(members)):
                copy = stack.enter_context(TemporaryFile(dir=path.parent))  # noqa: SIM115 (the caller's stack closes it)
                while chunk := stream.read(1 << 20):
                    copy.write(chunk)
                copy.seek(0)
                spooled[info.name] = cast(BinaryIO, copy)
    return [spooled[name] for name in _choose(path, list(spooled), members)]


def _choose(path: Path, names: Sequence[str], members: Sequence[str]) -> list[str]:
    """The one name a wanted ending."""
    chosen = []
    for name in names:
        _refuse_unsafe(path, name)
    for member in members:
        matches = [name for name in names if name.endswith(member)]
        if len(matches) != 1:
            raise PairsError(f"{path}: expected one member that ends in {member!r}, found {len(matches)}")
        chosen += matches
    return chosen


def _refuse_unsafe(path: Path, name: str) -> None:
    """Nothing is ever written under a member's name, but an archive that tries to escape is not to be trusted."""
    if name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts:
        raise PairsError(f"{path}: refused: the archive has a member with an unsafe path, {name!r}")
