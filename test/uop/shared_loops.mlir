// RUN: teeny-opt %s --verify-roundtrip | filecheck %s
// RUN: teeny-translate %s --to=uops | filecheck %s --check-prefix=UOPS

// CHECK-LABEL: uop.func @f(
// CHECK:         %t = uop.thread %i
// CHECK:       } {uop.threads = #uop.threads<2, N floordiv 8 + 1>}
// UOPS:        scf.for {{.*}}%i = {{.*}}, 2 threads, N floordiv 8 + 1 iterations at least
uop.func @f(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>, scratch %s: !uop.ptr<f32>) dims(%N: N in 1..) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %N step %c1 {
    %t = uop.thread %i
    %v = uop.load %x[%i] : f32
    uop.store %v, %s[%t]
    %w = uop.load %s[%t] : f32
    uop.store %w, %y[%i]
  } {uop.threads = #uop.threads<2, N floordiv 8 + 1>}
}
