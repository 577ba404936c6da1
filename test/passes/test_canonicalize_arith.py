"""The rows for arith's integers come to what xDSL's folder and patterns come to, case by case."""

import re
from itertools import product

import pytest
from xdsl.dialects import arith
from xdsl.transforms.canonicalize import CanonicalizePass

from teenyir.passes.canonicalize import Canonicalize
from teenyir.pipeline.ir import make_context, parse_module, print_module, verify_module
from teenyir.rewriting.base import Session

CONTEXT = make_context()
KINDS = [
    kind
    for kind in arith.Arith.operations
    if issubclass(kind, arith.SignlessIntegerBinaryOperation)
]
OPERANDS = ("%x", "%y", "0", "1", "-1", "2", "100", "-128")
FITS = {"i1": {"%x", "%y", "0", "1", "-1"}}


def program(name: str, type: str, lhs: str, rhs: str) -> str:
    """A function that returns an operation on arguments (`%x`) and constants."""
    lines: list[str] = []
    for operand, number in (("%lhs", lhs), ("%rhs", rhs)):
        if not number.startswith("%"):
            lines.append(f"{operand} = arith.constant {number} : {type}")
    operands = [
        number if number.startswith("%") else operand
        for operand, number in (("%lhs", lhs), ("%rhs", rhs))
    ]
    lines.append(f"%r = {name} {operands[0]}, {operands[1]} : {type}")
    body = "\n".join(lines)
    return f"func.func @f(%x: {type}, %y: {type}) -> {type} {{\n{body}\nfunc.return %r : {type}\n}}"


def without_names(text: str) -> str:
    return re.sub(r"%\w+", lambda name: name[0] if name[0] in ("%x", "%y") else "%_", text)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
@pytest.mark.parametrize("type", ["i1", "i8", "i64", "index"])
def test_as_xdsl_does(kind: type[arith.SignlessIntegerBinaryOperation], type: str):
    for lhs, rhs in product(OPERANDS, repeat=2):
        if not {lhs, rhs} <= FITS.get(type, set(OPERANDS)):
            continue
        module = parse_module(program(kind.name, type, lhs, rhs), "case", CONTEXT)
        other = module.clone()
        Canonicalize().run(module, Session(CONTEXT))
        verify_module(module)
        CanonicalizePass().apply(CONTEXT, other)
        found, expected = (without_names(print_module(each)) for each in (module, other))
        assert found == expected, (kind.name, lhs, rhs)


@pytest.mark.parametrize("kind", ["addi", "muli", "andi", "ori", "xori", "subi", "shli", "divsi"])
def test_vectors_of_constants_stay_as_xdsl_has_them(kind: str):
    text = f"""func.func @f(%x: vector<2xi8>) -> vector<2xi8> {{
      %c = arith.constant dense<[0, 1]> : vector<2xi8>
      %d = arith.constant dense<[1, 0]> : vector<2xi8>
      %a = arith.{kind} %c, %x : vector<2xi8>
      %b = arith.{kind} %a, %d : vector<2xi8>
      func.return %b : vector<2xi8>
    }}"""
    module = parse_module(text, "case", CONTEXT)
    other = module.clone()
    Canonicalize().run(module, Session(CONTEXT))
    CanonicalizePass().apply(CONTEXT, other)
    assert print_module(module) == print_module(other)


def test_flags_and_attributes_survive_a_swap():
    text = """func.func @f(%x: i8) -> i8 {
      %c = arith.constant 3 : i8
      %r = arith.addi %c, %x overflow<nsw> {note = 1 : i8} : i8
      func.return %r : i8
    }"""
    module = parse_module(text, "case", CONTEXT)
    Canonicalize().run(module, Session(CONTEXT))
    assert "arith.addi %x, %c overflow<nsw> {note = 1 : i8}" in print_module(module)
