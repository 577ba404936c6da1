// RUN: teeny-opt %s -p "kernel.func(maximum-of-numbers{range=k})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(maximum-of-numbers{range=k})" --split-input-file --check-each -o %t

// A log-sum-exp: NaN is in the sum; the sign of a zero is lost beside its logarithm.
kernel.func @logsumexp(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7f800000 : f32
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %a = math.absf %m : f32
  %c = arith.cmpf olt, %a, %inf : f32
  %n = arith.select %c, %m, %zero : f32
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %n : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = math.log %s : f32
  %r = arith.addf %l, %n : f32
  kernel.store %r, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @logsumexp(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %inf = arith.constant 0x7f800000 : f32
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "maxnum"}
// CHECK-NEXT:     %a = math.absf %m : f32
// CHECK-NEXT:     %c = arith.cmpf olt, %a, %inf : f32
// CHECK-NEXT:     %n = arith.select %c, %m, %zero : f32
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %n : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     %l = math.log %s : f32
// CHECK-NEXT:     %r = arith.addf %l, %n : f32
// CHECK-NEXT:     kernel.store %r, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A softmax: the row of exponentials is divided by their sum.
kernel.func @softmax(out %y: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%j] over(%j) : !kernel.buf<[64] x f32, local>
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = kernel.range 0 to 64
  %f = kernel.load %row[%l]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %l]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "maxnum"}
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %row = kernel.stage %e[%j] over(%j) : !kernel.buf<[64] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %f = kernel.load %row[%l]
// CHECK-NEXT:     %q = arith.divf %f, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %l]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The logarithm of a softmax, of any number of rows.
kernel.func @log_softmax(out %y: !kernel.buf<[N, 64] x f32>, in %x: !kernel.buf<[N, 64] x f32>) dims(N in 0..8) {
  %i = kernel.range 0 to N
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = math.log %s : f32
  %h = kernel.range 0 to 64
  %u = kernel.load %x[%i, %h]
  %t = arith.subf %u, %m : f32
  %r = arith.subf %t, %l : f32
  kernel.store %r, %y[%i, %h]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @log_softmax(out %y: !kernel.buf<[N, 64] x f32>, in %x: !kernel.buf<[N, 64] x f32>) dims(N in 0..8) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "maxnum"}
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     %l = math.log %s : f32
// CHECK-NEXT:     %h = kernel.range 0 to 64
// CHECK-NEXT:     %u = kernel.load %x[%i, %h]
// CHECK-NEXT:     %t = arith.subf %u, %m : f32
// CHECK-NEXT:     %r = arith.subf %t, %l : f32
// CHECK-NEXT:     kernel.store %r, %y[%i, %h]
// CHECK-NEXT:   }
// CHECK-NEXT: }
