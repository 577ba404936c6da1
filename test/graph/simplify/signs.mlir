// Opposite numbers: each row firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

func.func @add_opposite(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = graph.neg %y : tensor<4xf32>
  %r = graph.add %x, %n : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @add_opposite_left(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = graph.neg %x : tensor<4xf32>
  %r = graph.add %n, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @sub_opposite(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %n = graph.neg %y : tensor<4xi8>
  %r = graph.sub %x, %n : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @sub_from_zero(%x: tensor<4xi8>) -> tensor<4xi8> {
  %zc = graph.constant dense<0> : tensor<i8>
  %z = graph.broadcast %zc axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.sub %z, %x : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @sub_from_negative_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zc = graph.constant dense<-0.0> : tensor<f32>
  %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.sub %z, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @sub_from_positive_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zc = graph.constant dense<0.0> : tensor<f32>
  %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.sub %z, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @opposites(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.neg %x : tensor<4xf32>
  %b = graph.neg %y : tensor<4xf32>
  %r = graph.mul %a, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @opposites_divided(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.neg %x : tensor<4xf32>
  %b = graph.neg %y : tensor<4xf32>
  %r = graph.div %a, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @one_opposite_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.neg %x : tensor<4xf32>
  %r = graph.mul %a, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @times_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mc = graph.constant dense<-1.0> : tensor<f32>
  %m = graph.broadcast %mc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.mul %m, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @times_minus_one_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %mc = graph.constant dense<255> : tensor<ui8>
  %m = graph.broadcast %mc axes [] : tensor<ui8> -> tensor<4xui8>
  %r = graph.mul %x, %m : tensor<4xui8>
  func.return %r : tensor<4xui8>
}

func.func @by_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %mc = graph.constant dense<-1.0> : tensor<f32>
  %m = graph.broadcast %mc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %m : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @abs_opposite(%x: tensor<4xi8>) -> tensor<4xi8> {
  %n = graph.neg %x : tensor<4xi8>
  %r = graph.abs %n : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @add_opposite(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.sub %x, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @add_opposite_left(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.sub %y, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @sub_opposite(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %r = graph.add %x, %y : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @sub_from_zero(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %r = graph.neg %x : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @sub_from_negative_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.neg %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @sub_from_positive_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %zc = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:     %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.sub %z, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @opposites(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.mul %x, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @opposites_divided(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.div %x, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @one_opposite_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %a = graph.neg %x : tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %a, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @times_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.neg %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @times_minus_one_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
// CHECK-NEXT:     %r = graph.neg %x : tensor<4xui8>
// CHECK-NEXT:     func.return %r : tensor<4xui8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @by_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.neg %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @abs_opposite(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %r = graph.abs %x : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT: }
