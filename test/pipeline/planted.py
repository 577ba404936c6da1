"""Passes that miscompile, each by one wrong rewrite of a module's text: what `--check-each` is for.

Beside each the pipeline that leads to the floor where it works, and what the program is.
"""

import re
from dataclasses import dataclass

from xdsl.ir import Operation

from teenyir.pipeline.ir import parse_module, print_module
from teenyir.rewriting.base import Pass, Session

ROW = "tensor<?xf32, #graph.dims<[N]>>"
MATRIX = "tensor<?x4xf32, #graph.dims<[N, 4]>>"


def program(body: str, arguments: str = f"%a: {ROW}, %b: {ROW}", results: str = ROW) -> str:
    """A function of named sizes on the graph floor."""
    symbols = "attributes {graph.symbols = #graph.symbols<[N in 1..64]>}"
    return f"func.func @main({arguments}) -> ({results}) {symbols} {{\n{body}\n}}"


TWO_STEPS = program(
    f"""%s = graph.reduce add %a axes [1] : {MATRIX} -> {ROW}
  %e = graph.exp %s : {ROW}
  %m = graph.max %e, %b : {ROW}
  %r = graph.reduce max %m axes [0] : {ROW} -> tensor<f32>
  func.return %s, %m, %r : {ROW}, {ROW}, tensor<f32>""",
    f"%a: {MATRIX}, %b: {ROW}",
    f"{ROW}, {ROW}, tensor<f32>",
)
BINARY = program(f"%r = graph.OP %a, %b : {ROW}\nfunc.return %r : {ROW}")
INTEGERS = BINARY.replace("f32", "i32")
SQUARE = """func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %t = graph.permute %a [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %p = graph.dot %t, %b contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %p : tensor<4x4xf32>
}"""
TEMPORARIES = """
kernel.func @square(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %r = arith.mulf %v, %v : f32
  kernel.store %r, %y[%i]
}
kernel.func @subtract(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>,
    in %z: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %w = kernel.load %z[%i]
  %r = arith.subf %v, %w : f32
  kernel.store %r, %y[%i]
}
program.func @main(in %x: !kernel.buf<[8] x f32>, out %y: !kernel.buf<[8] x f32>) {
  %s = program.alloc : !kernel.buf<[8] x f32>
  %t = program.alloc : !kernel.buf<[8] x f32>
  program.launch @square(%s, %x)
  program.launch @square(%t, %s)
  program.launch @subtract(%y, %s, %t)
}"""
POOL = """func.func @main(%a: tensor<6xf32>) -> tensor<4xf32> {
  %low = graph.constant dense<0xFF800000> : tensor<f32>
  %p = graph.pad %a, %low low [1] high [1] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  %w = graph.window %p axes [0] size [2] stride [2] dilation [1] : tensor<8xf32> -> tensor<4x2xf32>
  %r = graph.reduce max %w axes [1] : tensor<4x2xf32> -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}"""
CAST = """func.func @main(%a: tensor<9xf32>) -> tensor<9xi8> {
  %scale = graph.constant dense<100.0> : tensor<f32>
  %s = graph.broadcast %scale axes [] : tensor<f32> -> tensor<9xf32>
  %m = graph.mul %a, %s : tensor<9xf32>
  %r = graph.cast %m : tensor<9xf32> to tensor<9xi8>
  func.return %r : tensor<9xi8>
}"""
KERNEL = """kernel.func @main(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>)
    dims(N in 1..64) {
  %i = kernel.range 0 to N
  %zero = arith.constant 0.0 : f32
  %last = kernel.index N - 1
  %inside = arith.cmpi ult, %i, %last : index
  %v = kernel.load %x[%i + 1] if %inside else %zero
  kernel.store %v, %y[%i]
}"""
KERNEL_INTEGERS = """
kernel.func @main(out %y: !kernel.buf<[N] x i32>, in %x: !kernel.buf<[N] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %three = arith.constant 3 : i32
  %v = kernel.load %x[%i]
  %q = arith.divsi %v, %three : i32
  %r = arith.remsi %v, %three : i32
  %s = arith.shrsi %v, %three : i32
  %a = arith.addi %q, %r : i32
  %b = arith.addi %a, %s : i32
  kernel.store %b, %y[%i]
}"""


@dataclass(frozen=True)
class Planted:
    """A miscompilation."""

    name: str
    text: str
    """The program."""
    before: str
    """The pipeline up to where the pass stands, with a comma at its end; or empty."""
    pattern: str
    """What the pass replaces."""
    replacement: str

    def as_pass(self) -> type[Pass]:
        """The class of the pass."""

        @dataclass(frozen=True)
        class Miscompile(Pass):
            """Do something wrong."""

            name = self.name
            anchor = "builtin.module"

            def run(pass_, op: Operation, session: Session) -> None:
                text, count = re.subn(self.pattern, self.replacement, print_module(op), count=1)
                assert count, text
                wrong = parse_module(text, "planted.mlir", session.context)
                region = wrong.regions[0]
                wrong.detach_region(region)
                op.detach_region(op.regions[0])
                op.add_region(region)

        return Miscompile


