// RUN: teeny-opt %s -p "kernel.func(lane-rows{vector-bits=256 registers=32})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(lane-rows{vector-bits=256 registers=32})" --split-input-file --check-each -o %t
// RUN: teeny-opt %s -p "kernel.func(lane-rows{vector-bits=256 registers=16})" --split-input-file --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=FEW

// Four vectors of maxima and two of exponentials, which are staged for the quotients. Of 16
// registers, one of exponentials takes all.
// FEW: rows in vectors: {{.*}}split-range{range=j by=8 outer=jo inner=jn
kernel.func @softmax(out %y: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d {math.nonpositive} : f32
  %row = kernel.stage %e[%j] over(%j) : !kernel.buf<[64] x f32, local>
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = kernel.range 0 to 64
  %f = kernel.load %row[%l]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %l]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @softmax(out %y: !kernel.buf<[4, 64] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %ko = kernel.range 0 to 2
// CHECK-NEXT:     %ku = kernel.range 0 to 4 unroll
// CHECK-NEXT:     %kv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %kn = kernel.index %ku * 8 + %kv
// CHECK-NEXT:     %k = kernel.index %ko * 32 + %kn
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%ko) {kind = "maxnum"}
// CHECK-NEXT:     %m = kernel.reduce %0 over(%ku, %kv) {kind = "maxnum"}
// CHECK-NEXT:     %jo = kernel.range 0 to 4
// CHECK-NEXT:     %ju = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 8 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 16 + %jn
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d {math.nonpositive} : f32
// CHECK-NEXT:     %row = kernel.stage %e[%j] over(%jo, %ju, %jv) : !kernel.buf<[64] x f32, local>
// CHECK-NEXT:     %s = kernel.reduce %e over(%jo, %ju, %jv) {kind = "add"}
// CHECK-NEXT:     %l = kernel.range 0 to 64
// CHECK-NEXT:     %f = kernel.load %row[%l]
// CHECK-NEXT:     %q = arith.divf %f, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %l]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// As many vectors as a row is made of: 5 of 8.
kernel.func @logsumexp(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 40] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 40
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 40
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d {math.nonpositive} : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = math.log %s : f32
  %r = arith.addf %l, %m : f32
  kernel.store %r, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @logsumexp(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 40] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %ko = kernel.range 0 to 5
// CHECK-NEXT:     %ku = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %kv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %kn = kernel.index %ku * 8 + %kv
// CHECK-NEXT:     %k = kernel.index %ko * 8 + %kn
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%ko) {kind = "maxnum"}
// CHECK-NEXT:     %m = kernel.reduce %0 over(%ku, %kv) {kind = "maxnum"}
// CHECK-NEXT:     %jo = kernel.range 0 to 5
// CHECK-NEXT:     %ju = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 8 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %jn
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d {math.nonpositive} : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%jo, %ju, %jv) {kind = "add"}
// CHECK-NEXT:     %l = math.log %s : f32
// CHECK-NEXT:     %r = arith.addf %l, %m : f32
// CHECK-NEXT:     kernel.store %r, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The last vector is there in part: what is beyond the row is no number of it, and what is staged
// has room for it.
kernel.func @part(out %y: !kernel.buf<[4, 20] x f32>, in %x: !kernel.buf<[4, 20] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 20
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 20
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d {math.nonpositive} : f32
  %row = kernel.stage %e[%j] over(%j) : !kernel.buf<[20] x f32, local>
  %s = kernel.reduce %e over(%j) {kind = "add"}
  %l = kernel.range 0 to 20
  %f = kernel.load %row[%l]
  %q = arith.divf %f, %s : f32
  kernel.store %q, %y[%i, %l]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @part(out %y: !kernel.buf<[4, 20] x f32>, in %x: !kernel.buf<[4, 20] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %ko = kernel.range 0 to 1
// CHECK-NEXT:     %ku = kernel.range 0 to 3 unroll
// CHECK-NEXT:     %kv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %kn = kernel.index %ku * 8 + %kv
// CHECK-NEXT:     %k = kernel.index %ko * 24 + %kn
// CHECK-NEXT:     %0 = kernel.index 20
// CHECK-NEXT:     %1 = arith.cmpi slt, %k, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %v = kernel.load %x[%i, %k] if %1 else %2
// CHECK-NEXT:     %3 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %4 = arith.select %1, %v, %3 : f32
// CHECK-NEXT:     %5 = kernel.reduce %4 over(%ko) {kind = "maxnum"}
// CHECK-NEXT:     %m = kernel.reduce %5 over(%ku, %kv) {kind = "maxnum"}
// CHECK-NEXT:     %jo = kernel.range 0 to 3
// CHECK-NEXT:     %ju = kernel.range 0 to 1 unroll
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jn = kernel.index %ju * 8 + %jv
// CHECK-NEXT:     %j = kernel.index %jo * 8 + %jn
// CHECK-NEXT:     %6 = kernel.index 20
// CHECK-NEXT:     %7 = arith.cmpi slt, %j, %6 : index
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %w = kernel.load %x[%i, %j] if %7 else %8
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d {math.nonpositive} : f32
// CHECK-NEXT:     %row = kernel.stage %e[%j] over(%jo, %ju, %jv) : !kernel.buf<[24] x f32, local>
// CHECK-NEXT:     %9 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %10 = arith.select %7, %e, %9 : f32
// CHECK-NEXT:     %s = kernel.reduce %10 over(%jo, %ju, %jv) {kind = "add"}
// CHECK-NEXT:     %l = kernel.range 0 to 20
// CHECK-NEXT:     %f = kernel.load %row[%l]
// CHECK-NEXT:     %q = arith.divf %f, %s : f32
// CHECK-NEXT:     kernel.store %q, %y[%i, %l]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Left as they are: rows of less than a vector or of other types, across memory, and where the
// maximum is a result, so that NaN is to be in it.
kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 7] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 7
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 7
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}
kernel.func @wide(out %y: !kernel.buf<[4] x f64>, in %x: !kernel.buf<[4, 64] x f64>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f64
  %e = math.exp %d : f64
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}
kernel.func @across(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[64, 4] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%k, %i]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%j, %i]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}
kernel.func @both(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 64
  %v = kernel.load %x[%i, %k]
  %m = kernel.reduce %v over(%k) {kind = "max"}
  %j = kernel.range 0 to 64
  %w = kernel.load %x[%i, %j]
  %d = arith.subf %w, %m : f32
  %e = math.exp %d : f32
  %s = kernel.reduce %e over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
  kernel.store %m, %z[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 7] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 7
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %j = kernel.range 0 to 7
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @wide(out %y: !kernel.buf<[4] x f64>, in %x: !kernel.buf<[4, 64] x f64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f64
// CHECK-NEXT:     %e = math.exp %d : f64
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @across(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[64, 4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%k, %i]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%j, %i]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @both(out %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %k = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %k]
// CHECK-NEXT:     %m = kernel.reduce %v over(%k) {kind = "max"}
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %w = kernel.load %x[%i, %j]
// CHECK-NEXT:     %d = arith.subf %w, %m : f32
// CHECK-NEXT:     %e = math.exp %d : f32
// CHECK-NEXT:     %s = kernel.reduce %e over(%j) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %y[%i]
// CHECK-NEXT:     kernel.store %m, %z[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }
