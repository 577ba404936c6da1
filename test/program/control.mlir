// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// Branches and loops of launches; what is computed in them stays in buffers.

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
uop.func @test(out %c: !uop.ptr<i1>, in %x: !uop.ptr<f32>) {
}

// CHECK-LABEL: program.func @main
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[1, 1] x i1>, out %y: !kernel.buf<[4] x f32>) {
  // CHECK-NEXT: %t = program.alloc : !kernel.buf<[4] x f32>
  // CHECK-NEXT: %go = program.alloc : !kernel.buf<[] x i1>
  %t = program.alloc : !kernel.buf<[4] x f32>
  %go = program.alloc : !kernel.buf<[] x i1>
  // CHECK-NEXT: program.if %c {
  // CHECK-NEXT:   program.launch @copy(%t, %x)
  // CHECK-NEXT:   program.launch @copy(%y, %t)
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   program.launch @copy(%y, %x)
  // CHECK-NEXT: }
  program.if %c {
    program.launch @copy(%t, %x)
    program.launch @copy(%y, %t)
  } else {
    program.launch @copy(%y, %x)
  }
  // CHECK-NEXT: program.while %go cond {
  // CHECK-NEXT:   program.launch @test(%go, %y)
  // CHECK-NEXT: } do {
  // CHECK-NEXT:   program.if %c {
  // CHECK-NEXT:     program.launch @copy(%y, %x)
  // CHECK-NEXT:   }
  // CHECK-NEXT:   program.while %c cond {
  // CHECK-NEXT:   } do {
  // CHECK-NEXT:     program.launch @copy(%y, %x)
  // CHECK-NEXT:   }
  // CHECK-NEXT: }
  program.while %go cond {
    program.launch @test(%go, %y)
  } do {
    program.if %c {
      program.launch @copy(%y, %x)
    }
    program.while %c cond {
    } do {
      program.launch @copy(%y, %x)
    }
  }
}
