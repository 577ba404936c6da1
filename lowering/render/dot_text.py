"""A module as a graph in Graphviz' language: a cluster a function, a node an op, an edge a use.

    teeny-translate model.mlir --to=dot | dot -Tsvg -o model.svg

It draws any floor: on the graph floor the tensor program; after `graph-to-kernel` each kernel, and
the program with its launches, where an edge goes from a launch to the buffers that it writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.dialects.program import LaunchOp

LONGEST_LABEL = 40
"""Characters of a line of a label; what is longer is cut."""


def dot_text(module: ModuleOp) -> str:
    """The module as a `digraph`."""
    return "\n".join(_Drawing().lines(module)) + "\n"


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
    nodes: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The node where a value comes from."""
    edges: list[str] = field(default_factory=list[str])
    count: int = 0

    def lines(self, module: ModuleOp) -> Iterator[str]:
        yield "digraph {"
        yield '  node [shape=box, fontname="monospace", fontsize=10]'
        for op in module.body.ops:
            yield from self._op(op, "  ")
        yield from (f"  {edge}" for edge in self.edges)
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
        for op in block.ops:
            yield from self._op(op, indent)

    def _connect(self, op: Operation, node: str) -> None:
        for result in op.results:
            self.nodes[result] = node
        written: set[SSAValue] = set()
        if isinstance(op, LaunchOp):
            written = {buffer for mode, buffer in op.accesses() if mode == "out"}
        for operand in op.operands:
            source = self.nodes[operand]
            edge = (node, source) if operand in written else (source, node)
            self.edges.append(f"{edge[0]} -> {edge[1]}")

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
