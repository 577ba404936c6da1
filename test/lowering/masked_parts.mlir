// RUN: teeny-opt %s -p "uop-to-llvm{vector-bits=256}" | FileCheck %s
// RUN: teeny-opt %s -p "uop-to-llvm{vector-bits=512}" | grep -c masked.load | filecheck %s --check-prefix=WIDE

// WIDE:      3

// A window of four elements in sixteen lanes: two registers, each with its part of both conditions.
uop.func @window(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %w: !uop.ptr<f32>, in %b: !uop.ptr<i1>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
  %four = arith.constant dense<4> : vector<16xindex>
  %h = uop.load %b[%c0] : i1
  %row = vector.broadcast %h : i1 to vector<16xi1>
  %col = uop.cmpi slt, %lanes, %four : vector<16xindex>
  %m = arith.andi %row, %col : vector<16xi1>
  %v = uop.load %x[%c0] if %m else %zero : vector<16xf32>
  uop.store %v, %y[%c0]
}

// Bytes, of which a register has more: truth values.
uop.func @bools(out %y: !uop.ptr<i1>, in %x: !uop.ptr<i1>) {
  %c0 = arith.constant 0 : index
  %no = arith.constant dense<false> : vector<16xi1>
  %lanes = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xindex>
  %four = arith.constant dense<4> : vector<16xindex>
  %m = uop.cmpi slt, %lanes, %four : vector<16xindex>
  %v = uop.load %x[%c0] if %m else %no : vector<16xi1>
  uop.store %v, %y[%c0]
}

