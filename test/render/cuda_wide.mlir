// RUN: teeny-translate %s --to=cuda-c | FileCheck %s

// A vector is moved at once where its place is a multiple of its size, lane by lane elsewhere.
uop.func @wide(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%n: N in 1..64) grid [N] block [32] {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c128 = arith.constant 128 : index
  %block = uop.special grid.x
  %thread = uop.special thread.x
  %row = arith.muli %block, %c128 : index
  %lane = arith.muli %thread, %c4 : index
  %at = arith.addi %row, %lane : index
  %tile = uop.local [128] : !uop.ptr<f32, shared>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %inside = arith.cmpi slt, %block, %n : index
  %a = uop.load %x[%at] if %inside else %zero : vector<4xf32>
  uop.store %a, %tile[%lane]
  uop.barrier
  %b = uop.load %tile[%lane] : vector<4xf32>
  %shifted = arith.addi %at, %c1 : index
  %c = uop.load %x[%shifted] : vector<4xf32>
  %d = arith.addf %b, %c : vector<4xf32>
  uop.store %d, %y[%at] if %inside
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
// CHECK-NEXT: static __device__ __forceinline__ void load_f32x4(float (&v)[4], const float *p) {
// CHECK-NEXT:     const uint4 word = *reinterpret_cast<const uint4 *>(p);
// CHECK-NEXT:     memcpy(v, &word, sizeof word);
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: static __device__ __forceinline__ void store_f32x4(float *p, const float (&v)[4]) {
// CHECK-NEXT:     uint4 word;
// CHECK-NEXT:     memcpy(&word, v, sizeof word);
// CHECK-NEXT:     *reinterpret_cast<uint4 *>(p) = word;
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: /* Kernel @wide, from cuda_wide.mlir:4: grid [N] block [32] */
// CHECK-NEXT: extern "C" __global__ void __launch_bounds__(32) wide(float *__restrict__ y, const float *__restrict__ x, int64_t n) {
// CHECK-NEXT:     const int64_t block = (int64_t)blockIdx.x;
// CHECK-NEXT:     const int64_t thread = (int64_t)threadIdx.x;
// CHECK-NEXT:     const int64_t row = block * 128;
// CHECK-NEXT:     const int64_t lane_1 = thread * 4;
// CHECK-NEXT:     const int64_t at = row + lane_1;
// CHECK-NEXT:     __shared__ __align__(16) float tile[128];  // cuda_wide.mlir:13
// CHECK-NEXT:     const bool inside = block < n;
// CHECK-NEXT:     float a[4];  // cuda_wide.mlir:16
// CHECK-NEXT:     if (inside) load_f32x4(a, x + at);
// CHECK-NEXT:     else
// CHECK-NEXT:         for (int lane = 0; lane < 4; ++lane) a[lane] = 0.0f;
// CHECK-NEXT:     store_f32x4(tile + lane_1, a);  // cuda_wide.mlir:17
// CHECK-NEXT:     __syncthreads();  // cuda_wide.mlir:18
// CHECK-NEXT:     float b[4];  // cuda_wide.mlir:19
// CHECK-NEXT:     load_f32x4(b, tile + lane_1);
// CHECK-NEXT:     const int64_t shifted = at + 1;
// CHECK-NEXT:     float c[4];
// CHECK-NEXT:     for (int lane = 0; lane < 4; ++lane) c[lane] = x[shifted + lane];
// CHECK-NEXT:     float d[4];
// CHECK-NEXT:     for (int lane = 0; lane < 4; ++lane) d[lane] = b[lane] + c[lane];
// CHECK-NEXT:     if (inside) store_f32x4(y + at, d);  // cuda_wide.mlir:23
// CHECK-NEXT: }
