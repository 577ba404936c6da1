"""The ops of the kernel floor.

A kernel's body is a DAG: a loop is a *value* of type index made by `kernel.range`, and whatever
uses it, through any chain, depends on it. Reductions, stages and stores close ranges. Which loop
an op stands in is not written down but derived (see `nest`).

Wherever an index is asked for, an expression may stand, over ranges, other index values and the
kernel's named extents: `kernel.load %x[%i * 2 + %r, N - 1]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntegerType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    HasParent,
    IsolatedFromAbove,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects.building import SEGMENTS, fill, segments
from teenyir.dialects.dim_ranges import unsafe_divisor
from teenyir.dialects.expr import Expr, ExprLike, parse_expr
from teenyir.dialects.expr_attributes import ExprAttr, expr_array
from teenyir.dialects.function import BufferFunction
from teenyir.dialects.kernel.attributes import RANGE_KINDS, BufferType, RangeKind
from teenyir.dialects.kernel.combiners import COMBINERS, Combiner
from teenyir.dialects.kernel.syntax import (
    parse_indices,
    parse_kind,
    print_indices,
    verify_combiner,
)
from teenyir.dialects.syntax import (
    STREAMING,
    ValueNames,
    parse_defined_operand,
    parse_flag,
    parse_operand_list,
    parse_typed_operand,
    placeholder,
    print_expr,
    print_flag,
    print_operand_list,
)

MODES = ("out", "in", "inout", "scratch")
"""What a kernel does with a buffer: only writes it, only reads it, scatters into it, or works in
it: what is there before and after means nothing."""

BOOL = IntegerType(1)
INDEX = IndexType()


class AllocatesResult(MemoryEffect):
    """The op makes something new: equal ops are not one op, but an unused one may go."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, result) for result in op.results}


@irdl_op_definition
class FuncOp(BufferFunction):
    """One device kernel: `kernel.func @f(out %y: .., in %x: ..) dims(N in 1..1024) { .. }`.

    The named extents in `dims` are visible in every expression of the body. What its verifier
    checks is listed in `verify`.
    """

    name = "kernel.func"

    MODES: ClassVar[tuple[str, ...]] = MODES

    # traits of its own, since `WellFormed` joins them
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())


class IndexedOp(IRDLOperation):
    """An op with expressions over index values; each op says which operands they range over."""

    @property
    def index_values(self) -> Sequence[SSAValue]:
        raise NotImplementedError

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """The expressions; `_k` in them stands for `index_values[k]`."""
        raise NotImplementedError

    def verify_expressions(self) -> None:
        """Every name in an expression is an operand of the op or a named extent of its kernel."""
        func = self.parent_op()
        known = set(func.dims.names) if isinstance(func, FuncOp) else set[str]()
        known.update(map(placeholder, range(len(self.index_values))))
        for expr in self.exprs:
            if unknown := sorted(expr.names - known):
                raise VerifyException(f"{expr} names {', '.join(unknown)}, which has no range here")
        for value in self.index_values:
            if value.type != INDEX:
                raise VerifyException(f"an index must be of type index, not {value.type}")


