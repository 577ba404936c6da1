// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop | filecheck %s --check-prefix=UOP

// What carries values along a loop: folds of several values, scans, scatters that may collide.

// CHECK-LABEL: kernel.func @cumsum
// CHECK:         %s = kernel.scan %v along %j {kind = "add", exclusive}

// UOP-LABEL: uop.func @cumsum
// UOP:         scf.for %i =
// UOP:           %s = scf.for %j = {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (f32) {
// UOP:             %[[AFTER:.*]] = arith.addf %[[BEFORE]], %v : f32
// UOP-NEXT:        uop.store %[[BEFORE]], %out[%{{.*}}]
// UOP-NEXT:        scf.yield %[[AFTER]] : f32
// UOP-NEXT:      }
// UOP-NEXT:    } {uop.parallel}
kernel.func @cumsum(out %out: !kernel.buf<[N, 12] x f32>, in %x: !kernel.buf<[N, 12] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 12
  %v = kernel.load %x[%i, %j]
  %s = kernel.scan %v along %j {kind = "add", exclusive}
  kernel.store %s, %out[%i, %j]
}

// CHECK-LABEL: kernel.func @argmax
// CHECK:         %most, %at = kernel.fold(%v, %n) from(%low, %zero) over(%j) {
// CHECK-NEXT:    ^bb0(%m: f32, %a: i64, %m2: f32, %a2: i64):
// CHECK:           kernel.yield %m3, %a3
// CHECK-NEXT:    }

// UOP-LABEL: uop.func @argmax
// UOP:           %most, %at = scf.for %j = {{.*}} iter_args(%[[M:.*]] = %low, %[[A:.*]] = %zero) -> (f32, i64) {
// UOP:             %greater = arith.cmpf ogt, %v, %[[M]] : f32
// UOP-NEXT:        %m3 = arith.select %greater, %v, %[[M]] : f32
// UOP-NEXT:        %a3 = arith.select %greater, %n, %[[A]] : i64
// UOP-NEXT:        scf.yield %m3, %a3 : f32, i64
// UOP-NEXT:      }
// UOP-NEXT:      uop.store %at, %out[%i]
kernel.func @argmax(out %out: !kernel.buf<[N] x i64>, in %x: !kernel.buf<[N, 12] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 12
  %v = kernel.load %x[%i, %j]
  %k = kernel.index %j
  %n = arith.index_cast %k : index to i64
  %low = arith.constant 0xff800000 : f32
  %zero = arith.constant 0 : i64
  %most, %at = kernel.fold(%v, %n) from(%low, %zero) over(%j) {
  ^bb0(%m: f32, %a: i64, %m2: f32, %a2: i64):
    %greater = arith.cmpf ogt, %m2, %m : f32
    %m3 = arith.select %greater, %m2, %m : f32
    %a3 = arith.select %greater, %a2, %a : i64
    kernel.yield %m3, %a3
  }
  kernel.store %at, %out[%i]
}

// CHECK-LABEL: kernel.func @histogram(inout %out
// CHECK:         kernel.scatter %one, %out[%k] if %inside over(%i) {kind = "add"}

// A loop in which two iterations may write one element is not parallel.
// UOP-LABEL: uop.func @histogram(inout %out
// UOP:           %[[OLD:.*]] = uop.load %out[%k] if %inside else %one : i32
// UOP-NEXT:      %[[NEW:.*]] = arith.addi %[[OLD]], %one : i32
// UOP-NEXT:      uop.store %[[NEW]], %out[%k] if %inside
// UOP-NEXT:    }
// UOP-NOT:       uop.parallel
kernel.func @histogram(inout %out: !kernel.buf<[16] x i32>, in %x: !kernel.buf<[N] x i32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  %k = arith.index_cast %v : i32 to index
  %size = kernel.index 16
  %inside = arith.cmpi ult, %k, %size : index
  %one = arith.constant 1 : i32
  kernel.scatter %one, %out[%k] if %inside over(%i) {kind = "add"}
}

// CHECK-LABEL: kernel.func @decaying
// CHECK:         %sums = kernel.stage %v[%c] over(%c) accumulating(%j) scaled(%a) {kind = "add"} : !kernel.buf<[8] x f32, local>

// Each iteration scales what those before it have summed.
// UOP-LABEL: uop.func @decaying
// UOP:           scf.for %j =
// UOP:             scf.for %c =
// UOP:               %[[SO_FAR:.*]] = uop.load %sums
// UOP-NEXT:          %[[SCALED:.*]] = arith.mulf %[[SO_FAR]], %a fastmath<contract> : f32
// UOP-NEXT:          %[[NEXT:.*]] = arith.addf %[[SCALED]], %v
// UOP-NEXT:          uop.store %[[NEXT]], %sums
kernel.func @decaying(out %out: !kernel.buf<[N, 8] x f32>, in %x: !kernel.buf<[N, 12, 8] x f32>, in %w: !kernel.buf<[12] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %k = kernel.range 0 to 8
  %j = kernel.range 0 to 12
  %c = kernel.range 0 to 8
  %a = kernel.load %w[%j]
  %v = kernel.load %x[%i, %j, %c]
  %sums = kernel.stage %v[%c] over(%c) accumulating(%j) scaled(%a) {kind = "add"} : !kernel.buf<[8] x f32, local>
  %s = kernel.load %sums[%k]
  kernel.store %s, %out[%i, %k]
}
