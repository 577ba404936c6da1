// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=2})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | grep "110x96x100" | FileCheck %s --check-prefix=THREADS

// What the orders of tiles fetch from beyond the caches decides.

// The second cache has room for all columns, not for the rows: these are read once.
kernel.func @rows_outside(out %y: !kernel.buf<[200, 96] x f32>, in %a: !kernel.buf<[200, 100] x f32>, in %b: !kernel.buf<[100, 96] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 100
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// There is no room for either: columns are packed a block at a time.
kernel.func @columns_outside(out %y: !kernel.buf<[200, 96] x f32>, in %a: !kernel.buf<[200, 200] x f32>, in %b: !kernel.buf<[200, 96] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 200
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// All columns at once are packed by one thread: where several share the rows, each had better pack
// its own columns.
kernel.func @handed_on(out %y: !kernel.buf<[110, 96] x f32>, in %a: !kernel.buf<[110, 100] x f32>, in %b: !kernel.buf<[100, 96] x f32>) {
  %i = kernel.range 0 to 110
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 100
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// All is in the second cache: the order does not matter.
kernel.func @inside(out %y: !kernel.buf<[40, 96] x f32>, in %a: !kernel.buf<[40, 60] x f32>, in %b: !kernel.buf<[60, 96] x f32>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 60
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Rows of 4 KiB want one set of the first cache, of whose 8 ways 6 are for rows.
kernel.func @power_of_two(out %y: !kernel.buf<[130, 8] x f32>, in %a: !kernel.buf<[130, 1024] x f32>, in %b: !kernel.buf<[1024, 8] x f32>) {
  %i = kernel.range 0 to 130
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 1024
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Rows of 64 bytes more do not.
kernel.func @between(out %y: !kernel.buf<[130, 8] x f32>, in %a: !kernel.buf<[130, 1040] x f32>, in %b: !kernel.buf<[1040, 8] x f32>) {
  %i = kernel.range 0 to 130
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 1040
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Rows that are read from afar for each row of the image are better read for all of it.
kernel.func @image(out %y: !kernel.buf<[64, 7, 7] x f32>, in %a: !kernel.buf<[64, 300] x f32>, in %b: !kernel.buf<[300, 7, 7] x f32>) {
  %i = kernel.range 0 to 64
  %h = kernel.range 0 to 7
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 300
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %h, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %h, %j]
}

// CHECK:      remark: a product of 200x96x100: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=jo,k,ju,jv},order-ranges{order=io,jo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 200x96x200: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 110x96x100: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=jo,k,ju,jv},order-ranges{order=io,jo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 40x96x60: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 130x8x1024: split-range{range=i by=5 outer=io inner=iu loads=clamped},split-range{range=j by=8 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 130x8x1040: split-range{range=i by=13 outer=io inner=iu loads=clamped},split-range{range=j by=8 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 64x7x300: fuse-ranges{outer=h inner=j fused=hj},split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=hj by=16 outer=hjo inner=hjn loads=gated},split-range{range=hjn by=8 outer=hju inner=hjv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=hju kind=unroll},set-kind{range=hjv kind=vector},pack-buffer{buffer=b over=k,hju,hjv},order-ranges{order=hjo,io} [tile-products, passed]

// THREADS:      remark: a product of 110x96x100: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]
