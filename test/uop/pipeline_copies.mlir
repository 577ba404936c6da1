// RUN: teeny-opt %s -p pipeline-copies,canonicalize,cse --verify-roundtrip | filecheck %s
// RUN: teeny-opt %s -p pipeline-copies --check-each -o %t
// RUN: teeny-opt %s -p pipeline-copies --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM80
// RUN: teeny-opt %s -p pipeline-copies{capability=75} | filecheck %s --check-prefix=SM75

// The copies of two iterations are under way before the loop, and each iteration starts those of
// one that is two ahead, if there is such a one; one barrier is left.

// SM75-NOT: uop.copy_async
// SM80: remark: 1 copies of 512 bytes in all run 2 iterations ahead
// CHECK-LABEL: uop.func @rows(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) grid [1] block [32] {
// CHECK-NEXT:        %t = uop.special thread.x
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %c4 = arith.constant 4 : index
// CHECK-NEXT:        %c31 = arith.constant 31 : index
// CHECK-NEXT:        %c128 = arith.constant 128 : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %at = arith.muli %t, %c4 : index
// CHECK-NEXT:        %other = arith.subi %c31, %t : index
// CHECK-NEXT:        %s = uop.local [384] : !uop.ptr<f32, shared>
// CHECK-NEXT:        %0 = arith.cmpi slt, %c0, %N : index
// CHECK-NEXT:        uop.copy_async %x[%at], %s[%at] if %0 : 4 x f32
// CHECK-NEXT:        uop.commit_copies
// CHECK-NEXT:        %1 = arith.cmpi slt, %c1, %N : index
// CHECK-NEXT:        %from = arith.addi %at, %c128 : index
// CHECK-NEXT:        uop.copy_async %x[%from], %s[%from] if %1 : 4 x f32
// CHECK-NEXT:        uop.commit_copies
// CHECK-NEXT:        %2 = arith.constant 2 : index
// CHECK-NEXT:        %3 = arith.constant 3 : index
// CHECK-NEXT:        %sum = scf.for %k = %c0 to %N step %c1 iter_args(%so_far = %zero) -> (f32) {
// CHECK-NEXT:          uop.wait_copies 1
// CHECK-NEXT:          uop.barrier
// CHECK-NEXT:          %4 = arith.addi %k, %2 : index
// CHECK-NEXT:          %5 = arith.remui %4, %3 : index
// CHECK-NEXT:          %6 = arith.cmpi slt, %4, %N : index
// CHECK-NEXT:          %row = arith.muli %4, %c128 : index
// CHECK-NEXT:          %from_1 = arith.addi %row, %at : index
// CHECK-NEXT:          %7 = arith.muli %5, %c128 : index
// CHECK-NEXT:          %8 = arith.addi %7, %at : index
// CHECK-NEXT:          uop.copy_async %x[%from_1], %s[%8] if %6 : 4 x f32
// CHECK-NEXT:          uop.commit_copies
// CHECK-NEXT:          %9 = arith.remui %k, %3 : index
// CHECK-NEXT:          %10 = arith.muli %9, %c128 : index
// CHECK-NEXT:          %11 = arith.addi %10, %other : index
// CHECK-NEXT:          %w = uop.load %s[%11] : f32
// CHECK-NEXT:          %more = arith.addf %so_far, %w : f32
// CHECK-NEXT:          scf.yield %more : f32
// CHECK-NEXT:        }
// CHECK-NEXT:        uop.store %sum, %y[%t]
// CHECK-NEXT:      }
uop.func @rows(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) dims(%N: N in 1..64) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c31 = arith.constant 31 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %at = arith.muli %t, %c4 : index
  %other = arith.subi %c31, %t : index
  %sum = scf.for %k = %c0 to %N step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [128] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c128 : index
    %from = arith.addi %row, %at : index
    %v = uop.load %x[%from] : vector<4xf32>
    uop.store %v, %s[%at]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// What is computed is not copied, and bytes from anywhere are not either.
// SM80: remark: copies do not run ahead: what is stored is computed, not just loaded
uop.func @computed(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c31, %t : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [32] : !uop.ptr<f32, shared>
    uop.barrier
    %from = arith.addi %k, %t : index
    %v = uop.load %x[%from] : f32
    %d = arith.addf %v, %v : f32
    uop.store %d, %s[%t]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// SM80: remark: copies do not run ahead: the address of 8 bytes may be no multiple of 8
uop.func @anywhere(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c31, %t : index
  %at = arith.muli %t, %c2 : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [64] : !uop.ptr<f32, shared>
    uop.barrier
    %from = arith.addi %k, %at : index
    %v = uop.load %x[%from] : vector<2xf32>
    uop.store %v, %s[%at]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// What the kernel shares besides leaves room for two of the three memories.
// SM80: remark: 1 copies of 512 bytes in all run 1 iterations ahead
// CHECK-LABEL: uop.func @beside
// CHECK:         %s = uop.local [256] : !uop.ptr<f32, shared>
uop.func @beside(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %q = uop.local [12000] : !uop.ptr<f32, shared>
  uop.store %zero, %q[%t]
  uop.barrier
  %other = arith.subi %c31, %t : index
  %first = uop.load %q[%other] : f32
  %at = arith.muli %t, %c4 : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %first) -> (f32) {
    %s = uop.local [128] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c128 : index
    %from = arith.addi %row, %at : index
    %v = uop.load %x[%from] : vector<4xf32>
    uop.store %v, %s[%at]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}
