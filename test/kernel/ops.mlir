// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// Every op and attribute of the kernel floor: in its own form, and through the generic one.

// CHECK-LABEL: kernel.func @every_op(out %y: !kernel.buf<[N, 128] x f32>, in %x: !kernel.buf<[N, 784] x f32>, in %w: !kernel.buf<[784, 128] x f32>) dims(N in 1..1024 step 8, M in 0..) attributes {note = "kept"} {
// CHECK-NEXT:    %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %i = kernel.range 0 to N
// CHECK-NEXT:    %j = kernel.range 0 to 128
// CHECK-NEXT:    %k = kernel.range %j to min(M + %j + 2, 784)
// CHECK-NEXT:    %n = kernel.index (%i + %j) mod 32 - %i floordiv 2
// CHECK-NEXT:    %a = kernel.load %x[%i, %k]
// CHECK-NEXT:    %inside = arith.cmpi ult, %n, %i : index
// CHECK-NEXT:    %b = kernel.load %w[%k, %j + %n] if %inside else %zero
// CHECK-NEXT:    %m = arith.mulf %a, %b : f32
// CHECK-NEXT:    %s = kernel.reduce %m over(%k) {kind = "add", note = "kept"}
// CHECK-NEXT:    kernel.store %s, %y[%i, %j] if %inside
// CHECK-NEXT:  }

// GENERIC-LABEL: "kernel.func"() <{sym_name = "every_op", modes = ["out", "in", "in"], dims = #kernel.dims<N in 1..1024 step 8, M in 0..>}>
// GENERIC:         "kernel.range"(%j) <{lower = #kernel.expr<_0>, upper = #kernel.expr<min(M + _0 + 2, 784)>}> : (index) -> index
// GENERIC:         "kernel.index"(%i, %j) <{expr = #kernel.expr<(_0 + _1) mod 32 - _0 floordiv 2>}> : (index, index) -> index
// GENERIC:         "kernel.load"(%w, %k, %j, %n, %inside, %zero) <{indices = [#kernel.expr<_0>, #kernel.expr<_1 + _2>], operandSegmentSizes = array<i32: 1, 3, 1, 1>}>
kernel.func @every_op(out %y: !kernel.buf<[N, 128] x f32>, in %x: !kernel.buf<[N, 784] x f32>, in %w: !kernel.buf<[784, 128] x f32>) dims(N in 1..1024 step 8, M in 0..) attributes {note = "kept"} {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 128
  %k = kernel.range %j to min(784, %j + 2 + M)
  %n = kernel.index (%i + %j) mod 32 - %i floordiv 2
  %a = kernel.load %x[%i, %k]
  %inside = arith.cmpi ult, %n, %i : index
  %b = kernel.load %w[%k, %j + %n] if %inside else %zero
  %m = arith.mulf %a, %b : f32
  %s = kernel.reduce %m over(%k) {kind = "add", note = "kept"}
  kernel.store %s, %y[%i, %j] if %inside
}

// CHECK-LABEL: kernel.func @stage
// CHECK:         %row = kernel.stage %e[%jp] over(%jp) : !kernel.buf<[50] x f32, local>
// CHECK-NEXT:    %s = kernel.reduce %e over(%jp) {kind = "add"}
// CHECK-NEXT:    %j = kernel.range 0 to 50
// CHECK-NEXT:    %e1 = kernel.load %row[%j]
// GENERIC:         "kernel.stage"(%e, %jp, %jp) <{indices = [#kernel.expr<_0>], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (f32, index, index) -> !kernel.buf<[50] x f32, local>
kernel.func @stage(out %y: !kernel.buf<[50] x f32>, in %x: !kernel.buf<[50] x f32>) {
  %jp = kernel.range 0 to 50
  %v = kernel.load %x[%jp]
  %e = math.exp %v : f32
  %row = kernel.stage %e[%jp] over(%jp) : !kernel.buf<[50] x f32, local>
  %s = kernel.reduce %e over(%jp) {kind = "add"}
  %j = kernel.range 0 to 50
  %e1 = kernel.load %row[%j]
  %z = arith.divf %e1, %s : f32
  kernel.store %z, %y[%j]
}

