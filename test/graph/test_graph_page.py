"""docs/graph.md names every op, with what it takes and what its class says of it."""

import re
from pathlib import Path

import pytest

from teenyir.dialects import graph
from teenyir.pipeline.ir import parse_module, verify_module

PAGE = (Path(__file__).parents[2] / "docs" / "graph.md").read_text()
ROWS = {
    cells[1].strip("` "): [cell.strip() for cell in cells[2:-1]]
    for line in PAGE.splitlines()
    if line.startswith("| `") and (cells := line.split("|"))
}


@pytest.mark.parametrize("op", graph.OPS, ids=lambda op: op.name)
def test_every_op_has_a_row(op):
    row = ROWS[op.name.removeprefix("graph.")]
    if op in (*graph.UNARY_OPS, *graph.BINARY_OPS):
        assert row == [graph.KIND_WORDS[op.accepts()], " ".join(op.__doc__.split())]


@pytest.mark.parametrize(
    "op", set(graph.OPS) - {*graph.UNARY_OPS, *graph.BINARY_OPS}, ids=lambda op: op.name
)
def test_the_texts_are_ir(op):
    """Each example parses and verifies, its operands being arguments of the types it prints."""
    (text,) = ROWS[op.name.removeprefix("graph.")]
    text = text.strip("`")
    names = list(dict.fromkeys(re.findall(r"%\w+", text)))
    head, _, types = text.rpartition(" : ")
    operands = re.findall(r"tensor<[^>]*>", types)
    if op is graph.SelectOp:
        operands = ["tensor<4xi1>", operands[0], operands[0]]
    elif len(operands) == 1:
        operands *= len(names)
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, operands, strict=False))
    module = parse_module(f"func.func @f({arguments}) {{ %r = {text} func.return }}")
    verify_module(module)
    assert head.startswith(op.name)
