// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier of the uop floor refuses, in the order of the invariants in `uop.py`.

// 1. Pointers with modes, then an index for each extent.

// expected-error @below {{'uop.func': 1 buffers and 1 extents, but 1 arguments}}
"uop.func"() <{sym_name = "f", modes = ["out"], dims = #kernel.dims<N in 0..>}> ({
^bb0(%y: !uop.ptr<f32>):
}) : () -> ()

// -----

// expected-error @below {{'uop.func': a buffer must be a global pointer, not !uop.ptr<f32, local>}}
uop.func @f(out %y: !uop.ptr<f32, local>) {
}

// -----

// expected-error @below {{'uop.func': a buffer must be a global pointer, not f32}}
uop.func @f(in %y: f32) {
}

// -----

// expected-error @below {{'uop.func': the extent N must be an index, not i64}}
"uop.func"() <{sym_name = "f", modes = [], dims = #kernel.dims<N in 0..>}> ({
^bb0(%n: i64):
}) : () -> ()

// -----

// expected-error @below {{'uop.func': a buffer's mode is one of out, in, inout, scratch, not 'io'}}
"uop.func"() <{sym_name = "f", modes = ["io"], dims = #kernel.dims<>}> ({
^bb0(%y: !uop.ptr<f32>):
}) : () -> ()

// -----

// expected-error @below {{N already has a range}}
uop.func @f(out %y: !uop.ptr<f32>) dims(%N: N in 1..2, %M: N in 1..3) {
}

// -----

// expected-error @below {{N already has a range}}
"uop.func"() <{sym_name = "f", modes = [], dims = #kernel.dims<N in 1..2, N in 1..3>}> ({
^bb0(%n: index, %m: index):
}) : () -> ()

// -----

// expected-error @below {{an element is one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, f4E2M1FN, f8E4M3FNUZ, f8E5M2FNUZ, f8E4M3B11FNUZ, f8E8M0FNU, not vector<4xf32>}}
uop.func @f(out %y: !uop.ptr<vector<4xf32>>) {
}

// -----

// 2. Effects go with the modes.

uop.func @f(out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.load': loads from an argument of mode `out`}}
  %v = uop.load %y[%c0] : f32
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error @below {{'uop.store': stores into an argument of mode `in`}}
    uop.store %v, %x[%i]
  }
}

// -----

// 3. Scalars and vectors, in ops of the floor.

uop.func @f(out %y: !uop.ptr<f32>) {
  // expected-error @below {{'graph.constant': has no meaning on the uop floor}}
  %c = graph.constant dense<1.0> : tensor<4xf32>
}

// -----

uop.func @f(in %x: !uop.ptr<f32>, in %y: !uop.ptr<f32>) {
  %g = arith.constant true
  // expected-error @below {{'arith.select': has no meaning on !uop.ptr<f32> on the uop floor}}
  %p = arith.select %g, %x, %y : !uop.ptr<f32>
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': has no meaning on !uop.ptr<f32> on the uop floor}}
  %p = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %x) -> (!uop.ptr<f32>) {
    scf.yield %q : !uop.ptr<f32>
  }
}

// -----

// 4. What is moved.

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.load': cannot move f64 through !uop.ptr<f32>}}
  %v = uop.load %x[%c0] : f64
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.load': cannot move vector<2x2xf32> through !uop.ptr<f32>}}
  %v = uop.load %x[%c0] : vector<2x2xf32>
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'uop.load': cannot move vector<[4]xf32> through !uop.ptr<f32>}}
  %v = uop.load %x[%c0] : vector<[4]xf32>
}

// -----

uop.func @f(out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1> : vector<4xi32>
  // expected-error @below {{'uop.store': cannot move vector<4xi32> through !uop.ptr<f32>}}
  uop.store %v, %y[%c0]
}

// -----

uop.func @f(out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expected a pointer, got index}}
  %v = uop.load %c0[%c0] : f32
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : i64
  // expected-error @below {{expected a value of type index, got i64}}
  %v = uop.load %x[%i] : f32
}

// -----

// 5. Gates.

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %g = arith.constant true
  // expected-error @below {{'uop.load': a gate and the value where it does not hold go together}}
  %v = "uop.load"(%x, %c0, %g) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!uop.ptr<f32>, index, i1) -> f32
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %g = arith.constant true
  %z = arith.constant 0.0 : f64
  // expected-error @below {{'uop.load': `else` gives f64, the load f32}}
  %v = uop.load %x[%c0] if %g else %z : f32
}

// -----

// 6. Local memory.

