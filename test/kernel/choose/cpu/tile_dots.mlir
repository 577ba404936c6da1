// RUN: teeny-opt %s -p "kernel.func(tile-dots{vector-bits=512 registers=32})" | FileCheck %s

// Eight rows at once, each in a vector; what is beyond the end of a row is not loaded.
kernel.func @vector(out %y: !kernel.buf<[401] x f32>, in %a: !kernel.buf<[401, 70] x f32>, in %b: !kernel.buf<[70] x f32>) {
  %i = kernel.range 0 to 401
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// Long rows take two vectors at once.
kernel.func @long(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[400, 1024] x f32>, in %b: !kernel.buf<[1024] x f32>) {
  %i = kernel.range 0 to 400
  %k = kernel.range 0 to 1024
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// The next step of the sum is in another row.
kernel.func @across(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[70, 400] x f32>, in %b: !kernel.buf<[70] x f32>) {
  %i = kernel.range 0 to 400
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%k, %i]
  %w = kernel.load %b[%k]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// Four columns are copies beside the rows, and packed along the sum.
kernel.func @columns(out %y: !kernel.buf<[400, 4] x f32>, in %a: !kernel.buf<[400, 70] x f32>, in %b: !kernel.buf<[70, 4] x f32>) {
  %i = kernel.range 0 to 400
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// These lie along it already, in the buffer that the rows are of.
kernel.func @columns_along(out %y: !kernel.buf<[400, 8] x f32>, in %a: !kernel.buf<[400, 64] x f32>) {
  %i = kernel.range 0 to 400
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %a[%j, %k]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Nine would fill half of a vector, and N are not known.
kernel.func @many_columns(out %y: !kernel.buf<[400, 9] x f32>, in %a: !kernel.buf<[400, 64] x f32>, in %b: !kernel.buf<[64, 9] x f32>) {
  %i = kernel.range 0 to 400
  %j = kernel.range 0 to 9
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

kernel.func @unknown_columns(out %y: !kernel.buf<[400, N] x f32>, in %a: !kernel.buf<[400, 64] x f32>, in %b: !kernel.buf<[64, N] x f32>) dims(N in 1..4) {
  %i = kernel.range 0 to 400
  %j = kernel.range 0 to N
  %k = kernel.range 0 to 64
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @vector(out %y: !kernel.buf<[401] x f32>, in %a: !kernel.buf<[401, 70] x f32>, in %b: !kernel.buf<[70] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 51
// CHECK-NEXT:     %iu = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %iu
// CHECK-NEXT:     %0 = kernel.index 401
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(%i, 400)
// CHECK-NEXT:     %ko = kernel.range 0 to 5
// CHECK-NEXT:     %kv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %kv
// CHECK-NEXT:     %3 = kernel.index 70
// CHECK-NEXT:     %4 = arith.cmpi slt, %k, %3 : index
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %x = kernel.load %a[%2, %k] if %4 else %5
// CHECK-NEXT:     %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %w = kernel.load %b[%k] if %4 else %6
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %7 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %7 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @long(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[400, 1024] x f32>, in %b: !kernel.buf<[1024] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 50
// CHECK-NEXT:     %iu = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %iu
// CHECK-NEXT:     %ko = kernel.range 0 to 32
// CHECK-NEXT:     %kv = kernel.range 0 to 32 vector
// CHECK-NEXT:     %k = kernel.index %ko * 32 + %kv
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k]
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %0 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @across(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[70, 400] x f32>, in %b: !kernel.buf<[70] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 400
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%k, %i]
// CHECK-NEXT:     %w = kernel.load %b[%k]
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @columns(out %y: !kernel.buf<[400, 4] x f32>, in %a: !kernel.buf<[400, 70] x f32>, in %b: !kernel.buf<[70, 4] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 100
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %j = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ko = kernel.range 0 to 5
// CHECK-NEXT:     %kv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %kv
// CHECK-NEXT:     %0 = kernel.index 70
// CHECK-NEXT:     %1 = arith.cmpi slt, %k, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %x = kernel.load %a[%i, %k] if %1 else %2
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %jp = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %kop = kernel.range 0 to 5
// CHECK-NEXT:     %kvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k_1 = kernel.index %kop * 16 + %kvp
// CHECK-NEXT:     %4 = arith.cmpi slt, %k_1, %0 : index
// CHECK-NEXT:     %w = kernel.load %b[%k_1, %jp] if %4 else %3
// CHECK-NEXT:     %b_panel = kernel.stage %w[%jp, %kop, %kvp] over(%jp, %kop, %kvp) : !kernel.buf<[4, 5, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel[%j, %ko, %kv]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 fastmath<contract> : f32
// CHECK-NEXT:     %5 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %5 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @columns_along(out %y: !kernel.buf<[400, 8] x f32>, in %a: !kernel.buf<[400, 64] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 200
// CHECK-NEXT:     %iu = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %i = kernel.index %io * 2 + %iu
// CHECK-NEXT:     %j = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %kv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %kv
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %a[%j, %k]
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %0 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @many_columns(out %y: !kernel.buf<[400, 9] x f32>, in %a: !kernel.buf<[400, 64] x f32>, in %b: !kernel.buf<[64, 9] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 50
// CHECK-NEXT:     %iu = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %iu
// CHECK-NEXT:     %j = kernel.range 0 to 9
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %kv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %kv
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %0 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @unknown_columns(out %y: !kernel.buf<[400, N] x f32>, in %a: !kernel.buf<[400, 64] x f32>, in %b: !kernel.buf<[64, N] x f32>) dims(N in 1..4) {
// CHECK-NEXT:     %io = kernel.range 0 to 50
// CHECK-NEXT:     %iu = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %iu
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %ko = kernel.range 0 to 4
// CHECK-NEXT:     %kv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %k = kernel.index %ko * 16 + %kv
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w fastmath<contract> : f32
// CHECK-NEXT:     %0 = kernel.reduce %p over(%ko) {kind = "add"}
// CHECK-NEXT:     %s = kernel.reduce %0 over(%kv) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }
