// RUN: teeny-opt %s -p split-at-gates,canonicalize,cse | FileCheck %s
// RUN: teeny-opt %s -p split-at-gates --check-each -o /dev/null

// A padded row: nothing is loaded for its edges. Of a gate the rest stays, which is of no iteration.
uop.func @padded(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<i1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c28 = arith.constant 28 : index
  %c30 = arith.constant 30 : index
  %cm1 = arith.constant -1 : index
  %zero = arith.constant 0.0 : f32
  %o = uop.load %b[%c0] : i1
  scf.for %k = %c0 to %c30 step %c1 {
    %p = arith.addi %k, %cm1 : index
    %g = arith.cmpi ult, %p, %c28 : index
    %h = arith.andi %o, %g : i1
    %v = uop.load %x[%p] if %h else %zero : f32
    uop.store %v, %y[%k]
  } {uop.parallel}
}

// Two parts, and what is stored in one of them alone.
uop.func @parts(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c24 = arith.constant 24 : index
  scf.for %k = %c0 to %c24 step %c1 {
    %g = arith.cmpi sgt, %k, %c10 : index
    %v = uop.load %x[%k] : f32
    uop.store %v, %y[%k] if %g
  }
}

// The bounds of the loop are numbers for what is computed in it, too.
uop.func @bounds_inside(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c28 = arith.constant 28 : index
  %cm1 = arith.constant -1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c28 step %c1 {
    %p = arith.addi %k, %cm1 : index
    %g = arith.cmpi ult, %p, %c28 : index
    %v = uop.load %x[%p] if %g else %zero : f32
    %q = arith.addi %k, %c28 : index
    %w = uop.load %x[%q] : f32
    %s = arith.addf %v, %w : f32
    %r = arith.addi %k, %c0 : index
    uop.store %s, %y[%r]
  }
}

// What one loop carries the next one goes on with.
uop.func @carried(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s, %n = scf.for %k = %c0 to %c40 step %c1 iter_args(%a = %zero, %m = %one) -> (f32, f32) {
    %g = arith.cmpi ule, %k, %c9 : index
    %v = uop.load %x[%k] : f32
    %t = arith.select %g, %v, %one : f32
    %b = arith.addf %a, %t : f32
    %p = arith.mulf %m, %b : f32
    scf.yield %b, %p : f32, f32
  }
  uop.store %s, %y[%c0]
  uop.store %n, %y[%c1]
}

// A row in vectors, of which the last one is there in part, and a lane of which there is none.
uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c18 = arith.constant 18 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %lane = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %four = arith.constant dense<4> : vector<4xindex>
  %end = vector.broadcast %c18 : index to vector<4xindex>
  %s = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    %o = arith.muli %c8, %k : index
    %p = vector.broadcast %o : index to vector<4xindex>
    %i = arith.addi %p, %lane : vector<4xindex>
    %g = uop.cmpi slt, %i, %end : vector<4xindex>
    %v = uop.load %x[%o] if %g else %zero : vector<4xf32>
    %t = uop.select %g, %v, %zero : vector<4xf32>
    %b = arith.addf %a, %t : vector<4xf32>
    %q = arith.addi %i, %four : vector<4xindex>
    %h = uop.cmpi slt, %q, %end : vector<4xindex>
    %r = arith.addi %o, %c4 : index
    %u = uop.load %x[%r] if %h else %zero : vector<4xf32>
    %w = uop.select %h, %u, %zero : vector<4xf32>
    %d = arith.addf %b, %w : vector<4xf32>
    scf.yield %d : vector<4xf32>
  }
  uop.store %s, %y[%c0]
}

