// RUN: teeny-translate %s --to=llvmir | FileCheck %s

// From the graph floor to LLVM IR: one internal function a kernel, and the entry that calls it.
// CHECK:      define internal void @add(ptr {{.*}} %out, ptr {{.*}} %x) noinline {
// CHECK:        %[[P:[^ ]+]] = getelementptr inbounds float, ptr %x, i64 %{{[^ ]+}}
// CHECK-NEXT:   %[[V:[^ ]+]] = load float, ptr %[[P]], align 4
// CHECK:        fadd float %[[V]], 0x3FF0000000000000
// CHECK:      define void @main(ptr noalias readonly %buffers, ptr noalias readonly %dims, ptr %arena) {
// CHECK-NEXT: entry:
// CHECK:        call void @add(ptr %output, ptr %x)
// CHECK-NEXT:   ret void
func.func @main(%x: tensor<16xf32> {graph.name = "x"}) -> tensor<16xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %b = graph.broadcast %one axes [] : tensor<f32> -> tensor<16xf32>
  %y = graph.add %x, %b : tensor<16xf32>
  func.return %y : tensor<16xf32>
}
