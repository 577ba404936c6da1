// RUN: teeny-opt %s -p uop-to-nvvm --split-input-file --verify-diagnostics

uop.func @library(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  %a = uop.load %x[%zero] : f32
  // expected-error @below {{math.exp of f32 has no form in PTX, and a GPU has no libm: run expand-math before}}
  %b = math.exp %a : f32
  uop.store %b, %y[%zero]
}
