// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// What runs along an axis: scan and fold.

// CHECK-LABEL: func.func @scans
func.func @scans(%x: tensor<4x8xf32>, %k: tensor<4x8xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
  // CHECK: %{{.*}} = graph.scan add %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = graph.scan add %x axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = graph.scan max %x axis 0 exclusive reverse : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.scan max %x axis 0 exclusive reverse : tensor<4x8xf32> -> tensor<4x8xf32>
  %low = graph.constant dense<0xff800000> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i64>
  // CHECK: %most, %at = graph.fold(%x, %k) from(%low, %zero) axes [1] {
  // CHECK-NEXT: ^bb0(%m: tensor<f32>, %a: tensor<i64>, %m2: tensor<f32>, %a2: tensor<i64>):
  // CHECK-NEXT:   %greater = graph.compare gt %m2, %m : tensor<f32>
  // CHECK-NEXT:   %m3 = graph.select %greater, %m2, %m : tensor<f32>
  // CHECK-NEXT:   %a3 = graph.select %greater, %a2, %a : tensor<i64>
  // CHECK-NEXT:   graph.yield %m3, %a3
  // CHECK-NEXT: }
  %most, %at = graph.fold(%x, %k) from(%low, %zero) axes [1] {
  ^bb0(%m: tensor<f32>, %a: tensor<i64>, %m2: tensor<f32>, %a2: tensor<i64>):
    %greater = graph.compare gt %m2, %m : tensor<f32>
    %m3 = graph.select %greater, %m2, %m : tensor<f32>
    %a3 = graph.select %greater, %a2, %a : tensor<i64>
    graph.yield %m3, %a3
  }
  func.return %most, %at : tensor<4xf32>, tensor<4xi64>
}
