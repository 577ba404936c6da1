// RUN: teeny-opt %s -p "share-reductions{threads=2},parallel-ranges{threads=2}" --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p "share-reductions{threads=2}" --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: teeny-opt %s -p "share-reductions{threads=1}" | filecheck %s --check-prefix=ALONE

// ALONE-NOT: part

// CHECK-LABEL: @total(
// CHECK:       %ko = kernel.range 0 to 16 parallel grain(3)
// CHECK-NEXT:  %ki = kernel.range 0 to 65536
// REMARK:      remark: {{.*}} us of one loop: part-reduction{range=k parts=16} [share-reductions, passed]
kernel.func @total(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[1048576] x f32>) {
  %k = kernel.range 0 to 1048576
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// Enough rows: each is one thread's.
// CHECK-LABEL: @rows(
// CHECK:       %i = kernel.range 0 to 1000 parallel
// CHECK-NEXT:  %k = kernel.range 0 to 1000{{$}}
kernel.func @rows(out %y: !kernel.buf<[1000] x f32>, in %x: !kernel.buf<[1000, 1000] x f32>) {
  %i = kernel.range 0 to 1000
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%i, %k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// A short sum is one thread's.
// CHECK-LABEL: @short(
// CHECK-NOT:   part
kernel.func @short(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[1000] x f32>) {
  %k = kernel.range 0 to 1000
  %v = kernel.load %x[%k]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// The sums of long rows, all parts of which would take too much memory.
// CHECK-LABEL: @wide(
// CHECK-NOT:   part
kernel.func @wide(out %y: !kernel.buf<[20000] x f32>, in %x: !kernel.buf<[100, 20000] x f32>) {
  %k = kernel.range 0 to 100
  %j = kernel.range 0 to 20000
  %i = kernel.range 0 to 20000
  %v = kernel.load %x[%k, %j]
  %row = kernel.stage %v[%j] over(%j) accumulating(%k) {kind = "add"} : !kernel.buf<[20000] x f32, local>
  %s = kernel.load %row[%i]
  kernel.store %s, %y[%i]
}

// Two loops one behind the other, of names that are told apart by a number.
// CHECK-LABEL: @norm(
// CHECK:       %ko = kernel.range 0 to 16 parallel
// CHECK:       %ko2 = kernel.range 0 to 16 parallel
kernel.func @norm(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[1048576] x f32>) {
  %k = kernel.range 0 to 1048576
  %k_1 = kernel.range 0 to 1048576
  %v = kernel.load %x[%k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %w = kernel.load %x[%k_1]
  %d = arith.subf %w, %m : f32
  %s = kernel.reduce %d over(%k_1) {kind = "add"}
  kernel.store %s, %y[]
}
