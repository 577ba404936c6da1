// RUN: teeny-opt %s -p "kernel.func(clamp-window{window=l})" --split-input-file --verify-diagnostics

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: no reduction takes a value twice, or nothing from beyond an edge}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "add"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: no reduction takes a value twice, or nothing from beyond an edge}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0.0 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: a window may have nothing of the image}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 5
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 5, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: its elements are no neighbours}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l * 2 - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l * 2 - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: a condition is none on the place along its axis alone}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ne, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1] if %g else %low
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

kernel.func @pool(out %y: !kernel.buf<[4, 8, 16] x f32>, in %x: !kernel.buf<[4, 16, 32] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 8
  %k = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: 0 loads have a condition on it}}
  %l = kernel.range 0 to 3
  %m = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 16
  %r = kernel.index %j * 2 + %l - 1
  %gr = arith.cmpi ult, %r, %h : index
  %one = kernel.index 1
  %c = kernel.index %k * 2 + %m
  %gc = arith.cmpi sge, %c, %one : index
  %g = arith.andi %gr, %gc : i1
  %v = kernel.load %x[%i, %j * 2 + %l - 1, %k * 2 + %m - 1]
  %s = kernel.reduce %v over(%l, %m) {kind = "max"}
  kernel.store %s, %y[%i, %j, %k]
}

// -----

// An image without a row has no edge.
kernel.func @pool(out %y: !kernel.buf<[H + 2] x f32>, in %x: !kernel.buf<[H] x f32>) dims(H in 0..16) {
  %j = kernel.range 0 to H + 2
  // expected-error @below {{%l cannot be clamped: a window may have nothing of the image}}
  %l = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index H
  %r = kernel.index %j + %l - 2
  %g = arith.cmpi ult, %r, %h : index
  %v = kernel.load %x[%j + %l - 2] if %g else %low
  %s = kernel.reduce %v over(%l) {kind = "max"}
  kernel.store %s, %y[%j]
}

// -----

// What is extended may be used twice.
kernel.func @pool(out %y: !kernel.buf<[16] x f32>, in %x: !kernel.buf<[16] x bf16>) {
  %j = kernel.range 0 to 16
  // expected-error @below {{%l cannot be clamped: no reduction takes a value twice, or nothing from beyond an edge}}
  %l = kernel.range 0 to 3
  %low = arith.constant 0xff80 : bf16
  %h = kernel.index 16
  %r = kernel.index %j + %l - 1
  %g = arith.cmpi ult, %r, %h : index
  %v = kernel.load %x[%j + %l - 1] if %g else %low
  %w = arith.extf %v : bf16 to f32
  %p = arith.mulf %w, %w : f32
  %s = kernel.reduce %p over(%l) {kind = "max"}
  kernel.store %s, %y[%j]
}

// -----

// Each element of the window is one of another row.
kernel.func @rows(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[4, 8] x f32>, in %rows: !kernel.buf<[3] x i64>) {
  %j = kernel.range 0 to 8
  // expected-error @below {{%l cannot be clamped: the buffer, another index or another range of what is reduced depends on the window}}
  %l = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 8
  %r = kernel.index %j + %l - 1
  %g = arith.cmpi ult, %r, %h : index
  %d = kernel.load %rows[%l]
  %row = arith.index_cast %d : i64 to index
  %v = kernel.load %x[%row, %j + %l - 1] if %g else %low
  %s = kernel.reduce %v over(%l) {kind = "max"}
  kernel.store %s, %y[%j]
}

// -----

// The first place of the window moves with what is read there.
kernel.func @moving(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>, in %starts: !kernel.buf<[3] x i64>) {
  %j = kernel.range 0 to 8
  // expected-error @below {{%l cannot be clamped: the buffer, another index or another range of what is reduced depends on the window}}
  %l = kernel.range 0 to 3
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 8
  %d = kernel.load %starts[%l]
  %start = arith.index_cast %d : i64 to index
  %m = kernel.index %start mod 2
  %r = kernel.index %m + %l - 1
  %g = arith.cmpi ult, %r, %h : index
  %v = kernel.load %x[%m + %l - 1] if %g else %low
  %s = kernel.reduce %v over(%l) {kind = "max"}
  kernel.store %s, %y[%j]
}

// -----

// An element that no range takes in is none of the window: it may be all that is of the image.
kernel.func @triangle(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %j = kernel.range 0 to 8
  // expected-error @below {{%l cannot be clamped: the buffer, another index or another range of what is reduced depends on the window}}
  %l = kernel.range 0 to 3
  %q = kernel.range 0 to 2 - %l
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 8
  %r = kernel.index %j + %l - 2
  %g = arith.cmpi ult, %r, %h : index
  %v = kernel.load %x[%j + %l - 2] if %g else %low
  %s = kernel.reduce %v over(%l, %q) {kind = "max"}
  kernel.store %s, %y[%j]
}

// -----

// Each element of the window is one of an image of its own.
kernel.func @images(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[3, 8] x f32>) {
  %j = kernel.range 0 to 8
  // expected-error @below {{%l cannot be clamped: the buffer, another index or another range of what is reduced depends on the window}}
  %l = kernel.range 0 to 3
  %q = kernel.range 0 to 8
  %low = arith.constant 0xff800000 : f32
  %h = kernel.index 8
  %d = kernel.load %x[%l, %q]
  %image = kernel.stage %d[%q] over(%q) : !kernel.buf<[8] x f32, local>
  %r = kernel.index %j + %l - 1
  %g = arith.cmpi ult, %r, %h : index
  %v = kernel.load %image[%j + %l - 1] if %g else %low
  %s = kernel.reduce %v over(%l) {kind = "max"}
  kernel.store %s, %y[%j]
}
