// Types and attributes that are unknown: the place of the name, and the nearest one.
// RUN: not teeny-opt %s --split-input-file 2>&1 | FileCheck %s

func.func @f(%x: !kernel.bufff<[4] x f32>) {
  func.return
}

// CHECK:      {{.*}}:4:18: error: unknown type '!kernel.bufff'; did you mean 'kernel.buf'?
// CHECK-NEXT:   func.func @f(%x: !kernel.bufff<[4] x f32>) {
// CHECK-NEXT:                    ^~~~~~~~~~~~~

// -----

func.func @f(%x: tensor<?xf32, #graph.dim<[N]>>) {
  func.return
}

// CHECK:      {{.*}}:14:32: error: unknown attribute '#graph.dim'; did you mean 'graph.dims'?
// CHECK-NEXT:   func.func @f(%x: tensor<?xf32, #graph.dim<[N]>>) {
// CHECK-NEXT:                                  ^~~~~~~~~~

// -----

func.func @f(%x: !kernl.buf<[4] x f32>) {
  func.return
}

// CHECK:      {{.*}}:24:18: error: unknown type '!kernl.buf': there is no dialect 'kernl'; did you mean 'kernel'?