@irdl_op_definition
class RangeOp(IndexedOp):
    """A loop that is a value: the integers from `lower` up to, not including, `upper`.

    `%i = kernel.range 0 to N`, `%l = kernel.range 0 to 16 vector`. Rewrites keep the name of a
    range, which is its value's (see `range_names`); schedules speak of ranges by it. A range of
    kind `parallel` may say from how many iterations on it pays to have one more thread at work,
    over the kernel's named extents: `%i = kernel.range 0 to N parallel grain(4096)`.
    """

    name = "kernel.range"

    values = var_operand_def(INDEX)
    lower = prop_def(ExprAttr)
    upper = prop_def(ExprAttr)
    kind = opt_prop_def(StringAttr)
    grain = opt_prop_def(ExprAttr)
    result = result_def(INDEX)

    traits = traits_def(AllocatesResult(), HasParent(FuncOp))

    def __init__(
        self,
        lower: ExprLike,
        upper: ExprLike,
        values: Sequence[SSAValue] = (),
        kind: RangeKind = "loop",
        grain: ExprLike | None = None,
    ):
        properties: dict[str, Attribute] = {
            "lower": ExprAttr(Expr.of(lower)),
            "upper": ExprAttr(Expr.of(upper)),
        }
        if kind != "loop":
            properties["kind"] = StringAttr(kind)
        if grain is not None:
            properties["grain"] = ExprAttr(Expr.of(grain))
        fill(self, values, [INDEX], properties)

    @property
    def how(self) -> RangeKind:
        """The kind of the range: how its iterations are run."""
        return "loop" if self.kind is None else cast(RangeKind, self.kind.data)

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (self.lower.data, self.upper.data)

    @property
    def extent(self) -> Expr:
        """The number of iterations, where that is not negative."""
        return self.upper.data - self.lower.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = ValueNames(parser)
        lower = names.parse_expr()
        parser.parse_keyword("to")
        (lower, upper), values = names.used_by([lower, names.parse_expr()])
        kind = next(filter(parser.parse_optional_keyword, RANGE_KINDS), "loop")
        grain = None
        if kind == "parallel" and parser.parse_optional_keyword("grain"):
            with parser.in_parens():
                grain = parse_expr(parser)
        return cls(lower, upper, values, cast(RangeKind, kind), grain)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_expr(printer, self.lower.data, self.values)
        printer.print_string(" to ")
        print_expr(printer, self.upper.data, self.values)
        if self.kind is not None:
            printer.print_string(f" {self.kind.data}")
        if self.grain is not None:
            printer.print_string(f" grain({self.grain.data})")

    def verify_(self) -> None:
        self.verify_expressions()
        if self.kind is not None and self.kind.data not in RANGE_KINDS[1:]:
            raise VerifyException(
                f"a kind is one of {', '.join(RANGE_KINDS[1:])}, not {self.kind.data!r}"
            )
        func = self.parent_op()
        ranges = {dim.name: dim for dim in func.dims.data} if isinstance(func, FuncOp) else {}
        grain = () if self.grain is None else (self.grain.data,)
        if grain and self.how != "parallel":
            raise VerifyException(f"a range of kind `{self.how}` has no grain: no thread is woken")
        if unknown := sorted(frozenset[str]().union(*(e.names for e in grain)) - ranges.keys()):
            raise VerifyException(f"the grain names {', '.join(unknown)}, which has no range here")
        for expr in (*self.exprs, *grain):
            if (divisor := unsafe_divisor(expr, ranges)) is not None:
                raise VerifyException(f"{expr} divides by {divisor}, which may be 0")


@irdl_op_definition
class IndexOp(IndexedOp):
    """An expression as a value: `%k = kernel.index %i * 32 + %j - 1`."""

    name = "kernel.index"

    values = var_operand_def(INDEX)
    expr = prop_def(ExprAttr)
    result = result_def(INDEX)

    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(self, expr: ExprLike, values: Sequence[SSAValue] = ()):
        properties = {"expr": ExprAttr(Expr.of(expr))}
        fill(self, values, [INDEX], properties)

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return (self.expr.data,)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        names = ValueNames(parser)
        (expr,), values = names.used_by([names.parse_expr()])
        return cls(expr, values)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_expr(printer, self.expr.data, self.values)

    def verify_(self) -> None:
        self.verify_expressions()


def written_out(
    exprs: Iterable[Expr], values: Sequence[SSAValue]
) -> tuple[list[Expr], list[SSAValue]]:
    """Expressions over index values without those of `kernel.index`, which are put in.

    Answers them with what `_k` in them stands for now.
    """
    found: list[SSAValue] = []

    def named(value: SSAValue) -> Expr:
        if isinstance(value.owner, IndexOp):
            return inner(value.owner.expr.data, value.owner.values)
        if value not in found:
            found.append(value)
        return Expr.of(placeholder(found.index(value)))

    def inner(expr: Expr, values: Sequence[SSAValue]) -> Expr:
        used = expr.names
        new = {placeholder(k): named(v) for k, v in enumerate(values) if placeholder(k) in used}
        return expr.substitute(new)

    return [inner(expr, values) for expr in exprs], found


