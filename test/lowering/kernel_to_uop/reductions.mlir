// RUN: teeny-opt %s -p kernel-to-uop --split-input-file | FileCheck %s

// Reductions carry a register, stages fill local memory.

kernel.func @matmul(out %y: !kernel.buf<[N, 128] x f32>, in %x: !kernel.buf<[N, 784] x f32>, in %w: !kernel.buf<[784, 128] x f32>) dims(N in 1..1024) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 128
  %k = kernel.range 0 to 784
  %a = kernel.load %x[%i, %k]
  %b = kernel.load %w[%k, %j]
  %m = arith.mulf %a, %b : f32
  %s = kernel.reduce %m over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// A tile of sums, lanes outside: the copies that share a scalar, an element of b, follow each other.
kernel.func @tile(out %y: !kernel.buf<[2, 8] x f32>, in %a: !kernel.buf<[16, 8] x f32>, in %b: !kernel.buf<[2, 16] x f32>) {
  %ju = kernel.range 0 to 2 unroll
  %jv = kernel.range 0 to 4 vector
  %i = kernel.range 0 to 2 unroll
  %k = kernel.range 0 to 16
  %x = kernel.load %a[%k, %ju * 4 + %jv]
  %w = kernel.load %b[%i, %k]
  %m = arith.mulf %x, %w : f32
  %s = kernel.reduce %m over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %ju * 4 + %jv]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @matmul(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f32>) dims(%N: N in 1..1024) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c128 = arith.constant 128 : index
// CHECK-NEXT:     %c784 = arith.constant 784 : index
// CHECK-NEXT:     scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:       %0 = arith.muli %i, %c784 : index
// CHECK-NEXT:       %1 = arith.muli %i, %c128 : index
// CHECK-NEXT:       scf.for %j = %c0 to %c128 step %c1 {
// CHECK-NEXT:         %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:         %s = scf.for %k = %c0 to %c784 step %c1 iter_args(%s_1 = %2) -> (f32) {
// CHECK-NEXT:           %3 = arith.addi %0, %k : index
// CHECK-NEXT:           %a = uop.load %x[%3] : f32
// CHECK-NEXT:           %4 = arith.muli %k, %c128 : index
// CHECK-NEXT:           %5 = arith.addi %j, %4 : index
// CHECK-NEXT:           %b = uop.load %w[%5] : f32
// CHECK-NEXT:           %m = arith.mulf %a, %b : f32
// CHECK-NEXT:           %6 = arith.addf %s_1, %m fastmath<reassoc,contract> : f32
// CHECK-NEXT:           scf.yield %6 : f32
// CHECK-NEXT:         }
// CHECK-NEXT:         %7 = arith.addi %1, %j : index
// CHECK-NEXT:         uop.store %s, %y[%7]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @tile(out %y: !uop.ptr<f32>, in %a: !uop.ptr<f32>, in %b: !uop.ptr<f32>) {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = vector.broadcast %0 : f32 to vector<4xf32>
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c16 = arith.constant 16 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %s, %s_1, %s_2, %s_3 = scf.for %k = %c0 to %c16 step %c1 iter_args(%s_4 = %1, %s_5 = %1, %s_6 = %1, %s_7 = %1) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-NEXT:       %2 = arith.muli %k, %c8 : index
// CHECK-NEXT:       %x = uop.load %a[%2] : vector<4xf32>
// CHECK-NEXT:       %w = uop.load %b[%k] : f32
// CHECK-NEXT:       %3 = vector.broadcast %w : f32 to vector<4xf32>
// CHECK-NEXT:       %m = arith.mulf %x, %3 : vector<4xf32>
// CHECK-NEXT:       %4 = arith.addf %s_4, %m fastmath<contract> : vector<4xf32>
// CHECK-NEXT:       %5 = arith.addi %2, %c4 : index
// CHECK-NEXT:       %x_1 = uop.load %a[%5] : vector<4xf32>
// CHECK-NEXT:       %m_1 = arith.mulf %x_1, %3 : vector<4xf32>
// CHECK-NEXT:       %6 = arith.addf %s_6, %m_1 fastmath<contract> : vector<4xf32>
// CHECK-NEXT:       %7 = arith.addi %k, %c16 : index
// CHECK-NEXT:       %w_1 = uop.load %b[%7] : f32
// CHECK-NEXT:       %8 = vector.broadcast %w_1 : f32 to vector<4xf32>
// CHECK-NEXT:       %m_2 = arith.mulf %x, %8 : vector<4xf32>
// CHECK-NEXT:       %9 = arith.addf %s_5, %m_2 fastmath<contract> : vector<4xf32>
// CHECK-NEXT:       %m_3 = arith.mulf %x_1, %8 : vector<4xf32>
// CHECK-NEXT:       %10 = arith.addf %s_7, %m_3 fastmath<contract> : vector<4xf32>
// CHECK-NEXT:       scf.yield %4, %9, %6, %10 : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s, %y[%c0]
// CHECK-NEXT:     uop.store %s_1, %y[%c8]
// CHECK-NEXT:     uop.store %s_2, %y[%c4]
// CHECK-NEXT:     %c12 = arith.constant 12 : index
// CHECK-NEXT:     uop.store %s_3, %y[%c12]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Over several ranges the register goes through all loops.

