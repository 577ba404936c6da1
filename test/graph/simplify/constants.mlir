// Tensors of one value: each row of simplify-graph firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

// CHECK-LABEL: func.func @add(
// CHECK-NEXT:    %r = graph.constant dense<3.500000e+00> : tensor<f32>
// CHECK-NEXT:    func.return %r : tensor<f32>
func.func @add() -> tensor<f32> {
  %a = graph.constant dense<1.500000e+00> : tensor<f32>
  %b = graph.constant dense<2.000000e+00> : tensor<f32>
  %r = graph.add %a, %b : tensor<f32>
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @mul_rounds_to_even(
// CHECK-NEXT:    %r = graph.constant dense<1.000000e+00> : tensor<f16>
// CHECK-NEXT:    func.return %r : tensor<f16>
func.func @mul_rounds_to_even() -> tensor<f16> {
  %a = graph.constant dense<3.000000e+00> : tensor<f16>
  %b = graph.constant dense<3.334960e-01> : tensor<f16>
  %r = graph.mul %a, %b : tensor<f16>
  func.return %r : tensor<f16>
}

// CHECK-LABEL: func.func @div(
// CHECK-NEXT:    %r = graph.constant dense<1.250000e-01> : tensor<bf16>
// CHECK-NEXT:    func.return %r : tensor<bf16>
func.func @div() -> tensor<bf16> {
  %a = graph.constant dense<1.000000e+00> : tensor<bf16>
  %b = graph.constant dense<8.000000e+00> : tensor<bf16>
  %r = graph.div %a, %b : tensor<bf16>
  func.return %r : tensor<bf16>
}

// CHECK-LABEL: func.func @integers_wrap(
// CHECK-NEXT:    %r = graph.constant dense<-56> : tensor<i8>
// CHECK-NEXT:    func.return %r : tensor<i8>
func.func @integers_wrap() -> tensor<i8> {
  %a = graph.constant dense<100> : tensor<i8>
  %b = graph.constant dense<100> : tensor<i8>
  %r = graph.add %a, %b : tensor<i8>
  func.return %r : tensor<i8>
}

// CHECK-LABEL: func.func @unsigned_wrap(
// CHECK-NEXT:    %r = graph.constant dense<255> : tensor<ui8>
// CHECK-NEXT:    func.return %r : tensor<ui8>
func.func @unsigned_wrap() -> tensor<ui8> {
  %a = graph.constant dense<1> : tensor<ui8>
  %b = graph.constant dense<2> : tensor<ui8>
  %r = graph.sub %a, %b : tensor<ui8>
  func.return %r : tensor<ui8>
}

// CHECK-LABEL: func.func @infinities_stay(
// CHECK-NEXT:    %a = graph.constant dense<3.000000e+38> : tensor<f32>
// CHECK-NEXT:    %b = graph.constant dense<1.000000e+02> : tensor<f32>
// CHECK-NEXT:    %r = graph.mul %a, %b : tensor<f32>
// CHECK-NEXT:    func.return %r : tensor<f32>
func.func @infinities_stay() -> tensor<f32> {
  %a = graph.constant dense<3.000000e+38> : tensor<f32>
  %b = graph.constant dense<1.000000e+02> : tensor<f32>
  %r = graph.mul %a, %b : tensor<f32>
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @nan_stays(
// CHECK-NEXT:    %a = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %r = graph.div %a, %b : tensor<f32>
// CHECK-NEXT:    func.return %r : tensor<f32>
func.func @nan_stays() -> tensor<f32> {
  %a = graph.constant dense<0.000000e+00> : tensor<f32>
  %b = graph.constant dense<0.000000e+00> : tensor<f32>
  %r = graph.div %a, %b : tensor<f32>
  func.return %r : tensor<f32>
}

// CHECK-LABEL: func.func @floordiv_stays(
// CHECK-NEXT:    %a = graph.constant dense<7> : tensor<i32>
// CHECK-NEXT:    %b = graph.constant dense<3> : tensor<i32>
// CHECK-NEXT:    %r = graph.floordiv %a, %b : tensor<i32>
// CHECK-NEXT:    func.return %r : tensor<i32>
func.func @floordiv_stays() -> tensor<i32> {
  %a = graph.constant dense<7> : tensor<i32>
  %b = graph.constant dense<3> : tensor<i32>
  %r = graph.floordiv %a, %b : tensor<i32>
  func.return %r : tensor<i32>
}

// CHECK-LABEL: func.func @reshape_of_splat(
// CHECK-NEXT:    %c = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %r = graph.broadcast %c axes [] : tensor<f32> -> tensor<2x3xf32>
// CHECK-NEXT:    func.return %r : tensor<2x3xf32>
func.func @reshape_of_splat() -> tensor<2x3xf32> {
  %c = graph.constant dense<2.000000e+00> : tensor<f32>
  %0 = graph.broadcast %c axes [] : tensor<f32> -> tensor<6xf32>
  %r = graph.reshape %0 : tensor<6xf32> -> tensor<2x3xf32>
  func.return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @slice_of_splat_to_a_scalar(
// CHECK-NEXT:    %c = graph.constant dense<2> : tensor<i32>
// CHECK-NEXT:    func.return %c : tensor<i32>
func.func @slice_of_splat_to_a_scalar() -> tensor<i32> {
  %c = graph.constant dense<2> : tensor<i32>
  %0 = graph.broadcast %c axes [] : tensor<i32> -> tensor<6xi32>
  %1 = graph.slice %0 [1:2:1] : tensor<6xi32> -> tensor<1xi32>
  %r = graph.reshape %1 : tensor<1xi32> -> tensor<i32>
  func.return %r : tensor<i32>
}

// CHECK-LABEL: func.func @permute_of_dense_stays(
// CHECK-NEXT:    %0 = graph.constant dense<[[1, 2]]> : tensor<1x2xi32>
// CHECK-NEXT:    %r = graph.permute %0 [1, 0] : tensor<1x2xi32> -> tensor<2x1xi32>
// CHECK-NEXT:    func.return %r : tensor<2x1xi32>
func.func @permute_of_dense_stays() -> tensor<2x1xi32> {
  %0 = graph.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %r = graph.permute %0 [1, 0] : tensor<1x2xi32> -> tensor<2x1xi32>
  func.return %r : tensor<2x1xi32>
}
