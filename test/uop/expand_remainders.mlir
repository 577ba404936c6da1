// RUN: teeny-opt %s -p expand-remainders --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p expand-remainders --check-each -o %t

// f32 and f64 are divided in integers; what their values are is in test_remainders.py.

// CHECK-LABEL: uop.func @single
// CHECK-NOT:     arith.remf
// CHECK:         arith.remui %{{.*}}, %{{.*}} : i32
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (i32) {
// CHECK:         math.copysign
uop.func @single(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  %b = arith.remf %a, %a : f32
  uop.store %b, %y[%zero]
}

// CHECK-LABEL: uop.func @double
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (i64) {
uop.func @double(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f64
  %b = arith.remf %a, %a : f64
  uop.store %b, %y[%zero]
}

// Others become f32 before (see legalize-floats).
// CHECK-LABEL: uop.func @half
// CHECK:         arith.remf
uop.func @half(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f16
  %b = arith.remf %a, %a : f16
  uop.store %b, %y[%zero]
}
