// RUN: teeny-translate %s --to=dot | FileCheck %s
// RUN: teeny-translate %s --to=dot --compile-to=kernel | FileCheck %s --check-prefix=KERNEL

// CHECK:      digraph {
// CHECK:        subgraph cluster_n1 {
// CHECK-NEXT:     label="@main"
// CHECK-NEXT:     n2 [label="%x\ntensor<4x3xf32>", shape=ellipse]
// CHECK-NEXT:     n3 [label="func.return"]
// CHECK-NEXT:     subgraph cluster_n4 {
// CHECK-NEXT:       label="@permute\n48 bytes read, 48 written\n0 FLOPs"
// CHECK-NEXT:       n5 [label="graph.permute\npermutation [1, 0]\ntensor<3x4xf32>"]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   n5 -> n3
// CHECK-NEXT:   n2 -> n5
// CHECK-NEXT: }

// An edge goes from the launch to what it writes.
// KERNEL:     label="@main"
// KERNEL:     [[IN:n[0-9]+]] [label="%x
// KERNEL:     [[OUT:n[0-9]+]] [label="%output
// KERNEL:     [[LAUNCH:n[0-9]+]] [label="program.launch\nkernel @
// KERNEL:     [[LAUNCH]] -> [[OUT]]
// KERNEL:     [[IN]] -> [[LAUNCH]]
func.func @main(%x: tensor<4x3xf32> {graph.name = "x"}) -> tensor<3x4xf32> {
  %y = graph.permute %x [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
  func.return %y : tensor<3x4xf32>
}
