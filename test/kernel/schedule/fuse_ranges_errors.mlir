// RUN: teeny-opt %s -p "kernel.func(fuse-ranges{outer=i inner=j})" --split-input-file --verify-diagnostics

kernel.func @closed_alone(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 50
  %a = kernel.load %x[%i, %j]
  // expected-error @below {{closes %j and not %i}}
  %s = kernel.reduce %a over(%j) {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

kernel.func @beside(out %y: !kernel.buf<[4, 50] x f32>, in %x: !kernel.buf<[4, 50] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 50
  %j = kernel.range 0 to 50
  %a = kernel.load %x[%i, %k]
  // expected-error @below {{stands in the loop of %i beside that of %j}}
  %s = kernel.reduce %a over(%k) {kind = "add"}
  %b = kernel.load %x[%i, %j]
  %c = arith.subf %b, %s : f32
  kernel.store %c, %y[%i, %j]
}

// -----

kernel.func @between(out %y: !kernel.buf<[4, 5, 6] x f32>, in %x: !kernel.buf<[4, 5, 6] x f32>) {
  %i = kernel.range 0 to 4
  %k = kernel.range 0 to 5
  // expected-error @below {{the loop of %j is not the next one inside that of %i}}
  %j = kernel.range 0 to 6
  %a = kernel.load %x[%i, %k, %j]
  kernel.store %a, %y[%i, %k, %j]
}

// -----

kernel.func @opposite(out %y: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  // expected-error @below {{the loop of %j is not the next one inside that of %i}}
  %j = kernel.range 0 to 5
  %i = kernel.range 0 to 4
  %a = kernel.load %x[%i, %j]
  kernel.store %a, %y[%i, %j]
}

// -----

kernel.func @scanned(out %y: !kernel.buf<[4, 5] x f32>, in %x: !kernel.buf<[4, 5] x f32>) {
  %i = kernel.range 0 to 4
  %j = kernel.range 0 to 5
  %a = kernel.load %x[%i, %j]
  // expected-error @below {{runs along %j, which cannot be fused}}
  %s = kernel.scan %a along %j {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// -----

kernel.func @triangle(out %y: !kernel.buf<[4, 4] x f32>, in %x: !kernel.buf<[4, 4] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{the bounds of %j depend on another range}}
  %j = kernel.range 0 to %i
  %a = kernel.load %x[%i, %j]
  kernel.store %a, %y[%i, %j]
}

// -----

kernel.func @kinds(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4
  // expected-error @below {{ranges of kind `loop` and `vector`: both are to be `loop` or both `unroll`}}
  %j = kernel.range 0 to 8 vector
  %a = kernel.load %x[%i, %j]
  kernel.store %a, %y[%i, %j]
}

// -----

kernel.func @scattered(inout %y: !kernel.buf<[4] x f32>, out %z: !kernel.buf<[4, 5] x f32>) {
  %one = arith.constant 1.0 : f32
  %i = kernel.range 0 to 4 unroll
  %j = kernel.range 0 to 5 unroll
  kernel.store %one, %z[%i, %j]
  // expected-error @below {{is over %i and not %j}}
  kernel.scatter %one, %y[0] over(%i) {kind = "add"}
}
