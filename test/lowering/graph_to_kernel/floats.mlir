// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Elementwise ops on floats.

func.func @arithmetic(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.add %a, %b : tensor<4xf32>
  %1 = graph.sub %0, %b : tensor<4xf32>
  %2 = graph.mul %1, %b : tensor<4xf32>
  %3 = graph.div %2, %b : tensor<4xf32>
  %4 = graph.pow %3, %b : tensor<4xf32>
  %5 = graph.atan2 %4, %b : tensor<4xf32>
  %6 = graph.max %5, %b : tensor<4xf32>
  %7 = graph.min %6, %b : tensor<4xf32>
  func.return %7 : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @pow_atan2_max_min(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.addf %0, %1 : f32
// CHECK-NEXT:     %3 = arith.subf %2, %1 : f32
// CHECK-NEXT:     %4 = arith.mulf %3, %1 : f32
// CHECK-NEXT:     %5 = arith.divf %4, %1 : f32
// CHECK-NEXT:     %6 = math.powf %5, %1 : f32
// CHECK-NEXT:     %7 = math.atan2 %6, %1 : f32
// CHECK-NEXT:     %8 = arith.maximumf %7, %1 : f32
// CHECK-NEXT:     %9 = arith.minimumf %8, %1 : f32
// CHECK-NEXT:     kernel.store %9, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @arithmetic(in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @pow_atan2_max_min(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @functions(%a: tensor<4xf32>) -> tensor<4xf32> {
  %1 = graph.neg %a : tensor<4xf32>
  %2 = graph.abs %1 : tensor<4xf32>
  %3 = graph.exp %2 : tensor<4xf32>
  %4 = graph.exp2 %3 : tensor<4xf32>
  %5 = graph.log %4 : tensor<4xf32>
  %6 = graph.log2 %5 : tensor<4xf32>
  %7 = graph.sqrt %6 : tensor<4xf32>
  %8 = graph.rsqrt %7 : tensor<4xf32>
  %9 = graph.sin %8 : tensor<4xf32>
  %10 = graph.cos %9 : tensor<4xf32>
  %11 = graph.tanh %10 : tensor<4xf32>
  %12 = graph.erf %11 : tensor<4xf32>
  %13 = graph.floor %12 : tensor<4xf32>
  %14 = graph.ceil %13 : tensor<4xf32>
  %15 = graph.round %14 : tensor<4xf32>
  %16 = graph.trunc %15 : tensor<4xf32>
  func.return %16 : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @floor_ceil_round_trunc(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     %2 = math.absf %1 : f32
// CHECK-NEXT:     %3 = math.exp %2 : f32
// CHECK-NEXT:     %4 = math.exp2 %3 : f32
// CHECK-NEXT:     %5 = math.log %4 : f32
// CHECK-NEXT:     %6 = math.log2 %5 : f32
// CHECK-NEXT:     %7 = math.sqrt %6 : f32
// CHECK-NEXT:     %8 = math.rsqrt %7 : f32
// CHECK-NEXT:     %9 = math.sin %8 : f32
// CHECK-NEXT:     %10 = math.cos %9 : f32
// CHECK-NEXT:     %11 = math.tanh %10 : f32
// CHECK-NEXT:     %12 = math.erf %11 : f32
// CHECK-NEXT:     %13 = math.floor %12 : f32
// CHECK-NEXT:     %14 = math.ceil %13 : f32
// CHECK-NEXT:     %15 = math.roundeven %14 : f32
// CHECK-NEXT:     %16 = math.trunc %15 : f32
// CHECK-NEXT:     kernel.store %16, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @functions(in %a: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @floor_ceil_round_trunc(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Zeros and NaN are their own sign.

func.func @sign(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.sign %a : tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sign_1(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %2 = math.copysign %1, %0 : f32
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.cmpf one, %0, %3 : f32
// CHECK-NEXT:     %5 = arith.select %4, %2, %0 : f32
// CHECK-NEXT:     kernel.store %5, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @sign(in %a: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @sign_1(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The remainder takes the divisor's sign, a zero too.

func.func @mod(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.mod %a, %b : tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @mod_1(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.remf %0, %1 : f32
// CHECK-NEXT:     %3 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.cmpf une, %2, %3 : f32
// CHECK-NEXT:     %5 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %6 = arith.cmpf olt, %2, %5 : f32
// CHECK-NEXT:     %7 = arith.cmpf olt, %1, %5 : f32
// CHECK-NEXT:     %8 = arith.xori %6, %7 : i1
// CHECK-NEXT:     %9 = arith.andi %4, %8 : i1
// CHECK-NEXT:     %10 = arith.addf %2, %1 : f32
// CHECK-NEXT:     %11 = arith.select %9, %10, %2 : f32
// CHECK-NEXT:     %12 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %13 = math.copysign %12, %1 : f32
// CHECK-NEXT:     %14 = arith.select %4, %11, %13 : f32
// CHECK-NEXT:     kernel.store %14, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @mod(in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @mod_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @floordiv(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.floordiv %a, %b : tensor<4xf32>
  func.return %c : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @floordiv_1(out %out: !kernel.buf<[4] x f32>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %3 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:     %4 = arith.divf %0, %1 : f32
// CHECK-NEXT:     %5 = arith.remf %0, %1 : f32
// CHECK-NEXT:     %6 = arith.subf %0, %5 : f32
// CHECK-NEXT:     %7 = arith.divf %6, %1 : f32
// CHECK-NEXT:     %8 = arith.cmpf une, %5, %2 : f32
// CHECK-NEXT:     %9 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %10 = arith.cmpf olt, %5, %9 : f32
// CHECK-NEXT:     %11 = arith.cmpf olt, %1, %9 : f32
// CHECK-NEXT:     %12 = arith.xori %10, %11 : i1
// CHECK-NEXT:     %13 = arith.andi %8, %12 : i1
// CHECK-NEXT:     %14 = arith.subf %7, %3 : f32
// CHECK-NEXT:     %15 = arith.select %13, %14, %7 : f32
// CHECK-NEXT:     %16 = math.floor %15 : f32
// CHECK-NEXT:     %17 = arith.subf %15, %16 : f32
// CHECK-NEXT:     %18 = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:     %19 = arith.cmpf ogt, %17, %18 : f32
// CHECK-NEXT:     %20 = arith.addf %16, %3 : f32
// CHECK-NEXT:     %21 = arith.select %19, %20, %16 : f32
// CHECK-NEXT:     %22 = math.copysign %2, %4 : f32
// CHECK-NEXT:     %23 = arith.cmpf une, %15, %2 : f32
// CHECK-NEXT:     %24 = arith.select %23, %21, %22 : f32
// CHECK-NEXT:     %25 = arith.cmpf oeq, %1, %2 : f32
// CHECK-NEXT:     %26 = arith.select %25, %4, %24 : f32
// CHECK-NEXT:     kernel.store %26, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @floordiv(in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @floordiv_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Narrow floats are computed as such: it is for the target to widen them.

func.func @mul(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16> {
  %c = graph.mul %a, %b : tensor<4xbf16>
  func.return %c : tensor<4xbf16>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @mul_1(out %out: !kernel.buf<[4] x bf16>, in %a: !kernel.buf<[4] x bf16>, in %b: !kernel.buf<[4] x bf16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.mulf %0, %1 : bf16
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @mul(in %a: !kernel.buf<[4] x bf16>, in %b: !kernel.buf<[4] x bf16>, out %output: !kernel.buf<[4] x bf16>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @mul_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }
