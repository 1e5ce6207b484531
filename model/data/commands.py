"""``dragoman data``: the commands that fetch public corpora and prepare training files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from model.data.console import Steps, progress_bar
from model.data.text_commands import align_folder, catalogs, complete, hold_out, references

if TYPE_CHECKING:
    from model.data.corpora import Corpus
    from model.data.preparation import Report

data = typer.Typer(
    name="data",
    help="Fetch public corpora and prepare files of sentence pairs for training.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_LIST_EPILOG = "Example: `dragoman data list`"
_FETCH_EPILOG = """
Examples:

* `dragoman data fetch tatoeba`
* `dragoman data fetch europarl --out corpora`
* `dragoman data fetch https://example.org/pairs.tsv.gz --sha256 4f6c…`
* `dragoman data fetch https://example.org/books.zip --member books.de --member books.en --name books`
"""
_PREPARE_EPILOG = """
Examples:

* `dragoman data prepare data/raw/tatoeba.tsv.xz --out data/tatoeba`
* `dragoman data prepare my-pairs.tsv data/raw/*.tsv.xz --out data/mix --valid 500 --test 500 --max-words 80`
"""
_HOLD_OUT_EPILOG = """
Example: `dragoman data hold-out data/de-en/train/*.tsv.xz --draw wmt-news.tsv.xz=700 --out data/held`
"""
_BACK_TRANSLATE_EPILOG = """
Example: `dragoman data back-translate artifacts/de-en wikipedia.en.txt.xz --from en --to de --out wikipedia.tsv.xz`
"""
_CATALOGS_EPILOG = """
Example: `dragoman data catalogs /usr/share/locale/de/LC_MESSAGES/*.mo --reverse --out programs.tsv.xz`
"""
_REFERENCES_EPILOG = """
Example: `dragoman data references data/de-en/documents/references.tsv`
"""
_COMPLETE_EPILOG = """
Example: `dragoman data complete model/text/translated-de.tsv.xz --first wikipedia.de.txt.xz --out pairs.tsv`
"""
_ALIGN_EPILOG = """
Example: `dragoman data align artifacts/de-en heidi.de.txt heidi.en.txt --out heidi.tsv`
"""
_ALIGN_FOLDER_EPILOG = """
Example: `dragoman data align-folder data/de-en/comparable --dictionary words.tsv.xz --out novels.tsv.xz`
"""


@data.command("list", epilog=_LIST_EPILOG)
def list_corpora() -> None:
    """Show the corpora that `fetch` knows by name, with their licences."""
    from rich.console import Console
    from rich.table import Table

    from model.data.corpora import CORPORA

    table = Table("name", "pair", "what it is", "licence", "checksum", title="Public corpora")
    for column in table.columns:
        column.overflow = "fold"
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for corpus in CORPORA.values():
        published = all(remote.sha256 for remote in corpus.files)
        checksum = "published" if published else "recorded at first use"
        table.add_row(corpus.name, "-".join(corpus.languages), corpus.description, corpus.licence, checksum)
    Console().print(table)


@data.command(epilog=_FETCH_EPILOG)
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME|URL", help="A name from `dragoman data list`, or an address.")],
    out: Annotated[Path, typer.Option(help="Folder for the corpus.")] = Path("data/raw"),
    sha256: Annotated[str | None, typer.Option(help="Expected checksum of the file (address only).")] = None,
    member: Annotated[
        list[str] | None,
        typer.Option(
            help="End of the name of the wanted archive member (address only): once for a table, twice for source "
            "and target. Default: .SOURCE and .TARGET of --languages."
        ),
    ] = None,
    languages: Annotated[str, typer.Option(help="SOURCE-TARGET (address only).")] = "de-en",
    file_name: Annotated[str | None, typer.Option("--name", help="Name for the files (address only).")] = None,
) -> None:
    """Download a corpus, verify it and unpack it into OUT/NAME.tsv.xz.

    Run the same command again to resume a broken download. OUT/NAME.provenance.json records addresses, checksums and
    licence.
    """
    from model.data.corpora import fetch as fetch_corpus

    if "://" in name:
        corpus = _corpus_at(name, sha256, member or [], languages, file_name)
    elif sha256 or member or file_name or languages != "de-en":
        raise typer.BadParameter("--sha256, --member, --languages and --name go with an address, not with a NAME")
    else:
        corpus = _corpus_named(name)
    with progress_bar() as bar:
        step = Steps(bar)
        path = fetch_corpus(
            corpus,
            out,
            progress=lambda file, done, total: step.show(file, done, total, unit="bytes"),
            unpacked=lambda done: step.show("unpacking", done, None, unit="pairs"),
        )
    typer.echo(f"{path}  ({corpus.licence}; {corpus.attribution})")


@data.command(epilog=_PREPARE_EPILOG)
def prepare(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES...", help="Pairs: .tsv, .tsv.gz or .tsv.xz; source TAB target.")
    ],
    out: Annotated[Path, typer.Option(help="New folder for train.tsv.xz, valid.tsv, test.tsv and report.json.")],
    valid: Annotated[int, typer.Option(min=0, help="Pairs for validation.")] = 1000,
    test: Annotated[int, typer.Option(min=0, help="Pairs for testing.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed that draws the validation and test pairs.")] = 1,
    min_words: Annotated[int, typer.Option(help="Minimum words of a side.")] = 1,
    max_words: Annotated[int, typer.Option(help="Maximum words of a side.")] = 120,
    max_ratio: Annotated[float, typer.Option(help="Maximum ratio of the two sides' word counts.")] = 3.0,
    min_letter_share: Annotated[float, typer.Option(help="Minimum share of letters in a side, 0 to 1.")] = 0.6,
) -> None:
    """Clean pairs, remove duplicates and split them into training, validation and test files.

    No validation or test pair shares its source or its target with a training pair.
    """
    from model.data.preparation import Rules
    from model.data.preparation import prepare as prepare_files

    rules = Rules(min_words=min_words, max_words=max_words, max_ratio=max_ratio, min_letter_share=min_letter_share)
    with progress_bar() as bar:
        step = Steps(bar)
        report = prepare_files(
            files,
            out,
            rules=rules,
            valid=valid,
            test=test,
            seed=seed,
            progress=lambda name, done, total: step.show(name, done, total, unit="pairs"),
        )
    _print_report(report, out)


@data.command("back-translate", epilog=_BACK_TRANSLATE_EPILOG)
def back_translate(
    model: Annotated[Path, typer.Argument(help="A bundle, or a checkpoint (on a GPU, if there is one).")],
    text: Annotated[Path, typer.Argument(help="Sentences, one a line; plain, .gz or .xz.")],
    out: Annotated[Path, typer.Option(help="Pair file: .tsv, .tsv.gz or .tsv.xz.")],
    source: Annotated[str, typer.Option("--from", help="Language of the text.")],
    target: Annotated[str, typer.Option("--to", help="Language to translate into.")],
    columns: Annotated[
        str | None, typer.Option(help="Order of the languages in OUT.", show_default="the model's")
    ] = None,
    avoid: Annotated[
        list[Path] | None,
        typer.Option(
            help="Pair files, or folders of them. Lines of TEXT that they hold, as sentences or keys, are left out."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Decoders side by side, of a bundle.")] = 2,
) -> None:
    """Make training pairs from text in one language: its translation is the source, the text itself the target.

    Run the same command again to continue a stopped run. Name OUT in a recipe with `synthetic = true`.
    """
    from model.data.pairs import pair_files, read_pairs
    from model.data.synthesis import back_translate as translate_text
    from model.evaluation.corpus_translator import CorpusTranslator

    translator = CorpusTranslator(model, threads)
    order = tuple((columns or "-".join(translator.languages)).split("-"))
    if sorted(order) != sorted((source, target)):
        raise typer.BadParameter(
            f"{'-'.join(order)!r} are not the languages of --from and --to", param_hint="--columns"
        )
    try:
        avoided = {side for path in pair_files(avoid or []) for pair in read_pairs(path) for side in pair}
        with progress_bar() as bar:
            step = Steps(bar)
            count = translate_text(
                text,
                out,
                translator,
                written_in=source,
                other=target,
                columns=(order[0], order[1]),
                avoid=avoided,
                progress=lambda done: step.show(text.name, done, None, unit="lines"),
            )
    finally:
        translator.close()
    typer.echo(f"{out}: {count:,} pairs")


@data.command(epilog=_ALIGN_EPILOG)
def align(
    model: Annotated[Path, typer.Argument(help="A bundle, or a checkpoint (on a GPU, if there is one).")],
    first: Annotated[Path, typer.Argument(help="The document in one language: a paragraph a line; plain, .gz or .xz.")],
    second: Annotated[Path, typer.Argument(help="The document in the other language.")],
    out: Annotated[Path, typer.Option(help="Pair file: .tsv, .tsv.gz or .tsv.xz.")],
    languages: Annotated[str, typer.Option(help="Languages of the two documents.")] = "de-en",
    least: Annotated[float, typer.Option(min=0, max=1, help="Minimum similarity of a pair.")] = 0.3,
    avoid: Annotated[list[Path] | None, typer.Option(help="Pair files whose sentences OUT must not hold.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Decoders side by side, of a bundle.")] = 2,
) -> None:
    """Find the sentence pairs in two versions of a document, such as a novel and its translation.

    The model translates the first document; sentences that are then similar become pairs.
    """
    from model.data.pairs import read_pairs, write_pairs
    from model.data.synthesis import align_documents
    from model.evaluation.corpus_translator import CorpusTranslator

    source, _, target = languages.partition("-")
    translator = CorpusTranslator(model, threads)
    try:
        avoided = [side for path in avoid or [] for pair in read_pairs(path) for side in pair]
        with progress_bar() as bar:
            step = Steps(bar)
            found = align_documents(
                first,
                second,
                translator,
                languages=(source, target),
                least=least,
                avoid=avoided,
                progress=lambda done: step.show(first.name, done, None, unit="sentences"),
            )
        count = write_pairs(out, (pair for _, pair in found))
    finally:
        translator.close()
    typer.echo(f"{out}: {count:,} pairs")


data.command("hold-out", epilog=_HOLD_OUT_EPILOG)(hold_out)
data.command(epilog=_COMPLETE_EPILOG)(complete)
data.command(epilog=_CATALOGS_EPILOG)(catalogs)
data.command(epilog=_REFERENCES_EPILOG)(references)
data.command("align-folder", epilog=_ALIGN_FOLDER_EPILOG)(align_folder)


def _corpus_named(name: str) -> "Corpus":
    from model.data.corpora import CORPORA

    if name not in CORPORA:
        raise typer.BadParameter(f"unknown corpus {name!r}; known: {', '.join(CORPORA)}")
    return CORPORA[name]


def _corpus_at(url: str, sha256: str | None, members: list[str], languages: str, name: str | None) -> "Corpus":
    from model.data.corpora import from_url

    source, dash, target = languages.partition("-")
    if not (source and dash and target):
        raise typer.BadParameter(f"--languages {languages!r} is not of the form SOURCE-TARGET")
    if len(members) > 2:
        raise typer.BadParameter("--member is given once for a table or twice for source and target")
    return from_url(url, sha256=sha256, name=name, languages=(source, target), members=tuple(members))


def _print_report(report: "Report", out: Path) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("pairs", "count", "share", title=f"Prepared {escape(str(out))}")
    table.columns[1].justify = table.columns[2].justify = "right"

    def row(label: str, count: int, style: str | None = None) -> None:
        table.add_row(label, f"{count:,}", f"{count / report.read:.1%}", style=style)

    row("read", report.read)
    for reason, count in report.rejected.items():
        row(f"rejected: {reason}", count, "dim")
    row("train.tsv.xz", report.train, "bold")
    row("valid.tsv", report.valid)
    row("test.tsv", report.test)
    Console().print(table)
