// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier of a kernel refuses of sorts, each with its place.

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  %f = arith.constant 1.0 : f32
  // expected-error @below {{'kernel.sort': a key is an integer, not f32}}
  %s = kernel.sort(%f) by [slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': 2 orders for 1 values}}
  %s = kernel.sort(%v) by [slt, slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': 0 indices for the rows of !kernel.buf<[N, 2, 9] x i32>}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': several iterations of %i may write one element: the indices do not tell them apart}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[0]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': the first 10 of 9 elements}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[%i] first 10
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, in %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': sorts in what is no `scratch` argument}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 8] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': the scratch for i32 is to be !kernel.buf<[N, 2, 9] x i32>, not !kernel.buf<[N, 2, 8] x i32>}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 1 to 9
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': the range is to start at 0 and to end at an extent}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9
  %m = kernel.range 0 to 9
  %v = kernel.load %x[%i, %j]
  %t = kernel.sort(%v) by [slt] over(%j) in(%a)[%i]
  %u = kernel.load %t[%m]
  // expected-error @below {{'kernel.sort': sorts in %a, which is used already}}
  %s = kernel.sort(%u) by [slt] over(%m) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[N, 9] x i32>, in %x: !kernel.buf<[N, 9] x i32>, scratch %a: !kernel.buf<[N, 2, 9] x i32>) dims(N in 1..64) {
  %i = kernel.range 0 to N
  %j = kernel.range 0 to 9 thread.x
  %v = kernel.load %x[%i, %j]
  // expected-error @below {{'kernel.sort': cannot sort over %j, of kind `thread.x`}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[%i]
  %k = kernel.range 0 to 9
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%i, %k]
}

// -----

kernel.func @f(out %y: !kernel.buf<[9] x i32>, in %x: !kernel.buf<[9] x i32>, scratch %a: !kernel.buf<[2, 9] x i32>) {
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%j]
  // expected-error @below {{'kernel.sort': every thread of %k would sort the same rows}}
  %s = kernel.sort(%v) by [slt] over(%j) in(%a)[]
  %k = kernel.range 0 to 9 thread.x
  %e = kernel.load %s[%k]
  kernel.store %e, %y[%k]
}

// -----

// expected-error @below {{'kernel.func': nothing is stored into the `scratch` argument %a}}
kernel.func @f(out %y: !kernel.buf<[9] x i32>, in %x: !kernel.buf<[9] x i32>, scratch %a: !kernel.buf<[2, 9] x i32>) {
  %j = kernel.range 0 to 9
  %v = kernel.load %x[%j]
  kernel.store %v, %y[%j]
}
