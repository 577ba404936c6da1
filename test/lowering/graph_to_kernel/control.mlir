// RUN: teeny-opt %s -p graph-to-kernel --split-input-file | FileCheck %s

// Branches and loops become those of the program, with buffers for what they give and carry.

// A branch computes into the buffer of the result; what it yields from outside is copied. What the
// branches ask for is written before them.

func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = graph.sin %x : tensor<4xf32>
  %y, %z = graph.if %c {
    %a = graph.neg %s : tensor<4xf32>
    graph.yield %a, %a
  } else {
    graph.yield %s, %x
  }
  func.return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sin(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.sin %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[4] x f32>, in %s: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %s[%i]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[4] x f32>, in %output0: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %output0[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @branch(in %c: !kernel.buf<[] x i1>, in %x: !kernel.buf<[4] x f32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[4] x f32>) attributes {program.names = ["c", "x", "output0", "output1"]} {
// CHECK-NEXT:     %s = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.launch @sin(%s, %x)
// CHECK-NEXT:     program.if %c {
// CHECK-NEXT:       program.launch @neg(%output0, %s)
// CHECK-NEXT:       program.launch @copy(%output1, %output0)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       program.launch @copy(%output0, %s)
// CHECK-NEXT:       program.launch @copy(%output1, %x)
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What a loop starts from is computed into the buffer of the result. What it does not change is not
// copied, and two values that change places are saved first.

func.func @swap(%x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %one = graph.constant dense<1> : tensor<i32>
  %s = graph.sin %x : tensor<4xf32>
  %y, %z, %n, %m = graph.while (%a = %s, %b = %x, %i = %zero, %last = %k) cond {
    %go = graph.compare lt %i, %last : tensor<i32>
    graph.yield %go
  } do {
    %next = graph.add %i, %one : tensor<i32>
    graph.yield %b, %a, %next, %last
  }
  func.return %y, %z, %n : tensor<4xf32>, tensor<4xf32>, tensor<i32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @sin(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.sin %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @constant(out %out: !kernel.buf<[] x i32>) {
// CHECK-NEXT:     %0 = arith.constant 0 : i32
// CHECK-NEXT:     kernel.store %0, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy_1(out %out: !kernel.buf<[] x i32>, in %k: !kernel.buf<[] x i32>) {
// CHECK-NEXT:     %0 = kernel.load %k[]
// CHECK-NEXT:     kernel.store %0, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @compare(out %out: !kernel.buf<[] x i1>, in %output2: !kernel.buf<[] x i32>, in %m: !kernel.buf<[] x i32>) {
// CHECK-NEXT:     %0 = kernel.load %output2[]
// CHECK-NEXT:     %1 = kernel.load %m[]
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @add(out %out: !kernel.buf<[] x i32>, in %output2: !kernel.buf<[] x i32>) {
// CHECK-NEXT:     %0 = kernel.load %output2[]
// CHECK-NEXT:     %1 = arith.constant 1 : i32
// CHECK-NEXT:     %2 = arith.addi %0, %1 : i32
// CHECK-NEXT:     kernel.store %2, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @swap(in %x: !kernel.buf<[4] x f32>, in %k: !kernel.buf<[] x i32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[4] x f32>, out %output2: !kernel.buf<[] x i32>) attributes {program.names = ["x", "k", "output0", "output1", "output2"]} {
// CHECK-NEXT:     %m = program.alloc : !kernel.buf<[] x i32>
// CHECK-NEXT:     program.launch @sin(%output0, %x)
// CHECK-NEXT:     program.launch @copy(%output1, %x)
// CHECK-NEXT:     program.launch @constant(%output2)
// CHECK-NEXT:     program.launch @copy_1(%m, %k)
// CHECK-NEXT:     %go = program.alloc : !kernel.buf<[] x i1>
// CHECK-NEXT:     %next = program.alloc : !kernel.buf<[] x i32>
// CHECK-NEXT:     %a = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.while %go cond {
// CHECK-NEXT:       program.launch @compare(%go, %output2, %m)
// CHECK-NEXT:     } do {
// CHECK-NEXT:       program.launch @add(%next, %output2)
// CHECK-NEXT:       program.launch @copy(%a, %output0)
// CHECK-NEXT:       program.launch @copy(%output0, %output1)
// CHECK-NEXT:       program.launch @copy(%output1, %a)
// CHECK-NEXT:       program.launch @copy_1(%output2, %next)
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// What costs something and does not change in a loop is computed before it; movement and casts are
// not.

func.func @captured(%x: tensor<4xf32>, %h: tensor<f16>, %c: tensor<i1>) -> tensor<4xf32> {
  %e = graph.exp %x : tensor<4xf32>
  %f = graph.cast %h : tensor<f16> to tensor<f32>
  %g = graph.broadcast %f axes [] : tensor<f32> -> tensor<4xf32>
  %y = graph.while (%a = %x) cond {
    graph.yield %c
  } do {
    %b = graph.mul %a, %e : tensor<4xf32>
    %d = graph.add %b, %g : tensor<4xf32>
    graph.yield %d
  }
  func.return %y : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %0, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @mul_add(out %out: !kernel.buf<[4] x f32>, in %output: !kernel.buf<[4] x f32>, in %e: !kernel.buf<[4] x f32>, in %h: !kernel.buf<[] x f16>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %h[]
// CHECK-NEXT:     %1 = arith.extf %0 : f16 to f32
// CHECK-NEXT:     %2 = kernel.load %output[%i]
// CHECK-NEXT:     %3 = kernel.load %e[%i]
// CHECK-NEXT:     %4 = arith.mulf %2, %3 : f32
// CHECK-NEXT:     %5 = arith.addf %4, %1 : f32
// CHECK-NEXT:     kernel.store %5, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @captured(in %x: !kernel.buf<[4] x f32>, in %h: !kernel.buf<[] x f16>, in %c: !kernel.buf<[] x i1>, out %output: !kernel.buf<[4] x f32>) attributes {program.names = ["x", "h", "c", "output"]} {
// CHECK-NEXT:     %e = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.launch @exp(%e, %x)
// CHECK-NEXT:     program.launch @copy(%output, %x)
// CHECK-NEXT:     %d = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.while %c cond {
// CHECK-NEXT:     } do {
// CHECK-NEXT:       program.launch @mul_add(%d, %output, %e, %h)
// CHECK-NEXT:       program.launch @copy(%output, %d)
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// A kernel that stands in the module is launched as it is; an `inout` buffer is a copy.

kernel.func @count(out %y: !kernel.buf<[4] x f32>, inout %n: !kernel.buf<[] x i32>, in %x: !kernel.buf<[4] x f32>) {
  %i = kernel.range 0 to 4
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
  %one = arith.constant 1 : i32
  kernel.scatter %one, %n[] {kind = "add"}
}
func.func @call(%x: tensor<4xf32>, %k: tensor<i32>) -> (tensor<4xf32>, tensor<i32>) {
  %e = graph.exp %x : tensor<4xf32>
  %y, %n = graph.custom_call @count(%k, %e) : (tensor<i32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
  %z = graph.neg %y : tensor<4xf32>
  func.return %z, %n : tensor<4xf32>, tensor<i32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @count(out %y: !kernel.buf<[4] x f32>, inout %n: !kernel.buf<[] x i32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:     %one = arith.constant 1 : i32
// CHECK-NEXT:     kernel.scatter %one, %n[] {kind = "add"}
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @exp(out %out: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %x[%i]
// CHECK-NEXT:     %1 = math.exp %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @copy(out %out: !kernel.buf<[] x i32>, in %k: !kernel.buf<[] x i32>) {
// CHECK-NEXT:     %0 = kernel.load %k[]
// CHECK-NEXT:     kernel.store %0, %out[]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @neg(out %out: !kernel.buf<[4] x f32>, in %y: !kernel.buf<[4] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 4
// CHECK-NEXT:     %0 = kernel.load %y[%i]
// CHECK-NEXT:     %1 = arith.negf %0 : f32
// CHECK-NEXT:     kernel.store %1, %out[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.func @call(in %x: !kernel.buf<[4] x f32>, in %k: !kernel.buf<[] x i32>, out %output0: !kernel.buf<[4] x f32>, out %output1: !kernel.buf<[] x i32>) attributes {program.names = ["x", "k", "output0", "output1"]} {
// CHECK-NEXT:     %e = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.launch @exp(%e, %x)
// CHECK-NEXT:     %y = program.alloc : !kernel.buf<[4] x f32>
// CHECK-NEXT:     program.launch @copy(%output1, %k)
// CHECK-NEXT:     program.launch @count(%y, %output1, %e)
// CHECK-NEXT:     program.launch @neg(%output0, %y)
// CHECK-NEXT:   }
// CHECK-NEXT: }
