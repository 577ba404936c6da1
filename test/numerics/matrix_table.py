"""One function that has many ops on one element type, in the making, and the results it is to give.

Its extents are numbers (`Table.sample`) or names (`Table.named`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray
from random_graphs import SPECIAL, Sample
from reference import converted
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.dtypes import DType
from teenyir.dialects.expr import Expr

Array = NDArray[Any]

SHAPES = (
    *((), (0,), (1,), (3,), (2, 0, 3), (7, 5), (1031,), (4, 1, 3, 2)),
    *((2, 1, 2, 1, 3), (1, 2, 1, 1, 2, 1), (2, 1, 3, 1, 2, 1, 2), (1, 1, 1, 1, 1, 1, 1)),
)
"""Rank 0 to 7, extents 0, 1, odd and large: each op meets them in turn."""


@dataclass(frozen=True)
class Entry:
    """One result of the function."""

    op: str
    value: SSAValue
    expected: Array
    ulps: int
    """Units in the last place that it may be off."""


@dataclass
class Table:
    """A function in the making, with its inputs and the results that are expected."""

    dtype: DType
    block: Block = field(default_factory=Block)
    inputs: list[Array] = field(default_factory=list[Array])
    entries: list[Entry] = field(default_factory=list[Entry])
    undefined: set[str] = field(default_factory=set[str])
    """Ops that the type does not know: the verifier refuses them."""
    shapes: Iterator[tuple[int, ...]] = field(default_factory=lambda: cycle(SHAPES))

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.dtype.bits)

    def input(self, array: Array) -> SSAValue:
        """A new argument that holds an array."""
        element = dtype_of(array).element
        self.inputs.append(array)
        return self.block.insert_arg(graph.tensor(element, array.shape), len(self.block.args))

    def add(
        self,
        name: str,
        make: Callable[[], graph.GraphOp | graph.SortOp],
        expect: Callable[[], Array],
        ulps: int = 0,
        result: int = 0,
    ) -> None:
        """An op, if the type knows it, and what one of its results is to be."""
        count = len(self.block.args)
        try:
            op = make()
            op.verify_()
        except VerifyException:
            self.undefined.add(name)
            for argument in list(self.block.args)[count:]:
                self.block.erase_arg(argument)
                self.inputs.pop()
            return
        self.block.add_op(op)
        with np.errstate(all="ignore"):
            expected = np.asarray(expect())
        self.entries.append(Entry(name, op.results[result], expected, ulps))

    def sample(self, entries: Sequence[Entry] | None = None) -> Sample:
        """The function, or that part of it that some entries need."""
        entries = self.entries if entries is None else entries
        arguments = {value: k for k, value in enumerate(self.block.args)}
        used: list[SSAValue] = []
        for entry in entries:
            used += [v for v in entry.value.owner.operands if v not in used]
        block = Block(arg_types=[value.type for value in used])
        mapper: dict[SSAValue, SSAValue] = dict(zip(used, block.args, strict=True))
        ops = [entry.value.owner.clone(mapper) for entry in entries]
        results = [op.results[e.value.index] for op, e in zip(ops, entries, strict=True)]
        block.add_ops([*ops, ReturnOp(*results)])
        types = ([a.type for a in block.args], [r.type for r in results])
        module = ModuleOp([FuncOp("main", types, Region(block))])
        return Sample(module, [self.inputs[arguments[v]] for v in used], [], {})

    def named(self) -> tuple[Sample, list[Entry]]:
        """The function with extents that have names, and the results that it has then.

        A name stands for the same number everywhere, `N7` for 7; an extent of 1 has none. Left out
        is what is stated in numbers: what a reshaping gives, or a part of a tensor.
        """
        block = Block()
        arguments: dict[SSAValue, SSAValue] = {}
        ops: list[tuple[Entry, Operation]] = []
        for entry in self.entries:
            op = entry.value.owner
            assert isinstance(op, Operation)
            found = _named_operands(op)
            if found is None:
                continue
            types, results = found
            for value, type in zip(op.operands, types, strict=True):
                arguments[value] = block.insert_arg(type, len(block.args))
            operands = [arguments[value] for value in op.operands]
            properties = dict(op.properties)
            again = op.create(operands=operands, result_types=results, properties=properties)
            ops.append((entry, again))
        results = [op.results[entry.value.index] for entry, op in ops]
        block.add_ops([*(op for _, op in ops), ReturnOp(*results)])
        func = FuncOp(
            "main", ([a.type for a in block.args], [r.type for r in results]), Region(block)
        )
        extents = {n for array in self.inputs for n in array.shape if n != 1}
        ranges = [DimRange(f"N{n}", 0, None) for n in sorted(extents)]
        func.attributes[graph.SYMBOLS] = graph.SymbolsAttr(tuple(ranges))
        places = {value: k for k, value in enumerate(self.block.args)}
        inputs = [self.inputs[places[value]] for value in arguments]
        dims = {f"N{n}": n for n in extents}
        return Sample(ModuleOp([func]), inputs, [], dims), [entry for entry, _ in ops]

    # --- values -----------------------------------------------------------------------------------

    def grid(self) -> tuple[Array, Array]:
        """Every pair of special values."""
        values = special_values(self.dtype)
        return np.repeat(values, len(values)), np.tile(values, len(values))

    def small(self, shape: Sequence[int]) -> Array:
        """Small numbers, of which sums and products are exact in every order."""
        low = 0 if self.dtype.kind in ("uint", "bool") else -2
        return converted(self.random.integers(low, 3, shape), self.dtype)

    def factors(self, shape: Sequence[int]) -> Array:
        """Numbers whose products are exact: mostly 1, some 2 and -1."""
        allowed = [1, 1, 1, 1, 2, 1] if self.dtype.kind == "uint" else [1, 1, 1, -1, 2, 1]
        return converted(self.random.choice(allowed, shape), self.dtype)

    def any(self, shape: Sequence[int]) -> Array:
        """Any bits at all; of a bool, false and true."""
        if self.dtype.kind == "bool":
            return self.random.integers(0, 2, shape).astype(np.bool_)
        bits = self.random.integers(0, 1 << min(self.dtype.bits, 62), shape, np.uint64)
        return bits.astype(f"u{self.dtype.bytes}").view(self.dtype.numpy())


NAMED: tuple[Callable[[int, int, int], bool], ...] = (
    lambda operand, axis, rank: True,
    lambda operand, axis, rank: axis < rank - 1,  # the last one of indices counts axes
    lambda operand, axis, rank: operand == axis == 0,
)
"""Which axes of which operands have names: as many as the op allows."""


def _named_operands(op: Operation) -> tuple[list[graph.Tensor], Sequence[Attribute]] | None:
    """The types of an op's operands with names, and those of its results."""
    for is_named in NAMED:
        types = [_named_type(v.type, k, is_named) for k, v in enumerate(op.operands)]
        try:
            return types, _results_for(op, types)
        except VerifyException:
            continue
    return None


