// RUN: teeny-opt %s -p branch-on-gates --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p branch-on-gates --check-each -o %t

// Every store has the gate: one branch. Of a combined gate the rest stays.
// CHECK-LABEL: uop.func @common(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [2] block [32] {
// CHECK-NEXT:      %t = uop.special thread.x
// CHECK-NEXT:      %b = uop.special grid.x
// CHECK-NEXT:      %c32 = arith.constant 32 : index
// CHECK-NEXT:      %s = arith.muli %b, %c32 : index
// CHECK-NEXT:      %i = arith.addi %s, %t : index
// CHECK-NEXT:      %c40 = arith.constant 40 : index
// CHECK-NEXT:      %c8 = arith.constant 8 : index
// CHECK-NEXT:      %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %g = arith.cmpi slt, %i, %c40 : index
// CHECK-NEXT:      scf.if %g {
// CHECK-NEXT:        %h = arith.cmpi slt, %i, %c8 : index
// CHECK-NEXT:        %gh = arith.andi %h, %g : i1
// CHECK-NEXT:        %v = uop.load %x[%i] : f32
// CHECK-NEXT:        %w = uop.load %x[%i] if %h else %zero : f32
// CHECK-NEXT:        uop.store %v, %y[%i]
// CHECK-NEXT:        uop.store %w, %z[%i] if %h
// CHECK-NEXT:      }
// CHECK-NEXT:    }
uop.func @common(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [2] block [32] {
  %t = uop.special thread.x
  %b = uop.special grid.x
  %c32 = arith.constant 32 : index
  %s = arith.muli %b, %c32 : index
  %i = arith.addi %s, %t : index
  %c40 = arith.constant 40 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %g = arith.cmpi slt, %i, %c40 : index
  %h = arith.cmpi slt, %i, %c8 : index
  %gh = arith.andi %h, %g : i1
  %v = uop.load %x[%i] if %g else %zero : f32
  %w = uop.load %x[%i] if %gh else %zero : f32
  uop.store %v, %y[%i] if %g
  uop.store %w, %z[%i] if %gh
}

// A store without it must happen.
// CHECK-LABEL: uop.func @other(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %v = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %g = arith.cmpi slt, %c0, %c0 : index
// CHECK-NEXT:      uop.store %v, %y[%c0] if %g
// CHECK-NEXT:      uop.store %v, %z[%c0]
// CHECK-NEXT:    }
uop.func @other(out %y: !uop.ptr<f32>, out %z: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %g = arith.cmpi slt, %c0, %c0 : index
  uop.store %v, %y[%c0] if %g
  uop.store %v, %z[%c0]
}

// All threads must come to a barrier.
// CHECK-LABEL: uop.func @barrier(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
// CHECK-NEXT:      %t = uop.special thread.x
// CHECK-NEXT:      %c8 = arith.constant 8 : index
// CHECK-NEXT:      %v = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      %g = arith.cmpi slt, %t, %c8 : index
// CHECK-NEXT:      uop.barrier
// CHECK-NEXT:      uop.store %v, %y[%t] if %g
// CHECK-NEXT:    }
uop.func @barrier(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %g = arith.cmpi slt, %t, %c8 : index
  uop.barrier
  uop.store %v, %y[%t] if %g
}

// A gate that is known in a loop only.
// CHECK-LABEL: uop.func @inner(out %y: !uop.ptr<f32>) {
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %c8 = arith.constant 8 : index
// CHECK-NEXT:      %v = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:      scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:        %g = arith.cmpi slt, %i, %c1 : index
// CHECK-NEXT:        uop.store %v, %y[%i] if %g
// CHECK-NEXT:      }
// CHECK-NEXT:    }
uop.func @inner(out %y: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %g = arith.cmpi slt, %i, %c1 : index
    uop.store %v, %y[%i] if %g
  }
}

// A gate for each lane is no condition of a branch.
// CHECK-LABEL: uop.func @lanes(
// CHECK-NOT:     scf.if
// CHECK:         uop.store %v, %y[%c0] if %some
uop.func @lanes(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %some = arith.constant dense<[true, false, true, true]> : vector<4xi1>
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %v = uop.load %x[%c0] if %some else %zero : vector<4xf32>
  uop.store %v, %y[%c0] if %some
}
