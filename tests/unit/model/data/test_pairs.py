import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from model.data import pairs as pairs_module
from model.data.pairs import PairsError, published_pairs, read_pairs, write_pairs

PAIRS = [("Guten Tag.", "Good day."), ("Ja\u2028nein", " yes  no "), ("", "only a target")]


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


ARCHIVES = pytest.mark.parametrize(("make", "name"), [(zipped, "a.zip"), (tarred, "a.tgz"), (tarred, "a.tar.gz")])


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz", "a.tsv.xz"])
def test_what_is_written_is_read_back_unchanged(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert write_pairs(path, PAIRS) == 3
    assert list(read_pairs(path)) == PAIRS
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_the_suffix_decides_the_compression(tmp_path: Path) -> None:
    for name in ("a.tsv", "a.tsv.gz", "a.tsv.xz"):
        write_pairs(tmp_path / name, [("ja", "yes")])
    assert (tmp_path / "a.tsv").read_bytes() == b"ja\tyes\n"
    assert gzip.decompress((tmp_path / "a.tsv.gz").read_bytes()) == b"ja\tyes\n"
    assert lzma.decompress((tmp_path / "a.tsv.xz").read_bytes()) == b"ja\tyes\n"


def test_byte_order_mark_crlf_and_blank_lines_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfja\tyes\r\n\r\n  \nnein\tno")
    assert list(read_pairs(path)) == [("ja", "yes"), ("nein", "no")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"ja\tyes\nnein no\n", "a.tsv:2: expected source TAB target, found no tab"),
        (b"ja\tyes\tsi\n", "a.tsv:1: expected source TAB target, found 3 columns"),
        (b"ja\tyes\n\nsch\xf6n\tnice\n", "a.tsv:3: not UTF-8 .byte 4 of the line"),
        (b"ja\t" + b"y" * (1 << 20), "a.tsv:1: a line of more than 1,048,576 bytes"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(content)
    with pytest.raises(PairsError, match=message):
        list(read_pairs(path))


def test_missing_file_and_unknown_ending_are_refused_before_reading(tmp_path: Path) -> None:
    with pytest.raises(PairsError, match=r"a.tsv: no such file"):
        read_pairs(tmp_path / "a.tsv")
    with pytest.raises(PairsError, match=r"a.csv: expected a file that ends in .tsv, .tsv.gz, .tsv.xz"):
        read_pairs(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["a.tsv.gz", "a.tsv.xz"])
def test_truncated_file_is_an_error_not_an_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_pairs(path, [(f"Wort {n * 7919}", f"word {n * 104729}") for n in range(5000)])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(PairsError, match=f"{name}: damaged or unreadable after line"):
        list(read_pairs(path))


def test_file_that_is_not_compressed_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.xz"
    path.write_bytes(b"ja\tyes\n")
    with pytest.raises(PairsError, match="damaged or unreadable after line 0"):
        list(read_pairs(path))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    write_pairs(path, [("ja", "yes")])
    with pytest.raises(PairsError, match="pair 2 holds a tab or a line break"):
        write_pairs(path, [("nein", "no"), ("zwei\tSpalten", "x")])
    assert path.read_bytes() == b"ja\tyes\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.tsv"]


def test_table_columns_are_chosen_and_whitespace_is_collapsed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes("Good  day.\t Guten\u00a0Tag. \tCC-BY\n\nalone\t\tCC-BY\nyes\tja\n".encode())
    assert list(published_pairs([path], columns=(1, 0))) == [("Guten Tag.", "Good day."), ("ja", "yes")]


def test_table_with_too_few_columns_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"ja\tyes\tsi\nnein\tno\n")
    with pytest.raises(PairsError, match=r"a.tsv:2: expected at least 3 columns, found 2"):
        list(published_pairs([path], columns=(0, 2)))


