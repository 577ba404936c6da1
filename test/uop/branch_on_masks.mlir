// RUN: teeny-opt %s -p branch-on-masks --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p branch-on-masks --check-each -o %t
// RUN: teeny-opt %s -p "branch-on-masks{masks=instruction}" | FileCheck %s --check-prefix=INSTRUCTION

// INSTRUCTION: uop.func @tile
// INSTRUCTION-NOT: scf.if

// Masks of columns and a condition on the row: all of them are looked at first.
uop.func @tile(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%M: M in 1..64, %N: N in 1..64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %two = arith.constant dense<2.0> : vector<4xf32>
  %size = vector.broadcast %N : index to vector<4xindex>
  scf.for %j = %c0 to %N step %c8 {
    %at = vector.broadcast %j : index to vector<4xindex>
    %columns = arith.addi %at, %steps : vector<4xindex>
    %m = uop.cmpi slt, %columns, %size : vector<4xindex>
    %k = arith.addi %j, %c4 : index
    %at2 = vector.broadcast %k : index to vector<4xindex>
    %columns2 = arith.addi %at2, %steps : vector<4xindex>
    %m2 = uop.cmpi slt, %columns2, %size : vector<4xindex>
    scf.for %i = %c0 to %c8 step %c1 {
      %row = arith.muli %i, %N : index
      %o = arith.addi %row, %j : index
      %v = uop.load %x[%o] if %m else %zero : vector<4xf32>
      %u = arith.mulf %v, %two : vector<4xf32>
      %g = arith.cmpi slt, %i, %M : index
      %gs = vector.broadcast %g : i1 to vector<4xi1>
      %gm = arith.andi %gs, %m : vector<4xi1>
      uop.store %u, %y[%o] if %gm
      %p = arith.addi %o, %c4 : index
      %v2 = uop.load %x[%p] if %m2 else %zero : vector<4xf32>
      %gm2 = arith.andi %gs, %m2 : vector<4xi1>
      uop.store %v2, %y[%p] if %gm2
    }
  }
}

// Only loads have masks, which cost nothing.
uop.func @load(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
  %c0 = arith.constant 0 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %size = vector.broadcast %N : index to vector<4xindex>
  %m = uop.cmpi slt, %steps, %size : vector<4xindex>
  %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
  uop.store %v, %y[%c0]
}

// One gate for all lanes is a branch already.
uop.func @gate(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %g = arith.cmpi sge, %N, %c4 : index
  %v = uop.load %x[%c0] : vector<4xf32>
  uop.store %v, %y[%c0] if %g
}

// A mask that is computed of what is loaded inside is not known before.
uop.func @loaded(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<i32>) dims(%N: N in 4..4) {
  %c0 = arith.constant 0 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %none = arith.constant dense<0> : vector<4xi32>
  %size = vector.broadcast %N : index to vector<4xindex>
  %m = uop.cmpi slt, %steps, %size : vector<4xindex>
  %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
  %flags = uop.load %w[%c0] : vector<4xi32>
  %m2 = uop.cmpi ne, %flags, %none : vector<4xi32>
  uop.store %v, %y[%c0] if %m2
}

// What is computed there is used afterwards.
uop.func @used(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
  %c0 = arith.constant 0 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %size = vector.broadcast %N : index to vector<4xindex>
  %m = uop.cmpi slt, %steps, %size : vector<4xindex>
  %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
  uop.store %v, %y[%c0] if %m
  uop.store %v, %z[%c0]
}

// A loop that sums what it loads with masks from outside of it stands in both branches.
uop.func @sums(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4, %K: K in 0..9) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %size = vector.broadcast %N : index to vector<4xindex>
  %m = uop.cmpi slt, %steps, %size : vector<4xindex>
  %s = scf.for %k = %c0 to %K step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    %row = arith.muli %k, %N : index
    %v = uop.load %x[%row] if %m else %zero : vector<4xf32>
    %b = arith.addf %a, %v : vector<4xf32>
    scf.yield %b : vector<4xf32>
  }
  uop.store %s, %y[%c0] if %m
}

// Its masks are others in each iteration: the store alone is in the branches.
uop.func @ragged(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4, %K: K in 0..9) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %size = vector.broadcast %N : index to vector<4xindex>
  %m = uop.cmpi slt, %steps, %size : vector<4xindex>
  %s = scf.for %k = %c0 to %K step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
    %row = arith.muli %k, %N : index
    %length = vector.broadcast %k : index to vector<4xindex>
    %inside = uop.cmpi slt, %steps, %length : vector<4xindex>
    %both = arith.andi %inside, %m : vector<4xi1>
    %v = uop.load %x[%row] if %both else %zero : vector<4xf32>
    %b = arith.addf %a, %v : vector<4xf32>
    scf.yield %b : vector<4xf32>
  }
  uop.store %s, %y[%c0] if %m
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @tile(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%M: M in 1..64, %N: N in 1..64) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %two = arith.constant dense<2.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     scf.for %j = %c0 to %N step %c8 {
// CHECK-NEXT:       %at = vector.broadcast %j : index to vector<4xindex>
// CHECK-NEXT:       %columns = arith.addi %at, %steps : vector<4xindex>
// CHECK-NEXT:       %m = uop.cmpi slt, %columns, %size : vector<4xindex>
// CHECK-NEXT:       %k = arith.addi %j, %c4 : index
// CHECK-NEXT:       %at2 = vector.broadcast %k : index to vector<4xindex>
// CHECK-NEXT:       %columns2 = arith.addi %at2, %steps : vector<4xindex>
// CHECK-NEXT:       %m2 = uop.cmpi slt, %columns2, %size : vector<4xindex>
// CHECK-NEXT:       scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:         %row = arith.muli %i, %N : index
// CHECK-NEXT:         %o = arith.addi %row, %j : index
// CHECK-NEXT:         %g = arith.cmpi slt, %i, %M : index
// CHECK-NEXT:         %0 = arith.andi %m, %m2 : vector<4xi1>
// CHECK-NEXT:         %1 = vector.reduction <and>, %0 : vector<4xi1> into i1
// CHECK-NEXT:         %2 = arith.andi %1, %g : i1
// CHECK-NEXT:         scf.if %2 {
// CHECK-NEXT:           %v = uop.load %x[%o] : vector<4xf32>
// CHECK-NEXT:           %u = arith.mulf %v, %two : vector<4xf32>
// CHECK-NEXT:           uop.store %u, %y[%o]
// CHECK-NEXT:           %p = arith.addi %o, %c4 : index
// CHECK-NEXT:           %v2 = uop.load %x[%p] : vector<4xf32>
// CHECK-NEXT:           uop.store %v2, %y[%p]
// CHECK-NEXT:         } else {
// CHECK-NEXT:           %v_1 = uop.load %x[%o] if %m else %zero : vector<4xf32>
// CHECK-NEXT:           %u_1 = arith.mulf %v_1, %two : vector<4xf32>
// CHECK-NEXT:           %gs = vector.broadcast %g : i1 to vector<4xi1>
// CHECK-NEXT:           %gm = arith.andi %gs, %m : vector<4xi1>
// CHECK-NEXT:           uop.store %u_1, %y[%o] if %gm
// CHECK-NEXT:           %p_1 = arith.addi %o, %c4 : index
// CHECK-NEXT:           %v2_1 = uop.load %x[%p_1] if %m2 else %zero : vector<4xf32>
// CHECK-NEXT:           %gm2 = arith.andi %gs, %m2 : vector<4xi1>
// CHECK-NEXT:           uop.store %v2_1, %y[%p_1] if %gm2
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @load(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     %m = uop.cmpi slt, %steps, %size : vector<4xindex>
// CHECK-NEXT:     %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
// CHECK-NEXT:     uop.store %v, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @gate(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %g = arith.cmpi sge, %N, %c4 : index
// CHECK-NEXT:     %v = uop.load %x[%c0] : vector<4xf32>
// CHECK-NEXT:     uop.store %v, %y[%c0] if %g
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @loaded(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<i32>) dims(%N: N in 4..4) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %none = arith.constant dense<0> : vector<4xi32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     %m = uop.cmpi slt, %steps, %size : vector<4xindex>
// CHECK-NEXT:     %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
// CHECK-NEXT:     %flags = uop.load %w[%c0] : vector<4xi32>
// CHECK-NEXT:     %m2 = uop.cmpi ne, %flags, %none : vector<4xi32>
// CHECK-NEXT:     uop.store %v, %y[%c0] if %m2
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @used(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     %m = uop.cmpi slt, %steps, %size : vector<4xindex>
// CHECK-NEXT:     %v = uop.load %x[%c0] if %m else %zero : vector<4xf32>
// CHECK-NEXT:     uop.store %v, %y[%c0] if %m
// CHECK-NEXT:     uop.store %v, %z[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @sums(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4, %K: K in 0..9) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     %m = uop.cmpi slt, %steps, %size : vector<4xindex>
// CHECK-NEXT:     %0 = vector.reduction <and>, %m : vector<4xi1> into i1
// CHECK-NEXT:     scf.if %0 {
// CHECK-NEXT:       %s = scf.for %k = %c0 to %K step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
// CHECK-NEXT:         %row = arith.muli %k, %N : index
// CHECK-NEXT:         %v = uop.load %x[%row] : vector<4xf32>
// CHECK-NEXT:         %b = arith.addf %a, %v : vector<4xf32>
// CHECK-NEXT:         scf.yield %b : vector<4xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:       uop.store %s, %y[%c0]
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %s_1 = scf.for %k_1 = %c0 to %K step %c1 iter_args(%a_1 = %zero) -> (vector<4xf32>) {
// CHECK-NEXT:         %row_1 = arith.muli %k_1, %N : index
// CHECK-NEXT:         %v_1 = uop.load %x[%row_1] if %m else %zero : vector<4xf32>
// CHECK-NEXT:         %b_1 = arith.addf %a_1, %v_1 : vector<4xf32>
// CHECK-NEXT:         scf.yield %b_1 : vector<4xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:       uop.store %s_1, %y[%c0] if %m
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @ragged(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..4, %K: K in 0..9) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
// CHECK-NEXT:     %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT:     %size = vector.broadcast %N : index to vector<4xindex>
// CHECK-NEXT:     %m = uop.cmpi slt, %steps, %size : vector<4xindex>
// CHECK-NEXT:     %s = scf.for %k = %c0 to %K step %c1 iter_args(%a = %zero) -> (vector<4xf32>) {
// CHECK-NEXT:       %row = arith.muli %k, %N : index
// CHECK-NEXT:       %length = vector.broadcast %k : index to vector<4xindex>
// CHECK-NEXT:       %inside = uop.cmpi slt, %steps, %length : vector<4xindex>
// CHECK-NEXT:       %both = arith.andi %inside, %m : vector<4xi1>
// CHECK-NEXT:       %v = uop.load %x[%row] if %both else %zero : vector<4xf32>
// CHECK-NEXT:       %b = arith.addf %a, %v : vector<4xf32>
// CHECK-NEXT:       scf.yield %b : vector<4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = vector.reduction <and>, %m : vector<4xi1> into i1
// CHECK-NEXT:     scf.if %0 {
// CHECK-NEXT:       uop.store %s, %y[%c0]
// CHECK-NEXT:     } else {
// CHECK-NEXT:       uop.store %s, %y[%c0] if %m
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
