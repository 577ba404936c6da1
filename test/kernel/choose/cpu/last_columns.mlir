// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=256 registers=16 l1=32768 l1-ways=8 l2=65536 threads=1})" -o /dev/null --check-each
// RUN: teeny-opt %s -p "kernel.func(tile-products{vector-bits=512 registers=32 l1=32768 l1-ways=8 l2=65536 threads=1})" --remarks -o /dev/null 2>&1 | grep -o "remark: a product of 37x41x53.*" | FileCheck %s --check-prefix=MASKS

// Without masks for vectors, the columns behind the last whole tile have a loop of their own, in
// whole vectors that begin among those before.
kernel.func @last(out %y: !kernel.buf<[37, 41] x f32>, in %a: !kernel.buf<[37, 53] x f32>, in %b: !kernel.buf<[53, 41] x f32>) {
  %i = kernel.range 0 to 37
  %j = kernel.range 0 to 41
  %k = kernel.range 0 to 53
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// So have those behind the last whole vector where no tile is whole.
kernel.func @fewer_than_a_tile(out %y: !kernel.buf<[118, 18] x f32>, in %a: !kernel.buf<[118, 73] x f32>, in %b: !kernel.buf<[73, 18] x f32>) {
  %i = kernel.range 0 to 118
  %j = kernel.range 0 to 18
  %k = kernel.range 0 to 73
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// Each part packs its own columns.
kernel.func @packed(out %y: !kernel.buf<[40, 100] x f32>, in %a: !kernel.buf<[40, 60] x f32>, in %b: !kernel.buf<[60, 100] x f32>) {
  %i = kernel.range 0 to 40
  %j = kernel.range 0 to 100
  %k = kernel.range 0 to 60
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// All tiles are whole.
kernel.func @whole(out %y: !kernel.buf<[37, 48] x f32>, in %a: !kernel.buf<[37, 53] x f32>, in %b: !kernel.buf<[53, 48] x f32>) {
  %i = kernel.range 0 to 37
  %j = kernel.range 0 to 48
  %k = kernel.range 0 to 53
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// One tile of several has an edge, and sums much before it is stored.
kernel.func @little(out %y: !kernel.buf<[37, 100] x f32>, in %a: !kernel.buf<[37, 1000] x f32>, in %b: !kernel.buf<[1000, 100] x f32>) {
  %i = kernel.range 0 to 37
  %j = kernel.range 0 to 100
  %k = kernel.range 0 to 1000
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// There is no whole vector.
kernel.func @less_than_a_vector(out %y: !kernel.buf<[37, 7] x f32>, in %a: !kernel.buf<[37, 53] x f32>, in %b: !kernel.buf<[53, 7] x f32>) {
  %i = kernel.range 0 to 37
  %j = kernel.range 0 to 7
  %k = kernel.range 0 to 53
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// The number of rows does not matter, but has to be known.
kernel.func @named(out %y: !kernel.buf<[M, 41] x f32>, in %a: !kernel.buf<[M, 53] x f32>, in %b: !kernel.buf<[53, 41] x f32>) dims(M in 1..100) {
  %i = kernel.range 0 to M
  %j = kernel.range 0 to 41
  %k = kernel.range 0 to 53
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// CHECK:      remark: a product of 37x41x53: order-ranges{order=j,i},peel-range{range=j at=24 start=17 rest=e},split-range{range=i by=3 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io},split-range{range=ie by=3 outer=ieo inner=ieu loads=clamped},split-range{range=je by=24 outer=jeo inner=jen loads=gated},split-range{range=jen by=8 outer=jeu inner=jev loads=gated},set-kind{range=ieu kind=unroll},set-kind{range=jeu kind=unroll},set-kind{range=jev kind=vector},order-ranges{order=jeo,ieo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 118x18x73: order-ranges{order=j,i},peel-range{range=j at=16 start=10 rest=e},split-range{range=i by=6 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io},split-range{range=ie by=12 outer=ieo inner=ieu loads=clamped},split-range{range=je by=8 outer=jeo inner=jen loads=gated},split-range{range=jen by=8 outer=jeu inner=jev loads=gated},set-kind{range=ieu kind=unroll},set-kind{range=jeu kind=unroll},set-kind{range=jev kind=vector},order-ranges{order=jeo,ieo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 40x100x60: order-ranges{order=j,i},peel-range{range=j at=96 start=92 rest=e},split-range{range=i by=5 outer=io inner=iu loads=clamped},split-range{range=j by=16 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},pack-buffer{buffer=b over=k,ju,jv},order-ranges{order=jo,io},split-range{range=ie by=10 outer=ieo inner=ieu loads=clamped},split-range{range=je by=8 outer=jeo inner=jen loads=gated},split-range{range=jen by=8 outer=jeu inner=jev loads=gated},set-kind{range=ieu kind=unroll},set-kind{range=jeu kind=unroll},set-kind{range=jev kind=vector},pack-buffer{buffer=b over=ke,jeu,jev},order-ranges{order=jeo,ieo} [tile-products, passed]
// CHECK-NEXT: remark: a product of 37x48x53: split-range{range=i by=3 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 37x100x1000: split-range{range=i by=13 outer=io inner=iu loads=clamped},split-range{range=j by=8 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 37x7x53: split-range{range=i by=13 outer=io inner=iu loads=clamped},split-range{range=j by=8 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]
// CHECK-NEXT: remark: a product of 100x41x53: split-range{range=i by=4 outer=io inner=iu loads=clamped},split-range{range=j by=24 outer=jo inner=jn loads=gated},split-range{range=jn by=8 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]

// MASKS:      remark: a product of 37x41x53: split-range{range=i by=8 outer=io inner=iu loads=clamped},split-range{range=j by=48 outer=jo inner=jn loads=gated},split-range{range=jn by=16 outer=ju inner=jv loads=gated},set-kind{range=iu kind=unroll},set-kind{range=ju kind=unroll},set-kind{range=jv kind=vector},order-ranges{order=jo,io} [tile-products, passed]

