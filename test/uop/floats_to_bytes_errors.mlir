// RUN: teeny-opt %s -p floats-to-bytes --split-input-file --verify-diagnostics

uop.func @f(out %y: !uop.ptr<f8E5M2>, in %x: !uop.ptr<f8E5M2>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f8E5M2
  // expected-error @below {{there is no arith.addf of f8E5M2 as bytes: run legalize-floats before}}
  %b = arith.addf %a, %a : f8E5M2
  uop.store %b, %y[%zero]
}