def _named_type(
    type: Attribute,
    operand: int = 0,
    is_named: Callable[[int, int, int], bool] = NAMED[0],
) -> graph.Tensor:
    tensor = graph.tensor_type(Block(arg_types=[type]).args[0])
    shape = tensor.get_shape()
    extents = [
        Expr.of(f"N{n}") if n != 1 and is_named(operand, axis, len(shape)) else n
        for axis, n in enumerate(shape)
    ]
    return graph.tensor(tensor.element_type, extents)


def _results_for(op: Operation, types: Sequence[graph.Tensor]) -> Sequence[Attribute]:
    """The types of an op's results for operands of other types. Raises VerifyException."""
    if isinstance(op, graph.SortOp):
        values = Block(arg_types=types).args
        return graph.SortOp(values, op.axis, op.keys, op.descending, op.first).result_types
    assert isinstance(op, graph.GraphOp)
    if not types or isinstance(op, graph.ReshapeOp):
        raise VerifyException("states its extents")
    return [op.infer(types, op.properties, _named_type(op.result.type))]


def dtype_of(array: Array) -> DType:
    found = dtypes.of_numpy(array.dtype)
    assert found is not None, array.dtype
    return found


def special_values(dtype: DType) -> Array:
    """NaN, infinities, zeros, denormals and extremes among small numbers; every bool."""
    if dtype.kind == "bool":
        return np.array([False, True])
    ordinary = [0, 1, 2, 3, 7] + ([] if dtype.kind == "uint" else [-1, -2, -5])
    with np.errstate(all="ignore"):
        special = SPECIAL[dtype.kind](dtype)
        if dtype.kind != "float":
            special = [n % (1 << 64) for n in special]
            low = converted(np.array(special, np.uint64), dtype)
        else:
            low = converted(np.array(special), dtype)
    return np.concatenate([converted(np.array(ordinary), dtype), low])
