// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=8},widen-stages{range=ii})" --print-kernel-nest | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(split-range{range=i by=8},widen-stages{range=ii},split-range{range=ii by=4 outer=iu inner=iv},set-kind{range=iv kind=vector})" -o /dev/null

// A row for each of 8 iterations is staged, and their maxima are in registers side by side.
kernel.func @softmax(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 50] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 50
  %l = kernel.range 0 to 50
  %v = kernel.load %x[%i, %l]
  %m = kernel.reduce %v over(%l) {kind = "max"}
  %w = kernel.load %x[%i, %k]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[50] x f32, local>
  %s = kernel.reduce %e over(%k) {kind = "add"}
  %f = kernel.load %row[%j]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %j]
}

// What is summed in local memory is widened too; what does not depend on the range stays as it is.
kernel.func @accumulated(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 8] x f32>, in %w: !kernel.buf<[8, 50] x f32>, in %b: !kernel.buf<[50] x f32>) {
  %b1 = kernel.range 0 to 50
  %c = kernel.load %b[%b1]
  %bias = kernel.stage %c[%b1] over(%b1) : !kernel.buf<[50] x f32, local>
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 50
  %k = kernel.range 0 to 8
  %l = kernel.range 0 to 50
  %u = kernel.load %x[%i, %k]
  %v = kernel.load %w[%k, %l]
  %p = arith.mulf %u, %v : f32
  %row = kernel.stage %p[%l] over(%l) accumulating(%k) {kind = "add"} : !kernel.buf<[50] x f32, local>
  %s = kernel.load %row[%j]
  %d = kernel.load %bias[%j]
  %q = arith.addf %s, %d : f32
  kernel.store %q, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 50] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 4
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %k = kernel.range 0 to 50
// CHECK-NEXT:     %l = kernel.range 0 to 50
// CHECK-NEXT:     %v = kernel.load %x[%i, %l]
// CHECK-NEXT:     %m = kernel.reduce %v over(%l) {kind = "max"}
// CHECK-NEXT:     %w = kernel.load %x[%i, %k]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %row = kernel.stage %e[%k, %ii] over(%k, %ii) : !kernel.buf<[50, 8] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %e over(%k) {kind = "add"}
// CHECK-NEXT:     %f = kernel.load %row[%j, %ii]
// CHECK-NEXT:     %q = arith.divf %f, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @softmax:
// CHECK-NEXT:   //   for %io in 0 to 4: 4 times
// CHECK-NEXT:   //     %i = kernel.index
// CHECK-NEXT:   //     for %l in 0 to 50: 50 times
// CHECK-NEXT:   //       %v = kernel.load
// CHECK-NEXT:   //       update %m
// CHECK-NEXT:   //     %m = kernel.reduce
// CHECK-NEXT:   //     for %k in 0 to 50: 50 times
// CHECK-NEXT:   //       %w = kernel.load
// CHECK-NEXT:   //       update %row
// CHECK-NEXT:   //       update %s
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     %s = kernel.reduce
// CHECK-NEXT:   //     for %j in 0 to 50: 50 times
// CHECK-NEXT:   //       %f = kernel.load
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT:   kernel.func @accumulated(out %y: !kernel.buf<[32, 50] x f32>, in %x: !kernel.buf<[32, 8] x f32>, in %w: !kernel.buf<[8, 50] x f32>, in %b: !kernel.buf<[50] x f32>) {
// CHECK-NEXT:     %b1 = kernel.range 0 to 50
// CHECK-NEXT:     %c = kernel.load %b[%b1]
// CHECK-NEXT:     %bias = kernel.stage %c[%b1] over(%b1) : !kernel.buf<[50] x f32, local>
// CHECK-NEXT:     %io = kernel.range 0 to 4
// CHECK-NEXT:     %ii = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %ii
// CHECK-NEXT:     %j = kernel.range 0 to 50
// CHECK-NEXT:     %k = kernel.range 0 to 8
// CHECK-NEXT:     %l = kernel.range 0 to 50
// CHECK-NEXT:     %u = kernel.load %x[%i, %k]
// CHECK-NEXT:     %v = kernel.load %w[%k, %l]
// CHECK-NEXT:     %p = arith.mulf %u, %v : f32
// CHECK-NEXT:     %row = kernel.stage %p[%l, %ii] over(%l, %ii) accumulating(%k) {kind = "add"} : !kernel.buf<[50, 8] x f32, local>
// CHECK-NEXT:     %s = kernel.load %row[%j, %ii]
// CHECK-NEXT:     %d = kernel.load %bias[%j]
// CHECK-NEXT:     %q = arith.addf %s, %d : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   // loops of @accumulated:
// CHECK-NEXT:   //   for %b1 in 0 to 50: 50 times
// CHECK-NEXT:   //     %c = kernel.load
// CHECK-NEXT:   //     update %bias
// CHECK-NEXT:   //   %bias = kernel.stage
// CHECK-NEXT:   //   for %io in 0 to 4: 4 times
// CHECK-NEXT:   //     %i = kernel.index
// CHECK-NEXT:   //     for %k in 0 to 8: 8 times
// CHECK-NEXT:   //       %u = kernel.load
// CHECK-NEXT:   //       for %l in 0 to 50: 50 times
// CHECK-NEXT:   //         %v = kernel.load
// CHECK-NEXT:   //         update %row
// CHECK-NEXT:   //     %row = kernel.stage
// CHECK-NEXT:   //     for %j in 0 to 50: 50 times
// CHECK-NEXT:   //       %s = kernel.load
// CHECK-NEXT:   //       %d = kernel.load
// CHECK-NEXT:   //       kernel.store
// CHECK-NEXT: }
