// RUN: teeny-opt %s -p narrow-indices,cse | FileCheck %s

// An id, an extent with a maximum and the counter of a loop fit, and what is computed of them.
uop.func @rows(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..1000) grid [N] block [32] {
  %row = uop.special grid.x
  %thread = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %start = arith.muli %row, %c32 : index
  %at = arith.addi %start, %thread : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> (f32) {
    %far = arith.muli %k, %c32 : index
    %i = arith.addi %far, %thread : index
    %v = uop.load %x[%i] : f32
    %w = arith.addf %sum, %v : f32
    scf.yield %w : f32
  }
  %inside = arith.cmpi slt, %at, %N : index
  %half = arith.divui %at, %c32 : index
  uop.store %s, %y[%half] if %inside
}

// An extent without a maximum, a product beyond 32 bits and an index that is data stay.
uop.func @large(out %y: !uop.ptr<f32>, in %x: !uop.ptr<i64>) dims(%N: N in 1.., %M: M in 1..100000) {
  %c1 = arith.constant 1 : index
  %more = arith.addi %N, %c1 : index
  %square = arith.muli %M, %M : index
  %data = uop.load %x[%square] : i64
  %far = arith.index_cast %data : i64 to index
  %next = arith.addi %far, %c1 : index
  %zero = arith.constant 0.0 : f32
  uop.store %zero, %y[%next]
  uop.store %zero, %y[%more]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @rows(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..1000) grid [N] block [32] {
// CHECK-NEXT:     %N_1 = arith.index_cast %N : index to i32
// CHECK-NEXT:     %row = uop.special grid.x
// CHECK-NEXT:     %row_1 = arith.index_cast %row : index to i32
// CHECK-NEXT:     %thread = uop.special thread.x
// CHECK-NEXT:     %thread_1 = arith.index_cast %thread : index to i32
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c32 = arith.constant 32 : index
// CHECK-NEXT:     %c32_1 = arith.constant 32 : i32
// CHECK-NEXT:     %start = arith.muli %row_1, %c32_1 overflow<nsw> : i32
// CHECK-NEXT:     %at = arith.addi %start, %thread_1 overflow<nsw> : i32
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %s = scf.for %k = %c0 to %N step %c1 iter_args(%sum = %zero) -> (f32) {
// CHECK-NEXT:       %far = arith.muli %k, %c32 : index
// CHECK-NEXT:       %i = arith.addi %far, %thread : index
// CHECK-NEXT:       %v = uop.load %x[%i] : f32
// CHECK-NEXT:       %w = arith.addf %sum, %v : f32
// CHECK-NEXT:       scf.yield %w : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %inside = arith.cmpi slt, %at, %N_1 : i32
// CHECK-NEXT:     %half = arith.divui %at, %c32_1 : i32
// CHECK-NEXT:     %half_1 = arith.index_cast %half : i32 to index
// CHECK-NEXT:     uop.store %s, %y[%half_1] if %inside
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @large(out %y: !uop.ptr<f32>, in %x: !uop.ptr<i64>) dims(%N: N in 1.., %M: M in 1..100000) {
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %more = arith.addi %N, %c1 : index
// CHECK-NEXT:     %square = arith.muli %M, %M : index
// CHECK-NEXT:     %data = uop.load %x[%square] : i64
// CHECK-NEXT:     %far = arith.index_cast %data : i64 to index
// CHECK-NEXT:     %next = arith.addi %far, %c1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     uop.store %zero, %y[%next]
// CHECK-NEXT:     uop.store %zero, %y[%more]
// CHECK-NEXT:   }
// CHECK-NEXT: }
