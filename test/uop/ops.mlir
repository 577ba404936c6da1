// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// Every op and attribute of the uop floor: in its own form, and through the generic one.

// CHECK-LABEL: uop.func @every_op(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, inout %z: !uop.ptr<i1>) dims(%N: N in 1..1024 step 8, %m: M in 0..) attributes {note = "kept"} {
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %row = uop.local [50] : !uop.ptr<f32, local>
// CHECK-NEXT:    %g = arith.cmpi ult, %m, %N : index
// CHECK-NEXT:    scf.for %i = %c0 to %N step %c1 {
// CHECK-NEXT:      %a = uop.load %x[%i] : f32
// CHECK-NEXT:      uop.store %a, %row[%i]
// CHECK-NEXT:      %b = uop.load %x[%i] if %g else %a : f32
// CHECK-NEXT:      uop.store %b, %y[%i] if %g
// CHECK-NEXT:      %v = uop.load %row[%c0] : vector<16xf32>
// CHECK-NEXT:      %w = uop.load %x[%i] if %g else %v : vector<16xf32>
// CHECK-NEXT:      uop.store %w, %y[%i] if %g
// CHECK-NEXT:      %f = uop.load %z[%i] : i1
// CHECK-NEXT:      uop.store %f, %z[%m]
// CHECK-NEXT:    } {uop.parallel}
// CHECK-NEXT:  }
uop.func @every_op(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32, global>, inout %z: !uop.ptr<i1>) dims(%N: N in 1..1024 step 8, %m: M in 0..) attributes {note = "kept"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = uop.local [50] : !uop.ptr<f32, local>
  %g = arith.cmpi ult, %m, %N : index
  scf.for %i = %c0 to %N step %c1 {
    %a = uop.load %x[%i] : f32
    uop.store %a, %row[%i]
    %b = uop.load %x[%i] if %g else %a : f32
    uop.store %b, %y[%i] if %g
    %v = uop.load %row[%c0] : vector<16xf32>
    %w = uop.load %x[%i] if %g else %v : vector<16xf32>
    uop.store %w, %y[%i] if %g
    %f = uop.load %z[%i] : i1
    uop.store %f, %z[%m]
  } {uop.parallel}
}

// CHECK-LABEL: uop.func @nothing() {
// CHECK-NEXT:  }
uop.func @nothing() {
}
