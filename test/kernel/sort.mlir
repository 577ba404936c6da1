// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop | filecheck %s --check-prefix=UOP

// A sort closes its range, works in scratch, and is read at any index.

// CHECK-LABEL: kernel.func @rows
// CHECK:         %s, %t = kernel.sort(%v, %w) by [ult] over(%j) in(%a, %b)[%i] first 5

// UOP-LABEL: uop.func @rows(out %y: !uop.ptr<f32>, in %x: !uop.ptr<i32>, in %z: !uop.ptr<f32>, scratch %a: !uop.ptr<i32>, scratch %b: !uop.ptr<f32>)
// UOP:         scf.for %i =
// UOP:           %[[ROW:.*]] = arith.muli %i, %c18 : index
// UOP:           scf.for %j =
// UOP:             %[[AT:.*]] = arith.addi %[[ROW]], %j : index
// UOP-NEXT:        uop.store %v, %a[%[[AT]]]
// UOP-NEXT:        uop.store %w, %b[%[[AT]]]
// UOP-NEXT:      } {uop.parallel}
// UOP-NEXT:      uop.sort(%a, %b)[%[[ROW]]] count %c9 first %c5 by [ult]
// UOP:           scf.for %k =
// UOP:             %[[FROM:.*]] = arith.addi %[[ROW]], %k : index
// UOP-NEXT:        %e = uop.load %b[%[[FROM]]] : f32
// UOP:         } {uop.parallel}
kernel.func @rows(out %y: !kernel.buf<[N, 5] x f32>, in %x: !kernel.buf<[N, 9] x i32>, in %z: !kernel.buf<[N, 9] x f32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>, scratch %b: !kernel.buf<[N, 2, 9] x f32>) dims(N in 1..1024) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  %w = kernel.load %z[%i, %j]
  %s, %t = kernel.sort(%v, %w) by [ult] over(%j) in(%a, %b)[%i] first 5
  %k = kernel.range 0 to 5
  %e = kernel.load %t[%k]
  kernel.store %e, %y[%i, %k]
}

// CHECK-LABEL: kernel.func @all
// CHECK:         %s = kernel.sort(%v) by [sgt] over(%j) in(%a)[]{{$}}

// UOP-LABEL: uop.func @all
// UOP:         uop.sort(%a)[%c0] count %N first %N by [sgt]
kernel.func @all(out %y: !kernel.buf<[N] x i8>, in %x: !kernel.buf<[N] x i8>, scratch %a: !kernel.buf<[2, N] x i8>) dims(N in 0..) {
  %j = kernel.range 0 to N
  %v = kernel.load %x[%j]
  %s = kernel.sort(%v) by [sgt] over(%j) in(%a)[]
  %k = kernel.range 0 to N
  %e = kernel.load %s[N - 1 - %k]
  kernel.store %e, %y[%k]
}
