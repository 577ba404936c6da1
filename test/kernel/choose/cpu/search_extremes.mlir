// RUN: teeny-opt %s -p "kernel.func(search-extremes{vector-bits=256})" --split-input-file | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(search-extremes{vector-bits=256})" --split-input-file --remarks -o /dev/null 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: teeny-opt %s -p "kernel.func(search-extremes{vector-bits=256})" --split-input-file --check-each -o %t

// REMARK: remark: finds the max of 64, then its place [search-extremes, passed]
// REMARK: remark: finds the umin of 4096, then its place [search-extremes, passed]
// REMARK: remark: finds the max of 256 in blocks of 64, then its place [search-extremes, passed]
// REMARK: remark: finds the min of 300 in blocks of 64, then its place [search-extremes, passed]
// REMARK: remark: 8 numbers are too few to search [search-extremes, missed]

// The place of the first of the greatest numbers, or of the first NaN.
kernel.func @argmax(out %y: !kernel.buf<[8] x i64>, in %x: !kernel.buf<[8, 64] x f32>) {
  %i = kernel.range 0 to 8
  %least = arith.constant 0xff800000 : f32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to 64
  %v = kernel.load %x[%i, %j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
    %more = arith.cmpf ogt, %c, %a : f32
    %nan = arith.cmpf une, %c, %c : f32
    %none = arith.cmpf oeq, %a, %a : f32
    %first = arith.andi %nan, %none : i1
    %wins = arith.ori %more, %first : i1
    %e = arith.select %wins, %c, %a : f32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @argmax(out %y: !kernel.buf<[8] x i64>, in %x: !kernel.buf<[8, 64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i, %j]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%j) {kind = "max"}
// CHECK-NEXT:     %j_1 = kernel.range 0 to 64
// CHECK-NEXT:     %v_1 = kernel.load %x[%i, %j_1]
// CHECK-NEXT:     %1 = arith.index_cast %j_1 : index to i32
// CHECK-NEXT:     %2 = arith.cmpf oeq, %v_1, %0 : f32
// CHECK-NEXT:     %3 = arith.cmpf une, %v_1, %v_1 : f32
// CHECK-NEXT:     %4 = arith.ori %2, %3 : i1
// CHECK-NEXT:     %5 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %6 = arith.select %4, %1, %5 : i32
// CHECK-NEXT:     %7 = kernel.reduce %6 over(%j_1) {kind = "min"}
// CHECK-NEXT:     %at = arith.extsi %7 : i32 to i64
// CHECK-NEXT:     kernel.store %at, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Of integers without sign, as many as N is.
kernel.func @argmin(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[N] x i8>) dims(N in 1..4096) {
  %most = arith.constant -1 : i8
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to N
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%most, %zero) over(%j) {
  ^bb0(%a: i8, %b: i64, %c: i8, %d: i64):
    %wins = arith.cmpi ult, %c, %a : i8
    %e = arith.select %wins, %c, %a : i8
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @argmin(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[N] x i8>) dims(N in 1..4096) {
// CHECK-NEXT:     %most = arith.constant -1 : i8
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %0 = kernel.reduce %v over(%j) {kind = "umin"}
// CHECK-NEXT:     %j_1 = kernel.range 0 to N
// CHECK-NEXT:     %v_1 = kernel.load %x[%j_1]
// CHECK-NEXT:     %1 = arith.index_cast %j_1 : index to i32
// CHECK-NEXT:     %2 = arith.cmpi eq, %v_1, %0 : i8
// CHECK-NEXT:     %3 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %4 = arith.select %2, %1, %3 : i32
// CHECK-NEXT:     %5 = kernel.reduce %4 over(%j_1) {kind = "min"}
// CHECK-NEXT:     %at = arith.extsi %5 : i32 to i64
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// In blocks, and those in vectors: the greatest of the numbers, or NaN where one is none.
kernel.func @blocks(out %y: !kernel.buf<[8] x i64>, in %x: !kernel.buf<[8, 256] x f32>) {
  %i = kernel.range 0 to 8
  %least = arith.constant 0xff800000 : f32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to 256
  %v = kernel.load %x[%i, %j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: f32, %b: i64, %c: f32, %d: i64):
    %more = arith.cmpf ogt, %c, %a : f32
    %nan = arith.cmpf une, %c, %c : f32
    %none = arith.cmpf oeq, %a, %a : f32
    %first = arith.andi %nan, %none : i1
    %wins = arith.ori %more, %first : i1
    %e = arith.select %wins, %c, %a : f32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @blocks(out %y: !kernel.buf<[8] x i64>, in %x: !kernel.buf<[8, 256] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 8
// CHECK-NEXT:     %least = arith.constant 0xff800000 : f32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %jb = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.index %jb * 64
// CHECK-NEXT:     %jv = kernel.range 0 to 8 vector
// CHECK-NEXT:     %jo = kernel.range 0 to 2
// CHECK-NEXT:     %ju = kernel.range 0 to 2 unroll
// CHECK-NEXT:     %1 = kernel.index %0 + %jo * 32 + %ju * 16 + %jv
// CHECK-NEXT:     %v = kernel.load %x[%i, %1]
// CHECK-NEXT:     %2 = kernel.index %0 + %jo * 32 + %ju * 16 + %jv + 8
// CHECK-NEXT:     %v_1 = kernel.load %x[%i, %2]
// CHECK-NEXT:     %3 = arith.cmpf uno, %v, %v_1 : f32
// CHECK-NEXT:     %4 = arith.constant 0 : i32
// CHECK-NEXT:     %5 = arith.constant -1 : i32
// CHECK-NEXT:     %6 = arith.select %3, %5, %4 : i32
// CHECK-NEXT:     %7 = kernel.reduce %v over(%jo) {kind = "maxnum"}
// CHECK-NEXT:     %8 = kernel.reduce %v_1 over(%jo) {kind = "maxnum"}
// CHECK-NEXT:     %9 = kernel.reduce %6 over(%jo) {kind = "or"}
// CHECK-NEXT:     %10 = kernel.reduce %7 over(%ju) {kind = "maxnum"}
// CHECK-NEXT:     %11 = kernel.reduce %8 over(%ju) {kind = "maxnum"}
// CHECK-NEXT:     %12 = kernel.reduce %9 over(%ju) {kind = "or"}
// CHECK-NEXT:     %13 = arith.maxnumf %10, %11 : f32
// CHECK-NEXT:     %14 = arith.constant 0 : i32
// CHECK-NEXT:     %15 = arith.cmpi ne, %12, %14 : i32
// CHECK-NEXT:     %16 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %17 = arith.select %15, %16, %13 : f32
// CHECK-NEXT:     %18 = arith.index_cast %0 : index to i32
// CHECK-NEXT:     %19 = arith.constant 0 : i32
// CHECK-NEXT:     %20, %21 = kernel.fold(%17, %18) from(%least, %19) over(%jb) {
// CHECK-NEXT:     ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
// CHECK-NEXT:       %more = arith.cmpf ogt, %c, %a : f32
// CHECK-NEXT:       %nan = arith.cmpf une, %c, %c : f32
// CHECK-NEXT:       %none = arith.cmpf oeq, %a, %a : f32
// CHECK-NEXT:       %first = arith.andi %nan, %none : i1
// CHECK-NEXT:       %wins = arith.ori %more, %first : i1
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : f32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i32
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     %22 = arith.maxnumf %20, %least : f32
// CHECK-NEXT:     %23 = arith.cmpf uno, %20, %20 : f32
// CHECK-NEXT:     %24 = arith.constant 0 : i32
// CHECK-NEXT:     %25 = arith.constant -1 : i32
// CHECK-NEXT:     %26 = arith.select %23, %25, %24 : i32
// CHECK-NEXT:     %27 = kernel.reduce %22 over(%jv) {kind = "maxnum"}
// CHECK-NEXT:     %28 = kernel.reduce %26 over(%jv) {kind = "or"}
// CHECK-NEXT:     %29 = arith.constant 0 : i32
// CHECK-NEXT:     %30 = arith.cmpi ne, %28, %29 : i32
// CHECK-NEXT:     %31 = arith.constant 0x7fc00000 : f32
// CHECK-NEXT:     %32 = arith.select %30, %31, %27 : f32
// CHECK-NEXT:     %33 = arith.cmpf oeq, %20, %32 : f32
// CHECK-NEXT:     %34 = arith.cmpf une, %20, %20 : f32
// CHECK-NEXT:     %35 = arith.ori %33, %34 : i1
// CHECK-NEXT:     %36 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %37 = arith.select %35, %21, %36 : i32
// CHECK-NEXT:     %38 = kernel.reduce %37 over(%jv) {kind = "min"}
// CHECK-NEXT:     %39 = arith.index_cast %38 : i32 to index
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %40 = kernel.index %39 + %j
// CHECK-NEXT:     %v_2 = kernel.load %x[%i, %40]
// CHECK-NEXT:     %41 = arith.index_cast %j : index to i32
// CHECK-NEXT:     %42 = arith.cmpf oeq, %v_2, %32 : f32
// CHECK-NEXT:     %43 = arith.cmpf une, %v_2, %v_2 : f32
// CHECK-NEXT:     %44 = arith.ori %42, %43 : i1
// CHECK-NEXT:     %45 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %46 = arith.select %44, %41, %45 : i32
// CHECK-NEXT:     %47 = kernel.reduce %46 over(%j) {kind = "min"}
// CHECK-NEXT:     %48 = arith.index_cast %39 : index to i32
// CHECK-NEXT:     %49 = arith.addi %48, %47 : i32
// CHECK-NEXT:     %at = arith.extsi %49 : i32 to i64
// CHECK-NEXT:     kernel.store %at, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// The last block begins where it is whole.
kernel.func @overlapping(out %y: !kernel.buf<[] x i32>, in %x: !kernel.buf<[300] x i32>) {
  %most = arith.constant 2147483647 : i32
  %zero = arith.constant 0 : i32
  %j = kernel.range 0 to 300
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i32
  %m, %at = kernel.fold(%v, %p) from(%most, %zero) over(%j) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %wins = arith.cmpi slt, %c, %a : i32
    %e = arith.select %wins, %c, %a : i32
    %f = arith.select %wins, %d, %b : i32
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @overlapping(out %y: !kernel.buf<[] x i32>, in %x: !kernel.buf<[300] x i32>) {
// CHECK-NEXT:     %most = arith.constant 2147483647 : i32
// CHECK-NEXT:     %zero = arith.constant 0 : i32
// CHECK-NEXT:     %jb = kernel.range 0 to 5
// CHECK-NEXT:     %0 = kernel.index min(%jb * 64, 236)
// CHECK-NEXT:     %jq = kernel.range 0 to 64
// CHECK-NEXT:     %1 = kernel.index %0 + %jq
// CHECK-NEXT:     %v = kernel.load %x[%1]
// CHECK-NEXT:     %2 = kernel.reduce %v over(%jq) {kind = "min"}
// CHECK-NEXT:     %3 = arith.index_cast %0 : index to i32
// CHECK-NEXT:     %4 = arith.constant 0 : i32
// CHECK-NEXT:     %5, %6 = kernel.fold(%2, %3) from(%most, %4) over(%jb) {
// CHECK-NEXT:     ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
// CHECK-NEXT:       %wins = arith.cmpi slt, %c, %a : i32
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : i32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i32
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     %7 = arith.index_cast %6 : i32 to index
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %8 = kernel.index %7 + %j
// CHECK-NEXT:     %v_1 = kernel.load %x[%8]
// CHECK-NEXT:     %9 = arith.index_cast %j : index to i32
// CHECK-NEXT:     %10 = arith.cmpi eq, %v_1, %5 : i32
// CHECK-NEXT:     %11 = arith.constant 2147483647 : i32
// CHECK-NEXT:     %12 = arith.select %10, %9, %11 : i32
// CHECK-NEXT:     %13 = kernel.reduce %12 over(%j) {kind = "min"}
// CHECK-NEXT:     %14 = arith.index_cast %7 : index to i32
// CHECK-NEXT:     %at = arith.addi %14, %13 : i32
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Refused: the last of the greatest numbers; one whose value is used; no number at all; few.
kernel.func @last(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[64] x i32>) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to 64
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
    %wins = arith.cmpi sge, %c, %a : i32
    %e = arith.select %wins, %c, %a : i32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
}
kernel.func @used(out %y: !kernel.buf<[] x i64>, out %z: !kernel.buf<[] x i32>, in %x: !kernel.buf<[64] x i32>) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to 64
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
    %wins = arith.cmpi sgt, %c, %a : i32
    %e = arith.select %wins, %c, %a : i32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
  kernel.store %m, %z[]
}
kernel.func @empty(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[N] x i32>) dims(N in 0..64) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to N
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
    %wins = arith.cmpi sgt, %c, %a : i32
    %e = arith.select %wins, %c, %a : i32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
}
kernel.func @few(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[8] x i32>) {
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0 : i64
  %j = kernel.range 0 to 8
  %v = kernel.load %x[%j]
  %p = arith.index_cast %j : index to i64
  %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
  ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
    %wins = arith.cmpi sgt, %c, %a : i32
    %e = arith.select %wins, %c, %a : i32
    %f = arith.select %wins, %d, %b : i64
    kernel.yield %e, %f
  }
  kernel.store %at, %y[]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @last(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[64] x i32>) {
// CHECK-NEXT:     %least = arith.constant -2147483648 : i32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %p = arith.index_cast %j : index to i64
// CHECK-NEXT:     %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
// CHECK-NEXT:     ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
// CHECK-NEXT:       %wins = arith.cmpi sge, %c, %a : i32
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : i32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i64
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @used(out %y: !kernel.buf<[] x i64>, out %z: !kernel.buf<[] x i32>, in %x: !kernel.buf<[64] x i32>) {
// CHECK-NEXT:     %least = arith.constant -2147483648 : i32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %p = arith.index_cast %j : index to i64
// CHECK-NEXT:     %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
// CHECK-NEXT:     ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
// CHECK-NEXT:       %wins = arith.cmpi sgt, %c, %a : i32
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : i32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i64
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:     kernel.store %m, %z[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @empty(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[N] x i32>) dims(N in 0..64) {
// CHECK-NEXT:     %least = arith.constant -2147483648 : i32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to N
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %p = arith.index_cast %j : index to i64
// CHECK-NEXT:     %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
// CHECK-NEXT:     ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
// CHECK-NEXT:       %wins = arith.cmpi sgt, %c, %a : i32
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : i32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i64
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @few(out %y: !kernel.buf<[] x i64>, in %x: !kernel.buf<[8] x i32>) {
// CHECK-NEXT:     %least = arith.constant -2147483648 : i32
// CHECK-NEXT:     %zero = arith.constant 0 : i64
// CHECK-NEXT:     %j = kernel.range 0 to 8
// CHECK-NEXT:     %v = kernel.load %x[%j]
// CHECK-NEXT:     %p = arith.index_cast %j : index to i64
// CHECK-NEXT:     %m, %at = kernel.fold(%v, %p) from(%least, %zero) over(%j) {
// CHECK-NEXT:     ^bb0(%a: i32, %b: i64, %c: i32, %d: i64):
// CHECK-NEXT:       %wins = arith.cmpi sgt, %c, %a : i32
// CHECK-NEXT:       %e = arith.select %wins, %c, %a : i32
// CHECK-NEXT:       %f = arith.select %wins, %d, %b : i64
// CHECK-NEXT:       kernel.yield %e, %f
// CHECK-NEXT:     }
// CHECK-NEXT:     kernel.store %at, %y[]
// CHECK-NEXT:   }
// CHECK-NEXT: }

