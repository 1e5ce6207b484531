"""``dragoman export``, ``lexicons``, ``labels``, ``restore``, ``join`` and ``attention``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from app.engine.models.bundle import Bundle
    from export.bundle_builder import Sentences
    from export.lexicon import Lexicons, Translations
    from export.progress import Report


LexiconOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PAIR=FILE",
        help="Translations of words that are rare in the training text, for one direction: "
        "de-en=model/text/lexicon.de-en.tsv.xz. A pair file as for training, with a line for each translation of a "
        "word or of a term of two words. Repeat the option for another direction or another file; of a word in two "
        "files, the later one counts. A lexicon outweighs a model that isn't sure.",
    ),
]
MarkKnown = Annotated[
    bool,
    typer.Option(
        "--mark-known",
        help="Leave words to the model that it translates alone as the lexicon does. This takes minutes with the "
        "shipped lexicons.",
    ),
]
MarkFrequent = Annotated[
    Path | None,
    typer.Option(
        metavar="RECIPE",
        help="A recipe, e.g. model/recipes/de-en.toml. Words that at least 22 sentences of its training text contain "
        "are left to the model.",
    ),
]
DataOption = Annotated[Path, typer.Option(help="Folder that the files of --mark-frequent's recipe are relative to.")]
DATA = Path("data/de-en")


SentencesOption = Annotated[
    Path | None,
    typer.Option(
        help="Pair file. Of its first 500 pairs, the sides in the model's source languages are translated by "
        "PyTorch and by the graphs for comparison.",
        show_default="only random pieces are compared",
    ),
]
CudaOption = Annotated[
    bool,
    typer.Option(
        "--cuda",
        help="CHECKPOINT is a bundle: copy it, and add the graphs that keep a GPU busy, or make them again after a "
        "lexicon was added. New exports have them already, imported models don't.",
    ),
]


def export(
    checkpoint: Annotated[Path, typer.Argument(help="Model folder, e.g. runs/de-en/averaged.")],
    out: Annotated[Path, typer.Argument(help="Folder of the bundle, made or replaced, e.g. artifacts/de-en.")],
    sentences: SentencesOption = None,
    lexicon: LexiconOption = None,
    mark_known: MarkKnown = False,
    mark_frequent: MarkFrequent = None,
    cuda: CudaOption = False,
    data: DataOption = DATA,
) -> None:
    """Export a trained model as a bundle: graphs in int8, float32 and float16, with a parity report.

    OUT changes only when the bundle is complete. Its manifest holds the parity report; 'dragoman info OUT' shows it.
    """
    if cuda:
        from app.engine.models.bundle import Bundle
        from export.device_bundle import add_device_graphs

        made = add_device_graphs(Bundle.open(checkpoint), out)
        typer.echo(f"{made.path} has graphs for a GPU now")
        return
    from export.agreement import parity_lines
    from export.bundle_builder import build_bundle
    from export.progress import reporting
    from model.training.provenance import read_card

    languages = read_card(checkpoint).languages
    groups = _read_sentences(sentences, languages) if sentences else []
    lexicons = _read_lexicons(lexicon or [], languages)
    with reporting("exporting") as report:
        lexicons = _marked_by_text(lexicons, mark_frequent, data, report)
        bundle = build_bundle(
            checkpoint,
            out,
            sentences=groups,
            lexicons=lexicons,
            mark_known=mark_known,
            report=report,
        )
    for line in parity_lines(bundle.manifest.parity):
        typer.echo(line)


def _read_sentences(path: Path, languages: tuple[str, str]) -> "list[Sentences]":
    from export.bundle_builder import Sentences
    from model.data.pairs import read_pairs

    first, second = languages
    pairs = list(read_pairs(path))[:500]
    return [Sentences(first, second, [a for a, _ in pairs]), Sentences(second, first, [b for _, b in pairs])]


def _marked_by_text(lexicons: "Lexicons", recipe: Path | None, data: Path, report: "Report") -> "Lexicons":
    from export.frequency import mark_frequent
    from model.recipe import Recipe

    if recipe is None:
        return lexicons
    report("counting the words of the lexicon in the training text")
    return mark_frequent(lexicons, Recipe.load(recipe), data)


def _read_lexicons(given: list[str], languages: tuple[str, str]) -> "Lexicons":
    from export.lexicon import read_lexicon

    found: dict[tuple[str, str], Translations] = {}
    for direction, file in _files_by_direction(given, languages, "--lexicon"):
        words = read_lexicon(file, reverse=direction != languages)
        found[direction] = {**found.get(direction, {}), **words}
    return found


def _files_by_direction(
    given: list[str], languages: tuple[str, str], option: str
) -> "Iterator[tuple[tuple[str, str], Path]]":
    """Yields the direction and the file of each value PAIR=FILE of an option."""
    first, second = languages
    directions = {f"{first}-{second}": (first, second), f"{second}-{first}": (second, first)}
    for each in given:
        pair, _, file = each.partition("=")
        if pair not in directions or not file:
            raise typer.BadParameter(f"{each} is not {' or '.join(directions)} with = and a file", param_hint=option)
        yield directions[pair], Path(file)


def lexicons(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle with an alignment head, e.g. artifacts/de-en.")],
    lexicon: LexiconOption = None,
    mark_known: MarkKnown = False,
    mark_frequent: MarkFrequent = None,
    data: DataOption = DATA,
) -> None:
    """Replace the lexicons of a bundle, with the options of 'dragoman export'. Its weights stay as they are."""
    from app.engine.models.bundle import Bundle
    from export.progress import reporting
    from export.word_lists import replace_lexicons

    opened = Bundle.open(bundle)
    first = opened.manifest.pairs[0]
    given = _read_lexicons(lexicon or [], (first.source, first.target))
    with reporting("replacing") as report:
        marked = _marked_by_text(given, mark_frequent, data, report)
        replace_lexicons(opened, marked, mark_known=mark_known, report=report)
    typer.echo(f"{bundle} is ready")


def labels(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle, e.g. artifacts/de-en.")],
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="PAIR=FILE",
            help="Labels of one direction and their translations: de-en=model/text/labels.tsv.xz. A pair file as for "
            "training. Repeat the option for another direction or another file; of a label in two files, the later one "
            "counts. Without the option, the bundle loses its labels.",
        ),
    ] = None,
) -> None:
    """Replace the labels of a bundle: texts alone, such as those of buttons, that are translated as they are listed."""
    from app.engine.models.bundle import Bundle
    from export.word_lists import read_labels, replace_labels

    opened = Bundle.open(bundle)
    first = opened.manifest.pairs[0]
    languages = first.source, first.target
    files: dict[tuple[str, str], list[Path]] = {}
    for direction, file in _files_by_direction(label or [], languages, "--labels"):
        files.setdefault(direction, []).append(file)
    found = {pair: read_labels(paths, reverse=pair != languages) for pair, paths in files.items()}
    replace_labels(opened, found)
    counted = ", ".join(f"{len(listed):,} from {source} to {target}" for (source, target), listed in found.items())
    typer.echo(f"{bundle} has {counted or 'no'} labels")


def restore(
    bundle: Annotated[
        Path, typer.Argument(help="Folder of a bundle that 'dragoman export' made, e.g. artifacts/de-en.")
    ],
    out: Annotated[Path, typer.Argument(help="Model folder to make, e.g. runs/initial.")],
    pair: Annotated[
        str | None, typer.Option(help="Direction, e.g. en-de, of a bundle that has a model for each.")
    ] = None,
) -> None:
    """Make a model folder from a bundle, to continue training from its weights.

    Name the folder in a recipe: initial = "runs/initial".
    """
    from app.engine.models.bundle import Bundle
    from export.restore import restore as write_model_folder

    opened = Bundle.open(bundle)
    write_model_folder(opened.model_of(*find_pair(opened, pair)) if pair else opened, out)
    typer.echo(f"{out} is ready: name it in a recipe as 'initial', then run dragoman train")


def find_pair(bundle: "Bundle", pair: str | None) -> tuple[str, str]:
    """Return source and target of a direction such as en-de, or the bundle's first."""
    pairs = {f"{each.source}-{each.target}": (each.source, each.target) for each in bundle.manifest.pairs}
    if pair is not None and pair not in pairs:
        raise typer.BadParameter(f"must be one of {', '.join(pairs)}", param_hint="--pair")
    return pairs[pair] if pair else next(iter(pairs.values()))


