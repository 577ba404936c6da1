// Each thing that the verifiers of elementwise ops refuse, with message and place.
// RUN: teeny-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'graph.add': the operands are to have one type, got tensor<4xf32> and tensor<5xf32>}}
  %0 = "graph.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{'graph.mul': the operands are to have one type, got tensor<4xf32> and tensor<4xf16>}}
  %0 = "graph.mul"(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.exp': the result is to be tensor<4xf32>, got tensor<5xf32>}}
  %0 = "graph.exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{'graph.exp': takes floats, got tensor<4xi32>}}
  %0 = graph.exp %x : tensor<4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi1>) {
  // expected-error @+1 {{'graph.add': takes integers and floats, got tensor<4xi1>}}
  %0 = graph.add %x, %x : tensor<4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{'graph.div': takes floats, got tensor<4xi32>}}
  %0 = graph.div %x, %x : tensor<4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.and': takes booleans and integers, got tensor<4xf32>}}
  %0 = graph.and %x, %x : tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi1>) {
  // expected-error @+1 {{'graph.shl': takes integers, got tensor<4xi1>}}
  %0 = graph.shl %x, %x : tensor<4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4xf80>) {
  // expected-error @+1 {{f80 is not an element type of graph tensors (i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i2, i4, ui2, ui4, f4E2M1FN, f8E4M3FNUZ, f8E5M2FNUZ, f8E4M3B11FNUZ, f8E8M0FNU)}}
  %0 = graph.exp %x : tensor<4xf80>
  func.return
}

// -----

func.func @f(%x: tensor<4xsi32>) {
  // expected-error @+1 {{si32 is not an element type of graph tensors}}
  %0 = graph.abs %x : tensor<4xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{the dynamic extents of tensor<?xf32> need names: #graph.dims<[...]>}}
  %0 = graph.exp %x : tensor<?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32, #graph.dims<[N]>>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{the shape of tensor<4xf32, #graph.dims<[N]>> does not agree with its #graph.dims}}
  %0 = graph.exp %x : tensor<4xf32, #graph.dims<[N]>>
  func.return
}

// -----

func.func @f(%x: tensor<?x4xf32, #graph.dims<[N]>>) attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  // expected-error @+1 {{does not agree with its #graph.dims}}
  %0 = graph.exp %x : tensor<?x4xf32, #graph.dims<[N]>>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32, #graph.dims<[4]>>) {
  // expected-error @+1 {{does not agree with its #graph.dims}}
  %0 = graph.exp %x : tensor<4xf32, #graph.dims<[4]>>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32, 1 : i32>) {
  // expected-error @+1 {{the encoding of tensor<4xf32, 1 : i32> is not #graph.dims}}
  %0 = graph.exp %x : tensor<4xf32, 1 : i32>
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{operand 'operand' at position 0 does not verify: f32 should be of base attribute tensor}}
  %0 = "graph.exp"(%x) : (f32) -> f32
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'graph.compare': the operands are to have one type, got tensor<4xf32> and tensor<5xf32>}}
  %0 = "graph.compare"(%x, %y) <{predicate = "lt"}> : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.compare': no predicate 'ult', only eq, ne, lt, le, gt, ge}}
  %0 = "graph.compare"(%x, %x) <{predicate = "ult"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.compare': the result is to be tensor<4xi1>, got tensor<4xf32>}}
  %0 = "graph.compare"(%x, %x) <{predicate = "lt"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{(one of eq, ne, lt, le, gt, ge)}}
  %0 = graph.compare near %x, %x : tensor<4xf32>
  func.return
}

// -----

func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.select': the condition is to be tensor<4xi1>, got tensor<i1>}}
  %0 = "graph.select"(%c, %x, %x) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'graph.select': the operands are to have one type, got tensor<4xf32> and tensor<4xf64>}}
  %0 = "graph.select"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{'graph.cast': a cast keeps the extents, got tensor<4xf32> to tensor<2x2xf16>}}
  %0 = graph.cast %x : tensor<4xf32> to tensor<2x2xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{i3 is not an element type of graph tensors}}
  %0 = graph.cast %x : tensor<4xf32> to tensor<4xi3>
  func.return
}

// -----

func.func @too_large(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error @+1 {{[4294967296, 4294967296] are more elements than 64 bits can address}}
  %y = graph.exp %x : tensor<4294967296x4294967296xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi4>) {
  // expected-error @+1 {{'graph.add': i4 is for storage: cast tensor<4xi4> before}}
  %0 = graph.add %x, %x : tensor<4xi4>
  func.return
}

// -----

func.func @f(%x: tensor<4xf8E4M3FNUZ>) {
  // expected-error @+1 {{'graph.compare': f8E4M3FNUZ is for storage: cast tensor<4xf8E4M3FNUZ> before}}
  %0 = graph.compare lt %x, %x : tensor<4xf8E4M3FNUZ>
  func.return
}
