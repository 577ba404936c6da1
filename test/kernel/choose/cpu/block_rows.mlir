// RUN: teeny-opt %s -p "kernel.func(block-rows{vector-bits=512 registers=32 l2=1048576})" --remarks | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(block-rows{vector-bits=256 registers=16 l2=262144})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=AVX2

// Two products with a softmax between them: the rows of scores, of exponentials and of weights become
// panels; the weights are divided before the second product.
kernel.func @attention(out %y: !kernel.buf<[8, 100, 64] x f32>, in %q: !kernel.buf<[8, 100, 32] x f32>, in %k: !kernel.buf<[8, N, 32] x f32>, in %v: !kernel.buf<[8, N, 64] x f32>) dims(N in 1..500) {
  %h = kernel.range 0 to 8
  %i = kernel.range 0 to 100
  %c = kernel.range 0 to 64
  %j = kernel.range 0 to N
  %d = kernel.range 0 to 32
  %x = kernel.load %q[%h, %i, %d]
  %w = kernel.load %k[%h, %j, %d]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[500] x f32, local>
  %m = kernel.reduce %s over(%j) {kind = "max"}
  %n = kernel.range 0 to N
  %s1 = kernel.load %row[%n]
  %t = arith.subf %s1, %m : f32
  %e = math.exp %t : f32
  %row1 = kernel.stage %e[%n] over(%n) : !kernel.buf<[500] x f32, local>
  %z = kernel.reduce %e over(%n) {kind = "add"}
  %o = kernel.range 0 to N
  %e1 = kernel.load %row1[%o]
  %f = arith.divf %e1, %z : f32
  %row2 = kernel.stage %f[%o] over(%o) : !kernel.buf<[500] x f32, local>
  %l = kernel.range 0 to N
  %g = kernel.load %row2[%l]
  %u = kernel.load %v[%h, %l, %c]
  %r = arith.mulf %g, %u fastmath<contract> : f32
  %a = kernel.reduce %r over(%l) {kind = "add"}
  kernel.store %a, %y[%h, %i, %c]
}

// Divided after the product, the sums are kept for it. The rows are outside of what is batched, and a
// mask lies across memory.
kernel.func @masked(out %y: !kernel.buf<[100, 8, 64] x f32>, in %b: !kernel.buf<[100, 70] x i1>, in %q: !kernel.buf<[8, 100, 32] x f32>, in %v: !kernel.buf<[8, 70, 64] x f32>, in %k: !kernel.buf<[8, 70, 32] x f32>) {
  %i = kernel.range 0 to 100
  %h = kernel.range 0 to 8
  %c = kernel.range 0 to 64
  %zero = arith.constant 0.0 : f32
  %j = kernel.range 0 to 70
  %d = kernel.range 0 to 32
  %x = kernel.load %q[%h, %i, %d]
  %w = kernel.load %k[%h, %j, %d]
  %p = arith.mulf %x, %w fastmath<contract> : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %on = kernel.load %b[%i, %j]
  %e = math.exp %s : f32
  %f = arith.select %on, %e, %zero : f32
  %row = kernel.stage %f[%j] over(%j) : !kernel.buf<[70] x f32, local>
  %z = kernel.reduce %f over(%j) {kind = "add"}
  %l = kernel.range 0 to 70
  %g = kernel.load %row[%l]
  %u = kernel.load %v[%h, %l, %c]
  %r = arith.mulf %g, %u fastmath<contract> : f32
  %a = kernel.reduce %r over(%l) {kind = "add"}
  %t = arith.divf %a, %z : f32
  kernel.store %t, %y[%i, %h, %c]
}

