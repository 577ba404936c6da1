// A plug-in brings a dialect, passes (as flags too) and a pipeline.
// RUN: teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-twice{only=plug.mark} --pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=STATISTICS
// RUN: teeny-opt %s --load-pass-plugin %S/Inputs/plugin.py --plug-count-ops=kinds=1,2 --dump-pass-pipeline 2>&1 | FileCheck %s
// RUN: not teeny-opt %s 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: not teeny-opt %s --load-plugin=nonesuch 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not teeny-opt %s --load-plugin=%t.py 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not teeny-opt %s --load-plugin=json 2>&1 | FileCheck %s --check-prefix=EMPTY

func.func @f() {
  plug.mark
  func.return
}

// STATISTICS:      ===---------------------------------------------------------------------------===
// STATISTICS-NEXT:                          ... Pass statistics report ...
// STATISTICS-NEXT: ===---------------------------------------------------------------------------===
// STATISTICS-NEXT: plug-count-ops
// STATISTICS-NEXT:          4 operations counted

// CHECK:      builtin.module(plug-count-ops{kinds=1,2})
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     plug.mark
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }

// WITHOUT:      {{.*}}/plugin.mlir:10:3: error: unknown operation 'plug.mark': there is no dialect 'plug'
// WITHOUT-NEXT:     plug.mark
// WITHOUT-NEXT:     ^~~~~~~~~

// MODULE:      error: the plug-in 'nonesuch' cannot be loaded: ModuleNotFoundError: No module named 'nonesuch'

// FILE:      error: the plug-in '{{.*}}/plugin.mlir.tmp.py' is no file

// EMPTY:      error: the plug-in 'json' defines none of DIALECTS, PASSES, PIPELINES, ORDER
