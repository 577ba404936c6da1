"""What docs/graph.md says of numbers, sentence by sentence, on every floor and target.

A row quotes the page and has an op with operands and what it gives. The other tests of this folder
compare floors with each other; this one has the numbers themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from compare import differences
from random_graphs import Sample
from test_casts import EVERY

from teenyir.dialects import dtypes
from teenyir.pipeline.ir import parse_module

PAGE = re.sub(r"\s+", " ", (Path(__file__).parents[2] / "docs" / "graph.md").read_text())

BY_ELEMENT = {str(dtype.element): dtype for dtype in dtypes.DTYPES}


@dataclass(frozen=True)
class Row:
    """`op` on operands of an element type gives the numbers of `result`."""

    quote: str
    op: str
    element: str
    operands: tuple[tuple[float, ...], ...]
    result: tuple[float, ...]
    to: str = ""
    """The element type of the result, where that is another one."""

    def __str__(self) -> str:
        return f"{self.op.replace(' ', '_')}-{self.element}{'-' if self.to else ''}{self.to}"


MIN32, MAX32, MIN64 = -(2**31), 2**31 - 1, -(2**63)
BY_ZERO = "by zero both give 0."
SHIFT = "A shift by the width or more (the count read as unsigned) gives 0, or the sign"
LEAST = "`abs` and `neg` of the least signed integer give it back."
NAN = "`max` and `min`, the reductions too, give NaN where an operand is NaN"
ZEROS = "and -0.0 is less than +0.0 to them."
COMPARE = "A comparison with NaN is false, except `ne`, which is true."
SATURATES = "Float to integer drops the fraction, saturates, and takes NaN to 0"
WRAPS = "integer to integer wraps"
ROUNDS = "floats round to nearest, ties to even, and once"
NEITHER = "`f8E8M0FNU` has neither sign nor zero"
EMPTY = "A maximum or minimum of no elements, which would be infinite, is in `f8E4M3FN`"

ROWS = [
    # integers: overflow, zero divisors, shifts
    Row("*Integers* wrap.", "add", "i32", ((MAX32, MIN32), (1, -1)), (MIN32, MAX32)),
    Row("*Integers* wrap.", "mul", "i8", ((127, -128), (2, -1)), (-2, -128)),
    Row("*Integers* wrap.", "sub", "ui16", ((0, 5), (1, 6)), (65535, 65535)),
    Row("*Integers* wrap.", "reduce add", "i8", ((100, 100),), (-56,)),
    Row(BY_ZERO, "floordiv", "i32", ((7, -7, 0), (0, 0, 0)), (0, 0, 0)),
    Row(BY_ZERO, "mod", "i64", ((7, MIN64), (0, 0)), (0, 0)),
    Row(BY_ZERO, "floordiv", "ui8", ((255, 0), (0, 0)), (0, 0)),
    Row(
        "round toward minus infinity",
        "floordiv",
        "i8",
        ((-7, 7, -128), (2, -2, -1)),
        (-4, -4, -128),
    ),
    Row("has the sign of the divisor", "mod", "i32", ((-7, 7, MIN32), (2, -2, -1)), (1, -1, 0)),
    Row(SHIFT, "shl", "i32", ((1, 1, 1), (31, 32, -1)), (MIN32, 0, 0)),
    Row(SHIFT, "shr", "i8", ((-128, -128, 127), (7, 8, -1)), (-1, -1, 0)),
    Row(SHIFT, "shr", "ui64", ((2**64 - 1, 2**64 - 1), (63, 64)), (1, 0)),
    Row(LEAST, "abs", "i16", ((-32768, -5),), (-32768, 5)),
    Row(LEAST, "neg", "i64", ((MIN64, 5),), (MIN64, -5)),
    # floats
    Row("`x / 0` is an infinity or NaN", "div", "f32", ((1, -1, 0), (0, 0, 0)), (inf, -inf, nan)),
    Row("what numpy gives", "floordiv", "f32", ((1, -1, 0), (0, 0, 0)), (inf, -inf, nan)),
    Row("what numpy gives", "mod", "f64", ((1, -1, 7), (0, 0, -2)), (nan, nan, -1)),
    Row("f16, bf16 and f8 operations round once", "add", "f8E4M3FN", ((16, 16), (1, 3)), (16, 20)),
    *(
        Row(NAN, op, t, ((nan, 1, nan), (1, nan, nan)), (nan, nan, nan))
        for op in ("max", "min")
        for t in ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2")
    ),
    *(
        Row(NAN, op, t, ((1, nan, 2),), (nan,))
        for op in ("reduce max", "reduce min")
        for t in ("bf16", "f32", "f8E5M2")
    ),
    Row(ZEROS, "max", "f32", ((-0.0, 0.0), (0.0, -0.0)), (0.0, 0.0)),
    Row(ZEROS, "min", "f8E4M3FN", ((-0.0, 0.0), (0.0, -0.0)), (-0.0, -0.0)),
    *(
        Row(COMPARE, f"compare {word}", "f32", ((nan, 1, nan), (1, nan, nan)), (no, no, no), "i1")
        for word, no in (*((w, 0) for w in ("eq", "lt", "le", "gt", "ge")), ("ne", 1))
    ),
    # casts
    Row(
        SATURATES,
        "cast",
        "f32",
        ((1.9, -1.9, 300, -300, inf, nan),),
        (1, -1, 127, -128, 127, 0),
        "i8",
    ),
    Row(SATURATES, "cast", "f64", ((-1, 1e30, nan),), (0, 2**64 - 1, 0), "ui64"),
    Row(SATURATES, "cast", "f32", ((8, -9, nan, 3.7),), (7, -8, 0, 3), "i4"),
    Row(SATURATES, "cast", "f8E5M2", ((inf, -inf, nan),), (MAX32, MIN32, 0), "i32"),
    Row(WRAPS, "cast", "i32", ((256, -1, 128),), (0, 255, 128), "ui8"),
    Row(WRAPS, "cast", "i32", ((8, 15, -9),), (-8, -1, 7), "i4"),
    Row(WRAPS, "cast", "i8", ((-1, 4, 5),), (3, 0, 1), "ui2"),
    Row(
        "a value is compared with zero", "cast", "f32", ((0.0, -0.0, nan, 0.1),), (0, 0, 1, 1), "i1"
    ),
    Row("a value is compared with zero", "cast", "f8E8M0FNU", ((2.0**-127, 1),), (1, 1), "i1"),
    Row(ROUNDS, "cast", "f32", ((2049, 2051, 1e6),), (2048, 2052, inf), "f16"),
    Row(ROUNDS, "cast", "i64", ((2**24 + 2**16 + 1,),), (2**24 + 2**17,), "bf16"),
    Row(ROUNDS, "cast", "f64", ((1.125, 1.125 + 2.0**-40),), (1, 1.25), "f8E5M2"),
    Row("| NaN | NaN |", "cast", "f32", ((464, 464.1, -inf),), (448, nan, nan), "f8E4M3FN"),
    Row("an infinity", "cast", "f32", ((61439, 61440, -inf),), (57344, inf, -inf), "f8E5M2"),
    Row("one zero", "cast", "f32", ((-0.0, -1e-9),), (0.0, 0.0), "f8E4M3FNUZ"),
    Row("6 or -6", "cast", "f32", ((7, -inf, nan, 0.25),), (6, -6, -0.0, 0.0), "f4E2M1FN"),
    Row(
        NEITHER,
        "cast",
        "f32",
        ((0, -1, 3, 1e-40, inf),),
        (nan, nan, 4, 2.0**-127, nan),
        "f8E8M0FNU",
    ),
    # reductions of nothing
    Row(EMPTY, "reduce max", "f8E4M3FN", ((),), (-448,)),
    Row(EMPTY, "reduce min", "f8E4M3FN", ((),), (448,)),
    Row("(in floats an infinity)", "reduce max", "f8E5M2", ((),), (-inf,)),
    Row("(in floats an infinity)", "reduce min", "f32", ((),), (inf,)),
    Row("Of no elements a reduction gives its identity: 0, 1", "reduce mul", "i32", ((),), (1,)),
]


def arrays(numbers: tuple[float, ...], element: str) -> np.ndarray:
    dtype = BY_ELEMENT[element].numpy()
    is_float = BY_ELEMENT[element].kind == "float"
    with np.errstate(all="ignore"):
        if is_float:
            return np.array(numbers, np.float64).astype(dtype)
        return np.array([int(n) for n in numbers], object).astype(dtype)


def sample_of(row: Row) -> Sample:
    count = len(row.operands[0])
    given, target = f"tensor<{count}x{row.element}>", f"tensor<{count}x{row.to or row.element}>"
    names = ", ".join(f"%x{k}" for k in range(len(row.operands)))
    arguments = ", ".join(f"%x{k}: {given}" for k in range(len(row.operands)))
    types = f"{given} to {target}" if row.op == "cast" else given
    axes = ""
    if row.op.startswith("reduce"):
        target, axes = f"tensor<{row.element}>", " axes [0]"
        types = f"{given} -> {target}"
    module = parse_module(
        f"func.func @main({arguments}) -> {target} {{\n"
        f"  %r = graph.{row.op} {names}{axes} : {types}\n  func.return %r : {target}\n}}",
        "stated.mlir",
    )
    return Sample(module, [arrays(numbers, row.element) for numbers in row.operands], [], {})


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_stated(row: Row):
    assert row.quote in PAGE
    expected = arrays(row.result, row.to or row.element)
    if row.op.startswith("reduce"):
        expected = expected.reshape(())
    for floor, run in EVERY.items():
        problem = differences([expected], run(sample_of(row)), [True])
        assert not problem, f"{floor}: {problem}"