// Nothing but the rows is stored, in their lanes.
kernel.func @logsumexp(out %y: !kernel.buf<[100] x f32>, in %x: !kernel.buf<[100, 32] x f32>, in %w: !kernel.buf<[32, 500] x f32>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 500
  %d = kernel.range 0 to 32
  %u = kernel.load %x[%i, %d]
  %v = kernel.load %w[%d, %j]
  %p = arith.mulf %u, %v fastmath<contract> : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[500] x f32, local>
  %m = kernel.reduce %s over(%j) {kind = "max"}
  %n = kernel.range 0 to 500
  %s1 = kernel.load %row[%n]
  %t = arith.subf %s1, %m : f32
  %e = math.exp %t : f32
  %z = kernel.reduce %e over(%n) {kind = "add"}
  %g = math.log %z : f32
  %r = arith.addf %g, %m : f32
  kernel.store %r, %y[%i]
}

// Two factors of one name: the first of them has the rows and is packed.
kernel.func @same_names(out %y: !kernel.buf<[48, 20] x f32>, in %t: !kernel.buf<[48, 16] x f32>, in %t_1: !kernel.buf<[30, 16] x f32>, in %v: !kernel.buf<[30, 20] x f32>) {
  %i = kernel.range 0 to 48
  %c = kernel.range 0 to 20
  %j = kernel.range 0 to 30
  %d = kernel.range 0 to 16
  %x = kernel.load %t[%i, %d]
  %w = kernel.load %t_1[%j, %d]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[30] x f32, local>
  %l = kernel.range 0 to 30
  %g = kernel.load %row[%l]
  %u = kernel.load %v[%l, %c]
  %r = arith.mulf %g, %u : f32
  %a = kernel.reduce %r over(%l) {kind = "add"}
  kernel.store %a, %y[%i, %c]
}

// One matrix is three factors: what is packed is loaded in the rows.
kernel.func @one_matrix(out %y: !kernel.buf<[48, 16] x f32>, in %x: !kernel.buf<[48, 16] x f32>) {
  %i = kernel.range 0 to 48
  %c = kernel.range 0 to 16
  %j = kernel.range 0 to 48
  %d = kernel.range 0 to 16
  %q = kernel.load %x[%i, %d]
  %k = kernel.load %x[%j, %d]
  %p = arith.mulf %q, %k : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[48] x f32, local>
  %l = kernel.range 0 to 48
  %g = kernel.load %row[%l]
  %v = kernel.load %x[%l, %c]
  %r = arith.mulf %g, %v : f32
  %a = kernel.reduce %r over(%l) {kind = "add"}
  kernel.store %a, %y[%i, %c]
}

// Rows that are loaded at two places cannot be packed: the kernel is left as it was.
kernel.func @refused(out %y: !kernel.buf<[48, 16] x f32>, in %x: !kernel.buf<[48, 16] x f32>, in %w: !kernel.buf<[48, 16] x f32>) {
  %i = kernel.range 0 to 48
  %c = kernel.range 0 to 16
  %j = kernel.range 0 to 48
  %d = kernel.range 0 to 16
  %back = kernel.index 15 - %d
  %q = kernel.load %x[%i, %d]
  %r = kernel.load %x[%i, %back]
  %b = arith.addf %q, %r : f32
  %k = kernel.load %w[%j, %d]
  %p = arith.mulf %b, %k : f32
  %s = kernel.reduce %p over(%d) {kind = "add"}
  %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[48] x f32, local>
  %l = kernel.range 0 to 48
  %g = kernel.load %row[%l]
  %v = kernel.load %w[%l, %c]
  %m = arith.mulf %g, %v : f32
  %a = kernel.reduce %m over(%l) {kind = "add"}
  kernel.store %a, %y[%i, %c]
}

// No product ends in a row or reads one.
kernel.func @softmax(out %y: !kernel.buf<[32, 512] x f32>, in %x: !kernel.buf<[32, 512] x f32>) {
  %i = kernel.range 0 to 32
  %k = kernel.range 0 to 512
  %j = kernel.range 0 to 512
  %w = kernel.load %x[%i, %k]
  %e = math.exp %w : f32
  %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[512] x f32, local>
  %s = kernel.reduce %e over(%k) {kind = "add"}
  %f = kernel.load %row[%j]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %j]
}

