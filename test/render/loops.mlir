// RUN: teeny-translate %s --to=c | FileCheck %s

// Values with one use are written where they are used; a carried value is a variable; a kernel that
// nothing launches can be called from outside.
uop.func @row_sums(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f16>) dims(%n: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %row = arith.muli %i, %c10 : index
    %total = scf.for %j = %c0 to %c10 step %c1 iter_args(%sum = %zero) -> (f32) {
      %at = arith.addi %row, %j : index
      %a = uop.load %x[%at] : f32
      %h = uop.load %w[%j] : f16
      %b = arith.extf %h : f16 to f32
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %sum, %m : f32
      scf.yield %s : f32
    }
    %half = arith.constant 0.5 : f32
    %tenth = arith.constant 0.1 : f32
    %0 = arith.mulf %total, %half : f32
    %1 = arith.subf %0, %tenth : f32
    %2 = math.absf %1 : f32
    uop.store %2, %y[%i]
  } {uop.parallel}
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
// CHECK-NEXT: static inline float from_bits_f32(uint32_t bits) {
// CHECK-NEXT:     union { uint32_t bits; float number; } u;
// CHECK-NEXT:     u.bits = bits;
// CHECK-NEXT:     return u.number;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static inline float f32_from_f16(uint16_t a) {
// CHECK-NEXT:     const uint32_t sign = (uint32_t)(a & 0x8000u) << 16, size = a & 0x7fffu;
// CHECK-NEXT:     const uint32_t digits = size << 13;
// CHECK-NEXT:     if (size >= 0x7c00u) return from_bits_f32(sign | 0x7f800000u | digits);
// CHECK-NEXT:     if (size >= 0x0400u) return from_bits_f32(sign | (digits + 0x38000000u));
// CHECK-NEXT:     return sign != 0 ? -((float)size * 0x1p-24f) : (float)size * 0x1p-24f;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @row_sums, from loops.mlir:5 */
// CHECK-NEXT: void row_sums(float *restrict y, const float *restrict x, const uint16_t *restrict w, int64_t n) {
// CHECK-NEXT:     for (int64_t i = 0; i < n; ++i) {  // loops.mlir:10
// CHECK-NEXT:         const int64_t row = i * 10;
// CHECK-NEXT:         float sum = 0.0f;
// CHECK-NEXT:         for (int64_t j = 0; j < 10; ++j) {  // loops.mlir:12
// CHECK-NEXT:             const int64_t at = row + j;
// CHECK-NEXT:             const float a = x[at];
// CHECK-NEXT:             const uint16_t h = w[j];
// CHECK-NEXT:             const float b = f32_from_f16(h);
// CHECK-NEXT:             const float m = a * b;
// CHECK-NEXT:             const float s = sum + m;
// CHECK-NEXT:             sum = s;
// CHECK-NEXT:         }
// CHECK-NEXT:         y[i] = fabsf(sum * 0.5f - 0x1.99999ap-4f);  // loops.mlir:26
// CHECK-NEXT:     }
// CHECK-NEXT: }
