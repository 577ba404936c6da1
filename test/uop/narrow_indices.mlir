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

// Addresses: what all terms are multiples of is multiplied last, and constants are added then.
uop.func @addresses(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [8] block [128] {
  %row = uop.special grid.x
  %thread = uop.special thread.x
  %c1024 = arith.constant 1024 : index
  %c512 = arith.constant 512 : index
  %c4 = arith.constant 4 : index
  %start = arith.muli %row, %c1024 : index
  %some = arith.muli %thread, %c4 : index
  %i = arith.addi %start, %some : index
  %j = arith.addi %i, %c512 : index
  %v = uop.load %x[%i] : f32
  uop.store %v, %y[%j]
}

// Not where what would be divided is needed as it is.
uop.func @needed(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [8] block [128] {
  %row = uop.special grid.x
  %thread = uop.special thread.x
  %c1024 = arith.constant 1024 : index
  %c500 = arith.constant 500 : index
  %c4 = arith.constant 4 : index
  %start = arith.muli %row, %c1024 : index
  %some = arith.muli %thread, %c4 : index
  %inside = arith.cmpi slt, %some, %c500 : index
  %i = arith.addi %start, %some : index
  %zero = arith.constant 0.0 : f32
  uop.store %zero, %y[%i] if %inside
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
// CHECK-NEXT:   uop.func @addresses(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [8] block [128] {
// CHECK-NEXT:     %row = uop.special grid.x
// CHECK-NEXT:     %row_1 = arith.index_cast %row : index to i32
// CHECK-NEXT:     %thread = uop.special thread.x
// CHECK-NEXT:     %thread_1 = arith.index_cast %thread : index to i32
// CHECK-NEXT:     %0 = arith.constant 256 : i32
// CHECK-NEXT:     %1 = arith.muli %row_1, %0 overflow<nsw> : i32
// CHECK-NEXT:     %2 = arith.addi %1, %thread_1 overflow<nsw> : i32
// CHECK-NEXT:     %3 = arith.index_cast %2 : i32 to index
// CHECK-NEXT:     %4 = arith.constant 4 : index
// CHECK-NEXT:     %i = arith.muli %3, %4 : index
// CHECK-NEXT:     %5 = arith.constant 512 : index
// CHECK-NEXT:     %j = arith.addi %i, %5 : index
// CHECK-NEXT:     %v = uop.load %x[%i] : f32
// CHECK-NEXT:     uop.store %v, %y[%j]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @needed(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [8] block [128] {
// CHECK-NEXT:     %row = uop.special grid.x
// CHECK-NEXT:     %row_1 = arith.index_cast %row : index to i32
// CHECK-NEXT:     %thread = uop.special thread.x
// CHECK-NEXT:     %thread_1 = arith.index_cast %thread : index to i32
// CHECK-NEXT:     %c1024 = arith.constant 1024 : i32
// CHECK-NEXT:     %c500 = arith.constant 500 : i32
// CHECK-NEXT:     %c4 = arith.constant 4 : i32
// CHECK-NEXT:     %start = arith.muli %row_1, %c1024 overflow<nsw> : i32
// CHECK-NEXT:     %some = arith.muli %thread_1, %c4 overflow<nsw> : i32
// CHECK-NEXT:     %inside = arith.cmpi slt, %some, %c500 : i32
// CHECK-NEXT:     %i = arith.addi %start, %some overflow<nsw> : i32
// CHECK-NEXT:     %i_1 = arith.index_cast %i : i32 to index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     uop.store %zero, %y[%i_1] if %inside
// CHECK-NEXT:   }
// CHECK-NEXT: }
