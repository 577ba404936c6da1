// RUN: teeny-opt %s -p uop-to-llvm --split-input-file --verify-diagnostics

uop.func @loops(in %x: !uop.ptr<f32>) dims(%n: N in 1..64) {
  // expected-error @below {{scf.while has no form on the machine floor}}
  %r = scf.while (%i = %n) : (index) -> index {
    %c = arith.cmpi eq, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%j: index):
    scf.yield %j : index
  }
}

// -----

uop.func @approximate(in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  // expected-error @below {{uop.approximate has no form on the machine floor}}
  %b = uop.approximate exp2 %a : f32
}

// -----

uop.func @shape(out %y: !uop.ptr<f32>) {
  // expected-error @below {{a vector on the machine floor has one fixed dimension, not vector<2x2xf32>}}
  %v = arith.constant dense<0.0> : vector<2x2xf32>
}

// -----

uop.func @narrow(out %y: !uop.ptr<bf16>, in %x: !uop.ptr<bf16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : bf16
  // expected-error @below {{libm has no erf of bf16: run legalize-floats before}}
  %b = math.erf %a : bf16
  uop.store %b, %y[%zero]
}

// -----

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{this allocation has no place yet: run plan-arena before}}
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.launch @copy(%t, %x)
  program.launch @copy(%y, %t)
}

// -----

// expected-error @below {{has a grid and a block: a CPU runs one thread (see uop-to-nvvm)}}
uop.func @threads(out %y: !uop.ptr<f32>) grid [1] block [32] {
}
