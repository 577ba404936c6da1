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

// Comparisons, selections and gates of vectors, lane by lane.
// CHECK-LABEL: uop.func @lanewise
// CHECK:         %m = uop.cmpi ult, %a, %b : vector<4xi32>
// CHECK:         %n = uop.cmpf olt, %f, %g : vector<4xf32>
// CHECK-NEXT:    %s = uop.select %n, %f, %g : vector<4xf32>
// CHECK-NEXT:    %l = uop.load %x[%i] if %m else %s : vector<4xf32>
// CHECK-NEXT:    uop.store %l, %y[%i] if %m
uop.func @lanewise(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %k: !uop.ptr<i32>) {
  %i = arith.constant 0 : index
  %a = uop.load %k[%i] : vector<4xi32>
  %b = arith.addi %a, %a : vector<4xi32>
  %m = uop.cmpi ult, %a, %b : vector<4xi32>
  %f = uop.load %x[%i] : vector<4xf32>
  %g = arith.addf %f, %f : vector<4xf32>
  %n = uop.cmpf olt, %f, %g : vector<4xf32>
  %s = uop.select %n, %f, %g : vector<4xf32>
  %l = uop.load %x[%i] if %m else %s : vector<4xf32>
  uop.store %l, %y[%i] if %m
}

// CHECK-LABEL: uop.func @casts
// CHECK:         %a = uop.cast sitofp %k : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    %b = uop.cast fptoui %a : vector<4xf32> to vector<4xi8>
// CHECK-NEXT:    %d = uop.cast index_cast %k : vector<4xi32> to vector<4xindex>
uop.func @casts(in %x: !uop.ptr<i32>) {
  %i = arith.constant 0 : index
  %k = uop.load %x[%i] : vector<4xi32>
  %a = uop.cast sitofp %k : vector<4xi32> to vector<4xf32>
  %b = uop.cast fptoui %a : vector<4xf32> to vector<4xi8>
  %d = uop.cast index_cast %k : vector<4xi32> to vector<4xindex>
}

// CHECK-LABEL: uop.func @lookups
// CHECK:         %a = uop.lookup %k of array<f32: 1.000000e+00, -0.000000e+00, 1.000000e-01, 3.000000e+00> : vector<4xi32>
// CHECK-NEXT:    %b = uop.lookup %l of array<f32: 5.000000e-01> : i32
uop.func @lookups(in %x: !uop.ptr<i32>) {
  %i = arith.constant 0 : index
  %k = uop.load %x[%i] : vector<4xi32>
  %l = uop.load %x[%i] : i32
  %a = uop.lookup %k of array<f32: 1.0, -0.0, 0.1, 3.0> : vector<4xi32>
  %b = uop.lookup %l of array<f32: 0.5> : i32
}
