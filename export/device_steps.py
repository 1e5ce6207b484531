"""Graphs for a GPU that keep all state on the device: an encoder, and decoder steps with the search inside.

A run makes one step of every row and returns nothing: what it computes is bound to the buffers of the next step. So
the host queues several runs and looks at the results afterwards, and the runs can be captured as CUDA graphs. Such
graphs allow no operator that runs on the host, no loop, no shape that is computed; every axis and number is a constant.

They are made from a bundle's graphs for the native operators, whose weights they share: a standard Transformer. So
nothing is trained, and an imported model gets them, too. ``app.engine.onnx.device`` runs them.

Axes: B sentences, M rows a sentence, R = B·M rows, S source positions, P target positions, W steps between two looks
of the host, D width, E channels of a head, L decoder layers, V vocabulary.
"""

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper

from app.engine.onnx.device_graphs import BEAM, history_columns
from app.engine.onnx.device_lexicon import CHILDREN
from export.device_lexicon import Offers, offered, progress, tables, take
from export.device_nodes import INTEGER, Network, Nodes, Sublayer, attend, network_of, recurrence, transform
from export.graph_ends import array_names

OPSET = 24
"""TensorScatter, and Attention that takes the number of keys of each row."""
WINDOW = 8
"""Steps between two looks of the host at most. A row of the histories is a ring of as many columns."""
_LOWEST = -30_000.0
"""Far below all scores of an alignment head, and a number of float16."""

Shape = Sequence[int | str]


def device_graphs(
    encoder: onnx.ModelProto,
    decoder: onnx.ModelProto,
    number: int = TensorProto.FLOAT16,
    *,
    has_lexicon: bool = False,
) -> dict[str, onnx.ModelProto]:
    """All graphs by their role in ``app.engine.models.manifest.Graphs``.

    Args:
        encoder: The graph of the native operator Encode; its weights may lie outside of it.
        decoder: That of Decode.
        number: ``TensorProto.FLOAT16``, or ``FLOAT`` for tests on the CPU: in which numbers to compute.
        has_lexicon: The steps take the lexicon's translations of rare words, see ``export.device_lexicon``. That is 22
            kernels more in a step of greedy search, and 27 of a beam. It needs an alignment head.
    """
    has_lexicon = has_lexicon and network_of(decoder).alignment is not None
    return {
        "encoder": device_encoder(encoder, decoder, number),
        "decoder": greedy_step(decoder, number, has_lexicon=has_lexicon),
        "beam": beam_step(decoder, number, BEAM, has_lexicon=has_lexicon),
        "resize": resize_graph(number),
    }


