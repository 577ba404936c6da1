// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// What a grid of blocks of threads has: ids, memory that a block shares, barriers.

// CHECK-LABEL: uop.func @turn(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) grid [N, 2] block [64, 2] {
// CHECK-NEXT:    %b = uop.special grid.y
// CHECK-NEXT:    %t = uop.special thread.x
// CHECK-NEXT:    %s = uop.local [64] : !uop.ptr<f32, shared>
// CHECK-NEXT:    %v = uop.load %x[%t] : f32
// CHECK-NEXT:    uop.store %v, %s[%t]
// CHECK-NEXT:    uop.barrier
uop.func @turn(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) grid [N, 2] block [64, 2] {
  %b = uop.special grid.y
  %t = uop.special thread.x
  %s = uop.local [64] : !uop.ptr<f32, shared>
  %v = uop.load %x[%t] : f32
  uop.store %v, %s[%t]
  uop.barrier
}

// A matrix instruction of a warp.
// CHECK-LABEL: uop.func @product
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = uop.mma (%h, %h, %h, %h) (%h, %h) (%z, %z, %z, %z) {shape = "m16n8k8", type = "f16"}
uop.func @product(out %y: !uop.ptr<f32>) grid [1] block [32] {
  %h = arith.constant 1.0 : f16
  %z = arith.constant 0.0 : f32
  %d0, %d1, %d2, %d3 = uop.mma (%h, %h, %h, %h) (%h, %h) (%z, %z, %z, %z) {shape = "m16n8k8", type = "f16"}
}

// Functions that are approximated.
// CHECK-LABEL: uop.func @functions
// CHECK:      %a = uop.approximate exp2 %v : f32
// CHECK-NEXT: %b = uop.approximate reciprocal %a : f32
// CHECK-NEXT: %c = uop.approximate rsqrt %w : vector<4xf32>
// CHECK-NEXT: %d = uop.approximate gradual_exp2 %v : f32
// CHECK-NEXT: %e = uop.saturated_fma %v, %a, %b : f32
// CHECK-NEXT: %f = uop.saturated_fma %w, %c, %w : vector<4xf32>
uop.func @functions(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %v = uop.load %x[%zero] : f32
  %w = uop.load %x[%zero] : vector<4xf32>
  %a = uop.approximate exp2 %v : f32
  %b = uop.approximate reciprocal %a : f32
  %c = uop.approximate rsqrt %w : vector<4xf32>
  %d = uop.approximate gradual_exp2 %v : f32
  %e = uop.saturated_fma %v, %a, %b : f32
  %f = uop.saturated_fma %w, %c, %w : vector<4xf32>
  uop.store %b, %y[%zero]
  uop.store %c, %y[%zero]
}

// Copies that are not waited for at once, rows of matrices, values of other lanes.
// CHECK-LABEL: uop.func @together
// CHECK:      uop.copy_async %x[%t], %s[%t] if %more : 2 x f16
// CHECK-NEXT: uop.copy_async %x[%t], %s[%t] : 8 x f16
// CHECK-NEXT: uop.commit_copies
// CHECK-NEXT: uop.wait_copies 1
// CHECK:      %m, %m_1 = uop.load_matrix %s[%t] : 2 x f16
// CHECK-NEXT: %n, %n_1, %n_2, %n_3 = uop.load_matrix %s[%t] transposed : 4 x f16
// CHECK-NEXT: %v = uop.shuffle %m xor 16
uop.func @together(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) grid [1] block [32] {
  %t = uop.special thread.x
  %more = arith.constant true
  %s = uop.local [256] : !uop.ptr<f16, shared>
  uop.copy_async %x[%t], %s[%t] if %more : 2 x f16
  uop.copy_async %x[%t], %s[%t] : 8 x f16
  uop.commit_copies
  uop.wait_copies 1
  uop.barrier
  %m, %m_1 = uop.load_matrix %s[%t] : 2 x f16
  %n, %n_1, %n_2, %n_3 = uop.load_matrix %s[%t] transposed : 4 x f16
  %v = uop.shuffle %m xor 16
  uop.store %v, %y[%t]
}
