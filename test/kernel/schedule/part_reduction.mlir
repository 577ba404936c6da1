// RUN: teeny-opt %s -p "kernel.func(part-reduction{range=k parts=4})" | filecheck %s
// RUN: teeny-opt %s -p "kernel.func(part-reduction{range=k parts=4})" --check-each -o %t

// Two reductions in one loop: each keeps its parts, and reduces them in a loop of its own.
kernel.func @two(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 0..1000) {
  %k = kernel.range 0 to N
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %z = arith.addf %s, %m : f32
  kernel.store %z, %y[]
}

// Whole parts: nothing to clip. The first iteration is not 0.
kernel.func @whole(out %y: !kernel.buf<[] x i32>, in %x: !kernel.buf<[600] x i32>) {
  %k = kernel.range 88 to 600
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// What accumulates has a copy for each part.
kernel.func @columns(out %y: !kernel.buf<[33] x f32>, in %x: !kernel.buf<[200, 33] x f32>) {
  %i = kernel.range 0 to 33
  %k = kernel.range 0 to 200
  %j = kernel.range 0 to 33
  %v = kernel.load %x[%k, %j]
  %row = kernel.stage %v[%j] over(%j) accumulating(%k) {kind = "add"} : !kernel.buf<[33] x f32, local>
  %s = kernel.load %row[%i]
  kernel.store %s, %y[%i]
}

// A fold of several values, and a row that is kept beside.
kernel.func @fold(out %y: !kernel.buf<[] x i32>, out %z: !kernel.buf<[200] x i32>, in %x: !kernel.buf<[200] x i32>) {
  %k = kernel.range 0 to 200
  %l = kernel.range 0 to 200
  %zero = arith.constant 0 : i32
  %v = kernel.load %x[%k]
  %w = arith.muli %v, %v : i32
  %a, %b = kernel.fold(%v, %w) from(%zero, %zero) over(%k) {
  ^bb0(%p: i32, %q: i32, %r: i32, %s: i32):
    %t = arith.addi %p, %r : i32
    %u = arith.maxsi %q, %s : i32
    kernel.yield %t, %u
  }
  %row = kernel.stage %w[%k] over(%k) : !kernel.buf<[200] x i32, local>
  %c = kernel.load %row[%l]
  %d = arith.addi %c, %a : i32
  kernel.store %d, %z[%l]
  kernel.store %b, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @two(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 0..1000) {
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %ki = kernel.range 0 to min((N + 255) floordiv 256 * 64, -((N + 255) floordiv 256) * %ko * 64 + N)
// CHECK-NEXT:     %k = kernel.index (N + 255) floordiv 256 * %ko * 64 + %ki
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%ki) {kind = "add"}
// CHECK-NEXT:     %part = kernel.stage %0[%ko] over(%ko) : !kernel.buf<[4] x f32, local>
// CHECK-NEXT:     %kp = kernel.range 0 to 4
// CHECK-NEXT:     %1 = kernel.load %part[%kp]
// CHECK-NEXT:     %s = kernel.reduce %1 over(%kp) {kind = "add"}
// CHECK-NEXT:     %2 = kernel.reduce %v over(%ki) {kind = "max"}
// CHECK-NEXT:     %part_1 = kernel.stage %2[%ko] over(%ko) : !kernel.buf<[4] x f32, local>
// CHECK-NEXT:     %kp2 = kernel.range 0 to 4
// CHECK-NEXT:     %3 = kernel.load %part_1[%kp2]
// CHECK-NEXT:     %m = kernel.reduce %3 over(%kp2) {kind = "max"}
// CHECK-NEXT:     %z = arith.addf %s, %m : f32
// CHECK-NEXT:     kernel.store %z, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @whole(out %y: !kernel.buf<[] x i32>, in %x: !kernel.buf<[600] x i32>) {
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %ki = kernel.range 0 to 128
// CHECK-NEXT:     %k = kernel.index %ko * 128 + %ki + 88
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%ki) {kind = "add"}
// CHECK-NEXT:     %part = kernel.stage %0[%ko] over(%ko) : !kernel.buf<[4] x i32, local>
// CHECK-NEXT:     %kp = kernel.range 0 to 4
// CHECK-NEXT:     %1 = kernel.load %part[%kp]
// CHECK-NEXT:     %s = kernel.reduce %1 over(%kp) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @columns(out %y: !kernel.buf<[33] x f32>, in %x: !kernel.buf<[200, 33] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 33
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %ki = kernel.range 0 to min(-%ko * 64 + 200, 64)
// CHECK-NEXT:     %k = kernel.index %ko * 64 + %ki
// CHECK-NEXT:     %j = kernel.range 0 to 33
// CHECK-NEXT:     %v = kernel.load %x[%k, %j]
// CHECK-NEXT:     %row = kernel.stage %v[%ko, %j] over(%ko, %j) accumulating(%ki) {kind = "add"} : !kernel.buf<[4, 33] x f32, local>
// CHECK-NEXT:     %kp = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %row[%kp, %i]
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kp) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @fold(out %y: !kernel.buf<[] x i32>, out %z: !kernel.buf<[200] x i32>, in %x: !kernel.buf<[200] x i32>) {
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %ki = kernel.range 0 to min(-%ko * 64 + 200, 64)
// CHECK-NEXT:     %k = kernel.index %ko * 64 + %ki
// CHECK-NEXT:     %l = kernel.range 0 to 200
// CHECK-NEXT:     %zero = arith.constant 0 : i32
// CHECK-NEXT:     %v = kernel.load %x[%k]
// CHECK-NEXT:     %w = arith.muli %v, %v : i32
// CHECK-NEXT:     %0, %1 = kernel.fold(%v, %w) from(%zero, %zero) over(%ki) {
// CHECK-NEXT:     ^bb0(%p: i32, %q: i32, %r: i32, %s: i32):
// CHECK-NEXT:       %t = arith.addi %p, %r : i32
// CHECK-NEXT:       %u = arith.maxsi %q, %s : i32
// CHECK-NEXT:       kernel.yield %t, %u
// CHECK-NEXT:     }
// CHECK-NEXT:     %part = kernel.stage %0[%ko] over(%ko) : !kernel.buf<[4] x i32, local>
// CHECK-NEXT:     %part_1 = kernel.stage %1[%ko] over(%ko) : !kernel.buf<[4] x i32, local>
// CHECK-NEXT:     %kp = kernel.range 0 to 4
// CHECK-NEXT:     %2 = kernel.load %part[%kp]
// CHECK-NEXT:     %3 = kernel.load %part_1[%kp]
// CHECK-NEXT:     %a, %b = kernel.fold(%2, %3) from(%zero, %zero) over(%kp) {
// CHECK-NEXT:     ^bb0(%p: i32, %q: i32, %r: i32, %s: i32):
// CHECK-NEXT:       %t = arith.addi %p, %r : i32
// CHECK-NEXT:       %u = arith.maxsi %q, %s : i32
// CHECK-NEXT:       kernel.yield %t, %u
// CHECK-NEXT:     }
// CHECK-NEXT:     %row = kernel.stage %w[%k] over(%ko, %ki) : !kernel.buf<[200] x i32, local>
// CHECK-NEXT:     %c = kernel.load %row[%l]
// CHECK-NEXT:     %d = arith.addi %c, %a : i32
// CHECK-NEXT:     kernel.store %d, %z[%l]
// CHECK-NEXT:     kernel.store %b, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT: }