def device_encoder(encoder: onnx.ModelProto, decoder: onnx.ModelProto, number: int) -> onnx.ModelProto:
    """The encoder: sources -> the slots of pools of features.

    Inputs are ``source`` (b, s) int64, ``places`` (s,) int64 (0 to s - 1), ``lengths`` (b,) int64, ``slots`` (b, 1)
    int64, ``room`` (6,) int64, the pads that make (b, s, D) to (b, S, D), and the pools that ``pools`` names. Outputs
    are the pools with ``.next`` behind their names, to be bound to the same memory. The keys of the decoder's alignment
    head are also stored by channel.
    """
    network, reader = network_of(encoder), network_of(decoder)
    nodes = Nodes(network, number)
    heads = network.attributes["heads"]

    def attention(layer: str, states: str) -> str:
        query, keys, values = nodes.split(nodes.linear(f"{layer}.self_projection", states), 3)
        return attend(nodes, query, keys, values, "lengths", heads)

    layers = [
        sublayer
        for index in range(network.attributes["layers"])
        for sublayer in (
            Sublayer(f"encoder.{index}.self_norm", f"encoder.{index}.self_output", attention),
            Sublayer.feed_forward(nodes, f"encoder.{index}"),
        )
    ]
    states = transform(nodes, nodes.embed("source", "places"), layers, "encoder_norm")
    count = 2 * network.attributes["cross_layers"]
    features = nodes.split(nodes.linear("cross", states), count)
    pools, given = _pools(reader, number), {}
    for name, feature in zip(array_names("cross", count // 2), features, strict=True):
        given[name] = nodes.one("Pad", feature, "room")
    if "align_keys" in pools:
        assert reader.alignment
        layer, head, channels = reader.alignment
        own = nodes.columns(given[f"cross_keys_{layer}"], head * channels, (head + 1) * channels, axis=2)
        given["align_keys"] = nodes.one("Transpose", own, perm=[0, 2, 1])
        given["source_bias"] = _source_bias(nodes)
    given["source_lengths"] = "lengths"
    for name in pools:
        nodes.make("ScatterND", name, "slots", given[name], names=[f"{name}.next"])
    inputs: dict[str, tuple[int, Shape]] = {
        "source": (INTEGER, ["b", "s"]),
        "places": (INTEGER, ["s"]),
        "lengths": (INTEGER, ["b"]),
        "slots": (INTEGER, ["b", 1]),
        "room": (INTEGER, [6]),
    }
    outputs = {f"{name}.next": described for name, described in pools.items()}
    return nodes.graph("device_encoder", _infos(inputs | pools), _infos(outputs), OPSET)


def greedy_step(decoder: onnx.ModelProto, number: int, *, has_lexicon: bool) -> onnx.ModelProto:
    """One step of greedy search for R = B rows.

    State, each ``X`` with an output ``X.next``: ``tokens`` (B, M) int64, the last token of each row; ``positions``
    (B, M) int64, its position, and the column that the step writes; ``past_keys_l`` and ``past_values_l`` (R, P, D), or
    ``past_state_l`` (R, 1, D) of recurrent units; and what the host reads after every W = ``WINDOW`` steps: ``history``
    (R, W, H) int64, whose columns ``history_columns`` names, and ``score_history`` (R, W) float32. What a row found at
    position p is in place p mod W. Keys, values and histories must be bound to the same memory on both sides.

    Constant: ``limits`` (B, 1) int64, the most target tokens, 0 in free slots; and the encoder's pools. A row stays at
    its limit.

    With a lexicon there are ``tables`` and ``progress`` of ``export.device_lexicon`` besides.

    A row goes on behind its end of sentence until the host looks: fewer than W steps, so they don't overwrite its last
    token. P needs a column more than the longest translation.
    """
    network = network_of(decoder)
    nodes = Nodes(network, number)
    best = "best" if has_lexicon else "tokens.next"
    score, attended = _scores(nodes, best, beam=1)
    found = {"token": "tokens.next", "best": best}
    if has_lexicon:
        assert attended
        offers = offered(nodes, score, best, attended, beam=1)
        score, place = nodes.make("TopK", offers.scores, nodes.integers(1), outputs=2, axis=1, largest=1, sorted=1)
        nodes.one("GatherElements", offers.tokens, place, name="tokens.next", axis=1)
        take(nodes, offers, place, beam=1)
    if attended:
        found["attended"] = attended
    columns = _remember(nodes, found, score, beam=1, has_lexicon=has_lexicon)
    return _step_graph("device_greedy", nodes, {}, constant=(), columns=columns, beam=1, has_lexicon=has_lexicon)


def beam_step(decoder: onnx.ModelProto, number: int, beam: int, *, has_lexicon: bool) -> onnx.ModelProto:
    """One step of beam search for B sentences of M = ``beam`` rows each, side by side: any beam of 1 to M.

    More than ``greedy_step`` has: ``totals`` (B, M) float32, the log-probabilities of the hypotheses, -inf for none; a
    new sentence has 0 and otherwise -inf. ``wanted`` (B, 1) float32 is how many hypotheses are still to be found,
    ``thresholds`` (B, 1) float32 how far one may fall behind. ``first_rows`` (B, M) int64 is b·M in row b.
    ``score_history`` has sums, -inf for a hypothesis that was dropped; a parent is the hypothesis of the sentence that
    each extends. The attended position belongs to the row that was extended. The caches are reordered: ``past_*`` and
    ``past_*.next`` must be different memory.
    """
    network = network_of(decoder)
    nodes = Nodes(network, number)
    candidates = "candidates"
    best, attended = _scores(nodes, candidates, beam=beam)
    surplus = nodes.one("GreaterOrEqual", nodes.constant("ranks", np.arange(beam, dtype=np.float32)[None]), "wanted")
    offers: Offers | None = None
    if has_lexicon:
        assert attended
        offers = offered(nodes, best, candidates, attended, beam=beam, surplus=surplus)
    given = (offers.scores, offers.tokens) if offers else (best, candidates)
    place, parent, kept = _choose(nodes, *given, surplus, beam=beam, offers=beam + (CHILDREN if offers else 0))
    found = {"token": "tokens.next", "parent": parent}
    if attended:
        found["attended"] = attended
    if has_lexicon:
        found["best"] = nodes.columns(candidates, 0, 1, axis=1)
    columns = _remember(nodes, found, kept, beam=beam, has_lexicon=has_lexicon)
    rows = nodes.one("Reshape", nodes.one("Add", parent, "first_rows"), nodes.integers(-1))
    if offers:
        take(nodes, offers, place, beam=beam, rows=rows)
    for name in _past(network, nodes.number):
        nodes.one("Gather", f"{name}.grown", rows, name=f"{name}.next", axis=0)
    state: dict[str, tuple[int, Shape]] = {
        "totals": (TensorProto.FLOAT, ["B", beam]),
        "wanted": (TensorProto.FLOAT, ["B", 1]),
        "thresholds": (TensorProto.FLOAT, ["B", 1]),
        "first_rows": (INTEGER, ["B", beam]),
    }
    constant = ("thresholds", "first_rows")
    return _step_graph(
        "device_beam", nodes, state, constant=constant, columns=columns, beam=beam, has_lexicon=has_lexicon
    )


def _choose(nodes: Nodes, best: str, candidates: str, surplus: str, *, beam: int, offers: int) -> tuple[str, str, str]:
    """The best extensions of each sentence, (B, M) each: their columns, the hypotheses that they extend, and sums.

    Adds ``tokens.next``, ``totals.next`` and ``wanted.next``.

    Args:
        nodes: The graph.
        best: (R, N) float32, log-probabilities of N = ``offers`` tokens of each row.
        candidates: (R, N) int64, the tokens.
        surplus: (B, M) bool, ranks that no hypothesis is wanted for.
        beam: M.
        offers: N.
    """
    flat = nodes.integers(-1, beam * offers)
    sums = nodes.one("Add", nodes.one("Reshape", best, nodes.integers(-1, beam, offers)), nodes.over("totals", 2))
    total, place = nodes.make(
        "TopK", nodes.one("Reshape", sums, flat), nodes.integers(beam), outputs=2, axis=1, largest=1, sorted=1
    )
    parent = nodes.one("Div", place, nodes.integers(offers, is_scalar=True))
    of_sentence = nodes.one("Reshape", candidates, flat)
    token = nodes.one("GatherElements", of_sentence, place, name="tokens.next", axis=1)
    behind = nodes.one("Less", total, nodes.one("Sub", nodes.columns(total, 0, 1, axis=1), "thresholds"))
    nothing = nodes.constant("nothing", np.float32(-np.inf))
    kept = nodes.one("Where", nodes.one("Or", behind, surplus), nothing, total)
    stopped = nodes.one(
        "Or",
        nodes.one("Equal", token, nodes.integers(nodes.network.attributes["eos"], is_scalar=True)),
        nodes.one("GreaterOrEqual", "lengths", "limits"),
    )
    going_on = nodes.one("Where", stopped, nothing, kept, name="totals.next")
    found = nodes.one("Cast", nodes.one("Greater", kept, going_on), to=TensorProto.FLOAT)
    nodes.one("Sub", "wanted", nodes.one("ReduceSum", found, nodes.integers(1), keepdims=1), name="wanted.next")
    return place, parent, kept


def _remember(nodes: Nodes, found: dict[str, str], scores: str, *, beam: int, has_lexicon: bool) -> int:
    """Write what a step has found, by name, into the histories; returns the columns H of ``history``."""
    names = history_columns(beam, has_attention="attended" in found, has_lexicon=has_lexicon)
    columns = [nodes.one("Reshape", found[name], nodes.integers(-1, 1)) for name in names]
    column = nodes.one("Concat", *columns, axis=1) if len(columns) > 1 else columns[0]
    given = {
        "history": nodes.over(column, 1),
        "score_history": nodes.one("Reshape", scores, nodes.integers(-1, 1)),
    }
    for name, new in given.items():
        nodes.one("TensorScatter", name, new, "rows.positions", name=f"{name}.next", axis=1, mode="circular")
    return len(names)


def resize_graph(number: int) -> onnx.ModelProto:
    """A cache (R, P, D) -> one with other positions: ``room``, (6,) int64, has the pads, which may be negative."""
    body = helper.make_graph(
        [helper.make_node("Pad", ["cache", "room"], ["resized"])],
        "resize",
        _infos({"cache": (number, ["R", "P", "D"]), "room": (INTEGER, [6])}),
        _infos({"resized": (number, ["R", "Q", "D"])}),
    )
    return helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)


def _scores(nodes: Nodes, candidates: str, beam: int) -> tuple[str, str | None]:
    """The decoder, up to the best candidates of each row: ``candidates`` (R, M) int64, best first.

    Adds ``positions.next``. ``lengths`` (B, M) are the positions plus one; ``rows.positions`` and ``rows.lengths`` are
    the same by rows, (R,). The caches with the new keys and values are ``past_*.next`` of greedy search,
    ``past_*.grown`` of a beam.

    Returns:
        Log-probabilities (R, M) float32, and the source position (B, M) that the alignment head of each row looks at,
        None without one.
    """
    nodes.one("Add", "positions", nodes.integers(1), name="lengths")
    nodes.one("Min", "lengths", "limits", name="positions.next")
    for name in ("positions", "lengths"):
        nodes.one("Reshape", name, nodes.integers(-1), name=f"rows.{name}")
    looked_at: list[str] = []
    sublayers = _sublayers(nodes, beam, "grown" if beam > 1 else "next", looked_at)
    rows = [nodes.one("Reshape", name, nodes.integers(-1, 1)) for name in ("tokens", "positions")]
    states = transform(nodes, nodes.embed(*rows), sublayers, "decoder_norm")
    logits = nodes.project(nodes.one("Reshape", states, nodes.integers(-1, nodes.network.attributes["width"])))
    chances = nodes.one("LogSoftmax", nodes.cast(logits, TensorProto.FLOAT), axis=-1)
    names = ["chances.best", candidates]
    nodes.make("TopK", chances, nodes.integers(beam), names=names, axis=-1, largest=1, sorted=1)
    return names[0], looked_at[0] if looked_at else None


def _sublayers(nodes: Nodes, beam: int, grown: str, looked_at: list[str]) -> list[Sublayer]:
    """The decoder's sublayers, which put what the alignment head looks at into ``looked_at``."""
    network = nodes.network
    heads, layers, width = (network.attributes[name] for name in ("heads", "layers", "width"))

    def to_target(layer: str, states: str) -> str:
        index = layer.rpartition(".")[2]
        query, *new = nodes.split(nodes.linear(f"{layer}.self_projection", states), 3)
        keys, values = (
            nodes.one("TensorScatter", name, each, "rows.positions", name=f"{name}.{grown}", axis=1)
            for name, each in zip((f"past_keys_{index}", f"past_values_{index}"), new, strict=True)
        )
        return attend(nodes, query, keys, values, "rows.lengths", heads)

    def to_source(layer: str, states: str) -> str:
        index = layer.rpartition(".")[2]
        query = nodes.linear(f"{layer}.cross_query", states)
        if beam > 1:
            query = nodes.one("Reshape", query, nodes.integers(-1, beam, width))
        if network.alignment and int(index) == network.alignment[0]:
            looked_at.append(_alignment(nodes, query))
        keys, values = f"cross_keys_{index}", f"cross_values_{index}"
        found = attend(nodes, query, keys, values, "source_lengths", heads)
        return nodes.one("Reshape", found, nodes.integers(-1, 1, width)) if beam > 1 else found

    def recur(layer: str, states: str) -> str:
        name = f"past_state_{layer.rpartition('.')[2]}"
        return recurrence(nodes, layer, states, name, f"{name}.{grown}")

    found = []
    for layer in (f"decoder.{index}" for index in range(layers)):
        output, reads = ("", recur) if network.recurrent else (f"{layer}.self_output", to_target)
        found += [
            Sublayer(f"{layer}.self_norm", output, reads),
            Sublayer(f"{layer}.cross_norm", f"{layer}.cross_output", to_source),
            Sublayer.feed_forward(nodes, layer),
        ]
    return found


def _alignment(nodes: Nodes, query: str) -> str:
    """The source position (B, M) int64 with the highest score of the alignment head, for queries (B, M, D)."""
    assert nodes.network.alignment
    _, head, channels = nodes.network.alignment
    own = nodes.columns(query, head * channels, (head + 1) * channels, axis=2)
    scores = nodes.one("Add", nodes.one("MatMul", own, "align_keys"), "source_bias")
    _, place = nodes.make("TopK", scores, nodes.integers(1), outputs=2, axis=-1, largest=1, sorted=1)
    return nodes.one("Squeeze", place, nodes.integers(2))


def _source_bias(nodes: Nodes) -> str:
    """What is added to the scores of the alignment head, (b, 1, S): so little behind a source that it is not chosen."""
    kind = helper.tensor_dtype_to_np_dtype(nodes.number)
    nothing, lowest = nodes.constant("no_bias", kind.type(0)), nodes.constant("lowest", kind.type(_LOWEST))
    is_source = nodes.one("Less", nodes.over("places", 0), nodes.over("lengths", 1))
    bias = nodes.over(nodes.one("Where", is_source, nothing, lowest), 2)
    return nodes.one("Transpose", nodes.one("Pad", bias, "room", lowest), perm=[0, 2, 1])


def _past(decoder: Network, number: int) -> dict[str, tuple[int, Shape]]:
    """What the decoder keeps of earlier tokens: keys and values, or the states of recurrent units."""
    layers, width = decoder.attributes["layers"], decoder.attributes["width"]
    if decoder.recurrent:
        return {f"past_state_{layer}": (number, ["R", 1, width]) for layer in range(layers)}
    return dict.fromkeys(array_names("past", layers), (number, ["R", "P", width]))


def _pools(decoder: Network, number: int) -> dict[str, tuple[int, Shape]]:
    """The encoder's features of all slots: element types and shapes."""
    width = decoder.attributes["width"]
    pools: dict[str, tuple[int, Shape]] = {"source_lengths": (INTEGER, ["B"])}
    pools |= {name: (number, ["B", "S", width]) for name in array_names("cross", decoder.attributes["layers"])}
    if decoder.alignment:
        pools["align_keys"] = (number, ["B", decoder.alignment[2], "S"])
        pools["source_bias"] = (number, ["B", 1, "S"])
    return pools


def _step_graph(
    name: str,
    nodes: Nodes,
    state: dict[str, tuple[int, Shape]],
    *,
    constant: Sequence[str],
    columns: int,
    beam: int,
    has_lexicon: bool,
) -> onnx.ModelProto:
    """A step with its state, of which some is constant, its caches, H ``columns`` of history, and the pools."""
    network = nodes.network
    caches = _past(network, nodes.number)
    state = {
        "tokens": (INTEGER, ["B", beam]),
        "positions": (INTEGER, ["B", beam]),
        "limits": (INTEGER, ["B", 1]),
        **state,
        "history": (INTEGER, ["R", WINDOW, columns]),
        "score_history": (TensorProto.FLOAT, ["R", WINDOW]),
        **(progress(beam) if has_lexicon else {}),
    }
    inputs = state | caches | _pools(network, nodes.number) | (tables(beam) if has_lexicon else {})
    fixed = {"limits", *constant}
    outputs = {f"{each}.next": ends for each, ends in (state | caches).items() if each not in fixed}
    return nodes.graph(name, _infos(inputs), _infos(outputs), OPSET)


def _infos(ends: dict[str, tuple[int, Shape]]) -> list[onnx.ValueInfoProto]:
    return [helper.make_tensor_value_info(name, *described) for name, described in ends.items()]
