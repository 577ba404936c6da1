// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Elementwise ops on integers and bools: the sign is in the op, nothing is undefined.

// Signed and unsigned numbers add alike, wrapping.

func.func @add(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.add %a, %b : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @add_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.addi %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @add(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @add_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// No division traps: by 0 it gives 0, the least number by -1 wraps.

func.func @floordiv(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.floordiv %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @floordiv_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 0 : i32
// CHECK-NEXT:     %3 = arith.cmpi eq, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant -1 : i32
// CHECK-NEXT:     %5 = arith.cmpi eq, %1, %4 : i32
// CHECK-NEXT:     %6 = arith.ori %3, %5 : i1
// CHECK-NEXT:     %7 = arith.constant 1 : i32
// CHECK-NEXT:     %8 = arith.select %6, %7, %1 : i32
// CHECK-NEXT:     %9 = arith.remsi %0, %8 : i32
// CHECK-NEXT:     %10 = arith.constant 0 : i32
// CHECK-NEXT:     %11 = arith.cmpi ne, %9, %10 : i32
// CHECK-NEXT:     %12 = arith.constant 0 : i32
// CHECK-NEXT:     %13 = arith.cmpi slt, %9, %12 : i32
// CHECK-NEXT:     %14 = arith.cmpi slt, %8, %12 : i32
// CHECK-NEXT:     %15 = arith.xori %13, %14 : i1
// CHECK-NEXT:     %16 = arith.andi %11, %15 : i1
// CHECK-NEXT:     %17 = arith.divsi %0, %8 : i32
// CHECK-NEXT:     %18 = arith.extui %16 : i1 to i32
// CHECK-NEXT:     %19 = arith.subi %17, %18 : i32
// CHECK-NEXT:     %20 = arith.constant 0 : i32
// CHECK-NEXT:     %21 = arith.subi %20, %0 : i32
// CHECK-NEXT:     %22 = arith.constant -1 : i32
// CHECK-NEXT:     %23 = arith.cmpi eq, %1, %22 : i32
// CHECK-NEXT:     %24 = arith.select %23, %21, %19 : i32
// CHECK-NEXT:     %25 = arith.constant 0 : i32
// CHECK-NEXT:     %26 = arith.cmpi eq, %1, %25 : i32
// CHECK-NEXT:     %27 = arith.constant 0 : i32
// CHECK-NEXT:     %28 = arith.select %26, %27, %24 : i32
// CHECK-NEXT:     kernel.store %28, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @floordiv(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @floordiv_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @floordiv_unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.floordiv %a, %b : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @floordiv(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 0 : i32
// CHECK-NEXT:     %3 = arith.cmpi eq, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant 1 : i32
// CHECK-NEXT:     %5 = arith.select %3, %4, %1 : i32
// CHECK-NEXT:     %6 = arith.divui %0, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 0 : i32
// CHECK-NEXT:     %8 = arith.select %3, %7, %6 : i32
// CHECK-NEXT:     kernel.store %8, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @floordiv_unsigned(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @floordiv(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The remainder takes the divisor's sign.

func.func @mod(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.mod %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @mod_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 0 : i32
// CHECK-NEXT:     %3 = arith.cmpi eq, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant -1 : i32
// CHECK-NEXT:     %5 = arith.cmpi eq, %1, %4 : i32
// CHECK-NEXT:     %6 = arith.ori %3, %5 : i1
// CHECK-NEXT:     %7 = arith.constant 1 : i32
// CHECK-NEXT:     %8 = arith.select %6, %7, %1 : i32
// CHECK-NEXT:     %9 = arith.remsi %0, %8 : i32
// CHECK-NEXT:     %10 = arith.constant 0 : i32
// CHECK-NEXT:     %11 = arith.cmpi ne, %9, %10 : i32
// CHECK-NEXT:     %12 = arith.constant 0 : i32
// CHECK-NEXT:     %13 = arith.cmpi slt, %9, %12 : i32
// CHECK-NEXT:     %14 = arith.cmpi slt, %8, %12 : i32
// CHECK-NEXT:     %15 = arith.xori %13, %14 : i1
// CHECK-NEXT:     %16 = arith.andi %11, %15 : i1
// CHECK-NEXT:     %17 = arith.addi %9, %8 : i32
// CHECK-NEXT:     %18 = arith.select %16, %17, %9 : i32
// CHECK-NEXT:     %19 = arith.constant 0 : i32
// CHECK-NEXT:     %20 = arith.cmpi eq, %1, %19 : i32
// CHECK-NEXT:     %21 = arith.constant 0 : i32
// CHECK-NEXT:     %22 = arith.select %20, %21, %18 : i32
// CHECK-NEXT:     kernel.store %22, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @mod(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @mod_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @mod_unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.mod %a, %b : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @mod(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 0 : i32
// CHECK-NEXT:     %3 = arith.cmpi eq, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant 1 : i32
// CHECK-NEXT:     %5 = arith.select %3, %4, %1 : i32
// CHECK-NEXT:     %6 = arith.remui %0, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 0 : i32
// CHECK-NEXT:     %8 = arith.select %3, %7, %6 : i32
// CHECK-NEXT:     kernel.store %8, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @mod_unsigned(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @mod(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// From the width on all bits are shifted out.

func.func @shl(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.shl %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @shl_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 32 : i32
// CHECK-NEXT:     %3 = arith.cmpi uge, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant 0 : i32
// CHECK-NEXT:     %5 = arith.select %3, %4, %1 : i32
// CHECK-NEXT:     %6 = arith.shli %0, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 0 : i32
// CHECK-NEXT:     %8 = arith.select %3, %7, %6 : i32
// CHECK-NEXT:     kernel.store %8, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @shl(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @shl_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The sign fills.

func.func @shr(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.shr %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @shr_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 32 : i32
// CHECK-NEXT:     %3 = arith.cmpi uge, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant 31 : i32
// CHECK-NEXT:     %5 = arith.select %3, %4, %1 : i32
// CHECK-NEXT:     %6 = arith.shrsi %0, %5 : i32
// CHECK-NEXT:     kernel.store %6, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @shr(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @shr_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @shr_unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.shr %a, %b : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @shr(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.constant 32 : i32
// CHECK-NEXT:     %3 = arith.cmpi uge, %1, %2 : i32
// CHECK-NEXT:     %4 = arith.constant 0 : i32
// CHECK-NEXT:     %5 = arith.select %3, %4, %1 : i32
// CHECK-NEXT:     %6 = arith.shrui %0, %5 : i32
// CHECK-NEXT:     %7 = arith.constant 0 : i32
// CHECK-NEXT:     %8 = arith.select %3, %7, %6 : i32
// CHECK-NEXT:     kernel.store %8, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @shr_unsigned(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @shr(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @max(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.max %a, %b : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @max_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.maxui %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @max(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @max_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @min(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.min %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @min_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.minsi %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @min(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @min_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @xor(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %c = graph.xor %a, %b : tensor<4xi1>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @xor_1(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i1>, in %b: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.xori %0, %1 : i1
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @xor(in %a: !kernel.buf<[4] x i1>, in %b: !kernel.buf<[4] x i1>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @xor_1(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @neg(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.neg %a : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @neg_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 0 : i32
// CHECK-NEXT:     %2 = arith.subi %1, %0 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @neg(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @neg_1(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @abs(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.abs %a : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @abs_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = math.absi %0 : i32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @abs(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @abs_1(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// An unsigned number is its own magnitude.

func.func @abs_unsigned(%a: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.abs %a : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @abs(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @abs_unsigned(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @abs(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @sign(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = graph.sign %a : tensor<4xi32>
  func.return %c : tensor<4xi32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sign_1(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant -1 : i32
// CHECK-NEXT:     %2 = arith.maxsi %0, %1 : i32
// CHECK-NEXT:     %3 = arith.constant 1 : i32
// CHECK-NEXT:     %4 = arith.minsi %2, %3 : i32
// CHECK-NEXT:     kernel.store %4, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @sign(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @sign_1(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @sign_unsigned(%a: tensor<4xui32>) -> tensor<4xui32> {
  %c = graph.sign %a : tensor<4xui32>
  func.return %c : tensor<4xui32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sign(out %out: !kernel.buf<[4] x i32>, in %a: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant 1 : i32
// CHECK-NEXT:     %2 = arith.minui %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @sign_unsigned(in %a: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i32>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @sign(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @not(%a: tensor<4xi1>) -> tensor<4xi1> {
  %c = graph.not %a : tensor<4xi1>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @not_1(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant true
// CHECK-NEXT:     %2 = arith.xori %0, %1 : i1
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @not(in %a: !kernel.buf<[4] x i1>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @not_1(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @not_bits(%a: tensor<4xi8>) -> tensor<4xi8> {
  %c = graph.not %a : tensor<4xi8>
  func.return %c : tensor<4xi8>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @not(out %out: !kernel.buf<[4] x i8>, in %a: !kernel.buf<[4] x i8>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = arith.constant -1 : i8
// CHECK-NEXT:     %2 = arith.xori %0, %1 : i8
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @not_bits(in %a: !kernel.buf<[4] x i8>, out %output: !kernel.buf<[4] x i8>) attributes {program.names = ["a", "output"]} {
// CHECK-NEXT:     program.launch @not(%output, %a)
// CHECK-NEXT:   }
// CHECK-NEXT: }
