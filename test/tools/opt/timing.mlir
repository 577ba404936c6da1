// Time by pass, with parsing, verifying and printing as rows of their own.
// RUN: teeny-opt %s -p 'cse,func.func(canonicalize)' --timing 2>&1 >/dev/null | FileCheck %s
// RUN: teeny-opt %s -p 'cse,func.func(canonicalize)' --timing-format=json 2>&1 >/dev/null | FileCheck %s --check-prefix=JSON
// RUN: teeny-opt %s -p 'cse,func.func(canonicalize)' --timing-format=chrome 2>&1 >/dev/null | FileCheck %s --check-prefix=CHROME

func.func @f() {
  func.return
}

func.func @g() {
  func.return
}

// CHECK:      ... Execution time report ...
// CHECK:      Total Execution Time: {{.*}} seconds
// CHECK:      ----Wall Time----  ----Name----
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)  parser}}
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)  verifier \(4 runs\)}}
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)  cse}}
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)  'func.func' pipeline \(2 runs\)}}
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)    canonicalize \(2 runs\)}}
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)  printer}}
// CHECK-NEXT: {{[0-9.]+ \(100.0%\)  Total}}

// JSON:      "name": "total",
// JSON:      "name": "'func.func' pipeline",
// JSON-NEXT: "wall": {{[0-9.e-]+}},
// JSON-NEXT: "runs": 2,
// JSON:      "name": "canonicalize",

// CHROME:      "traceEvents": [
// CHROME:      "name": "cse",
// CHROME-NEXT: "ph": "X",
