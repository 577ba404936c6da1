// RUN: teeny-opt %s --split-input-file --verify-diagnostics

uop.func @f(scratch %t: !uop.ptr<f32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'uop.sort': a key is an integer, not f32}}
  uop.sort(%t)[%zero] count %zero first %zero by [ugt]
}

// -----

uop.func @f(in %t: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'uop.sort': sorts in an argument of mode `in`}}
  uop.sort(%t)[%zero] count %zero first %zero by [ugt]
}

// -----

uop.func @f(scratch %t: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'uop.sort': a pointer is there twice}}
  uop.sort(%t, %t)[%zero] count %zero first %zero by [ugt]
}

// -----

uop.func @f(scratch %t: !uop.ptr<i32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{'uop.sort': 0 orders for 1 values}}
  uop.sort(%t)[%zero] count %zero first %zero by []
}
