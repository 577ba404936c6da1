// RUN: teeny-opt %s -p kernel-to-uop --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop --check-each -o %t

// Ranges of the launch are ids of the thread, and no loops.
// CHECK-LABEL: uop.func @ids(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [2, 9] block [32, 1] {
// CHECK-NEXT:      %grid = uop.special grid.y
// CHECK-NEXT:      %grid_1 = uop.special grid.x
// CHECK-NEXT:      %thread = uop.special thread.x
// CHECK-NEXT:      %c64 = arith.constant 64 : index
// CHECK-NEXT:      %0 = arith.muli %grid, %c64 : index
// CHECK-NEXT:      %c32 = arith.constant 32 : index
// CHECK-NEXT:      %1 = arith.muli %grid_1, %c32 : index
// CHECK-NEXT:      %2 = arith.addi %0, %1 : index
// CHECK-NEXT:      %3 = arith.addi %2, %thread : index
// CHECK-NEXT:      %v = uop.load %x[%3] : f32
// CHECK-NEXT:      uop.store %v, %y[%3]
// CHECK-NEXT:    }
kernel.func @ids(out %y: !kernel.buf<[9, 64] x f32>, in %x: !kernel.buf<[9, 64] x f32>) {
  %i = kernel.range 0 to 9 grid.y
  %j = kernel.range 0 to 2 grid.x
  %t = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%i, %j * 32 + %t]
  kernel.store %v, %y[%i, %j * 32 + %t]
}

// Of two nests the smaller one leaves blocks over; what no thread differs in is stored by the first.
// CHECK-LABEL: uop.func @several(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>, out %s: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [4] block [32] {
// CHECK-NEXT:      %grid = uop.special grid.x
// CHECK-NEXT:      %thread = uop.special thread.x
// CHECK-NEXT:      %c32 = arith.constant 32 : index
// CHECK-NEXT:      %0 = arith.muli %grid, %c32 : index
// CHECK-NEXT:      %1 = arith.addi %0, %thread : index
// CHECK-NEXT:      %v = uop.load %x[%1] : f32
// CHECK-NEXT:      uop.store %v, %y[%1]
// CHECK-NEXT:      %c2 = arith.constant 2 : index
// CHECK-NEXT:      %2 = arith.cmpi slt, %grid, %c2 : index
// CHECK-NEXT:      scf.if %2 {
// CHECK-NEXT:        %w = uop.load %x[%1] : f32
// CHECK-NEXT:        uop.store %w, %z[%1]
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = arith.constant 0xff800000 : f32
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c128 = arith.constant 128 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %r = scf.for %k = %c0 to %c128 step %c1 iter_args(%r_1 = %3) -> (f32) {
// CHECK-NEXT:        %m = uop.load %x[%k] : f32
// CHECK-NEXT:        %4 = arith.maximumf %r_1, %m : f32
// CHECK-NEXT:        scf.yield %4 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      %5 = arith.cmpi eq, %grid, %c0 : index
// CHECK-NEXT:      %6 = arith.cmpi eq, %thread, %c0 : index
// CHECK-NEXT:      %7 = arith.andi %5, %6 : i1
// CHECK-NEXT:      uop.store %r, %s[%c0] if %7
// CHECK-NEXT:    }
kernel.func @several(out %y: !kernel.buf<[128] x f32>, out %z: !kernel.buf<[64] x f32>, out %s: !kernel.buf<[] x f32>, in %x: !kernel.buf<[128] x f32>) {
  %b = kernel.range 0 to 4 grid.x
  %t = kernel.range 0 to 32 thread.x
  %c = kernel.range 0 to 2 grid.x
  %u = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 128
  %v = kernel.load %x[%b * 32 + %t]
  kernel.store %v, %y[%b * 32 + %t]
  %w = kernel.load %x[%c * 32 + %u]
  kernel.store %w, %z[%c * 32 + %u]
  %m = kernel.load %x[%k]
  %r = kernel.reduce %m over(%k) {kind = "max"}
  kernel.store %r, %s[]
}
