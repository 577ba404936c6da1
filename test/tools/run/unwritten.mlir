// What a program never writes is a warning, and poison in the output.
// RUN: teeny-run %s --target=interpret --input x=zeros --print 2>&1 | FileCheck %s

// CHECK: unwritten.mlir:[[# @LINE + 3]]:1: warning: 2 of the 4 elements of %o were never written, the first at [0]
// CHECK: o: float32[4]
// CHECK-NEXT: [nan  0.  0. nan]
kernel.func @f(out %o: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 1 to 3
  %v = kernel.load %x[%i]
  kernel.store %v, %o[%i]
}
