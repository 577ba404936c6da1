// Wrong usage: exit code 2 and a suggestion.
// RUN: not teeny-opt %s --print-ir-dif 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not teeny-opt %s --canonicalise 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not teeny-opt %s -p cse --canonicalize 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not teeny-opt %s -p cse --target=cpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not teeny-opt %s --print-ir-after=csee 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not teeny-opt %s --remarks=mised 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not teeny-opt %s --remarks-filter='(' 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not teeny-opt %s --compile-to=attic 2>&1 | FileCheck %s --check-prefix=FLOOR
// RUN: not teeny-opt %s --target=cpi 2>&1 | FileCheck %s --check-prefix=NOTARGET
// RUN: not teeny-opt %s --verify-each=maybe 2>&1 | FileCheck %s --check-prefix=BOOL

func.func @f() {
  func.return
}

// FLAG:      error: unknown argument '--print-ir-dif'; did you mean '--print-ir-diff'?
// FLAG-NEXT: (try 'teeny-opt --help')

// PASS:      error: unknown argument '--canonicalise'; did you mean '--canonicalize'?
// PASS-NEXT: (try 'teeny-opt --help')

// BOTH:      error: give passes with -p or as flags, not both
// BOTH-NEXT: (try 'teeny-opt --help')

// TARGET:      error: --pass-pipeline and --compile-to/--target exclude each other
// TARGET-NEXT: (try 'teeny-opt --help')

// NAME:      error: --print-ir-after: unknown pass 'csee'; did you mean 'cse'?
// NAME-NEXT: (try 'teeny-opt --help')

// REMARK:      error: --remarks: unknown kind 'mised'; did you mean 'missed'?
// REMARK-NEXT: (try 'teeny-opt --help')

// FLOOR:      error: argument --compile-to: invalid choice: 'attic' (choose from 'graph', 'kernel', 'uop', 'machine')
// FLOOR-NEXT: (try 'teeny-opt --help')

// NOTARGET:      <pipeline>:1:1: error: unknown target 'cpi'; did you mean 'cpu'?
// NOTARGET-NEXT:   cpi
// NOTARGET-NEXT:   ^~~

// BOOL:      error: argument --verify-each: expected true or false, not 'maybe'
// BOOL-NEXT: (try 'teeny-opt --help')

// REGEX:      error: argument --remarks-filter: '(' is no regular expression: missing ), unterminated subpattern at position 0
// REGEX-NEXT: (try 'teeny-opt --help')
