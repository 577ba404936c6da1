"""What a kernel would ask for: elements of tensors, at which index, inside which loops.

A kernel in the making is a `Root`: it knows its loops, and its builder runs the rules of ops "dry",
to see what they ask for; what is built on the way is thrown away. A `Request` is one such question.

For `y = exp(x) @ w`, `y` of extents [M, N] and 784 products in each sum, the root of `y` has the
loops `_0` (M) and `_1` (N). The rule of the product opens the loop `_2` and asks for

    exp(x) at [_0, _2] inside the loops (_0, _1, _2), as a factor of products
    w      at [_2, _1] inside the loops (_0, _1, _2), as a factor of products

The index of the first does not name `_1`, which lies outside of `_2`: the request is not for
something that is computed `once`, since each exponential is asked for again in every iteration of
`_1`. Had it been asked for at [_0], it could be computed in the loop `_0`, before `_1` starts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from xdsl.ir import Attribute, Block, Operation, SSAValue

from teenyir.dialects import graph, kernel
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.syntax import is_placeholder
from teenyir.lowering.graph_to_kernel.builder import (
    Index,
    KernelBuilder,
    Question,
    dtype_of,
    extents_of,
)
from teenyir.lowering.graph_to_kernel.rules import rule_of
from teenyir.once import once

PRODUCTS = (graph.DotOp, graph.ConvOp, graph.WindowOp, graph.GatherOp)
"""The ops that ask for one element of an operand again and again."""


@dataclass(eq=False)
class Root:
    """A kernel in the making: a builder that is asked what the kernel would ask for."""

    builder: KernelBuilder
    number: int = 0
    """Its place among all kernels."""
    block: Block | None = None
    """Where the kernel will be launched: the block of the graph."""
    axes: tuple[str, ...] = ()
    """The loops over the kernel's result, outermost first, as expressions name them."""
    outputs: dict[SSAValue, SSAValue | None] = field(
        default_factory=dict[SSAValue, "SSAValue | None"]
    )
    """The tensors that the kernel writes, each with what it computes in its loops for it: the
    tensor or what it is a reshaping of; None where it stores what it computes anyway. The first
    opens the loops."""
    innermost: tuple[int, ...] = ()
    """The axes of the first of these whose loops are inside of the others (see `columns`)."""
    by_blocks: bool = False
    """Whether it stages rows that are counted on to be computed in blocks (see `blocks`)."""
    by_rows: bool = False
    """Whether it stages rows for products, which are formed row by row, or in such blocks."""
    rows: frozenset[str] | None = None
    """Where loops over a row are counted on to become one (see `running`), those that a row belongs
    to."""
    product: Operation | None = None
    """The products of two matrices that it forms."""
    hidden: int = 0
    """The operations for an element of both its factors that it does besides (see `factors`)."""
    asked: dict[tuple[Operation, Request], Asked] = field(
        default_factory=dict[tuple[Operation, "Request"], "Asked"]
    )
    """What ops turned out to ask for: decisions follow the same questions again and again."""
    answers: dict[Attribute, SSAValue] = field(default_factory=dict[Attribute, SSAValue])
    """What stands for the elements of each type, whatever is asked for."""
    staged: dict[tuple[Request, tuple[int, ...], SSAValue], Request] = field(
        default_factory=dict[tuple["Request", tuple[int, ...], SSAValue], "Request"]
    )
    """The request of the loops that would fill a row of a tensor."""

    @staticmethod
    def over(dims: Sequence[DimRange], block: Block | None = None, number: int = 0) -> Root:
        """A root without loops yet; what it builds is thrown away."""
        func = kernel.FuncOp("scratch", [], [], kernel.DimsAttr(()))
        return Root(KernelBuilder(func, {}, dims, rule_of, only_asks=True), number, block)


