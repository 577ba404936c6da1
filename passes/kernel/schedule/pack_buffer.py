"""Copy what is loaded from a buffer into a panel of local memory, in the order it is used in.

    %b = kernel.load %B[%k, %j]         %b1 = kernel.load %B[%kp, %jp]
    .. %b ..                      -->   %panel = kernel.stage %b1[%kp, %jp] over(%kp, %jp) : ..
                                        %b = kernel.load %panel[%k, %j]
                                        .. %b ..

The axes of the panel are the ranges that are named, in their order: fresh copies of them fill it,
in loops of its own, which stand in those ranges of the load that are not named. Copies of lanes are
lanes, unless they are to be `scalar`: what lies across memory is better moved one by one. What is
computed from the load alone, such as a cast, is computed once, when the panel is filled. Loops that
a gate depends on are better `outside` of the others, or in an `unroll`: so the gate is worked out
once for all iterations of the others.

Legal for a buffer, or a panel, that is loaded at one place, or at one in all of the ranges. The
load depends on them, their lower bound is 0 and their extents have maxima. What is not loaded at
all iterations stays gated: the panel holds there what the load gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from teenyir.analysis.indices import kernel_indices
from teenyir.dialects import kernel
from teenyir.dialects.expr import ZERO
from teenyir.dialects.syntax import placeholder
from teenyir.passes.kernel.schedule.primitive import (
    Primitive,
    cone,
    erase_unused,
    find_buffer,
    find_ranges,
    free_name,
    name_range,
)
from teenyir.rewriting.base import fail
from teenyir.rewriting.locations import LocatedBuilder


@dataclass(frozen=True, kw_only=True)
class PackBuffer(Primitive):
    """Copy what is loaded from a buffer into a panel of local memory."""

    name = "pack-buffer"

    buffer: str
    """The argument of the kernel that is loaded from, or a panel of one."""
    over: tuple[str, ...]
    """The ranges that the panel holds, in the order of its axes."""
    scalar: bool = False
    """Whether plain loops fill the panel, of whatever kinds the ranges are."""
    outside: tuple[str, ...] = ()
    """The ranges whose loops are around those of the others; as the axes are, if none is named."""
    unroll: tuple[str, ...] = ()
    """The ranges whose iterations are written out where the panel is filled."""

    def rewrite(self, func: kernel.FuncOp) -> None:
        ranges = find_ranges(func, self.over)
        for name in (*self.outside, *self.unroll):
            if name not in self.over:
                raise fail(func, f"'{name}' is none of the ranges that the panel holds")
        nest = kernel.Dependences(func)
        load = _only_load(func, _buffer(func, self.buffer), ranges, nest)
        value = _computed_from(load, nest)
        extents = panel_extents(func, load.result, ranges, nest)
        old = cone([value], ranges, nest)
        build = LocatedBuilder(InsertPoint.after(old[-1]), load.location)
        copies: dict[SSAValue, SSAValue] = {}
        names = kernel.range_names(func)
        for range_ in sorted(ranges, key=lambda each: names[each] not in self.outside):
            new = build.insert(range_.clone())
            if self.scalar:
                new.properties.pop("kind", None)
            if names[range_] in self.unroll:
                new.properties["kind"] = StringAttr("unroll")
            name_range(func, new, f"{names[range_]}p")
            copies[range_.result] = new.result
        for op in old:
            copies.update(zip(op.results, build.insert(op.clone(copies)).results, strict=True))
        axes = [placeholder(k) for k in range(len(ranges))]
        fresh = [copies[range_.result] for range_ in ranges]
        panel = kernel.BufferType(extents, value.type, "local")
        stage = build.insert(kernel.StageOp(copies[value], axes, fresh, fresh, panel))
        stage.result.name_hint = panel_of(func, self.buffer)
        again = build.insert(kernel.LoadOp(stage.result, axes, [r.result for r in ranges]))
        again.result.name_hint = value.name_hint
        value.replace_all_uses_with(again.result)
        erase_unused(old[::-1])


def panel_of(func: kernel.FuncOp, buffer: str) -> str:
    """The name of the panel that a buffer is packed into: none that an argument has."""
    return free_name(f"{buffer}_panel", kernel.buffer_names(func).values())


def _buffer(func: kernel.FuncOp, name: str) -> SSAValue:
    """The panel or the argument of a name."""
    stages = [op for op in func.body.block.ops if isinstance(op, kernel.StageOp)]
    panels = [op.result for op in stages if op.result.name_hint == name]
    return panels[0] if len(panels) == 1 else find_buffer(func, name)


def _only_load(
    func: kernel.FuncOp,
    buffer: SSAValue,
    ranges: Sequence[kernel.RangeOp],
    nest: kernel.Dependences,
) -> kernel.LoadOp:
    """The one load from a buffer, or the one of them in all of the ranges."""
    loads = [use.operation for use in buffer.uses]
    if len(loads) > 1:
        inside = [op for op in loads if set(ranges) <= nest.operand_dependences[op]]
        loads = inside or loads
    if len(loads) != 1 or not isinstance(loads[0], kernel.LoadOp):
        name = buffer.name_hint
        raise fail(func, f"%{name} is not loaded at one place but used at {len(loads)}")
    return loads[0]


def _computed_from(load: kernel.LoadOp, nest: kernel.Dependences) -> SSAValue:
    """The last value that is computed from a load and what depends on no range."""
    value: SSAValue = load.result
    while True:
        user = value.get_user_of_unique_use()
        if user is None or user.name.startswith("kernel.") or len(user.results) != 1:
            return value
        others = [operand for operand in user.operands if operand is not value]
        if any(nest.dependences.get(operand) for operand in others):
            return value
        value = user.results[0]


def panel_extents(
    func: kernel.FuncOp,
    value: SSAValue,
    ranges: Sequence[kernel.RangeOp],
    nest: kernel.Dependences,
) -> list[int]:
    """The extents of a panel of a value over ranges. Raises PassError where there can be none."""
    facts = kernel_indices(func).facts
    extents: list[int] = []
    for range_ in ranges:
        name = kernel.names([range_])
        if range_ not in nest.dependences[value]:
            assert isinstance(value.owner, Operation)  # it is computed
            raise fail(value.owner, f"does not depend on {name}")
        if range_.lower.data != ZERO or range_.values:
            raise fail(range_, f"{name} does not run from 0 to an extent")
        most = facts.interval(range_.extent)[1]
        if most is None:
            raise fail(range_, f"the extent of {name} has no maximum")
        extents.append(max(most, 1))
    return extents
