// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What the verifier asks of loops that threads share: the eighth invariant in `uop.py`.

uop.func @mark(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': uop.threads is #uop.threads<most, grain>, not unit}}
  scf.for %i = %c0 to %N step %c1 {
  } {uop.threads}
}

// -----

uop.func @carries(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': a loop in threads cannot carry values}}
  %r = scf.for %i = %c0 to %N step %c1 iter_args(%a = %c0) -> (index) {
    scf.yield %a : index
  } {uop.threads = #uop.threads<2, 1>}
}

// -----

uop.func @grain(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for': the grain names M: not in `dims`}}
  scf.for %i = %c0 to %N step %c1 {
  } {uop.threads = #uop.threads<2, M>}
}

// -----

uop.func @steps(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{'scf.for': a loop in threads has a step of 1}}
  scf.for %i = %c0 to %N step %c2 {
  } {uop.threads = #uop.threads<2, 1>}
}

// -----

uop.func @nested(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    // expected-error @below {{'scf.for': stands in a loop that is in threads already}}
    scf.for %j = %c0 to %N step %c1 {
    } {uop.threads = #uop.threads<2, 1>}
  } {uop.threads = #uop.threads<2, 1>}
}

// -----

// expected-error @below {{1 to 64 threads, not 65}}
"test.op"() {a = #uop.threads<65, 1>} : () -> ()

// -----

uop.func @thread(in %x: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    // expected-error @below {{'uop.thread': its operand is no iteration of a loop marked uop.threads}}
    %t = uop.thread %i
  }
}