// Too few products.
kernel.func @few(out %y: !kernel.buf<[8, 4] x f32>, in %x: !kernel.buf<[8, 16] x f32>, in %w: !kernel.buf<[16, 4] x f32>) {
  %i = kernel.range 0 to 8
  %j = kernel.range 0 to 4
  %k = kernel.range 0 to 16
  %u = kernel.load %x[%i, %k]
  %e = math.exp %u : f32
  %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[16] x f32, local>
  %l = kernel.range 0 to 16
  %f = kernel.load %row[%l]
  %v = kernel.load %w[%l, %j]
  %p = arith.mulf %f, %v : f32
  %s = kernel.reduce %p over(%l) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @attention(out %y: !kernel.buf<[8, 100, 64] x f32>, in %q: !kernel.buf<[8, 100, 32] x f32>, in %k: !kernel.buf<[8, N, 32] x f32>, in %v: !kernel.buf<[8, N, 64] x f32>) dims(N in 1..500) {
// CHECK-NEXT:     %h = kernel.range 0 to 8
// CHECK-NEXT:     %io = kernel.range 0 to 7
// CHECK-NEXT:     %co = kernel.range 0 to 1
// CHECK-NEXT:     %iro = kernel.range 0 to 4
// CHECK-NEXT:     %iru = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ir = kernel.index %iro * 4 + %iru
// CHECK-NEXT:     %iu = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ii = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 16 + %ir
// CHECK-NEXT:     %0 = kernel.index 100
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %cu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %cv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %cn = kernel.index %cu * 16 + %cv
// CHECK-NEXT:     %c = kernel.index %co * 64 + %cn
// CHECK-NEXT:     %jo = kernel.range 0 to (N + 24) floordiv 25
// CHECK-NEXT:     %ju = kernel.range 0 to 25 unroll
// CHECK-NEXT:     %j = kernel.index %jo * 25 + %ju
// CHECK-NEXT:     %2 = kernel.index N
// CHECK-NEXT:     %3 = arith.cmpi slt, %j, %2 : index
// CHECK-NEXT:     %4 = kernel.index min(N - 1, %j)
// CHECK-NEXT:     %d = kernel.range 0 to 32
// CHECK-NEXT:     %dp = kernel.range 0 to 32
// CHECK-NEXT:     %iup = kernel.range 0 to 1
// CHECK-NEXT:     %ivp = kernel.range 0 to 16
// CHECK-NEXT:     %ii_1 = kernel.index %iup * 16 + %ivp
// CHECK-NEXT:     %i_1 = kernel.index %io * 16 + %ii_1
// CHECK-NEXT:     %5 = kernel.index min(%i_1, 99)
// CHECK-NEXT:     %x = kernel.load %q[%h, %5, %dp]
// CHECK-NEXT:     %q_panel = kernel.stage %x[%dp, %iup, %ivp] over(%dp, %iup, %ivp) : !kernel.buf<[32, 1, 16] x f32, local>
// CHECK-NEXT:     %x_1 = kernel.load %q_panel[%d, %iu, %iv]
// CHECK-NEXT:     %w = kernel.load %k[%h, %4, %d]
// CHECK-NEXT:     %p = arith.mulf %x_1, %w fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %s[%j, %ii] over(%jo, %ju, %iu, %iv) : !kernel.buf<[500, 16] x f32, local>
// CHECK-NEXT:     %6 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %7 = arith.select %3, %s, %6 : f32
// CHECK-NEXT:     %m = kernel.reduce %7 over(%jo, %ju) {kind = "max"}
// CHECK-NEXT:     %n = kernel.range 0 to N
// CHECK-NEXT:     %s1 = kernel.load %row[%n, %ii]
// CHECK-NEXT:     %t = arith.subf %s1, %m : f32
// CHECK-NEXT:     %e = math.exp %t : f32
// CHECK-NEXT:     %row1 = kernel.stage %e[%n, %ii] over(%n, %iu, %iv) : !kernel.buf<[500, 16] x f32, local>
// CHECK-NEXT:     %z = kernel.reduce %e over(%n) {kind = "add"}
// CHECK-NEXT:     %o = kernel.range 0 to N
// CHECK-NEXT:     %e1 = kernel.load %row1[%o, %ii]
// CHECK-NEXT:     %f = arith.divf %e1, %z : f32
// CHECK-NEXT:     %row2 = kernel.stage %f[%o, %ii] over(%o, %iu, %iv) : !kernel.buf<[500, 16] x f32, local>
// CHECK-NEXT:     %l = kernel.range 0 to N
// CHECK-NEXT:     %g = kernel.load %row2[%l, %ir]
// CHECK-NEXT:     %u = kernel.load %v[%h, %l, %c]
// CHECK-NEXT:     %r = arith.mulf %g, %u fastmath<contract> : f32
// CHECK-NEXT:     %a = kernel.reduce %r over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %a, %y[%h, %i, %c] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @masked(out %y: !kernel.buf<[100, 8, 64] x f32>, in %b: !kernel.buf<[100, 70] x i1>, in %q: !kernel.buf<[8, 100, 32] x f32>, in %v: !kernel.buf<[8, 70, 64] x f32>, in %k: !kernel.buf<[8, 70, 32] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 7
// CHECK-NEXT:     %co = kernel.range 0 to 1
// CHECK-NEXT:     %iro = kernel.range 0 to 4
// CHECK-NEXT:     %iru = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %ir = kernel.index %iro * 4 + %iru
// CHECK-NEXT:     %iu = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ii = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 16 + %ir
// CHECK-NEXT:     %0 = kernel.index 100
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %h = kernel.range 0 to 8
// CHECK-NEXT:     %cu = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %cv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %cn = kernel.index %cu * 16 + %cv
// CHECK-NEXT:     %c = kernel.index %co * 64 + %cn
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %jo = kernel.range 0 to 5
// CHECK-NEXT:     %ju = kernel.range 0 to 14 unroll
// CHECK-NEXT:     %j = kernel.index %jo * 14 + %ju
// CHECK-NEXT:     %d = kernel.range 0 to 32
// CHECK-NEXT:     %dp = kernel.range 0 to 32
// CHECK-NEXT:     %iup = kernel.range 0 to 1
// CHECK-NEXT:     %ivp = kernel.range 0 to 16
// CHECK-NEXT:     %ii_1 = kernel.index %iup * 16 + %ivp
// CHECK-NEXT:     %i_1 = kernel.index %io * 16 + %ii_1
// CHECK-NEXT:     %2 = kernel.index min(%i_1, 99)
// CHECK-NEXT:     %x = kernel.load %q[%h, %2, %dp]
// CHECK-NEXT:     %q_panel = kernel.stage %x[%dp, %iup, %ivp] over(%dp, %iup, %ivp) : !kernel.buf<[32, 1, 16] x f32, local>
// CHECK-NEXT:     %x_1 = kernel.load %q_panel[%d, %iu, %iv]
// CHECK-NEXT:     %w = kernel.load %k[%h, %j, %d]
// CHECK-NEXT:     %p = arith.mulf %x_1, %w fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %jop = kernel.range 0 to 5
// CHECK-NEXT:     %jup = kernel.range 0 to 14
// CHECK-NEXT:     %iup2 = kernel.range 0 to 1
// CHECK-NEXT:     %ivp2 = kernel.range 0 to 16
// CHECK-NEXT:     %ii_2 = kernel.index %iup2 * 16 + %ivp2
// CHECK-NEXT:     %i_2 = kernel.index %io * 16 + %ii_2
// CHECK-NEXT:     %3 = kernel.index min(%i_2, 99)
// CHECK-NEXT:     %j_1 = kernel.index %jop * 14 + %jup
// CHECK-NEXT:     %on = kernel.load %b[%3, %j_1]
// CHECK-NEXT:     %b_panel = kernel.stage %on[%jop, %jup, %iup2, %ivp2] over(%jop, %jup, %iup2, %ivp2) : !kernel.buf<[5, 14, 1, 16] x i1, local>
// CHECK-NEXT:     %on_1 = kernel.load %b_panel[%jo, %ju, %iu, %iv]
// CHECK-NEXT:     %e = math.exp %s : f32
// CHECK-NEXT:     %f = arith.select %on_1, %e, %zero : f32
// CHECK-NEXT:     %row = kernel.stage %f[%j, %ii] over(%jo, %ju, %iu, %iv) : !kernel.buf<[70, 16] x f32, local>
// CHECK-NEXT:     %z = kernel.reduce %f over(%jo, %ju) {kind = "add"}
// CHECK-NEXT:     %column = kernel.stage %z[%ii] over(%iu, %iv) : !kernel.buf<[16] x f32, local>
// CHECK-NEXT:     %z_1 = kernel.load %column[%ir]
// CHECK-NEXT:     %l = kernel.range 0 to 70
// CHECK-NEXT:     %g = kernel.load %row[%l, %ir]
// CHECK-NEXT:     %u = kernel.load %v[%h, %l, %c]
// CHECK-NEXT:     %r = arith.mulf %g, %u fastmath<contract> : f32
// CHECK-NEXT:     %a = kernel.reduce %r over(%l) {kind = "add"}
// CHECK-NEXT:     %t = arith.divf %a, %z_1 : f32
// CHECK-NEXT:     kernel.store %t, %y[%i, %h, %c] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @logsumexp(out %y: !kernel.buf<[100] x f32>, in %x: !kernel.buf<[100, 32] x f32>, in %w: !kernel.buf<[32, 500] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 7
// CHECK-NEXT:     %iu = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ii = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 16 + %ii
// CHECK-NEXT:     %0 = kernel.index 100
// CHECK-NEXT:     %1 = arith.cmpi slt, %i, %0 : index
// CHECK-NEXT:     %jo = kernel.range 0 to 20
// CHECK-NEXT:     %ju = kernel.range 0 to 25 unroll
// CHECK-NEXT:     %j = kernel.index %jo * 25 + %ju
// CHECK-NEXT:     %d = kernel.range 0 to 32
// CHECK-NEXT:     %dp = kernel.range 0 to 32
// CHECK-NEXT:     %iup = kernel.range 0 to 1
// CHECK-NEXT:     %ivp = kernel.range 0 to 16
// CHECK-NEXT:     %ii_1 = kernel.index %iup * 16 + %ivp
// CHECK-NEXT:     %i_1 = kernel.index %io * 16 + %ii_1
// CHECK-NEXT:     %2 = kernel.index min(%i_1, 99)
// CHECK-NEXT:     %u = kernel.load %x[%2, %dp]
// CHECK-NEXT:     %x_panel = kernel.stage %u[%dp, %iup, %ivp] over(%dp, %iup, %ivp) : !kernel.buf<[32, 1, 16] x f32, local>
// CHECK-NEXT:     %u_1 = kernel.load %x_panel[%d, %iu, %iv]
// CHECK-NEXT:     %v = kernel.load %w[%d, %j]
// CHECK-NEXT:     %p = arith.mulf %u_1, %v fastmath<contract> : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %s[%j, %ii] over(%jo, %ju, %iu, %iv) : !kernel.buf<[500, 16] x f32, local>
// CHECK-NEXT:     %m = kernel.reduce %s over(%jo, %ju) {kind = "max"}
// CHECK-NEXT:     %n = kernel.range 0 to 500
// CHECK-NEXT:     %s1 = kernel.load %row[%n, %ii]
// CHECK-NEXT:     %t = arith.subf %s1, %m : f32
// CHECK-NEXT:     %e = math.exp %t : f32
// CHECK-NEXT:     %z = kernel.reduce %e over(%n) {kind = "add"}
// CHECK-NEXT:     %g = math.log %z : f32
// CHECK-NEXT:     %r = arith.addf %g, %m : f32
// CHECK-NEXT:     kernel.store %r, %y[%i] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @same_names(out %y: !kernel.buf<[48, 20] x f32>, in %t: !kernel.buf<[48, 16] x f32>, in %t_1: !kernel.buf<[30, 16] x f32>, in %v: !kernel.buf<[30, 20] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 1
// CHECK-NEXT:     %co = kernel.range 0 to 1
// CHECK-NEXT:     %iro = kernel.range 0 to 4
// CHECK-NEXT:     %iru = kernel.range 0 to 12 unroll
// CHECK-NEXT:     %ir = kernel.index %iro * 12 + %iru
// CHECK-NEXT:     %iu = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ii = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 48 + %ir
// CHECK-NEXT:     %cu = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %cv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %cn = kernel.index %cu * 16 + %cv
// CHECK-NEXT:     %c = kernel.index %co * 32 + %cn
// CHECK-NEXT:     %0 = kernel.index 20
// CHECK-NEXT:     %1 = arith.cmpi slt, %c, %0 : index
// CHECK-NEXT:     %jo = kernel.range 0 to 5
// CHECK-NEXT:     %ju = kernel.range 0 to 6 unroll
// CHECK-NEXT:     %j = kernel.index %jo * 6 + %ju
// CHECK-NEXT:     %d = kernel.range 0 to 16
// CHECK-NEXT:     %dp = kernel.range 0 to 16
// CHECK-NEXT:     %iup = kernel.range 0 to 3
// CHECK-NEXT:     %ivp = kernel.range 0 to 16
// CHECK-NEXT:     %ii_1 = kernel.index %iup * 16 + %ivp
// CHECK-NEXT:     %i_1 = kernel.index %io * 48 + %ii_1
// CHECK-NEXT:     %x = kernel.load %t[%i_1, %dp]
// CHECK-NEXT:     %t_panel = kernel.stage %x[%dp, %iup, %ivp] over(%dp, %iup, %ivp) : !kernel.buf<[16, 3, 16] x f32, local>
// CHECK-NEXT:     %x_1 = kernel.load %t_panel[%d, %iu, %iv]
// CHECK-NEXT:     %w = kernel.load %t_1[%j, %d]
// CHECK-NEXT:     %p = arith.mulf %x_1, %w : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %s[%j, %ii] over(%jo, %ju, %iu, %iv) : !kernel.buf<[30, 48] x f32, local>
// CHECK-NEXT:     %l = kernel.range 0 to 30
// CHECK-NEXT:     %g = kernel.load %row[%l, %ir]
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %u = kernel.load %v[%l, %c] if %1 else %2
// CHECK-NEXT:     %r = arith.mulf %g, %u : f32
// CHECK-NEXT:     %a = kernel.reduce %r over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %a, %y[%i, %c] if %1
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @one_matrix(out %y: !kernel.buf<[48, 16] x f32>, in %x: !kernel.buf<[48, 16] x f32>) {
// CHECK-NEXT:     %io = kernel.range 0 to 1
// CHECK-NEXT:     %co = kernel.range 0 to 1
// CHECK-NEXT:     %iro = kernel.range 0 to 2
// CHECK-NEXT:     %iru = kernel.range 0 to 24 unroll
// CHECK-NEXT:     %ir = kernel.index %iro * 24 + %iru
// CHECK-NEXT:     %iu = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %iv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %ii = kernel.index %iu * 16 + %iv
// CHECK-NEXT:     %i = kernel.index %io * 48 + %ir
// CHECK-NEXT:     %cu = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %cv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %cn = kernel.index %cu * 16 + %cv
// CHECK-NEXT:     %c = kernel.index %co * 16 + %cn
// CHECK-NEXT:     %jo = kernel.range 0 to 6
// CHECK-NEXT:     %ju = kernel.range 0 to 8 unroll
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %ju
// CHECK-NEXT:     %d = kernel.range 0 to 16
// CHECK-NEXT:     %dp = kernel.range 0 to 16
// CHECK-NEXT:     %iup = kernel.range 0 to 3
// CHECK-NEXT:     %ivp = kernel.range 0 to 16
// CHECK-NEXT:     %ii_1 = kernel.index %iup * 16 + %ivp
// CHECK-NEXT:     %i_1 = kernel.index %io * 48 + %ii_1
// CHECK-NEXT:     %q = kernel.load %x[%i_1, %dp]
// CHECK-NEXT:     %x_panel = kernel.stage %q[%dp, %iup, %ivp] over(%dp, %iup, %ivp) : !kernel.buf<[16, 3, 16] x f32, local>
// CHECK-NEXT:     %q_1 = kernel.load %x_panel[%d, %iu, %iv]
// CHECK-NEXT:     %k = kernel.load %x[%j, %d]
// CHECK-NEXT:     %p = arith.mulf %q_1, %k : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %s[%j, %ii] over(%jo, %ju, %iu, %iv) : !kernel.buf<[48, 48] x f32, local>
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %g = kernel.load %row[%l, %ir]
// CHECK-NEXT:     %v = kernel.load %x[%l, %c]
// CHECK-NEXT:     %r = arith.mulf %g, %v : f32
// CHECK-NEXT:     %a = kernel.reduce %r over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %a, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @refused(out %y: !kernel.buf<[48, 16] x f32>, in %x: !kernel.buf<[48, 16] x f32>, in %w: !kernel.buf<[48, 16] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 48
// CHECK-NEXT:     %c = kernel.range 0 to 16
// CHECK-NEXT:     %j = kernel.range 0 to 48
// CHECK-NEXT:     %d = kernel.range 0 to 16
// CHECK-NEXT:     %back = kernel.index -%d + 15
// CHECK-NEXT:     %q = kernel.load %x[%i, %d]
// CHECK-NEXT:     %r = kernel.load %x[%i, %back]
// CHECK-NEXT:     %b = arith.addf %q, %r : f32
// CHECK-NEXT:     %k = kernel.load %w[%j, %d]
// CHECK-NEXT:     %p = arith.mulf %b, %k : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%d) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %s[%j] over(%j) : !kernel.buf<[48] x f32, local>
// CHECK-NEXT:     %l = kernel.range 0 to 48
// CHECK-NEXT:     %g = kernel.load %row[%l]
// CHECK-NEXT:     %v = kernel.load %w[%l, %c]
// CHECK-NEXT:     %m = arith.mulf %g, %v : f32
// CHECK-NEXT:     %a = kernel.reduce %m over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %a, %y[%i, %c]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[32, 512] x f32>, in %x: !kernel.buf<[32, 512] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 32
// CHECK-NEXT:     %k = kernel.range 0 to 512
// CHECK-NEXT:     %j = kernel.range 0 to 512
// CHECK-NEXT:     %w = kernel.load %x[%i, %k]
// CHECK-NEXT:     %e = math.exp %w : f32
// CHECK-NEXT:     %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[512] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %e over(%k) {kind = "add"}
// CHECK-NEXT:     %f = kernel.load %row[%j]
// CHECK-NEXT:     %q = arith.divf %f, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few(out %y: !kernel.buf<[8, 4] x f32>, in %x: !kernel.buf<[8, 16] x f32>, in %w: !kernel.buf<[16, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %j = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 16
// CHECK-NEXT:     %u = kernel.load %x[%i, %k]
// CHECK-NEXT:     %e = math.exp %u : f32
// CHECK-NEXT:     %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[16] x f32, local>
// CHECK-NEXT:     %l = kernel.range 0 to 16
// CHECK-NEXT:     %f = kernel.load %row[%l]
// CHECK-NEXT:     %v = kernel.load %w[%l, %j]
// CHECK-NEXT:     %p = arith.mulf %f, %v : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%l) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// AVX2:      remark: 100 rows of 6000 bytes, 38400000 products, 96000 bytes a block: split-range{range=i by=16 outer=io inner=ii loads=clamped},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=5 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=q over=d,iu,iv scalar=true},split-range{range=ir by=4 outer=iro inner=iru loads=clamped},split-range{range=c by=16 outer=co inner=cn loads=gated},split-range{range=cn by=8 outer=cu inner=cv loads=gated},set-kind{range=iru kind=unroll},set-kind{range=cu kind=unroll},set-kind{range=cv kind=vector},order-ranges{order=co,iro} [block-rows, passed]
// AVX2-NEXT: remark: 100 rows of 280 bytes, 5376000 products, 4480 bytes a block: split-range{range=i by=16 outer=io inner=ii loads=clamped},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=5 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=q over=d,iu,iv scalar=true},pack-buffer{buffer=b over=jo,ju,iu,iv scalar=true},split-range{range=ir by=4 outer=iro inner=iru loads=clamped},split-range{range=c by=16 outer=co inner=cn loads=gated},split-range{range=cn by=8 outer=cu inner=cv loads=gated},set-kind{range=iru kind=unroll},set-kind{range=cu kind=unroll},set-kind{range=cv kind=vector},order-ranges{order=co,iro} [block-rows, passed]
// AVX2-NEXT: remark: 100 rows of 2000 bytes, 1600000 products, 32000 bytes a block: split-range{range=i by=16 outer=io inner=ii loads=clamped},widen-stages{range=ii},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=5 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=x over=d,iu,iv scalar=true} [block-rows, passed]
// AVX2-NEXT: remark: 48 rows of 120 bytes, 51840 products, 1920 bytes a block: split-range{range=i by=16 outer=io inner=ii loads=clamped},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=6 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=t over=d,iu,iv scalar=true},split-range{range=ir by=4 outer=iro inner=iru loads=clamped},split-range{range=c by=24 outer=co inner=cn loads=gated},split-range{range=cn by=8 outer=cu inner=cv loads=gated},set-kind{range=iru kind=unroll},set-kind{range=cu kind=unroll},set-kind{range=cv kind=vector},order-ranges{order=co,iro} [block-rows, passed]
// AVX2-NEXT: remark: 48 rows of 192 bytes, 73728 products, 4608 bytes a block: split-range{range=i by=24 outer=io inner=ii loads=clamped},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=4 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=x over=d,iu,iv scalar=true},split-range{range=ir by=6 outer=iro inner=iru loads=clamped},split-range{range=c by=16 outer=co inner=cn loads=gated},split-range{range=cn by=8 outer=cu inner=cv loads=gated},set-kind{range=iru kind=unroll},set-kind{range=cu kind=unroll},set-kind{range=cv kind=vector},order-ranges{order=co,iro} [block-rows, passed]
// AVX2-NEXT: remark: not legal here: %x is not loaded at one place but used at 2; tried split-range{range=i by=24 outer=io inner=ii loads=clamped},widen-stages{range=ii},fission-range{range=ii buffer=y copy=ir},split-range{range=ii by=8 outer=iu inner=iv loads=gated},set-kind{range=iv kind=vector},split-range{range=j by=4 outer=jo inner=ju loads=clamped},set-kind{range=ju kind=unroll},pack-buffer{buffer=x over=d,iu,iv scalar=true},pack-buffer{buffer=x over=d,iu,iv scalar=true},split-range{range=ir by=6 outer=iro inner=iru loads=clamped},split-range{range=c by=16 outer=co inner=cn loads=gated},split-range{range=cn by=8 outer=cu inner=cv loads=gated},set-kind{range=iru kind=unroll},set-kind{range=cu kind=unroll},set-kind{range=cv kind=vector},order-ranges{order=co,iro} [block-rows, missed]
// AVX2-NEXT: remark: 8 rows of 64 bytes, 512 products are too few for a block [block-rows, missed]
