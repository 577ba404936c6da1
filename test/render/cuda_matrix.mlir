// RUN: teeny-translate %s --to=cuda-c | FileCheck %s

// A product in matrix instructions: the elements of a factor are packed into registers.
func.func @main(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>) -> tensor<16x8xf16> {
  %0 = graph.dot %a, %b contract [1] x [0] : (tensor<16x16xf16>, tensor<16x8xf16>) -> tensor<16x8xf16>
  func.return %0 : tensor<16x8xf16>
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
// CHECK-NEXT: static __device__ __forceinline__ void load_f16x8(uint16_t (&v)[8], const uint16_t *p) {
// CHECK-NEXT:     const uint4 word = *reinterpret_cast<const uint4 *>(p);
// CHECK-NEXT:     memcpy(v, &word, sizeof word);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void store_f16x8(uint16_t *p, const uint16_t (&v)[8]) {
// CHECK-NEXT:     uint4 word;
// CHECK-NEXT:     memcpy(&word, v, sizeof word);
// CHECK-NEXT:     *reinterpret_cast<uint4 *>(p) = word;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void load_f16x4(uint16_t (&v)[4], const uint16_t *p) {
// CHECK-NEXT:     const uint2 word = *reinterpret_cast<const uint2 *>(p);
// CHECK-NEXT:     memcpy(v, &word, sizeof word);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void store_f16x4(uint16_t *p, const uint16_t (&v)[4]) {
// CHECK-NEXT:     uint2 word;
// CHECK-NEXT:     memcpy(&word, v, sizeof word);
// CHECK-NEXT:     *reinterpret_cast<uint2 *>(p) = word;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void load_matrix_4(uint32_t *m, const void *row) {
// CHECK-NEXT:     const uint32_t at = (uint32_t)__cvta_generic_to_shared(row);
// CHECK-NEXT:     asm volatile(
// CHECK-NEXT:         "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
// CHECK-NEXT:         : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
// CHECK-NEXT:         : "r"(at)
// CHECK-NEXT:         : "memory");
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void load_matrix_2_transposed(uint32_t *m, const void *row) {
// CHECK-NEXT:     const uint32_t at = (uint32_t)__cvta_generic_to_shared(row);
// CHECK-NEXT:     asm volatile(
// CHECK-NEXT:         "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
// CHECK-NEXT:         : "=r"(m[0]), "=r"(m[1])
// CHECK-NEXT:         : "r"(at)
// CHECK-NEXT:         : "memory");
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void mma_m16n8k16_f16(float *sum, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
// CHECK-NEXT:     asm volatile(
// CHECK-NEXT:         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
// CHECK-NEXT:         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
// CHECK-NEXT:         : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
// CHECK-NEXT:         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ uint32_t pack_2(uint16_t a, uint16_t b) {
// CHECK-NEXT:     return a | (uint32_t)b << 16;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ uint16_t f16_from_f32(float a) {
// CHECK-NEXT:     uint16_t b;
// CHECK-NEXT:     asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(a));
// CHECK-NEXT:     return b;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @dot, from cuda_matrix.mlir:5: grid [1] block [32] */
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(32) dot(uint16_t *__restrict__ out, const uint16_t *__restrict__ a, const uint16_t *__restrict__ b) {
// CHECK-NEXT:     const int64_t grid = (int64_t)blockIdx.x;
// CHECK-NEXT:     const int64_t thread = (int64_t)threadIdx.x;
// CHECK-NEXT:     const int64_t at = grid * 256 + thread * 8;
// CHECK-NEXT:     const int64_t at_1 = (int64_t)((uint64_t)thread / 8u) + (int64_t)((uint64_t)thread % 2u);
// CHECK-NEXT:     const int64_t at_2 = (int64_t)((uint64_t)at_1 % 2u) * 8 + (int64_t)((uint64_t)thread / 2u) * 16;
// CHECK-NEXT:     const int64_t at_3 = thread * 4;
// CHECK-NEXT:     const int64_t at_4 = (int64_t)((uint64_t)(int64_t)((uint64_t)thread / 4u) % 2u) + (int64_t)((uint64_t)thread / 16u);
// CHECK-NEXT:     const int64_t at_5 = (int64_t)((uint64_t)thread % 16u);
// CHECK-NEXT:     __shared__ __align__(16) uint16_t as[256];  // cuda_matrix.mlir:5
// CHECK-NEXT:     uint16_t a_1[8];  // cuda_matrix.mlir:5
// CHECK-NEXT:     load_f16x8(a_1, a + at);
// CHECK-NEXT:     __syncthreads();  // cuda_matrix.mlir:5
// CHECK-NEXT:     store_f16x8(as + at_2, a_1);  // cuda_matrix.mlir:5
// CHECK-NEXT:     __shared__ __align__(16) uint16_t bs[128];  // cuda_matrix.mlir:5
// CHECK-NEXT:     uint16_t b_1[4];  // cuda_matrix.mlir:5
// CHECK-NEXT:     load_f16x4(b_1, b + at_3);
// CHECK-NEXT:     store_f16x4(bs + at_3, b_1);  // cuda_matrix.mlir:5
// CHECK-NEXT:     __syncthreads();  // cuda_matrix.mlir:5
// CHECK-NEXT:     uint32_t matrix[4];
// CHECK-NEXT:     load_matrix_4(matrix, as + (int64_t)((uint64_t)at_4 % 2u) * 8 + at_5 * 16);  // cuda_matrix.mlir:5
// CHECK-NEXT:     const uint16_t element = (uint16_t)(matrix[0]);
// CHECK-NEXT:     const uint16_t element_1 = (uint16_t)(matrix[0] >> 16);
// CHECK-NEXT:     const uint16_t element_2 = (uint16_t)(matrix[1]);
// CHECK-NEXT:     const uint16_t element_3 = (uint16_t)(matrix[1] >> 16);
// CHECK-NEXT:     const uint16_t element_4 = (uint16_t)(matrix[2]);
// CHECK-NEXT:     const uint16_t element_5 = (uint16_t)(matrix[2] >> 16);
// CHECK-NEXT:     const uint16_t element_6 = (uint16_t)(matrix[3]);
// CHECK-NEXT:     const uint16_t element_7 = (uint16_t)(matrix[3] >> 16);
// CHECK-NEXT:     uint32_t matrix_1[2];
// CHECK-NEXT:     load_matrix_2_transposed(matrix_1, bs + at_5 * 8);  // cuda_matrix.mlir:5
// CHECK-NEXT:     const uint16_t element_8 = (uint16_t)(matrix_1[0]);
// CHECK-NEXT:     const uint16_t element_9 = (uint16_t)(matrix_1[0] >> 16);
// CHECK-NEXT:     const uint16_t element_10 = (uint16_t)(matrix_1[1]);
// CHECK-NEXT:     const uint16_t element_11 = (uint16_t)(matrix_1[1] >> 16);
// CHECK-NEXT:     float product[4] = {0.0f, 0.0f, 0.0f, 0.0f};
// CHECK-NEXT:     mma_m16n8k16_f16(product, pack_2(element, element_1), pack_2(element_2, element_3), pack_2(element_4, element_5), pack_2(element_6, element_7), pack_2(element_8, element_9), pack_2(element_10, element_11));  // cuda_matrix.mlir:5
// CHECK-NEXT:     const int64_t at_6 = grid * 128 + thread * 2;
// CHECK-NEXT:     out[at_6] = f16_from_f32(product[0]);  // cuda_matrix.mlir:5
// CHECK-NEXT:     out[at_6 + 1] = f16_from_f32(product[1]);  // cuda_matrix.mlir:5
// CHECK-NEXT:     out[at_6 + 64] = f16_from_f32(product[2]);  // cuda_matrix.mlir:5
// CHECK-NEXT:     out[at_6 + 65] = f16_from_f32(product[3]);  // cuda_matrix.mlir:5
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Program @main, from cuda_matrix.mlir:4
// CHECK-NEXT:  *
// CHECK-NEXT:  * buffers[0]  in   a: !kernel.buf<[16, 16] x f16>
// CHECK-NEXT:  * buffers[1]  in   b: !kernel.buf<[16, 8] x f16>
// CHECK-NEXT:  * buffers[2]  out  output: !kernel.buf<[16, 8] x f16>
// CHECK-NEXT:  * arena  0 bytes
// CHECK-NEXT:  *
// CHECK-NEXT:  * Launches in their order; a grid with a 0 in it is left out:
// CHECK-NEXT:  *     dot grid [1] block [32] (buffers[2], buffers[0], buffers[1])
// CHECK-NEXT:  */
// CHECK-NEXT: #ifndef __CUDACC_RTC__
// CHECK-NEXT: extern "C" {
// CHECK-NEXT: int64_t teeny_main_buffer_count(void);
// CHECK-NEXT: int64_t teeny_main_dim_count(void);
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims);
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims);
// CHECK-NEXT: cudaError_t teeny_main(void *const *buffers, const int64_t *dims, void *arena, cudaStream_t stream);
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_count(void) { return 3; }
// CHECK-NEXT: int64_t teeny_main_dim_count(void) { return 0; }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_buffer_bytes(int64_t buffer, const int64_t *dims) {
// CHECK-NEXT:     (void)dims;
// CHECK-NEXT:     switch (buffer) {
// CHECK-NEXT:         case 0: return 512;
// CHECK-NEXT:         case 1: return 256;
// CHECK-NEXT:         case 2: return 256;
// CHECK-NEXT:         default: return 0;
// CHECK-NEXT:     }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: int64_t teeny_main_arena_bytes(const int64_t *dims) {
// CHECK-NEXT:     (void)dims;
// CHECK-NEXT:     return 0;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: cudaError_t teeny_main(void *const *buffers, const int64_t *dims, void *arena, cudaStream_t stream) {
// CHECK-NEXT:     (void)arena;
// CHECK-NEXT:     const void *const pointers[] = {arena, buffers[0], buffers[1], buffers[2]};
// CHECK-NEXT:     for (const void *pointer : pointers)
// CHECK-NEXT:         if ((uintptr_t)pointer % 16 != 0) return cudaErrorMisalignedAddress;
// CHECK-NEXT:     (void)dims;
// CHECK-NEXT:     const uint16_t *const a = (const uint16_t *)buffers[0];
// CHECK-NEXT:     const uint16_t *const b = (const uint16_t *)buffers[1];
// CHECK-NEXT:     uint16_t *const output = (uint16_t *)buffers[2];
// CHECK-NEXT:     dot<<<dim3(1), dim3(32), 0, stream>>>(output, a, b);
// CHECK-NEXT:     return cudaGetLastError();
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: #endif
