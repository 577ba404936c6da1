// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier of a kernel refuses, in the order of the invariants in `verify.py`; each with
// its place. What the custom form cannot say is in the generic one.

// 1. Arguments are buffers in argument space, each with a mode.

// expected-error @below {{'kernel.func': 2 modes for 1 buffers}}
"kernel.func"() <{sym_name = "f", modes = ["out", "in"], dims = #kernel.dims<>}> ({
^bb0(%y: !kernel.buf<[4] x f32>):
}) : () -> ()

// -----

// expected-error @below {{'kernel.func': a buffer's mode is one of out, in, inout, scratch, not 'both'}}
"kernel.func"() <{sym_name = "f", modes = ["both"], dims = #kernel.dims<>}> ({
^bb0(%y: !kernel.buf<[4] x f32>):
}) : () -> ()

// -----

// expected-error @below {{'kernel.func': an argument must be a buffer, not f32}}
kernel.func @f(in %x: f32) {
}

// -----

// expected-error @below {{'kernel.func': an argument cannot live in local memory}}
kernel.func @f(in %x: !kernel.buf<[4] x f32, local>) {
}

// -----

// expected-error @below {{an element is one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, f4E2M1FN, f8E4M3FNUZ, f8E5M2FNUZ, f8E4M3B11FNUZ, f8E8M0FNU, not ui8}}
kernel.func @f(in %x: !kernel.buf<[4] x ui8>) {
}

// -----

// expected-error @below {{a buffer cannot have an extent of -1}}
kernel.func @f(in %x: !kernel.buf<[2, 3 - 4] x f32>) {
}

// -----

// expected-error @below {{!kernel.buf<[99999999999999999999, 4] x f32> has more elements than 64 bits can address}}
kernel.func @f(in %x: !kernel.buf<[99999999999999999999, 4] x f32>) {
}

// -----

// expected-error @below {{has more elements than 64 bits can address}}
kernel.func @f(in %x: !kernel.buf<[4294967296, N, 4294967296] x f32>) dims(N in 1..4) {
}

// -----

// expected-error @below {{Expected one of 'argument', 'local', 'scratch', 'shared'}}
kernel.func @f(in %x: !kernel.buf<[2] x f32, global>) {
}

// -----

// expected-error @below {{an argument cannot live in shared memory}}
kernel.func @f(in %x: !kernel.buf<[2] x f32, shared>) {
}

// -----

// 2. Names have one range each.

// expected-error @below {{'kernel.func': !kernel.buf<[N, M] x f32> names M: not in `dims`}}
kernel.func @f(in %x: !kernel.buf<[N, M] x f32>) dims(N in 0..) {
}

// -----

// expected-error @below {{N already has a range}}
kernel.func @f(in %x: !kernel.buf<[N] x f32>) dims(N in 0.., N in 1..2) {
}

// -----

// expected-error @below {{an extent cannot be named '_0'}}
kernel.func @f(in %x: !kernel.buf<[4] x f32>) dims(_0 in 0..) {
}

// -----

// expected-error @below {{an extent cannot be named 'mod'}}
kernel.func @f(in %x: !kernel.buf<[4] x f32>) dims(mod in 0..) {
}

// -----

// expected-error @below {{the range of N is empty: N in 4..2}}
kernel.func @f(in %x: !kernel.buf<[N] x f32>) dims(N in 4..2) {
}

// -----

// expected-error @below {{'kernel.func': !kernel.buf<[N floordiv M] x f32> divides by M, which may be 0}}
kernel.func @f(in %x: !kernel.buf<[N floordiv M] x f32>) dims(N in 0.., M in 0..) {
}

// -----

kernel.func @f(in %x: !kernel.buf<[4] x f32>) dims(N in 0.., M in 1..) {
  %i = kernel.range 0 to N floordiv (M * 2 + N)
  // expected-error @below {{'kernel.range': N mod (M - 1) divides by M - 1, which may be 0}}
  %j = kernel.range 0 to N mod (M - 1)
}

// -----

// The place of an error behind a range, which is no token of MLIR's.
// expected-error @below {{a buffer cannot have an extent of -1}}
kernel.func @f(in %x: !kernel.buf<[4] x f32>) dims(N in 4..8) attributes {like = !kernel.buf<[0 - 1] x f32>} {
}

