// A program gives the same on every floor and natively; values print as numpy prints them.
// RUN: teeny-run %s --target=interpret --input x=range --print | FileCheck %s
// RUN: teeny-run %s --target=interpret --floor=kernel --input x=range --print | FileCheck %s
// RUN: teeny-run %s --target='interpret{floor=uop}' --input x=range --print | FileCheck %s
// RUN: teeny-run %s --input x=range --print | FileCheck %s
// RUN: teeny-run %s --input x=range | FileCheck %s --check-prefix=SUMMARY

// CHECK: output: float32[2]
// CHECK-NEXT: [ 4.5 22.5]
// SUMMARY: output: float32[2], 4.5 to 22.5
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> tensor<2xf32> {
  %half = graph.constant dense<1.5> : tensor<2x3xf32>
  %a = graph.mul %x, %half : tensor<2x3xf32>
  %r = graph.reduce add %a axes [1] : tensor<2x3xf32> -> tensor<2xf32>
  %s = graph.constant dense<[0.0, 4.5]> : tensor<2xf32>
  %t = graph.add %r, %s : tensor<2xf32>
  func.return %t : tensor<2xf32>
}
