// RUN: teeny-opt %s -p expand-sort,cse --split-input-file | FileCheck %s

// Eight in three passes: whole runs are merged from both ends, what is left over from the front.
uop.func @eight(scratch %s: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  uop.sort(%s)[%zero] count %eight first %eight by [slt]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @eight(scratch %s: !uop.ptr<i32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %eight = arith.constant 8 : index
// CHECK-NEXT:     %0 = arith.constant 1 : index
// CHECK-NEXT:     %1 = arith.addi %zero, %eight : index
// CHECK-NEXT:     %2 = arith.constant 3 : index
// CHECK-NEXT:     %3, %4, %5 = scf.for %6 = %zero to %2 step %0 iter_args(%7 = %0, %8 = %zero, %9 = %1) -> (index, index, index) {
// CHECK-NEXT:       %10 = arith.addi %7, %7 : index
// CHECK-NEXT:       %11 = arith.cmpi sle, %10, %eight : index
// CHECK-NEXT:       %12 = arith.divui %eight, %10 : index
// CHECK-NEXT:       %13 = arith.select %11, %12, %zero : index
// CHECK-NEXT:       %14 = arith.muli %13, %10 : index
// CHECK-NEXT:       scf.for %15 = %zero to %14 step %10 {
// CHECK-NEXT:         %16 = arith.addi %8, %15 : index
// CHECK-NEXT:         %17 = arith.addi %16, %7 : index
// CHECK-NEXT:         %18 = arith.subi %7, %0 : index
// CHECK-NEXT:         %19 = arith.addi %16, %18 : index
// CHECK-NEXT:         %20 = arith.addi %17, %18 : index
// CHECK-NEXT:         %21 = arith.addi %9, %15 : index
// CHECK-NEXT:         %22 = arith.addi %21, %7 : index
// CHECK-NEXT:         %23 = arith.addi %22, %18 : index
// CHECK-NEXT:         %24, %25, %26, %27 = scf.for %28 = %zero to %7 step %0 iter_args(%29 = %16, %30 = %17, %31 = %19, %32 = %20) -> (index, index, index, index) {
// CHECK-NEXT:           %33 = arith.addi %21, %28 : index
// CHECK-NEXT:           %34 = uop.load %s[%30] : i32
// CHECK-NEXT:           %35 = uop.load %s[%29] : i32
// CHECK-NEXT:           %36 = arith.cmpi slt, %34, %35 : i32
// CHECK-NEXT:           %37 = arith.select %36, %30, %29 {uop.unpredictable} : index
// CHECK-NEXT:           %38 = uop.load %s[%37] : i32
// CHECK-NEXT:           uop.store %38, %s[%33]
// CHECK-NEXT:           %39 = arith.select %36, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %40 = arith.subi %0, %39 : index
// CHECK-NEXT:           %41 = arith.subi %23, %28 : index
// CHECK-NEXT:           %42 = uop.load %s[%32] : i32
// CHECK-NEXT:           %43 = uop.load %s[%31] : i32
// CHECK-NEXT:           %44 = arith.cmpi slt, %42, %43 : i32
// CHECK-NEXT:           %45 = arith.select %44, %31, %32 {uop.unpredictable} : index
// CHECK-NEXT:           %46 = uop.load %s[%45] : i32
// CHECK-NEXT:           uop.store %46, %s[%41]
// CHECK-NEXT:           %47 = arith.select %44, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %48 = arith.subi %0, %47 : index
// CHECK-NEXT:           %49 = arith.addi %29, %40 : index
// CHECK-NEXT:           %50 = arith.addi %30, %39 : index
// CHECK-NEXT:           %51 = arith.subi %31, %47 : index
// CHECK-NEXT:           %52 = arith.subi %32, %48 : index
// CHECK-NEXT:           scf.yield %49, %50, %51, %52 : index, index, index, index
// CHECK-NEXT:         }
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:       scf.for %53 = %14 to %eight step %10 {
// CHECK-NEXT:         %54 = arith.addi %53, %7 : index
// CHECK-NEXT:         %55 = arith.minsi %54, %eight : index
// CHECK-NEXT:         %56 = arith.addi %55, %7 : index
// CHECK-NEXT:         %57 = arith.minsi %56, %eight : index
// CHECK-NEXT:         %58 = arith.addi %53, %eight : index
// CHECK-NEXT:         %59 = arith.minsi %55, %58 : index
// CHECK-NEXT:         %60 = arith.addi %55, %eight : index
// CHECK-NEXT:         %61 = arith.minsi %57, %60 : index
// CHECK-NEXT:         %62 = arith.subi %59, %0 : index
// CHECK-NEXT:         %63 = arith.subi %61, %0 : index
// CHECK-NEXT:         %64 = arith.cmpi slt, %55, %57 : index
// CHECK-NEXT:         %65 = arith.select %64, %63, %62 : index
// CHECK-NEXT:         %66 = arith.subi %57, %53 : index
// CHECK-NEXT:         %67 = arith.minsi %66, %eight : index
// CHECK-NEXT:         %68 = arith.addi %9, %53 : index
// CHECK-NEXT:         %69, %70 = scf.for %71 = %zero to %67 step %0 iter_args(%72 = %53, %73 = %55) -> (index, index) {
// CHECK-NEXT:           %74 = arith.minsi %72, %62 : index
// CHECK-NEXT:           %75 = arith.addi %8, %74 : index
// CHECK-NEXT:           %76 = arith.minsi %73, %65 : index
// CHECK-NEXT:           %77 = arith.addi %8, %76 : index
// CHECK-NEXT:           %78 = arith.addi %68, %71 : index
// CHECK-NEXT:           %79 = arith.cmpi sge, %72, %59 : index
// CHECK-NEXT:           %80 = arith.cmpi slt, %73, %61 : index
// CHECK-NEXT:           %81 = uop.load %s[%77] : i32
// CHECK-NEXT:           %82 = uop.load %s[%75] : i32
// CHECK-NEXT:           %83 = arith.cmpi slt, %81, %82 : i32
// CHECK-NEXT:           %84 = arith.ori %79, %83 : i1
// CHECK-NEXT:           %85 = arith.andi %80, %84 : i1
// CHECK-NEXT:           %86 = arith.select %85, %77, %75 {uop.unpredictable} : index
// CHECK-NEXT:           %87 = uop.load %s[%86] : i32
// CHECK-NEXT:           uop.store %87, %s[%78]
// CHECK-NEXT:           %88 = arith.select %85, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %89 = arith.subi %0, %88 : index
// CHECK-NEXT:           %90 = arith.addi %72, %89 : index
// CHECK-NEXT:           %91 = arith.addi %73, %88 : index
// CHECK-NEXT:           scf.yield %90, %91 : index, index
// CHECK-NEXT:         }
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:       scf.yield %10, %9, %8 : index, index, index
// CHECK-NEXT:     }
// CHECK-NEXT:     %92 = arith.cmpi eq, %4, %zero : index
// CHECK-NEXT:     %93 = arith.select %92, %zero, %eight : index
// CHECK-NEXT:     scf.for %94 = %zero to %93 step %0 {
// CHECK-NEXT:       %95 = arith.addi %4, %94 : index
// CHECK-NEXT:       %96 = arith.addi %zero, %94 : index
// CHECK-NEXT:       %97 = uop.load %s[%95] : i32
// CHECK-NEXT:       uop.store %97, %s[%96]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Of a number that is not known the passes are counted; what goes along is moved with its key.
uop.func @named(scratch %s: !uop.ptr<i8>, scratch %t: !uop.ptr<f16>) dims(%N: N in 0..) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  uop.sort(%s, %t)[%zero] count %N first %three by [ugt]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @named(scratch %s: !uop.ptr<i8>, scratch %t: !uop.ptr<f16>) dims(%N: N in 0..) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %three = arith.constant 3 : index
// CHECK-NEXT:     %0 = arith.constant 1 : index
// CHECK-NEXT:     %1 = arith.addi %zero, %N : index
// CHECK-NEXT:     %2 = arith.constant 62 : index
// CHECK-NEXT:     %3, %4 = scf.for %5 = %zero to %2 step %0 iter_args(%6 = %0, %7 = %zero) -> (index, index) {
// CHECK-NEXT:       %8 = arith.addi %7, %0 : index
// CHECK-NEXT:       %9 = arith.cmpi slt, %6, %N : index
// CHECK-NEXT:       %10 = arith.addi %6, %6 : index
// CHECK-NEXT:       %11 = arith.select %9, %8, %7 : index
// CHECK-NEXT:       scf.yield %10, %11 : index, index
// CHECK-NEXT:     }
// CHECK-NEXT:     %12, %13, %14 = scf.for %15 = %zero to %4 step %0 iter_args(%16 = %0, %17 = %zero, %18 = %1) -> (index, index, index) {
// CHECK-NEXT:       %19 = arith.addi %16, %16 : index
// CHECK-NEXT:       %20 = arith.cmpi sle, %19, %three : index
// CHECK-NEXT:       %21 = arith.divui %N, %19 : index
// CHECK-NEXT:       %22 = arith.select %20, %21, %zero : index
// CHECK-NEXT:       %23 = arith.muli %22, %19 : index
// CHECK-NEXT:       scf.for %24 = %zero to %23 step %19 {
// CHECK-NEXT:         %25 = arith.addi %17, %24 : index
// CHECK-NEXT:         %26 = arith.addi %25, %16 : index
// CHECK-NEXT:         %27 = arith.subi %16, %0 : index
// CHECK-NEXT:         %28 = arith.addi %25, %27 : index
// CHECK-NEXT:         %29 = arith.addi %26, %27 : index
// CHECK-NEXT:         %30 = arith.addi %18, %24 : index
// CHECK-NEXT:         %31 = arith.addi %30, %16 : index
// CHECK-NEXT:         %32 = arith.addi %31, %27 : index
// CHECK-NEXT:         %33, %34, %35, %36 = scf.for %37 = %zero to %16 step %0 iter_args(%38 = %25, %39 = %26, %40 = %28, %41 = %29) -> (index, index, index, index) {
// CHECK-NEXT:           %42 = arith.addi %30, %37 : index
// CHECK-NEXT:           %43 = uop.load %s[%39] : i8
// CHECK-NEXT:           %44 = uop.load %s[%38] : i8
// CHECK-NEXT:           %45 = arith.cmpi ugt, %43, %44 : i8
// CHECK-NEXT:           %46 = arith.select %45, %39, %38 {uop.unpredictable} : index
// CHECK-NEXT:           %47 = uop.load %s[%46] : i8
// CHECK-NEXT:           uop.store %47, %s[%42]
// CHECK-NEXT:           %48 = uop.load %t[%46] : f16
// CHECK-NEXT:           uop.store %48, %t[%42]
// CHECK-NEXT:           %49 = arith.select %45, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %50 = arith.subi %0, %49 : index
// CHECK-NEXT:           %51 = arith.subi %32, %37 : index
// CHECK-NEXT:           %52 = uop.load %s[%41] : i8
// CHECK-NEXT:           %53 = uop.load %s[%40] : i8
// CHECK-NEXT:           %54 = arith.cmpi ugt, %52, %53 : i8
// CHECK-NEXT:           %55 = arith.select %54, %40, %41 {uop.unpredictable} : index
// CHECK-NEXT:           %56 = uop.load %s[%55] : i8
// CHECK-NEXT:           uop.store %56, %s[%51]
// CHECK-NEXT:           %57 = uop.load %t[%55] : f16
// CHECK-NEXT:           uop.store %57, %t[%51]
// CHECK-NEXT:           %58 = arith.select %54, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %59 = arith.subi %0, %58 : index
// CHECK-NEXT:           %60 = arith.addi %38, %50 : index
// CHECK-NEXT:           %61 = arith.addi %39, %49 : index
// CHECK-NEXT:           %62 = arith.subi %40, %58 : index
// CHECK-NEXT:           %63 = arith.subi %41, %59 : index
// CHECK-NEXT:           scf.yield %60, %61, %62, %63 : index, index, index, index
// CHECK-NEXT:         }
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:       scf.for %64 = %23 to %N step %19 {
// CHECK-NEXT:         %65 = arith.addi %64, %16 : index
// CHECK-NEXT:         %66 = arith.minsi %65, %N : index
// CHECK-NEXT:         %67 = arith.addi %66, %16 : index
// CHECK-NEXT:         %68 = arith.minsi %67, %N : index
// CHECK-NEXT:         %69 = arith.addi %64, %three : index
// CHECK-NEXT:         %70 = arith.minsi %66, %69 : index
// CHECK-NEXT:         %71 = arith.addi %66, %three : index
// CHECK-NEXT:         %72 = arith.minsi %68, %71 : index
// CHECK-NEXT:         %73 = arith.subi %70, %0 : index
// CHECK-NEXT:         %74 = arith.subi %72, %0 : index
// CHECK-NEXT:         %75 = arith.cmpi slt, %66, %68 : index
// CHECK-NEXT:         %76 = arith.select %75, %74, %73 : index
// CHECK-NEXT:         %77 = arith.subi %68, %64 : index
// CHECK-NEXT:         %78 = arith.minsi %77, %three : index
// CHECK-NEXT:         %79 = arith.addi %18, %64 : index
// CHECK-NEXT:         %80, %81 = scf.for %82 = %zero to %78 step %0 iter_args(%83 = %64, %84 = %66) -> (index, index) {
// CHECK-NEXT:           %85 = arith.minsi %83, %73 : index
// CHECK-NEXT:           %86 = arith.addi %17, %85 : index
// CHECK-NEXT:           %87 = arith.minsi %84, %76 : index
// CHECK-NEXT:           %88 = arith.addi %17, %87 : index
// CHECK-NEXT:           %89 = arith.addi %79, %82 : index
// CHECK-NEXT:           %90 = arith.cmpi sge, %83, %70 : index
// CHECK-NEXT:           %91 = arith.cmpi slt, %84, %72 : index
// CHECK-NEXT:           %92 = uop.load %s[%88] : i8
// CHECK-NEXT:           %93 = uop.load %s[%86] : i8
// CHECK-NEXT:           %94 = arith.cmpi ugt, %92, %93 : i8
// CHECK-NEXT:           %95 = arith.ori %90, %94 : i1
// CHECK-NEXT:           %96 = arith.andi %91, %95 : i1
// CHECK-NEXT:           %97 = arith.select %96, %88, %86 {uop.unpredictable} : index
// CHECK-NEXT:           %98 = uop.load %s[%97] : i8
// CHECK-NEXT:           uop.store %98, %s[%89]
// CHECK-NEXT:           %99 = uop.load %t[%97] : f16
// CHECK-NEXT:           uop.store %99, %t[%89]
// CHECK-NEXT:           %100 = arith.select %96, %0, %zero {uop.unpredictable} : index
// CHECK-NEXT:           %101 = arith.subi %0, %100 : index
// CHECK-NEXT:           %102 = arith.addi %83, %101 : index
// CHECK-NEXT:           %103 = arith.addi %84, %100 : index
// CHECK-NEXT:           scf.yield %102, %103 : index, index
// CHECK-NEXT:         }
// CHECK-NEXT:       } {uop.parallel}
// CHECK-NEXT:       scf.yield %19, %18, %17 : index, index, index
// CHECK-NEXT:     }
// CHECK-NEXT:     %104 = arith.cmpi eq, %13, %zero : index
// CHECK-NEXT:     %105 = arith.select %104, %zero, %three : index
// CHECK-NEXT:     scf.for %106 = %zero to %105 step %0 {
// CHECK-NEXT:       %107 = arith.addi %13, %106 : index
// CHECK-NEXT:       %108 = arith.addi %zero, %106 : index
// CHECK-NEXT:       %109 = uop.load %s[%107] : i8
// CHECK-NEXT:       uop.store %109, %s[%108]
// CHECK-NEXT:       %110 = uop.load %t[%107] : f16
// CHECK-NEXT:       uop.store %110, %t[%108]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// Nothing to expand.
uop.func @none(out %y: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  uop.store %one, %y[%zero]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @none(out %y: !uop.ptr<i32>) {
// CHECK-NEXT:     %zero = arith.constant 0 : index
// CHECK-NEXT:     %one = arith.constant 1 : i32
// CHECK-NEXT:     uop.store %one, %y[%zero]
// CHECK-NEXT:   }
// CHECK-NEXT: }