// -----

// 3. Ops of the floor and scalar arithmetic, and these nowhere else.

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{'graph.constant': has no meaning on the kernel floor}}
  %c = graph.constant dense<1.0> : tensor<4xf32>
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'arith.constant': has no meaning on vector<4xf32> on the kernel floor}}
  %c = arith.constant dense<1.0> : vector<4xf32>
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %c = arith.constant true
  // expected-error @below {{'arith.select': has no meaning on !kernel.buf<[4] x f32> on the kernel floor}}
  %s = arith.select %c, %a, %b : !kernel.buf<[4] x f32>
  %v = kernel.load %s[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x i32>) {
  // expected-error @below {{'uop.local': 'uop.local' expects ancestor op 'uop.func'}}
  %c = uop.local [4] : !uop.ptr<f32, local>
}

// -----

// expected-error @below {{'kernel.range': 'kernel.range' expects parent op 'kernel.func'}}
%i = kernel.range 0 to 4

// -----

func.func @f(%x: !kernel.buf<[4] x f32>) -> f32 {
  // expected-error @below {{'kernel.load': 'kernel.load' expects parent op 'kernel.func'}}
  %v = kernel.load %x[0]
  func.return %v : f32
}

// -----

// 4. Effects go with the modes.

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.load': loads from an `out` argument}}
  %v = kernel.load %y[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(in %y: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %y[%i]
  // expected-error @below {{'kernel.store': stores into an `in` argument}}
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  %s = kernel.stage %c[%i] over(%i) : !kernel.buf<[4] x f32, local>
  %j = kernel.range 0 to 4
  // expected-error @below {{'kernel.store': stores into a staged buffer}}
  kernel.store %c, %s[%j]
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.store': stores into an `inout` argument}}
  kernel.store %c, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{'kernel.scatter': scatters into an `out` argument}}
  kernel.scatter %c, %y[0] {kind = "add"}
}

// -----

// expected-error @below {{'kernel.func': nothing is stored into the `out` argument %y}}
kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
}

// -----

