func.func @main(%x: tensor<?x64xf32, #graph.dims<[N, 64]>> {graph.name = "x"},
                %w: tensor<64x10xf32> {graph.name = "w"})
    -> tensor<?x10xf32, #graph.dims<[N, 10]>>
    attributes {graph.symbols = #graph.symbols<[N in 1..1024]>} {
  %y = graph.dot %x, %w contract [1] x [0]
      : (tensor<?x64xf32, #graph.dims<[N, 64]>>, tensor<64x10xf32>)
      -> tensor<?x10xf32, #graph.dims<[N, 10]>>
  %z = graph.tanh %y : tensor<?x10xf32, #graph.dims<[N, 10]>>
  func.return %z : tensor<?x10xf32, #graph.dims<[N, 10]>>
}
