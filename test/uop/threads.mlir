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