// 5. Expressions name operands and extents, one expression an axis.

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': K names K, which has no range here}}
  %i = kernel.range 0 to K
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.index': _1 + 2 names _1, which has no range here}}
  %i = "kernel.index"() <{expr = #kernel.expr<_1 + 2>}> : () -> index
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{use of undefined value %i}}
  kernel.store %c, %y[%i]
  %i = kernel.range 0 to 4
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{expected a value of type index, got f32}}
  kernel.store %c, %y[%c]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4, 4] x f32>) {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{'kernel.store': 1 indices into !kernel.buf<[4, 4] x f32>, which has 2 axes}}
  kernel.store %c, %y[0]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  // expected-error @below {{expected a buffer, got f32}}
  %v = kernel.load %c[0]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.load': a load from !kernel.buf<[4] x f32> cannot give f64}}
  %v = "kernel.load"(%x) <{indices = [#kernel.expr<0>], operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!kernel.buf<[4] x f32>) -> f64
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %g = arith.constant true
  // expected-error @below {{'kernel.load': a gate and the value where it does not hold go together}}
  %v = "kernel.load"(%x, %g) <{indices = [#kernel.expr<0>], operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!kernel.buf<[4] x f32>, i1) -> f32
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %g = arith.constant true
  %z = arith.constant 0.0 : f64
  // expected-error @below {{expected a value of type f32, got f64}}
  %v = kernel.load %x[0] if %g else %z
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %g = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  // expected-error @below {{expected a value of type i1, got i32}}
  %v = kernel.load %x[0] if %g else %z
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f64
  // expected-error @below {{'kernel.store': cannot store f64 into !kernel.buf<[4] x f32>}}
  kernel.store %v, %y[0]
}

// -----

kernel.func @f(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.reduce': no combiner 'umax' on f32; there are ['add', 'mul', 'max', 'min', 'maxnum', 'minnum']}}
  %s = kernel.reduce %v over(%i) {kind = "umax"}
  kernel.store %s, %y[]
}

// -----

kernel.func @f(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  // expected-error @below {{expected {kind = "add"} or another combiner}}
  %s = kernel.reduce %v over(%i) {kinds = "max"}
  kernel.store %s, %y[]
}

// -----

kernel.func @f(out %y: !kernel.buf<[] x f64>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.reduce': reduces f32 to f64}}
  %s = "kernel.reduce"(%v, %i) <{kind = "add"}> : (f32, index) -> f64
  kernel.store %s, %y[]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f64
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.stage': cannot stage f64 in !kernel.buf<[4] x f32, local>}}
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[4] x f32, local>
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.stage': a stage lives in local memory, not in !kernel.buf<[4] x f32>}}
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[4] x f32>
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) dims(N in 0..8) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to N
  // expected-error @below {{'kernel.stage': a stage needs constant extents, not !kernel.buf<[N] x f32, local>}}
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[N] x f32, local>
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 4
  %v = kernel.load %x[%j]
  // expected-error @below {{'kernel.stage': what is scaled is a sum along one range}}
  %s = kernel.stage %v[%j] over(%j) accumulating(%k) scaled(%v) {kind = "max"} : !kernel.buf<[4] x f32, local>
  %w = kernel.load %s[%i]
  kernel.store %w, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>, in %z: !kernel.buf<[4] x f64>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 4
  %v = kernel.load %x[%j]
  %a = kernel.load %z[%k]
  // expected-error @below {{'kernel.stage': scales f32 by f64}}
  %s = kernel.stage %v[%j] over(%j) accumulating(%k) scaled(%a) {kind = "add"} : !kernel.buf<[4] x f32, local>
  %w = kernel.load %s[%i]
  kernel.store %w, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 4 unroll
  %v = kernel.load %x[%j]
  %a = kernel.load %x[%k]
  // expected-error @below {{'kernel.stage': scales along a range of kind `unroll`, not in order}}
  %s = kernel.stage %v[%j] over(%j) accumulating(%k) scaled(%a) {kind = "add"} : !kernel.buf<[4] x f32, local>
  %w = kernel.load %s[%i]
  kernel.store %w, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{expected a buffer type, got f32}}
  %s = kernel.stage %v[%i] over(%i) : f32
}

// -----

// 6. Ranges are what is closed, none twice.

kernel.func @f(out %y: !kernel.buf<[] x f32>) {
  %v = arith.constant 0.0 : f32
  // expected-error @below {{'kernel.reduce': closes no range}}
  %s = kernel.reduce %v over() {kind = "add"}
  kernel.store %s, %y[]
}

// -----

kernel.func @f(out %y: !kernel.buf<[] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.index %i + 1
  // expected-error @below {{'kernel.reduce': only the results of kernel.range can be closed}}
  %s = kernel.reduce %v over(%j) {kind = "add"}
  kernel.store %s, %y[]
}

// -----

kernel.func @f(out %y: !kernel.buf<[] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.reduce': closes a range twice}}
  %s = kernel.reduce %v over(%i, %i) {kind = "add"}
  kernel.store %s, %y[]
}

// -----

// 7. A store or stage tells the iterations apart.

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 3] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 3
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.store': several iterations of %j may write one element: the indices do not tell them apart}}
  kernel.store %v, %y[%i]
}

// -----

// A quotient tells only some iterations apart, and two of them may hide behind each other.
kernel.func @f(out %y: !kernel.buf<[8, 8] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 4
  // expected-error @below {{'kernel.store': several iterations of %i, %j may write one element}}
  kernel.store %v, %y[%j + %i floordiv 2, %i + %j floordiv 2]
}

// -----

// 4 * 1 + 0 is 4 * 0 + 4
kernel.func @f(out %y: !kernel.buf<[20] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 5
  // expected-error @below {{'kernel.store': several iterations of %i, %j may write one element}}
  kernel.store %v, %y[%i * 4 + %j]
}

// -----

// The inner range has four iterations, but starts where the outer one stands: 3i - t.
kernel.func @f(out %y: !kernel.buf<[20] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range %i to %i + 4
  // expected-error @below {{'kernel.store': several iterations of %i, %j may write one element}}
  kernel.store %v, %y[%i * 4 - %j]
}

