// RUN: teeny-opt %s -p "graph-to-kernel{apart=true}" --remarks -o %t 2>&1 | grep -o "remark: .*" | FileCheck %s
// RUN: teeny-opt %s -p "graph-to-kernel{apart=true}" | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=APART
// RUN: teeny-opt %s -p graph-to-kernel | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=ONE

// Two products, which one kernel adds: each has a kernel of its own, and the last adds both.

func.func @sum(%a: tensor<40x24xf16>, %b: tensor<24x48xf16>, %c: tensor<40x16xf16>, %d: tensor<16x48xf16>) -> tensor<40x48xf16> {
  %x = graph.dot %a, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  %y = graph.dot %c, %d contract [1] x [0] : (tensor<40x16xf16>, tensor<16x48xf16>) -> tensor<40x48xf16>
  %z = graph.add %x, %y : tensor<40x48xf16>
  func.return %z : tensor<40x48xf16>
}

// A product with a vector has no columns, and is formed beside the other one.
func.func @with_a_vector(%a: tensor<40x24xf16>, %b: tensor<24x48xf16>, %c: tensor<40x16xf16>, %d: tensor<16xf16>) -> tensor<40x48xf16> {
  %x = graph.dot %a, %b contract [1] x [0] : (tensor<40x24xf16>, tensor<24x48xf16>) -> tensor<40x48xf16>
  %y = graph.dot %c, %d contract [1] x [0] : (tensor<40x16xf16>, tensor<16xf16>) -> tensor<40xf16>
  %w = graph.broadcast %y axes [0] : tensor<40xf16> -> tensor<40x48xf16>
  %z = graph.add %x, %w : tensor<40x48xf16>
  func.return %z : tensor<40x48xf16>
}

// CHECK: remark: has a kernel of its own: its kernel forms the products of other matrices

// APART: program.func @sum
// APART-NEXT: program.launch @dot(
// APART-NEXT: program.launch @dot_add(
// APART-NEXT: program.func @with_a_vector

// ONE: program.func @sum
// ONE-NEXT: program.launch @dot_add(
// ONE-NEXT: program.func @with_a_vector
