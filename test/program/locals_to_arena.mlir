// RUN: teeny-opt %s -p "locals-to-arena{most-bytes=256},plan-arena" | FileCheck %s

// The large one of two becomes an argument, and the loop around it shares it.
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    %small = uop.local [64] : !uop.ptr<f32, local>
    %large = uop.local [65] : !uop.ptr<f32, local>
    %v = uop.load %x[%i] : f32
    uop.store %v, %small[%c0]
    uop.store %v, %large[%c0]
    %a = uop.load %small[%c0] : f32
    %b = uop.load %large[%c0] : f32
    %s = arith.addf %a, %b : f32
    uop.store %s, %y[%i]
  } {uop.parallel}
}

// Nothing launches it.
uop.func @alone(out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %large = uop.local [65] : !uop.ptr<f32, local>
  uop.store %zero, %large[%c0]
  %v = uop.load %large[%c0] : f32
  uop.store %v, %y[%c0]
}

program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..) {
  program.launch @f(%y, %x)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, scratch %large: !uop.ptr<f32>) dims(%N: N in 1..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:       %small = uop.local [64] : !uop.ptr<f32, local>
// CHECK-NEXT:       %v = uop.load %x[%i] : f32
// CHECK-NEXT:       uop.store %v, %small[%c0]
// CHECK-NEXT:       uop.store %v, %large[%c0]
// CHECK-NEXT:       %a = uop.load %small[%c0] : f32
// CHECK-NEXT:       %b = uop.load %large[%c0] : f32
// CHECK-NEXT:       %s = arith.addf %a, %b : f32
// CHECK-NEXT:       uop.store %s, %y[%i]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @alone(out %y: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %large = uop.local [65] : !uop.ptr<f32, local>
// CHECK-NEXT:     uop.store %zero, %large[%c0]
// CHECK-NEXT:     %v = uop.load %large[%c0] : f32
// CHECK-NEXT:     uop.store %v, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @main(in %x: !kernel.buf<[N] x f32>, out %y: !kernel.buf<[N] x f32>) dims(N in 1..) arena(320) {
// CHECK-NEXT:     %scratch = program.alloc at 0 : !kernel.buf<[65] x f32>
// CHECK-NEXT:     program.launch @f(%y, %x, %scratch)
// CHECK-NEXT:   }
// CHECK-NEXT: }
