// RUN: teeny-opt %s -p order-launches --split-input-file | filecheck %s

// Two large temporaries, each read by one launch: one after the other they need one at a time.
kernel.func @grow(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 1000
  %v = kernel.load %x[%i mod 4]
  kernel.store %v, %y[%i]
}
kernel.func @shrink(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[1000] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
program.func @apart(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
  %a = program.alloc : !kernel.buf<[1000] x f32>
  %b = program.alloc : !kernel.buf<[1000] x f32>
  program.launch @grow(%a, %x)
  program.launch @grow(%b, %x)
  program.launch @shrink(%y, %a)
  program.launch @shrink(%z, %b)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @grow(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 1000
// CHECK-NEXT:     %v = kernel.load %x[%i mod 4]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @shrink(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[1000] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @apart(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %a = program.alloc : !kernel.buf<[1000] x f32>
// CHECK-NEXT:     %b = program.alloc : !kernel.buf<[1000] x f32>
// CHECK-NEXT:     program.launch @grow(%a, %x)
// CHECK-NEXT:     program.launch @shrink(%y, %a)
// CHECK-NEXT:     program.launch @grow(%b, %x)
// CHECK-NEXT:     program.launch @shrink(%z, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The order of the text stays where nothing is gained.
kernel.func @copy(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
program.func @chain(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
  %a = program.alloc : !kernel.buf<[4] x f32>
  program.launch @copy(%a, %x)
  program.launch @copy(%z, %x)
  program.launch @copy(%y, %a)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @copy(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @chain(in %x: !kernel.buf<[4] x f32>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %a = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.launch @copy(%a, %x)
// CHECK-NEXT:     program.launch @copy(%z, %x)
// CHECK-NEXT:     program.launch @copy(%y, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A statement stays after those that write what it reads, and before those that overwrite it: %a
// is read by the first @shrink before the loop writes it anew.
kernel.func @grow(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 1000
  %v = kernel.load %x[%i mod 4]
  kernel.store %v, %y[%i]
}
kernel.func @shrink(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[1000] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
program.func @overwritten(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
  %a = program.alloc : !kernel.buf<[1000] x f32>
  %b = program.alloc : !kernel.buf<[1000] x f32>
  program.launch @grow(%a, %x)
  program.launch @grow(%b, %x)
  program.launch @shrink(%y, %a)
  program.if %c {
    program.launch @grow(%a, %y)
  }
  program.launch @shrink(%z, %a)
  program.launch @shrink(%y, %b)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @grow(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 1000
// CHECK-NEXT:     %v = kernel.load %x[%i mod 4]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @shrink(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[1000] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @overwritten(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %a = program.alloc : !kernel.buf<[1000] x f32>
// CHECK-NEXT:     %b = program.alloc : !kernel.buf<[1000] x f32>
// CHECK-NEXT:     program.launch @grow(%a, %x)
// CHECK-NEXT:     program.launch @shrink(%y, %a)
// CHECK-NEXT:     program.if %c {
// CHECK-NEXT:       program.launch @grow(%a, %y)
// CHECK-NEXT:     }
// CHECK-NEXT:     program.launch @shrink(%z, %a)
// CHECK-NEXT:     program.launch @grow(%b, %x)
// CHECK-NEXT:     program.launch @shrink(%y, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }
