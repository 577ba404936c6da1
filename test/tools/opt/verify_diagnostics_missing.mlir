// `--verify-diagnostics` fails on a diagnostic that is missing and on one that is not announced.
// RUN: not teeny-opt %s --split-input-file --verify-diagnostics 2>&1 >/dev/null | FileCheck %s

// expected-error @below {{no such thing}}
func.func @f(%a: i32) -> i32 {
  func.return %a : i32
}

// -----

func.func @g(%a: i32) -> i32 {
  func.return %b : i32
}

// -----

// expected-warning @+2 {{undefined value}}
func.func @h(%a: i32) -> i32 {
  func.return %b : i32
}

// CHECK:      {{.*}}/verify_diagnostics_missing.mlir:4:4: error: expected error "no such thing" was not produced
// CHECK-NEXT:   // expected-error @below {{\{\{}}no such thing}}
// CHECK-NEXT:      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT: {{.*}}/verify_diagnostics_missing.mlir:12:15: error: unexpected error: use of undefined value '%b'
// CHECK-NEXT:     func.return %b : i32
// CHECK-NEXT:                 ^~
// CHECK-NEXT: {{.*}}/verify_diagnostics_missing.mlir:19:15: error: unexpected error: use of undefined value '%b'
// CHECK-NEXT:     func.return %b : i32
// CHECK-NEXT:                 ^~
// CHECK-NEXT: {{.*}}/verify_diagnostics_missing.mlir:17:4: error: expected warning "undefined value" was not produced
// CHECK-NEXT:   // expected-warning @+2 {{\{\{}}undefined value}}
// CHECK-NEXT:      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT: {{.*}}/verify_diagnostics_missing.mlir:23:21: error: expected error "\{\{" was not produced
// CHECK-NEXT:   // CHECK-NEXT:   // expected-error @below {{\{\{}}\{\{}}no such thing}}
// CHECK-NEXT:                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT: {{.*}}/verify_diagnostics_missing.mlir:32:21: error: expected warning "\{\{" was not produced
// CHECK-NEXT:   // CHECK-NEXT:   // expected-warning @+2 {{\{\{}}\{\{}}undefined value}}
// CHECK-NEXT:                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
