// `--verify-diagnostics`, where every diagnostic is announced, and nothing else is.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// expected-error @+2 {{use of undefined value '%b'}}
func.func @f(%a: i32) -> i32 {
  func.return %b : i32
}

// -----

func.func @g(%a: i32) -> i32 {
  func.return %a, %a : i32, i32
  // expected-error @above {{'func.return': Expected arguments}}
}

// -----

func.func @h(%a: i32) -> i32 {
  func.return %b : i32  // expected-error-re {{use of undefined value '{{%[a-z]}}'}}
}

// -----

func.func @i(%a: i32) -> i32 {
  // expected-error @below {{operand #0 (%c) is not visible here}}
  %b = arith.addi %c, %a : i32
  // expected-note @below {{defined here}}
  %c = arith.addi %a, %a : i32
  func.return %b : i32
}
