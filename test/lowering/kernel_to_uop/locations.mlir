// RUN: teeny-opt %s -p kernel-to-uop --print-debuginfo | FileCheck %s
// RUN: teeny-opt %s -p graph-to-kernel --print-debuginfo | FileCheck %s --check-prefix=GRAPH

// Each op keeps the place that asked for it; a loop has those of its range and of what it carries.

kernel.func @sum(out %y: !kernel.buf<[4] x f32>, in %x: !kernel.buf<[4, 8] x f32>) {
  %i = kernel.range 0 to 4 loc("i.py":1:1)
  %k = kernel.range 0 to 8 loc("k.py":2:1)
  %a = kernel.load %x[%i, %k] loc("load.py":3:1)
  %s = kernel.reduce %a over(%k) {kind = "add"} loc("sum.py":4:1)
  kernel.store %s, %y[%i] loc("store.py":5:1)
} loc("f.py":6:1)

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : tensor<4xf32> loc("model.py":10:7)
  %1 = graph.neg %0 : tensor<4xf32> loc("model.py":11:7)
  func.return %1 : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   uop.func @sum(out %y: !uop.ptr<f32> loc(unknown), in %x: !uop.ptr<f32> loc(unknown)) {
// CHECK-NEXT:     %c0 = arith.constant 0 : index loc("i.py":1:1)
// CHECK-NEXT:     %c4 = arith.constant 4 : index loc("i.py":1:1)
// CHECK-NEXT:     %c1 = arith.constant 1 : index loc("i.py":1:1)
// CHECK-NEXT:     %c8 = arith.constant 8 : index loc("k.py":2:1)
// CHECK-NEXT:     scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %0 = arith.constant 0.000000e+00 : f32 loc("sum.py":4:1)
// CHECK-NEXT:       %1 = arith.muli %i, %c8 : index loc("load.py":3:1)
// CHECK-NEXT:       %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%s_1 = %0) -> (f32) {
// CHECK-NEXT:         %2 = arith.addi %1, %k : index loc("load.py":3:1)
// CHECK-NEXT:         %a = uop.load %x[%2] : f32 loc("load.py":3:1)
// CHECK-NEXT:         %3 = arith.addf %s_1, %a fastmath<reassoc,contract> : f32 loc("sum.py":4:1)
// CHECK-NEXT:         scf.yield %3 : f32 loc(fused["k.py":2:1, "sum.py":4:1])
// CHECK-NEXT:       } loc(fused["k.py":2:1, "sum.py":4:1])
// CHECK-NEXT:       uop.store %s, %y[%i] loc("store.py":5:1)
// CHECK-NEXT:     } {uop.parallel} loc("i.py":1:1)
// CHECK-NEXT:   } loc("f.py":6:1)
// CHECK-NEXT:   func.func @f(%x: tensor<4xf32> loc(unknown)) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.exp %x : tensor<4xf32> loc("model.py":10:7)
// CHECK-NEXT:     %1 = graph.neg %0 : tensor<4xf32> loc("model.py":11:7)
// CHECK-NEXT:     func.return %1 : tensor<4xf32> loc("{{.*}}/locations.mlir":17:3)
// CHECK-NEXT:   } loc("{{.*}}/locations.mlir":14:1)
// CHECK-NEXT: } loc("f.py":6:1)

// GRAPH:      builtin.module {
// GRAPH-NEXT:   kernel.func @sum(out %y: !kernel.buf<[4] x f32> loc(unknown), in %x: !kernel.buf<[4, 8] x f32> loc(unknown)) {
// GRAPH-NEXT:     %i = kernel.range 0 to 4 loc("i.py":1:1)
// GRAPH-NEXT:     %k = kernel.range 0 to 8 loc("k.py":2:1)
// GRAPH-NEXT:     %a = kernel.load %x[%i, %k] loc("load.py":3:1)
// GRAPH-NEXT:     %s = kernel.reduce %a over(%k) {kind = "add"} loc("sum.py":4:1)
// GRAPH-NEXT:     kernel.store %s, %y[%i] loc("store.py":5:1)
// GRAPH-NEXT:   } loc("f.py":6:1)
// GRAPH-NEXT:   kernel.func @exp_neg(out %out: !kernel.buf<[4] x f32> loc(unknown), in %x: !kernel.buf<[4] x f32> loc(unknown)) {
// GRAPH-NEXT:     %i = kernel.range 0 to 4 loc("model.py":11:7)
// GRAPH-NEXT:     %0 = kernel.load %x[%i] loc("model.py":11:7)
// GRAPH-NEXT:     %1 = math.exp %0 : f32 loc("model.py":10:7)
// GRAPH-NEXT:     %2 = arith.negf %1 : f32 loc("model.py":11:7)
// GRAPH-NEXT:     kernel.store %2, %out[%i] loc("model.py":11:7)
// GRAPH-NEXT:   } loc(fused["model.py":11:7, "model.py":10:7])
// GRAPH-NEXT:   program.func @f(in %x: !kernel.buf<[4] x f32> loc(unknown), out %output: !kernel.buf<[4] x f32> loc(unknown)) attributes {program.names = ["x", "output"]} {
// GRAPH-NEXT:     program.launch @exp_neg(%output, %x) loc("model.py":11:7)
// GRAPH-NEXT:   } loc("{{.*}}/locations.mlir":14:1)
// GRAPH-NEXT: } loc("f.py":6:1)
