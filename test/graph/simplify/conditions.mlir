// Comparisons and selects: each row firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

func.func @not_compare(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi1> {
  %p = graph.compare lt %x, %y : tensor<4xi8>
  %r = graph.not %p : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

func.func @not_equal(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %p = graph.compare eq %x, %y : tensor<4xf32>
  %r = graph.not %p : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

func.func @not_less_of_floats_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
  %p = graph.compare lt %x, %y : tensor<4xf32>
  %r = graph.not %p : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

func.func @compare_itself(%x: tensor<4xi8>) -> tensor<4xi1> {
  %r = graph.compare le %x, %x : tensor<4xi8>
  func.return %r : tensor<4xi1>
}

func.func @less_than_itself(%x: tensor<4xi8>) -> tensor<4xi1> {
  %r = graph.compare lt %x, %x : tensor<4xi8>
  func.return %r : tensor<4xi1>
}

func.func @compare_itself_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xi1> {
  %r = graph.compare eq %x, %x : tensor<4xf32>
  func.return %r : tensor<4xi1>
}

func.func @compare_boolean(%c: tensor<4xi1>) -> tensor<4xi1> {
  %a = graph.cast %c : tensor<4xi1> to tensor<4xi32>
  %zc = graph.constant dense<0> : tensor<i32>
  %z = graph.broadcast %zc axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.compare ne %a, %z : tensor<4xi32>
  func.return %r : tensor<4xi1>
}

func.func @compare_boolean_with_one_stays(%c: tensor<4xi1>) -> tensor<4xi1> {
  %a = graph.cast %c : tensor<4xi1> to tensor<4xi32>
  %zc = graph.constant dense<1> : tensor<i32>
  %z = graph.broadcast %zc axes [] : tensor<i32> -> tensor<4xi32>
  %r = graph.compare ne %a, %z : tensor<4xi32>
  func.return %r : tensor<4xi1>
}

func.func @select_booleans(%c: tensor<4xi1>) -> tensor<4xi1> {
  %tc = graph.constant dense<true> : tensor<i1>
  %t = graph.broadcast %tc axes [] : tensor<i1> -> tensor<4xi1>
  %fc = graph.constant dense<false> : tensor<i1>
  %f = graph.broadcast %fc axes [] : tensor<i1> -> tensor<4xi1>
  %r = graph.select %c, %t, %f : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

func.func @select_booleans_the_other_way(%c: tensor<4xi1>) -> tensor<4xi1> {
  %tc = graph.constant dense<true> : tensor<i1>
  %t = graph.broadcast %tc axes [] : tensor<i1> -> tensor<4xi1>
  %fc = graph.constant dense<false> : tensor<i1>
  %f = graph.broadcast %fc axes [] : tensor<i1> -> tensor<4xi1>
  %r = graph.select %c, %f, %t : tensor<4xi1>
  func.return %r : tensor<4xi1>
}

func.func @select_not(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = graph.not %c : tensor<4xi1>
  %r = graph.select %n, %x, %y : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @select_select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %s = graph.select %c, %x, %y : tensor<4xf32>
  %r = graph.select %c, %s, %e : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @select_select_right(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %s = graph.select %c, %x, %y : tensor<4xf32>
  %r = graph.select %c, %e, %s : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @select_of_another_stays(%c: tensor<4xi1>, %d: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %s = graph.select %d, %x, %y : tensor<4xf32>
  %r = graph.select %c, %s, %e : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @not_compare(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi1> {
// CHECK-NEXT:     %r = graph.compare ge %x, %y : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @not_equal(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
// CHECK-NEXT:     %r = graph.compare ne %x, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @not_less_of_floats_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xi1> {
// CHECK-NEXT:     %p = graph.compare lt %x, %y : tensor<4xf32>
// CHECK-NEXT:     %r = graph.not %p : tensor<4xi1>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @compare_itself(%x: tensor<4xi8>) -> tensor<4xi1> {
// CHECK-NEXT:     %0 = graph.constant dense<true> : tensor<i1>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<i1> -> tensor<4xi1>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @less_than_itself(%x: tensor<4xi8>) -> tensor<4xi1> {
// CHECK-NEXT:     %0 = graph.constant dense<false> : tensor<i1>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<i1> -> tensor<4xi1>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @compare_itself_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xi1> {
// CHECK-NEXT:     %r = graph.compare eq %x, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @compare_boolean(%c: tensor<4xi1>) -> tensor<4xi1> {
// CHECK-NEXT:     func.return %c : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @compare_boolean_with_one_stays(%c: tensor<4xi1>) -> tensor<4xi1> {
// CHECK-NEXT:     %a = graph.cast %c : tensor<4xi1> to tensor<4xi32>
// CHECK-NEXT:     %zc = graph.constant dense<1> : tensor<i32>
// CHECK-NEXT:     %z = graph.broadcast %zc axes [] : tensor<i32> -> tensor<4xi32>
// CHECK-NEXT:     %r = graph.compare ne %a, %z : tensor<4xi32>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_booleans(%c: tensor<4xi1>) -> tensor<4xi1> {
// CHECK-NEXT:     func.return %c : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_booleans_the_other_way(%c: tensor<4xi1>) -> tensor<4xi1> {
// CHECK-NEXT:     %r = graph.not %c : tensor<4xi1>
// CHECK-NEXT:     func.return %r : tensor<4xi1>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_not(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.select %c, %y, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %e = graph.exp %x : tensor<4xf32>
// CHECK-NEXT:     %r = graph.select %c, %x, %e : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_select_right(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %e = graph.exp %x : tensor<4xf32>
// CHECK-NEXT:     %r = graph.select %c, %e, %y : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @select_of_another_stays(%c: tensor<4xi1>, %d: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %e = graph.exp %x : tensor<4xf32>
// CHECK-NEXT:     %s = graph.select %d, %x, %y : tensor<4xf32>
// CHECK-NEXT:     %r = graph.select %c, %s, %e : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
