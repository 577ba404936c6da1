// RUN: teeny-opt %s | teeny-opt | FileCheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | FileCheck %s

// Sorts: of keys and what goes along with them, the first of them, along an axis with a name.

func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sort(%x) keys 1 axis 0
  func.return %0 : tensor<4xf32>
}

func.func @several(%a: tensor<?x9xi8, #graph.dims<[N, 9]>>, %b: tensor<?x9xi1, #graph.dims<[N, 9]>>, %c: tensor<?x9xi4, #graph.dims<[N, 9]>>) -> tensor<?x5xi4, #graph.dims<[N, 5]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %0, %1, %2 = graph.sort(%a, %b, %c) keys 2 axis 1 descending first 5
  func.return %2 : tensor<?x5xi4, #graph.dims<[N, 5]>>
}

func.func @named(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x4xf32, #graph.dims<[N floordiv 2, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %0 = graph.sort(%x) keys 1 axis 0 first N floordiv 2
  func.return %0 : tensor<?x4xf32, #graph.dims<[N floordiv 2, 4]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.sort(%x) keys 1 axis 0
// CHECK-NEXT:     func.return %0 : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @several(%a: tensor<?x9xi8, #graph.dims<[N, 9]>>, %b: tensor<?x9xi1, #graph.dims<[N, 9]>>, %c: tensor<?x9xi4, #graph.dims<[N, 9]>>) -> tensor<?x5xi4, #graph.dims<[N, 5]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
// CHECK-NEXT:     %0, %1, %2 = graph.sort(%a, %b, %c) keys 2 axis 1 descending first 5
// CHECK-NEXT:     func.return %2 : tensor<?x5xi4, #graph.dims<[N, 5]>>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @named(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) -> tensor<?x4xf32, #graph.dims<[N floordiv 2, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
// CHECK-NEXT:     %0 = graph.sort(%x) keys 1 axis 0 first N floordiv 2
// CHECK-NEXT:     func.return %0 : tensor<?x4xf32, #graph.dims<[N floordiv 2, 4]>>
// CHECK-NEXT:   }
// CHECK-NEXT: }
