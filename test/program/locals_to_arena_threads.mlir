// RUN: teeny-opt %s -p "locals-to-arena{most-bytes=256 threads=3},plan-arena" | filecheck %s
// RUN: teeny-opt %s -p "locals-to-arena{most-bytes=256 threads=3},plan-arena" --check-each -o %t

// Each thread has memory of its own, of whole cache lines, and there are no more threads than that.
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..100) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  scf.for %i = %c0 to %N step %c1 {
    %small = uop.local [64] : !uop.ptr<f32, local>
    %large = uop.local [70] : !uop.ptr<f32, local>
    scf.for %j = %c0 to %c70 step %c1 {
      %v = uop.load %x[%j] : f32
      uop.store %v, %large[%j]
    } {uop.parallel}
    %a = uop.load %large[%c1] : f32
    uop.store %a, %small[%c0]
    %b = uop.load %small[%c0] : f32
    uop.store %b, %y[%i]
  } {uop.parallel, uop.threads = #uop.threads<64, 5>}
}

// What a loop shares as a whole is one memory.
uop.func @outside(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..100) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  %large = uop.local [70] : !uop.ptr<f32, local>
  scf.for %j = %c0 to %c70 step %c1 {
    %v = uop.load %x[%j] : f32
    uop.store %v, %large[%j]
  } {uop.parallel, uop.threads = #uop.threads<64, 5>}
  scf.for %i = %c0 to %N step %c1 {
    %a = uop.load %large[%c1] : f32
    uop.store %a, %y[%i]
  } {uop.parallel, uop.threads = #uop.threads<64, 5>}
}

program.func @main(in %x: !kernel.buf<[N + 70] x f32>, out %y: !kernel.buf<[N] x f32>, out %z: !kernel.buf<[N] x f32>) dims(N in 1..100) {
  program.launch @f(%y, %x)
  program.launch @outside(%z, %x)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, scratch %large: !uop.ptr<f32>) dims(%N: N in 1..100) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c70 = arith.constant 70 : index
// CHECK-NEXT:     scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:       %0 = uop.thread %i
// CHECK-NEXT:       %1 = arith.constant 80 : index
// CHECK-NEXT:       %2 = arith.muli %0, %1 : index
// CHECK-NEXT:       %small = uop.local [64] : !uop.ptr<f32, local>
// CHECK-NEXT:       scf.for %j = %c0 to %c70 step %c1 {
// CHECK-NEXT:         %v = uop.load %x[%j] : f32
// CHECK-NEXT:         %3 = arith.addi %2, %j : index
// CHECK-NEXT:         uop.store %v, %large[%3]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:       %4 = arith.addi %2, %c1 : index
// CHECK-NEXT:       %a = uop.load %large[%4] : f32
// CHECK-NEXT:       uop.store %a, %small[%c0]
// CHECK-NEXT:       %b = uop.load %small[%c0] : f32
// CHECK-NEXT:       uop.store %b, %y[%i]
// CHECK-NEXT:     } {uop.threads = #uop.threads<3, 5>}
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @outside(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, scratch %large: !uop.ptr<f32>) dims(%N: N in 1..100) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c70 = arith.constant 70 : index
// CHECK-NEXT:     scf.for %j = %c0 to %c70 step %c1 {
// CHECK-NEXT:       %v = uop.load %x[%j] : f32
// CHECK-NEXT:       uop.store %v, %large[%j]
// CHECK-NEXT:     } {uop.parallel, uop.threads = #uop.threads<64, 5>}
// CHECK-NEXT:     scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:       %a = uop.load %large[%c1] : f32
// CHECK-NEXT:       uop.store %a, %y[%i]
// CHECK-NEXT:     } {uop.parallel, uop.threads = #uop.threads<64, 5>}
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @main(in %x: !kernel.buf<[N + 70] x f32>, out %y: !kernel.buf<[N] x f32>, out %z: !kernel.buf<[N] x f32>) dims(N in 1..100) arena(960) {
// CHECK-NEXT:     %scratch = program.alloc at 0 : !kernel.buf<[240] x f32>
// CHECK-NEXT:     program.launch @f(%y, %x, %scratch)
// CHECK-NEXT:     %scratch_1 = program.alloc at 0 : !kernel.buf<[70] x f32>
// CHECK-NEXT:     program.launch @outside(%z, %x, %scratch_1)
// CHECK-NEXT:   }
// CHECK-NEXT: }