// Every combiner, on every element type that it takes.
// CHECK-LABEL: kernel.func @combiners
// CHECK:         %0 = kernel.reduce %f over(%i) {kind = "add"}
// CHECK-NEXT:    %1 = kernel.reduce %f over(%i) {kind = "mul"}
// CHECK-NEXT:    %2 = kernel.reduce %f over(%i) {kind = "max"}
// CHECK-NEXT:    %3 = kernel.reduce %f over(%i) {kind = "min"}
// CHECK-NEXT:    %4 = kernel.reduce %n over(%i) {kind = "umax"}
// CHECK-NEXT:    %5 = kernel.reduce %n over(%i) {kind = "umin"}
// CHECK-NEXT:    %6 = kernel.reduce %n over(%i) {kind = "and"}
// CHECK-NEXT:    %7 = kernel.reduce %n over(%i) {kind = "or"}
// CHECK-NEXT:    %8 = kernel.reduce %n over(%i) {kind = "xor"}
kernel.func @combiners(out %y: !kernel.buf<[] x i8>, in %x: !kernel.buf<[4] x f16>, in %w: !kernel.buf<[4] x i8>) {
  %i = kernel.range 0 to 4
  %f = kernel.load %x[%i]
  %n = kernel.load %w[%i]
  %0 = kernel.reduce %f over(%i) {kind = "add"}
  %1 = kernel.reduce %f over(%i) {kind = "mul"}
  %2 = kernel.reduce %f over(%i) {kind = "max"}
  %3 = kernel.reduce %f over(%i) {kind = "min"}
  %4 = kernel.reduce %n over(%i) {kind = "umax"}
  %5 = kernel.reduce %n over(%i) {kind = "umin"}
  %6 = kernel.reduce %n over(%i) {kind = "and"}
  %7 = kernel.reduce %n over(%i) {kind = "or"}
  %8 = kernel.reduce %n over(%i) {kind = "xor"}
  kernel.store %8, %y[]
}

// Names that look like placeholders, or like words of the grammar, are names all the same.
// CHECK-LABEL: kernel.func @odd_names(out %y: !kernel.buf<[a._0, to, if] x bf16>) dims(a._0 in 0.., to in 1..4, if in 2..2) {
// CHECK:         kernel.store %v, %y[a._0 - to, 0, %to] if %g
kernel.func @odd_names(out %y: !kernel.buf<[a._0, to, if] x bf16>) dims(a._0 in 0.., to in 1..4, if in 2..2) {
  %to = kernel.range 0 to to
  %v = arith.constant 1.0 : bf16
  %g = arith.constant true
  kernel.store %v, %y[a._0 - to, 0, %to] if %g
}

// An expression keeps the index values that are left of it, and no others.
// CHECK-LABEL: kernel.func @cancelled
// CHECK:         %k = kernel.index N
// CHECK:         kernel.store %v, %y[%i]
// GENERIC:         "kernel.index"() <{expr = #kernel.expr<N>}> : () -> index
// GENERIC:         "kernel.store"(%v, %y, %i)
kernel.func @cancelled(out %y: !kernel.buf<[4] x i64>) dims(N in 1..) {
  %i = kernel.range 0 to 4
  %k = kernel.index %i - %i + N
  %v = arith.index_cast %k : index to i64
  kernel.store %v, %y[%k - %k + %i]
}

// Every kind of a range; the default prints nothing.
// CHECK-LABEL: kernel.func @kinds
// CHECK:         %g = kernel.range 0 to 4 grid.x
// CHECK-NEXT:    %h = kernel.range 0 to 4 grid.y
// CHECK-NEXT:    %a = kernel.range 0 to N grid.z
// CHECK-NEXT:    %t = kernel.range 0 to 4 thread.x
// CHECK-NEXT:    %b = kernel.range 0 to 4 thread.y
// CHECK-NEXT:    %c = kernel.range 0 to 4 thread.z
// CHECK-NEXT:    %p = kernel.range 0 to 4 parallel
// CHECK-NEXT:    %q = kernel.range 0 to %p + 1 sequential
// CHECK-NEXT:    %l = kernel.range 0 to 4{{$}}
// CHECK-NEXT:    %u = kernel.range 0 to 4 unroll
// CHECK-NEXT:    %v = kernel.range 0 to 4 vector
// GENERIC:         "kernel.range"() <{lower = #kernel.expr<0>, upper = #kernel.expr<4>, kind = "grid.x"}> : () -> index
kernel.func @kinds(out %y: !kernel.buf<[4, 4, N, 4, 4, 4, 4, 5, 4, 4, 4] x f32>, in %x: !kernel.buf<[4] x f32>) dims(N in 1..8) {
  %g = kernel.range 0 to 4 grid.x
  %h = kernel.range 0 to 4 grid.y
  %a = kernel.range 0 to N grid.z
  %t = kernel.range 0 to 4 thread.x
  %b = kernel.range 0 to 4 thread.y
  %c = kernel.range 0 to 4 thread.z
  %p = kernel.range 0 to 4 parallel
  %q = kernel.range 0 to %p + 1 sequential
  %l = kernel.range 0 to 4 loop
  %u = kernel.range 0 to 4 unroll
  %v = kernel.range 0 to 4 vector
  %e = kernel.load %x[%v]
  kernel.store %e, %y[%g, %h, %a, %t, %b, %c, %p, %q, %l, %u, %v]
}
