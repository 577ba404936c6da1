// RUN: teeny-translate %s --to=c | FileCheck %s

// Vectors are arrays, and their ops loops over lanes, which compilers know how to vectorise.
uop.func @axpy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, out %s: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : vector<4xf32>
  %table = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %a = uop.load %x[%c0] : vector<4xf32>
  %b = vector.fma %a, %two, %table : vector<4xf32>
  %c = vector.shuffle %b, %a [0, 4, 1, 5] : vector<4xf32>, vector<4xf32>
  uop.store %c, %y[%c0]
  %sum = vector.reduction <add>, %c : vector<4xf32> into f32
  uop.store %sum, %s[%c0]
}

// CHECK:      #include <math.h>
// CHECK-NEXT: #include <stdbool.h>
// CHECK-NEXT: #include <stdint.h>
// CHECK-NEXT: #include <string.h>
// CHECK-EMPTY:
// CHECK-NEXT: #ifdef __clang__
// CHECK-NEXT: #pragma STDC FP_CONTRACT OFF
// CHECK-NEXT: #endif
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @axpy, from vectors.mlir:4 */
// CHECK-NEXT: void axpy(float *restrict y, const float *restrict x, float *restrict s) {
// CHECK-NEXT:     const float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
// CHECK-NEXT:     float a[4];
// CHECK-NEXT:     for (int lane = 0; lane < 4; ++lane) a[lane] = x[lane];
// CHECK-NEXT:     float b[4];
// CHECK-NEXT:     for (int lane = 0; lane < 4; ++lane) b[lane] = fmaf(a[lane], 2.0f, table[lane]);
// CHECK-NEXT:     float c[4] = {b[0], a[0], b[1], a[1]};
// CHECK-NEXT:     for (int lane = 0; lane < 4; ++lane) y[lane] = c[lane];  // vectors.mlir:11
// CHECK-NEXT:     float sum = c[0];
// CHECK-NEXT:     for (int lane = 1; lane < 4; ++lane) sum = sum + c[lane];
// CHECK-NEXT:     s[0] = sum;  // vectors.mlir:13
// CHECK-NEXT: }
