"""Faulty rewrites of programs."""

from faulty.rewrite import FaultyRewrite

_KERNELS = """
kernel.func @copy(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
kernel.func @double(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%i]
}
kernel.func @reverse(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[3 - %i]
  kernel.store %v, %y[%i]
}
kernel.func @is_small(out %c: !kernel.buf<[] x i1>, in %x: !kernel.buf<[4] x f32>) {
  %least = arith.constant 0.01 : f32
  %limit = arith.constant 100.0 : f32
  %v = kernel.load %x[0]
  %a = math.absf %v : f32
  %n = arith.cmpf ogt, %a, %least : f32
  %l = arith.cmpf olt, %a, %limit : f32
  %g = arith.andi %n, %l : i1
  kernel.store %g, %c[]
}
"""

PROGRAM = (
    FaultyRewrite(
        "dead-launch-across-a-while",
        "the loop writes it first, if it runs at all",
        _KERNELS
        + """
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  %go = program.alloc : !kernel.buf<[] x i1>
  %t = program.alloc : !kernel.buf<[4] x f32>
  %u = program.alloc : !kernel.buf<[4] x f32>
  program.launch @double(%t, %x)
  program.launch @copy(%u, %x)
  program.launch @reverse(%u, %x)
  program.while %go cond {
    program.launch @is_small(%go, %t)
  } do {
    program.launch @copy(%u, %t)
    program.launch @double(%t, %u)
  }
  program.launch @copy(%y, %u)
}""",
        "  program.launch @reverse(%u, %x)\n",
        "",
    ),
    FaultyRewrite(
        "buffer-reused-while-it-is-live",
        "one branch still reads it",
        _KERNELS
        + """
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>,
      out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  %u = program.alloc : !kernel.buf<[4] x f32>
  program.launch @copy(%t, %x)
  program.launch @reverse(%u, %x)
  program.if %c {
    program.launch @copy(%y, %u)
  } else {
    program.launch @copy(%y, %t)
  }
}""",
        """program.launch @reverse(%u, %x)
  program.if %c {
    program.launch @copy(%y, %u)""",
        """program.launch @reverse(%t, %x)
  program.if %c {
    program.launch @copy(%y, %t)""",
    ),
    FaultyRewrite(
        "copy-moved-out-of-a-loop",
        "the loop changes what is copied in every iteration but the last",
        _KERNELS
        + """
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  %go = program.alloc : !kernel.buf<[] x i1>
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.launch @copy(%t, %x)
  program.launch @copy(%y, %x)
  program.while %go cond {
    program.launch @is_small(%go, %t)
  } do {
    program.launch @copy(%y, %t)
    program.launch @double(%t, %y)
  }
}""",
        """    program.launch @copy(%y, %t)
    program.launch @double(%t, %y)
  }""",
        """    program.launch @copy(%y, %t)
    program.launch @double(%t, %y)
  }
  program.launch @copy(%y, %t)""",
    ),
    FaultyRewrite(
        "arena-too-small-for-great-sizes",
        "from N = 5 on the first buffer reaches into the second",
        """
kernel.func @copy(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
kernel.func @reverse(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>)
      dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[N - 1 - %i]
  kernel.store %v, %y[%i]
}
program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>,
      out %z: !kernel.buf<[N] x f32>) dims(N in 1..64) arena(N * 4 + 1024) {
  %t = program.alloc at 0 : !kernel.buf<[N] x f32>
  %u = program.alloc at 512 : !kernel.buf<[N] x f32>
  program.launch @copy(%t, %x)
  program.launch @reverse(%u, %x)
  program.launch @copy(%y, %t)
  program.launch @copy(%z, %u)
}""",
        "alloc at 512",
        "alloc at 64",
    ),
    FaultyRewrite(
        "names-of-the-inputs-swapped",
        "whoever passes inputs by their names passes them to each other's place",
        _KERNELS
        + """
program.func @main(in %x: !kernel.buf<[4] x f32>, in %w: !kernel.buf<[4] x f32>,
      out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>)
      attributes {program.names = ["x", "w", "y", "z"]} {
  program.launch @double(%y, %x)
  program.launch @reverse(%z, %w)
}""",
        '["x", "w", "y", "z"]',
        '["w", "x", "y", "z"]',
    ),
)
