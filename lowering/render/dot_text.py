"""A module as a graph in Graphviz' language: a cluster a function, a node an op, an edge a use.

    teeny-translate model.mlir --to=dot | dot -Tsvg -o model.svg

It draws any floor. On the graph floor it is the tensor program, with the ops of each kernel that it
becomes in a cluster, the bytes that a launch moves, and its floating-point operations. After
`graph-to-kernel` it is each kernel, and the program with its launches, where an edge goes from a
launch to the buffers that it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.dialects.program import LaunchOp
from teenyir.lowering.render.dot_clusters import Clusters, clusters_of

LONGEST_LABEL = 40
"""Characters of a line of a label; what is longer is cut."""


def dot_text(module: ModuleOp) -> str:
    """The module as a `digraph`."""
    return "\n".join(_Drawing(clusters_of(module)).lines(module)) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _symbol(op: Operation) -> str | None:
    name = op.get_attr_or_prop("sym_name")
    return f"@{name.data}" if isinstance(name, StringAttr) else None


@dataclass
class _Drawing:
    clusters: Clusters
    nodes: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The node where a value comes from."""
    drawn: list[tuple[Operation, str]] = field(default_factory=list[tuple[Operation, str]])
    """The ops with their nodes; an edge may lead to an op that is drawn later, in a cluster."""
    count: int = 0

    def lines(self, module: ModuleOp) -> Iterator[str]:
        yield "digraph {"
        yield '  node [shape=box, fontname="monospace", fontsize=10]'
        for op in module.body.ops:
            yield from self._op(op, "  ")
        for op, node in self.drawn:
            yield from (f"  {edge}" for edge in self._edges(op, node))
        yield "}"

    def _new(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def _op(self, op: Operation, indent: str) -> Iterator[str]:
        node = self._new()
        if not op.regions:
            yield f"{indent}{node} [label={_quoted(self._label(op))}]"
        else:
            yield f"{indent}subgraph cluster_{node} {{"
            yield f"{indent}  label={_quoted(_symbol(op) or op.name)}"
            if op.operands or op.results:
                yield f"{indent}  {node} [label={_quoted(self._label(op))}, style=rounded]"
            for region in op.regions:
                for block in region.blocks:
                    yield from self._block(block, indent + "  ")
            yield f"{indent}}}"
        self._connect(op, node)

    def _block(self, block: Block, indent: str) -> Iterator[str]:
        for argument in block.args:
            node = self.nodes[argument] = self._new()
            name = f"%{argument.name_hint}" if argument.name_hint else "argument"
            label = f"{name}\n{_cut(str(argument.type))}"
            yield f"{indent}{node} [label={_quoted(label)}, shape=ellipse]"
        grouped: dict[str, list[Operation]] = {}
        for op in block.ops:
            if (kernel := self.clusters.kernels.get(op)) is None:
                yield from self._op(op, indent)
            else:
                grouped.setdefault(kernel, []).append(op)
        for kernel, ops in grouped.items():
            yield f"{indent}subgraph cluster_{self._new()} {{"
            yield f"{indent}  label={_quoted(self._kernel(kernel))}"
            for op in ops:
                yield from self._op(op, indent + "  ")
            yield f"{indent}}}"

    def _kernel(self, name: str) -> str:
        """A kernel's name and what one launch of it costs."""
        if (cost := self.clusters.costs.get(name)) is None:
            return f"@{name}"
        work = "" if cost.flops is None else f"\n{cost.flops} FLOPs"
        return f"@{name}\n{cost.read} bytes read, {cost.written} written{work}"

    def _connect(self, op: Operation, node: str) -> None:
        for result in op.results:
            self.nodes[result] = node
        self.drawn.append((op, node))

    def _edges(self, op: Operation, node: str) -> Iterator[str]:
        accesses = op.accesses() if isinstance(op, LaunchOp) else [("in", v) for v in op.operands]
        for mode, value in accesses:
            source = self.nodes[value]
            if mode != "out":
                yield f"{source} -> {node}"
            if mode not in ("in", "scratch"):
                yield f"{node} -> {source}"

    def _label(self, op: Operation) -> str:
        details = [f"{name} {text}" for name, a in op.properties.items() if (text := _brief(a))]
        types = [str(result.type) for result in op.results]
        return "\n".join([op.name, *map(_cut, (*details, *types))])


def _brief(attribute: Attribute) -> str | None:
    """An attribute where it says something in few words."""
    match attribute:
        case SymbolRefAttr():
            return f"@{attribute.string_value()}"
        case DenseArrayBase():
            values = cast("DenseArrayBase[IntegerType]", attribute).get_values()
            return f"[{', '.join(map(str, values))}]" if values else None
        case _:
            text = str(attribute)
            return text if len(text) <= LONGEST_LABEL else None
