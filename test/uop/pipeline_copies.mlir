// RUN: teeny-opt %s -p pipeline-copies,canonicalize,cse | filecheck %s
// RUN: teeny-opt %s -p pipeline-copies --check-each --verify-roundtrip -o %t
// RUN: teeny-opt %s -p pipeline-copies --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM80
// RUN: teeny-opt %s -p pipeline-copies{capability=75} --check-each -o %t
// RUN: teeny-opt %s -p pipeline-copies{capability=75} --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=SM75

// The copies of two iterations are under way before the loop, and each iteration starts those of
// one that is two ahead, if there is such a one; one barrier is left. Without asynchronous copies
// loads wait in registers.

// SM75: remark: 1 loads wait in 4 registers to be computed with and stored
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

// What is computed is of loads that are an iteration ahead, in registers; it is there twice.
// SM80: remark: 1 loads wait in 1 registers to be computed with and stored
// CHECK-LABEL: uop.func @computed(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
// CHECK-NEXT:        %t = uop.special thread.x
// CHECK-NEXT:        %c0 = arith.constant 0 : index
// CHECK-NEXT:        %c1 = arith.constant 1 : index
// CHECK-NEXT:        %c8 = arith.constant 8 : index
// CHECK-NEXT:        %c31 = arith.constant 31 : index
// CHECK-NEXT:        %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:        %other = arith.subi %c31, %t : index
// CHECK-NEXT:        %s = uop.local [64] : !uop.ptr<f32, shared>
// CHECK-NEXT:        %v = uop.load %x[%t] : f32
// CHECK-NEXT:        %0 = arith.constant 2 : index
// CHECK-NEXT:        %1 = arith.constant 32 : index
// CHECK-NEXT:        %sum, %2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero, %v_1 = %v) -> (f32, f32) {
// CHECK-NEXT:          %3 = arith.remui %k, %0 : index
// CHECK-NEXT:          %d = arith.addf %v_1, %v_1 : f32
// CHECK-NEXT:          %4 = arith.muli %3, %1 : index
// CHECK-NEXT:          %5 = arith.addi %4, %t : index
// CHECK-NEXT:          uop.store %d, %s[%5]
// CHECK-NEXT:          uop.barrier
// CHECK-NEXT:          %6 = arith.addi %k, %c1 : index
// CHECK-NEXT:          %7 = arith.cmpi slt, %6, %c8 : index
// CHECK-NEXT:          %8 = scf.if %7 -> (f32) {
// CHECK-NEXT:            %from = arith.addi %6, %t : index
// CHECK-NEXT:            %v_2 = uop.load %x[%from] : f32
// CHECK-NEXT:            scf.yield %v_2 : f32
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %v_1 : f32
// CHECK-NEXT:          }
// CHECK-NEXT:          %9 = arith.addi %4, %other : index
// CHECK-NEXT:          %w = uop.load %s[%9] : f32
// CHECK-NEXT:          %more = arith.addf %so_far, %w : f32
// CHECK-NEXT:          scf.yield %more, %8 : f32, f32
// CHECK-NEXT:        }
// CHECK-NEXT:        uop.store %sum, %y[%t]
// CHECK-NEXT:      }
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

// Bytes from anywhere are not copied: they wait in registers, too.
// SM80: remark: 1 loads wait in 2 registers to be computed with and stored
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

