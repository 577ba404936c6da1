"""Constructors infer, accessors answer plain Python, and what does not suit an op is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, TensorType, f32, i1, i8, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import dtypes, graph
from teenyir.dialects.dim_ranges import DimRange
from teenyir.dialects.expr import Expr
from teenyir.pipeline.ir import make_context, parse_module, print_module

N = Expr.of("N")


def value(*extents, element=f32) -> SSAValue:
    return test.TestOp(result_types=[graph.tensor(element, extents)]).results[0]


def shape(op: graph.GraphOp) -> list[object]:
    op.verify()
    return [e.constant if e.constant is not None else e for e in graph.extents(op.result.type)]


def test_elementwise():
    x, y = value(N, 4), value(N, 4)
    assert shape(graph.AddOp(x, y)) == [N, 4]
    assert shape(graph.ExpOp(x)) == [N, 4]
    compare = graph.CompareOp("lt", x, y)
    assert compare.result.type == graph.tensor(i1, (N, 4))
    assert compare.predicate == "lt"
    assert shape(graph.SelectOp(compare, x, y)) == [N, 4]
    assert graph.CastOp(x, i8).result.type == graph.tensor(i8, (N, 4))
    assert graph.AddOp.accepts() == {"int", "uint", "float"}


def test_contractions():
    reduce = graph.ReduceOp("add", value(N, 4, 5), (0, 2))
    assert shape(reduce) == [4]
    assert (reduce.kind, reduce.axes) == ("add", (0, 2))
    dot = graph.DotOp(value(7, N, 4), value(4, 7, 5), (2,), (0,), (0,), (1,))
    assert shape(dot) == [7, N, 5]
    assert (dot.lhs_free, dot.rhs_free) == ((1,), (2,))
    conv = graph.ConvOp(value(1, 4, N), value(6, 2, 3), (2,), [(1, 1)], (1,), 2)
    assert shape(conv) == [1, 6, (N + 2 - 3) // 2 + 1]
    assert (conv.stride, conv.pad, conv.dilation, conv.groups) == ((2,), ((1, 1),), (1,), 2)
    plain = graph.ConvOp(value(1, 4, 5, 6), value(2, 4, 1, 1))
    assert (plain.stride, plain.pad, plain.groups) == ((1, 1), ((0, 0), (0, 0)), 1)


def test_movement():
    x = value(N, 4)
    assert shape(graph.ReshapeOp(x, (2, N * 2))) == [2, N * 2]
    assert graph.PermuteOp(x, (1, 0)).permutation == (1, 0)
    assert shape(graph.BroadcastOp(x, (3, N, 4), (1, 2))) == [3, N, 4]
    pad = graph.PadOp(x, value(), ("N", 0), (0, 2))
    assert shape(pad) == [N * 2, 6]
    assert (pad.low, pad.high) == ((N, Expr.of(0)), (Expr.of(0), Expr.of(2)))
    cut = graph.SliceOp(x, (1, 0), (N, 4), (2, 1))
    assert shape(cut) == [N // 2, 4]
    assert (cut.starts, cut.steps) == ((Expr.of(1), Expr.of(0)), (2, 1))
    assert graph.FlipOp(x, (1,)).axes == (1,)
    concat = graph.ConcatOp((x, x, value(3, 4)), 0)
    assert shape(concat) == [N * 2 + 3, 4]
    assert concat.axis == 0
    window = graph.WindowOp(x, (1,), (3,))
    assert shape(window) == [N, 2, 3]
    assert (window.size, window.stride, window.dilation) == ((3,), (1,), (1,))


def test_creation():
    constant = graph.ConstantOp.of(graph.tensor(i32, (2, 2)), [1, 2, 3, 4])
    assert constant.value.get_values() == (1, 2, 3, 4)
    assert graph.ConstantOp.of(graph.tensor(f32, (3,)), [1]).value.get_values() == (1, 1, 1)
    assert graph.IotaOp(graph.tensor(i32, (N, 2)), 0).axis == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: graph.AddOp(value(4), value(5)),
            "graph.add: the operands are to have one type, got tensor<4xf32> and tensor<5xf32>",
        ),
        (lambda: graph.ExpOp(value(4, element=i32)), "graph.exp: takes floats, got tensor<4xi32>"),
        (lambda: graph.ReduceOp("add", value(4), (1,)), "axis 1 is outside the 1 axes"),
        (lambda: graph.ReshapeOp(value(N), (4,)), "has N elements, tensor<4xf32> has 4"),
        (lambda: graph.CastOp(value(4), TensorType(f32, [1])), "not an element type"),
        (lambda: graph.ConvOp(value(4), value(4)), "of one rank, got tensor<4xf32>"),
        (lambda: graph.ConcatOp((), 0), "graph.concat: takes one operand or more"),
        (lambda: graph.IotaOp(graph.tensor(i1, (4,)), 0), "takes integers and floats"),
        (lambda: graph.tensor(f32, (-1,)), "extent -1 of [-1] is negative"),
        (
            lambda: graph.ExpOp(test.TestOp(result_types=[f32]).results[0]),
            "graph.exp: expected a tensor, got f32",
        ),
        (lambda: graph.SymbolsAttr((DimRange("N", 3, 2),)), "the range of N is empty"),
        (lambda: graph.SymbolsAttr((DimRange("N"), DimRange("N"))), "N has two ranges"),
    ],
)
def test_refused(make, message):
    with pytest.raises(VerifyException) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "op",
    [
        lambda: graph.SliceOp(value(4), (0,), (4,)),
        lambda: graph.ConvOp(value(1, 1, 4), value(1, 1, 2)),
    ],
)
def test_an_op_that_does_not_verify_still_prints(op):
    made = op()
    for name in {"pad", "steps"} & made.properties.keys():
        made.properties[name] = graph.ReduceOp("add", value(4, 4, 4), (0, 1, 2)).axes_attr
    with pytest.raises(VerifyException):
        made.verify()
    assert made.name in str(made)


extents = st.lists(
    st.one_of(
        st.integers(0, 9).map(Expr.of),
        st.sampled_from([N, N * 2, N // 2 + 1, N % 4, Expr.minimum(N, 3), N * Expr.of("M") - 1]),
    ),
    max_size=4,
)


@given(extents, st.sampled_from(dtypes.DTYPES))
@settings(max_examples=60, deadline=None)
def test_types_round_trip(shape, dtype):
    type = graph.tensor(dtype.element, shape)
    assert graph.extents(type) == tuple(shape)
    assert ("#graph.dims" in str(type)) == any(e.constant is None for e in shape)
    block = Block(arg_types=[type])
    block.add_op(ReturnOp(block.args[0]))
    text = print_module(ModuleOp([FuncOp("f", ([type], [type]), Region(block))]))
    again = parse_module(text, "<types>", make_context())
    assert print_module(again) == text
    assert next(iter(again.ops)).function_type.inputs.data == (type,)
