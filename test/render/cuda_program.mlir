// RUN: teeny-translate %s --to=cuda-c | FileCheck %s

// Threads of a block share memory; a program is a table of launches, and a function of the host.
// A branch waits for its condition, an output that shows an input is copied unless it is there.
uop.func @sums(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 0..64) grid [N] block [4] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %block = uop.special grid.x
  %thread = uop.special thread.x
  %start = arith.muli %block, %c4 : index
  %at = arith.addi %start, %thread : index
  %part = uop.local [4] : !uop.ptr<f32, shared>
  %a = uop.load %x[%at] : f32
  uop.store %a, %part[%thread]
  uop.barrier
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f32) {
      %b = uop.load %part[%i] : f32
      %s = arith.addf %acc, %b : f32
      scf.yield %s : f32
    }
    uop.store %sum, %y[%block]
  }
}

uop.func @max(out %y: !uop.ptr<i1>, in %x: !uop.ptr<f32>, in %t: !uop.ptr<f16>) dims(%n: N in 0..64) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : f32
  %h = uop.load %t[%c0] : f16
  %b = arith.extf %h : f16 to f32
  %c = arith.cmpf ogt, %a, %b : f32
  uop.store %c, %y[%c0]
}

program.func @main(in %x: !kernel.buf<[N, 4] x f32>, out %y: !kernel.buf<[N] x f32>, out %z: !kernel.buf<[N, 2] x f32>) dims(N in 0..64) arena(N * 4 + 64) {
  %table = program.constant dense<[1.0, 0.5]> : tensor<2xf16>
  %t = program.alloc at 64 : !kernel.buf<[N] x f32>
  %c = program.alloc at 0 : !kernel.buf<[] x i1>
  program.view %z of %x at 0
  program.launch @sums(%t, %x)
  program.launch @max(%c, %t, %table)
  program.launch @sums(%y, %x)
  program.if %c {
    program.launch @sums(%y, %x)
  } else {
  }
}

