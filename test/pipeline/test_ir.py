"""Text to IR and back: places, and every way in which text can be wrong."""

import pytest
from xdsl.dialects.builtin import FileLineColLoc

from teenyir.diagnostics import CompileError, ParseError, VerifyError
from teenyir.pipeline.ir import make_context, parse_module, print_module, verify_module
from teenyir.pipeline.limits import DEEPEST_NESTING

ADD = """func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  func.return %b : i32
}"""


def test_each_operation_has_its_place():
    module = parse_module(ADD, "add.mlir")
    places = {
        op.name: (op.location.line.data, op.location.column.data)
        for op in module.walk()
        if isinstance(op.location, FileLineColLoc)
    }
    assert places == {
        "builtin.module": (1, 1),
        "func.func": (1, 1),
        "arith.addi": (2, 3),
        "func.return": (3, 3),
    }


def test_round_trip_with_locations():
    text = print_module(parse_module(ADD, "add.mlir"), locations=True)
    assert 'loc("add.mlir":2:3)' in text
    assert print_module(parse_module(text, "other.mlir"), locations=True) == text


WRONG = {
    "undefined value": (
        ADD.replace("%a, %a", "%a, %c"),
        "add.mlir:2:23: error: use of undefined value '%c'",
    ),
    "unknown operation": ("foo.bar", "add.mlir:1:1: error: unknown operation 'foo.bar'"),
    "empty": ("", "add.mlir:1:1: error: expected an operation"),
    "no operation": ("// nothing\n", "add.mlir:2:1: error: expected an operation"),
    "use before definition": (
        ADD.replace("%a, %a : i32", "%a, %c : i32\n  %c = arith.addi %b, %b : i32"),
        "add.mlir:2:3: error: 'arith.addi': operand #1 (%c) is not visible here",
    ),
    "verifier": (
        ADD.replace("func.return %b : i32", "func.return"),
        "add.mlir:3:3: error: 'func.return': Expected arguments",
    ),
    "no terminator": (
        "func.func @f() {\n  %c = arith.constant 1 : i32\n}",
        "add.mlir:2:3: error: 'arith.constant': it ends the block of 'func.func'",
    ),
    "too deep": ('"test.op"() ({' * 3000, f"regions nest deeper than {DEEPEST_NESTING}"),
    "too deep an attribute": (
        '"test.op"() {a = ' + "[" * 100_000,
        "error: the IR nests too deeply",
    ),
    "control characters": ("\x00\x01", "add.mlir:1:1: error: Unexpected character: \ufffd"),
    "an operation that xDSL refuses with a plain exception": (
        "func.func @f(%m: memref<4xi32>) {\n  %0 = memref.load %m[] : memref<4xi32>\n"
        "  func.return\n}",
        "add.mlir:2:3: error: 'memref.load': expected an index for each dimension",
    ),
    "a verifier that stumbles over an operation that is wrong itself": (
        "program.func @main(out %y: !kernel.buf<[4] x f32>) {\n  program.launch @k(%y)\n}\n"
        '"uop.func"() <{sym_name = "k", dims = #kernel.dims<>}> ({\n^bb0:\n}) : () -> ()',
        "add.mlir:4:1: error: 'uop.func': ",
    ),
    "unknown block": (
        '"test.op"() ({ "test.termop"() [^bb1] : () -> () }) : () -> ()',
        "error: region ends with missing block declarations for block(s) bb1",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_have_a_place(case: str):
    text, expected = WRONG[case]
    with pytest.raises(CompileError) as caught:
        verify_module(parse_module(text, "add.mlir"))
    assert expected in caught.value.render()
    assert all(d.location is not None for d in caught.value.diagnostics)


def test_each_undefined_value_is_reported_at_its_first_use():
    text = ADD.replace("%a, %a", "%d, %c").replace("return %b", "return %d")
    with pytest.raises(ParseError) as caught:
        parse_module(text, "add.mlir")
    assert [str(d.location) for d in caught.value.diagnostics] == ["add.mlir:2:19", "add.mlir:2:23"]
    assert "    %b = arith.addi %d, %c : i32\n                        ^~" in caught.value.render()


def test_verifier_reports_one_error_a_function():
    wrong = ADD.replace("func.return %b : i32", "func.return")
    with pytest.raises(VerifyError) as caught:
        verify_module(parse_module(wrong + ADD.replace("@f", "@g") + wrong.replace("@f", "@h")))
    assert [d.location.line for d in caught.value.diagnostics if d.location] == [3, 9]


MULTI_BLOCK = """func.func @f(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^one, ^two
^two:
  %y = arith.addi %a, %a : i32
  cf.br ^join
^one:
  %x = arith.addi %a, %a : i32
  cf.br ^join
^join:
  %r = arith.addi %a, VALUE : i32
  func.return %r : i32
}"""


@pytest.mark.parametrize("value, fine", [("%a", True), ("%x", False), ("%y", False)])
def test_dominance_in_several_blocks(value: str, fine: bool):
    module = parse_module(MULTI_BLOCK.replace("VALUE", value))
    if fine:
        verify_module(module)
    else:
        with pytest.raises(VerifyError, match=f"operand #1 .{value}. is not visible here"):
            verify_module(module)


def test_dominance_lets_blocks_stand_in_any_order():
    verify_module(
        parse_module("""func.func @f(%a: i32) -> i32 {
  cf.br ^def
^use:
  func.return %x : i32
^def:
  %x = arith.addi %a, %a : i32
  cf.br ^use
}""")
    )


def test_dominance_does_not_leak_out_of_a_region():
    inner = """func.func @f() {
  "test.op"() ({
    %x = "test.op"() : () -> i32
    "test.termop"() : () -> ()
  }) : () -> ()
  "test.op"(%x) : (i32) -> ()
  func.return
}"""
    with pytest.raises(CompileError):
        verify_module(parse_module(inner))


def test_a_module_is_a_graph_region():
    verify_module(parse_module('%a = "test.op"(%b) : (i32) -> i32\n%b = "test.op"() : () -> i32'))


def test_unreachable_blocks_are_exempt():
    verify_module(
        parse_module("""func.func @f(%a: i32) -> i32 {
  func.return %a : i32
^dead:
  %x = arith.addi %y, %y : i32
  %y = arith.addi %x, %x : i32
  cf.br ^dead
}""")
    )


def test_a_blob_keeps_its_name_in_every_module_of_a_process():
    text = """builtin.module {
  %c = arith.constant dense_resource<blob> : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000"
    }
  }
#-}
"""
    for _ in range(2):
        context = make_context()
        module = parse_module(text, "blob.mlir", context)
        assert print_module(module, context=context) == text
        other = parse_module(text.replace("0x04", "0x08"), "other.mlir", make_context())
        assert "dense_resource<blob>" in print_module(other)
        assert print_module(module, context=context) == text
