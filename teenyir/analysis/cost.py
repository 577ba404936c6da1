"""What a program costs: floating-point operations and bytes, as expressions over its extents.

FLOPs are counted on the uop floor: each float op of arith, math and vector counts one a lane (a
fused multiply-add two), times the trips of the loops around it: those for rows and columns beyond
the edges of a tile, which are thrown away, count too. Of a branch both sides count, and a loop of
the program, which may run any number of times, counts as one iteration.
Bytes are those of the buffers that a launch is given, each moved once: what a kernel must move,
not what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from teenyir.analysis.manager import Analysis
from teenyir.dialects import dtypes, program, uop
from teenyir.dialects.expr import ONE, ZERO, Expr
from teenyir.dialects.kernel.attributes import BufferType
from teenyir.dialects.lanes import element, lanes


@dataclass(frozen=True)
class Cost:
    """Of one launch."""

    kernel: str
    flops: Expr | None
    """None where a loop's bounds are not known before the program runs."""
    read: Expr
    """Bytes of the buffers that the kernel reads."""
    written: Expr
    """Bytes of those that it writes. One that it changes counts on both sides."""

    @property
    def bytes(self) -> Expr:
        """Bytes of all that is moved."""
        return self.read + self.written


def launch_costs(module: ModuleOp) -> list[Cost]:
    """The cost of each launch of a module on the kernel or uop floor, in order.

    FLOPs are known on the uop floor alone.
    """
    flops = {
        op.sym_name.data: kernel_flops(op) for op in module.walk() if isinstance(op, uop.FuncOp)
    }
    return [
        Cost(name, flops.get(name), *_moved(launch))
        for launch in module.walk()
        if isinstance(launch, program.LaunchOp)
        for name in (launch.kernel.string_value(),)
    ]


COST = Analysis("cost", launch_costs)
"""The cost of each launch of a module on the uop floor."""


def _moved(launch: program.LaunchOp) -> tuple[Expr, Expr]:
    """Bytes of the buffers that a launch reads, and of those that it writes."""
    accesses = launch.accesses()
    return (
        sum((_bytes(buffer.type) for mode, buffer in accesses if mode != "out"), ZERO),
        sum((_bytes(buffer.type) for mode, buffer in accesses if mode != "in"), ZERO),
    )


def _bytes(type: Attribute) -> Expr:
    assert isinstance(type, BufferType)
    dtype = dtypes.of_element(type.element)
    return type.size * dtype.bytes if dtype is not None else ZERO


def kernel_flops(func: uop.FuncOp) -> Expr | None:
    """The floating-point operations of one run of a kernel; None where they are not known."""
    known: dict[SSAValue, Expr] = {value: Expr.of(name) for name, value in func.extents.items()}
    return _block_flops(func.body.block, known)


def _block_flops(block: Block, known: dict[SSAValue, Expr]) -> Expr | None:
    total = ZERO
    for op in block.ops:
        if op.__class__ in _INDEX:
            _learn(op, _INDEX[op.__class__], known)
        inner = _region_flops(op, known)
        if inner is None:
            return None
        total = total + inner + _own_flops(op)
    return total


def _region_flops(op: Operation, known: dict[SSAValue, Expr]) -> Expr | None:
    if not op.regions:
        return ZERO
    total = ZERO
    for region in op.regions:
        for block in region.blocks:
            inner = _block_flops(block, known)
            if inner is None:
                return None
            total = total + inner
    if not isinstance(op, scf.ForOp) or total == ZERO:
        return total
    trips = _trips(op, known)
    return None if trips is None else total * trips


def _trips(op: scf.ForOp, known: Mapping[SSAValue, Expr]) -> Expr | None:
    lower, upper, step = (known.get(value) for value in (op.lb, op.ub, op.step))
    if lower is None or upper is None or step is None or step == ZERO:
        return None
    return upper - lower if step == ONE else (upper - lower).ceildiv(step)


def _own_flops(op: Operation) -> Expr:
    weight = _FLOPS.get(op.__class__, 0)
    if not weight or not op.operands:
        return ZERO
    type = op.operands[0].type
    return Expr.of(weight * (lanes(type) or 1)) if isa(element(type), AnyFloat) else ZERO


_FLOPS: dict[type[Operation], int] = {
    **dict.fromkeys(
        (
            *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp),
            *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
            vector.ReductionOp,
            *math.Math.operations,
        ),
        1,
    ),
    **dict.fromkeys((math.FmaOp, vector.FMAOp), 2),
}
"""What an op counts, a lane; only on floats."""

# --- index arithmetic that bounds are made of -----------------------------------------------------

_INDEX: dict[type[Operation], Callable[[Expr, Expr], Expr] | None] = {
    arith.ConstantOp: None,
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MinSIOp: lambda a, b: Expr.minimum(a, b),
    arith.MaxSIOp: lambda a, b: Expr.maximum(a, b),
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.DivUIOp: lambda a, b: a // b,
    arith.RemUIOp: lambda a, b: a % b,
    arith.CeilDivSIOp: lambda a, b: a.ceildiv(b),
}


def _learn(
    op: Operation, rule: Callable[[Expr, Expr], Expr] | None, known: dict[SSAValue, Expr]
) -> None:
    result = op.results[0]
    if result.type != uop.INDEX:
        return
    if rule is None:
        value = op.properties["value"]
        if isinstance(value, IntegerAttr):
            known[result] = Expr.of(value.value.data)
        return
    operands = [known.get(operand) for operand in op.operands]
    if operands[0] is not None and operands[1] is not None and operands[1] != ZERO:
        known[result] = rule(operands[0], operands[1])