// CHECK:      /* CUDA C++17. Compile it with --fmad=false, so that no two operations are fused. */
// CHECK-NEXT: #ifdef __CUDACC_RTC__
// CHECK-NEXT: typedef signed char int8_t;
// CHECK-NEXT: typedef short int16_t;
// CHECK-NEXT: typedef int int32_t;
// CHECK-NEXT: typedef long long int64_t;
// CHECK-NEXT: typedef unsigned char uint8_t;
// CHECK-NEXT: typedef unsigned short uint16_t;
// CHECK-NEXT: typedef unsigned int uint32_t;
// CHECK-NEXT: typedef unsigned long long uint64_t;
// CHECK-NEXT: #define INT8_MIN (-128)
// CHECK-NEXT: #define INT8_MAX 127
// CHECK-NEXT: #define UINT8_MAX 255
// CHECK-NEXT: #define INT16_MIN (-32768)
// CHECK-NEXT: #define INT16_MAX 32767
// CHECK-NEXT: #define UINT16_MAX 65535
// CHECK-NEXT: #define INT32_MIN (-2147483647 - 1)
// CHECK-NEXT: #define INT32_MAX 2147483647
// CHECK-NEXT: #define UINT32_MAX 4294967295u
// CHECK-NEXT: #define INT64_C(number) number##ll
// CHECK-NEXT: #define UINT64_C(number) number##ull
// CHECK-NEXT: #define INT64_MIN (-9223372036854775807ll - 1)
// CHECK-NEXT: #define INT64_MAX 9223372036854775807ll
// CHECK-NEXT: #define UINT64_MAX 18446744073709551615ull
// CHECK-NEXT: #define INFINITY __builtin_bit_cast(float, 0x7f800000)
// CHECK-NEXT: #define NAN __builtin_bit_cast(float, 0x7fffffff)
// CHECK-NEXT: #else
// CHECK-NEXT: #include <math.h>
// CHECK-NEXT: #include <stdint.h>
// CHECK-NEXT: #endif
// CHECK-NEXT: #define isunordered(a, b) (isnan(a) || isnan(b))
// CHECK-NEXT: #define islessgreater(a, b) ((a) < (b) || (a) > (b))
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ float f32_from_f16(uint16_t a) {
// CHECK-NEXT:     float b;
// CHECK-NEXT:     asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(a));
// CHECK-NEXT:     return b;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: {{\[\[}}maybe_unused]] static __host__ __device__ __forceinline__ int64_t floordivsi_index(int64_t a, int64_t b) {
// CHECK-NEXT:     return a / b - (a % b != 0 && (a < 0) != (b < 0));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: #ifndef __CUDACC_RTC__
// CHECK-NEXT: static inline cudaError_t holds(const uint8_t *condition, bool *flag, cudaStream_t stream) {
// CHECK-NEXT:     uint8_t byte = 0;
// CHECK-NEXT:     cudaError_t error = cudaMemcpyAsync(&byte, condition, 1, cudaMemcpyDeviceToHost, stream);
// CHECK-NEXT:     if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
// CHECK-NEXT:     *flag = byte != 0;
// CHECK-NEXT:     return error;
// CHECK-NEXT: }
// CHECK-NEXT: #endif
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @sums, from cuda_program.mlir:5: grid [N] block [4] */
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(4) sums(float *__restrict__ y, const float *__restrict__ x, int64_t n) {
// CHECK-NEXT:     (void)n;
// CHECK-NEXT:     const int64_t block = (int64_t)blockIdx.x;
// CHECK-NEXT:     const int64_t thread = (int64_t)threadIdx.x;
// CHECK-NEXT:     const int64_t start = block * 4;
// CHECK-NEXT:     const int64_t at = start + thread;
// CHECK-NEXT:     __shared__ float part[4];  // cuda_program.mlir:13
// CHECK-NEXT:     const float a = x[at];
// CHECK-NEXT:     part[thread] = a;  // cuda_program.mlir:15
// CHECK-NEXT:     __syncthreads();  // cuda_program.mlir:16
// CHECK-NEXT:     const bool first = thread == 0;
// CHECK-NEXT:     if (first) {  // cuda_program.mlir:18
// CHECK-NEXT:         float acc = 0.0f;
// CHECK-NEXT:         for (int64_t i = 0; i < 4; ++i) {  // cuda_program.mlir:20
// CHECK-NEXT:             const float b = part[i];
// CHECK-NEXT:             const float s = acc + b;
// CHECK-NEXT:             acc = s;
// CHECK-NEXT:         }
// CHECK-NEXT:         y[block] = acc;  // cuda_program.mlir:25
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @max, from cuda_program.mlir:29: grid [1] block [1] */
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(1) teeny_max(uint8_t *__restrict__ y, const float *__restrict__ x, const uint16_t *__restrict__ t, int64_t n) {
// CHECK-NEXT:     (void)n;
// CHECK-NEXT:     const float a = x[0];
// CHECK-NEXT:     const uint16_t h = t[0];
// CHECK-NEXT:     const float b = f32_from_f16(h);
// CHECK-NEXT:     const bool c = a > b;
// CHECK-NEXT:     y[0] = c;  // cuda_program.mlir:35
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Program @main, from cuda_program.mlir:38
// CHECK-NEXT:  *
// CHECK-NEXT:  * buffers[0]  in   x: !kernel.buf<[N, 4] x f32>
// CHECK-NEXT:  * buffers[1]  out  y: !kernel.buf<[N] x f32>
// CHECK-NEXT:  * buffers[2]  out  z: !kernel.buf<[N, 2] x f32>
// CHECK-NEXT:  * dims[0]  N in 0..64
// CHECK-NEXT:  * arena  (N * 4 + 63) floordiv 64 * 64 + 64 bytes
// CHECK-NEXT:  *
// CHECK-NEXT:  * Launches in their order; a grid with a 0 in it is left out:
// CHECK-NEXT:  *     copy buffers[0] from 0 on to buffers[2]
// CHECK-NEXT:  *     sums grid [N] block [4] (arena + 0, buffers[0], N)
// CHECK-NEXT:  *     teeny_max grid [1] block [1] (arena + (N * 4 + 63) floordiv 64 * 64, arena + 0, teeny_main_table, N)
// CHECK-NEXT:  *     sums grid [N] block [4] (buffers[1], buffers[0], N)
// CHECK-NEXT:  *     if arena + (N * 4 + 63) floordiv 64 * 64
// CHECK-NEXT:  *         sums grid [N] block [4] (buffers[1], buffers[0], N)
// CHECK-NEXT:  */
// CHECK-NEXT: extern "C" __device__ __align__(64) const uint16_t teeny_main_table[2] = {
// CHECK-NEXT:     0x3c00u /* 1 */, 0x3800u /* 0.5 */,
// CHECK-NEXT: };
// CHECK-NEXT: #ifndef __CUDACC_RTC__
// CHECK-NEXT: extern "C" {
// CHECK-NEXT: int64_t teeny_main_buffer_count(void);
// CHECK-NEXT: int64_t teeny_main_dim_count(void);
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims);
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims);
// CHECK-NEXT: cudaError_t teeny_main(void *const *buffers, const int64_t *dims, void *arena, cudaStream_t stream);
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_count(void) { return 3; }
// CHECK-NEXT: int64_t teeny_main_dim_count(void) { return 1; }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims) {
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     switch (buffer) {
// CHECK-NEXT:         case 0: return N * 16;
// CHECK-NEXT:         case 1: return N * 4;
// CHECK-NEXT:         case 2: return N * 8;
// CHECK-NEXT:         default: return 0;
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims) {
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     return floordivsi_index(N * 4 + 63, 64) * 64 + 64;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: cudaError_t teeny_main(void *const *buffers, const int64_t *dims, void *arena, cudaStream_t stream) {
// CHECK-NEXT:     cudaError_t error = cudaSuccess;
// CHECK-NEXT:     bool flag = false;
// CHECK-NEXT:     const int64_t N = dims[0];
// CHECK-NEXT:     const float *const x = (const float *)buffers[0];
// CHECK-NEXT:     float *const y = (float *)buffers[1];
// CHECK-NEXT:     float *const z = (float *)buffers[2];
// CHECK-NEXT:     void *table_1_at = nullptr;
// CHECK-NEXT:     if ((error = cudaGetSymbolAddress(&table_1_at, teeny_main_table)) != cudaSuccess) return error;
// CHECK-NEXT:     const uint16_t *const table_2 = (const uint16_t *)table_1_at;
// CHECK-NEXT:     float *const t = (float *)((unsigned char *)arena + 0);
// CHECK-NEXT:     uint8_t *const c = (uint8_t *)((unsigned char *)arena + floordivsi_index(N * 4 + 63, 64) * 64);
// CHECK-NEXT:     if (z != x + 0) {
// CHECK-NEXT:         if ((error = cudaMemcpyAsync(z, x + 0, (size_t)(N * 8), cudaMemcpyDeviceToDevice, stream)) != cudaSuccess) return error;
// CHECK-NEXT:     }
// CHECK-NEXT:     const int64_t blocks = N;
// CHECK-NEXT:     if (blocks > 0) sums<<<dim3((uint32_t)blocks), dim3(4), 0, stream>>>(t, x, N);
// CHECK-NEXT:     teeny_max<<<dim3(1), dim3(1), 0, stream>>>(c, t, table_2, N);
// CHECK-NEXT:     const int64_t blocks_1 = N;
// CHECK-NEXT:     if (blocks_1 > 0) sums<<<dim3((uint32_t)blocks_1), dim3(4), 0, stream>>>(y, x, N);
// CHECK-NEXT:     if ((error = holds(c, &flag, stream)) != cudaSuccess) return error;
// CHECK-NEXT:     if (flag) {
// CHECK-NEXT:         const int64_t blocks_2 = N;
// CHECK-NEXT:         if (blocks_2 > 0) sums<<<dim3((uint32_t)blocks_2), dim3(4), 0, stream>>>(y, x, N);
// CHECK-NEXT:     }
// CHECK-NEXT:     return cudaGetLastError();
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: #endif
