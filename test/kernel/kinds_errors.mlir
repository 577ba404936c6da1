// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier asks of the kinds of ranges: the tenth invariant in `verify.py`.

kernel.func @unknown(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': a kind is one of sequential, parallel, unroll, vector, grid.x, grid.y, grid.z, thread.x, thread.y, thread.z, not 'fast'}}
  %i = "kernel.range"() <{lower = #kernel.expr<0>, upper = #kernel.expr<4>, kind = "fast"}> : () -> index
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @dynamic(out %y: !kernel.buf<[N] x f32>, in %x: !kernel.buf<[N] x f32>) dims(N in 1..8) {
  // expected-error @below {{'kernel.range': a range of kind `vector` needs constant bounds}}
  %i = kernel.range 0 to N vector
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @long(out %y: !kernel.buf<[2000] x f32>, in %x: !kernel.buf<[2000] x f32>) {
  // expected-error @below {{'kernel.range': a range of kind `unroll` has 1 to 1024 iterations, not 2000}}
  %i = kernel.range 0 to 2000 unroll
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @two_vectors(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8 vector
  %j = kernel.range 0 to 8 vector
  // expected-error @below {{'kernel.load': depends on %i, %j: a value has one range of kind `vector` at most}}
  %v = kernel.load %x[%i, %j]
  kernel.store %v, %y[%i, %j]
}

// -----

kernel.func @sum_of_threads(out %y: !kernel.buf<[] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8 thread.x
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.reduce': cannot combine over %i, of kind `thread.x`}}
  %s = kernel.reduce %v over(%i) {kind = "add"}
  kernel.store %s, %y[]
}

// -----

kernel.func @stage_of_threads(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8 grid.x
  %j = kernel.range 0 to 8
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.stage': cannot keep in local memory the values of %i, of kind `grid.x`}}
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[8] x f32, local>
  %w = kernel.load %s[7 - %j]
  kernel.store %w, %y[%j]
}

// -----

kernel.func @scan_of_lanes(out %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8 vector
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.scan': cannot run along %i, of kind `vector`}}
  %s = kernel.scan %v along %i {kind = "add"}
  kernel.store %s, %y[%i]
}

// -----

kernel.func @scatter_of_threads(inout %y: !kernel.buf<[8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %i = kernel.range 0 to 8 parallel
  %v = kernel.load %x[%i]
  // expected-error @below {{'kernel.scatter': cannot scatter in the order of %i, of kind `parallel`}}
  kernel.scatter %v, %y[%i floordiv 2] over(%i) {kind = "add"}
}

// -----

// Ranges of one name are told apart as the printer does it.
kernel.func @same_names(out %y: !kernel.buf<[8, 8] x f32>, in %x: !kernel.buf<[8, 8] x f32>) {
  %i = kernel.range 0 to 8 vector
  %i_1 = kernel.range 0 to 8 vector
  // expected-error @below {{'kernel.load': depends on %i, %i_1: a value has one range of kind `vector` at most}}
  %v = kernel.load %x[%i, %i_1]
  kernel.store %v, %y[%i, %i_1]
}

// -----

kernel.func @stage_of_a_copy(out %y: !kernel.buf<[8, 4] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
  %i = kernel.range 0 to 8
  %u = kernel.range 0 to 4 unroll
  %v = kernel.load %x[%i, %u]
  // expected-error @below {{'kernel.stage': is to close %u, of kind `unroll`, which its value depends on}}
  %s = kernel.stage %v[%i] over(%i) : !kernel.buf<[8] x f32, local>
  %j = kernel.range 0 to 8
  %w = kernel.load %s[%j]
  kernel.store %w, %y[%j, %u]
}

// -----

kernel.func @bounds_of_a_copy(out %y: !kernel.buf<[4, 8] x f32>, in %x: !kernel.buf<[8] x f32>) {
  %u = kernel.range 0 to 4 unroll
  // expected-error @below {{'kernel.range': its bounds depend on %u, of kind `unroll`}}
  %i = kernel.range %u to 8
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%u, %i]
}

// -----

kernel.func @grain_of_a_loop(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': a range of kind `loop` has no grain: no thread is woken}}
  %i = "kernel.range"() <{lower = #kernel.expr<0>, upper = #kernel.expr<4>, grain = #kernel.expr<4>}> : () -> index
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @grain_of_nothing(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'kernel.range': the grain names N, which has no range here}}
  %i = kernel.range 0 to 4 parallel grain(N)
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @grain_by_zero(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) dims(N in 0..) {
  // expected-error @below {{'kernel.range': 8 floordiv N divides by N, which may be 0}}
  %i = kernel.range 0 to 4 parallel grain(8 floordiv N)
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// -----

kernel.func @accumulating_in_threads(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[8, 4] x f32>) {
  %k = kernel.range 0 to 8 parallel
  %j = kernel.range 0 to 4
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%k, %j]
  // expected-error @below {{'kernel.stage': cannot accumulate over %k, of kind `parallel`}}
  %row = kernel.stage %v[%j] over(%j) accumulating(%k) {kind = "add"} : !kernel.buf<[4] x f32, local>
  %w = kernel.load %row[%i]
  kernel.store %w, %y[%i]
}
