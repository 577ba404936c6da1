// Casts that do nothing, and casts of casts: each row of simplify-graph firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

// CHECK-LABEL: func.func @through_wider_float(
// CHECK-NEXT:    %r = graph.cast %x : tensor<4xf16> to tensor<4xf64>
// CHECK-NEXT:    func.return %r : tensor<4xf64>
func.func @through_wider_float(%x: tensor<4xf16>) -> tensor<4xf64> {
  %0 = graph.cast %x : tensor<4xf16> to tensor<4xf32>
  %r = graph.cast %0 : tensor<4xf32> to tensor<4xf64>
  func.return %r : tensor<4xf64>
}

// CHECK-LABEL: func.func @there_and_back(
// CHECK-NEXT:    func.return %x : tensor<4xbf16>
func.func @there_and_back(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.cast %x : tensor<4xbf16> to tensor<4xf32>
  %r = graph.cast %0 : tensor<4xf32> to tensor<4xbf16>
  func.return %r : tensor<4xbf16>
}

// CHECK-LABEL: func.func @through_narrower_float_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @through_narrower_float_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xf32> to tensor<4xf16>
  %r = graph.cast %0 : tensor<4xf16> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @between_half_floats_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xf16> to tensor<4xbf16>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @between_half_floats_stays(%x: tensor<4xf16>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xf16> to tensor<4xbf16>
  %r = graph.cast %0 : tensor<4xbf16> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @through_wider_integer(
// CHECK-NEXT:    %r = graph.cast %x : tensor<4xi8> to tensor<4xf16>
// CHECK-NEXT:    func.return %r : tensor<4xf16>
func.func @through_wider_integer(%x: tensor<4xi8>) -> tensor<4xf16> {
  %0 = graph.cast %x : tensor<4xi8> to tensor<4xi32>
  %r = graph.cast %0 : tensor<4xi32> to tensor<4xf16>
  func.return %r : tensor<4xf16>
}

// CHECK-LABEL: func.func @unsigned_to_wider_signed(
// CHECK-NEXT:    %r = graph.cast %x : tensor<4xui8> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @unsigned_to_wider_signed(%x: tensor<4xui8>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xui8> to tensor<4xi16>
  %r = graph.cast %0 : tensor<4xi16> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @unsigned_to_signed_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xui8> to tensor<4xi8>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xi8> to tensor<4xi32>
// CHECK-NEXT:    func.return %r : tensor<4xi32>
func.func @unsigned_to_signed_stays(%x: tensor<4xui8>) -> tensor<4xi32> {
  %0 = graph.cast %x : tensor<4xui8> to tensor<4xi8>
  %r = graph.cast %0 : tensor<4xi8> to tensor<4xi32>
  func.return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @signed_to_unsigned_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xi8> to tensor<4xui32>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xui32> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @signed_to_unsigned_stays(%x: tensor<4xi8>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xi8> to tensor<4xui32>
  %r = graph.cast %0 : tensor<4xui32> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @integer_that_fits_a_float(
// CHECK-NEXT:    %r = graph.cast %x : tensor<4xi16> to tensor<4xi64>
// CHECK-NEXT:    func.return %r : tensor<4xi64>
func.func @integer_that_fits_a_float(%x: tensor<4xi16>) -> tensor<4xi64> {
  %0 = graph.cast %x : tensor<4xi16> to tensor<4xf32>
  %r = graph.cast %0 : tensor<4xf32> to tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// CHECK-LABEL: func.func @integer_that_would_wrap_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xui8> to tensor<4xf32>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xf32> to tensor<4xi8>
// CHECK-NEXT:    func.return %r : tensor<4xi8>
func.func @integer_that_would_wrap_stays(%x: tensor<4xui8>) -> tensor<4xi8> {
  %0 = graph.cast %x : tensor<4xui8> to tensor<4xf32>
  %r = graph.cast %0 : tensor<4xf32> to tensor<4xi8>
  func.return %r : tensor<4xi8>
}

// CHECK-LABEL: func.func @integer_that_does_not_fit_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xf32> to tensor<4xi64>
// CHECK-NEXT:    func.return %r : tensor<4xi64>
func.func @integer_that_does_not_fit_stays(%x: tensor<4xi32>) -> tensor<4xi64> {
  %0 = graph.cast %x : tensor<4xi32> to tensor<4xf32>
  %r = graph.cast %0 : tensor<4xf32> to tensor<4xi64>
  func.return %r : tensor<4xi64>
}

// CHECK-LABEL: func.func @bool(
// CHECK-NEXT:    %r = graph.cast %x : tensor<4xi1> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @bool(%x: tensor<4xi1>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xi1> to tensor<4xui8>
  %r = graph.cast %0 : tensor<4xui8> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @to_bool_stays(
// CHECK-NEXT:    %0 = graph.cast %x : tensor<4xi32> to tensor<4xi1>
// CHECK-NEXT:    %r = graph.cast %0 : tensor<4xi1> to tensor<4xf32>
// CHECK-NEXT:    func.return %r : tensor<4xf32>
func.func @to_bool_stays(%x: tensor<4xi32>) -> tensor<4xf32> {
  %0 = graph.cast %x : tensor<4xi32> to tensor<4xi1>
  %r = graph.cast %0 : tensor<4xi1> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @to_itself(
// CHECK-NEXT:    func.return %x : tensor<4xf32>
func.func @to_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.cast %x : tensor<4xf32> to tensor<4xf32>
  func.return %r : tensor<4xf32>
}
