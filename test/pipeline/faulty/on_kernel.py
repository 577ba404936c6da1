"""Faulty rewrites on the kernel floor."""

from faulty.rewrite import FaultyRewrite

KERNEL = (
    FaultyRewrite(
        "gate-dropped-in-the-last-tile",
        "the last tile of four sticks out unless four divides N",
        """
kernel.func @f(out %y: !kernel.buf<[] x i32>, in %x: !kernel.buf<[N] x i32>) dims(N in 1..64) {
  %zero = arith.constant 0 : i32
  %i = kernel.range 0 to N ceildiv 4
  %j = kernel.range 0 to 4
  %k = kernel.index %i * 4 + %j
  %n = kernel.index N
  %in = arith.cmpi ult, %k, %n : index
  %v = kernel.load %x[%k] if %in else %zero
  %s = kernel.reduce %v over(%i, %j) {kind = "add"}
  kernel.store %s, %y[]
}""",
        "kernel.load %x[%k] if %in else %zero",
        "kernel.load %x[min(%k, N - 1)]",
    ),
    FaultyRewrite(
        "zero-minus-is-negation",
        "0.0 - 0.0 is 0.0, and its negation -0.0",
        """
kernel.func @f(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %n = arith.subf %zero, %v : f32
  kernel.store %n, %y[%i]
}""",
        "arith.subf %zero, %v",
        "arith.negf %v",
    ),
    FaultyRewrite(
        "scan-of-the-elements-before",
        "a scan takes its own element too; only of a row without elements it is the same",
        """
kernel.func @f(out %y: !kernel.buf<[N] x i8>, in %x: !kernel.buf<[N] x i8>) dims(N in 0..9) {
  %zero = arith.constant 0 : i8
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %s = kernel.scan %v along %i {kind = "umax"}
  kernel.store %s, %y[%i]
}""",
        "%s = kernel.scan %v along",
        """%k = kernel.index %i
  %first = kernel.index 0
  %inside = arith.cmpi ugt, %k, %first : index
  %w = kernel.load %x[%i - 1] if %inside else %zero
  %s = kernel.scan %w along""",
    ),
    FaultyRewrite(
        "identity-of-a-signed-maximum",
        "an unsigned maximum reads the sign as the greatest bit",
        """
kernel.func @f(out %y: !kernel.buf<[] x i16>, in %x: !kernel.buf<[5] x i16>) {
  %i = kernel.range 0 to 5
  %v = kernel.load %x[%i]
  %s = kernel.reduce %v over(%i) {kind = "umin"}
  kernel.store %s, %y[]
}""",
        'kernel.reduce %v over(%i) {kind = "umin"}',
        'kernel.reduce %v over(%i) {kind = "min"}',
    ),
    FaultyRewrite(
        "last-row-not-stored",
        "what is not written keeps whatever stood there",
        """
kernel.func @f(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}""",
        "  kernel.store %v, %y[%i]",
        """  %k = kernel.index %i
  %last = kernel.index N - 1
  %before = arith.cmpi ult, %k, %last : index
  kernel.store %v, %y[%i] if %before""",
    ),
    FaultyRewrite(
        "scatter-in-another-order",
        "of two updates of one element the last one stays",
        """
kernel.func @f(inout %y: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 5
  %v = kernel.load %x[%i, %j]
  %k = kernel.index (%i + %j) mod 3
  kernel.scatter %v, %y[%k] over(%i, %j) {kind = "set"}
}""",
        """%i = kernel.range 0 to 4
  %j = kernel.range 0 to 5""",
        """%j = kernel.range 0 to 5
  %i = kernel.range 0 to 4""",
    ),
    FaultyRewrite(
        "quotient-toward-zero",
        "(i - 1) floordiv 2 of 0 is -1",
        """
kernel.func @f(out %y: !kernel.buf<[6] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 6
  %v = kernel.load %x[(%i - 1) floordiv 2 + 1]
  kernel.store %v, %y[%i]
}""",
        "(%i - 1) floordiv 2 + 1",
        "max(%i - 1, 0) floordiv 2 + 1",
    ),
)
