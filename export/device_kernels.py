"""The kernels that a graph launches on a GPU, counted from the graph: no GPU is needed.

    python -m export.device_kernels artifacts/de-en

A node is a kernel, unless it is only another view of the same memory, or follows from constants alone, which ONNX
Runtime computes when it loads the graph. A view that is an output of the graph is a copy, and counts. Some operators
launch two (``TopK`` over a vocabulary); a few are fused.
"""

import sys
from collections import Counter
from pathlib import Path

import onnx

from app.engine.models.bundle import Bundle

WITHOUT_KERNEL = frozenset(("Reshape", "Squeeze", "Unsqueeze"))


def run_nodes(graph: onnx.GraphProto) -> tuple[list[onnx.NodeProto], set[str]]:
    """The nodes that run in every step, and the names of all constants: what follows from constants alone is one."""
    constants, nodes = {tensor.name for tensor in graph.initializer}, []
    for node in graph.node:
        if constants.issuperset(filter(None, node.input)):
            constants.update(node.output)
        else:
            nodes.append(node)
    return nodes, constants


def kernels(graph: onnx.GraphProto) -> Counter[str]:
    """How many kernels of each operator a run launches."""
    outputs = {each.name for each in graph.output}
    return Counter(
        node.op_type
        for node in run_nodes(graph)[0]
        if node.op_type not in WITHOUT_KERNEL or outputs.intersection(node.output)
    )


def main(folder: Path) -> None:
    """Print a table of each graph for a GPU of a bundle's first model."""
    print("| graph | kernels a run | most frequent |\n| --- | ---: | --- |")
    for role, path in Bundle.open(folder).models[0].graphs("float16-cuda").items():
        counts = kernels(onnx.load(path, load_external_data=False).graph)
        most = ", ".join(f"{name} {count}" for name, count in counts.most_common(6))
        print(f"| {role} | {counts.total()} | {most} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
