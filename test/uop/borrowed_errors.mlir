// RUN: teeny-opt %s --split-input-file --verify-diagnostics

// What MLIR refuses of arith, scf and vector, and xDSL does not.

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.extf': the result, f32, is not wider than f32}}
  %r = arith.extf %v : f32 to f32
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.extf': the result, f16, is not wider than f32}}
  %r = arith.extf %v : f32 to f16
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.extf': vector<4xf32> and f64 differ in their number of elements}}
  %r = "arith.extf"(%vec) : (vector<4xf32>) -> f64
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.extf': vector<4xf32> and vector<2xf64> differ in their number of elements}}
  %r = "arith.extf"(%vec) : (vector<4xf32>) -> vector<2xf64>
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.extf': the result, vector<4xf16>, is not wider than vector<4xf32>}}
  %r = "arith.extf"(%vec) : (vector<4xf32>) -> vector<4xf16>
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.truncf': the result, f64, is not narrower than f32}}
  %r = arith.truncf %v : f32 to f64
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.truncf': the result, f32, is not narrower than f32}}
  %r = arith.truncf %v : f32 to f32
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.truncf': f32 and vector<4xf16> differ in their number of elements}}
  %r = "arith.truncf"(%v) : (f32) -> vector<4xf16>
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.bitcast': an index has no bits of its own: use arith.index_cast}}
  %r = arith.bitcast %c0 : index to i64
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.bitcast': an index has no bits of its own: use arith.index_cast}}
  %r = arith.bitcast %v : f32 to index
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.cmpf': there is no predicate 99}}
  %r = "arith.cmpf"(%v,%v) <{predicate = 99 : i64, fastmath = #arith.fastmath<none>}> : (f32,f32) -> i1
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.cmpf': there is no predicate -1}}
  %r = "arith.cmpf"(%v,%v) <{predicate = -1 : i64, fastmath = #arith.fastmath<none>}> : (f32,f32) -> i1
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.cmpi': there is no predicate 99}}
  %r = "arith.cmpi"(%i,%i) <{predicate = 99 : i64}> : (i32,i32) -> i1
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.cmpi': a predicate is an integer of 64 bits, not 2 : i32}}
  %r = "arith.cmpi"(%i,%i) <{predicate = 2 : i32}> : (i32,i32) -> i1
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'arith.cmpi': i32 is not compared with i64}}
  %r = "arith.cmpi"(%i,%j) <{predicate = 1 : i64}> : (i32,i64) -> i1
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'vector.extract': there is no element 7 in vector<4xf32>}}
  %r = "vector.extract"(%vec) <{static_position = array<i64: 7>}> : (vector<4xf32>) -> f32
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'vector.insert': there is no element 9 in vector<4xf32>}}
  %r = "vector.insert"(%v,%vec) <{static_position = array<i64: 9>}> : (f32,vector<4xf32>) -> vector<4xf32>
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'scf.for': the step of a loop is positive, not 0}}
  "scf.for"(%c0,%c1,%c0) ({ ^bb0(%q: index): "scf.yield"() : () -> () }) : (index,index,index) -> ()
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'scf.if': both sides yield values of the types of its results}}
  %r = "scf.if"(%b) ({ "scf.yield"(%v) : (f32) -> () }, {"scf.yield"(%i) : (i32) -> ()}) : (i1) -> f32
}

// -----

uop.func @f(out %out: !uop.ptr<f32>, in %x: !uop.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = uop.load %x[%c0] : f32
  %vec = uop.load %x[%c0] : vector<4xf32>
  %i = arith.constant 5 : i32
  %j = arith.constant 5 : i64
  %b = arith.constant true
  // expected-error @below {{'scf.if': both sides yield values of the types of its results}}
  %r = "scf.if"(%b) ({ "scf.yield"(%v) : (f32) -> () }, {}) : (i1) -> f32
}