class AccessOp(IndexedOp):
    """An op that addresses a buffer with one expression an axis."""

    indices = prop_def(ArrayAttr[ExprAttr])

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return tuple(attr.data for attr in self.indices)

    @property
    def target(self) -> BufferType:
        """The type of the buffer."""
        raise NotImplementedError

    def verify_access(self) -> None:
        self.verify_expressions()
        if len(self.exprs) != len(self.target.extents):
            raise VerifyException(
                f"{len(self.exprs)} indices into {self.target}, "
                f"which has {len(self.target.extents)} axes"
            )


def _buffer_type(buffer: SSAValue) -> BufferType:
    if not isinstance(buffer.type, BufferType):
        raise VerifyException(f"expected a buffer, got a value of type {buffer.type}")
    return buffer.type


def _parse_gate(parser: Parser) -> SSAValue | None:
    return parse_typed_operand(parser, BOOL) if parser.parse_optional_keyword("if") else None


def _parse_buffer(parser: Parser) -> SSAValue:
    start = parser.pos
    buffer = parse_defined_operand(parser)
    if not isinstance(buffer.type, BufferType):
        parser.raise_error(f"expected a buffer, got {buffer.type}", start, parser.pos)
    return buffer


@irdl_op_definition
class LoadOp(AccessOp):
    """Reads one element: `%a = kernel.load %x[%i, %k] if %g else %v`.

    The index need be in bounds only where the gate holds; elsewhere the result is `else`'s value.
    """

    name = "kernel.load"

    buffer = operand_def(BufferType)
    values = var_operand_def(INDEX)
    gate = opt_operand_def(BOOL)
    other = opt_operand_def()
    result = result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    # pure, because a kernel never writes what it reads
    traits = traits_def(Pure(), HasParent(FuncOp))

    def __init__(
        self,
        buffer: SSAValue,
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue] = (),
        gate: SSAValue | None = None,
        other: SSAValue | None = None,
    ):
        given = [value for value in (gate, other) if value is not None]
        counts = segments(1, len(values), int(gate is not None), int(other is not None))
        properties = {"indices": expr_array(indices), SEGMENTS: counts}
        fill(self, [buffer, *values, *given], [_buffer_type(buffer).element], properties)

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def target(self) -> BufferType:
        return _buffer_type(self.buffer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        buffer = _parse_buffer(parser)
        indices, values = parse_indices(parser)
        other = None
        if (gate := _parse_gate(parser)) is not None:
            parser.parse_keyword("else")
            other = parse_typed_operand(parser, _buffer_type(buffer).element)
        return cls(buffer, indices, values, gate, other)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.exprs, self.values)
        if self.gate is not None and self.other is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
            printer.print_string(" else ")
            printer.print_operand(self.other)

    def verify_(self) -> None:
        self.verify_access()
        if self.result.type != self.target.element:
            raise VerifyException(f"a load from {self.target} cannot give {self.result.type}")
        if (self.gate is None) != (self.other is None):
            raise VerifyException("a gate and the value where it does not hold go together")
        if self.other is not None and self.other.type != self.result.type:
            raise VerifyException(f"`else` gives {self.other.type}, the load {self.result.type}")


