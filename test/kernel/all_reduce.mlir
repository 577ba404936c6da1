// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop --verify-roundtrip | filecheck %s --check-prefix=UOP
// RUN: teeny-opt %s -p kernel-to-uop --check-each -o %t

// Lanes exchange what they have, warps by way of shared memory; all threads have the result, and
// what names no thread is stored once.

// CHECK-LABEL: kernel.func @sum
// CHECK: %s = kernel.all_reduce %v across(%t) {kind = "add"}

// UOP-LABEL: uop.func @sum
// UOP-COUNT-5: uop.shuffle
// UOP:         %warps = uop.local [2] : !uop.ptr<f32, shared>
// UOP:         uop.store %{{.*}}, %warps[%{{.*}}] if
// UOP:         uop.barrier
// UOP-COUNT-2: uop.load %warps
// UOP:         uop.store %{{.*}}, %y[%{{.*}}]
// UOP:         %[[FIRST:.*]] = arith.cmpi eq
// UOP-NEXT:    uop.store %{{.*}}, %z[%{{.*}}] if %[[FIRST]]
kernel.func @sum(out %y: !kernel.buf<[3, 64] x f32>, out %z: !kernel.buf<[3] x f32>, in %x: !kernel.buf<[3, 64] x f32>) {
  %b = kernel.range 0 to 3 grid.x
  %t = kernel.range 0 to 64 thread.x
  %v = kernel.load %x[%b, %t]
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  %d = arith.divf %v, %s : f32
  kernel.store %d, %y[%b, %t]
  kernel.store %s, %z[%b]
}

// Groups of lanes combine what each of them has, and no other: nothing goes by way of memory.

// CHECK-LABEL: kernel.func @quads
// CHECK: %m = kernel.all_reduce %v across(%t) lanes(4) {kind = "max"}

// UOP-LABEL: uop.func @quads
// UOP-NOT:     uop.local
// UOP-COUNT-2: uop.shuffle
// UOP-NOT:     uop.shuffle
kernel.func @quads(out %y: !kernel.buf<[3, 64] x f32>, in %x: !kernel.buf<[3, 64] x f32>) {
  %b = kernel.range 0 to 3 grid.x
  %t = kernel.range 0 to 64 thread.x
  %v = kernel.load %x[%b, %t]
  %m = kernel.all_reduce %v across(%t) lanes(4) {kind = "max"}
  kernel.store %m, %y[%b, %t]
}
