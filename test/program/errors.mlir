// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier of the program level refuses, in the order of the invariants in `program.py`.

// 1. Buffers with a mode, names with a range.

// expected-error @below {{'program.func': 1 modes for 0 buffers}}
"program.func"() <{sym_name = "main", modes = ["in"], dims = #kernel.dims<>}> ({
^bb0:
}) : () -> ()

// -----

// expected-error @below {{'program.func': a buffer's mode is one of in, out, not 'inout'}}
"program.func"() <{sym_name = "main", modes = ["inout"], dims = #kernel.dims<>}> ({
^bb0(%x: !kernel.buf<[4] x f32>):
}) : () -> ()

// -----

// expected-error @below {{'program.func': expected a buffer in argument space, not tensor<4xf32>}}
program.func @main(in %x: tensor<4xf32>) {
}

// -----

// expected-error @below {{'program.func': expected a buffer in argument space, not !kernel.buf<[4] x f32, local>}}
program.func @main(in %x: !kernel.buf<[4] x f32, local>) {
}

// -----

// expected-error @below {{'program.func': !kernel.buf<[N] x f32> names N: not in `dims`}}
program.func @main(in %x: !kernel.buf<[N] x f32>) dims(M in 0..) {
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.alloc': !kernel.buf<[N] x f32> names N: not in `dims`}}
  %t = program.alloc : !kernel.buf<[N] x f32>
}

// -----

// expected-error @below {{'program.func': the arena, N * 4, names N: not in `dims`}}
program.func @main(in %x: !kernel.buf<[4] x f32>) arena(N * 4) {
}

// -----

// expected-error @below {{'program.func': the arena is negative: -4}}
program.func @main(in %x: !kernel.buf<[4] x f32>) arena(4 - 8) {
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) arena(64) {
  // expected-error @below {{'program.alloc': the offset, N, names N: not in `dims`}}
  %t = program.alloc at N : !kernel.buf<[4] x f32>
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) arena(64) {
  // expected-error @below {{'program.alloc': the offset is negative: -8}}
  %t = program.alloc at -8 : !kernel.buf<[4] x f32>
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) dims(N in 0..) {
  // expected-error @below {{'program.alloc': !kernel.buf<[16 mod N] x f32> divides by N, which may be 0}}
  %t = program.alloc : !kernel.buf<[16 mod N] x f32>
}

// -----

// 2. Allocations, constants and launches, and these nowhere else.

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'arith.constant': has no meaning on the program level}}
  %c = arith.constant 1 : i32
}

// -----

// expected-error @below {{'program.alloc': 'program.alloc' expects parent op 'program.func'}}
%t = program.alloc : !kernel.buf<[4] x f32>

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{expected dense elements, got 4 : i32}}
  %c = program.constant 4 : i32
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.constant': contents of type tensor<2xi8> do not fill !kernel.buf<[3] x i8>}}
  %c = "program.constant"() <{data = dense<[1, 2]> : tensor<2xi8>}> : () -> !kernel.buf<[3] x i8>
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{an element is one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, f4E2M1FN, f8E4M3FNUZ, f8E5M2FNUZ, f8E4M3B11FNUZ, f8E8M0FNU, not ui8}}
  %c = program.constant dense<[1, 2]> : tensor<2xui8>
}

// -----

// 3. Launches suit their kernels.

program.func @main(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': there is no kernel @missing in this module}}
  program.launch @missing(%y)
}

// -----

func.func @host() {
  func.return
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': there is no kernel @host in this module}}
  program.launch @host(%y)
}

// -----

uop.func @k(out %y: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': @k takes 1 buffers, not 2}}
  program.launch @k(%y, %x)
}

// -----

uop.func @k(out %y: !uop.ptr<f32>) {
}
program.func @main(out %y: !kernel.buf<[4] x f64>) {
  // expected-error @below {{'program.launch': argument 0 of @k is !uop.ptr<f32>, not !kernel.buf<[4] x f64>}}
  program.launch @k(%y)
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to 4
  kernel.store %v, %y[%i]
}
program.func @main(out %y: !kernel.buf<[5] x f32>) {
  // expected-error @below {{'program.launch': argument 0 of @k is !kernel.buf<[4] x f32>, not !kernel.buf<[5] x f32>}}
  program.launch @k(%y)
}

// -----

// The kernel is to be right in itself, wherever it stands.
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': @k takes 0 buffers, not 1}}
  program.launch @k(%y)
}
// expected-error @below {{'uop.func': 1 buffers and 0 extents, but 0 arguments}}
"uop.func"() <{sym_name = "k", modes = ["out"], dims = #kernel.dims<>}> ({
^bb0:
}) : () -> ()

// -----

uop.func @k(out %y: !uop.ptr<f32>) dims(%N: N in 0..) {
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': @k needs N: not in `dims`}}
  program.launch @k(%y)
}

// -----