kernel.func @two_loops(out %y: !kernel.buf<[] x i8>, in %x: !kernel.buf<[4, 8] x i8>) {
  %k = kernel.range 0 to 4
  %l = kernel.range 0 to 8
  %a = kernel.load %x[%k, %l]
  %s = kernel.reduce %a over(%k, %l) {kind = "umax"}
  kernel.store %s, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @two_loops(out %y: !uop.ptr<i8>, in %x: !uop.ptr<i8>) {
// CHECK-NEXT:     %0 = arith.constant 0 : i8
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%s_1 = %0) -> (i8) {
// CHECK-NEXT:       %1 = arith.muli %k, %c8 : index
// CHECK-NEXT:       %s_2 = scf.for %l = %c0 to %c8 step %c1 iter_args(%s_3 = %s_1) -> (i8) {
// CHECK-NEXT:         %2 = arith.addi %1, %l : index
// CHECK-NEXT:         %a = uop.load %x[%2] : i8
// CHECK-NEXT:         %3 = arith.maxui %s_3, %a : i8
// CHECK-NEXT:         scf.yield %3 : i8
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.yield %s_2 : i8
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A reduction of reductions: the inner one starts anew in each iteration of the outer one.

kernel.func @nested(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %k = kernel.range 0 to 4
  %l = kernel.range 0 to 8
  %a = kernel.load %x[%k, %l]
  %s = kernel.reduce %a over(%l) {kind = "add"}
  %e = math.exp %s : f32
  %m = kernel.reduce %e over(%k) {kind = "max"}
  kernel.store %m, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @nested(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %0 = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %m = scf.for %k = %c0 to %c4 step %c1 iter_args(%m_1 = %0) -> (f32) {
// CHECK-NEXT:       %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %2 = arith.muli %k, %c8 : index
// CHECK-NEXT:       %s = scf.for %l = %c0 to %c8 step %c1 iter_args(%s_1 = %1) -> (f32) {
// CHECK-NEXT:         %3 = arith.addi %2, %l : index
// CHECK-NEXT:         %a = uop.load %x[%3] : f32
// CHECK-NEXT:         %4 = arith.addf %s_1, %a fastmath<reassoc,contract> : f32
// CHECK-NEXT:         scf.yield %4 : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       %e = math.exp %s : f32
// CHECK-NEXT:       %5 = arith.maximumf %m_1, %e : f32
// CHECK-NEXT:       scf.yield %5 : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %m, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Two reductions of one range share its loop.

kernel.func @fused(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 8
  %a = kernel.load %x[%i, %k]
  %s = kernel.reduce %a over(%k) {kind = "add"}
  %q = arith.mulf %a, %a : f32
  %t = kernel.reduce %q over(%k) {kind = "add"}
  %d = arith.divf %s, %t : f32
  kernel.store %d, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @fused(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %2 = arith.muli %i, %c8 : index
// CHECK-NEXT:       %s, %t = scf.for %k = %c0 to %c8 step %c1 iter_args(%s_1 = %0, %t_1 = %1) -> (f32, f32) {
// CHECK-NEXT:         %3 = arith.addi %2, %k : index
// CHECK-NEXT:         %a = uop.load %x[%3] : f32
// CHECK-NEXT:         %4 = arith.addf %s_1, %a fastmath<reassoc,contract> : f32
// CHECK-NEXT:         %q = arith.mulf %a, %a : f32
// CHECK-NEXT:         %5 = arith.addf %t_1, %q fastmath<reassoc,contract> : f32
// CHECK-NEXT:         scf.yield %4, %5 : f32, f32
// CHECK-NEXT:       }
// CHECK-NEXT:       %d = arith.divf %s, %t : f32
// CHECK-NEXT:       uop.store %d, %y[%i]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A value that does not depend on the range is still combined once for each of its iterations.

kernel.func @same_value(out %y: !kernel.buf<[] x i32>) {
  %k = kernel.range 0 to 8
  %a = arith.constant 3 : i32
  %s = kernel.reduce %a over(%k) {kind = "add"}
  kernel.store %s, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @same_value(out %y: !uop.ptr<i32>) {
// CHECK-NEXT:     %a = arith.constant 3 : i32
// CHECK-NEXT:     %0 = arith.constant 0 : i32
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%s_1 = %0) -> (i32) {
// CHECK-NEXT:       %1 = arith.addi %s_1, %a : i32
// CHECK-NEXT:       scf.yield %1 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Softmax: a loop for the maximum, one that keeps the row and sums it, one that divides.

kernel.func @softmax(out %y: !kernel.buf<[N, 50] x f32>, in %x: !kernel.buf<[N, 50] x f32>) dims(N in 1..) {
  %i = kernel.range 0 to N
  %jm = kernel.range 0 to 50
  %a = kernel.load %x[%i, %jm]
  %m = kernel.reduce %a over(%jm) {kind = "max"}
  %jp = kernel.range 0 to 50
  %b = kernel.load %x[%i, %jp]
  %d = arith.subf %b, %m : f32
  %e = math.exp %d : f32
  %row = kernel.stage %e[%jp] over(%jp) : !kernel.buf<[50] x f32, local>
  %s = kernel.reduce %e over(%jp) {kind = "add"}
  %j = kernel.range 0 to 50
  %f = kernel.load %row[%j]
  %v = arith.divf %f, %s : f32
  kernel.store %v, %y[%i, %j]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @softmax(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c50 = arith.constant 50 : index
// CHECK-NEXT:     scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:       %0 = arith.constant 0xff800000 : f32
// CHECK-NEXT:       %1 = arith.muli %i, %c50 : index
// CHECK-NEXT:       %m = scf.for %jm = %c0 to %c50 step %c1 iter_args(%m_1 = %0) -> (f32) {
// CHECK-NEXT:         %2 = arith.addi %1, %jm : index
// CHECK-NEXT:         %a = uop.load %x[%2] : f32
// CHECK-NEXT:         %3 = arith.maximumf %m_1, %a : f32
// CHECK-NEXT:         scf.yield %3 : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       %row = uop.local [50] : !uop.ptr<f32, local>
// CHECK-NEXT:       %4 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:       %s = scf.for %jp = %c0 to %c50 step %c1 iter_args(%s_1 = %4) -> (f32) {
// CHECK-NEXT:         %5 = arith.addi %1, %jp : index
// CHECK-NEXT:         %b = uop.load %x[%5] : f32
// CHECK-NEXT:         %d = arith.subf %b, %m : f32
// CHECK-NEXT:         %e = math.exp %d : f32
// CHECK-NEXT:         uop.store %e, %row[%jp]
// CHECK-NEXT:         %6 = arith.addf %s_1, %e fastmath<reassoc,contract> : f32
// CHECK-NEXT:         scf.yield %6 : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.for %j = %c0 to %c50 step %c1 {
// CHECK-NEXT:         %f = uop.load %row[%j] : f32
// CHECK-NEXT:         %v = arith.divf %f, %s : f32
// CHECK-NEXT:         %7 = arith.addi %1, %j : index
// CHECK-NEXT:         uop.store %v, %y[%7]
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The identity of each combiner, on each kind of element.

kernel.func @identities(out %y: !kernel.buf<[] x f16>, in %x: !kernel.buf<[N] x f16>, out %z: !kernel.buf<[] x i8>, in %w: !kernel.buf<[N] x i8>) dims(N in 0..) {
  %i = kernel.range 0 to N
  %f = kernel.load %x[%i]
  %0 = kernel.reduce %f over(%i) {kind = "mul"}
  %1 = kernel.reduce %f over(%i) {kind = "max"}
  %2 = kernel.reduce %f over(%i) {kind = "min"}
  %n = kernel.load %w[%i]
  %3 = kernel.reduce %n over(%i) {kind = "max"}
  %4 = kernel.reduce %n over(%i) {kind = "min"}
  %5 = kernel.reduce %n over(%i) {kind = "umin"}
  %6 = kernel.reduce %n over(%i) {kind = "and"}
  %a = arith.addf %0, %1 : f16
  %b = arith.addf %a, %2 : f16
  kernel.store %b, %y[]
  %c = arith.addi %3, %4 : i8
  %d = arith.addi %c, %5 : i8
  %e = arith.addi %d, %6 : i8
  kernel.store %e, %z[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @identities(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>, out %z: !uop.ptr<i8>, in %w: !uop.ptr<i8>) dims(%N: N in 0..) {
// CHECK-NEXT:     %0 = arith.constant 1.000000e+00 : f16
// CHECK-NEXT:     %1 = arith.constant 0xfc00 : f16
// CHECK-NEXT:     %2 = arith.constant 0x7c00 : f16
// CHECK-NEXT:     %3 = arith.constant -128 : i8
// CHECK-NEXT:     %4 = arith.constant 127 : i8
// CHECK-NEXT:     %5 = arith.constant -1 : i8
// CHECK-NEXT:     %6 = arith.constant -1 : i8
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %7, %8, %9, %10, %11, %12, %13 = scf.for %i = %c0 to %N step %c1 iter_args(%14 = %0, %15 = %1, %16 = %2, %17 = %3, %18 = %4, %19 = %5, %20 = %6) -> (f16, f16, f16, i8, i8, i8, i8) {
// CHECK-NEXT:       %f = uop.load %x[%i] : f16
// CHECK-NEXT:       %21 = arith.mulf %14, %f fastmath<reassoc,contract> : f16
// CHECK-NEXT:       %22 = arith.maximumf %15, %f : f16
// CHECK-NEXT:       %23 = arith.minimumf %16, %f : f16
// CHECK-NEXT:       %n = uop.load %w[%i] : i8
// CHECK-NEXT:       %24 = arith.maxsi %17, %n : i8
// CHECK-NEXT:       %25 = arith.minsi %18, %n : i8
// CHECK-NEXT:       %26 = arith.minui %19, %n : i8
// CHECK-NEXT:       %27 = arith.andi %20, %n : i8
// CHECK-NEXT:       scf.yield %21, %22, %23, %24, %25, %26, %27 : f16, f16, f16, i8, i8, i8, i8
// CHECK-NEXT:     }
// CHECK-NEXT:     %a = arith.addf %7, %8 : f16
// CHECK-NEXT:     %b = arith.addf %a, %9 : f16
// CHECK-NEXT:     uop.store %b, %y[%c0]
// CHECK-NEXT:     %c = arith.addi %10, %11 : i8
// CHECK-NEXT:     %d = arith.addi %c, %12 : i8
// CHECK-NEXT:     %e = arith.addi %d, %13 : i8
// CHECK-NEXT:     uop.store %e, %z[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }
