// Neutral and absorbing elements, and ops that undo or repeat themselves: each row of simplify-graph firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

// CHECK-LABEL: func.func @add_zero(
// CHECK-NEXT:    func.return %x : tensor<4xi32>
func.func @add_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<0> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.add %x, %b : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @add_zero_left(
// CHECK-NEXT:    func.return %x : tensor<4xui8>
func.func @add_zero_left(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = graph.constant dense<0> : tensor<ui8>
  %b = graph.broadcast %c axes [] : tensor<ui8> -> tensor<4xui8>
  %r = graph.add %b, %x : tensor<4xui8>
  func.return %r : tensor<4xui8>
}

// CHECK-LABEL: func.func @add_negative_zero(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @add_negative_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<-0.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.add %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @add_positive_zero_stays(
// CHECK-NEXT:    %c = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    %r = graph.add %x, %b : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @add_positive_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<0.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.add %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_zero(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @sub_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<0.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.sub %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sub_negative_zero_stays(
// CHECK-NEXT:    %c = graph.constant dense<-0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    %r = graph.sub %x, %b : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @sub_negative_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<-0.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.sub %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @three_sub_stays(
// CHECK-NEXT:    %c = graph.constant dense<3> : tensor<i32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
// CHECK-NEXT:    %r = graph.sub %b, %x : tensor<4xi32>
// CHECK-NEXT:    func.return %r : tensor<4xi32>
func.func @three_sub_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<3> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.sub %b, %x : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @mul_one(
// CHECK-NEXT:    func.return %x : tensor<4xbf16>
func.func @mul_one(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %c = graph.constant dense<1.0> : tensor<bf16>
  %b = graph.broadcast %c axes [] : tensor<bf16> -> tensor<4xbf16>
  %r = graph.mul %b, %x : tensor<4xbf16>
  func.return %r : tensor<4xbf16>
}

// CHECK-LABEL: func.func @mul_two_stays(
// CHECK-NEXT:    %c = graph.constant dense<2.000000e+00> : tensor<bf16>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<bf16> -> tensor<4xbf16>
// CHECK-NEXT:    %r = graph.mul %b, %x : tensor<4xbf16>
// CHECK-NEXT:    func.return %r : tensor<4xbf16>
func.func @mul_two_stays(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %c = graph.constant dense<2.0> : tensor<bf16>
  %b = graph.broadcast %c axes [] : tensor<bf16> -> tensor<4xbf16>
  %r = graph.mul %b, %x : tensor<4xbf16>
  func.return %r : tensor<4xbf16>
}

// CHECK-LABEL: func.func @mul_zero(
// CHECK-NEXT:    %c = graph.constant dense<0> : tensor<i8>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:    func.return %b : tensor<4xi8>
func.func @mul_zero(%x: tensor<4xi8>) -> tensor<4xi8> {
  %c = graph.constant dense<0> : tensor<i8>
  %b = graph.broadcast %c axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.mul %x, %b : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

// CHECK-LABEL: func.func @mul_zero_of_floats_stays(
// CHECK-NEXT:    %c = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    %r = graph.mul %x, %b : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @mul_zero_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<0.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.mul %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @div_one(
// CHECK-NEXT:    func.return %x : tensor<4xf64>
func.func @div_one(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c = graph.constant dense<1.0> : tensor<f64>
  %b = graph.broadcast %c axes [] : tensor<f64> -> tensor<4xf64>
  %r = graph.div %x, %b : tensor<4xf64>
  func.return %r : tensor<4xf64>
}

// CHECK-LABEL: func.func @one_div_stays(
// CHECK-NEXT:    %c = graph.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f64> -> tensor<4xf64>
// CHECK-NEXT:    %r = graph.div %b, %x : tensor<4xf64>
// CHECK-NEXT:    func.return %r : tensor<4xf64>
func.func @one_div_stays(%x: tensor<4xf64>) -> tensor<4xf64> {
  %c = graph.constant dense<1.0> : tensor<f64>
  %b = graph.broadcast %c axes [] : tensor<f64> -> tensor<4xf64>
  %r = graph.div %b, %x : tensor<4xf64>
  func.return %r : tensor<4xf64>
}

// CHECK-LABEL: func.func @floordiv_one(
// CHECK-NEXT:    func.return %x : tensor<4xi32>
func.func @floordiv_one(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<1> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.floordiv %x, %b : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @floordiv_one_of_floats_stays(
// CHECK-NEXT:    %c = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    %r = graph.floordiv %x, %b : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @floordiv_one_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<1.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.floordiv %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @pow_one(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @pow_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<1.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @pow_three_stays(
// CHECK-NEXT:    %c = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:    %r = graph.pow %x, %b : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @pow_three_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<3.0> : tensor<f32>
  %b = graph.broadcast %c axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @and_ones(
// CHECK-NEXT:    func.return %x : tensor<4xi16>
func.func @and_ones(%x: tensor<4xi16>) -> tensor<4xi16> {
  %c = graph.constant dense<-1> : tensor<i16>
  %b = graph.broadcast %c axes [] : tensor<i16> -> tensor<4xi16>
  %r = graph.and %x, %b : tensor<4xi16>
  func.return %r : tensor<4xi16>
}

// CHECK-LABEL: func.func @and_ones_unsigned(
// CHECK-NEXT:    func.return %x : tensor<4xui8>
func.func @and_ones_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %c = graph.constant dense<255> : tensor<ui8>
  %b = graph.broadcast %c axes [] : tensor<ui8> -> tensor<4xui8>
  %r = graph.and %x, %b : tensor<4xui8>
  func.return %r : tensor<4xui8>
}

// CHECK-LABEL: func.func @and_true(
// CHECK-NEXT:    func.return %x : tensor<4xi1>
func.func @and_true(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c = graph.constant dense<true> : tensor<i1>
  %b = graph.broadcast %c axes [] : tensor<i1> -> tensor<4xi1>
  %r = graph.and %x, %b : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @and_zero(
// CHECK-NEXT:    %c = graph.constant dense<0> : tensor<i16>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i16> -> tensor<4xi16>
// CHECK-NEXT:    func.return %b : tensor<4xi16>
func.func @and_zero(%x: tensor<4xi16>) -> tensor<4xi16> {
  %c = graph.constant dense<0> : tensor<i16>
  %b = graph.broadcast %c axes [] : tensor<i16> -> tensor<4xi16>
  %r = graph.and %b, %x : tensor<4xi16>
  func.return %r : tensor<4xi16>
}

// CHECK-LABEL: func.func @and_one_stays(
// CHECK-NEXT:    %c = graph.constant dense<1> : tensor<i16>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i16> -> tensor<4xi16>
// CHECK-NEXT:    %r = graph.and %x, %b : tensor<4xi16>
// CHECK-NEXT:    func.return %r : tensor<4xi16>
func.func @and_one_stays(%x: tensor<4xi16>) -> tensor<4xi16> {
  %c = graph.constant dense<1> : tensor<i16>
  %b = graph.broadcast %c axes [] : tensor<i16> -> tensor<4xi16>
  %r = graph.and %x, %b : tensor<4xi16>
  func.return %r : tensor<4xi16>
}

// CHECK-LABEL: func.func @or_zero(
// CHECK-NEXT:    func.return %x : tensor<4xi1>
func.func @or_zero(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c = graph.constant dense<false> : tensor<i1>
  %b = graph.broadcast %c axes [] : tensor<i1> -> tensor<4xi1>
  %r = graph.or %b, %x : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

// CHECK-LABEL: func.func @or_ones(
// CHECK-NEXT:    %c = graph.constant dense<-1> : tensor<i64>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i64> -> tensor<4xi64>
// CHECK-NEXT:    func.return %b : tensor<4xi64>
func.func @or_ones(%x: tensor<4xi64>) -> tensor<4xi64> {
  %c = graph.constant dense<-1> : tensor<i64>
  %b = graph.broadcast %c axes [] : tensor<i64> -> tensor<4xi64>
  %r = graph.or %x, %b : tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// CHECK-LABEL: func.func @or_one_stays(
// CHECK-NEXT:    %c = graph.constant dense<1> : tensor<i64>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i64> -> tensor<4xi64>
// CHECK-NEXT:    %r = graph.or %x, %b : tensor<4xi64>
// CHECK-NEXT:    func.return %r : tensor<4xi64>
func.func @or_one_stays(%x: tensor<4xi64>) -> tensor<4xi64> {
  %c = graph.constant dense<1> : tensor<i64>
  %b = graph.broadcast %c axes [] : tensor<i64> -> tensor<4xi64>
  %r = graph.or %x, %b : tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// CHECK-LABEL: func.func @xor_zero(
// CHECK-NEXT:    func.return %x : tensor<4xui32>
func.func @xor_zero(%x: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.constant dense<0> : tensor<ui32>
  %b = graph.broadcast %c axes [] : tensor<ui32> -> tensor<4xui32>
  %r = graph.xor %x, %b : tensor<4xui32>
  func.return %r : tensor<4xui32>
}

// CHECK-LABEL: func.func @xor_ones_stays(
// CHECK-NEXT:    %c = graph.constant dense<-1> : tensor<i32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
// CHECK-NEXT:    %r = graph.xor %x, %b : tensor<4xi32>
// CHECK-NEXT:    func.return %r : tensor<4xi32>
func.func @xor_ones_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<-1> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.xor %x, %b : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @shl_zero(
// CHECK-NEXT:    func.return %x : tensor<4xi32>
func.func @shl_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<0> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.shl %x, %b : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @shr_zero(
// CHECK-NEXT:    func.return %x : tensor<4xi32>
func.func @shr_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<0> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.shr %x, %b : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @zero_shl_stays(
// CHECK-NEXT:    %c = graph.constant dense<0> : tensor<i32>
// CHECK-NEXT:    %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
// CHECK-NEXT:    %r = graph.shl %b, %x : tensor<4xi32>
// CHECK-NEXT:    func.return %r : tensor<4xi32>
func.func @zero_shl_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.constant dense<0> : tensor<i32>
  %b = graph.broadcast %c axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.shl %b, %x : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @idempotent(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @idempotent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.max %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @idempotent_of_two_stays(
// CHECK-NEXT:    %r = graph.max %x, %y : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @idempotent_of_two_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.max %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @involution(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @involution(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.neg %x : tensor<4xf32>
  %r = graph.neg %0 : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @involution_of_two_stays(
// CHECK-NEXT:    %0 = graph.neg %x : tensor<4xi32>
// CHECK-NEXT:    %r = graph.not %0 : tensor<4xi32>
// CHECK-NEXT:    func.return %r : tensor<4xi32>
func.func @involution_of_two_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = graph.neg %x : tensor<4xi32>
  %r = graph.not %0 : tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @once(
// CHECK-NEXT:    %r = graph.floor %x : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.floor %x : tensor<4xf32>
  %r = graph.floor %0 : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @once_of_two_stays(
// CHECK-NEXT:    %0 = graph.floor %x : tensor<4xf32>
// CHECK-NEXT:    %r = graph.abs %0 : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @once_of_two_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.floor %x : tensor<4xf32>
  %r = graph.abs %0 : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_same(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @select_same(%c: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.select %c, %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_true(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @select_true(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<true> : tensor<4xi1>
  %r = graph.select %c, %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_false(
// CHECK-NEXT:    func.return %y : tensor<4xf32>
func.func @select_false(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<false> : tensor<4xi1>
  %r = graph.select %c, %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @select_stays(
// CHECK-NEXT:    %c = graph.constant dense<[true, false, true, true]> : tensor<4xi1>
// CHECK-NEXT:    %r = graph.select %c, %x, %y : tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @select_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant dense<[true, false, true, true]> : tensor<4xi1>
  %r = graph.select %c, %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}
