// RUN: teeny-opt %s -p "keep-loops{vector-bits=256}" | FileCheck %s
// RUN: teeny-opt %s -p "keep-loops{vector-bits=256}" --check-each -o %t
// RUN: teeny-opt %s -p "keep-loops{vector-bits=512}" | FileCheck %s --check-prefix=WIDE
// RUN: teeny-opt %s -p "keep-loops{vector-bits=256},uop-to-llvm" -o %t
// RUN: teeny-translate %t --to=llvmir | FileCheck %s --check-prefix=LLVM

// Of 20 numbers, two vectors of 8 and more, a sum stays a loop; so it does where it is not alone.
// Vectors of 16 would be too few for 20 of them.
uop.func @sums(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c20 step %c1 iter_args(%a = %zero) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    scf.yield %b : f32
  }
  %t, %u = scf.for %k = %c0 to %c48 step %c1 iter_args(%a = %zero, %m = %zero) -> (f32, f32) {
    %p = arith.addi %c20, %k : index
    %v = uop.load %x[%p] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    %n = arith.maximumf %m, %v : f32
    scf.yield %b, %n : f32, f32
  }
  uop.store %s, %y[%c0]
  uop.store %t, %y[%c1]
  uop.store %u, %y[%c20]
}

// LLVM:     define void @sums(
// LLVM:       br label %{{.*}}, !llvm.loop ![[FIRST:[0-9]+]]
// LLVM:       br label %{{.*}}, !llvm.loop ![[SECOND:[0-9]+]]
// LLVM:     define void @others(
// LLVM-NOT:   !llvm.loop
// LLVM:     ![[DISABLED:[0-9]+]] = !{!"llvm.loop.unroll.disable"}
// LLVM:     ![[FIRST]] = distinct !{![[FIRST]], ![[DISABLED]]}
// LLVM:     ![[SECOND]] = distinct !{![[SECOND]], ![[DISABLED]]}

// Others are as they were: short ones, long ones, sums in order, what is around another loop, and
// what is read in steps.
uop.func @others(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c20 = arith.constant 20 : index
  %c49 = arith.constant 49 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    scf.yield %b : f32
  }
  %t = scf.for %k = %c0 to %c49 step %c1 iter_args(%a = %s) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    scf.yield %b : f32
  }
  %u = scf.for %k = %c0 to %c20 step %c1 iter_args(%a = %t) -> (f32) {
    %v = uop.load %x[%k] : f32
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  %w = scf.for %i = %c0 to %c20 step %c1 iter_args(%c = %u) -> (f32) {
    %d = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (f32) {
      %v = uop.load %x[%k] : f32
      %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
      scf.yield %b : f32
    }
    %e = arith.addf %c, %d fastmath<reassoc,contract> : f32
    scf.yield %e : f32
  }
  uop.store %w, %y[%c0]
  %z = scf.for %k = %c0 to %c20 step %c1 iter_args(%a = %zero) -> (f32) {
    %o = arith.muli %k, %c8 : index
    %p = arith.addi %o, %c1 : index
    %v = uop.load %x[%p] : f32
    %b = arith.addf %a, %v fastmath<reassoc,contract> : f32
    scf.yield %b : f32
  }
  uop.store %z, %y[%c1]
}

// CHECK:      uop.func @sums(
// CHECK:        %s = scf.for %k = %c0 to %c20
// CHECK:        } {uop.rolled}
// CHECK:        %t, %u = scf.for {{.*}} to %c48
// CHECK:        } {uop.rolled}
// CHECK:      uop.func @others(
// CHECK-NOT:    uop.rolled

// WIDE:       uop.func @sums(
// WIDE:         %s = scf.for %k = %c0 to %c20
// WIDE-NOT:     uop.rolled
// WIDE:         %t, %u = scf.for {{.*}} to %c48
// WIDE:         } {uop.rolled}
