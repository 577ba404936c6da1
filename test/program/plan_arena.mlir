// RUN: teeny-opt %s -p 'program.func(plan-arena)' --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p 'program.func(plan-arena{reuse=false})' --split-input-file \
// RUN:   | FileCheck %s --check-prefix=APART

// A chain: %a is done when %c begins, and as large, so that they take turns.
kernel.func @copy(out %y: !kernel.buf<[N, 10] x f32>, in %x: !kernel.buf<[N, 10] x f32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 10
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}
program.func @main(in %x: !kernel.buf<[N, 10] x f32>, out %y: !kernel.buf<[N, 10] x f32>) dims(N in 1..64) {
  %a = program.alloc : !kernel.buf<[N, 10] x f32>
  %b = program.alloc : !kernel.buf<[N, 10] x f32>
  %c = program.alloc : !kernel.buf<[N, 10] x f32>
  program.launch @copy(%a, %x)
  program.launch @copy(%b, %a)
  program.launch @copy(%c, %b)
  program.launch @copy(%y, %c)
}
