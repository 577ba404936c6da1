// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Floats go along with integers that compare as they do. What is not asked for does not go along.
func.func @values(%x: tensor<?x9xf32, #graph.dims<[N, 9]>>) -> tensor<?x9xf32, #graph.dims<[N, 9]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %i = graph.iota axis 1 : tensor<?x9xi32, #graph.dims<[N, 9]>>
  %0, %1 = graph.sort(%x, %i) keys 1 axis 1
  func.return %0 : tensor<?x9xf32, #graph.dims<[N, 9]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sort(out %out: !kernel.buf<[N, 9] x f32>, in %x: !kernel.buf<[N, 9] x f32>, scratch %scratch: !kernel.buf<[N, 2, 9] x i32>, scratch %scratch_1: !kernel.buf<[N, 2, 9] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %j = kernel.range 0 to 9
// CHECK-NEXT:     %0 = kernel.load %x[%i, %j]
// CHECK-NEXT:     %1 = arith.bitcast %0 : f32 to i32
// CHECK-NEXT:     %2 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %3 = arith.constant 0 : i32
// CHECK-NEXT:     %4 = arith.cmpi slt, %1, %3 : i32
// CHECK-NEXT:     %5 = arith.xori %1, %2 : i32
// CHECK-NEXT:     %6 = arith.select %4, %5, %1 : i32
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %8 = arith.cmpf oeq, %0, %7 : f32
// CHECK-NEXT:     %9 = arith.select %8, %3, %6 : i32
// CHECK-NEXT:     %10 = arith.cmpf uno, %0, %0 : f32
// CHECK-NEXT:     %11 = arith.select %10, %2, %9 : i32
// CHECK-NEXT:     %sorted, %sorted_1 = kernel.sort(%11, %0) by [slt] over(%j) in(%scratch, %scratch_1)[%i]
// CHECK-NEXT:     %k = kernel.range 0 to 9
// CHECK-NEXT:     %12 = kernel.load %sorted_1[%k]
// CHECK-NEXT:     kernel.store %12, %out[%i, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @values(in %x: !kernel.buf<[N, 9] x f32>, out %output: !kernel.buf<[N, 9] x f32>) dims(N in 1..) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     %scratch = program.alloc : !kernel.buf<[N, 2, 9] x i32>
// CHECK-NEXT:     %scratch_1 = program.alloc : !kernel.buf<[N, 2, 9] x f32>
// CHECK-NEXT:     program.launch @sort(%output, %x, %scratch, %scratch_1)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Both results by one launch; the axis is the innermost loop; what is sorted is computed there.
func.func @top(%x: tensor<9x4xi8>) -> (tensor<3x4xi8>, tensor<3x4xi32>) {
  %i = graph.iota axis 0 : tensor<9x4xi32>
  %n = graph.neg %x : tensor<9x4xi8>
  %0, %1 = graph.sort(%n, %i) keys 1 axis 0 descending first 3
  func.return %0, %1 : tensor<3x4xi8>, tensor<3x4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg_sort(out %out: !kernel.buf<[3, 4] x i8>, out %out_1: !kernel.buf<[3, 4] x i32>, in %x: !kernel.buf<[9, 4] x i8>, scratch %scratch: !kernel.buf<[4, 2, 9] x i8>, scratch %scratch_1: !kernel.buf<[4, 2, 9] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %j = kernel.range 0 to 9
// CHECK-NEXT:     %0 = kernel.load %x[%j, %i]
// CHECK-NEXT:     %1 = arith.constant 0 : i8
// CHECK-NEXT:     %2 = arith.subi %1, %0 : i8
// CHECK-NEXT:     %3 = arith.index_cast %j : index to i64
// CHECK-NEXT:     %4 = arith.trunci %3 : i64 to i32
// CHECK-NEXT:     %sorted, %sorted_1 = kernel.sort(%2, %4) by [sgt] over(%j) in(%scratch, %scratch_1)[%i] first 3
// CHECK-NEXT:     %k = kernel.range 0 to 3
// CHECK-NEXT:     %5 = kernel.load %sorted[%k]
// CHECK-NEXT:     %6 = kernel.load %sorted_1[%k]
// CHECK-NEXT:     kernel.store %5, %out[%k, %i]
// CHECK-NEXT:     kernel.store %6, %out_1[%k, %i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @top(in %x: !kernel.buf<[9, 4] x i8>, out %output0: !kernel.buf<[3, 4] x i8>, out %output1: !kernel.buf<[3, 4] x i32>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     %scratch = program.alloc : !kernel.buf<[4, 2, 9] x i8>
// CHECK-NEXT:     %scratch_1 = program.alloc : !kernel.buf<[4, 2, 9] x i32>
// CHECK-NEXT:     program.launch @neg_sort(%output0, %output1, %x, %scratch, %scratch_1)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Booleans are unsigned; a second key decides where the first are equal.
func.func @two_keys(%a: tensor<9xi1>, %b: tensor<9xui8>) -> tensor<9xui8> {
  %0, %1 = graph.sort(%a, %b) keys 2 axis 0
  func.return %1 : tensor<9xui8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sort(out %out: !kernel.buf<[9] x i8>, in %a: !kernel.buf<[9] x i1>, in %b: !kernel.buf<[9] x i8>, scratch %scratch: !kernel.buf<[2, 9] x i1>, scratch %scratch_1: !kernel.buf<[2, 9] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 9
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %sorted, %sorted_1 = kernel.sort(%0, %1) by [ult, ult] over(%i) in(%scratch, %scratch_1)[]
// CHECK-NEXT:     %j = kernel.range 0 to 9
// CHECK-NEXT:     %2 = kernel.load %sorted_1[%j]
// CHECK-NEXT:     kernel.store %2, %out[%j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_keys(in %a: !kernel.buf<[9] x i1>, in %b: !kernel.buf<[9] x i8>, out %output: !kernel.buf<[9] x i8>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     %scratch = program.alloc : !kernel.buf<[2, 9] x i1>
// CHECK-NEXT:     %scratch_1 = program.alloc : !kernel.buf<[2, 9] x i8>
// CHECK-NEXT:     program.launch @sort(%output, %a, %b, %scratch, %scratch_1)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// One element is in order.
func.func @one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = graph.sort(%x) keys 1 axis 1
  func.return %0 : tensor<4x1xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sort(out %out: !kernel.buf<[4, 1] x f32>, in %x: !kernel.buf<[4, 1] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i, 0]
// CHECK-NEXT:     kernel.store %0, %out[%i, 0]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @one(in %x: !kernel.buf<[4, 1] x f32>, out %output: !kernel.buf<[4, 1] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @sort(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
