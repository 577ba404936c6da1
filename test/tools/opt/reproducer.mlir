// A failing pass leaves a file that replays the failure.
// RUN: rm -f %t
// RUN: not teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p 'canonicalize,func.func(cse,plug-fail{how=xdsl})' --crash-reproducer=%t
// RUN: FileCheck %s --input-file=%t
// RUN: not teeny-opt --run-reproducer %t --load-plugin=%S/Inputs/plugin.py 2>&1 | FileCheck %s --check-prefix=REPLAY
// RUN: not teeny-opt --run-reproducer %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: rm -f %t
// RUN: teeny-opt %s -p cse --mlir-pass-pipeline-crash-reproducer=%t
// RUN: not ls %t

// CHECK:      // A reproducer: teeny-opt --run-reproducer --load-plugin={{.*}}/plugin.py reproducer.mlir.tmp
// CHECK-NEXT: // pipeline: builtin.module(func.func(plug-fail{how=xdsl}))
// CHECK-NEXT: // command: teeny-opt {{.*}} -p {{.*}}
// CHECK-NEXT: // versions: teenyir {{.*}}, xdsl {{.*}}, Python {{.*}}
// CHECK-NEXT: // error: {{.*}}/reproducer.mlir:{{.*}}: error: not like this
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32 loc(unknown)) -> i32 {
// CHECK-NEXT:     func.return %a : i32 loc("{{.*}}/reproducer.mlir":{{.*}})
// CHECK-NEXT:   } loc("{{.*}}/reproducer.mlir":{{.*}})
// CHECK-NEXT: } loc("{{.*}}/reproducer.mlir":{{.*}})
// REPLAY: {{.*}}/reproducer.mlir:{{.*}}: error: not like this
// REPLAY: note: in pass plug-fail on @f (#1)
// NONE: error: this is no reproducer: it has no line '// pipeline: ...'

func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %b = arith.addi %a, %zero : i32
  func.return %b : i32
}
