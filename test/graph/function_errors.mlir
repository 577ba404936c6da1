// What is refused of a function on the graph floor, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func': N in tensor<?xf32, #graph.dims<[N]>> has no range; @f is to state one: graph.symbols = #graph.symbols<[N in 1..]>}}
func.func @f(%x: tensor<?xf32, #graph.dims<[N]>>) {
  func.return
}

// -----

func.func @f(%x: tensor<?xf32, #graph.dims<[N]>>, %v: tensor<f32>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{'graph.pad': M in tensor<?xf32, #graph.dims<[M + N]>> has no range}}
  %0 = graph.pad %x, %v low [M] high [0] : (tensor<?xf32, #graph.dims<[N]>>, tensor<f32>) -> tensor<?xf32, #graph.dims<[M + N]>>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{'graph.slice': M in #graph.dims<[M]> has no range}}
  %0 = graph.slice %x [M:M:1] : tensor<4xf32> -> tensor<0xf32>
  func.return
}

// -----

// expected-error @+1 {{'func.func': graph.symbols is to be #graph.symbols<[...]>, got 1 : i32}}
func.func @f() attributes {graph.symbols = 1 : i32} {
  func.return
}

// -----

// expected-error @+1 {{'func.func': two arguments are named "x"}}
func.func @f(%x: tensor<4xf32> {graph.name = "x"}, %y: tensor<4xf32> {graph.name = "x"}) {
  func.return
}

// -----

// expected-error @+1 {{N already has a range}}
func.func @f() attributes {graph.symbols = #graph.symbols<[N in 1.., N in 2..]>} {
  func.return
}

// -----

// expected-error @+1 {{the range of N is empty: N in 5..4}}
func.func @f() attributes {graph.symbols = #graph.symbols<[N in 5..4]>} {
  func.return
}

// -----

// expected-error @below {{tensor<?xf32, #graph.dims<[N floordiv M]>> divides by M, which may be 0}}
func.func @divides_by_zero(%x: tensor<?xf32, #graph.dims<[N floordiv M]>>) attributes {graph.symbols = #graph.symbols<[N in 0.., M in 0..]>} {
  func.return
}

// -----

func.func @divides_by_one_or_more(%x: tensor<?xf32, #graph.dims<[N floordiv M]>>) attributes {graph.symbols = #graph.symbols<[N in 0.., M in 1..]>} {
  func.return
}
