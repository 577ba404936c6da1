"""Our canonicalize, cse and dce against xDSL's on random programs: no larger, and right."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from teenyir.passes.canonicalize import Canonicalize
from teenyir.passes.cse import EliminateCommonSubexpressions
from teenyir.passes.dce import EliminateDeadCode
from teenyir.pipeline.ir import make_context, parse_module, print_module, verify_module
from teenyir.rewriting.base import Pass, Session

BITS = 8
CONTEXT = make_context()
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
}

line = st.one_of(
    st.integers(-3, 3),
    st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(0, 9), st.integers(0, 9)),
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function of two bytes to one."""
    values = ["%a", "%b"]
    lines: list[str] = []
    for entry in draw(st.lists(line, min_size=1, max_size=25)):
        name = f"%v{len(lines)}"
        if isinstance(entry, int):
            lines.append(f"{name} = arith.constant {entry} : i{BITS}")
        else:
            op, x, y = entry
            lhs, rhs = values[-1 - x % len(values)], values[-1 - y % len(values)]
            lines.append(f"{name} = arith.{op} {lhs}, {rhs} : i{BITS}")
        values.append(name)
    body = "\n".join(lines)
    return (
        f"func.func @f(%a: i{BITS}, %b: i{BITS}) -> (i{BITS}, i{BITS}) {{\n{body}\n"
        f"func.return {values[-1]}, {values[len(values) // 2]} : i{BITS}, i{BITS}\n}}"
    )


def evaluate(module: ModuleOp, a: int, b: int) -> list[int]:
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    block = function.body.block
    values: dict[SSAValue, int] = dict(zip(block.args, (a, b), strict=True))
    for op in block.ops:
        if isinstance(op, func.ReturnOp):
            return [values[value] % 2**BITS for value in op.operands]
        values[op.results[0]] = result_of(op, values)
    raise AssertionError("no return")


def result_of(op: Operation, values: dict[SSAValue, int]) -> int:
    if isinstance(op, arith.ConstantOp):
        assert isinstance(op.value, IntegerAttr)
        return op.value.value.data
    lhs, rhs = (values[value] for value in op.operands)
    return OPERATIONS[op.name.removeprefix("arith.")](lhs, rhs)


PAIRS: list[tuple[Pass, ModulePass]] = [
    (Canonicalize(), CanonicalizePass()),
    (EliminateCommonSubexpressions(), CommonSubexpressionElimination()),
    (EliminateDeadCode(), DeadCodeElimination()),
]


@pytest.mark.parametrize("ours, theirs", PAIRS, ids=[ours.name for ours, _ in PAIRS])
@settings(max_examples=60, deadline=None)
@given(program=programs(), a=st.integers(0, 255), b=st.integers(0, 255))
def test_as_small_as_xdsl_and_right(ours: Pass, theirs: ModulePass, program: str, a: int, b: int):
    module = parse_module(program, "program.mlir", CONTEXT)
    expected = evaluate(module, a, b)
    other = module.clone()
    ours.run(module, Session(CONTEXT))
    verify_module(module)
    theirs.apply(CONTEXT, other)
    assert evaluate(module, a, b) == expected
    assert len(list(module.walk())) <= len(list(other.walk()))
    again = print_module(module)
    ours.run(module, Session(CONTEXT))
    assert print_module(module) == again
