// What holds of finite floats alone, or but for a rounding; three spellings of GELU come to one: each row firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p 'simplify-graph{fast-math=true},cse' | filecheck %s

func.func @add_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zc = graph.constant dense<0.0> : tensor<f32>
  %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.add %x, %z : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @times_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zc = graph.constant dense<0.0> : tensor<f32>
  %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.mul %x, %z : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @minus_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.sub %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @by_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.div %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @reciprocal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<3.0> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @reciprocal_of_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<0.0> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @constants_meet(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ac = graph.constant dense<3.0> : tensor<f32>
  %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
  %bc = graph.constant dense<5.0> : tensor<f32>
  %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
  %s = graph.mul %x, %a : tensor<4xf32>
  %r = graph.mul %b, %s : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @constant_of_two_users_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %ac = graph.constant dense<3.0> : tensor<f32>
  %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
  %s = graph.mul %x, %a : tensor<4xf32>
  %t = graph.mul %s, %y : tensor<4xf32>
  %r = graph.add %s, %t : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @gelu_factors_first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %hc = graph.constant dense<0.5> : tensor<f32>
  %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
  %qc = graph.constant dense<1.4142135> : tensor<f32>
  %q = graph.broadcast %qc axes [] : tensor<f32> -> tensor<4xf32>
  %oc = graph.constant dense<1.0> : tensor<f32>
  %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
  %a = graph.mul %h, %x : tensor<4xf32>
  %b = graph.div %x, %q : tensor<4xf32>
  %e = graph.erf %b : tensor<4xf32>
  %s = graph.add %o, %e : tensor<4xf32>
  %r = graph.mul %a, %s : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @gelu_distribution(%x: tensor<4xf32>) -> tensor<4xf32> {
  %hc = graph.constant dense<0.5> : tensor<f32>
  %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
  %qc = graph.constant dense<1.4142135> : tensor<f32>
  %q = graph.broadcast %qc axes [] : tensor<f32> -> tensor<4xf32>
  %oc = graph.constant dense<1.0> : tensor<f32>
  %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
  %b = graph.div %x, %q : tensor<4xf32>
  %e = graph.erf %b : tensor<4xf32>
  %s = graph.add %e, %o : tensor<4xf32>
  %a = graph.mul %s, %h : tensor<4xf32>
  %r = graph.mul %x, %a : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @gelu_half_last(%x: tensor<4xf32>) -> tensor<4xf32> {
  %hc = graph.constant dense<0.5> : tensor<f32>
  %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
  %qc = graph.constant dense<1.4142135> : tensor<f32>
  %q = graph.broadcast %qc axes [] : tensor<f32> -> tensor<4xf32>
  %oc = graph.constant dense<1.0> : tensor<f32>
  %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
  %b = graph.div %x, %q : tensor<4xf32>
  %e = graph.erf %b : tensor<4xf32>
  %s = graph.add %e, %o : tensor<4xf32>
  %a = graph.mul %x, %s : tensor<4xf32>
  %r = graph.mul %a, %h : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @add_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     func.return %x : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @times_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %zc = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:     %z = graph.broadcast %zc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     func.return %z : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @minus_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @by_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @reciprocal(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<0.333333343> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @reciprocal_of_zero_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %dc = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.div %x, %d : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @constants_meet(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<1.500000e+01> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @constant_of_two_users_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %ac = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:     %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %s = graph.mul %x, %a : tensor<4xf32>
// CHECK-NEXT:     %t = graph.mul %s, %y : tensor<4xf32>
// CHECK-NEXT:     %r = graph.add %s, %t : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @gelu_factors_first(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %hc = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:     %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %oc = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %0 = graph.constant dense<0.707106769> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %b = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     %e = graph.erf %b : tensor<4xf32>
// CHECK-NEXT:     %s = graph.add %e, %o : tensor<4xf32>
// CHECK-NEXT:     %2 = graph.mul %x, %s : tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %2, %h : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @gelu_distribution(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %hc = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:     %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %oc = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %0 = graph.constant dense<0.707106769> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %b = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     %e = graph.erf %b : tensor<4xf32>
// CHECK-NEXT:     %s = graph.add %e, %o : tensor<4xf32>
// CHECK-NEXT:     %2 = graph.mul %x, %s : tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %2, %h : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @gelu_half_last(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %hc = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:     %h = graph.broadcast %hc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %oc = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %o = graph.broadcast %oc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %0 = graph.constant dense<0.707106769> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %b = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     %e = graph.erf %b : tensor<4xf32>
// CHECK-NEXT:     %s = graph.add %e, %o : tensor<4xf32>
// CHECK-NEXT:     %a = graph.mul %x, %s : tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %a, %h : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