// Left as they are: what would be many loops, or short ones; what a gate compares with is no
// number; what is known of all iterations.
uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %i: !uop.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c40 step %c1 {
    %e = arith.cmpi eq, %k, %c4 : index
    %f = arith.cmpi ne, %k, %c7 : index
    %v = uop.load %x[%k] if %e else %zero : f32
    uop.store %v, %y[%k] if %f
  }
  scf.for %k = %c0 to %c9 step %c1 {
    %g = arith.cmpi uge, %k, %c4 : index
    %v = uop.load %x[%k] if %g else %zero : f32
    uop.store %v, %y[%k]
  }
  %l = uop.load %i[%c0] : i64
  %n = arith.index_cast %l : i64 to index
  scf.for %k = %c0 to %c40 step %c1 {
    %g = arith.cmpi slt, %k, %n : index
    %v = uop.load %x[%k] if %g else %zero : f32
    uop.store %v, %y[%k]
  }
  scf.for %k = %c0 to %c9 step %c1 {
    %g = arith.cmpi sle, %k, %c40 : index
    %v = uop.load %x[%k] if %g else %zero : f32
    uop.store %v, %y[%k]
  }
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @padded(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %b: !uop.ptr<i1>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %cm1 = arith.constant -1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %o = uop.load %b[%c0] : i1
// CHECK-NEXT:     uop.store %zero, %y[%c0]
// CHECK-NEXT:     %c29 = arith.constant 29 : index
// CHECK-NEXT:     scf.for %k = %c1 to %c29 step %c1 {
// CHECK-NEXT:       %p = arith.addi %k, %cm1 : index
// CHECK-NEXT:       %v = uop.load %x[%p] if %o else %zero : f32
// CHECK-NEXT:       uop.store %v, %y[%k]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:     uop.store %zero, %y[%c29]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @parts(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c11 = arith.constant 11 : index
// CHECK-NEXT:     %c24 = arith.constant 24 : index
// CHECK-NEXT:     scf.for %k = %c11 to %c24 step %c1 {
// CHECK-NEXT:       %v = uop.load %x[%k] : f32
// CHECK-NEXT:       uop.store %v, %y[%k]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @bounds_inside(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c28 = arith.constant 28 : index
// CHECK-NEXT:     %cm1 = arith.constant -1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %w = uop.load %x[%c28] : f32
// CHECK-NEXT:     %s = arith.addf %zero, %w : f32
// CHECK-NEXT:     %r = arith.constant 0 : index
// CHECK-NEXT:     uop.store %s, %y[%r]
// CHECK-NEXT:     scf.for %k = %c1 to %c28 step %c1 {
// CHECK-NEXT:       %p = arith.addi %k, %cm1 : index
// CHECK-NEXT:       %v = uop.load %x[%p] : f32
// CHECK-NEXT:       %q = arith.addi %k, %c28 : index
// CHECK-NEXT:       %w_1 = uop.load %x[%q] : f32
// CHECK-NEXT:       %s_1 = arith.addf %v, %w_1 : f32
// CHECK-NEXT:       uop.store %s_1, %y[%k]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @carried(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %one = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %c10 = arith.constant 10 : index
// CHECK-NEXT:     %s, %n = scf.for %k = %c0 to %c10 step %c1 iter_args(%a = %zero, %m = %one) -> (f32, f32) {
// CHECK-NEXT:       %v = uop.load %x[%k] : f32
// CHECK-NEXT:       %b = arith.addf %a, %v : f32
// CHECK-NEXT:       %p = arith.mulf %m, %b : f32
// CHECK-NEXT:       scf.yield %b, %p : f32, f32
// CHECK-NEXT:     }
// CHECK-NEXT:     %c40 = arith.constant 40 : index
// CHECK-NEXT:     %s_1, %n_1 = scf.for %k_1 = %c10 to %c40 step %c1 iter_args(%a_1 = %s, %m_1 = %n) -> (f32, f32) {
// CHECK-NEXT:       %b_1 = arith.addf %a_1, %one : f32
// CHECK-NEXT:       %p_1 = arith.mulf %m_1, %b_1 : f32
// CHECK-NEXT:       scf.yield %b_1, %p_1 : f32, f32
// CHECK-NEXT:     }
// CHECK-NEXT:     uop.store %s_1, %y[%c0]
// CHECK-NEXT:     uop.store %n_1, %y[%c1]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %c18 = arith.constant 18 : index
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %lane = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %end = vector.broadcast %c18 : index to vector<4xindex>
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
// CHECK-NEXT:       %o = arith.muli %k, %c8 : index
// CHECK-NEXT:       %v = uop.load %x[%o] : vector<4xf32>
// CHECK-NEXT:       %b = arith.addf %a, %v : vector<4xf32>
// CHECK-NEXT:       %r = arith.addi %o, %c4 : index
// CHECK-NEXT:       %u = uop.load %x[%r] : vector<4xf32>
// CHECK-NEXT:       %d = arith.addf %b, %u : vector<4xf32>
// CHECK-NEXT:       scf.yield %d : vector<4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %o_1 = arith.constant 16 : index
// CHECK-NEXT:     %p = vector.broadcast %o_1 : index to vector<4xindex>
// CHECK-NEXT:     %i = arith.addi %p, %lane : vector<4xindex>
// CHECK-NEXT:     %g = uop.cmpi slt, %i, %end : vector<4xindex>
// CHECK-NEXT:     %v_1 = uop.load %x[%o_1] if %g else %zero : vector<4xf32>
// CHECK-NEXT:     %t = uop.select %g, %v_1, %zero : vector<4xf32>
// CHECK-NEXT:     %b_1 = arith.addf %s, %t : vector<4xf32>
// CHECK-NEXT:     %d_1 = arith.addf %b_1, %zero : vector<4xf32>
// CHECK-NEXT:     uop.store %d_1, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @kept(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %i: !uop.ptr<i64>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c7 = arith.constant 7 : index
// CHECK-NEXT:     %c9 = arith.constant 9 : index
// CHECK-NEXT:     %c40 = arith.constant 40 : index
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     scf.for %k = %c0 to %c40 step %c1 {
// CHECK-NEXT:       %e = arith.cmpi eq, %k, %c4 : index
// CHECK-NEXT:       %f = arith.cmpi ne, %k, %c7 : index
// CHECK-NEXT:       %v = uop.load %x[%k] if %e else %zero : f32
// CHECK-NEXT:       uop.store %v, %y[%k] if %f
// CHECK-NEXT:     }
// CHECK-NEXT:     scf.for %k_1 = %c0 to %c9 step %c1 {
// CHECK-NEXT:       %g = arith.cmpi uge, %k_1, %c4 : index
// CHECK-NEXT:       %v_1 = uop.load %x[%k_1] if %g else %zero : f32
// CHECK-NEXT:       uop.store %v_1, %y[%k_1]
// CHECK-NEXT:     }
// CHECK-NEXT:     %l = uop.load %i[%c0] : i64
// CHECK-NEXT:     %n = arith.index_cast %l : i64 to index
// CHECK-NEXT:     scf.for %k_2 = %c0 to %c40 step %c1 {
// CHECK-NEXT:       %g_1 = arith.cmpi slt, %k_2, %n : index
// CHECK-NEXT:       %v_2 = uop.load %x[%k_2] if %g_1 else %zero : f32
// CHECK-NEXT:       uop.store %v_2, %y[%k_2]
// CHECK-NEXT:     }
// CHECK-NEXT:     scf.for %k_3 = %c0 to %c9 step %c1 {
// CHECK-NEXT:       %g_2 = arith.cmpi sle, %k_3, %c40 : index
// CHECK-NEXT:       %v_3 = uop.load %x[%k_3] if %g_2 else %zero : f32
// CHECK-NEXT:       uop.store %v_3, %y[%k_3]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
