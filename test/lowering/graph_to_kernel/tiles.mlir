// RUN: teeny-opt %s -p graph-to-kernel --remarks -o %t 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p graph-to-kernel | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=KERNELS

// Products that a reduction asks for would be formed in its loop over a row, one row at a time. Many
// are faster in tiles, in a kernel of their own.
func.func @many(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>) -> tensor<128xf32> {
  %p = graph.dot %x, %w contract [1] x [0] : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %m = graph.reduce max %p axes [1] : tensor<128x512xf32> -> tensor<128xf32>
  func.return %m : tensor<128xf32>
}

// Few are not worth a launch and the memory.
func.func @few(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>) -> tensor<16xf32> {
  %p = graph.dot %x, %w contract [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %m = graph.reduce max %p axes [1] : tensor<16x64xf32> -> tensor<16xf32>
  func.return %m : tensor<16xf32>
}

// What is done to each element of a product is done in its tiles.
func.func @elementwise(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>) -> tensor<128x512xf32> {
  %p = graph.dot %x, %w contract [1] x [0] : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %e = graph.exp %p : tensor<128x512xf32>
  func.return %e : tensor<128x512xf32>
}

// CHECK:      remark: has a kernel of its own: it is a result; it is 512 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: its products are formed in tiles of several rows, not in a loop over each row; it is 262144 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 64 bytes [graph-to-kernel, missed]
// CHECK-NEXT: remark: has a kernel of its own: it is a result; it is 262144 bytes [graph-to-kernel, missed]

// KERNELS:      program.func @many
// KERNELS-NEXT: program.launch @dot(%p, %x, %w)
// KERNELS-NEXT: program.launch @max_512(%output, %p)
// KERNELS-NEXT: program.func @few
// KERNELS-NEXT: program.launch @dot_max_64(%output, %x, %w)
// KERNELS-NEXT: program.func @elementwise
// KERNELS-NEXT: program.launch @dot_exp(%output, %x, %w)
