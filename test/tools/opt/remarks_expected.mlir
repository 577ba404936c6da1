// Remarks as expectations: what is not asked for need not be announced.
// RUN: teeny-opt %s --load-plugin=%S/Inputs/plugin.py -p plug-count-ops --remarks=missed --verify-diagnostics

func.func @f() {  // expected-remark {{but changed nothing [plug-count-ops, missed]}}
  func.return
}
