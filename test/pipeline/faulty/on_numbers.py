"""Faulty rewrites of functions on numbers."""

from faulty.rewrite import FaultyRewrite

NUMBERS = (
    FaultyRewrite(
        "division-as-a-shift",
        "a shift rounds toward minus infinity, a division toward zero",
        """
func.func @f(%a: i32) -> i32 {
  %four = arith.constant 4 : i32
  %two = arith.constant 2 : i32
  %q = arith.divsi %a, %four : i32
  func.return %q : i32
}""",
        "arith.divsi %a, %four",
        "arith.shrsi %a, %two",
    ),
    FaultyRewrite(
        "widened-then-added",
        "a sum of i8 wraps before it is widened",
        """
func.func @f(%a: i8, %b: i8) -> i16 {
  %s = arith.addi %a, %b : i8
  %w = arith.extsi %s : i8 to i16
  func.return %w : i16
}""",
        """%s = arith.addi %a, %b : i8
  %w = arith.extsi %s : i8 to i16""",
        """%c = arith.extsi %a : i8 to i16
  %d = arith.extsi %b : i8 to i16
  %w = arith.addi %c, %d : i16""",
    ),
    FaultyRewrite(
        "index-through-32-bits",
        "an index has 64 bits",
        """
func.func @f(%a: index) -> i64 {
  %w = arith.index_cast %a : index to i64
  func.return %w : i64
}""",
        "%w = arith.index_cast %a : index to i64",
        """%n = arith.index_cast %a : index to i32
  %w = arith.extsi %n : i32 to i64""",
    ),
    FaultyRewrite(
        "same-block-on-both-sides",
        "the arguments that the branches hand on differ",
        """
func.func @f(%c: i1, %a: f64, %b: f64) -> f64 {
  cf.cond_br %c, ^end(%a : f64), ^end(%b : f64)
^end(%r: f64):
  func.return %r : f64
}""",
        "cf.cond_br %c, ^end(%a : f64), ^end(%b : f64)",
        "cf.br ^end(%a : f64)",
    ),
    FaultyRewrite(
        "loop-rotated-without-its-guard",
        "the body of a loop that is left at once does not run",
        """
func.func @f(%n: i8) -> i8 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  cf.br ^head(%zero, %zero : i8, i8)
^head(%i: i8, %s: i8):
  %go = arith.cmpi slt, %i, %n : i8
  cf.cond_br %go, ^body, ^end
^body:
  %next = arith.addi %i, %one : i8
  %sum = arith.addi %s, %next : i8
  cf.br ^head(%next, %sum : i8, i8)
^end:
  func.return %s : i8
}""",
        "cf.br ^head(%zero, %zero : i8, i8)",
        "cf.br ^head(%one, %one : i8, i8)",
    ),
    FaultyRewrite(
        "results-of-a-call-swapped",
        "a callee is part of what calls it",
        """
func.func private @both(%a: i32, %b: i32) -> (i32, i32) {
  %s = arith.subi %a, %b : i32
  func.return %s, %a : i32, i32
}
func.func @f(%a: i32, %b: i32) -> i32 {
  %r, %t = func.call @both(%a, %b) : (i32, i32) -> (i32, i32)
  %u = arith.xori %r, %b : i32
  func.return %u : i32
}""",
        "%u = arith.xori %r",
        "%u = arith.xori %t",
    ),
    FaultyRewrite(
        "minimum-of-numbers-is-a-minimum",
        "minnumf leaves a NaN out, minimumf hands it on",
        """
func.func @f(%a: vector<4xf32>, %b: vector<4xf32>) -> vector<4xf32> {
  %m = arith.minnumf %a, %b : vector<4xf32>
  func.return %m : vector<4xf32>
}""",
        "minnumf",
        "minimumf",
    ),
)
