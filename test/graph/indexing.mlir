// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// What has an index that is data: gather, scatter, dynamic_slice, dynamic_update.

// CHECK-LABEL: func.func @indexing
func.func @indexing(
    %x: tensor<?x8xf32, #graph.dims<[N, 8]>>, %rows: tensor<5x1xi32>, %cells: tensor<3x4x2xui8>,
    %slices: tensor<5x8xf32>, %values: tensor<3x4xf32>, %starts: tensor<2xi64>,
    %part: tensor<1x4xf32>
) attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  // CHECK-NEXT: %{{.*}} = graph.gather %x, %rows axes [0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<5x1xi32>) -> tensor<5x8xf32>
  %0 = graph.gather %x, %rows axes [0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<5x1xi32>) -> tensor<5x8xf32>
  // CHECK-NEXT: %{{.*}} = graph.gather %x, %cells axes [1, 0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<3x4x2xui8>) -> tensor<3x4xf32>
  %1 = graph.gather %x, %cells axes [1, 0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<3x4x2xui8>) -> tensor<3x4xf32>
  // CHECK-NEXT: %{{.*}} = graph.scatter add %x, %rows, %slices axes [0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  %2 = graph.scatter add %x, %rows, %slices axes [0] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<5x1xi32>, tensor<5x8xf32>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  // CHECK-NEXT: %{{.*}} = graph.scatter set %x, %cells, %values axes [0, 1]
  %3 = graph.scatter set %x, %cells, %values axes [0, 1] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<3x4x2xui8>, tensor<3x4xf32>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  // CHECK-NEXT: %{{.*}} = graph.dynamic_slice %x, %starts sizes [N - 1, 4] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<2xi64>) -> tensor<?x4xf32, #graph.dims<[N - 1, 4]>>
  %4 = graph.dynamic_slice %x, %starts sizes [N - 1, 4] : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<2xi64>) -> tensor<?x4xf32, #graph.dims<[N - 1, 4]>>
  // CHECK-NEXT: %{{.*}} = graph.dynamic_update %x, %part, %starts : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  %5 = graph.dynamic_update %x, %part, %starts : (tensor<?x8xf32, #graph.dims<[N, 8]>>, tensor<1x4xf32>, tensor<2xi64>) -> tensor<?x8xf32, #graph.dims<[N, 8]>>
  // CHECK-NEXT: func.return
  func.return
}
