// RUN: teeny-opt %s -p interchange-reductions --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p interchange-reductions,kernel-to-uop | filecheck %s --check-prefix=UOP
// RUN: teeny-opt %s -p interchange-reductions --check-each -o %t

// A product whose second factor lies across the summed axis: rows are summed at once.

// CHECK-LABEL: kernel.func @product
// CHECK:         %i = kernel.range 0 to N
// CHECK-NEXT:    %j = kernel.range 0 to 48
// CHECK-NEXT:    %[[K:.*]] = kernel.range 0 to 33
// CHECK-NEXT:    %[[J:.*]] = kernel.range 0 to 48
// CHECK-NEXT:    %[[A:.*]] = kernel.load %a[%i, %[[K]]]
// CHECK-NEXT:    %[[B:.*]] = kernel.load %b[%[[K]], %[[J]]]
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT:    %row = kernel.stage %[[P]][%[[J]]] over(%[[J]]) accumulating(%[[K]]) {kind = "add"} : !kernel.buf<[48] x f32, local>
// CHECK-NEXT:    %s = kernel.load %row[%j]
// CHECK-NEXT:    kernel.store %s, %y[%i, %j]

// UOP-LABEL: uop.func @product
// UOP:         scf.for %i =
// UOP-NEXT:      %row = uop.local [48] : !uop.ptr<f32, local>
// UOP:           scf.for %{{.*}} = %c0 to %c48 step %c1 {
// UOP-NEXT:        uop.store %{{.*}}, %row
// UOP-NEXT:      } {uop.parallel}
// UOP:           scf.for %k{{.*}} = %c0 to %c33 step %c1 {
// UOP:             scf.for %j{{.*}} = %c0 to %c48 step %c1 {
// UOP:               arith.addf {{.*}} fastmath<reassoc,contract> : f32
// UOP-NEXT:          uop.store
// UOP-NEXT:        } {uop.parallel}
// UOP-NEXT:      }
kernel.func @product(out %y: !kernel.buf<[N, 48] x f32>, in %a: !kernel.buf<[N, 33] x f32>, in %b: !kernel.buf<[33, 48] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 33
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.mulf %0, %1 : f32
  %s = kernel.reduce %2 over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// A factor that is the same along the row counts for nothing: eight rows are added up at a time.

// CHECK-LABEL: kernel.func @eight_rows
// CHECK:         %ko = kernel.range 0 to 4
// CHECK-NEXT:    %ku = kernel.range 0 to 8 unroll
// CHECK-NEXT:    %k = kernel.index %ko * 8 + %ku
// CHECK-NEXT:    %[[J:.*]] = kernel.range 0 to 48
// CHECK:         kernel.load %b[%k, %[[J]]]
// CHECK:         kernel.reduce %{{.*}} over(%ku) {kind = "add"}
// CHECK:         accumulating(%ko)
kernel.func @eight_rows(out %y: !kernel.buf<[N, 48] x f32>, in %a: !kernel.buf<[N, 32] x f32>, in %b: !kernel.buf<[32, 48] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 32
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%k, %j]
  %2 = arith.mulf %0, %1 : f32
  %s = kernel.reduce %2 over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Both factors lie along the summed axis: the order is right as it is.

// CHECK-LABEL: kernel.func @transposed
// CHECK:         kernel.reduce %{{.*}} over(%k)
// CHECK-NOT:     kernel.stage
kernel.func @transposed(out %y: !kernel.buf<[N, 48] x f32>, in %a: !kernel.buf<[N, 33] x f32>, in %b: !kernel.buf<[48, 33] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 33
  %0 = kernel.load %a[%i, %k]
  %1 = kernel.load %b[%j, %k]
  %2 = arith.mulf %0, %1 : f32
  %s = kernel.reduce %2 over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// A row of no constant size cannot wait in local memory.

// CHECK-LABEL: kernel.func @dynamic
// CHECK:         kernel.reduce %{{.*}} over(%k)
// CHECK-NOT:     kernel.stage
kernel.func @dynamic(out %y: !kernel.buf<[M] x f32>, in %b: !kernel.buf<[33, M] x f32>) dims(M in 0..64) {
  %j = kernel.range 0 to M
  %k = kernel.range 0 to 33
  %0 = kernel.load %b[%k, %j]
  %s = kernel.reduce %0 over(%k) {kind = "add"}
  kernel.store %s, %y[%j]
}

// A gate would stand in the inner loop, as a branch.

// CHECK-LABEL: kernel.func @gated
// CHECK:         kernel.reduce %{{.*}} over(%k)
// CHECK-NOT:     kernel.stage
kernel.func @gated(out %y: !kernel.buf<[48] x f32>, in %b: !kernel.buf<[32, 48] x f32>) {
  %zero = arith.constant 0.0 : f32
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 33
  %at = kernel.index %k
  %rows = kernel.index 32
  %inside = arith.cmpi ult, %at, %rows : index
  %0 = kernel.load %b[%k, %j] if %inside else %zero
  %s = kernel.reduce %0 over(%k) {kind = "add"}
  kernel.store %s, %y[%j]
}

// What is summed is computed from another reduction in the row, whose loop cannot be in two places.

// CHECK-LABEL: kernel.func @of_another_reduction
// CHECK:         kernel.reduce %{{.*}} over(%k) {kind = "add"}
// CHECK-NOT:     kernel.stage
kernel.func @of_another_reduction(out %y: !kernel.buf<[N, 48] x f32>, in %x: !kernel.buf<[N, 33, 48] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 33
  %n = kernel.range 0 to 33
  %0 = kernel.load %x[%i, %n, %j]
  %m = kernel.reduce %0 over(%n) {kind = "max"}
  %1 = kernel.load %x[%i, %k, %j]
  %2 = arith.subf %1, %m : f32
  %s = kernel.reduce %2 over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is staged along with the sum is not computed twice.

// CHECK-LABEL: kernel.func @staged
// CHECK:         kernel.stage
// CHECK-NEXT:    kernel.reduce %{{.*}} over(%k) {kind = "add"}
kernel.func @staged(out %y: !kernel.buf<[N, 33, 48] x f32>, in %x: !kernel.buf<[N, 33, 48] x f32>) dims(N in 0..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 33
  %l = kernel.range 0 to 33
  %0 = kernel.load %x[%i, %k, %j]
  %1 = math.exp %0 : f32
  %row = kernel.stage %1[%k] over(%k) : !kernel.buf<[33] x f32, local>
  %s = kernel.reduce %1 over(%k) {kind = "add"}
  %2 = kernel.load %row[%l]
  %3 = arith.divf %2, %s : f32
  kernel.store %3, %y[%i, %l, %j]
}

// Where one value is loaded for each step, several rows are added up at a time.

// CHECK-LABEL: kernel.func @columns
// CHECK:         %ko = kernel.range 0 to 3
// CHECK-NEXT:    %ku = kernel.range 0 to 4 unroll
// CHECK-NEXT:    %k = kernel.index %ko * 4 + %ku
// CHECK-NEXT:    %[[J:.*]] = kernel.range 0 to 64
// CHECK-NEXT:    %v = kernel.load %x[%k, %[[J]]]
// CHECK-NEXT:    %[[P:.*]] = kernel.reduce %v over(%ku) {kind = "add"}
// CHECK-NEXT:    %row = kernel.stage %[[P]][%[[J]]] over(%[[J]]) accumulating(%ko) {kind = "add"}
kernel.func @columns(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[12, 64] x f32>) {
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 12
  %v = kernel.load %x[%k, %j]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%j]
}

// One by one where nothing divides how many there are.

// CHECK-LABEL: kernel.func @odd_columns
// CHECK:         kernel.stage %v[%{{.*}}] over(%{{.*}}) accumulating(%{{.*}}) {kind = "add"}
kernel.func @odd_columns(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[13, 64] x f32>) {
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 13
  %v = kernel.load %x[%k, %j]
  %s = kernel.reduce %v over(%k) {kind = "add"}
  kernel.store %s, %y[%j]
}
