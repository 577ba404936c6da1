// RUN: teeny-opt %s -p kernel-to-uop --split-input-file | FileCheck %s

// Elements two apart come from two vectors of neighbours, of which the second ends with the last of
// them; where they are gated, the others are gated off.
kernel.func @pairs(out %y: !kernel.buf<[3, 8] x f32>, in %x: !kernel.buf<[3, 15] x f32>, in %z: !kernel.buf<[3, 15] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 3
  %k = kernel.range 0 to 8 vector
  %most = kernel.index 5
  %g = arith.cmpi slt, %k, %most : index
  %a = kernel.load %x[%i, %k * 2]
  %b = kernel.load %z[%i, %k * 2] if %g else %zero
  %s = arith.addf %a, %b : f32
  kernel.store %s, %y[%i, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @pairs(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %z: !uop.ptr<f32>) {
// CHECK-NEXT:     %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %c5 = arith.constant 5 : index
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %c3 = arith.constant 3 : index
// CHECK-NEXT:     %c1 = arith.constant 1 : index
// CHECK-NEXT:     %c15 = arith.constant 15 : index
// CHECK-NEXT:     %c7 = arith.constant 7 : index
// CHECK-NEXT:     %0 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK-NEXT:     %1 = vector.broadcast %c5 : index to vector<8xindex>
// CHECK-NEXT:     %g = uop.cmpi slt, %0, %1 : vector<8xindex>
// CHECK-NEXT:     %2 = arith.constant false
// CHECK-NEXT:     %3 = vector.broadcast %2 : i1 to vector<8xi1>
// CHECK-NEXT:     %4 = vector.shuffle %g, %3 [0, 8, 1, 8, 2, 8, 3, 8] : vector<8xi1>, vector<8xi1>
// CHECK-NEXT:     %5 = vector.shuffle %g, %3 [8, 4, 8, 5, 8, 6, 8, 7] : vector<8xi1>, vector<8xi1>
// CHECK-NEXT:     %6 = vector.broadcast %zero : f32 to vector<8xf32>
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     scf.for %i = %c0 to %c3 step %c1 {
// CHECK-NEXT:       %7 = arith.muli %i, %c15 : index
// CHECK-NEXT:       %8 = uop.load %x[%7] : vector<8xf32>
// CHECK-NEXT:       %9 = arith.addi %7, %c7 : index
// CHECK-NEXT:       %10 = uop.load %x[%9] : vector<8xf32>
// CHECK-NEXT:       %a = vector.shuffle %8, %10 [0, 2, 4, 6, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:       %11 = uop.load %z[%7] if %4 else %6 : vector<8xf32>
// CHECK-NEXT:       %12 = uop.load %z[%9] if %5 else %6 : vector<8xf32>
// CHECK-NEXT:       %b = vector.shuffle %11, %12 [0, 2, 4, 6, 9, 11, 13, 15] : vector<8xf32>, vector<8xf32>
// CHECK-NEXT:       %s = arith.addf %a, %b : vector<8xf32>
// CHECK-NEXT:       %13 = arith.muli %i, %c8 : index
// CHECK-NEXT:       uop.store %s, %y[%13]
// CHECK-NEXT:     } {uop.parallel}
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// One by one: elements three apart, those that another vector stands in for, and short vectors.
kernel.func @apart(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[22] x f32>, in %z: !kernel.buf<[15] x f32>) {
  %k = kernel.range 0 to 8 vector
  %most = kernel.index 5
  %g = arith.cmpi slt, %k, %most : index
  %a = kernel.load %x[%k * 3]
  %b = kernel.load %z[%k * 2] if %g else %a
  kernel.store %b, %y[%k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @apart(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, in %z: !uop.ptr<f32>) {
// CHECK-NEXT:     %c5 = arith.constant 5 : index
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %0 = uop.load %x[%c0] : f32
// CHECK-NEXT:     %1 = vector.broadcast %0 : f32 to vector<8xf32>
// CHECK-NEXT:     %c3 = arith.constant 3 : index
// CHECK-NEXT:     %2 = uop.load %x[%c3] : f32
// CHECK-NEXT:     %3 = vector.insert %2, %1 [1] : f32 into vector<8xf32>
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     %4 = uop.load %x[%c6] : f32
// CHECK-NEXT:     %5 = vector.insert %4, %3 [2] : f32 into vector<8xf32>
// CHECK-NEXT:     %c9 = arith.constant 9 : index
// CHECK-NEXT:     %6 = uop.load %x[%c9] : f32
// CHECK-NEXT:     %7 = vector.insert %6, %5 [3] : f32 into vector<8xf32>
// CHECK-NEXT:     %c12 = arith.constant 12 : index
// CHECK-NEXT:     %8 = uop.load %x[%c12] : f32
// CHECK-NEXT:     %9 = vector.insert %8, %7 [4] : f32 into vector<8xf32>
// CHECK-NEXT:     %c15 = arith.constant 15 : index
// CHECK-NEXT:     %10 = uop.load %x[%c15] : f32
// CHECK-NEXT:     %11 = vector.insert %10, %9 [5] : f32 into vector<8xf32>
// CHECK-NEXT:     %c18 = arith.constant 18 : index
// CHECK-NEXT:     %12 = uop.load %x[%c18] : f32
// CHECK-NEXT:     %13 = vector.insert %12, %11 [6] : f32 into vector<8xf32>
// CHECK-NEXT:     %c21 = arith.constant 21 : index
// CHECK-NEXT:     %14 = uop.load %x[%c21] : f32
// CHECK-NEXT:     %a = vector.insert %14, %13 [7] : f32 into vector<8xf32>
// CHECK-NEXT:     %15 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xindex>
// CHECK-NEXT:     %16 = vector.broadcast %c5 : index to vector<8xindex>
// CHECK-NEXT:     %g = uop.cmpi slt, %15, %16 : vector<8xindex>
// CHECK-NEXT:     %17 = vector.extract %g[0] : i1 from vector<8xi1>
// CHECK-NEXT:     %18 = vector.extract %a[0] : f32 from vector<8xf32>
// CHECK-NEXT:     %19 = uop.load %z[%c0] if %17 else %18 : f32
// CHECK-NEXT:     %20 = vector.broadcast %19 : f32 to vector<8xf32>
// CHECK-NEXT:     %21 = vector.extract %g[1] : i1 from vector<8xi1>
// CHECK-NEXT:     %22 = vector.extract %a[1] : f32 from vector<8xf32>
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %23 = uop.load %z[%c2] if %21 else %22 : f32
// CHECK-NEXT:     %24 = vector.insert %23, %20 [1] : f32 into vector<8xf32>
// CHECK-NEXT:     %25 = vector.extract %g[2] : i1 from vector<8xi1>
// CHECK-NEXT:     %26 = vector.extract %a[2] : f32 from vector<8xf32>
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %27 = uop.load %z[%c4] if %25 else %26 : f32
// CHECK-NEXT:     %28 = vector.insert %27, %24 [2] : f32 into vector<8xf32>
// CHECK-NEXT:     %29 = vector.extract %g[3] : i1 from vector<8xi1>
// CHECK-NEXT:     %30 = vector.extract %a[3] : f32 from vector<8xf32>
// CHECK-NEXT:     %31 = uop.load %z[%c6] if %29 else %30 : f32
// CHECK-NEXT:     %32 = vector.insert %31, %28 [3] : f32 into vector<8xf32>
// CHECK-NEXT:     %33 = vector.extract %g[4] : i1 from vector<8xi1>
// CHECK-NEXT:     %34 = vector.extract %a[4] : f32 from vector<8xf32>
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %35 = uop.load %z[%c8] if %33 else %34 : f32
// CHECK-NEXT:     %36 = vector.insert %35, %32 [4] : f32 into vector<8xf32>
// CHECK-NEXT:     %37 = vector.extract %g[5] : i1 from vector<8xi1>
// CHECK-NEXT:     %38 = vector.extract %a[5] : f32 from vector<8xf32>
// CHECK-NEXT:     %c10 = arith.constant 10 : index
// CHECK-NEXT:     %39 = uop.load %z[%c10] if %37 else %38 : f32
// CHECK-NEXT:     %40 = vector.insert %39, %36 [5] : f32 into vector<8xf32>
// CHECK-NEXT:     %41 = vector.extract %g[6] : i1 from vector<8xi1>
// CHECK-NEXT:     %42 = vector.extract %a[6] : f32 from vector<8xf32>
// CHECK-NEXT:     %43 = uop.load %z[%c12] if %41 else %42 : f32
// CHECK-NEXT:     %44 = vector.insert %43, %40 [6] : f32 into vector<8xf32>
// CHECK-NEXT:     %45 = vector.extract %g[7] : i1 from vector<8xi1>
// CHECK-NEXT:     %46 = vector.extract %a[7] : f32 from vector<8xf32>
// CHECK-NEXT:     %c14 = arith.constant 14 : index
// CHECK-NEXT:     %47 = uop.load %z[%c14] if %45 else %46 : f32
// CHECK-NEXT:     %b = vector.insert %47, %44 [7] : f32 into vector<8xf32>
// CHECK-NEXT:     uop.store %b, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

kernel.func @short(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[7] x f32>) {
  %k = kernel.range 0 to 4 vector
  %a = kernel.load %x[%k * 2]
  kernel.store %a, %y[%k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @short(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index
// CHECK-NEXT:     %0 = uop.load %x[%c0] : f32
// CHECK-NEXT:     %1 = vector.broadcast %0 : f32 to vector<4xf32>
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %2 = uop.load %x[%c2] : f32
// CHECK-NEXT:     %3 = vector.insert %2, %1 [1] : f32 into vector<4xf32>
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %4 = uop.load %x[%c4] : f32
// CHECK-NEXT:     %5 = vector.insert %4, %3 [2] : f32 into vector<4xf32>
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     %6 = uop.load %x[%c6] : f32
// CHECK-NEXT:     %a = vector.insert %6, %5 [3] : f32 into vector<4xf32>
// CHECK-NEXT:     uop.store %a, %y[%c0]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A GPU's vectors are aligned.
kernel.func @on_gpu(out %y: !kernel.buf<[32, 8] x f16>, in %x: !kernel.buf<[32, 16] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 8 vector
  %a = kernel.load %x[%t, %k * 2]
  kernel.store %a, %y[%t, %k]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @on_gpu(out %y: !uop.ptr<f16>, in %x: !uop.ptr<f16>) grid [1] block [32] {
// CHECK-NEXT:     %thread = uop.special thread.x
// CHECK-NEXT:     %c16 = arith.constant 16 : index
// CHECK-NEXT:     %0 = arith.muli %thread, %c16 : index
// CHECK-NEXT:     %1 = uop.load %x[%0] : f16
// CHECK-NEXT:     %2 = vector.broadcast %1 : f16 to vector<8xf16>
// CHECK-NEXT:     %c2 = arith.constant 2 : index
// CHECK-NEXT:     %3 = arith.addi %0, %c2 : index
// CHECK-NEXT:     %4 = uop.load %x[%3] : f16
// CHECK-NEXT:     %5 = vector.insert %4, %2 [1] : f16 into vector<8xf16>
// CHECK-NEXT:     %c4 = arith.constant 4 : index
// CHECK-NEXT:     %6 = arith.addi %0, %c4 : index
// CHECK-NEXT:     %7 = uop.load %x[%6] : f16
// CHECK-NEXT:     %8 = vector.insert %7, %5 [2] : f16 into vector<8xf16>
// CHECK-NEXT:     %c6 = arith.constant 6 : index
// CHECK-NEXT:     %9 = arith.addi %0, %c6 : index
// CHECK-NEXT:     %10 = uop.load %x[%9] : f16
// CHECK-NEXT:     %11 = vector.insert %10, %8 [3] : f16 into vector<8xf16>
// CHECK-NEXT:     %c8 = arith.constant 8 : index
// CHECK-NEXT:     %12 = arith.addi %0, %c8 : index
// CHECK-NEXT:     %13 = uop.load %x[%12] : f16
// CHECK-NEXT:     %14 = vector.insert %13, %11 [4] : f16 into vector<8xf16>
// CHECK-NEXT:     %c10 = arith.constant 10 : index
// CHECK-NEXT:     %15 = arith.addi %0, %c10 : index
// CHECK-NEXT:     %16 = uop.load %x[%15] : f16
// CHECK-NEXT:     %17 = vector.insert %16, %14 [5] : f16 into vector<8xf16>
// CHECK-NEXT:     %c12 = arith.constant 12 : index
// CHECK-NEXT:     %18 = arith.addi %0, %c12 : index
// CHECK-NEXT:     %19 = uop.load %x[%18] : f16
// CHECK-NEXT:     %20 = vector.insert %19, %17 [6] : f16 into vector<8xf16>
// CHECK-NEXT:     %c14 = arith.constant 14 : index
// CHECK-NEXT:     %21 = arith.addi %0, %c14 : index
// CHECK-NEXT:     %22 = uop.load %x[%21] : f16
// CHECK-NEXT:     %a = vector.insert %22, %20 [7] : f16 into vector<8xf16>
// CHECK-NEXT:     %23 = arith.muli %thread, %c8 : index
// CHECK-NEXT:     uop.store %a, %y[%23]
// CHECK-NEXT:   }
// CHECK-NEXT: }