uop.func @f(in %x: !uop.ptr<f32>) {
  // expected-error @below {{'uop.local': local memory of 0 elements}}
  %l = uop.local [0] : !uop.ptr<f32, local>
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  // expected-error @below {{expected a local pointer type, got !uop.ptr<f32>}}
  %l = uop.local [4] : !uop.ptr<f32>
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  // expected-error @below {{'uop.local': the result must be a local pointer, not !uop.ptr<f32>}}
  %l = "uop.local"() <{size = 4 : i64}> : () -> !uop.ptr<f32>
}

// -----

// expected-error @below {{'uop.local': 'uop.local' expects ancestor op 'uop.func'}}
%l = uop.local [4] : !uop.ptr<f32, local>

// -----

// 7. Parallel loops.

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': a parallel loop cannot carry values}}
  %p = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %c0) -> (index) {
    scf.yield %q : index
  } {uop.parallel}
}

// -----

uop.func @f(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': uop.parallel is a mark without a value}}
  scf.for %i = %c0 to %c1 step %c1 {
    scf.yield
  } {uop.parallel = 4 : i64}
}

// -----

// Dominance.

uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %v = uop.load %x[%i] : f32
    scf.yield
  }
  // expected-error @below {{use of undefined value %v}}
  uop.store %v, %y[%c0]
}

// -----

// Lane by lane: uop.cmpi, uop.cmpf, uop.select and gates.

uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : vector<4xf32>
  // expected-error @below {{gives one truth value for vector<4xf32>: uop.cmp* gives one a lane}}
  %m = arith.cmpf olt, %v, %v : vector<4xf32>
}

// -----

uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : vector<4xf32>
  %w = uop.load %x[%i] : vector<8xf32>
  %m = uop.cmpf olt, %w, %w : vector<8xf32>
  // expected-error @below {{'uop.store': a gate of type vector<8xi1> does not fit vector<4xf32>}}
  uop.store %v, %y[%i] if %m
}

// -----

uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : vector<4xf32>
  %w = uop.load %x[%i] : vector<8xf32>
  // expected-error @below {{'uop.cmpf': cannot compare vector<4xf32> with vector<8xf32>}}
  %m = uop.cmpf olt, %v, %w : vector<4xf32>
}

// -----

uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %i = arith.constant 0 : index
  %v = uop.load %x[%i] : vector<4xf32>
  %w = uop.load %x[%i] : vector<8xf32>
  %m = uop.cmpf olt, %w, %w : vector<8xf32>
  // expected-error @below {{'uop.select': vector<8xi1> does not choose lanes of vector<4xf32>}}
  %s = uop.select %m, %v, %v : vector<4xf32>
}

// -----

uop.func @ldexp(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : vector<4xf32>
  %k = arith.constant 3 : i32
  // expected-error @below {{'uop.ldexp': a power of two for vector<4xf32> is no i32}}
  %s = uop.ldexp %v, %k : vector<4xf32>
}

// -----

uop.func @approximate(in %x: !uop.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f16
  // expected-error @below {{'uop.approximate': approximates f32, and gives one: not f16}}
  %s = uop.approximate exp2 %v : f16
}

// -----

uop.func @approximate(in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  // expected-error @below {{'uop.approximate': approximates exp2, gradual_exp2, reciprocal, rsqrt, not 'sine'}}
  %s = "uop.approximate"(%v) <{function = "sine"}> : (f32) -> f32
}

// -----

uop.func @saturated(in %x: !uop.ptr<f32>, in %z: !uop.ptr<f64>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f32
  %w = uop.load %z[%c0] : f64
  // expected-error @below {{'uop.saturated_fma': takes three f32, and gives one: not f32, f64, f32}}
  %s = uop.saturated_fma %v, %w, %v : f32
}

// -----

uop.func @ldexp(in %x: !uop.ptr<f16>) {
  %c0 = arith.constant 0 : index
  %v = uop.load %x[%c0] : f16
  %k = arith.constant 3 : i32
  // expected-error @below {{'uop.ldexp': scales f32 or f64, and gives one: not f16}}
  %s = uop.ldexp %v, %k : f16
}

// -----

uop.func @lookup(in %x: !uop.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %k = uop.load %x[%c0] : i32
  // expected-error @below {{'uop.lookup': a table has 1, 2, 4, 8, .. f32, not 3 f32}}
  %s = uop.lookup %k of array<f32: 1.0, 2.0, 3.0> : i32
}

// -----

uop.func @lookup(in %x: !uop.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %k = uop.load %x[%c0] : i64
  // expected-error @below {{'uop.lookup': finds f32 by i32, not f32 by i64}}
  %s = uop.lookup %k of array<f32: 1.0> : i64
}

// -----

uop.func @lookup(in %x: !uop.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %k = uop.load %x[%c0] : i32
  // expected-error @below {{expected a table: array<f32: ..>}}
  %s = uop.lookup %k of "one" : i32
}
