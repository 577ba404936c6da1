// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=8192 l1-ways=8 l2=16384 last=65536 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=8192 l1-ways=8 l2=16384 last=65536 threads=1})" -o /dev/null --check-each

// The last cache has no room for the rows: steps are summed a block at a time, and no size is a
// multiple of its block.
kernel.func @many_steps(out %y: !kernel.buf<[70, 200] x f32>, in %a: !kernel.buf<[70, 131] x f32>, in %b: !kernel.buf<[131, 200] x f32>) {
  %i = kernel.range 0 to 70
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 131
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is added, and computed, follows once the sums are complete.
kernel.func @after(out %y: !kernel.buf<[64, 200] x f32>, in %a: !kernel.buf<[64, 130] x f32>, in %b: !kernel.buf<[130, 200] x f32>, in %c: !kernel.buf<[200] x f32>, in %r: !kernel.buf<[64, 200] x f32>) {
  %zero = arith.constant 0.0 : f32
  %i = kernel.range 0 to 64
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 130
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  %v = kernel.load %c[%j]
  %t = arith.addf %s, %v : f32
  %q = kernel.load %r[%i, %j]
  %u = arith.addf %t, %q : f32
  %z = arith.maximumf %u, %zero : f32
  kernel.store %z, %y[%i, %j]
}

// Both factors are one matrix.
kernel.func @square(out %y: !kernel.buf<[200, 200] x f32>, in %a: !kernel.buf<[200, 200] x f32>) {
  %i = kernel.range 0 to 200
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 200
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %a[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// The last cache has room for the rows.
kernel.func @few_steps(out %y: !kernel.buf<[70, 200] x f32>, in %a: !kernel.buf<[70, 60] x f32>, in %b: !kernel.buf<[60, 200] x f32>) {
  %i = kernel.range 0 to 70
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 60
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Too few rows for copies of the factors.
kernel.func @few_rows(out %y: !kernel.buf<[16, 200] x f32>, in %a: !kernel.buf<[16, 131] x f32>, in %b: !kernel.buf<[131, 200] x f32>) {
  %i = kernel.range 0 to 16
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 131
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// An extent is not known.
kernel.func @named(out %y: !kernel.buf<[M, 200] x f32>, in %a: !kernel.buf<[M, 131] x f32>, in %b: !kernel.buf<[131, 200] x f32>) dims(M in 1..100) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to 200
  %k = kernel.range 0 to 131
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      remark: a product of 70x200x131: split-range{range=i by=35 outer=ib inner=ii loads=clamped},split-range{range=ii by=5 outer=io inner=iu loads=gated},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},split-range{range=k by=44 outer=ko inner=ki loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},stage-result{over=jo,io,iu,ju,jv accumulating=ko},set-kind{range=iur kind=loop},pack-buffer{buffer=b over=ko,jo,ki,ju,jv},pack-buffer{buffer=a over=io,iu,ki scalar=true},order-ranges{order=ib,ko,jo,io,ior,iur,jor} [tile-products, passed]
// CHECK-NEXT: remark: a product of 64x200x130: split-range{range=i by=32 outer=ib inner=ii loads=clamped},split-range{range=ii by=4 outer=io inner=iu loads=gated},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},split-range{range=k by=44 outer=ko inner=ki loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},stage-result{over=jo,io,iu,ju,jv accumulating=ko},set-kind{range=iur kind=loop},pack-buffer{buffer=b over=ko,jo,ki,ju,jv},pack-buffer{buffer=a over=io,iu,ki scalar=true},order-ranges{order=ib,ko,jo,io,ior,iur,jor} [tile-products, passed]
// CHECK-NEXT: remark: a product of 200x200x200: split-range{range=i by=50 outer=ib inner=ii loads=clamped},split-range{range=ii by=5 outer=io inner=iu loads=gated},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},split-range{range=k by=50 outer=ko inner=ki loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},stage-result{over=jo,io,iu,ju,jv accumulating=ko},set-kind{range=iur kind=loop},pack-buffer{buffer=a over=ko,jo,ki,ju,jv},pack-buffer{buffer=a over=io,iu,ki scalar=true},order-ranges{order=ib,ko,jo,io,ior,iur,jor} [tile-products, passed]
// CHECK-NEXT: remark: a product of 70x200x60: order-ranges{order=j,i},peel-range{range=j at=192 start=192 rest=e},split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io},split-range{range=ie by=14 outer=ieo inner=ieu loads=clamped},split-range{range=je by=8 outer=jeo inner=jen loads=gated},split-range{range=jen by=8 outer=jeu inner=jev loads=gated},set-kind{range=ieu kind=unroll},set-kind{range=jeu kind=unroll},set-kind{range=jev kind=vector},pack-buffer{buffer=b over=ke,jeu,jev},order-ranges{order=jeo,ieo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 16x200x131: split-range{range=i by=8 outer=io inner=iu loads=clamped},split-range{range=j by=8 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 100x200x131: split-range{range=i by=5 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io} [tile-products, passed]

