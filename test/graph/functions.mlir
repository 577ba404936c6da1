// What a function carries on the graph floor: ranges of names, names of arguments and results.
// RUN: teeny-opt %s | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// CHECK:      func.func @main(%x: tensor<?x?xf32, #graph.dims<[N, min(M, N) + 1]>> {graph.name = "x"}, %w: tensor<4xf32> {graph.name = "0.weight", graph.parameter}) -> (tensor<4xf32> {graph.name = "y"})
// CHECK-SAME: attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8, M in 0..]>}
func.func @main(%x: tensor<?x?xf32, #graph.dims<[N, 1 + min(N, M)]>> {graph.name = "x"}, %w: tensor<4xf32> {graph.name = "0.weight", graph.parameter}) -> (tensor<4xf32> {graph.name = "y"}) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8, M in 0..]>} {
  func.return %w : tensor<4xf32>
}