TO_KERNEL, TO_UOP = "graph-to-kernel,", "graph-to-kernel,kernel-to-uop,"
PLANTED = [
    # the graph floor
    Planted(
        "fold-nan",
        BINARY.replace("OP", "div").replace("%b :", "%a :"),
        "",
        "(%\\S+) = graph.div %a, %a : (.*)",
        r"%one = graph.constant dense<1.0> : tensor<f32>"
        "\n"
        r"\1 = graph.broadcast %one axes [] : tensor<f32> -> \2",
    ),
    Planted("swap-operands", BINARY.replace("OP", "sub"), "", "%a, %b :", "%b, %a :"),
    Planted(
        "remainder-sign",
        INTEGERS.replace("OP", "mod"),
        "",
        r"(%\S+) = graph.mod %a, %b : (.*)",
        r"%n = graph.neg %a : \2\n%m = graph.mod %n, %b : \2\n\1 = graph.neg %m : \2",
    ),
    Planted(
        "max-drops-nan",
        BINARY.replace("OP", "max"),
        "",
        r"(%\S+) = graph.max %a, %b : (.*)",
        r"%g = graph.compare gt %a, %b : \2\n\1 = graph.select %g, %a, %b : \2",
    ),
    Planted("drop-transposition", SQUARE, "", "graph.dot %t", "graph.dot %a"),
    Planted("contract-wrong-axis", SQUARE, "", r"contract \[1\]", "contract [0]"),
    Planted("pad-with-zero", POOL, "", "0xFF800000|0xff800000", "0.0"),
    Planted("shift-window", POOL, "", r"low \[1\] high \[1\]", "low [2] high [0]"),
    Planted(
        "cast-wraps",
        CAST,
        "",
        r"(%\S+) = graph.cast %m : (\S+) to (\S+)",
        r"%c = graph.cast %m : \2 to tensor<9xi32>\n"
        r"\1 = graph.cast %c : tensor<9xi32> to \3",
    ),
    Planted("min-for-max", TWO_STEPS, "", "graph.reduce max", "graph.reduce min"),
    # the kernel floor and programs
    Planted("off-by-one-tail", KERNEL, "", "range 0 to N", "range 0 to N - 1"),
    Planted("round-down-tail", KERNEL, "", "range 0 to N", "range 0 to (N floordiv 4) * 4"),
    Planted("drop-guard", KERNEL, "", " if %inside else %zero", ""),
    Planted("shift-load", KERNEL, "", r"%x\[%i \+ 1\]", "%x[%i]"),
    Planted("drop-store", TWO_STEPS, TO_UOP, r"uop.store %\S+, %out\[%i\]\n", "\n"),
    Planted("alias-buffers", TEMPORARIES, "plan-arena,", "alloc at [^0].* :", "alloc at 0 :"),
    Planted("wrong-reduction", TWO_STEPS, TO_KERNEL, 'kind = "add"', 'kind = "max"'),
    Planted(
        "swap-buffers",
        TEMPORARIES,
        "",
        r"launch @subtract\((.*), (.*), (.*)\)",
        r"launch @subtract(\1, \3, \2)",
    ),
    # the uop floor
    Planted("unsigned-division", KERNEL_INTEGERS, "kernel-to-uop,", "arith.divsi", "arith.divui"),
    Planted("unsigned-shift", KERNEL_INTEGERS, "kernel-to-uop,", "arith.shrsi", "arith.shrui"),
    Planted("unsigned-remainder", KERNEL_INTEGERS, "kernel-to-uop,", "arith.remsi", "arith.remui"),
    Planted("skip-first-iteration", TWO_STEPS, TO_UOP, r"= %c0 to %N", "= %c1 to %N"),
    Planted("forget-carried-value", TWO_STEPS, TO_UOP, "scf.yield %6 : f32", "scf.yield %5 : f32"),
    Planted("wrong-stride", TWO_STEPS, TO_UOP, r"arith.muli %i, %c4", "arith.muli %i, %c1"),
    Planted("maxnum-for-maximum", TWO_STEPS, TO_UOP, "arith.maximumf", "arith.maxnumf"),
    # a GPU's machine code
    Planted("gpu-sum-for-product", SQUARE, "cuda-emulated,", "llvm.fmul", "llvm.fadd"),
]
