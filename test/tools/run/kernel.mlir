// A kernel by itself runs; a program cannot be taken up to a floor; faults point at their op.
// RUN: teeny-run %s --target=interpret --entry=fine --input x=range --print | FileCheck %s
// RUN: not teeny-run %s --target=interpret --entry=wrong 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not teeny-run %s --target=interpret --entry=wrnog 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not teeny-run %s --target=interpret 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not teeny-run %s --target=interpret --floor=graph --entry=fine 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FLOOR
// RUN: not teeny-run %s --target=interpret --floor=uop --entry=fine 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE

// CHECK: o: int32[4]
// CHECK-NEXT: [3 2 1 0]
// ENTRY: error: there is no function @wrnog to call; did you mean 'wrong'?
// SEVERAL: error: several functions can be called (@fine, @wrong), and none is named @main
// FLOOR: error: the program stands on the kernel floor, below graph
// ALONE: error: @fine has buffers without extents: only a program can launch it
kernel.func @fine(out %o: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x i32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %o[3 - %i]
}

kernel.func @wrong(out %o: !kernel.buf<[4] x i32>, in %x: !kernel.buf<[4] x i32>) {
  %i = kernel.range 0 to 4
  // BOUNDS: kernel.mlir:[[# @LINE + 2]]:3: error: 'kernel.load': index [4] is out of bounds of %x, whose extents are [4] at %i = 3
  // BOUNDS-NEXT: %v = kernel.load %x[%i + 1]
  %v = kernel.load %x[%i + 1]
  kernel.store %v, %o[%i]
}
