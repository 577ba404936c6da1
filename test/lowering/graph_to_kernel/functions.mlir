// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Several functions in a module, and what stands beside them.

// Kernels stand before the program that launches them; two of one name get a number. A function that
// is not on tensors stays.

func.func @first(%x: tensor<4xf32> {graph.name = "x"}) -> tensor<4xf32> {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}

func.func @host(%n: i32) -> i32 {
  func.return %n : i32
}

func.func @exp(%0: tensor<4xf32> {graph.name = "0.weight", graph.parameter}) -> tensor<4xf32> {
  %1 = graph.exp %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

uop.func @exp_1(out %y: !uop.ptr<f32>) {
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp_2(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @first(in %x: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "output"]} {
// CHECK-NEXT:     program.launch @exp_2(%output, %x)
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @host(%n: i32) -> i32 {
// CHECK-NEXT:     func.return %n : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @exp_3(out %out: !kernel.buf<[4] x f32>, in %p0_weight: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %p0_weight[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @exp(in %p0_weight: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["0.weight", "output"]} {
// CHECK-NEXT:     program.launch @exp_3(%output, %p0_weight)
// CHECK-NEXT:   }
// CHECK-NEXT:   uop.func @exp_1(out %y: !uop.ptr<f32>) {
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A program has the ranges of its function, a kernel those that it needs.

func.func @ranges(%x: tensor<?xf32, #graph.dims<[N]>>, %y: tensor<?xf32, #graph.dims<[M]>>) -> (tensor<?xf32, #graph.dims<[N]>>, tensor<?xf32, #graph.dims<[M * 2]>>) attributes {graph.symbols = #graph.symbols<[N in 1..8, M in 0.. step 4]>} {
  %0 = graph.exp %x : tensor<?xf32, #graph.dims<[N]>>
  %1 = graph.concat %y, %y axis 0 : (tensor<?xf32, #graph.dims<[M]>>, tensor<?xf32, #graph.dims<[M]>>) -> tensor<?xf32, #graph.dims<[M * 2]>>
  func.return %0, %1 : tensor<?xf32, #graph.dims<[N]>>, tensor<?xf32, #graph.dims<[M * 2]>>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..8) {
// CHECK-NEXT:     %i = kernel.range 0 to N
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @concat(out %out: !kernel.buf<[M * 2] x f32>, in %y: !kernel.buf<[M] x f32>) dims(M in 0.. step 4) {
// CHECK-NEXT:     %i = kernel.range 0 to M * 2
// CHECK-NEXT:     %0 = kernel.index M
// CHECK-NEXT:     %1 = arith.cmpi ult, %i, %0 : index
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %3 = kernel.load %y[%i] if %1 else %2
// CHECK-NEXT:     %4 = kernel.index -M + %i
// CHECK-NEXT:     %5 = arith.cmpi ult, %4, %0 : index
// CHECK-NEXT:     %6 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %7 = kernel.load %y[-M + %i] if %5 else %6
// CHECK-NEXT:     %8 = arith.select %5, %7, %3 : f32
// CHECK-NEXT:     kernel.store %8, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @ranges(in %x: !kernel.buf<[N] x f32>, in %y: !kernel.buf<[M] x f32>, out %output0: !kernel.buf<[N] x f32>, out %output1: !kernel.buf<[M * 2] x f32>) dims(N in 1..8, M in 0.. step 4) attributes {program.names = ["x", "y", "output0", "output1"]} {
// CHECK-NEXT:     program.launch @exp(%output0, %x)
// CHECK-NEXT:     program.launch @concat(%output1, %y)
// CHECK-NEXT:   }
// CHECK-NEXT: }
