// Remarks, by kind and by pattern.
// RUN: teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-count-ops --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=ALL
// RUN: teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-count-ops --remarks=passed,analysis --remarks-filter=func.return 2>&1 >/dev/null | FileCheck %s --check-prefix=SOME

func.func @f() {
  func.return
}

// ALL:      {{.*}}/remarks.mlir:5:1: remark: counted 'func.func' [plug-count-ops, analysis]
// ALL-NEXT:   func.func @f() {
// ALL-NEXT:   ^
// ALL-NEXT: {{.*}}/remarks.mlir:6:3: remark: counted 'func.return' [plug-count-ops, analysis]
// ALL-NEXT:     func.return
// ALL-NEXT:     ^
// ALL-NEXT: {{.*}}/remarks.mlir:5:1: remark: counted everything [plug-count-ops, passed]
// ALL-NEXT:   func.func @f() {
// ALL-NEXT:   ^
// ALL-NEXT: {{.*}}/remarks.mlir:5:1: remark: but changed nothing [plug-count-ops, missed]
// ALL-NEXT:   func.func @f() {
// ALL-NEXT:   ^

// SOME:      {{.*}}/remarks.mlir:6:3: remark: counted 'func.return' [plug-count-ops, analysis]
// SOME-NEXT:     func.return
// SOME-NEXT:     ^
