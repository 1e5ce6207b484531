"""The commands of ``dragoman data`` that need neither a model nor the network. ``model.data.commands`` adds them."""

from pathlib import Path
from typing import Annotated

import typer


def hold_out(
    files: Annotated[list[Path], typer.Argument(metavar="FILES...", help="Pairs: .tsv, .tsv.gz or .tsv.xz.")],
    out: Annotated[Path, typer.Option(help="New folder for held-out.tsv and the files without its sentences.")],
    draw: Annotated[
        list[str], typer.Option(metavar="NAME=NUMBER", help="Draw NUMBER pairs from the file NAME; repeatable.")
    ],
    seed: Annotated[int, typer.Option(help="Another seed draws other pairs.")] = 1,
) -> None:
    """Set pairs aside for choosing between models, and write copies of the files without their sentences."""
    from model.data.hold_out import hold_out as set_aside

    drawn = {}
    for item in draw:
        name, _, number = item.rpartition("=")
        if not name or not number.isdigit():
            raise typer.BadParameter(f"{item!r} is not of the form NAME=NUMBER", param_hint="--draw")
        drawn[name] = int(number)
    count = set_aside(files, drawn, out, seed=seed, report=typer.echo)
    typer.echo(f"{out / 'held-out.tsv'}: {count:,} pairs")


def complete(
    pairs: Annotated[Path, typer.Argument(help="Pair file, one column of which holds keys of sentences.")],
    out: Annotated[Path, typer.Option(help="Pair file: .tsv, .tsv.gz or .tsv.xz.")],
    first: Annotated[
        list[Path] | None, typer.Option(help="Text with the sentences of the first column; plain, .gz or .xz.")
    ] = None,
    second: Annotated[list[Path] | None, typer.Option(help="The same for the second column.")] = None,
) -> None:
    """Replace the keys in a pair file by the sentences that they stand for."""
    from model.data.pairs import read_pairs, with_sentences, write_pairs

    if not (first or second):
        raise typer.BadParameter("name the text that has the sentences", param_hint="--first or --second")
    completed = list(read_pairs(pairs))
    for column, files in enumerate((first, second)):
        if files:
            completed = with_sentences(completed, column, files)
    count = write_pairs(out, completed)
    typer.echo(f"{out}: {count:,} pairs")


def catalogs(
    files: Annotated[list[Path], typer.Argument(metavar="FILES...", help="Compiled gettext catalogs, .mo.")],
    out: Annotated[Path, typer.Option(help="Pair file: .tsv, .tsv.gz or .tsv.xz.")],
    reverse: Annotated[bool, typer.Option("--reverse", help="Write the translation first, then the message.")] = False,
    max_words: Annotated[int, typer.Option(min=1, help="Maximum words of a side.")] = 40,
    avoid: Annotated[list[Path] | None, typer.Option(help="Pair files whose sentences OUT must not hold.")] = None,
) -> None:
    """Collect the texts of programs, with their translations: buttons, messages, settings.

    Linux keeps catalogs in share/locale/LANGUAGE/LC_MESSAGES. Texts with placeholders or markup are left out.
    """
    from model.data.catalogs import read_catalogs
    from model.data.pairs import read_pairs, write_pairs
    from model.data.preparation import Rules, clean, key

    avoided = {key(side) for path in avoid or [] for pair in read_pairs(path) for side in pair}
    found = clean(read_catalogs(files), Rules(max_words=max_words))
    kept = (pair for pair in found if not avoided & {key(side) for side in pair})
    count = write_pairs(out, (pair[::-1] if reverse else pair for pair in kept))
    typer.echo(f"{out}: {count:,} pairs")


def references(
    out: Annotated[Path, typer.Argument(help="Pair file to write, German and English.")],
    documents: Annotated[int, typer.Option(min=1, help="Number of documents.")] = 2500,
    held_out: Annotated[bool, typer.Option("--held-out", help="Use the words that are kept for tests.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 1,
) -> None:
    """Generate documents whose pronouns and forms of address depend on the sentences before.

    They teach a model with a memory to use the context. `dragoman contrast` tests it on documents made with
    `--held-out`.
    """
    from random import Random

    from model.data.pairs import write_pairs
    from model.data.references import reference_pairs

    count = write_pairs(out, reference_pairs(documents, Random(seed), held_out=held_out))
    typer.echo(f"wrote {out}, {count:,} pairs")


def align_folder(
    folder: Annotated[
        Path, typer.Argument(help="Has NAME.LANGUAGE.txt.xz for each document, in both languages: a paragraph a line.")
    ],
    out: Annotated[Path, typer.Option(help="Pair file: .tsv, .tsv.gz or .tsv.xz.")],
    dictionary: Annotated[
        list[Path], typer.Option(help="Pair files, of sentences or of words, to learn a rough translation from.")
    ],
    languages: Annotated[str, typer.Option(help="Languages of the documents.")] = "de-en",
    least: Annotated[float, typer.Option(min=0, max=1, help="Minimum similarity of a pair.")] = 0.2,
    avoid: Annotated[list[Path] | None, typer.Option(help="Pair files whose sentences OUT must not hold.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Names of documents to leave out.")] = None,
) -> None:
    """Find the sentence pairs in a folder of documents in two languages, such as novels.

    A table of words translates the documents, so this needs no model. A novel takes seconds.
    """
    from itertools import chain

    from model.data.folder_alignment import align_folder as align_documents
    from model.data.glosses import Glosses
    from model.data.pairs import pair_files, read_pairs, write_pairs

    first, _, second = languages.partition("-")
    avoided = {side for path in pair_files(avoid or []) for pair in read_pairs(path) for side in pair}
    found = align_documents(
        folder,
        Glosses(chain.from_iterable(map(read_pairs, dictionary))),
        languages=(first, second),
        least=least,
        avoid=avoided,
        without=without or [],
        report=lambda name, count: typer.echo(f"{name}: {count:,} pairs"),
    )
    count = write_pairs(out, found)
    typer.echo(f"{out}: {count:,} pairs")
