// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What MLIR refuses of its llvm dialect, and xDSL does not.

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fpext': the result, f32, is not wider than f32}}
  %r = "llvm.fpext"(%v) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fpext': the result, f16, is not wider than f32}}
  %r = "llvm.fpext"(%v) : (f32) -> f16
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fpext': vector<4xf32> and vector<2xf64> differ in their number of elements}}
  %r = "llvm.fpext"(%vec) : (vector<4xf32>) -> vector<2xf64>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fpext': the operand is not a float, but i32}}
  %r = "llvm.fpext"(%i) : (i32) -> f64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fptrunc': the result, f64, is not narrower than f32}}
  %r = "llvm.fptrunc"(%v) : (f32) -> f64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.zext': the result, i32, is not wider than i32}}
  %r = "llvm.zext"(%i) : (i32) -> i32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.trunc': the result, i64, is not narrower than i32}}
  %r = "llvm.trunc"(%i) <{overflowFlags = #llvm.overflow<none>}> : (i32) -> i64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.sext': vector<4xi32> and i64 differ in their number of elements}}
  %r = "llvm.sext"(%ivec) : (vector<4xi32>) -> i64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.sitofp': the operand is not an integer, but f32}}
  %r = "llvm.sitofp"(%v) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.sitofp': vector<4xi32> and f32 differ in their number of elements}}
  %r = "llvm.sitofp"(%ivec) : (vector<4xi32>) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.fptosi': the operand is not a float, but i32}}
  %r = "llvm.fptosi"(%i) : (i32) -> i32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.bitcast': f32 and i64 are not of as many bits}}
  %r = "llvm.bitcast"(%v) : (f32) -> i64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.bitcast': !llvm.ptr and i64: a pointer stays a pointer}}
  %r = "llvm.bitcast"(%p) : (!llvm.ptr) -> i64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.bitcast': vector<4xf32> and i64 are not of as many bits}}
  %r = "llvm.bitcast"(%vec) : (vector<4xf32>) -> i64
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.icmp': there is no predicate 77}}
  %r = "llvm.icmp"(%i,%i) <{predicate = 77 : i64}> : (i32,i32) -> i1
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.icmp': there is no predicate -1}}
  %r = "llvm.icmp"(%i,%i) <{predicate = -1 : i64}> : (i32,i32) -> i1
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.mlir.constant': 1 : i32 is no constant of f32}}
  %r = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.mlir.constant': dense<1> : vector<4xi32> is no constant of vector<2xi32>}}
  %r = "llvm.mlir.constant"() <{value = dense<1> : vector<4xi32>}> : () -> vector<2xi32>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.mlir.constant': dense<1> : vector<4xi32> is no constant of vector<4xf32>}}
  %r = "llvm.mlir.constant"() <{value = dense<1> : vector<4xi32>}> : () -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.mlir.constant': 1.000000e+00 : f32 is no constant of vector<4xf32>}}
  %r = "llvm.mlir.constant"() <{value = 1.0 : f32}> : () -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.load': an alignment is a power of two, not 3}}
  %r = "llvm.load"(%p) <{ordering = 0 : i64, alignment = 3 : i64}> : (!llvm.ptr) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.load': an alignment is a power of two, not -4}}
  %r = "llvm.load"(%p) <{ordering = 0 : i64, alignment = -4 : i64}> : (!llvm.ptr) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.load': it has no ordering 99}}
  %r = "llvm.load"(%p) <{ordering = 99 : i64}> : (!llvm.ptr) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.load': it has no ordering 5}}
  %r = "llvm.load"(%p) <{ordering = 5 : i64}> : (!llvm.ptr) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.load': nothing of !llvm.void is in memory}}
  %r = "llvm.load"(%p) <{ordering = 0 : i64}> : (!llvm.ptr) -> !llvm.void
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  %u = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, f32)>
  // expected-error @below {{'llvm.extractvalue': there is nothing at [5] in !llvm.struct<(i32, f32)>}}
  %r = "llvm.extractvalue"(%u) <{position = array<i64: 5>}> : (!llvm.struct<(i32,f32)>) -> i32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  %u = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, f32)>
  // expected-error @below {{'llvm.extractvalue': i32 is there, not f32}}
  %r = "llvm.extractvalue"(%u) <{position = array<i64: 0>}> : (!llvm.struct<(i32,f32)>) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  %u = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, f32)>
  // expected-error @below {{'llvm.insertvalue': i32 is there, not f32}}
  %r = "llvm.insertvalue"(%u,%v) <{position = array<i64: 0>}> : (!llvm.struct<(i32,f32)>,f32) -> !llvm.struct<(i32,f32)>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.shufflevector': 2 lanes are chosen for vector<4xf32>}}
  %r = "llvm.shufflevector"(%vec,%vec) <{mask = array<i32: 0, 1>}> : (vector<4xf32>,vector<4xf32>) -> vector<4xf32>
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.br': passes (f32) to a block of (i32)}}
  "llvm.br"(%v)[^bb1] : (f32) -> ()
^bb1(%q: i32):
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.br': passes () to a block of (i32)}}
  "llvm.br"()[^bb1] : () -> ()
^bb1(%q: i32):
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.cond_br': passes (f32) to a block of (i32)}}
  "llvm.cond_br"(%b,%v)[^bb1,^bb2] <{operandSegmentSizes = array<i32: 1,1,0>}> : (i1,f32) -> ()
^bb1(%q: i32):
  llvm.return
^bb2:
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.call': passes (f32) to a function of (i32)}}
  %r = "llvm.call"(%v) <{callee = @g, operandSegmentSizes = array<i32: 1, 0>, op_bundle_sizes = array<i32>, fastmathFlags = #llvm.fastmath<none>, CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>}> : (f32) -> i32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.call': passes () to a function of (i32)}}
  %r = "llvm.call"() <{callee = @g, operandSegmentSizes = array<i32: 0, 0>, op_bundle_sizes = array<i32>, fastmathFlags = #llvm.fastmath<none>, CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>}> : () -> i32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.call': gives f32 of i32}}
  %r = "llvm.call"(%i) <{callee = @g, operandSegmentSizes = array<i32: 1, 0>, op_bundle_sizes = array<i32>, fastmathFlags = #llvm.fastmath<none>, CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>}> : (i32) -> f32
  llvm.return
}

// -----

llvm.func @g(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @f(%p: !llvm.ptr, %i: i32, %v: f32, %b: i1, %vec: vector<4xf32>, %ivec: vector<4xi32>) {
  // expected-error @below {{'llvm.mlir.addressof': there is no symbol @nope}}
  %r = "llvm.mlir.addressof"() <{global_name = @nope}> : () -> !llvm.ptr
  llvm.return
}
