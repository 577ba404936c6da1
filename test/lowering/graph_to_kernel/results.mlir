// RUN: teeny-opt %s -p graph-to-kernel --check-each | filecheck %s

// What a kernel stores beside another result, or is asked for where there is none.

// A constant in memory is copied to a result; no other kernel writes it by the way.
func.func @constant_is_a_result_too() -> (tensor<2x3xf32>, tensor<3xf64>) {
  %c = graph.constant dense<[2.0, 1.0, 4.0]> : tensor<3xf64>
  %a = graph.cast %c : tensor<3xf64> to tensor<3xf32>
  %b = graph.broadcast %a axes [1] : tensor<3xf32> -> tensor<2x3xf32>
  func.return %b, %c : tensor<2x3xf32>, tensor<3xf64>
}

// The loops of the first result are those of the constant, whoever else writes a reshaping of it.
func.func @two_reshapings_of_a_constant() -> (tensor<1x1x4xf32>, tensor<1x4xf32>) {
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %a = graph.reshape %c : tensor<2x2xf32> -> tensor<1x4xf32>
  %b = graph.reshape %a : tensor<1x4xf32> -> tensor<1x1x4xf32>
  func.return %b, %a : tensor<1x1x4xf32>, tensor<1x4xf32>
}

// Beyond the padding there is no row to fill.
func.func @padded_rows(%x: tensor<2x3xi8>, %v: tensor<i8>) -> tensor<3x8xi8> {
  %d = graph.conv %x, %x stride [] pad [] dilation [] groups 1 : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x2xi8>
  %c = graph.concat %d, %d axis 1 : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x4xi8>
  %p = graph.pad %c, %v low [1, 2] high [0, 2] : (tensor<2x4xi8>, tensor<i8>) -> tensor<3x8xi8>
  func.return %p : tensor<3x8xi8>
}

// Both are views of the argument.
func.func @two_reshapings_of_an_argument(%x: tensor<2x3xf64>) -> (tensor<6xf64>, tensor<2x3xf64>) {
  %a = graph.reshape %x : tensor<2x3xf64> -> tensor<2x3xf64>
  %b = graph.reshape %a : tensor<2x3xf64> -> tensor<6xf64>
  func.return %b, %a : tensor<6xf64>, tensor<2x3xf64>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @broadcast(out %out: !kernel.buf<[2, 3] x f32>, in %c: !kernel.buf<[3] x f64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %c[%j]
// CHECK-NEXT:     %1 = arith.truncf %0 : f64 to f32
// CHECK-NEXT:     kernel.store %1, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[3] x f64>, in %c: !kernel.buf<[3] x f64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %0 = kernel.load %c[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @constant_is_a_result_too(out %output0: !kernel.buf<[2, 3] x f32>, out %output1: !kernel.buf<[3] x f64>) attributes {program.names = ["output0", "output1"]} {
// CHECK-NEXT:     %c = program.constant dense<[2.000000e+00, 1.000000e+00, 4.000000e+00]> : tensor<3xf64>
// CHECK-NEXT:     program.launch @broadcast(%output0, %c)
// CHECK-NEXT:     program.launch @copy(%output1, %c)
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @reshape(out %out: !kernel.buf<[1, 4] x f32>, in %c: !kernel.buf<[2, 2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %c[%i, %j]
// CHECK-NEXT:     kernel.store %0, %out[0, %i * 2 + %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @reshape_1(out %out: !kernel.buf<[1, 1, 4] x f32>, in %c: !kernel.buf<[2, 2] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 2
// CHECK-NEXT:     %j = kernel.range 0 to 2
// CHECK-NEXT:     %0 = kernel.load %c[%i, %j]
// CHECK-NEXT:     kernel.store %0, %out[0, 0, %i * 2 + %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_reshapings_of_a_constant(out %output0: !kernel.buf<[1, 1, 4] x f32>, out %output1: !kernel.buf<[1, 4] x f32>) attributes {program.names = ["output0", "output1"]} {
// CHECK-NEXT:     %c = program.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK-NEXT:     program.launch @reshape(%output1, %c)
// CHECK-NEXT:     program.launch @reshape_1(%output0, %c)
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @conv(out %out: !kernel.buf<[3, 8] x i8>, in %x: !kernel.buf<[2, 3] x i8>, in %v: !kernel.buf<[] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 3
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %0 = kernel.load %v[]
// CHECK-NEXT:     %1 = kernel.index %i - 1
// CHECK-NEXT:     %2 = kernel.index 2
// CHECK-NEXT:     %3 = arith.cmpi ult, %1, %2 : index
// CHECK-NEXT:     %4 = kernel.index %j - 2
// CHECK-NEXT:     %5 = kernel.index 4
// CHECK-NEXT:     %6 = arith.cmpi ult, %4, %5 : index
// CHECK-NEXT:     %7 = arith.andi %3, %6 : i1
// CHECK-NEXT:     %8 = arith.cmpi ult, %4, %2 : index
// CHECK-NEXT:     %9 = arith.andi %7, %8 : i1
// CHECK-NEXT:     %k = kernel.range 0 to 2
// CHECK-NEXT:     %l = kernel.range 0 to 3
// CHECK-NEXT:     %10 = arith.constant 0 : i8
// CHECK-NEXT:     %11 = kernel.load %x[%i - 1, %l] if %3 else %10
// CHECK-NEXT:     %12 = arith.constant 0 : i8
// CHECK-NEXT:     %13 = kernel.load %x[%k, %l] if %3 else %12
// CHECK-NEXT:     %14 = arith.muli %11, %13 : i8
// CHECK-NEXT:     %15 = kernel.reduce %14 over(%l) {kind = "add"}
// CHECK-NEXT:     %row = kernel.stage %15[%k] over(%k) : !kernel.buf<[2] x i8, local>
// CHECK-NEXT:     %16 = arith.constant 0 : i8
// CHECK-NEXT:     %17 = kernel.load %row[%j - 2] if %9 else %16
// CHECK-NEXT:     %18 = kernel.index %j - 4
// CHECK-NEXT:     %19 = arith.cmpi ult, %18, %2 : index
// CHECK-NEXT:     %20 = arith.andi %7, %19 : i1
// CHECK-NEXT:     %21 = arith.constant 0 : i8
// CHECK-NEXT:     %22 = kernel.load %row[%j - 4] if %20 else %21
// CHECK-NEXT:     %23 = arith.select %20, %22, %17 : i8
// CHECK-NEXT:     %24 = arith.select %7, %23, %0 : i8
// CHECK-NEXT:     kernel.store %24, %out[%i, %j]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @padded_rows(in %x: !kernel.buf<[2, 3] x i8>, in %v: !kernel.buf<[] x i8>, out %output: !kernel.buf<[3, 8] x i8>) attributes {program.names = ["x", "v", "output"]} {
// CHECK-NEXT:     program.launch @conv(%output, %x, %v)
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @two_reshapings_of_an_argument(in %x: !kernel.buf<[2, 3] x f64>, out %output0: !kernel.buf<[6] x f64>, out %output1: !kernel.buf<[2, 3] x f64>) attributes {program.names = ["x", "output0", "output1"]} {
// CHECK-NEXT:     program.view %output0 of %x at 0
// CHECK-NEXT:     program.view %output1 of %x at 0
// CHECK-NEXT:   }
// CHECK-NEXT: }
