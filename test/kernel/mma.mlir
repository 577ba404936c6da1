// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop --verify-roundtrip | filecheck %s --check-prefix=UOP
// RUN: teeny-opt %s -p kernel-to-uop --check-each -o %t

// A matrix instruction closes the elements of its factors and the loop, and opens those of the sum.

// CHECK-LABEL: kernel.func @product
// CHECK: %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}

// UOP-LABEL: uop.func @product
// UOP:       %m, %m_1, %m_2, %m_3 = scf.for %k = {{.*}} iter_args({{.*}}) -> (f32, f32, f32, f32) {
// UOP:         %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = uop.mma (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) (%{{.*}}, %{{.*}}) (%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {shape = "m16n8k8", type = "f16"}
// UOP-NEXT:    scf.yield
kernel.func @product(out %y: !kernel.buf<[16, 8] x f32>, in %x: !kernel.buf<[16, 32] x f16>, in %w: !kernel.buf<[32, 8] x f16>) {
  %t = kernel.range 0 to 32 thread.x
  %k = kernel.range 0 to 4
  %p = kernel.range 0 to 4 unroll
  %q = kernel.range 0 to 2 unroll
  %r = kernel.range 0 to 4 unroll
  %a = kernel.load %x[%t floordiv 4 + %p floordiv 2 * 8, %k * 8 + %t mod 4 * 2 + %p mod 2]
  %v = kernel.load %w[%k * 8 + %t mod 4 * 2 + %q, %t floordiv 4]
  %m = kernel.mma %a(%p), %v(%q) over(%k) as(%r) {shape = "m16n8k8", type = "f16"}
  kernel.store %m, %y[%t floordiv 4 + %r floordiv 2 * 8, %t mod 4 * 2 + %r mod 2]
}