uop.func @k(out %y: !uop.ptr<f32>) dims(%N: N in 0..64 step 8) {
}
program.func @main(out %y: !kernel.buf<[N] x f32>) dims(N in 0..64) {
  // expected-error @below {{'program.launch': @k takes N in 0..64 step 8, the program allows N in 0..64}}
  program.launch @k(%y)
}

// -----

uop.func @k(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  // expected-error @below {{'program.launch': @k writes %t and is handed it twice}}
  program.launch @k(%t, %t)
}

// -----

// 4. Writes come before reads.

uop.func @k(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
  program.launch @k(%y, %t)
}

// -----

uop.func @k(out %y: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': writes an input or a constant}}
  program.launch @k(%x)
}

// -----

uop.func @k(inout %y: !uop.ptr<f32>) {
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
  program.launch @k(%y)
}

// -----

uop.func @k(inout %y: !uop.ptr<f32>) {
}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
  %c = program.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{'program.launch': writes an input or a constant}}
  program.launch @k(%c)
}

// -----

// 5. Every output is written.

// expected-error @below {{'program.func': nothing writes %y, an output of the program}}
program.func @main(out %y: !kernel.buf<[4] x f32>) {
}

// -----

// 6. Offsets and arenas go together.

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.alloc': offsets of allocations and an arena go together}}
  %t = program.alloc at 0 : !kernel.buf<[4] x f32>
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) arena(64) {
  // expected-error @below {{'program.alloc': offsets of allocations and an arena go together}}
  %t = program.alloc : !kernel.buf<[4] x f32>
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{there is no kernel @nowhere in this module}}
  program.dispatch @nowhere(out %y, in %x) dims [] grid [1] block [4]
}

// -----

llvm.func @copy(%y: !llvm.ptr, %x: !llvm.ptr) {
  llvm.return
}
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{names N: not in `dims` of the program}}
  program.dispatch @copy(out %y, in %x) dims [] grid [N] block [4]
}

// -----

llvm.func @copy(%y: !llvm.ptr, %x: !llvm.ptr) {
  llvm.return
}
program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{writes an input or a constant}}
  program.dispatch @copy(out %x, in %y) dims [] grid [1] block [4]
}

// -----

kernel.func @sort(out %y: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x i32>, scratch %s: !kernel.buf<[2, 4] x i32>) {
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%j]
  %t = kernel.sort(%v) by [slt] over(%j) in(%s)[]
  %k = kernel.range 0 to 4
  %e = kernel.load %t[%k]
  kernel.store %e, %y[%k]
}
kernel.func @fill(out %y: !kernel.buf<[2, 4] x i32>) {
  %i = kernel.range 0 to 2
  %j = kernel.range 0 to 4
  %one = arith.constant 1 : i32
  kernel.store %one, %y[%i, %j]
}
kernel.func @copy(out %y: !kernel.buf<[2, 4] x i32>, in %x: !kernel.buf<[2, 4] x i32>) {
  %i = kernel.range 0 to 2
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}
program.func @worked_in(in %x: !kernel.buf<[4] x i32>, out %y: !kernel.buf<[4] x i32>, out %z: !kernel.buf<[2, 4] x i32>) {
  %s = program.alloc : !kernel.buf<[2, 4] x i32>
  program.launch @fill(%s)
  program.launch @sort(%y, %x, %s)
  // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
  program.launch @copy(%z, %s)
}

// -----

kernel.func @sort(out %y: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x i32>, scratch %s: !kernel.buf<[2, 4] x i32>) {
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%j]
  %t = kernel.sort(%v) by [slt] over(%j) in(%s)[]
  %k = kernel.range 0 to 4
  %e = kernel.load %t[%k]
  kernel.store %e, %y[%k]
}
program.func @input_worked_in(in %x: !kernel.buf<[4] x i32>, in %s: !kernel.buf<[2, 4] x i32>, out %y: !kernel.buf<[4] x i32>) {
  // expected-error @below {{'program.launch': writes an input or a constant}}
  program.launch @sort(%y, %x, %s)
}

// -----

// A view shows an output as part of an input, and is all that writes it.

program.func @main(in %x: !kernel.buf<[4] x f32>, in %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.view': a view shows an output of the program as part of an input}}
  program.view %y of %x at 0
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x i32>) {
  // expected-error @below {{'program.view': !kernel.buf<[4] x f32> holds no i32 to show}}
  program.view %y of %x at 0
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.view': !kernel.buf<[4] x f32> at 1 does not lie inside !kernel.buf<[4] x f32>}}
  program.view %y of %x at 1
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  // expected-error @below {{the offset, M, names M: not in `dims`}}
  program.view %y of %x at M
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>) {
  program.view %y of %x at 0
  // expected-error @below {{shows an output that is written too}}
  program.view %y of %x at 0
}

// -----

// A caller hands over inputs, then outputs.
uop.func @k(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
// expected-error @below {{'program.func': the inputs of a program stand before its outputs}}
program.func @main(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  program.launch @k(%y, %x)
}
