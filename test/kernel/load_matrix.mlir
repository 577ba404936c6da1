// RUN: teeny-opt %s | teeny-opt | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s
// RUN: teeny-opt %s -p kernel-to-uop --verify-roundtrip | filecheck %s --check-prefix=UOP
// RUN: teeny-opt %s -p kernel-to-uop --check-each -o %t

// Each lane says where a row of 16 bytes starts, and gets its part of the matrices; barriers stand
// between what all threads write and what they read.

// CHECK-LABEL: kernel.func @turned
// CHECK: %m = kernel.load_matrix %s[%t mod 16, 0] as(%i, %e) transposed

// UOP-LABEL: uop.func @turned
// UOP:       scf.for
// UOP:         uop.barrier
// UOP-NEXT:    uop.store %{{.*}}, %s
// UOP:         uop.barrier
// UOP-NEXT:    %m, %m_1, %m_2, %m_3 = uop.load_matrix %s[%{{.*}}] transposed : 4 x f16
kernel.func @turned(out %y: !kernel.buf<[4, 2, 2, 32] x f16>, in %x: !kernel.buf<[4, 16, 8] x f16>) {
  %k = kernel.range 0 to 4
  %tt = kernel.range 0 to 32 thread.x
  %l = kernel.range 0 to 4 unroll
  %t = kernel.range 0 to 32 thread.x
  %i = kernel.range 0 to 2 unroll
  %e = kernel.range 0 to 2 unroll
  %v = kernel.load %x[%k, %tt floordiv 8 + %l * 4, %tt mod 8]
  %s = kernel.stage %v[%tt floordiv 8 + %l * 4, %tt mod 8] over(%tt, %l) : !kernel.buf<[16, 8] x f16, shared>
  %m = kernel.load_matrix %s[%t mod 16, 0] as(%i, %e) transposed
  kernel.store %m, %y[%k, %i, %e, %t]
}
