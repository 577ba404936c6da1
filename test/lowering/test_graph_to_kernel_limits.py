"""graph-to-kernel on graphs that are deep, wide, or share much: no recursion, no explosion."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

import teenyir as ty
from teenyir.dialects import graph, kernel
from teenyir.interpreter import run
from teenyir.lowering.graph_to_kernel.joining import MOST_OUTPUTS
from teenyir.pipeline.ir import parse_module, verify_module
from teenyir.pipeline.manager import PassManager

Step = Callable[[SSAValue], list[graph.GraphOp]]


def chain(step: Step, length: int, extent: int = 4) -> ModuleOp:
    """A function that applies a step again and again."""
    block = Block(arg_types=[graph.tensor(f32, [extent])])
    value: SSAValue = block.args[0]
    for _ in range(length):
        ops = step(value)
        block.add_ops(ops)
        value = ops[-1].result
    block.add_op(ReturnOp(value))
    func = FuncOp("main", ((block.args[0].type,), (value.type,)), Region(block))
    return ModuleOp([func])


def lowered(module: ModuleOp) -> list[kernel.FuncOp]:
    PassManager.parse("graph-to-kernel,kernel-to-uop").run(module.clone())
    PassManager.parse("graph-to-kernel").run(module)
    return [op for op in module.body.block.ops if isinstance(op, kernel.FuncOp)]


def diamond_of_sums(x: SSAValue) -> list[graph.GraphOp]:
    return [graph.AddOp(x, x)]


def diamond_of_flips(x: SSAValue) -> list[graph.GraphOp]:
    flip = graph.FlipOp(x, [0])
    return [flip, graph.MulOp(flip, x)]


def diamond_of_movement(x: SSAValue) -> list[graph.GraphOp]:
    flip = graph.FlipOp(x, [0])
    both = graph.ConcatOp([x, flip], 0)
    return [flip, both, graph.SliceOp(both, [2], [6])]


def diamond_of_casts(x: SSAValue) -> list[graph.GraphOp]:
    wide = graph.CastOp(x, f64)
    narrow = graph.CastOp(wide, f32)
    both = graph.ConcatOp([narrow, x], 0)
    return [wide, narrow, both, graph.SliceOp(both, [3], [7])]


def diamond_of_pads(x: SSAValue) -> list[graph.GraphOp]:
    zero = graph.ConstantOp.of(graph.tensor(f32, []), [0.0])
    low = graph.PadOp(x, zero, [1], [0])
    high = graph.PadOp(x, zero, [0], [1])
    cut = graph.AddOp(low, high)
    return [zero, low, high, cut, graph.SliceOp(cut, [0], [4])]


@pytest.mark.parametrize(
    "step",
    [diamond_of_sums, diamond_of_flips, diamond_of_movement, diamond_of_casts, diamond_of_pads],
)
def test_diamonds_do_not_double_the_code(step: Step):
    kernels = lowered(chain(step, 40))
    assert sum(len(list(k.body.block.ops)) for k in kernels) < 4000


@pytest.mark.parametrize("step", [diamond_of_movement, diamond_of_casts, diamond_of_pads])
def test_what_is_written_between_keeps_the_meaning(step: Step):
    module = chain(step, 7)
    inputs = [np.arange(4, dtype=np.float32)]
    expected = run(module, inputs)
    lowered(module)
    np.testing.assert_array_equal(run(module, inputs), expected)


@pytest.mark.parametrize(
    "step",
    [
        lambda x: [graph.NegOp(x)],
        lambda x: [graph.FlipOp(x, [0])],
        lambda x: [graph.CastOp(x, f64 if x.type.element_type == f32 else f32)],
    ],
    ids=["elementwise", "movement", "casts"],
)
def test_deep_chains_are_one_kernel(step: Step):
    (only,) = lowered(chain(step, 2001))  # an even number of flips would be no kernel
    assert isinstance(only.body.block.last_op, kernel.StoreOp)


def test_a_long_concat():
    block = Block(arg_types=[graph.tensor(f32, [2])] * 500)
    both = graph.ConcatOp(block.args, 0)
    block.add_ops([both, ReturnOp(both.result)])
    types = [argument.type for argument in block.args]
    module = ModuleOp([FuncOp("main", (types, [both.result.type]), Region(block))])
    inputs = [np.full(2, k, np.float32) for k in range(500)]
    lowered(module)
    (found,) = run(module, inputs)
    np.testing.assert_array_equal(found, np.repeat(np.arange(500, dtype=np.float32), 2))


def test_a_tensor_used_by_many_kernels():
    block = Block(arg_types=[graph.tensor(f32, [4])])
    shared = graph.ExpOp(block.args[0])
    users = [graph.ReduceOp("add", shared, [0]) for _ in range(100)]
    block.add_ops([shared, *users, ReturnOp(*(u.result for u in users))])
    types = ([block.args[0].type], [u.result.type for u in users])
    kernels = lowered(ModuleOp([FuncOp("main", types, Region(block))]))
    assert len(kernels) == 1 + ceil(100 / MOST_OUTPUTS)


def test_more_ranges_than_letters():
    ones = "x".join(["2"] * 60)
    module = parse_module(
        f"""
        func.func @main(%x: tensor<{ones}xf32>) -> tensor<f32> {{
          %s = graph.reduce add %x axes [{", ".join(map(str, range(60)))}]
              : tensor<{ones}xf32> -> tensor<f32>
          func.return %s : tensor<f32>
        }}"""
    )
    (only,) = lowered(module)
    names = [op.result.name_hint for op in only.body.block.ops if isinstance(op, kernel.RangeOp)]
    assert len(set(names)) == len(names) == 60


def test_names_that_no_value_may_have():
    module = parse_module(
        """
        func.func @"odd name"(%0: tensor<4xf32> {graph.name = "0.weight"},
                              %1: tensor<4xf32> {graph.name = "ärger -> \\22x\\22"},
                              %2: tensor<4xf32> {graph.name = ""}) -> tensor<4xf32> {
          %3 = graph.add %0, %1 : tensor<4xf32>
          %4 = graph.mul %3, %2 : tensor<4xf32>
          func.return %4 : tensor<4xf32>
        }"""
    )
    lowered(module)
    verify_module(module)
    four = np.full(4, 2, np.float32)
    np.testing.assert_array_equal(run(module, [four] * 3)[0], 8)


def test_functions_beside_what_is_lowered_already():
    text = """
        func.func @first(%x: tensor<4xf32>) -> tensor<4xf32> {
          %y = graph.exp %x : tensor<4xf32>
          func.return %y : tensor<4xf32>
        }"""
    module = parse_module(text)
    PassManager.parse("graph-to-kernel,kernel-to-uop").run(module)
    second = parse_module(text.replace("@first", "@second"))
    for op in list(second.body.block.ops):
        op.detach()
        module.body.block.add_op(op)
    PassManager.parse("graph-to-kernel").run(module)
    verify_module(module)
    names = [op.properties["sym_name"].data for op in module.body.block.ops]  # pyright: ignore
    assert names == ["exp", "first", "exp_1", "second"]
    x = np.arange(4, dtype=np.float32)
    for entry in ("first", "second"):
        np.testing.assert_allclose(run(module, [x], entry=entry)[0], np.exp(x), rtol=1e-6)


def test_a_row_of_one_element_is_not_staged():
    column = "tensor<5x1xf32>"
    module = parse_module(
        f"""func.func @main(%x: {column}) -> tensor<5x3xf32> {{
          %0 = graph.reduce max %x axes [] : {column} -> {column}
          %1 = graph.concat %0, %0, %x axis 1 : ({column}, {column}, {column}) -> tensor<5x3xf32>
          func.return %1 : tensor<5x3xf32>
        }}""",
        "row.mlir",
    )
    PassManager.parse("graph-to-kernel").run(module)
    verify_module(module)
    x = np.arange(5, dtype=np.float32).reshape(5, 1)
    np.testing.assert_array_equal(run(module, [x])[0], np.repeat(x, 3, 1))


def test_what_has_no_elements_is_not_asked_for():
    """A reshape from no elements would divide by an extent of 0."""
    x = np.zeros((3, 0, 4), np.float32)

    def emptied(x: Any) -> Any:
        return ty.sum(x.reshape((3, 4, 0)).reshape((4, 0, 3)), axis=1) + 1

    compiled = ty.trace(emptied, ty.Spec(x.shape, ty.float32)).lower("cpu").compile()
    np.testing.assert_array_equal(compiled(x), np.ones((4, 3)))
