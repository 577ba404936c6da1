// What branches, loops and called kernels refuse, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f(%c: tensor<4xi1>, %x: tensor<f32>) {
  // expected-error @below {{'graph.if': the condition is to be tensor<i1>, got tensor<4xi1>}}
  %y = graph.if %c {
    graph.yield %x
  } else {
    graph.yield %x
  }
  func.return
}

// -----

func.func @f(%c: tensor<i8>, %x: tensor<f32>) {
  // expected-error @below {{'graph.if': the condition is to be tensor<i1>, got tensor<i8>}}
  %y = graph.if %c {
    graph.yield %x
  } else {
    graph.yield %x
  }
  func.return
}

// -----

func.func @f(%c: i1, %x: tensor<f32>) {
  // expected-error @below {{expected a tensor, got i1}}
  %y = graph.if %c {
    graph.yield %x
  } else {
    graph.yield %x
  }
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  %0 = graph.if %c {
    graph.yield %x
  } else {
    // expected-error @below {{value 0 is tensor<4xf32> in one branch, tensor<5xf32> in the other}}
    graph.yield %y
  }
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  %0 = graph.if %c {
    graph.yield %x
  } else {
    // expected-error @below {{one branch gives 1 values, the other 2}}
    graph.yield %x, %y
  }
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.if': the branch gives (tensor<4xf32>), the results are (tensor<5xf32>)}}
  %0 = "graph.if"(%c) ({
    graph.yield %x
  }, {
    graph.yield %x
  }) : (tensor<i1>) -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @below {{'graph.if': a branch takes no arguments}}
  %0 = "graph.if"(%c) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a
  }, {
    graph.yield %x
  }) : (tensor<i1>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%c: tensor<i1>) {
  // expected-error @below {{'graph.if': gives nothing}}
  "graph.if"(%c) ({
    "graph.yield"() : () -> ()
  }, {
    "graph.yield"() : () -> ()
  }) : (tensor<i1>) -> ()
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  "graph.if"(%c) ({
    // expected-error @below {{'graph.exp': it ends the block of 'graph.if' and is not a terminator}}
    %y = graph.exp %x : tensor<4xf32>
  }, {
    graph.yield %x
  }) : (tensor<i1>) -> ()
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  "graph.if"(%c) ({
    // expected-error @below {{'func.return'}}
    func.return
  }, {
    graph.yield %x
  }) : (tensor<i1>) -> ()
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  %y = graph.if %c {
    %e = graph.exp %x : tensor<4xf32>
    graph.yield %e
  } else {
    graph.yield %x
  }
  // expected-error @below {{%e}}
  %z = graph.exp %e : tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'graph.yield'}}
  graph.yield %x
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<4xi1>) {
  %y = graph.while (%a = %x) cond {
    // expected-error @below {{'graph.yield': the condition is to yield tensor<i1>, got (tensor<4xi1>)}}
    graph.yield %c
  } do {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  %y = graph.while (%a = %x) cond {
    // expected-error @below {{'graph.yield': the condition is to yield tensor<i1>, got (tensor<i1>, tensor<4xf32>)}}
    graph.yield %c, %a
  } do {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>, %z: tensor<4xf16>) {
  %y = graph.while (%a = %x) cond {
    graph.yield %c
  } do {
    // expected-error @below {{'graph.yield': value 0 is carried as tensor<4xf32>, and the body yields tensor<4xf16>}}
    graph.yield %z
  }
  func.return
}

// -----

func.func @f(%x: tensor<?xf32, #graph.dims<[N]>>, %c: tensor<i1>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %y = graph.while (%a = %x) cond {
    graph.yield %c
  } do {
    %b = graph.concat %a, %a axis 0 : (tensor<?xf32, #graph.dims<[N]>>, tensor<?xf32, #graph.dims<[N]>>) -> tensor<?xf32, #graph.dims<[N * 2]>>
    // expected-error @below {{'graph.yield': value 0 is carried as tensor<?xf32, #graph.dims<[N]>>, and the body yields tensor<?xf32, #graph.dims<[N * 2]>>}}
    graph.yield %b
  }
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  %y, %z = graph.while (%a = %x, %b = %x) cond {
    graph.yield %c
  } do {
    // expected-error @below {{'graph.yield': carries 2 values, and the body yields 1}}
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{'graph.while': the condition is to take what is carried, (tensor<4xf32>), and takes ()}}
  %y = "graph.while"(%x) ({
    graph.yield %c
  }, {
    graph.yield %x
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{'graph.while': the body is to take what is carried, (tensor<4xf32>), and takes (tensor<5xf32>)}}
  %y = "graph.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %c
  }, {
  ^bb0(%a: tensor<5xf32>):
    graph.yield %x
  }) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @below {{'graph.while': the loop carries (tensor<4xf32>), the results are (tensor<5xf32>)}}
  %y = "graph.while"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield %c
  }, {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %x
  }) : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%c: tensor<i1>) {
  // expected-error @below {{'graph.while': gives nothing}}
  "graph.while"() ({
    graph.yield %c
  }, {
    "graph.yield"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': there is no kernel @k in this module}}
  %y = graph.custom_call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': there is no kernel @k in this module}}
  %y = graph.custom_call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

kernel.func @k(in %x: !kernel.buf<[4] x f32>) {
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': @k writes nothing}}
  graph.custom_call @k(%x) : (tensor<4xf32>) -> ()
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': @k takes 1 tensors, not 2}}
  %y = graph.custom_call @k(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': @k gives 1 tensors, not 2}}
  %y, %z = graph.custom_call @k(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<5xf32>) {
  // expected-error @below {{'graph.custom_call': argument 0 of @k is !kernel.buf<[4] x f32>, not tensor<5xf32>}}
  %y = graph.custom_call @k(%x) : (tensor<5xf32>) -> tensor<4xf32>
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': result 0 of @k is !kernel.buf<[4] x f32>, not tensor<4xf64>}}
  %y = graph.custom_call @k(%x) : (tensor<4xf32>) -> tensor<4xf64>
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..8) {
  %i = kernel.range 0 to N
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<?xf32, #graph.dims<[N]>>) attributes {graph.symbols = #graph.symbols<[N in 1..9]>} {
  // expected-error @below {{'graph.custom_call': @k takes N in 1..8, the function allows N in 1..9}}
  %y = graph.custom_call @k(%x) : (tensor<?xf32, #graph.dims<[N]>>) -> tensor<?xf32, #graph.dims<[N]>>
  func.return
}

// -----

kernel.func @k(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) dims(N in 1..8) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.custom_call': @k needs N: the function has none}}
  %y = graph.custom_call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected (types of the operands) -> results}}
  %y = graph.custom_call @k(%x) : tensor<4xf32>
  func.return
}
