// `--print-kernel-nest` puts the loops of each kernel below it, as comments: the text still parses.
// RUN: teeny-opt %s --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s --print-kernel-nest | teeny-opt | FileCheck %s --check-prefix=AGAIN
// RUN: teeny-opt %s --print-kernel-nest --elide-constants-larger-than=1 -p kernel-to-uop | FileCheck %s --check-prefix=BELOW

kernel.func @triangle(out %y: !kernel.buf<[N, N] x f32>, out %z: !kernel.buf<[N] x f32>,
    in %x: !kernel.buf<[N, 4] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  %s = kernel.reduce %v over(%j) {kind = "add"}
  %t = arith.addf %s, %s : f32
  kernel.store %t, %z[%i]
  %i_1 = kernel.range 0 to N
  %k = kernel.range %i_1 + 1 to N
  %w = kernel.load %x[%k, 0]
  kernel.store %w, %y[%i_1, %k]
}

// CHECK:        // loops of @triangle:
// CHECK-NEXT:   //   for %i in 0 to N: N times
// CHECK-NEXT:   //     for %j in 0 to 4: 4 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %s
// CHECK-NEXT:   //     %s = kernel.reduce
// CHECK-NEXT:   //     kernel.store
// CHECK-NEXT:   //   for %i_1 in 0 to N: N times
// CHECK-NEXT:   //     for %k in %i_1 + 1 to N: N - %i_1 - 1 times
// CHECK-NEXT:   //       %w = kernel.load
// CHECK-NEXT:   //       kernel.store

// AGAIN-NOT: //
// AGAIN: kernel.store %w, %y[%i_1, %k]

// BELOW-NOT: //