// A last part that is shorter.
uop.func @rest(out %y: !uop.ptr<f64>, in %x: !uop.ptr<f64>, in %m: !uop.ptr<i1>) {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<1.0> : vector<6xf64>
  %some = uop.load %m[%c0] : vector<6xi1>
  %v = uop.load %x[%c0] if %some else %ones : vector<6xf64>
  uop.store %v, %y[%c0]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   llvm.func @window(%y: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %w: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %b: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %zero = llvm.mlir.constant(dense<0.000000e+00> : vector<16xf32>) : vector<16xf32>
// CHECK-NEXT:     %lanes = llvm.mlir.constant(dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>) : vector<16xi64>
// CHECK-NEXT:     %four = llvm.mlir.constant(dense<4> : vector<16xi64>) : vector<16xi64>
// CHECK-NEXT:     %0 = llvm.getelementptr inbounds %b[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:     %1 = llvm.load %0 {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK-NEXT:     %2 = llvm.mlir.constant(0 : i8) : i8
// CHECK-NEXT:     %h = llvm.icmp "ne" %1, %2 : i8
// CHECK-NEXT:     %3 = llvm.mlir.poison : vector<16xi1>
// CHECK-NEXT:     %4 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %5 = llvm.insertelement %h, %3[%4 : i64] : vector<16xi1>
// CHECK-NEXT:     %row = llvm.shufflevector %5, %3 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] : vector<16xi1>
// CHECK-NEXT:     %col = llvm.icmp "slt" %lanes, %four : vector<16xi64>
// CHECK-NEXT:     %m = llvm.and %row, %col : vector<16xi1>
// CHECK-NEXT:     %6 = llvm.getelementptr inbounds %x[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     %7 = llvm.mlir.poison : vector<8xi1>
// CHECK-NEXT:     %8 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %9 = llvm.insertelement %h, %7[%8 : i64] : vector<8xi1>
// CHECK-NEXT:     %10 = llvm.shufflevector %9, %7 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xi1>
// CHECK-NEXT:     %11 = llvm.shufflevector %col, %col [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xi1>
// CHECK-NEXT:     %12 = llvm.and %10, %11 : vector<8xi1>
// CHECK-NEXT:     %13 = llvm.shufflevector %zero, %zero [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>
// CHECK-NEXT:     %14 = llvm.mlir.constant(4 : i32) : i32
// CHECK-NEXT:     %15 = llvm.call_intrinsic "llvm.masked.load.v8f32.p0"(%6, %14, %12, %13) : (!llvm.ptr, i32, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT:     %16 = llvm.getelementptr %6[8] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:     %17 = llvm.mlir.poison : vector<8xi1>
// CHECK-NEXT:     %18 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %19 = llvm.insertelement %h, %17[%18 : i64] : vector<8xi1>
// CHECK-NEXT:     %20 = llvm.shufflevector %19, %17 [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xi1>
// CHECK-NEXT:     %21 = llvm.shufflevector %col, %col [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi1>
// CHECK-NEXT:     %22 = llvm.and %20, %21 : vector<8xi1>
// CHECK-NEXT:     %23 = llvm.shufflevector %zero, %zero [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>
// CHECK-NEXT:     %24 = llvm.mlir.constant(4 : i32) : i32
// CHECK-NEXT:     %25 = llvm.call_intrinsic "llvm.masked.load.v8f32.p0"(%16, %24, %22, %23) : (!llvm.ptr, i32, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT:     %v = llvm.shufflevector %15, %25 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xf32>
// CHECK-NEXT:     %26 = llvm.getelementptr inbounds %y[%c0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:     llvm.store %v, %26 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @bools(%y_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_1: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_1 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %no = llvm.mlir.constant(dense<false> : vector<16xi1>) : vector<16xi1>
// CHECK-NEXT:     %lanes_1 = llvm.mlir.constant(dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi64>) : vector<16xi64>
// CHECK-NEXT:     %four_1 = llvm.mlir.constant(dense<4> : vector<16xi64>) : vector<16xi64>
// CHECK-NEXT:     %m_1 = llvm.icmp "slt" %lanes_1, %four_1 : vector<16xi64>
// CHECK-NEXT:     %27 = llvm.getelementptr inbounds %x_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:     %28 = llvm.zext %no : vector<16xi1> to vector<16xi8>
// CHECK-NEXT:     %29 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:     %30 = llvm.call_intrinsic "llvm.masked.load.v16i8.p0"(%27, %29, %m_1, %28) : (!llvm.ptr, i32, vector<16xi1>, vector<16xi8>) -> vector<16xi8>
// CHECK-NEXT:     %31 = llvm.mlir.constant(dense<0> : vector<16xi8>) : vector<16xi8>
// CHECK-NEXT:     %v_1 = llvm.icmp "ne" %30, %31 : vector<16xi8>
// CHECK-NEXT:     %32 = llvm.getelementptr inbounds %y_1[%c0_1] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:     %33 = llvm.zext %v_1 : vector<16xi1> to vector<16xi8>
// CHECK-NEXT:     llvm.store %33, %32 {alignment = 1 : i64} : vector<16xi8>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT:   llvm.func @rest(%y_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.writeonly}, %x_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}, %m_2: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.readonly}) {
// CHECK-NEXT:     %c0_2 = llvm.mlir.constant(0) : i64
// CHECK-NEXT:     %ones = llvm.mlir.constant(dense<1.000000e+00> : vector<6xf64>) : vector<6xf64>
// CHECK-NEXT:     %34 = llvm.getelementptr inbounds %m_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:     %35 = llvm.load %34 {alignment = 1 : i64} : !llvm.ptr -> vector<6xi8>
// CHECK-NEXT:     %36 = llvm.mlir.constant(dense<0> : vector<6xi8>) : vector<6xi8>
// CHECK-NEXT:     %some = llvm.icmp "ne" %35, %36 : vector<6xi8>
// CHECK-NEXT:     %37 = llvm.getelementptr inbounds %x_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     %38 = llvm.shufflevector %some, %some [0, 1, 2, 3] : vector<6xi1>
// CHECK-NEXT:     %39 = llvm.shufflevector %ones, %ones [0, 1, 2, 3] : vector<6xf64>
// CHECK-NEXT:     %40 = llvm.mlir.constant(8 : i32) : i32
// CHECK-NEXT:     %41 = llvm.call_intrinsic "llvm.masked.load.v4f64.p0"(%37, %40, %38, %39) : (!llvm.ptr, i32, vector<4xi1>, vector<4xf64>) -> vector<4xf64>
// CHECK-NEXT:     %42 = llvm.getelementptr %37[4] : (!llvm.ptr) -> !llvm.ptr, f64
// CHECK-NEXT:     %43 = llvm.shufflevector %some, %some [4, 5] : vector<6xi1>
// CHECK-NEXT:     %44 = llvm.shufflevector %ones, %ones [4, 5] : vector<6xf64>
// CHECK-NEXT:     %45 = llvm.mlir.constant(8 : i32) : i32
// CHECK-NEXT:     %46 = llvm.call_intrinsic "llvm.masked.load.v2f64.p0"(%42, %45, %43, %44) : (!llvm.ptr, i32, vector<2xi1>, vector<2xf64>) -> vector<2xf64>
// CHECK-NEXT:     %47 = llvm.shufflevector %46, %46 [0, 1, 0, 0] : vector<2xf64>
// CHECK-NEXT:     %v_2 = llvm.shufflevector %41, %47 [0, 1, 2, 3, 4, 5] : vector<4xf64>
// CHECK-NEXT:     %48 = llvm.getelementptr inbounds %y_2[%c0_2] : (!llvm.ptr, i64) -> !llvm.ptr, f64
// CHECK-NEXT:     llvm.store %v_2, %48 {alignment = 8 : i64} : vector<6xf64>, !llvm.ptr
// CHECK-NEXT:     llvm.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
