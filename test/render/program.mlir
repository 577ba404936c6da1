// RUN: teeny-translate %s --to=c | FileCheck %s

// A program: what a caller reads first, constants, sizes over named extents, places in the arena.
// A function that is named as one of C's own gets `teeny_` before its name.
uop.func @exp(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %t: !uop.ptr<f32>) dims(%n: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = uop.load %x[%i] : f32
    %b = uop.load %t[%c0] : f32
    %c = arith.addf %a, %b : f32
    uop.store %c, %y[%i]
  }
}

program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..64) arena(N * 4) attributes {program.names = ["input", "output"]} {
  %table = program.constant dense<[1.0, 0.1, -0.0]> : tensor<3xf32>
  %t = program.alloc at 0 : !kernel.buf<[N] x f32>
  program.launch @exp(%t, %x, %table)
  program.launch @exp(%y, %t, %table)
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
// CHECK-NEXT: static inline int64_t floordivsi_index(int64_t a, int64_t b) {
// CHECK-NEXT:     return a / b - (a % b != 0 && (a < 0) != (b < 0));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @exp, from program.mlir:5 */
// CHECK-NEXT: static void teeny_exp(float *restrict y, const float *restrict x, const float *restrict t, int64_t n) {
// CHECK-NEXT:     for (int64_t i = 0; i < n; ++i) {  // program.mlir:8
// CHECK-NEXT:         const float a = x[i];
// CHECK-NEXT:         const float b = t[0];
// CHECK-NEXT:         const float c = a + b;
// CHECK-NEXT:         y[i] = c;  // program.mlir:12
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Program @main, from program.mlir:16
// CHECK-NEXT:  *
// CHECK-NEXT:  * buffers[0]  in   input: !kernel.buf<[N] x f32>
// CHECK-NEXT:  * buffers[1]  out  output: !kernel.buf<[N] x f32>
// CHECK-NEXT:  * dims[0]  N in 1..64
// CHECK-NEXT:  */
// CHECK-NEXT: static _Alignas(64) const float teeny_main_table[3] = {
// CHECK-NEXT:     1.0f, 0x1.99999ap-4f, -0.0f,
// CHECK-NEXT: };
// CHECK-NEXT: int64_t teeny_main_buffer_count(void);
// CHECK-NEXT: int64_t teeny_main_dim_count(void);
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims);
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims);
// CHECK-NEXT: void teeny_main(void *const *buffers, const int64_t *dims, void *arena);
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_count(void) { return 2; }
// CHECK-NEXT: int64_t teeny_main_dim_count(void) { return 1; }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims) {
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     switch (buffer) {
// CHECK-NEXT:         case 0: return N * 4;
// CHECK-NEXT:         case 1: return N * 4;
// CHECK-NEXT:         default: return 0;
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims) {
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     return floordivsi_index(N * 4 + 63, 64) * 64;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: void teeny_main(void *const *buffers, const int64_t *dims, void *arena) {
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     const float *const x = buffers[0];
// CHECK-NEXT:     float *const y = buffers[1];
// CHECK-NEXT:     float *const t = (void *)((unsigned char *)arena + 0);
// CHECK-NEXT:     teeny_exp(t, x, teeny_main_table, N);
// CHECK-NEXT:     teeny_exp(y, t, teeny_main_table, N);
// CHECK-NEXT: }