@irdl_op_definition
class StoreOp(AccessOp):
    """Writes one element, for every value of the ranges that it depends on.

    `kernel.store %v, %y[%i, %j] if %g streaming`. A streaming one goes past the caches where the
    target can do that: nothing is to read the element soon.
    """

    name = "kernel.store"

    value = operand_def()
    buffer = operand_def(BufferType)
    values = var_operand_def(INDEX)
    gate = opt_operand_def(BOOL)
    streaming = opt_prop_def(UnitAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect(), HasParent(FuncOp))

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue] = (),
        gate: SSAValue | None = None,
        streaming: UnitAttr | None = None,
    ):
        properties: dict[str, Attribute] = {"indices": expr_array(indices)}
        if streaming is not None:
            properties["streaming"] = streaming
        properties[SEGMENTS] = segments(1, 1, len(values), int(gate is not None))
        gates = () if gate is None else (gate,)
        fill(self, [value, buffer, *values, *gates], properties=properties)

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def target(self) -> BufferType:
        return _buffer_type(self.buffer)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_punctuation(",")
        buffer = _parse_buffer(parser)
        indices, values = parse_indices(parser)
        gate = _parse_gate(parser)
        return cls(value, buffer, indices, values, gate, parse_flag(parser, STREAMING))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.exprs, self.values)
        if self.gate is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
        print_flag(printer, STREAMING, self.streaming)

    def verify_(self) -> None:
        self.verify_access()
        if self.value.type != self.target.element:
            raise VerifyException(f"cannot store {self.value.type} into {self.target}")


@irdl_op_definition
class ScatterOp(AccessOp):
    """Combines a value into an element that other iterations may address too, in loop order.

    `kernel.scatter %v, %y[%k] if %g over(%i) {kind = "add"}`, once for every value of the ranges
    that it is over, whatever the rest of it depends on: a constant is combined as often. Over none
    it runs once. The kind `set` overwrites, so that the last iteration wins. Where the gate does
    not hold nothing happens; elsewhere the index is in bounds.
    """

    name = "kernel.scatter"

    value = operand_def()
    buffer = operand_def(BufferType)
    values = var_operand_def(INDEX)
    gate = opt_operand_def(BOOL)
    over = var_operand_def(INDEX)
    kind = prop_def(StringAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), HasParent(FuncOp))

    def __init__(
        self,
        kind: str,
        value: SSAValue,
        buffer: SSAValue,
        indices: Iterable[ExprLike],
        values: Sequence[SSAValue] = (),
        gate: SSAValue | None = None,
        over: Sequence[SSAValue] = (),
    ):
        super().__init__(
            operands=[value, buffer, values, gate, over],
            properties={"indices": expr_array(indices), "kind": StringAttr(kind)},
        )

    @property
    def index_values(self) -> Sequence[SSAValue]:
        return self.values

    @property
    def target(self) -> BufferType:
        return _buffer_type(self.buffer)

    @property
    def combiner(self) -> Combiner | None:
        """What combines the value with the element, or None where it takes its place."""
        return None if self.kind.data == "set" else COMBINERS[self.kind.data]

    def over_others(self, over: Sequence[SSAValue]) -> ScatterOp:
        """The same scatter over other ranges."""
        kind = self.kind.data
        new = ScatterOp(kind, self.value, self.buffer, self.exprs, self.values, self.gate, over)
        new.attributes |= self.attributes
        return new

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = parse_defined_operand(parser)
        parser.parse_punctuation(",")
        buffer = _parse_buffer(parser)
        indices, values = parse_indices(parser)
        gate = _parse_gate(parser)
        over = parse_operand_list(parser) if parser.parse_optional_keyword("over") else ()
        kind, attributes = parse_kind(parser)
        op = cls(kind, value, buffer, indices, values, gate, over)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.exprs, self.values)
        if self.gate is not None:
            printer.print_string(" if ")
            printer.print_operand(self.gate)
        if self.over:
            printer.print_string(" over")
            print_operand_list(printer, self.over)
        printer.print_string(" ")
        printer.print_attr_dict({"kind": self.kind, **self.attributes})

    def verify_(self) -> None:
        self.verify_access()
        if self.kind.data != "set":
            verify_combiner(self.kind.data, self.value.type)
        if self.value.type != self.target.element:
            raise VerifyException(f"cannot scatter {self.value.type} into {self.target}")
        if not all(isinstance(value.owner, RangeOp) for value in self.over):
            raise VerifyException("only the results of kernel.range can be scattered over")
        if len({id(value) for value in self.over}) != len(self.over):
            raise VerifyException("scatters over a range twice")
