// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// Every op and attribute of the program level: in its own form, and through the generic one.

kernel.func @fill(out %y: !kernel.buf<[N, 4] x f32>) dims(N in 0..) {
  %v = arith.constant 0.0 : f32
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 4
  kernel.store %v, %y[%i, %j]
}

uop.func @add(out %y: !uop.ptr<f32>, in %a: !uop.ptr<f32>, in %b: !uop.ptr<i8>) {
}

// CHECK-LABEL: program.func @main(in %x: !kernel.buf<[N, 4] x f32>, out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) attributes {program.names = ["x", "y"]} {
// CHECK-NEXT:    %c = program.constant dense<[1, -2]> : tensor<2xi8>
// CHECK-NEXT:    %t = program.alloc : !kernel.buf<[N, 4] x f32>
// CHECK-NEXT:    program.launch @fill(%t)
// CHECK-NEXT:    program.launch @add(%y, %t, %c)
// CHECK-NEXT:  }
program.func @main(in %x: !kernel.buf<[N, 4] x f32>, out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) attributes {program.names = ["x", "y"]} {
  %c = program.constant dense<[1, -2]> : tensor<2xi8>
  %t = program.alloc : !kernel.buf<[N, 4] x f32>
  program.launch @fill(%t)
  program.launch @add(%y, %t, %c)
}

// CHECK-LABEL: program.func @planned(out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) arena(N * 16 + 64) {
// CHECK-NEXT:    %t = program.alloc at 64 : !kernel.buf<[N, 4] x f32>
program.func @planned(out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) arena(64 + N * 16) {
  %t = program.alloc at 64 : !kernel.buf<[N, 4] x f32>
  program.launch @fill(%t)
  program.launch @fill(%y)
}

// A kernel on the machine floor of a GPU: what is dispatched says what it needs.
llvm.func @copy(%y: !llvm.ptr, %x: !llvm.ptr, %N: i64) attributes {nvvm.kernel} {
  llvm.return
}
// CHECK-LABEL: program.func @dispatches
// CHECK-NEXT:    program.dispatch @copy(out %{{.*}}, in %{{.*}}) dims [N] grid [(N + 63) floordiv 64, 2] block [64, 1]
program.func @dispatches(in %x: !kernel.buf<[N, 4] x f32>, out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) {
  program.dispatch @copy(out %y, in %x) dims [N] grid [(N + 63) floordiv 64, 2] block [64, 1]
}

// An output may be read once it has been written; one without elements need not be written.
// CHECK-LABEL: program.func @outputs
program.func @outputs(in %b: !kernel.buf<[4] x i8>, out %y: !kernel.buf<[N, 4] x f32>, out %z: !kernel.buf<[N, 4] x f32>, out %e: !kernel.buf<[N, 0] x f32>) dims(N in 1..64) {
  program.launch @fill(%y)
  program.launch @add(%z, %y, %b)
}

// An output that shows a part of an input.
// CHECK-LABEL: program.func @shows
// CHECK-NEXT:    program.view %y{{.*}} of %x{{.*}} at N * 4
program.func @shows(in %x: !kernel.buf<[N, 8] x f32>, out %y: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) {
  program.view %y of %x at 4 * N
}
