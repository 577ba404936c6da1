"""The uop floor as a flat, numbered listing: one line an op, loops as `for` and `end`.

    @sum(out %y: f32*, in %x: f32*, %n: N in 1..64)
       0  arith.constant  index  0
       1  arith.constant  index  1
       2  arith.constant  f32    0.000000e+00
       3  scf.for         f32    %i = %0 to %n step %1, %c = %2
       4    uop.load      f32    %x[%i]
       5    arith.addf    f32    %c, %4
       6    scf.yield            %5
          end

Made for reading and for `diff`: no types are repeated, no regions are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.lanewise import CastOp, CmpFOp, CmpIOp


@dataclass
class Row:
    """A line of the listing."""

    number: int | None
    depth: int
    name: str
    type: str
    detail: str


def uops_text(module: ModuleOp) -> str:
    """The listing of every `uop.func` of a module, empty where there is none."""
    kernels = [op for op in module.body.ops if isinstance(op, uop.FuncOp)]
    return "\n".join(_listing(kernel) for kernel in kernels)


def _listing(func: uop.FuncOp) -> str:
    rows = list(_Listing().rows(func))
    names = max((2 * row.depth + len(row.name) for row in rows), default=0)
    types = max((len(row.type) for row in rows), default=0)
    lines = [_head(func)]
    for row in rows:
        number = f"{row.number:4}" if row.number is not None else "    "
        name = f"{'  ' * row.depth}{row.name}".ljust(names)
        lines.append(f"{number}  {name}  {row.type.ljust(types)}  {row.detail}".rstrip())
    return "\n".join(lines) + "\n"


def _head(func: uop.FuncOp) -> str:
    buffers = [f"{mode} %{_hint(v)}: {_pointee(v.type)}*" for mode, v in func.buffers]
    extents = [
        f"%{_hint(value)}: {dim}"
        for dim, value in zip(func.dims.data, func.extents.values(), strict=True)
    ]
    return f"@{func.sym_name.data}({', '.join([*buffers, *extents])})"


def _hint(value: SSAValue) -> str:
    return value.name_hint or "_"


def _pointee(type: Attribute) -> str:
    return str(type.element) if isinstance(type, uop.PtrType) else str(type)


@dataclass
class _Listing:
    names: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    taken: dict[str, int] = field(default_factory=dict[str, int])
    count: int = 0

    def rows(self, func: uop.FuncOp) -> Iterator[Row]:
        for argument in func.body.block.args:
            self._name(argument)
        yield from self._block(func.body.block, 0)

    def _name(self, argument: SSAValue) -> None:
        """A name for a value that no line of its own defines."""
        hint = argument.name_hint or "c"
        count = self.taken[hint] = self.taken.get(hint, -1) + 1
        self.names[argument] = f"%{hint}_{count}" if count else f"%{hint}"

    def _block(self, block: Block, depth: int) -> Iterator[Row]:
        for op in block.ops:
            if isinstance(op, scf.YieldOp) and not op.operands:
                continue
            yield self._row(op, depth)
            for position, region in enumerate(op.regions):
                if position and region.blocks:
                    yield Row(None, depth, "else", "", "")
                for inner in region.blocks:
                    yield from self._block(inner, depth + 1)
            if op.regions:
                yield Row(None, depth, "end", "", "")

    def _row(self, op: Operation, depth: int) -> Row:
        number, single = self.count, len(op.results) == 1
        self.count += 1
        for position, result in enumerate(op.results):
            self.names[result] = f"%{number}" if single else f"%{number}.{position}"
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    self._name(argument)
        types = ", ".join(str(result.type) for result in op.results)
        return Row(number, depth, op.name, types, _DETAILS.get(op.__class__, _operands)(self, op))

    def of(self, value: SSAValue) -> str:
        return self.names[value]


Detail = Callable[[_Listing, Any], str]


def _operands(text: _Listing, op: Operation) -> str:
    listed = ", ".join(map(text.of, op.operands))
    properties = [
        f"{name}={value}"
        for name, value in op.properties.items()
        if name not in ("operandSegmentSizes", "fastmath", "overflowFlags")
    ]
    return "  ".join(filter(None, [listed, " ".join(properties)]))


def _constant(text: _Listing, op: arith.ConstantOp) -> str:
    match op.value:
        case IntegerAttr() | FloatAttr():
            return str(op.value).split(" : ", 1)[0]
        case _:
            return str(op.value)


def _load(text: _Listing, op: uop.LoadOp) -> str:
    place = f"{text.of(op.pointer)}[{text.of(op.offset)}]"
    if op.gate is None or op.other is None:
        return place
    return f"{place} if {text.of(op.gate)} else {text.of(op.other)}"


def _store(text: _Listing, op: uop.StoreOp) -> str:
    place = f"{text.of(op.value)} -> {text.of(op.pointer)}[{text.of(op.offset)}]"
    return place if op.gate is None else f"{place} if {text.of(op.gate)}"


def _for(text: _Listing, op: scf.ForOp) -> str:
    index, *carried = map(text.of, op.body.block.args)
    bounds = f"{index} = {text.of(op.lb)} to {text.of(op.ub)} step {text.of(op.step)}"
    pairs = [f"{a} = {text.of(b)}" for a, b in zip(carried, op.iter_args, strict=True)]
    mark = ["parallel"] if uop.PARALLEL in op.attributes else []
    if (threads := uop.threads_of(op)) is not None:
        mark.append(f"{threads.most.data} threads, {threads.grain.data} iterations at least")
    return ", ".join([bounds, *pairs, *mark])


def _compare(table: tuple[str, ...]) -> Detail:
    def detail(text: _Listing, op: Any) -> str:
        return f"{table[op.predicate.value.data]} {text.of(op.lhs)}, {text.of(op.rhs)}"

    return detail


_DETAILS: dict[type[Operation], Detail] = {
    arith.ConstantOp: _constant,
    arith.CmpiOp: _compare(CmpIOp.PREDICATES),
    CmpIOp: _compare(CmpIOp.PREDICATES),
    CastOp: lambda text, op: f"{op.kind.data} {text.of(op.input)}",
    arith.CmpfOp: _compare(CmpFOp.PREDICATES),
    CmpFOp: _compare(CmpFOp.PREDICATES),
    scf.ForOp: _for,
    uop.LoadOp: _load,
    uop.LocalOp: lambda text, op: f"{op.count} elements",
    uop.StoreOp: _store,
}
"""What stands behind the type, for the ops whose operands alone do not say it."""
