// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Conversions: floats round once, integers wrap, a float to an integer saturates and NaN is 0.

func.func @widen_signed(%a: tensor<4xi8>) -> tensor<4xi32> {
  %c = graph.cast %a : tensor<4xi8> to tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extsi %0 : i8 to i32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @widen_signed(in %a: !kernel.buf<[4] x i8>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @widen_unsigned(%a: tensor<4xui8>) -> tensor<4xi32> {
  %c = graph.cast %a : tensor<4xui8> to tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extui %0 : i8 to i32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @widen_unsigned(in %a: !kernel.buf<[4] x i8>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @narrow(%a: tensor<4xi64>) -> tensor<4xi8> {
  %c = graph.cast %a : tensor<4xi64> to tensor<4xi8>
  func.return %c : tensor<4xi8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i8>, in %a: !kernel.buf<[4] x i64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.trunci %0 : i64 to i8
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @narrow(in %a: !kernel.buf<[4] x i64>, out %output: !kernel.buf<[4] x i8>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Below the graph floor the types are the same.

func.func @reinterpret(%a: tensor<4xi32>) -> tensor<4xui32> {
  %c = graph.cast %a : tensor<4xi32> to tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @reinterpret(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @from_bool(%a: tensor<4xi1>) -> tensor<4xi32> {
  %c = graph.cast %a : tensor<4xi1> to tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extui %0 : i1 to i32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @from_bool(in %a: !kernel.buf<[4] x i1>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @to_bool(%a: tensor<4xf32>) -> tensor<4xi1> {
  %c = graph.cast %a : tensor<4xf32> to tensor<4xi1>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.cmpf une, %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @to_bool(in %a: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @integer_to_bool(%a: tensor<4xi8>) -> tensor<4xi1> {
  %c = graph.cast %a : tensor<4xi8> to tensor<4xi1>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 0 : i8
// CHECK-NEXT:     %2 = arith.cmpi ne, %0, %1 : i8
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @integer_to_bool(in %a: !kernel.buf<[4] x i8>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @from_signed(%a: tensor<4xi64>) -> tensor<4xf32> {
  %c = graph.cast %a : tensor<4xi64> to tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x i64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.sitofp %0 : i64 to f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @from_signed(in %a: !kernel.buf<[4] x i64>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @from_unsigned(%a: tensor<4xui64>) -> tensor<4xf32> {
  %c = graph.cast %a : tensor<4xui64> to tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x i64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.uitofp %0 : i64 to f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @from_unsigned(in %a: !kernel.buf<[4] x i64>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @bool_to_float(%a: tensor<4xi1>) -> tensor<4xf16> {
  %c = graph.cast %a : tensor<4xi1> to tensor<4xf16>
  func.return %c : tensor<4xf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x f16>, in %a: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.uitofp %0 : i1 to f16
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @bool_to_float(in %a: !kernel.buf<[4] x i1>, out %output: !kernel.buf<[4] x f16>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @to_signed(%a: tensor<4xf32>) -> tensor<4xi8> {
  %c = graph.cast %a : tensor<4xf32> to tensor<4xi8>
  func.return %c : tensor<4xi8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i8>, in %a: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant -1.280000e+02 : f32
// CHECK-NEXT:     %2 = arith.constant 1.280000e+02 : f32
// CHECK-NEXT:     %3 = arith.cmpf oge, %0, %2 : f32
// CHECK-NEXT:     %4 = arith.cmpf oge, %0, %1 : f32
// CHECK-NEXT:     %5 = arith.cmpf olt, %0, %2 : f32
// CHECK-NEXT:     %6 = arith.andi %4, %5 : i1
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %8 = arith.select %6, %0, %7 : f32
// CHECK-NEXT:     %9 = arith.fptosi %8 : f32 to i8
// CHECK-NEXT:     %10 = arith.constant 127 : i8
// CHECK-NEXT:     %11 = arith.select %3, %10, %9 : i8
// CHECK-NEXT:     %12 = arith.cmpf olt, %0, %1 : f32
// CHECK-NEXT:     %13 = arith.constant -128 : i8
// CHECK-NEXT:     %14 = arith.select %12, %13, %11 : i8
// CHECK-NEXT:     kernel.store %14, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @to_signed(in %a: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x i8>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @to_unsigned(%a: tensor<4xf64>) -> tensor<4xui64> {
  %c = graph.cast %a : tensor<4xf64> to tensor<4xui64>
  func.return %c : tensor<4xui64>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i64>, in %a: !kernel.buf<[4] x f64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %2 = arith.constant 1.8446744073709552e+19 : f64
// CHECK-NEXT:     %3 = arith.cmpf oge, %0, %2 : f64
// CHECK-NEXT:     %4 = arith.cmpf oge, %0, %1 : f64
// CHECK-NEXT:     %5 = arith.cmpf olt, %0, %2 : f64
// CHECK-NEXT:     %6 = arith.andi %4, %5 : i1
// CHECK-NEXT:     %7 = arith.constant 0.000000e+00 : f64
// CHECK-NEXT:     %8 = arith.select %6, %0, %7 : f64
// CHECK-NEXT:     %9 = arith.fptoui %8 : f64 to i64
// CHECK-NEXT:     %10 = arith.constant -1 : i64
// CHECK-NEXT:     %11 = arith.select %3, %10, %9 : i64
// CHECK-NEXT:     %12 = arith.cmpf olt, %0, %1 : f64
// CHECK-NEXT:     %13 = arith.constant 0 : i64
// CHECK-NEXT:     %14 = arith.select %12, %13, %11 : i64
// CHECK-NEXT:     kernel.store %14, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @to_unsigned(in %a: !kernel.buf<[4] x f64>, out %output: !kernel.buf<[4] x i64>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The bounds of i64 are no numbers of f16, so f32 is on the way.

func.func @narrow_float_to_integer(%a: tensor<4xf16>) -> tensor<4xi64> {
  %c = graph.cast %a : tensor<4xf16> to tensor<4xi64>
  func.return %c : tensor<4xi64>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x i64>, in %a: !kernel.buf<[4] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = arith.constant -9.22337204e+18 : f32
// CHECK-NEXT:     %3 = arith.constant 9.22337204e+18 : f32
// CHECK-NEXT:     %4 = arith.cmpf oge, %1, %3 : f32
// CHECK-NEXT:     %5 = arith.cmpf oge, %1, %2 : f32
// CHECK-NEXT:     %6 = arith.cmpf olt, %1, %3 : f32
// CHECK-NEXT:     %7 = arith.andi %5, %6 : i1
// CHECK-NEXT:     %8 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %9 = arith.select %7, %1, %8 : f32
// CHECK-NEXT:     %10 = arith.fptosi %9 : f32 to i64
// CHECK-NEXT:     %11 = arith.constant 9223372036854775807 : i64
// CHECK-NEXT:     %12 = arith.select %4, %11, %10 : i64
// CHECK-NEXT:     %13 = arith.cmpf olt, %1, %2 : f32
// CHECK-NEXT:     %14 = arith.constant -9223372036854775808 : i64
// CHECK-NEXT:     %15 = arith.select %13, %14, %12 : i64
// CHECK-NEXT:     kernel.store %15, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @narrow_float_to_integer(in %a: !kernel.buf<[4] x f16>, out %output: !kernel.buf<[4] x i64>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @extend(%a: tensor<4xf16>) -> tensor<4xf64> {
  %c = graph.cast %a : tensor<4xf16> to tensor<4xf64>
  func.return %c : tensor<4xf64>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x f64>, in %a: !kernel.buf<[4] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f64
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @extend(in %a: !kernel.buf<[4] x f16>, out %output: !kernel.buf<[4] x f64>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @truncate(%a: tensor<4xf64>) -> tensor<4xbf16> {
  %c = graph.cast %a : tensor<4xf64> to tensor<4xbf16>
  func.return %c : tensor<4xbf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x bf16>, in %a: !kernel.buf<[4] x f64>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.truncf %0 : f64 to bf16
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @truncate(in %a: !kernel.buf<[4] x f64>, out %output: !kernel.buf<[4] x bf16>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Neither of f16 and bf16 holds the other.

func.func @sideways(%a: tensor<4xf16>) -> tensor<4xbf16> {
  %c = graph.cast %a : tensor<4xf16> to tensor<4xbf16>
  func.return %c : tensor<4xbf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @cast(out %out: !kernel.buf<[4] x bf16>, in %a: !kernel.buf<[4] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = arith.truncf %1 : f32 to bf16
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @sideways(in %a: !kernel.buf<[4] x f16>, out %output: !kernel.buf<[4] x bf16>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @cast(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }
