// RUN: teeny-opt %s -p write-in-place | FileCheck %s

// A temporary buffer that is read here for the last time is written in place.
kernel.func @square(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %p = arith.mulf %v, %v : f32
  kernel.store %p, %y[%i]
}

kernel.func @double(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %s = arith.addf %v, %v : f32
  kernel.store %s, %y[%i]
}

kernel.func @reversed(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[N - 1 - %i]
  %s = arith.addf %v, %v : f32
  kernel.store %s, %y[%i]
}

kernel.func @softmax(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %k = kernel.range 0 to N
  %a = kernel.load %x[%k]
  %s = kernel.reduce %a over(%k) {kind = "add"}
  %v = kernel.load %x[%i]
  %q = arith.divf %v, %s : f32
  kernel.store %q, %y[%i]
}

kernel.func @two(out %y: !kernel.buf<[N] x f32>, out %z: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %p = arith.mulf %v, %v : f32
  kernel.store %p, %y[%i]
  kernel.store %v, %z[%i]
}

// %a is an input, so that @square stays as it is; @reversed reads what other iterations write.
program.func @chain(in %a: !kernel.buf<[N] x f32>, out %out: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %b = program.alloc : !kernel.buf<[N] x f32>
  %c = program.alloc : !kernel.buf<[N] x f32>
  %d = program.alloc : !kernel.buf<[N] x f32>
  program.launch @square(%b, %a)
  program.launch @double(%c, %b)
  program.launch @double(%d, %c)
  program.launch @reversed(%out, %d)
}

// Each iteration of @softmax reads all; @two writes one of its outputs where its input was.
program.func @others(in %a: !kernel.buf<[N] x f32>, out %out: !kernel.buf<[N] x f32>, out %last: !kernel.buf<[N] x f32>) dims(N in 1..64) {
  %b = program.alloc : !kernel.buf<[N] x f32>
  %c = program.alloc : !kernel.buf<[N] x f32>
  program.launch @square(%b, %a)
  program.launch @softmax(%c, %b)
  program.launch @two(%out, %last, %c)
}

// All threads of @joined read what the first one writes.
kernel.func @joined(out %y: !kernel.buf<[1] x f32>, in %w: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%t]
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  %one = kernel.load %w[0]
  %p = arith.mulf %one, %s : f32
  kernel.store %p, %y[0]
}

kernel.func @of_threads(out %y: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
  %t = kernel.range 0 to 32 thread.x
  %v = kernel.load %x[%t]
  %s = kernel.all_reduce %v across(%t) {kind = "add"}
  kernel.store %s, %y[0]
}

program.func @threads(in %x: !kernel.buf<[32] x f32>, out %out: !kernel.buf<[1] x f32>) {
  %b = program.alloc : !kernel.buf<[1] x f32>
  program.launch @of_threads(%b, %x)
  program.launch @joined(%out, %b, %x)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @square(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %p = arith.mulf %v, %v : f32
// CHECK-NEXT:     kernel.store %p, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @double(inout %y: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %y[%i]
// CHECK-NEXT:     %s = arith.addf %v, %v : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @reversed(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[N - %i - 1]
// CHECK-NEXT:     %s = arith.addf %v, %v : f32
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %k = kernel.range 0 to N
// CHECK-NEXT:     %a = kernel.load %x[%k]
// CHECK-NEXT:     %s = kernel.reduce %a over(%k) {kind = "add"}
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %q = arith.divf %v, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @two(inout %y: !kernel.buf<[N] x f32>, out %z: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %y[%i]
// CHECK-NEXT:     %p = arith.mulf %v, %v : f32
// CHECK-NEXT:     kernel.store %p, %y[%i]
// CHECK-NEXT:     kernel.store %v, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @chain(in %a: !kernel.buf<[N] x f32>, out %out: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %b = program.alloc : !kernel.buf<[N] x f32>
// CHECK-NEXT:     program.launch @square(%b, %a)
// CHECK-NEXT:     program.launch @double(%b)
// CHECK-NEXT:     program.launch @double(%b)
// CHECK-NEXT:     program.launch @reversed(%out, %b)
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @others(in %a: !kernel.buf<[N] x f32>, out %out: !kernel.buf<[N] x f32>, out %last: !kernel.buf<[N] x f32>) dims(N in 1..64) {
// CHECK-NEXT:     %b = program.alloc : !kernel.buf<[N] x f32>
// CHECK-NEXT:     program.launch @square(%b, %a)
// CHECK-NEXT:     program.launch @softmax(%out, %b)
// CHECK-NEXT:     program.launch @two(%out, %last)
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @joined(out %y: !kernel.buf<[1] x f32>, in %w: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
// CHECK-NEXT:     %t = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %v = kernel.load %x[%t]
// CHECK-NEXT:     %s = kernel.all_reduce %v across(%t) {kind = "add"}
// CHECK-NEXT:     %one = kernel.load %w[0]
// CHECK-NEXT:     %p = arith.mulf %one, %s : f32
// CHECK-NEXT:     kernel.store %p, %y[0]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @of_threads(out %y: !kernel.buf<[1] x f32>, in %x: !kernel.buf<[32] x f32>) {
// CHECK-NEXT:     %t = kernel.range 0 to 32 thread.x
// CHECK-NEXT:     %v = kernel.load %x[%t]
// CHECK-NEXT:     %s = kernel.all_reduce %v across(%t) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[0]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @threads(in %x: !kernel.buf<[32] x f32>, out %out: !kernel.buf<[1] x f32>) {
// CHECK-NEXT:     %b = program.alloc : !kernel.buf<[1] x f32>
// CHECK-NEXT:     program.launch @of_threads(%b, %x)
// CHECK-NEXT:     program.launch @joined(%out, %b, %x)
// CHECK-NEXT:   }
// CHECK-NEXT: }
