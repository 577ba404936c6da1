// RUN: teeny-opt %s -p "kernel.func(fuse-ranges{kernel=add outer=i inner=j},fuse-ranges{kernel=mean outer=j inner=k fused=at},split-range{kernel=back range=i by=4},fuse-ranges{kernel=back outer=io inner=ii}),simplify-kernel" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(fuse-ranges{kernel=add outer=i inner=j},fuse-ranges{kernel=mean outer=j inner=k fused=at},split-range{kernel=back range=i by=4},fuse-ranges{kernel=back outer=io inner=ii})" --check-each

kernel.func @add(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>, in %w: !kernel.buf<[N] x f32>) dims(N in 0..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 50
  %a = kernel.load %x[%i, %j]
  %b = kernel.load %w[%i]
  %c = arith.addf %a, %b : f32
  kernel.store %c, %y[%i, %j]
}

// What closes both closes the one; a range may begin elsewhere than at 0.
kernel.func @mean(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 6, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 1 to 6
  %k = kernel.range 0 to 50
  %a = kernel.load %x[%i, %j, %k]
  %s = kernel.reduce %a over(%j, %k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// It undoes a split.
kernel.func @back(out %y: !kernel.buf<[20] x f32>, in %x: !kernel.buf<[20] x f32>) {
  %i = kernel.range 0 to 20
  %a = kernel.load %x[%i]
  kernel.store %a, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>, in %w: !kernel.buf<[N] x f32>) dims(N in 0..) {
// CHECK-NEXT:     %ij = kernel.range 0 to N * 50
// CHECK-NEXT:     %a = kernel.load %x[%ij floordiv 50, %ij mod 50]
// CHECK-NEXT:     %b = kernel.load %w[%ij floordiv 50]
// CHECK-NEXT:     %c = arith.addf %a, %b : f32
// CHECK-NEXT:     kernel.store %c, %y[%ij floordiv 50, %ij mod 50]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @mean(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 6, 50] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %at = kernel.range 0 to 250
// CHECK-NEXT:     %a = kernel.load %x[%i, %at floordiv 50 + 1, %at mod 50]
// CHECK-NEXT:     %s = kernel.reduce %a over(%at) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @back(out %y: !kernel.buf<[20] x f32>, in %x: !kernel.buf<[20] x f32>) {
// CHECK-NEXT:     %ioii = kernel.range 0 to 20
// CHECK-NEXT:     %a = kernel.load %x[%ioii]
// CHECK-NEXT:     kernel.store %a, %y[%ioii]
// CHECK-NEXT:   }
// CHECK-NEXT: }