@dataclass(frozen=True)
class Request:
    """An element that a kernel asks for."""

    root: Root
    index: Index
    loops: tuple[str, ...]
    """The loops inside which it is asked for, outermost first."""
    multiplied: bool = False
    """Whether it goes into the products or windows of a contraction."""
    overlapping: bool = False
    """Whether different iterations ask for one element, though all loops occur in the index."""
    gated: bool = False
    """Whether it is asked for under a condition."""
    beside: tuple[tuple[SSAValue, Index], ...] = ()
    """The other factor of each product that it goes into, and the index of that."""

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        # (what is left out is seldom all that two of them differ in)
        return hash((self.root, self.index, self.loops))

    @once
    def names(self) -> frozenset[str]:
        """The loops, and the indices that are data, that the index depends on."""
        names = frozenset[str]().union(*(expr.names for expr in self.index))
        return frozenset(filter(is_placeholder, names))

    @once
    def hoisted(self) -> tuple[str, ...]:
        """The loops inside which it has to be computed: an outer prefix, if the index allows."""
        prefix = self.loops[: len(self.names)]
        return prefix if self.names == frozenset(prefix) else self.loops

    @property
    def once(self) -> bool:
        """Whether no element is computed twice on behalf of this request."""
        return not self.overlapping and self.names >= set(self.hoisted)


Asked: TypeAlias = tuple[tuple[SSAValue, Request], ...]
"""Tensors, each with what is asked of it."""


def asked_by(op: Operation, request: Request) -> Asked:
    """What an op asks for where one of its elements is asked for."""
    if not op.operands:
        return ()
    known = request.root.asked
    if (op, request) not in known:
        known[op, request] = tuple(_ask(op, request))
    return known[op, request]


def _ask(op: Operation, request: Request) -> Iterator[tuple[SSAValue, Request]]:
    """Run the rule of an op dry."""
    builder = request.root.builder
    known = len(builder.index_values)
    asking = rule_of(op)(builder, op, request.index, None)
    overlapping = type(op) is graph.ConvOp or (type(op) is graph.WindowOp and _overlaps(op))
    asked = list(questions(request.root, asking))
    multiplied = request.multiplied or type(op) in PRODUCTS
    for tensor, index, gate in asked:
        opened = [f"_{k}" for k in range(known, len(builder.index_values))]
        loops = (*request.hoisted, *(name for name in opened if name in builder.loops))
        again = request.overlapping or overlapping
        gated = request.gated or gate is not None
        beside = request.beside
        if type(op) is graph.DotOp:
            beside += tuple((other, at) for other, at, _ in asked if (other, at) != (tensor, index))
        yield tensor, Request(request.root, index, loops, multiplied, again, gated, beside)


def questions(root: Root, asking: Generator[Question, SSAValue, object]) -> Iterator[Question]:
    """What a rule asks for, answered with values that stand for the elements."""
    answer = cast(SSAValue, None)  # starts it
    while True:
        try:
            question = asking.send(answer)
        except StopIteration:
            return
        yield question
        type = dtype_of(question[0]).below
        if type not in root.answers:
            root.answers[type] = Block(arg_types=[type]).args[0]
        answer = root.answers[type]


def staged_request(request: Request, row: tuple[int, ...], tensor: SSAValue) -> Request:
    """The one request of the loops that fill a row of a tensor."""
    known, key = request.root.staged, (request, row, tensor)
    if key not in known:
        known[key] = _stage(request, row, tensor)
    return known[key]


def _stage(request: Request, row: tuple[int, ...], tensor: SSAValue) -> Request:
    """Open loops that fill a row."""
    builder = request.root.builder
    index = list(request.index)
    fixed = [expr for axis, expr in enumerate(index) if axis not in row]
    known = len(builder.index_values)
    filled = builder.index_over(tuple(extents_of(tensor)[axis] for axis in row))
    for axis, expr in zip(row, filled, strict=True):
        index[axis] = expr
    used = frozenset[str]().union(*(expr.names for expr in fixed))
    outer = tuple(name for name in request.loops if name in used)
    inner = tuple(f"_{k}" for k in range(known, len(builder.index_values)))
    return Request(request.root, tuple(index), (*outer, *inner))


def _overlaps(op: graph.WindowOp) -> bool:
    """Whether windows share elements."""
    return any(
        stride < (size - 1) * dilation + 1
        for size, stride, dilation in zip(op.size, op.stride, op.dilation, strict=True)
    )
