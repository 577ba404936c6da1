// RUN: teeny-opt %s -p "parallel-ranges{threads=2}" --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p "parallel-ranges{threads=2}" --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: teeny-opt %s -p "parallel-ranges{threads=1}" | filecheck %s --check-prefix=ALONE

// ALONE-NOT: parallel

// The grain is over the extents: of few rows or short ones no thread is woken.
// CHECK-LABEL: @rows(
// CHECK:       %i = kernel.range 0 to N parallel grain(20000000 floordiv (M * {{[0-9]+}} + 1) + 1)
// CHECK-NEXT:  %j = kernel.range 0 to M
// REMARK:      remark: threads share %i: 4096 iterations of 
kernel.func @rows(out %y: !kernel.buf<[N, M] x f32>, in %x: !kernel.buf<[N, M] x f32>) dims(N in 0..4096, M in 0..4096) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to M
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// CHECK-LABEL: @small(
// CHECK-NOT:   parallel
// REMARK:      remark: 1.72 us for 2 threads: too little
kernel.func @small(out %y: !kernel.buf<[64, 64] x f32>, in %x: !kernel.buf<[64, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// Three iterations are two rounds for two threads, a thousand of an inner loop leave nobody idle.
// CHECK-LABEL: @uneven(
// CHECK:       %b = kernel.range 0 to 3
// CHECK-NEXT:  %i = kernel.range 0 to 1000 parallel grain(
// CHECK-NEXT:  %k = kernel.range 0 to 1000
// REMARK:      remark: threads share %i: 1000 iterations of 
kernel.func @uneven(out %y: !kernel.buf<[3, 1000] x f32>, in %x: !kernel.buf<[3, 1000, 1000] x f32>) {
  %b = kernel.range 0 to 3
  %i = kernel.range 0 to 1000
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%b, %i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%b, %i]
}

// Neither a sum nor a running one can be formed by several threads; rows are each one thread's.
// CHECK-LABEL: @scans(
// CHECK:       %i = kernel.range 0 to 1000 parallel
// CHECK-NEXT:  %j = kernel.range 0 to 1000{{$}}
kernel.func @scans(out %y: !kernel.buf<[1000, 1000] x f32>, in %x: !kernel.buf<[1000, 1000] x f32>) {
  %i = kernel.range 0 to 1000
  %j = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %j]
  %s = kernel.scan %v along %j {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK-LABEL: @total(
// CHECK-NOT:   parallel
// REMARK:      remark: 140 us for 2 threads: no loop gains by it or may be shared
kernel.func @total(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[1000000] x f32>) {
  %k = kernel.range 0 to 1000000
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// Several iterations may write one element, in order.
// CHECK-LABEL: @scatters(
// CHECK-NOT:   parallel
kernel.func @scatters(inout %y: !kernel.buf<[10] x f32>, in %x: !kernel.buf<[1000000] x f32>, in %at: !kernel.buf<[1000000] x i64>) {
  %k = kernel.range 0 to 1000000
  %v = kernel.load %x[%k]
  %a = kernel.load %at[%k]
  %p = arith.index_cast %a : i64 to index
  kernel.scatter %v, %y[%p] over(%k) {kind = "add"}
}

// What is staged is written by several threads and read by all after them.
// CHECK-LABEL: @staged(
// CHECK:       %k = kernel.range 0 to 1000 parallel
// CHECK:       %i = kernel.range 0 to 1000 parallel
kernel.func @staged(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[1000, 1000] x f32>) {
  %k = kernel.range 0 to 1000
  %l = kernel.range 0 to 1000
  %i = kernel.range 0 to 1000
  %m = kernel.range 0 to 1000
  %v = kernel.load %x[%k, %l]
  %s = kernel.reduce %v over(%l) {kind = "add"}
  %row = kernel.stage %s[%k] over(%k) : !kernel.buf<[1000] x f32, local>
  %a = kernel.load %row[%m]
  %b = kernel.load %x[%i, %m]
  %p = arith.mulf %a, %b : f32
  %d = kernel.reduce %p over(%m) {kind = "add"}
  kernel.store %d, %y[%i]
}
