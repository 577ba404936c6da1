// RUN: teeny-opt %s -p "kernel.func(running-folds{l1=32768 l2=1048576})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(running-folds{l1=32768 l2=1048576},simplify-kernel,block-rows{vector-bits=512 registers=32 l2=1048576})" --check-each -o /dev/null
// RUN: teeny-opt %s -p "kernel.func(running-folds{l1=32768 l2=1048576},simplify-kernel,block-rows{vector-bits=512 registers=32 l2=1048576})" --remarks -o /dev/null 2>&1 | grep -o "remark: [0-9].*" | sed 's/},/},\n  /g' | FileCheck %s --check-prefix=BLOCKS

// A row of any length: half of the first-level cache at a time.
kernel.func @any(out %y: !kernel.buf<[M] x f32>, in %x: !kernel.buf<[M, N] x f32>) dims(M in 1.., N in 1..) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to N
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to N
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// A row that stays in the second-level cache is read twice.
kernel.func @short(out %y: !kernel.buf<[M] x f32>, in %x: !kernel.buf<[M, 100000] x f32>) dims(M in 1..) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to 100000
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 100000
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// A row that lies across memory drags the columns beside it along, a hundred thousand lines here.
kernel.func @across(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[100000, 64] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 100000
  %a = kernel.load %x[%j, %i]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to 100000
  %b = kernel.load %x[%k, %i]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%k) {kind = "add"}
  kernel.store %s, %y[%i]
}

// The exponentials are staged in the loop of their sum: they are computed once as it is.
kernel.func @staged(out %y: !kernel.buf<[M, N] x f32>, in %x: !kernel.buf<[M, N] x f32>) dims(M in 1.., N in 1..300000) {
  %i = kernel.range 0 to M
  %l = kernel.range 0 to N
  %j = kernel.range 0 to N
  %a = kernel.load %x[%i, %j]
  %m = kernel.reduce %a over(%j) {kind = "max"}
  %k = kernel.range 0 to N
  %b = kernel.load %x[%i, %k]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%k] over(%k) : !kernel.buf<[300000] x f32, local>
  %s = kernel.reduce %e over(%k) {kind = "add"}
  %f = kernel.load %row[%l]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %l]
}

// Products on both sides: blocks of 128 scores, of many rows at once.
kernel.func @attention(out %y: !kernel.buf<[100, 64] x f32>, in %q: !kernel.buf<[100, 64] x f32>, in %k: !kernel.buf<[N, 64] x f32>, in %v: !kernel.buf<[N, 64] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to 100
  %c = kernel.range 0 to 64
  %j = kernel.range 0 to N
  %g0 = kernel.range 0 to 64
  %q0 = kernel.load %q[%i, %g0]
  %k0 = kernel.load %k[%j, %g0]
  %p0 = arith.mulf %q0, %k0 fastmath<contract> : f32
  %s0 = kernel.reduce %p0 over(%g0) {kind = "add"}
  %m = kernel.reduce %s0 over(%j) {kind = "max"}
  %l = kernel.range 0 to N
  %g1 = kernel.range 0 to 64
  %q1 = kernel.load %q[%i, %g1]
  %k1 = kernel.load %k[%l, %g1]
  %p1 = arith.mulf %q1, %k1 fastmath<contract> : f32
  %s1 = kernel.reduce %p1 over(%g1) {kind = "add"}
  %d1 = arith.subf %s1, %m : f32
  %e1 = math.exp %d1 : f32
  %s = kernel.reduce %e1 over(%l) {kind = "add"}
  %n = kernel.range 0 to N
  %g2 = kernel.range 0 to 64
  %q2 = kernel.load %q[%i, %g2]
  %k2 = kernel.load %k[%n, %g2]
  %p2 = arith.mulf %q2, %k2 fastmath<contract> : f32
  %s2 = kernel.reduce %p2 over(%g2) {kind = "add"}
  %d2 = arith.subf %s2, %m : f32
  %e2 = math.exp %d2 : f32
  %w = arith.divf %e2, %s : f32
  %u = kernel.load %v[%n, %c]
  %t = arith.mulf %w, %u fastmath<contract> : f32
  %o = kernel.reduce %t over(%n) {kind = "add"}
  kernel.store %o, %y[%i, %c]
}

// CHECK:      remark: folded as it runs: running-fold{range=j by=4096 edge=clipped} [running-folds, passed]
// CHECK-NEXT: remark: folded as it runs: running-fold{range=j by=16 edge=clipped} [running-folds, passed]
// CHECK-NEXT: remark: folded as it runs: running-fold{range=j by=128 edge=clamped} [running-folds, passed]

// BLOCKS:      remark: 100 rows of 1284 bytes, 1677721600 products, 20544 bytes a block: split-range{range=i by=16 outer=io inner=ii loads=clamped},
// BLOCKS-NEXT:   widen-stages{range=ii},
// BLOCKS-NEXT:   fission-range{range=ii buffer=y copy=ir clipped=true},
// BLOCKS-NEXT:   split-range{range=ii by=16 outer=iu inner=iv loads=gated},
// BLOCKS-NEXT:   set-kind{range=iv kind=vector},
// BLOCKS-NEXT:   split-range{range=ji by=16 outer=jio inner=jiu loads=clamped},
// BLOCKS-NEXT:   set-kind{range=jiu kind=unroll},
// BLOCKS-NEXT:   split-range{range=c2 by=16 outer=c2o inner=c2u loads=clamped},
// BLOCKS-NEXT:   set-kind{range=c2u kind=unroll},
// BLOCKS-NEXT:   pack-buffer{buffer=q over=g02,iu,iv scalar=true} [block-rows, passed]
