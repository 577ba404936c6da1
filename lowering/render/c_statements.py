"""What is more than an expression in C: loops, branches, memory, and vectors as arrays.

scf.for %i = %a to %b step %s iter_args(%x = %x0)

-->   float x = x0;
      for (int64_t i = a; i < b; i += s) {
          ..
          x = yielded;
      }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation, Region, SSAValue

from teenyir.dialects import uop
from teenyir.dialects.lanes import element, lanes
from teenyir.lowering.render.c_function import LANE, FunctionText
from teenyir.lowering.render.c_language import Statement
from teenyir.lowering.render.c_rows import CHOICE, EQUALITY, RELATION, SUM, Text, combine
from teenyir.lowering.render.c_types import c_type

# --- control flow ---------------------------------------------------------------------------------


def _yields(region: Region) -> Sequence[SSAValue]:
    last = region.block.last_op
    return tuple(last.operands) if isinstance(last, scf.YieldOp) else ()


def _for(f: FunctionText, op: scf.ForOp) -> None:
    index, *carried = op.body.block.args
    for argument, initial, result in zip(carried, op.iter_args, op.results, strict=True):
        text, declaration = f.scalar(initial), f.declare(argument, result.name_hint or "acc")
        if lanes(argument.type) is None:
            f.line(f"{declaration} = {text.code};")
        else:
            f.line(f"{declaration};")
            f.assign(argument, text)
    lower, upper = f.texts[op.lb].code, f.texts[op.ub].at(SUM)
    step = f.texts[op.step].code
    variable = f.name(index)
    following = f"++{variable}" if step == "1" else f"{variable} += {step}"
    f.line(f"for (int64_t {variable} = {lower}; {variable} < {upper}; {following}) {{", op)
    f.nested(op.body.block)
    f.depth += 1
    _assign_carried(f, carried, _yields(op.body))
    f.depth -= 1
    f.line("}")
    for argument, result in zip(carried, op.results, strict=True):
        f.texts[result] = f.texts[argument]
        f.expect_use(result)


def _assign_carried(
    f: FunctionText, carried: Sequence[SSAValue], yields: Sequence[SSAValue]
) -> None:
    """Set all carried variables at once: what one reads, another may not have set before."""
    changed = [(a, y) for a, y in zip(carried, yields, strict=True) if a is not y]
    texts = {y: f.scalar(y) for _, y in changed}
    if len(changed) > 1:
        for value in texts:
            if value in carried:
                texts[value] = _copied(f, value)
    for argument, value in changed:
        f.assign(argument, texts[value])


def _copied(f: FunctionText, value: SSAValue) -> Text:
    """What a variable holds now, in another one."""
    name, count = f.names.new(f"{f.texts[value].code}_now"), lanes(value.type)
    type, text = c_type(value.type).value, f.scalar(value).code
    if count is None:
        f.line(f"const {type} {name} = {text};")
        return Text(name)
    f.line(f"{type} {name}[{count}];")
    f.over_lanes(count, f"{name}[{LANE}] = {text};")
    return Text(f"{name}[{LANE}]")


def _if(f: FunctionText, op: scf.IfOp) -> None:
    for result in op.results:
        f.line(f"{f.declare(result)};")
    f.line(f"if ({f.texts[op.cond].code}) {{", op)
    _branch(f, op.true_region, op.results)
    if op.false_region.blocks:
        f.line("} else {")
        _branch(f, op.false_region, op.results)
    f.line("}")
    for result in op.results:
        f.expect_use(result)


def _branch(f: FunctionText, region: Region, results: Sequence[SSAValue]) -> None:
    f.nested(region.block)
    f.depth += 1
    for result, value in zip(results, _yields(region), strict=True):
        f.assign(result, f.scalar(value))
    f.depth -= 1


# --- memory ---------------------------------------------------------------------------------------


def _place(f: FunctionText, op: uop.LoadOp | uop.StoreOp, count: int | None) -> str:
    pointer, offset = f.texts[op.pointer].code, f.texts[op.offset]
    if count is None:
        return f"{pointer}[{offset.code}]"
    return f"{pointer}[{LANE}]" if offset.code == "0" else f"{pointer}[{offset.at(SUM)} + {LANE}]"


def _load(f: FunctionText, op: uop.LoadOp) -> None:
    place = _place(f, op, lanes(op.result.type))
    # a byte of memory that is neither 0 nor 1 is true
    is_bool = element(op.result.type) == IntegerType(1)
    text = Text(f"{place} != 0", EQUALITY) if is_bool else Text(place)
    if op.gate is not None and op.other is not None:
        gate, other = f.scalar(op.gate), f.scalar(op.other)
        choice = f"{gate.at(RELATION)} ? {text.at(RELATION)} : {other.at(RELATION)}"
        text = Text(choice, CHOICE)
    name = f"{f.texts[op.pointer].code}_1"
    if op.pointer in f.read_only:
        f.inline_or_define(op.result, text, name)
    else:
        f.define(op.result, text, name)


def _store(f: FunctionText, op: uop.StoreOp) -> None:
    count = lanes(op.value.type)
    text = f"{_place(f, op, count)} = {f.scalar(op.value).code};"
    gate = "" if op.gate is None else f"if ({f.scalar(op.gate).code}) "
    each = "" if count is None else f"for (int {LANE} = 0; {LANE} < {count}; ++{LANE}) "
    masked = op.gate is not None and lanes(op.gate.type) is not None
    f.line(f"{each}{gate}{text}" if masked else f"{gate}{each}{text}", op)


def _local(f: FunctionText, op: uop.LocalOp) -> None:
    assert isinstance(op.result.type, uop.PtrType)
    type = c_type(op.result.type.element).memory
    f.line(f"{type} {f.name(op.result)}[{op.count}];", op)
    f.expect_use(op.result)


def _thread(f: FunctionText, op: uop.ThreadOp) -> None:
    """In C one thread runs every iteration."""
    f.texts[op.result] = Text("0")
    f.constants[op.result] = 0


# --- vectors --------------------------------------------------------------------------------------


def _position(f: FunctionText, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]) -> str:
    return f.texts[dynamic[0]].code if dynamic else str(static.get_values()[0])


def _extract(f: FunctionText, op: vector.ExtractOp) -> None:
    at = _position(f, op.static_position, op.dynamic_position)
    f.define(op.result, f.lane(op.vector, at))


def _insert(f: FunctionText, op: vector.InsertOp) -> None:
    at = _position(f, op.static_position, op.dynamic_position)
    f.define(op.result, f.scalar(op.dest))
    f.line(f"{f.texts[op.result].code}[{at}] = {f.texts[op.source].code};")


def _shuffle(f: FunctionText, op: vector.ShuffleOp) -> None:
    first = lanes(op.v1.type) or 0
    taken = [
        f.lane(op.v1, lane).code if lane < first else f.lane(op.v2, lane - first).code
        for lane in op.mask.get_values()
    ]
    f.line(f"{f.declare(op.result)} = {{{', '.join(taken)}}};")
    f.expect_use(op.result)


def _bitcast(f: FunctionText, op: vector.BitcastOp) -> None:
    source = f.texts[op.source].code
    if op.source in f.splats:
        name = f.names.new("bits")
        count, type = lanes(op.source.type) or 1, c_type(op.source.type).value
        f.line(f"{type} {name}[{count}];")
        f.over_lanes(count, f"{name}[{LANE}] = {source};")
        source = name
    f.line(f"{f.declare(op.result)};")
    target = f.texts[op.result].code
    f.line(f"memcpy({target}, {source}, sizeof {target});")


def _reduction(f: FunctionText, op: vector.ReductionOp) -> None:
    """In the order of the lanes, from the accumulator or the first one on."""
    count, type, kind = lanes(op.vector.type) or 1, c_type(op.vector.type), op.kind.data
    start, first = (0, f.texts[op.acc]) if op.acc is not None else (1, f.lane(op.vector, 0))
    f.line(f"{f.declare(op.dest)} = {first.code};")
    name = f.texts[op.dest].code
    text = combine(kind, type, f.file.helpers, name, f.lane(op.vector, LANE).code)
    head = f"for (int {LANE} = {start}; {LANE} < {count}; ++{LANE})"
    f.line(f"{head} {name} = {text.code};")


STATEMENTS: dict[type[Operation], Statement] = {
    arith.ConstantOp: FunctionText.constant,
    scf.ForOp: _for,
    scf.IfOp: _if,
    uop.LoadOp: _load,
    uop.StoreOp: _store,
    uop.LocalOp: _local,
    uop.ThreadOp: _thread,
    vector.ExtractOp: _extract,
    vector.InsertOp: _insert,
    vector.ShuffleOp: _shuffle,
    vector.BitcastOp: _bitcast,
    vector.ReductionOp: _reduction,
}
"""How each op is printed that is no expression."""
