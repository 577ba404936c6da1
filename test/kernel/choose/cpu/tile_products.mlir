// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=512 registers=32 l1=32768 l1-ways=8 l2=1048576 threads=1})" --remarks | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=1048576 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=AVX2

kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is added and where the results are kept makes no difference; a small matrix is not packed.
kernel.func @batched(out %y: !kernel.buf<[N, 16, 16] x f32>, in %a: !kernel.buf<[N, 16, 20] x f32>, in %b: !kernel.buf<[N, 20, 16] x f32>, in %c: !kernel.buf<[16] x f32>) dims(N in 1..) {
  %n = kernel.range 0 to N
  %i = kernel.range 0 to 16
  %j = kernel.range 0 to 16
  %k = kernel.range 0 to 20
  %x = kernel.load %a[%n, %i, %k]
  %w = kernel.load %b[%n, %k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %d = kernel.load %c[%j]
  %t = arith.addf %s, %d : f32
  kernel.store %t, %y[%n, %i, %j]
}

// Two factors of one name: the second is packed.
kernel.func @same_names(out %y: !kernel.buf<[200, 96] x f32>, in %t: !kernel.buf<[200, 170] x f32>, in %t_1: !kernel.buf<[170, 96] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 170
  %x = kernel.load %t[%i, %k]
  %w = kernel.load %t_1[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// A long formula follows: it is there for a row of the tile, in a loop.
kernel.func @long_after(out %y: !kernel.buf<[48, 64] x f32>, in %a: !kernel.buf<[48, 40] x f32>, in %b: !kernel.buf<[40, 64] x f32>) {
  %i = kernel.range 0 to 48
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 40
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %v, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %t = math.tanh %s : f32
  kernel.store %t, %y[%i, %j]
}

// Pixels of rows of 7 are columns of rows of 49: they run on in memory.
kernel.func @pixels(out %y: !kernel.buf<[32, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[32, 48] x f32>, in %r: !kernel.buf<[32, 7, 7] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 7
  %l = kernel.range 0 to 48
  %v = kernel.load %x[%l, %j, %k]
  %u = kernel.load %w[%i, %l]
  %p = arith.mulf %v, %u fastmath<contract> : f32
  %s = kernel.reduce %p over(%l) {kind = "add"}
  %before = kernel.load %r[%i, %j, %k]
  %t = arith.addf %s, %before : f32
  kernel.store %t, %y[%i, %j, %k]
}

// Those of windows do not: they are copied first.
kernel.func @windows(out %y: !kernel.buf<[256, 7, 7] x f32>, in %x: !kernel.buf<[48, 9, 9] x f32>, in %w: !kernel.buf<[256, 48, 3, 3] x f32>) {
  %i = kernel.range 0 to 256
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 7
  %l = kernel.range 0 to 48
  %m = kernel.range 0 to 3
  %n = kernel.range 0 to 3
  %v = kernel.load %x[%l, %j + %m, %k + %n]
  %u = kernel.load %w[%i, %l, %m, %n]
  %p = arith.mulf %v, %u fastmath<contract> : f32
  %s = kernel.reduce %p over(%l, %m, %n) {kind = "add"}
  kernel.store %s, %y[%i, %j, %k]
}

// Windows of an image that has as many pixels do, but for its edges: they are packed.
kernel.func @padded(out %y: !kernel.buf<[96, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[96, 48, 3] x f32>) {
  %i = kernel.range 0 to 96
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 7
  %l = kernel.range 0 to 48
  %m = kernel.range 0 to 3
  %row = kernel.index %j + %m - 1
  %seven = kernel.index 7
  %inside = arith.cmpi ult, %row, %seven : index
  %zero = arith.constant 0.0 : f32
  %v = kernel.load %x[%l, %j + %m - 1, %k] if %inside else %zero
  %u = kernel.load %w[%i, %l, %m]
  %p = arith.mulf %v, %u fastmath<contract> : f32
  %s = kernel.reduce %p over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%i, %j, %k]
}

// The last axis has one element: the one before it is along memory.
kernel.func @along(out %y: !kernel.buf<[64, 64, 1] x f32>, in %x: !kernel.buf<[68, 32] x f32>, in %w: !kernel.buf<[64, 32, 5, 1] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 32
  %l = kernel.range 0 to 5
  %v = kernel.load %x[%j + %l, %k]
  %u = kernel.load %w[%i, %k, %l, 0]
  %p = arith.mulf %v, %u fastmath<contract> : f32
  %s = kernel.reduce %p over(%k, %l) {kind = "add"}
  kernel.store %s, %y[%i, %j, 0]
}

// What is added is not of the same pixels: rows stay rows.
kernel.func @turned(out %y: !kernel.buf<[32, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[32, 48] x f32>, in %r: !kernel.buf<[32, 7] x f32>) {
  %i = kernel.range 0 to 32
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 7
  %l = kernel.range 0 to 48
  %v = kernel.load %x[%l, %j, %k]
  %u = kernel.load %w[%i, %l]
  %p = arith.mulf %v, %u fastmath<contract> : f32
  %s = kernel.reduce %p over(%l) {kind = "add"}
  %before = kernel.load %r[%i, %k]
  %t = arith.addf %s, %before : f32
  kernel.store %t, %y[%i, %j, %k]
}

// Two sums over the same rows and columns.
kernel.func @two(out %y: !kernel.buf<[90, 64] x f32>, in %a: !kernel.buf<[90, 70] x f32>, in %b: !kernel.buf<[70, 64] x f32>, in %c: !kernel.buf<[90, 30] x f32>, in %d: !kernel.buf<[30, 64] x f32>) {
  %i = kernel.range 0 to 90
  %j = kernel.range 0 to 64
  %k = kernel.range 0 to 70
  %v = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %v, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %l = kernel.range 0 to 30
  %e = kernel.load %c[%i, %l]
  %f = kernel.load %d[%l, %j]
  %q = arith.mulf %e, %f fastmath<contract> : f32
  %r = kernel.reduce %q over(%l) {kind = "add"}
  %t = arith.addf %s, %r : f32
  kernel.store %t, %y[%i, %j]
}

// Too few products.
kernel.func @small(out %y: !kernel.buf<[7, 13] x f32>, in %a: !kernel.buf<[7, 5] x f32>, in %b: !kernel.buf<[5, 13] x f32>) {
  %i = kernel.range 0 to 7
  %j = kernel.range 0 to 13
  %k = kernel.range 0 to 5
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Nothing moves along the rows of the result alone.
kernel.func @vector(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[400, 70] x f32>, in %b: !kernel.buf<[70] x f32>) {
  %i = kernel.range 0 to 400
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// A matrix times itself: the load with the columns is packed.
kernel.func @square(out %y: !kernel.buf<[200, 200] x f32>, in %a: !kernel.buf<[200, 200] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 200
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %a[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Two columns would leave most lanes idle: that is left to sums along rows.
kernel.func @few_columns(out %y: !kernel.buf<[200, 2] x f32>, in %a: !kernel.buf<[200, 200] x f32>, in %b: !kernel.buf<[200, 2] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 2
  %k = kernel.range 0 to 200
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %io = kernel.range 0 to 20
// CHECK-NEXT:     %iu = kernel.range 0 to 5 unroll
// CHECK-NEXT:     %i = kernel.index %io * 5 + %iu
// CHECK-NEXT:     %ju = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 48 + %jn
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %jup = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn_1 = kernel.index %jup * 16 + %jvp
// CHECK-NEXT:     %j_1 = kernel.index %jo * 48 + %jn_1
// CHECK-NEXT:     %w = kernel.load %b[%kp, %j_1]
// CHECK-NEXT:     %b_panel = kernel.stage %w[%kp, %jup, %jvp] over(%kp, %jup, %jvp) : !kernel.buf<[70, 3, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel[%k, %ju, %jv]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @batched(out %y: !kernel.buf<[N, 16, 16] x f32>, in %a: !kernel.buf<[N, 16, 20] x f32>, in %b: !kernel.buf<[N, 20, 16] x f32>, in %c: !kernel.buf<[16] x f32>) dims(N in 1..) {
// CHECK-NEXT:     %n = kernel.range 0 to N
// CHECK-NEXT:     %jo = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 1
// CHECK-NEXT:     %iu = kernel.range 0 to 16 unroll
// CHECK-NEXT:     %i = kernel.index %io * 16 + %iu
// CHECK-NEXT:     %ju = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jn
// CHECK-NEXT:     %k = kernel.range 0 to 20
// CHECK-NEXT:     %x = kernel.load %a[%n, %i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%n, %k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     %d = kernel.load %c[%j]
// CHECK-NEXT:     %t = arith.addf %s, %d : f32
// CHECK-NEXT:     kernel.store %t, %y[%n, %i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @same_names(out %y: !kernel.buf<[200, 96] x f32>, in %t: !kernel.buf<[200, 170] x f32>, in %t_1: !kernel.buf<[170, 96] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %io = kernel.range 0 to 25
// CHECK-NEXT:     %iu = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %i = kernel.index %io * 8 + %iu
// CHECK-NEXT:     %ju = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 48 + %jn
// CHECK-NEXT:     %k = kernel.range 0 to 170
// CHECK-NEXT:     %x = kernel.load %t[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 170
// CHECK-NEXT:     %jup = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn_1 = kernel.index %jup * 16 + %jvp
// CHECK-NEXT:     %j_1 = kernel.index %jo * 48 + %jn_1
// CHECK-NEXT:     %w = kernel.load %t_1[%kp, %j_1]
// CHECK-NEXT:     %t_1_panel = kernel.stage %w[%kp, %jup, %jvp] over(%kp, %jup, %jvp) : !kernel.buf<[170, 3, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %t_1_panel[%k, %ju, %jv]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @long_after(out %y: !kernel.buf<[48, 64] x f32>, in %a: !kernel.buf<[48, 40] x f32>, in %b: !kernel.buf<[40, 64] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iur = kernel.range 0 to 6
// CHECK-NEXT:     %iu = kernel.range 0 to 6 unroll
// CHECK-NEXT:     %i = kernel.index %io * 6 + %iur
// CHECK-NEXT:     %i_1 = kernel.index %io * 6 + %iu
// CHECK-NEXT:     %jur = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ju = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jvr = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %jur * 16 + %jvr
// CHECK-NEXT:     %jn_1 = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 64 + %jn
// CHECK-NEXT:     %j_1 = kernel.index %jo * 64 + %jn_1
// CHECK-NEXT:     %k = kernel.range 0 to 40
// CHECK-NEXT:     %v = kernel.load %a[%i_1, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j_1]
// CHECK-NEXT:     %p = arith.mulf %v, %w fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     %tile = kernel.stage %s[%iu, %ju, %jv] over(%iu, %ju, %jv) : !kernel.buf<[6, 4, 16] x f32, local>
// CHECK-NEXT:     %s_1 = kernel.load %tile[%iur, %jur, %jvr]
// CHECK-NEXT:     %t = math.tanh %s_1 : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @pixels(out %y: !kernel.buf<[32, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[32, 48] x f32>, in %r: !kernel.buf<[32, 7, 7] x f32>) {
// CHECK-NEXT:     %jko = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %i = kernel.index %io * 4 + %iu
// CHECK-NEXT:     %jku = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jkv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jkn = kernel.index %jku * 16 + %jkv
// CHECK-NEXT:     %jk = kernel.index %jko * 64 + %jkn
// CHECK-NEXT:     %0 = kernel.index 49
// CHECK-NEXT:     %1 = arith.cmpi slt, %jk, %0 : index
// CHECK-NEXT:     %j = kernel.index %jk floordiv 7
// CHECK-NEXT:     %k = kernel.index %jk mod 7
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%l, %j, %k] if %1 else %2
// CHECK-NEXT:     %u = kernel.load %w[%i, %l]
// CHECK-NEXT:     %p = arith.mulf %v, %u fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l) {kind = "add"}
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %before = kernel.load %r[%i, %j, %k] if %1 else %3
// CHECK-NEXT:     %t = arith.addf %s, %before : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j, %k] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @windows(out %y: !kernel.buf<[256, 7, 7] x f32>, in %x: !kernel.buf<[48, 9, 9] x f32>, in %w: !kernel.buf<[256, 48, 3, 3] x f32>) {
// CHECK-NEXT:     %jko = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 43
// CHECK-NEXT:     %iu = kernel.range 0 to 6 unroll
// CHECK-NEXT:     %i = kernel.index %io * 6 + %iu
// CHECK-NEXT:     %0 = kernel.index 256
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(%i, 255)
// CHECK-NEXT:     %jku = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jkv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jkn = kernel.index %jku * 16 + %jkv
// CHECK-NEXT:     %jk = kernel.index %jko * 64 + %jkn
// CHECK-NEXT:     %3 = kernel.index 49
// CHECK-NEXT:     %4 = arith.cmpi slt, %jk, %3 : index
// CHECK-NEXT:     %j = kernel.index %jk floordiv 7
// CHECK-NEXT:     %k = kernel.index %jk mod 7
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %n = kernel.range 0 to 3
// CHECK-NEXT:     %lp = kernel.range 0 to 48
// CHECK-NEXT:     %mp = kernel.range 0 to 3
// CHECK-NEXT:     %np = kernel.range 0 to 3
// CHECK-NEXT:     %jp = kernel.range 0 to 7
// CHECK-NEXT:     %kp = kernel.range 0 to 7
// CHECK-NEXT:     %v = kernel.load %x[%lp, %jp + %mp, %kp + %np]
// CHECK-NEXT:     %x_panel = kernel.stage %v[%lp, %mp, %np, %jp, %kp] over(%lp, %mp, %np, %jp, %kp) : !kernel.buf<[48, 3, 3, 7, 7] x f32, local>
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %lp2 = kernel.range 0 to 48
// CHECK-NEXT:     %mp2 = kernel.range 0 to 3
// CHECK-NEXT:     %np2 = kernel.range 0 to 3
// CHECK-NEXT:     %jkup = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jkvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jkn_1 = kernel.index %jkup * 16 + %jkvp
// CHECK-NEXT:     %jk_1 = kernel.index %jko * 64 + %jkn_1
// CHECK-NEXT:     %6 = arith.cmpi slt, %jk_1, %3 : index
// CHECK-NEXT:     %j_1 = kernel.index %jk_1 floordiv 7
// CHECK-NEXT:     %k_1 = kernel.index %jk_1 mod 7
// CHECK-NEXT:     %v_1 = kernel.load %x_panel[%lp2, %mp2, %np2, %j_1, %k_1] if %6 else %5
// CHECK-NEXT:     %x_panel_panel = kernel.stage %v_1[%lp2, %mp2, %np2, %jkup, %jkvp] over(%lp2, %mp2, %np2, %jkup, %jkvp) : !kernel.buf<[48, 3, 3, 4, 16] x f32, local>
// CHECK-NEXT:     %v_2 = kernel.load %x_panel_panel[%l, %m, %n, %jku, %jkv]
// CHECK-NEXT:     %u = kernel.load %w[%2, %l, %m, %n]
// CHECK-NEXT:     %p = arith.mulf %v_2, %u fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m, %n) {kind = "add"}
// CHECK-NEXT:     %7 = arith.andi %1, %4 : i1
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k] if %7
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @padded(out %y: !kernel.buf<[96, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[96, 48, 3] x f32>) {
// CHECK-NEXT:     %jko = kernel.range 0 to 2
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iu = kernel.range 0 to 12 unroll
// CHECK-NEXT:     %i = kernel.index %io * 12 + %iu
// CHECK-NEXT:     %jku = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %jkv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jkn = kernel.index %jku * 16 + %jkv
// CHECK-NEXT:     %jk = kernel.index %jko * 32 + %jkn
// CHECK-NEXT:     %0 = kernel.index 49
// CHECK-NEXT:     %1 = arith.cmpi slt, %jk, %0 : index
// CHECK-NEXT:     %j = kernel.index %jk floordiv 7
// CHECK-NEXT:     %k = kernel.index %jk mod 7
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %m = kernel.range 0 to 3
// CHECK-NEXT:     %seven = kernel.index 7
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %lp = kernel.range 0 to 48
// CHECK-NEXT:     %mp = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %jkup = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %jkvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jkn_1 = kernel.index %jkup * 16 + %jkvp
// CHECK-NEXT:     %jk_1 = kernel.index %jko * 32 + %jkn_1
// CHECK-NEXT:     %2 = arith.cmpi slt, %jk_1, %0 : index
// CHECK-NEXT:     %j_1 = kernel.index %jk_1 floordiv 7
// CHECK-NEXT:     %k_1 = kernel.index %jk_1 mod 7
// CHECK-NEXT:     %row = kernel.index %j_1 + %mp - 1
// CHECK-NEXT:     %inside = arith.cmpi ult, %row, %seven : index
// CHECK-NEXT:     %3 = arith.andi %inside, %2 : i1
// CHECK-NEXT:     %v = kernel.load %x[%lp, %j_1 + %mp - 1, %k_1] if %3 else %zero
// CHECK-NEXT:     %x_panel = kernel.stage %v[%lp, %mp, %jkup, %jkvp] over(%lp, %mp, %jkup, %jkvp) : !kernel.buf<[48, 3, 2, 16] x f32, local>
// CHECK-NEXT:     %v_1 = kernel.load %x_panel[%l, %m, %jku, %jkv]
// CHECK-NEXT:     %u = kernel.load %w[%i, %l, %m]
// CHECK-NEXT:     %p = arith.mulf %v_1, %u fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l, %m) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, %k] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @along(out %y: !kernel.buf<[64, 64, 1] x f32>, in %x: !kernel.buf<[68, 32] x f32>, in %w: !kernel.buf<[64, 32, 5, 1] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %io = kernel.range 0 to 5
// CHECK-NEXT:     %iu = kernel.range 0 to 13 unroll
// CHECK-NEXT:     %i = kernel.index %io * 13 + %iu
// CHECK-NEXT:     %0 = kernel.index 64
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %2 = kernel.index min(%i, 63)
// CHECK-NEXT:     %ju = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 32 + %jn
// CHECK-NEXT:     %k = kernel.range 0 to 32
// CHECK-NEXT:     %l = kernel.range 0 to 5
// CHECK-NEXT:     %kp = kernel.range 0 to 32
// CHECK-NEXT:     %lp = kernel.range 0 to 5
// CHECK-NEXT:     %jup = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %jvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn_1 = kernel.index %jup * 16 + %jvp
// CHECK-NEXT:     %j_1 = kernel.index %jo * 32 + %jn_1
// CHECK-NEXT:     %v = kernel.load %x[%j_1 + %lp, %kp]
// CHECK-NEXT:     %x_panel = kernel.stage %v[%kp, %lp, %jup, %jvp] over(%kp, %lp, %jup, %jvp) : !kernel.buf<[32, 5, 2, 16] x f32, local>
// CHECK-NEXT:     %v_1 = kernel.load %x_panel[%k, %l, %ju, %jv]
// CHECK-NEXT:     %u = kernel.load %w[%2, %k, %l, 0]
// CHECK-NEXT:     %p = arith.mulf %v_1, %u fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k, %l) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j, 0] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @turned(out %y: !kernel.buf<[32, 7, 7] x f32>, in %x: !kernel.buf<[48, 7, 7] x f32>, in %w: !kernel.buf<[32, 48] x f32>, in %r: !kernel.buf<[32, 7] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 32
// CHECK-NEXT:     %j = kernel.range 0 to 7
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %v = kernel.load %x[%l, %j, %k]
// CHECK-NEXT:     %u = kernel.load %w[%i, %l]
// CHECK-NEXT:     %p = arith.mulf %v, %u fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l) {kind = "add"}
// CHECK-NEXT:     %before = kernel.load %r[%i, %k]
// CHECK-NEXT:     %t = arith.addf %s, %before : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j, %k]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @two(out %y: !kernel.buf<[90, 64] x f32>, in %a: !kernel.buf<[90, 70] x f32>, in %b: !kernel.buf<[70, 64] x f32>, in %c: !kernel.buf<[90, 30] x f32>, in %d: !kernel.buf<[30, 64] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 1
// CHECK-NEXT:     %io = kernel.range 0 to 15
// CHECK-NEXT:     %iu = kernel.range 0 to 6 unroll
// CHECK-NEXT:     %i = kernel.index %io * 6 + %iu
// CHECK-NEXT:     %ju = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 64 + %jn
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %v = kernel.load %a[%i, %k]
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %jup = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %jvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn_1 = kernel.index %jup * 16 + %jvp
// CHECK-NEXT:     %j_1 = kernel.index %jo * 64 + %jn_1
// CHECK-NEXT:     %w = kernel.load %b[%kp, %j_1]
// CHECK-NEXT:     %b_panel = kernel.stage %w[%kp, %jup, %jvp] over(%kp, %jup, %jvp) : !kernel.buf<[70, 4, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %b_panel[%k, %ju, %jv]
// CHECK-NEXT:     %p = arith.mulf %v, %w_1 fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     %l = kernel.range 0 to 30
// CHECK-NEXT:     %e = kernel.load %c[%i, %l]
// CHECK-NEXT:     %f = kernel.load %d[%l, %j]
// CHECK-NEXT:     %q = arith.mulf %e, %f fastmath<contract> : f32
// CHECK-NEXT:     %r = kernel.reduce %q over(%l) {kind = "add"}
// CHECK-NEXT:     %t = arith.addf %s, %r : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @small(out %y: !kernel.buf<[7, 13] x f32>, in %a: !kernel.buf<[7, 5] x f32>, in %b: !kernel.buf<[5, 13] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 7
// CHECK-NEXT:     %j = kernel.range 0 to 13
// CHECK-NEXT:     %k = kernel.range 0 to 5
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @vector(out %y: !kernel.buf<[400] x f32>, in %a: !kernel.buf<[400, 70] x f32>, in %b: !kernel.buf<[70] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 400
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @square(out %y: !kernel.buf<[200, 200] x f32>, in %a: !kernel.buf<[200, 200] x f32>) {
// CHECK-NEXT:     %jo = kernel.range 0 to 13
// CHECK-NEXT:     %io = kernel.range 0 to 8
// CHECK-NEXT:     %iu = kernel.range 0 to 25 unroll
// CHECK-NEXT:     %i = kernel.index %io * 25 + %iu
// CHECK-NEXT:     %ju = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 16 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jn
// CHECK-NEXT:     %0 = kernel.index 200
// CHECK-NEXT:     %1 = arith.cmpi slt, %j, %0 : index
// CHECK-NEXT:     %k = kernel.range 0 to 200
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %kp = kernel.range 0 to 200
// CHECK-NEXT:     %jup = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %jvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %jn_1 = kernel.index %jup * 16 + %jvp
// CHECK-NEXT:     %j_1 = kernel.index %jo * 16 + %jn_1
// CHECK-NEXT:     %3 = arith.cmpi slt, %j_1, %0 : index
// CHECK-NEXT:     %w = kernel.load %a[%kp, %j_1] if %3 else %2
// CHECK-NEXT:     %a_panel = kernel.stage %w[%kp, %jup, %jvp] over(%kp, %jup, %jvp) : !kernel.buf<[200, 1, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %a_panel[%k, %ju, %jv]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few_columns(out %y: !kernel.buf<[200, 2] x f32>, in %a: !kernel.buf<[200, 200] x f32>, in %b: !kernel.buf<[200, 2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 200
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %k = kernel.range 0 to 200
// CHECK-NEXT:     %x = kernel.load %a[%i, %k]
// CHECK-NEXT:     %w = kernel.load %b[%k, %j]
// CHECK-NEXT:     %p = arith.mulf %x, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// AVX2:      remark: a product of 100x96x70: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 16x16x20: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=n,jo,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 200x96x170: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=t_1 over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 48x64x40: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},stage-result{over=iu,ju,jv},set-kind{range=iur kind=loop},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 32x7x48: split-range{range=i by=8 outer=io inner=iu loads=clamped},split-range{range=k by=8 outer=ko inner=kn loads=gated},split-range{range=kn by=8 outer=ku inner=kv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ku kind=unroll},set-kind{range=kv kind=vector},order-ranges{order=j,ko,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 256x7x432: split-range{range=i by=13 outer=io inner=iu loads=clamped},split-range{range=k by=8 outer=ko inner=kn loads=gated},split-range{range=kn by=8 outer=ku inner=kv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ku kind=unroll},set-kind{range=kv kind=vector},order-ranges{order=j,ko,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 96x7x144: split-range{range=i by=12 outer=io inner=iu loads=clamped},split-range{range=k by=8 outer=ko inner=kn loads=gated},split-range{range=kn by=8 outer=ku inner=kv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ku kind=unroll},set-kind{range=kv kind=vector},order-ranges{order=j,ko,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 64x64x160: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=x over=k,l,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 32x7x48: split-range{range=i by=8 outer=io inner=iu loads=clamped},split-range{range=k by=8 outer=ko inner=kn loads=gated},split-range{range=kn by=8 outer=ku inner=kv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ku kind=unroll},set-kind{range=kv kind=vector},order-ranges{order=j,ko,io} [tile-products, passed]
// AVX2-NEXT: remark: a product of 90x64x100: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: 7x13x5 is too small for a tile [tile-products, missed]
// AVX2-NEXT: remark: a product of 200x200x200: split-range{range=i by=5 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=a over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// AVX2-NEXT: remark: 2 columns fill no half of a vector [tile-products, missed]
