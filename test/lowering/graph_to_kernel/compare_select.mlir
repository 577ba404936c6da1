// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Comparisons: the predicate says what the elements are. With NaN all but `ne` are false.

func.func @floats(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %c = graph.compare lt %a, %b : tensor<4xf32>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.cmpf olt, %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @floats(in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @compare(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @floats_differ(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %c = graph.compare ne %a, %b : tensor<4xf32>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.cmpf une, %0, %1 : f32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @floats_differ(in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @compare(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @signed(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi1> {
  %c = graph.compare ge %a, %b : tensor<4xi32>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.cmpi sge, %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @signed(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @compare(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @unsigned(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xi1> {
  %c = graph.compare ge %a, %b : tensor<4xui32>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.cmpi uge, %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @unsigned(in %a: !kernel.buf<[4] x i32>, in %b: !kernel.buf<[4] x i32>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @compare(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @bools(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %c = graph.compare eq %a, %b : tensor<4xi1>
  func.return %c : tensor<4xi1>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x i1>, in %b: !kernel.buf<[4] x i1>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %a[%i]
// CHECK-NEXT:     %1 = kernel.load %b[%i]
// CHECK-NEXT:     %2 = arith.cmpi eq, %0, %1 : i1
// CHECK-NEXT:     kernel.store %2, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @bools(in %a: !kernel.buf<[4] x i1>, in %b: !kernel.buf<[4] x i1>, out %output: !kernel.buf<[4] x i1>) attributes {program.names = ["a", "b", "output"]} {
// CHECK-NEXT:     program.launch @compare(%output, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @select(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %d = graph.select %c, %a, %b : tensor<4xf32>
  func.return %d : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @select_1(out %out: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %c[%i]
// CHECK-NEXT:     %1 = kernel.load %a[%i]
// CHECK-NEXT:     %2 = kernel.load %b[%i]
// CHECK-NEXT:     %3 = arith.select %0, %1, %2 : f32
// CHECK-NEXT:     kernel.store %3, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @select(in %c: !kernel.buf<[4] x i1>, in %a: !kernel.buf<[4] x f32>, in %b: !kernel.buf<[4] x f32>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["c", "a", "b", "output"]} {
// CHECK-NEXT:     program.launch @select_1(%output, %c, %a, %b)
// CHECK-NEXT:   }
// CHECK-NEXT: }
