// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// Branches, loops that carry tensors, and kernels that are called.

// CHECK-LABEL: func.func @branch
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %one = graph.constant dense<1> : tensor<i32>
  // CHECK:      %y, %n = graph.if %c {
  // CHECK-NEXT:   %e = graph.exp %x : tensor<4xf32>
  // CHECK-NEXT:   graph.yield %e, %one
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   graph.yield %x, %k
  // CHECK-NEXT: }
  %y, %n = graph.if %c {
    %e = graph.exp %x : tensor<4xf32>
    graph.yield %e, %one
  } else {
    graph.yield %x, %k
  }
  func.return %y, %n : tensor<4xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<?xf32, #graph.dims<[N]>>, %k: tensor<i32>, %c: tensor<i1>)
    -> (tensor<?xf32, #graph.dims<[N]>>, tensor<i32>)
    attributes {graph.symbols = #graph.symbols<[N in 0..]>} {
  %one = graph.constant dense<1> : tensor<i32>
  %ten = graph.constant dense<10> : tensor<i32>
  // CHECK:      %y, %n = graph.while (%a = %x, %b = %k) cond {
  // CHECK-NEXT:   %go = graph.compare lt %b, %ten : tensor<i32>
  // CHECK-NEXT:   graph.yield %go
  // CHECK-NEXT: } do {
  // CHECK-NEXT:   %a1 = graph.if %c {
  // CHECK-NEXT:     %a2 = graph.add %a, %x
  // CHECK-NEXT:     graph.yield %a2
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     graph.yield %a
  // CHECK-NEXT:   }
  // CHECK-NEXT:   %b1 = graph.add %b, %one
  // CHECK-NEXT:   graph.yield %a1, %b1
  // CHECK-NEXT: }
  %y, %n = graph.while (%a = %x, %b = %k) cond {
    %go = graph.compare lt %b, %ten : tensor<i32>
    graph.yield %go
  } do {
    %a1 = graph.if %c {
      %a2 = graph.add %a, %x : tensor<?xf32, #graph.dims<[N]>>
      graph.yield %a2
    } else {
      graph.yield %a
    }
    %b1 = graph.add %b, %one : tensor<i32>
    graph.yield %a1, %b1
  }
  func.return %y, %n : tensor<?xf32, #graph.dims<[N]>>, tensor<i32>
}

// Two loops, side by side and one in the other, may carry things of one name.
// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<i32>, %c: tensor<i1>) -> tensor<i32> {
  // CHECK:      %0 = graph.while (%a = %x) cond {
  // CHECK-NEXT:   graph.yield %c
  // CHECK-NEXT: } do {
  // CHECK-NEXT:   %1 = graph.while (%a_1 = %a) cond {
  // CHECK-NEXT:     graph.yield %c
  // CHECK-NEXT:   } do {
  // CHECK-NEXT:     graph.yield %a_1
  // CHECK-NEXT:   }
  // CHECK-NEXT:   graph.yield %1
  // CHECK-NEXT: }
  %0 = graph.while (%a = %x) cond {
    graph.yield %c
  } do {
    %1 = graph.while (%a_1 = %a) cond {
      graph.yield %c
    } do {
      graph.yield %a_1
    }
    graph.yield %1
  }
  // CHECK-NEXT: %{{.*}} = graph.while (%a_{{.*}} = %0) cond {
  %2 = graph.while (%a = %0) cond {
    graph.yield %c
  } do {
    graph.yield %a
  }
  func.return %2 : tensor<i32>
}

// CHECK: kernel.func @scale
kernel.func @scale(out %y: !kernel.buf<[N, 4] x f32>, inout %sum: !kernel.buf<[] x i32>, in %x: !kernel.buf<[N, 4] x f32>) dims(N in 0..) {
  %two = arith.constant 2.0 : f32
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 4
  %v = kernel.load %x[%i, %j]
  %w = arith.mulf %v, %two : f32
  kernel.store %w, %y[%i, %j]
  %s = arith.constant 1 : i32
  kernel.scatter %s, %sum[] {kind = "add"}
}

// An unsigned tensor is a buffer of signless elements.
// CHECK-LABEL: func.func @call
func.func @call(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %k: tensor<ui32>)
    -> (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<i32>)
    attributes {graph.symbols = #graph.symbols<[N in 1..64]>} {
  // CHECK: %y, %n = graph.custom_call @scale(%k, %x) : (tensor<ui32>, tensor<?x4xf32, #graph.dims<[N, 4]>>) -> (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<i32>)
  %y, %n = graph.custom_call @scale(%k, %x) : (tensor<ui32>, tensor<?x4xf32, #graph.dims<[N, 4]>>) -> (tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<i32>)
  func.return %y, %n : tensor<?x4xf32, #graph.dims<[N, 4]>>, tensor<i32>
}
