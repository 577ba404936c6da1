// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=1})" -o /dev/null --check-each

// Few rows by a matrix that the second cache has no room for: the matrix is read along its rows, as
// many columns at a time as sums have room in the first cache.
kernel.func @few_rows(out %y: !kernel.buf<[6, 1024] x f32>, in %a: !kernel.buf<[6, 96] x f32>, in %b: !kernel.buf<[96, 1024] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 1024
  %k = kernel.range 0 to 96
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is added in follows once the sums are complete.
kernel.func @bias(out %y: !kernel.buf<[4, 512] x f32>, in %a: !kernel.buf<[4, 96] x f32>, in %b: !kernel.buf<[96, 512] x f32>, in %c: !kernel.buf<[512] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 512
  %k = kernel.range 0 to 96
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %v = kernel.load %c[%j]
  %t = arith.addf %s, %v : f32
  kernel.store %t, %y[%i, %j]
}

// The second cache has room for the matrix.
kernel.func @near(out %y: !kernel.buf<[6, 256] x f32>, in %a: !kernel.buf<[6, 32] x f32>, in %b: !kernel.buf<[32, 256] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 256
  %k = kernel.range 0 to 32
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Its rows are no whole cache lines, or not so many that some can be read side by side.
kernel.func @no_lines(out %y: !kernel.buf<[6, 1020] x f32>, in %a: !kernel.buf<[6, 96] x f32>, in %b: !kernel.buf<[96, 1020] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 1020
  %k = kernel.range 0 to 96
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

kernel.func @odd(out %y: !kernel.buf<[6, 1024] x f32>, in %a: !kernel.buf<[6, 97] x f32>, in %b: !kernel.buf<[97, 1024] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 1024
  %k = kernel.range 0 to 97
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Its rows do not start at the same few places of a cache.
kernel.func @apart(out %y: !kernel.buf<[6, 1040] x f32>, in %a: !kernel.buf<[6, 96] x f32>, in %b: !kernel.buf<[96, 1040] x f32>) {
  %i = kernel.range 0 to 6
  %j = kernel.range 0 to 1040
  %k = kernel.range 0 to 96
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Many rows use what is packed again and again.
kernel.func @many_rows(out %y: !kernel.buf<[64, 1024] x f32>, in %a: !kernel.buf<[64, 96] x f32>, in %b: !kernel.buf<[96, 1024] x f32>) {
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 1024
  %k = kernel.range 0 to 96
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      remark: few rows by a matrix of 6x1024x96: split-range{range=j by=512 outer=jb inner=ji loads=gated},split-range{range=k by=8 outer=ko inner=ku loads=gated},stage-result{over=i,ji accumulating=ko},split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=ji by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jb,ko,jo,io,ir} [tile-products, passed]
// CHECK-NEXT: remark: few rows by a matrix of 4x512x96: split-range{range=j by=512 outer=jb inner=ji loads=gated},split-range{range=k by=16 outer=ko inner=ku loads=gated},stage-result{over=i,ji accumulating=ko},split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=ji by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jb,ko,jo,io,ir} [tile-products, passed]
// CHECK-NEXT: remark: a product of 6x256x32: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 6x1020x96: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 6x1024x97: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 6x1040x96: split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 64x1024x96: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