// One memory is copied to, and another one computed for, in a loop of any length: before the first
// iteration it is asked whether there is one. An index of what is loaded is loaded as well.
// SM80: remark: 1 copies of 512 bytes in all run 2 iterations ahead, 1 loads wait in 4 registers to be computed with and stored
// CHECK-LABEL: uop.func @both
// CHECK:             %2 = scf.if %0 -> (vector<4xf32>) {
// CHECK-NEXT:          %number = uop.load %rows[%c0] : i32
// CHECK-NEXT:          %index = arith.index_cast %number : i32 to index
// CHECK-NEXT:          %start = arith.muli %index, %c128 : index
// CHECK-NEXT:          %place = arith.addi %start, %at : index
// CHECK-NEXT:          %u = uop.load %x[%place] : vector<4xf32>
// CHECK-NEXT:          scf.yield %u : vector<4xf32>
// CHECK-NEXT:        } else {
// CHECK-NEXT:          %3 = vector.broadcast %zero : f32 to vector<4xf32>
// CHECK-NEXT:          scf.yield %3 : vector<4xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %4 = arith.constant 2 : index
// CHECK-NEXT:        %5 = arith.constant 3 : index
// CHECK-NEXT:        %sum, %6 = scf.for %k = %c0 to %N step %c1 iter_args(%so_far = %zero, %u_1 = %2) -> (f32, vector<4xf32>) {
// CHECK-NEXT:          %7 = arith.remui %k, %4 : index
// CHECK-NEXT:          %8 = arith.remui %k, %5 : index
// CHECK-NEXT:          %twice = arith.addf %u_1, %u_1 : vector<4xf32>
// CHECK-NEXT:          %9 = arith.muli %7, %c128 : index
// CHECK-NEXT:          %10 = arith.addi %9, %at : index
// CHECK-NEXT:          uop.store %twice, %p[%10]
// CHECK-NEXT:          uop.wait_copies 1
// CHECK-NEXT:          uop.barrier
// CHECK-NEXT:          %11 = arith.addi %k, %4 : index
// CHECK-NEXT:          %12 = arith.remui %11, %5 : index
// CHECK-NEXT:          %13 = arith.cmpi slt, %11, %N : index
// CHECK-NEXT:          %row = arith.muli %11, %c128 : index
// CHECK-NEXT:          %from_1 = arith.addi %row, %at : index
// CHECK-NEXT:          %14 = arith.muli %12, %c128 : index
// CHECK-NEXT:          %15 = arith.addi %14, %at : index
// CHECK-NEXT:          uop.copy_async %x[%from_1], %s[%15] if %13 : 4 x f32
// CHECK-NEXT:          uop.commit_copies
// CHECK-NEXT:          %16 = arith.addi %k, %c1 : index
// CHECK-NEXT:          %17 = arith.cmpi slt, %16, %N : index
// CHECK-NEXT:          %18 = scf.if %17 -> (vector<4xf32>) {
// CHECK-NEXT:            %number_1 = uop.load %rows[%16] : i32
// CHECK-NEXT:            %index_1 = arith.index_cast %number_1 : i32 to index
// CHECK-NEXT:            %start_1 = arith.muli %index_1, %c128 : index
// CHECK-NEXT:            %place_1 = arith.addi %start_1, %at : index
// CHECK-NEXT:            %u_2 = uop.load %x[%place_1] : vector<4xf32>
// CHECK-NEXT:            scf.yield %u_2 : vector<4xf32>
// CHECK-NEXT:          } else {
// CHECK-NEXT:            scf.yield %u_1 : vector<4xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:          %19 = arith.muli %8, %c128 : index
// CHECK-NEXT:          %20 = arith.addi %19, %other : index
// CHECK-NEXT:          %w = uop.load %s[%20] : f32
// CHECK-NEXT:          %21 = arith.addi %9, %other : index
// CHECK-NEXT:          %q = uop.load %p[%21] : f32
// CHECK-NEXT:          %product = arith.mulf %w, %q : f32
// CHECK-NEXT:          %more = arith.addf %so_far, %product : f32
// CHECK-NEXT:          scf.yield %more, %18 : f32, vector<4xf32>
uop.func @both(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %rows: !uop.ptr<i32>) dims(%N: N in 0..4) grid [1] block [32] {
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
    %p = uop.local [128] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c128 : index
    %from = arith.addi %row, %at : index
    %v = uop.load %x[%from] : vector<4xf32>
    uop.store %v, %s[%at]
    %number = uop.load %rows[%k] : i32
    %index = arith.index_cast %number : i32 to index
    %start = arith.muli %index, %c128 : index
    %place = arith.addi %start, %at : index
    %u = uop.load %x[%place] : vector<4xf32>
    %twice = arith.addf %u, %u : vector<4xf32>
    uop.store %twice, %p[%at]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %q = uop.load %p[%other] : f32
    %product = arith.mulf %w, %q : f32
    %more = arith.addf %so_far, %product : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// What is stored after some of it has been read would take barriers of its own.
// SM80: remark: copies do not run ahead: there are stores after some has been read
uop.func @between(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c31, %t : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [32] : !uop.ptr<f32, shared>
    %p = uop.local [32] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c32 : index
    %from = arith.addi %row, %t : index
    %v = uop.load %x[%from] : f32
    %d = arith.addf %v, %v : f32
    uop.store %d, %s[%t]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %e = arith.mulf %v, %w : f32
    uop.store %e, %p[%t]
    uop.barrier
    %u = uop.load %p[%other] : f32
    %more = arith.addf %so_far, %u : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// An address that an iteration before has to be done for cannot be known sooner.
// SM80: remark: copies do not run ahead: its address depends on an earlier iteration
uop.func @chased(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [32] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c31 = arith.constant 31 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c31, %t : index
  %sum, %last = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero, %at = %t) -> (f32, index) {
    %s = uop.local [32] : !uop.ptr<f32, shared>
    uop.barrier
    %v = uop.load %x[%at] : f32
    %d = arith.addf %v, %v : f32
    uop.store %d, %s[%t]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    %next = arith.addi %at, %c1 : index
    scf.yield %more, %next : f32, index
  }
  uop.store %sum, %y[%t]
}

// What a thread would have to keep takes more registers than there are for it.
// SM80: remark: copies do not run ahead: loads would wait in 256 registers, and not 191 at most
uop.func @many(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [16] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c15 = arith.constant 15 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c15, %t : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [4096] : !uop.ptr<f32, shared>
    uop.barrier
    %from = arith.muli %t, %c256 : index
    %v = uop.load %x[%from] : vector<256xf32>
    %d = arith.addf %v, %v : vector<256xf32>
    uop.store %d, %s[%from]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %w : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// So it would here, but for what is the same in each iteration, which is loaded when it is due.
// SM80: remark: 1 loads wait in 128 registers to be computed with and stored
// CHECK-LABEL: uop.func @scaled(
// CHECK:         scf.for %k ={{.*}}iter_args({{.*}}, [[V:%v_?[0-9]*]] = %{{.*}})
// CHECK-NOT:       scf.if
// CHECK:           %w = uop.load %z[%from] : vector<128xf32>
// CHECK:           arith.mulf [[V]], %w
uop.func @scaled(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %z: !uop.ptr<f32>) grid [1] block [16] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c15 = arith.constant 15 : index
  %c128 = arith.constant 128 : index
  %c2048 = arith.constant 2048 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c15, %t : index
  %from = arith.muli %t, %c128 : index
  %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [2048] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c2048 : index
    %at = arith.addi %row, %from : index
    %v = uop.load %x[%at] : vector<128xf32>
    %w = uop.load %z[%from] : vector<128xf32>
    %d = arith.mulf %v, %w : vector<128xf32>
    uop.store %d, %s[%from]
    uop.barrier
    %u = uop.load %s[%other] : f32
    %more = arith.addf %so_far, %u : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// A loop that is entered several times begins when all threads are done with what it ended with, and
// when no copies are under way.
// SM80: remark: 1 copies of 256 bytes in all run 2 iterations ahead
// CHECK-LABEL: uop.func @entered_again(
// CHECK:             scf.for %o =
// CHECK:               uop.wait_copies 0
// CHECK-NEXT:          uop.barrier
// CHECK:               uop.copy_async
// CHECK:               scf.for %k =
uop.func @entered_again(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c63, %t : index
  %all = scf.for %o = %c0 to %c4 step %c1 iter_args(%before = %zero) -> (f32) {
    %base = arith.muli %o, %c256 : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%so_far = %before) -> (f32) {
      %s = uop.local [64] : !uop.ptr<f32, shared>
      uop.barrier
      %along = arith.muli %k, %c64 : index
      %row = arith.addi %base, %along : index
      %from = arith.addi %row, %t : index
      %v = uop.load %x[%from] : f32
      uop.store %v, %s[%t]
      uop.barrier
      %w = uop.load %s[%other] : f32
      %more = arith.addf %so_far, %w : f32
      scf.yield %more : f32
    }
    scf.yield %sum : f32
  }
  uop.store %all, %y[%t]
}

// A memory that is stored into once more in an iteration, when some has been read, stays as it is.
// SM80: remark: copies do not run ahead: there are stores after some has been read
// SM75: remark: copies do not run ahead: there are stores after some has been read
uop.func @stored_twice(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %other = arith.subi %c63, %t : index
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> (f32) {
    %s = uop.local [64] : !uop.ptr<f32, shared>
    uop.barrier
    %row = arith.muli %k, %c64 : index
    %from = arith.addi %row, %t : index
    %v = uop.load %x[%from] : f32
    uop.store %v, %s[%t]
    uop.barrier
    %w = uop.load %s[%other] : f32
    uop.barrier
    %from2 = arith.addi %from, %c64 : index
    %v2 = uop.load %x[%from2] : f32
    uop.store %v2, %s[%t]
    uop.barrier
    %w2 = uop.load %s[%other] : f32
    %more1 = arith.addf %so_far, %w : f32
    %more = arith.subf %more1, %w2 : f32
    scf.yield %more : f32
  }
  uop.store %sum, %y[%t]
}

// What threads read of the argument that they write is ordered by all of the barriers.
// SM80: remark: copies do not run ahead: it loads of what the kernel writes
// SM75: remark: copies do not run ahead: it loads of what the kernel writes
uop.func @written(inout %y: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %other = arith.subi %c63, %t : index
  scf.for %k = %c0 to %c4 step %c1 {
    %s = uop.local [64] : !uop.ptr<f32, shared>
    uop.barrier
    %v = uop.load %y[%t] : f32
    uop.store %v, %s[%t]
    uop.barrier
    %w = uop.load %s[%other] : f32
    %more1 = arith.addf %w, %w : f32
    uop.store %more1, %y[%t]
  }
}
