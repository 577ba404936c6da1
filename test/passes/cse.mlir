// Equal operations merge where the first dominates the second.
// RUN: teeny-opt %s -p cse --split-input-file | FileCheck %s

// Operands of a commutative operation in any order; of another one, not.
func.func @commutes(%a: i32, %b: i32) -> (i32, i32, i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %b, %a : i32
  %2 = arith.subi %a, %b : i32
  %3 = arith.subi %b, %a : i32
  func.return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @commutes(%a: i32, %b: i32) -> (i32, i32, i32, i32) {
// CHECK-NEXT:     %0 = arith.addi %a, %b : i32
// CHECK-NEXT:     %1 = arith.subi %a, %b : i32
// CHECK-NEXT:     %2 = arith.subi %b, %a : i32
// CHECK-NEXT:     func.return %0, %0, %1, %2 : i32, i32, i32, i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Constants by their bits: -0.0 is not 0.0, and one NaN is itself.
func.func @constants() -> (f32, f32, f32, f32, f32) {
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant -0.0 : f32
  %2 = arith.constant 0.0 : f32
  %3 = arith.constant 0x7FC00000 : f32
  %4 = arith.constant 0x7FC00000 : f32
  func.return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @constants() -> (f32, f32, f32, f32, f32) {
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = arith.constant -0.000000e+00 : f32
// CHECK-NEXT:     %2 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     func.return %0, %1, %0, %2, %2 : f32, f32, f32, f32, f32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Loads merge up to the next store, and only in their block.
func.func @loads(%m: memref<4xi32>, %i: index, %c: i1) -> (i32, i32, i32, i32) {
  %0 = memref.load %m[%i] : memref<4xi32>
  %1 = memref.load %m[%i] : memref<4xi32>
  memref.store %1, %m[%i] : memref<4xi32>
  %2 = memref.load %m[%i] : memref<4xi32>
  %3 = scf.if %c -> (i32) {
    %4 = memref.load %m[%i] : memref<4xi32>
    scf.yield %4 : i32
  } else {
    scf.yield %2 : i32
  }
  func.return %0, %1, %2, %3 : i32, i32, i32, i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @loads(%m: memref<4xi32>, %i: index, %c: i1) -> (i32, i32, i32, i32) {
// CHECK-NEXT:     %0 = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT:     memref.store %0, %m[%i] : memref<4xi32>
// CHECK-NEXT:     %1 = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT:     %2 = scf.if %c -> (i32) {
// CHECK-NEXT:       %3 = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT:       scf.yield %3 : i32
// CHECK-NEXT:     } else {
// CHECK-NEXT:       scf.yield %1 : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %0, %0, %1, %2 : i32, i32, i32, i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Blocks by dominance: the entry serves all, and the arms do not serve each other.
func.func @blocks(%c: i1, %a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  cf.cond_br %c, ^yes, ^no
^yes:
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %a, %1 : i32
  cf.br ^join(%2 : i32)
^no:
  %3 = arith.muli %a, %0 : i32
  cf.br ^join(%3 : i32)
^join(%4: i32):
  %5 = arith.muli %a, %0 : i32
  %6 = arith.addi %4, %5 : i32
  func.return %6 : i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @blocks(%c: i1, %a: i32) -> i32 {
// CHECK-NEXT:     %0 = arith.addi %a, %a : i32
// CHECK-NEXT:     cf.cond_br %c, ^yes, ^no
// CHECK-NEXT:   ^yes:
// CHECK-NEXT:     %1 = arith.muli %a, %0 : i32
// CHECK-NEXT:     cf.br ^join(%1 : i32)
// CHECK-NEXT:   ^no:
// CHECK-NEXT:     %2 = arith.muli %a, %0 : i32
// CHECK-NEXT:     cf.br ^join(%2 : i32)
// CHECK-NEXT:   ^join(%3: i32):
// CHECK-NEXT:     %4 = arith.muli %a, %0 : i32
// CHECK-NEXT:     %5 = arith.addi %3, %4 : i32
// CHECK-NEXT:     func.return %5 : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Regions: what is inside sees what is outside, and equal regions without effects merge.
func.func @regions(%c: i1, %a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = scf.if %c -> (i32) {
    %2 = arith.addi %a, %a : i32
    scf.yield %2 : i32
  } else {
    scf.yield %a : i32
  }
  %3 = scf.if %c -> (i32) {
    %4 = arith.addi %a, %a : i32
    scf.yield %4 : i32
  } else {
    scf.yield %a : i32
  }
  func.return %1, %3 : i32, i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @regions(%c: i1, %a: i32) -> (i32, i32) {
// CHECK-NEXT:     %0 = scf.if %c -> (i32) {
// CHECK-NEXT:       %1 = arith.addi %a, %a : i32
// CHECK-NEXT:       scf.yield %1 : i32
// CHECK-NEXT:     } else {
// CHECK-NEXT:       scf.yield %a : i32
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return %0, %0 : i32, i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Two functions are two worlds.
func.func @one(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %0 = arith.addi %a, %c : i32
  func.return %0 : i32
}
func.func @two(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %0 = arith.addi %a, %c : i32
  func.return %0 : i32
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @one(%a: i32) -> i32 {
// CHECK-NEXT:     %c = arith.constant 1 : i32
// CHECK-NEXT:     %0 = arith.addi %a, %c : i32
// CHECK-NEXT:     func.return %0 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @two(%a: i32) -> i32 {
// CHECK-NEXT:     %c = arith.constant 1 : i32
// CHECK-NEXT:     %0 = arith.addi %a, %c : i32
// CHECK-NEXT:     func.return %0 : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }
