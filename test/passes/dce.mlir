// What nobody can notice goes: chains, what dead regions use, cycles, unreachable blocks.
// RUN: teeny-opt %s -p dce --split-input-file | FileCheck %s

func.func @chain(%a: i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %0 : i32
  func.return
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @chain(%a: i32) {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @region(%c: i1, %a: i32) {
  %0 = arith.addi %a, %a : i32
  %1 = scf.if %c -> (i32) {
    scf.yield %0 : i32
  } else {
    scf.yield %a : i32
  }
  func.return
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @region(%c: i1, %a: i32) {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

func.func @live_region(%c: i1, %a: i32, %m: memref<i32>) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  scf.if %c {
    %2 = arith.addi %0, %0 : i32
    memref.store %0, %m[] : memref<i32>
  }
  func.return
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @live_region(%c: i1, %a: i32, %m: memref<i32>) {
// CHECK-NEXT:     %0 = arith.addi %a, %a : i32
// CHECK-NEXT:     scf.if %c {
// CHECK-NEXT:       memref.store %0, %m[] : memref<i32>
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

%cycle = arith.addi %of, %of : i32
%of = arith.addi %cycle, %cycle : i32
"test.op"() : () -> ()

// CHECK:      builtin.module {
// CHECK-NEXT:   "test.op"() : () -> ()
// CHECK-NEXT: }

// -----

func.func @unreachable(%a: i32) -> i32 {
  func.return %a : i32
^b(%x: i32):
  %0 = arith.addi %x, %a : i32
  cf.br ^b(%0 : i32)
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @unreachable(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Symbols stay, and so does what is not known to have no effects.
func.func private @unused()
func.func @f() {
  %0 = "test.op"() : () -> i32
  func.return
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func private @unused() -> ()
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     %0 = "test.op"() : () -> i32
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
