// RUN: teeny-opt %s -p share-kernels | filecheck %s

// The same but for the names of values: one kernel, launched twice.
kernel.func @double(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%i]
}
kernel.func @double_1(out %out: !kernel.buf<[8] x f32>, in %t: !kernel.buf<[8] x f32>) {
  %k = kernel.range 0 to 8
  %0 = kernel.load %t[%k]
  %1 = arith.addf %0, %0 : f32
  kernel.store %1, %out[%k]
}

// Another size, another constant, another extent's range: kernels of their own.
kernel.func @longer(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[9] x f32>) {
  %i = kernel.range 0 to 9
  %v = kernel.load %x[%i]
  %w = arith.addf %v, %v : f32
  kernel.store %w, %y[%i]
}
kernel.func @one(out %y: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = arith.constant 1.0 : f32
  kernel.store %v, %y[%i]
}
kernel.func @two(out %y: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = arith.constant 2.0 : f32
  kernel.store %v, %y[%i]
}

// What nothing launches is left alone.
kernel.func @unused(out %y: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8
  %v = arith.constant 1.0 : f32
  kernel.store %v, %y[%i]
}
program.func @main(in %x: !kernel.buf<[8] x f32>, in %z: !kernel.buf<[9] x f32>, out %y: !kernel.buf<[8] x f32>, out %u: !kernel.buf<[9] x f32>, out %v: !kernel.buf<[8] x f32>, out %w: !kernel.buf<[8] x f32>) {
  %a = program.alloc : !kernel.buf<[8] x f32>
  program.launch @double(%a, %x)
  program.launch @double_1(%y, %a)
  program.launch @longer(%u, %z)
  program.launch @one(%v)
  program.launch @two(%w)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @double(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %w = arith.addf %v, %v : f32
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @longer(out %y: !kernel.buf<[9] x f32>, in %x: !kernel.buf<[9] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 9
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     %w = arith.addf %v, %v : f32
// CHECK-NEXT:     kernel.store %w, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @one(out %y: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @two(out %y: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @unused(out %y: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %v = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @main(in %x: !kernel.buf<[8] x f32>, in %z: !kernel.buf<[9] x f32>, out %y: !kernel.buf<[8] x f32>, out %u: !kernel.buf<[9] x f32>, out %v: !kernel.buf<[8] x f32>, out %w: !kernel.buf<[8] x f32>) {
// CHECK-NEXT:     %a = program.alloc : !kernel.buf<[8] x f32>
// CHECK-NEXT:     program.launch @double(%a, %x)
// CHECK-NEXT:     program.launch @double(%y, %a)
// CHECK-NEXT:     program.launch @longer(%u, %z)
// CHECK-NEXT:     program.launch @one(%v)
// CHECK-NEXT:     program.launch @two(%w)
// CHECK-NEXT:   }
// CHECK-NEXT: }
