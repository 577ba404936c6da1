// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What branches and loops of the program level refuse: invariants 2, 4, 5 and 7 of `program.py`.

// 2. Statements alone.

program.func @main(in %c: !kernel.buf<[] x i1>) {
  program.if %c {
    // expected-error @below {{'program.alloc': 'program.alloc' expects parent op 'program.func'}}
    %t = program.alloc : !kernel.buf<[4] x f32>
  }
}

// -----

program.func @main(in %c: !kernel.buf<[] x i1>) {
  program.while %c cond {
    // expected-error @below {{'arith.constant': has no meaning on the program level}}
    %t = arith.constant 1 : i32
  } do {
  }
}

// -----

uop.func @k(out %y: !uop.ptr<f32>) {
}
func.func @f(%b: !kernel.buf<[4] x f32>) {
  // expected-error @below {{'program.launch': 'program.launch' expects parent op to be one of}}
  program.launch @k(%b)
  func.return
}

// -----

// 4. Written before it is read, whichever way the program goes.

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.if %c {
    program.launch @copy(%t, %x)
  }
  // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
  program.launch @copy(%y, %t)
}

// -----

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.if %c {
    program.launch @copy(%t, %x)
  } else {
    // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
    program.launch @copy(%y, %t)
  }
}

// -----

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.while %c cond {
  } do {
    program.launch @copy(%t, %x)
  }
  // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
  program.launch @copy(%y, %t)
}

// -----

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  %t = program.alloc : !kernel.buf<[4] x f32>
  program.while %c cond {
    // expected-error @below {{'program.launch': reads a buffer that nothing has written yet}}
    program.launch @copy(%y, %t)
  } do {
    program.launch @copy(%t, %x)
  }
}

// -----

program.func @main(in %x: !kernel.buf<[4] x f32>) {
  %c = program.alloc : !kernel.buf<[] x i1>
  // expected-error @below {{'program.if': reads a buffer that nothing has written yet}}
  program.if %c {
  }
}

// -----

uop.func @test(out %c: !uop.ptr<i1>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>) {
  %c = program.alloc : !kernel.buf<[] x i1>
  // expected-error @below {{'program.while': reads a buffer that nothing has written yet}}
  program.while %c cond {
  } do {
    program.launch @test(%c)
  }
}

// -----

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %z: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>) {
  program.if %c {
    // expected-error @below {{'program.launch': writes an input or a constant}}
    program.launch @copy(%x, %z)
  }
}

// -----

// 5. Written is what both sides write.

uop.func @copy(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
}
// expected-error @below {{'program.func': nothing writes %y, an output of the program}}
program.func @main(in %x: !kernel.buf<[4] x f32>, in %c: !kernel.buf<[] x i1>, out %y: !kernel.buf<[4] x f32>) {
  program.if %c {
    program.launch @copy(%y, %x)
  }
}

// -----

// 7. One i1.

program.func @main(in %c: !kernel.buf<[2] x i1>) {
  // expected-error @below {{'program.if': the condition is to be a buffer of one i1, not !kernel.buf<[2] x i1>}}
  program.if %c {
  }
}

// -----

program.func @main(in %c: !kernel.buf<[] x i8>) {
  // expected-error @below {{'program.while': the condition is to be a buffer of one i1, not !kernel.buf<[] x i8>}}
  program.while %c cond {
  } do {
  }
}

// -----

program.func @main(in %c: !kernel.buf<[] x i1>) {
  // expected-error @below {{'program.if': a region of the program level takes no arguments}}
  "program.if"(%c) ({
  ^bb0(%x: !kernel.buf<[] x i1>):
  }, {
  ^bb0:
  }) : (!kernel.buf<[] x i1>) -> ()
}