// -----

// N may be 0
kernel.func @f(out %y: !kernel.buf<[N * 4 + 1] x f32>) dims(N in 0..) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.store': several iterations of %i may write one element}}
  kernel.store %v, %y[%i * N]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x i32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %k = kernel.load %x[%i]
  %at = arith.index_cast %k : i32 to index
  // expected-error @below {{'kernel.store': several iterations of %i may write one element}}
  kernel.store %v, %y[%at]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 2
  // expected-error @below {{'kernel.stage': several iterations of %j may write one element}}
  %s = kernel.stage %v[%i] over(%i, %j) : !kernel.buf<[4] x f32, local>
  kernel.store %v, %y[0]
}

// -----

// A scatter is over all that it depends on, and stands in no other loop.

kernel.func @f(inout %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 5
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.scatter': depends on %j, which it is not over}}
  kernel.scatter %v, %y[%i] over(%i) {kind = "add"}
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4, 5] x f32>) {
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 5
  kernel.store %one, %z[%i, %j]
  // expected-error @below {{'kernel.scatter': stands in the loop of %i, which it is not over}}
  kernel.scatter %one, %y[0] over(%j) {kind = "add"}
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>) {
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  %k = kernel.index %i + 1
  // expected-error @below {{'kernel.scatter': only the results of kernel.range can be scattered over}}
  kernel.scatter %one, %y[0] over(%k) {kind = "add"}
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>) {
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.scatter': scatters over a range twice}}
  kernel.scatter %one, %y[0] over(%i, %i) {kind = "add"}
}

// -----

// 9. Constant indices are in bounds.

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  // expected-error @below {{'kernel.store': index 4 is out of bounds of !kernel.buf<[4] x f32>}}
  kernel.store %v, %y[4]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 4..8) {
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.load': index -1 is out of bounds of !kernel.buf<[N] x f32>}}
  %v = kernel.load %x[%i - %i - 1]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 1
  // expected-error @below {{'kernel.stage': index 7 is out of bounds of !kernel.buf<[2, 7] x f32, local>}}
  %s = kernel.stage %v[%i, 7] over(%i) : !kernel.buf<[2, 7] x f32, local>
  kernel.store %v, %y[0]
}

// -----

// What is written in place is read at the same indices, once, and needed by what is written.
kernel.func @f(inout %y: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.load': loads from an `inout` argument}}
  %v = kernel.load %y[3 - %i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
  %c = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.load': loads from an `inout` argument}}
  %v = kernel.load %y[%i]
  kernel.store %c, %y[%i]
  kernel.store %v, %z[%i]
}

// -----

kernel.func @f(inout %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[8, 4] x f32>) {
  %k = kernel.range 0 to 8
  %i = kernel.range 0 to 4
  // expected-error @below {{'kernel.load': loads from an `inout` argument}}
  %v = kernel.load %y[%i]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%i]
  kernel.store %v, %z[%k, %i]
}

// -----

// Where the gate of the store does not hold, the element may be another iteration's.
kernel.func @f(inout %y: !kernel.buf<[8] x f32>, out %z: !kernel.buf<[2, 8] x f32>) {
  %j = kernel.range 0 to 2 unroll
  %i = kernel.range 0 to 8 unroll
  %c4 = kernel.index 4
  %g = arith.cmpi slt, %i, %c4 : index
  // expected-error @below {{'kernel.load': loads from an `inout` argument}}
  %v = kernel.load %y[%j * 4 + %i]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%j * 4 + %i] if %g
  kernel.store %v, %z[%j, %i]
}

// -----

kernel.func @f(inout %y: !kernel.buf<[8] x f32>, out %z: !kernel.buf<[2, 8] x f32>) {
  %j = kernel.range 0 to 2 unroll
  %i = kernel.range 0 to 8 unroll
  %c4 = kernel.index 4
  %zero = arith.constant 0.0 : f32
  %g = arith.cmpi slt, %i, %c4 : index
  %v = kernel.load %y[%j * 4 + %i] if %g else %zero
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%j * 4 + %i] if %g
  kernel.store %v, %z[%j, %i]
}
