"""Faulty rewrites on the uop floor."""

from faulty.rewrite import FaultyRewrite

UOP = (
    FaultyRewrite(
        "vector-loop-without-its-tail",
        "where 16 does not divide N, the loop over vectors leaves elements over",
        """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..1024) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    %v = uop.load %x[%i] : f32
    %w = arith.addf %v, %v : f32
    uop.store %w, %y[%i]
  }
}""",
        "scf.for %i = %c0 to %N step %c1 {",
        """%c16 = arith.constant 16 : index
  %rest = arith.remui %N, %c16 : index
  %whole = arith.subi %N, %rest : index
  scf.for %k = %c0 to %whole step %c16 {
    %a = uop.load %x[%k] : vector<16xf32>
    %b = arith.addf %a, %a : vector<16xf32>
    uop.store %b, %y[%k]
  }
  %few = arith.cmpi ult, %N, %c16 : index
  %end = arith.select %few, %N, %whole : index
  scf.for %i = %whole to %end step %c1 {""",
    ),
    FaultyRewrite(
        "stored-value-forwarded-across-a-loop",
        "the loop stores there too, if it runs at all",
        """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..9) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %cell = uop.local [1] : !uop.ptr<f32, local>
  uop.store %zero, %cell[%c0]
  scf.for %i = %c0 to %N step %c1 {
    %v = uop.load %x[%i] : f32
    uop.store %v, %cell[%c0]
  }
  %w = uop.load %cell[%c0] : f32
  uop.store %w, %y[%c0]
}""",
        "uop.store %w, %y",
        "uop.store %zero, %y",
    ),
    FaultyRewrite(
        "dead-store-before-a-loop",
        "what the loop overwrites is needed where the loop runs no iteration",
        """
uop.func @f(inout %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..9) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  uop.store %one, %y[%c0]
  scf.for %i = %c0 to %N step %c1 {
    %v = uop.load %x[%i] : f32
    uop.store %v, %y[%c0]
  }
}""",
        "  uop.store %one, %y[%c0]\n",
        "",
    ),
    FaultyRewrite(
        "branches-swapped-under-an-ordered-comparison",
        "the opposite of an ordered comparison is an unordered one",
        """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  scf.for %i = %c0 to %c6 step %c1 {
    %v = uop.load %x[%i] : f32
    %g = arith.cmpf ogt, %v, %half : f32
    %w = scf.if %g -> (f32) {
      scf.yield %v : f32
    } else {
      scf.yield %half : f32
    }
    uop.store %w, %y[%i]
  }
}""",
        """ogt, %v, %half : f32
    %w = scf.if %g -> (f32) {
      scf.yield %v : f32
    } else {
      scf.yield %half : f32""",
        """ole, %v, %half : f32
    %w = scf.if %g -> (f32) {
      scf.yield %half : f32
    } else {
      scf.yield %v : f32""",
    ),
    FaultyRewrite(
        "loop-that-depends-on-itself-in-parallel",
        "each iteration reads what the one before it wrote",
        """
uop.func @f(inout %y: !uop.ptr<f32>) dims(%N: N in 2..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %N, %c1 : index
  scf.for %i = %c0 to %last step %c1 {
    %v = uop.load %y[%i] : f32
    %next = arith.addi %i, %c1 : index
    uop.store %v, %y[%next]
  }
}""",
        """%y[%next]
  }""",
        """%y[%next]
  } {uop.parallel}""",
    ),
    FaultyRewrite(
        "negative-byte-as-unsigned",
        "a byte is extended with its sign",
        """
uop.func @f(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i8>) {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c5 step %c1 {
    %v = uop.load %x[%i] : i8
    %w = arith.extsi %v : i8 to i32
    uop.store %w, %y[%i]
  }
}""",
        "arith.extsi",
        "arith.extui",
    ),
    FaultyRewrite(
        "reduction-from-the-lowest-finite-number",
        "a maximum of nothing, or of infinities alone, is -inf",
        """
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 0..33) {
  %low = arith.constant 0xff800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = scf.for %i = %c0 to %N step %c1 iter_args(%a = %low) -> (f32) {
    %v = uop.load %x[%i] : f32
    %b = arith.maximumf %a, %v : f32
    scf.yield %b : f32
  }
  uop.store %m, %y[%c0]
}""",
        "0xff800000",
        "-3.40282347E+38",
    ),
)
