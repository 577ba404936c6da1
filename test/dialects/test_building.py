"""What `made` builds is what xDSL's own constructors build: it writes their fields."""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects import llvm as stock
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    VectorType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue

from teenyir.dialects import llvm
from teenyir.dialects.building import integers, made, on_one_type

Build = Callable[[SSAValue, SSAValue], Operation]

PAIRS: list[tuple[Build, Build]] = [
    (
        lambda a, b: arith.ConstantOp(FloatAttr(1.5, f32)),
        lambda a, b: made(arith.ConstantOp, (), [f32], {"value": FloatAttr(1.5, f32)}),
    ),
    (
        lambda a, b: stock.ConstantOp(IntegerAttr(3, i64), i64),
        lambda a, b: made(stock.ConstantOp, (), [i64], {"value": IntegerAttr(3, i64)}),
    ),
    (
        lambda a, b: vector.BroadcastOp(a, VectorType(i64, [4])),
        lambda a, b: made(vector.BroadcastOp, [a], [VectorType(i64, [4])]),
    ),
    (
        lambda a, b: stock.ICmpOp(a, b, IntegerAttr(2, i64)),
        lambda a, b: made(stock.ICmpOp, (a, b), [i1], {"predicate": IntegerAttr(2, i64)}),
    ),
    (lambda a, b: llvm.PoisonOp(f32), lambda a, b: made(llvm.PoisonOp, (), [f32])),
    (lambda a, b: scf.YieldOp(a, b), lambda a, b: made(scf.YieldOp, [a, b])),
    (
        lambda a, b: math.FmaOp(a, b, a),
        lambda a, b: on_one_type(math.FmaOp, a, b, a),
    ),
]


@pytest.mark.parametrize(("theirs", "ours"), PAIRS, ids=lambda each: "")
def test_fields_are_those_of_the_constructor(theirs: Build, ours: Build) -> None:
    a, b = Block(arg_types=[i64, i64]).args
    one, other = theirs(a, b), ours(a, b)
    for name, value in vars(one).items():
        found = getattr(other, name)  # of the class, where all that are made have the same
        if name == "results":
            assert [(r.type, r.index, r.op is other) for r in found] == [
                (r.type, r.index, r.op is one) for r in value
            ]
        elif name == "_operand_uses":
            assert [(use.operation is other, use.index) for use in found] == [
                (use.operation is one, use.index) for use in value
            ]
        else:
            assert found == value, name
    assert vars(other).keys() <= vars(one).keys()


def test_regions_are_those_of_the_operation() -> None:
    a, b = Block(arg_types=[i64, i64]).args
    body = Region(Block([scf.YieldOp()], arg_types=[i64]))
    loop = made(scf.ForOp, [a, b, a], regions=[body])
    assert loop.regions == (body,) and body.parent is loop
    loop.verify()


def test_lists_of_integers_are_those_of_the_constructor() -> None:
    for type, values in ((i32, (1, 0, 2)), (i64, ()), (i64, (-1, 2**63 - 1))):
        expected = DenseArrayBase.from_list(type, values)
        found = integers(type, values)
        assert found == expected and hash(found) == hash(expected)
        assert found.get_values() == expected.get_values() == values


def test_uses_are_known_to_the_values() -> None:
    a, b = Block(arg_types=[i64, i64]).args
    first = made(arith.AddiOp, [a, b], [i64])
    second = made(arith.AddiOp, [a, a], [i64])
    assert {(use.operation, use.index) for use in a.uses} == {(first, 0), (second, 0), (second, 1)}
    second.erase()
    assert [(use.operation, use.index) for use in a.uses] == [(first, 0)]
    first.operands = [b, b]
    assert not list(a.uses) and len(list(b.uses)) == 2
