// RUN: teeny-opt %s -p "kernel.func(running-fold{range=j by=16})" --split-input-file --verify-diagnostics

// What is exponentiated is not what the maximum is of: it may be infinite next to another maximum.
kernel.func @another(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %z: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  // expected-error @below {{no sum is relative to a maximum over %j, a loop from 0 on}}
  %j = kernel.range 0 to 64
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 64
  %b = kernel.load %z[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// The square of a difference has no factor that could be pulled out.
kernel.func @squares(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  // expected-error @below {{no sum is relative to a maximum over %j}}
  %j = kernel.range 0 to 64
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 64
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = arith.mulf %d, %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// A sum over another number of iterations.
kernel.func @shorter(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  // expected-error @below {{no sum is relative to a maximum over %j}}
  %j = kernel.range 0 to 64
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 32
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

// The exponential of another row.
kernel.func @crossed(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  %h = kernel.range 0 to 8
  // expected-error @below {{no sum is relative to a maximum over %j}}
  %j = kernel.range 0 to 64
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 64
  %b = kernel.load %x[%h, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %h]
}

// -----

kernel.func @wide(out %y: !kernel.buf<[8, C] x f32>, in %x: !kernel.buf<[8, 64] x f32>, in %v: !kernel.buf<[64, C] x f32>) dims(C in 1..) {
  %i = kernel.range 0 to 8
  // expected-error @below {{%c has no maximum: there is no room for a sum of each}}
  %c = kernel.range 0 to C
  %j = kernel.range 0 to 64
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 64
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %u = kernel.load %v[%k, %c]
  %t = arith.mulf %e, %u : f32
  %s = kernel.reduce %t over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %c]
}

// -----

// expected-error @below {{has no range 'j'}}
kernel.func @none(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %a = kernel.load %x[%i]
  kernel.store %a, %y[%i]
}