def join(
    out: Annotated[Path, typer.Argument(help="Folder of the bundle to make or replace, e.g. artifacts/de-en.")],
    bundles: Annotated[
        list[Path], typer.Argument(help="Two or more bundles with the same tokenizer, each for other directions.")
    ],
) -> None:
    """Join bundles into one bundle that has a model for each direction.

    A recipe with direction = "forward" or "reverse" trains such a model.
    """
    from app.engine.models.bundle import Bundle
    from export.joining import join_bundles

    joined = join_bundles([Bundle.open(bundle) for bundle in bundles], out)
    pairs = ", ".join(f"{pair.source}-{pair.target}" for pair in joined.manifest.pairs)
    typer.echo(f"{out} is ready: {pairs}")


def attention(
    bundle: Annotated[Path, typer.Argument(help="Folder of a bundle with float32 graphs, e.g. artifacts/de-en.")],
    text: Annotated[str, typer.Argument(help="One sentence.")],
    out: Annotated[Path, typer.Option(help="The picture to write, a PNG.")] = Path("map.png"),
    pair: Annotated[str | None, typer.Option(help="Direction, e.g. en-de.", show_default="the bundle's first")] = None,
) -> None:
    """Draw what every attention head of encoder and decoder looks at while a sentence is translated."""
    from app.engine.models.bundle import Bundle
    from export.attention_maps import read_maps
    from model.evaluation.attention_maps import draw_maps

    opened = Bundle.open(bundle)
    source, target = find_pair(opened, pair)
    alone = opened.model_of(source, target)
    [asked] = [each for each in alone.manifest.pairs if (each.source, each.target) == (source, target)]
    maps = read_maps(alone, text, asked)
    draw_maps(maps, out)
    typer.echo(f"{out}: {len(maps.source)} tokens of the source, {len(maps.target)} of the target")
