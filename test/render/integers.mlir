// RUN: teeny-translate %s --to=c | FileCheck %s

// Integers have no sign: they are unsigned, and cast where an op reads one. What an operator of C
// leaves undefined is a function, unless an operand is a constant that makes it defined.
uop.func @signless(out %y: !uop.ptr<i32>, in %x: !uop.ptr<i32>, in %s: !uop.ptr<i8>, out %b: !uop.ptr<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = uop.load %x[%c0] : i32
  %w = uop.load %x[%c1] : i32
  %least = arith.constant -2147483648 : i32
  %minus = arith.constant -3 : i32
  %three = arith.constant 3 : i32
  %0 = arith.addi %v, %least : i32
  %1 = arith.muli %0, %minus : i32
  %2 = arith.divsi %1, %three : i32
  %3 = arith.divsi %2, %w : i32
  %4 = arith.shrsi %3, %three : i32
  %5 = arith.shli %4, %w : i32
  uop.store %5, %y[%c0]
  %less = arith.cmpi slt, %v, %minus : i32
  %below = arith.cmpi ult, %v, %w : i32
  %both = arith.andi %less, %below : i1
  uop.store %both, %b[%c0]
  %n = uop.load %s[%c0] : i8
  %m = arith.addi %n, %n : i8
  %e = arith.extsi %m : i8 to i32
  uop.store %e, %y[%c1] if %both
  %f = arith.constant 2.5 : f32
  %t = arith.fptosi %f : f32 to i32
  uop.store %t, %y[%c2]
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
// CHECK-NEXT: static inline uint32_t divsi_i32(uint32_t a, uint32_t b) {
// CHECK-NEXT:     if (b == 0) return 0;
// CHECK-NEXT:     if (b == (uint32_t)-1) return (uint32_t)(0u - a);
// CHECK-NEXT:     return (uint32_t)((int32_t)a / (int32_t)b);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static inline uint32_t shli_i32(uint32_t a, uint32_t b) {
// CHECK-NEXT:     if (b >= 32) return 0;
// CHECK-NEXT:     return (uint32_t)((uint64_t)a << b);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static inline uint32_t fptosi_f32_i32(float a) {
// CHECK-NEXT:     if (isnan(a)) return 0;
// CHECK-NEXT:     if (a < -0x1p+31f) return (uint32_t)INT32_MIN;
// CHECK-NEXT:     if (a >= 0x1p+31f) return (uint32_t)INT32_MAX;
// CHECK-NEXT:     return (uint32_t)(int32_t)a;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @signless, from integers.mlir:5 */
// CHECK-NEXT: void signless(uint32_t *restrict y, const uint32_t *restrict x, const uint8_t *restrict s, uint8_t *restrict b) {
// CHECK-NEXT:     const uint32_t v = x[0];
// CHECK-NEXT:     const uint32_t w = x[1];
// CHECK-NEXT:     const uint32_t v_1 = divsi_i32((uint32_t)((int32_t)((v + 0x80000000u) * (uint32_t)-3) / 3), w);
// CHECK-NEXT:     y[0] = shli_i32((uint32_t)((int32_t)v_1 >> 3), w);  // integers.mlir:20
// CHECK-NEXT:     const bool less = (int32_t)v < -3;
// CHECK-NEXT:     const bool below = v < w;
// CHECK-NEXT:     const bool both = less & below;
// CHECK-NEXT:     b[0] = both;  // integers.mlir:24
// CHECK-NEXT:     const uint8_t n = s[0];
// CHECK-NEXT:     const uint8_t m = (uint8_t)(n + n);
// CHECK-NEXT:     const uint32_t e = (uint32_t)(int8_t)m;
// CHECK-NEXT:     if (both) y[1] = e;  // integers.mlir:28
// CHECK-NEXT:     const uint32_t t = fptosi_f32_i32(2.5f);
// CHECK-NEXT:     y[2] = t;  // integers.mlir:31
// CHECK-NEXT: }
