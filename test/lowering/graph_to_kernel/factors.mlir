// RUN: teeny-opt %s -p "graph-to-kernel{matrices=sm_80}" --remarks=missed -o /dev/null 2>&1 | grep -o "remark: .*" | filecheck %s
// RUN: teeny-opt %s -p "graph-to-kernel{matrices=sm_80}" | grep -o "program.launch.*\|program.func @[a-z_]*" | filecheck %s --check-prefix=FOUND
// RUN: teeny-opt %s -p "graph-to-kernel{matrices=sm_80 tf32=true}" | grep -o "program.launch.*\|program.func @[a-z_0-9]*" | filecheck %s --check-prefix=TF32
// RUN: teeny-opt %s -p graph-to-kernel | grep -o "program.launch.*\|program.func @[a-z_]*" | filecheck %s --check-prefix=ALONE

// Tiles of a product by matrix instructions compute their factors; without such instructions the
// products would compute each element again and again.

func.func @rectified(%a: tensor<40x24xf16>, %b: tensor<24x48xf16>) -> tensor<40x48xf16> {
  %zero = graph.constant dense<0.0> : tensor<40x24xf16>
  %r = graph.max %a, %zero : tensor<40x24xf16>
  %y = graph.dot %r, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %y : tensor<40x48xf16>
}

// FOUND: program.func @rectified
// FOUND-NEXT: program.launch @max_dot(
// FOUND-NEXT: program.func @dequantised
// ALONE: program.func @rectified
// ALONE-NEXT: program.launch @max(
// ALONE-NEXT: program.launch @dot(

func.func @dequantised(%w: tensor<40x24xi8>, %scale: tensor<40xf16>, %x: tensor<24x48xf16>) -> tensor<40x48xf16> {
  %f = graph.cast %w : tensor<40x24xi8> to tensor<40x24xf16>
  %s = graph.broadcast %scale axes [0] : tensor<40xf16> -> tensor<40x24xf16>
  %m = graph.mul %f, %s : tensor<40x24xf16>
  %y = graph.dot %m, %x contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %y : tensor<40x48xf16>
}

// FOUND-NEXT: program.launch @mul_dot(
// FOUND-NEXT: program.func @exponential

// An exponential is not hidden.
func.func @exponential(%a: tensor<40x24xf16>, %b: tensor<24x48xf16>) -> tensor<40x48xf16> {
  %e = graph.exp %a : tensor<40x24xf16>
  %y = graph.dot %e, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %y : tensor<40x48xf16>
}

// CHECK: remark: has a kernel of its own: its exp takes longer than a product hides; it is
// FOUND-NEXT: program.launch @exp(
// FOUND-NEXT: program.launch @dot(

// What is rounded before it is multiplied is written so.
func.func @rounded(%a: tensor<40x24xf32>, %b: tensor<24x48xf16>) -> tensor<40x48xf16> {
  %e = graph.exp %a : tensor<40x24xf32>
  %r = graph.cast %e : tensor<40x24xf32> to tensor<40x24xf16>
  %y = graph.dot %r, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %y : tensor<40x48xf16>
}

// CHECK: remark: has a kernel of its own: its exp takes longer than a product hides; it is 1920 bytes
// FOUND: program.func @rounded
// FOUND-NEXT: program.launch @exp_1(%r, %a)
// FOUND-NEXT: program.launch @dot_1(

// It is not where something else needs it as it was.
func.func @needed(%a: tensor<40x24xf32>, %b: tensor<24x48xf16>) -> (tensor<40x24xf32>, tensor<40x48xf16>) {
  %e = graph.exp %a : tensor<40x24xf32>
  %r = graph.cast %e : tensor<40x24xf32> to tensor<40x24xf16>
  %y = graph.dot %r, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %e, %y : tensor<40x24xf32>, tensor<40x48xf16>
}

// CHECK: remark: has a kernel of its own: it is a result; it is 3840 bytes
// FOUND: program.func @needed
// FOUND-NEXT: program.launch @exp_2(%output0, %a)
// FOUND-NEXT: program.launch @dot_2(

// Reading 2 bytes more for an element takes as long as 6 operations: that of one factor is hidden, that
// of both is not.
func.func @many(%a: tensor<40x24xf16>, %b: tensor<40x24xf16>, %c: tensor<24x48xf16>, %d: tensor<24x48xf16>) -> tensor<40x48xf16> {
  %r = graph.add %a, %b : tensor<40x24xf16>
  %s = graph.add %c, %d : tensor<24x48xf16>
  %y = graph.dot %r, %s contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  func.return %y : tensor<40x48xf16>
}

// CHECK: remark: has a kernel of its own: its tiles would hide 12 operations for an element, not 14; it is
// FOUND: program.func @many
// FOUND-NEXT: program.launch @add(
// FOUND-NEXT: program.launch @add_dot(

// There is no matrix instruction of f32, unless it may be rounded.
func.func @exact(%a: tensor<40x24xf32>, %b: tensor<24x48xf32>) -> tensor<40x48xf32> {
  %r = graph.add %a, %a : tensor<40x24xf32>
  %y = graph.dot %r, %b contract [1] x [0] : (tensor<40x24xf32>, tensor<24x48xf32>) -> tensor<40x48xf32>
  func.return %y : tensor<40x48xf32>
}

// CHECK: remark: has a kernel of its own: its products are not formed by matrix instructions; it is
// FOUND: program.func @exact
// FOUND-NEXT: program.launch @add_1(
// TF32: program.func @exact
// TF32-NEXT: program.launch @add_dot_1(