def test_loose_moses_files_of_any_compression(tmp_path: Path) -> None:
    source, target = tmp_path / "train.de.gz", tmp_path / "train.en"
    source.write_bytes(gzip.compress(b"eins\n\nzwei\tdrei\n"))
    target.write_bytes(b"one\nalone\ntwo three\n")
    assert list(published_pairs([source, target])) == [("eins", "one"), ("zwei drei", "two three")]


def test_unequal_line_counts_are_an_error(tmp_path: Path) -> None:
    source, target = tmp_path / "train.de", tmp_path / "train.en"
    source.write_bytes(b"eins\nzwei\n")
    target.write_bytes(b"one\n")
    with pytest.raises(PairsError, match="one side ends at line 2"):
        list(published_pairs([source, target]))


@ARCHIVES
def test_archived_moses_pair_and_table(tmp_path: Path, make, name: str) -> None:
    path = make(
        tmp_path / name, {"README": b"x", "d/x.de-en.en": b"one\n", "d/x.de-en.de": b"eins\n", "deu.txt": b"a\tb\tc\n"}
    )
    assert list(published_pairs([path], members=(".de-en.de", ".de-en.en"))) == [("eins", "one")]
    assert list(published_pairs([path], members=("deu.txt",), columns=(1, 0))) == [("b", "a")]
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


@ARCHIVES
@pytest.mark.parametrize("evil", ["../../x.sh", "/etc/x.sh", "d/../../x.de", "..\\x.sh"])
def test_archive_that_tries_to_escape_is_refused_and_nothing_is_written(
    tmp_path: Path, make, name: str, evil: str
) -> None:
    folder = tmp_path / "deep" / "folder"
    folder.mkdir(parents=True)
    path = make(folder / name, {"x.de": b"eins\n", "x.en": b"one\n", evil: b"boo\n"})
    with pytest.raises(PairsError, match="unsafe path"):
        list(published_pairs([path], members=(".de", ".en")))
    assert [entry for entry in tmp_path.rglob("*") if entry.is_file()] == [path]


@ARCHIVES
def test_missing_and_ambiguous_members_are_named(tmp_path: Path, make, name: str) -> None:
    path = make(tmp_path / name, {"a.de": b"eins\n", "b.de": b"zwei\n", "a.en": b"one\n"})
    with pytest.raises(PairsError, match=r"one member that ends in '.de', found 2"):
        list(published_pairs([path], members=(".de", ".en")))
    with pytest.raises(PairsError, match=r"one member that ends in '.fr', found 0"):
        list(published_pairs([path], members=("a.de", ".fr")))


@ARCHIVES
def test_decompression_bomb_is_stopped(tmp_path: Path, make, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs_module, "FREE_TEXT_BYTES", 1000)
    monkeypatch.setattr(pairs_module, "MAX_EXPANSION", 2)
    path = make(tmp_path / name, {"x.tsv": b"ja\tyes\n" * 20_000})
    with pytest.raises(PairsError, match="refused"):
        list(published_pairs([path], members=(".tsv",)))


def test_bomb_in_a_member_that_nobody_wants_is_stopped_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # In a compressed tar what comes before the wanted member has to be decompressed; in a zip it is skipped.
    monkeypatch.setattr(pairs_module, "FREE_TEXT_BYTES", 1000)
    members = {"junk": bytes(1_000_000), "x.tsv": b"ja\tyes\n"}
    with pytest.raises(PairsError, match="in so small an archive: refused"):
        list(published_pairs([tarred(tmp_path / "a.tgz", members)], members=(".tsv",)))
    assert list(published_pairs([zipped(tmp_path / "a.zip", members)], members=(".tsv",))) == [("ja", "yes")]


@ARCHIVES
def test_damaged_archive_is_an_error(tmp_path: Path, make, name: str) -> None:
    path = make(tmp_path / name, {"x.tsv": b"ja\tyes\n" * 50})
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(PairsError, match="damaged or unreadable archive"):
        list(published_pairs([path], members=(".tsv",)))
