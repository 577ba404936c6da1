// Round trips of the elementwise ops, in the custom and in the generic form.
// RUN: teeny-opt %s | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// CHECK-LABEL: func.func @unary(
// CHECK:         %0 = graph.neg %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %1 = graph.abs %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %2 = graph.sign %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %3 = graph.exp %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %4 = graph.exp2 %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %5 = graph.log %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %6 = graph.log2 %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %7 = graph.sqrt %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %8 = graph.rsqrt %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %9 = graph.sin %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %10 = graph.cos %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %11 = graph.tanh %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %12 = graph.erf %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %13 = graph.floor %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %14 = graph.ceil %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %15 = graph.round %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %16 = graph.trunc %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @unary(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.neg %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %1 = graph.abs %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %2 = graph.sign %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %3 = graph.exp %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %4 = graph.exp2 %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %5 = graph.log %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %6 = graph.log2 %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %7 = graph.sqrt %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %8 = graph.rsqrt %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %9 = graph.sin %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %10 = graph.cos %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %11 = graph.tanh %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %12 = graph.erf %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %13 = graph.floor %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %14 = graph.ceil %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %15 = graph.round %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %16 = graph.trunc %x : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @binary(
// CHECK:         %0 = graph.add %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %1 = graph.sub %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %2 = graph.mul %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %3 = graph.div %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %4 = graph.floordiv %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %5 = graph.mod %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %6 = graph.pow %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %7 = graph.max %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %8 = graph.min %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %9 = graph.atan2 %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @binary(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %y: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.add %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %1 = graph.sub %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %2 = graph.mul %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %3 = graph.div %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %4 = graph.floordiv %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %5 = graph.mod %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %6 = graph.pow %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %7 = graph.max %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %8 = graph.min %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %9 = graph.atan2 %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @unsigned(
// CHECK:         %0 = graph.add %x, %y : tensor<3xui8>
// CHECK-NEXT:    %1 = graph.sub %x, %y : tensor<3xui8>
// CHECK-NEXT:    %2 = graph.mul %x, %y : tensor<3xui8>
// CHECK-NEXT:    %3 = graph.floordiv %x, %y : tensor<3xui8>
// CHECK-NEXT:    %4 = graph.mod %x, %y : tensor<3xui8>
// CHECK-NEXT:    %5 = graph.max %x, %y : tensor<3xui8>
// CHECK-NEXT:    %6 = graph.min %x, %y : tensor<3xui8>
// CHECK-NEXT:    %7 = graph.and %x, %y : tensor<3xui8>
// CHECK-NEXT:    %8 = graph.or %x, %y : tensor<3xui8>
// CHECK-NEXT:    %9 = graph.xor %x, %y : tensor<3xui8>
// CHECK-NEXT:    %10 = graph.shl %x, %y : tensor<3xui8>
// CHECK-NEXT:    %11 = graph.shr %x, %y : tensor<3xui8>
// CHECK-NEXT:    %12 = graph.not %x : tensor<3xui8>
func.func @unsigned(%x: tensor<3xui8>, %y: tensor<3xui8>) {
  %0 = graph.add %x, %y : tensor<3xui8>
  %1 = graph.sub %x, %y : tensor<3xui8>
  %2 = graph.mul %x, %y : tensor<3xui8>
  %3 = graph.floordiv %x, %y : tensor<3xui8>
  %4 = graph.mod %x, %y : tensor<3xui8>
  %5 = graph.max %x, %y : tensor<3xui8>
  %6 = graph.min %x, %y : tensor<3xui8>
  %7 = graph.and %x, %y : tensor<3xui8>
  %8 = graph.or %x, %y : tensor<3xui8>
  %9 = graph.xor %x, %y : tensor<3xui8>
  %10 = graph.shl %x, %y : tensor<3xui8>
  %11 = graph.shr %x, %y : tensor<3xui8>
  %12 = graph.not %x : tensor<3xui8>
  func.return
}

// CHECK-LABEL: func.func @bool(
// CHECK:         %0 = graph.and %x, %y : tensor<i1>
// CHECK-NEXT:    %1 = graph.or %x, %y : tensor<i1>
// CHECK-NEXT:    %2 = graph.xor %x, %y : tensor<i1>
// CHECK-NEXT:    %3 = graph.not %x : tensor<i1>
func.func @bool(%x: tensor<i1>, %y: tensor<i1>) {
  %0 = graph.and %x, %y : tensor<i1>
  %1 = graph.or %x, %y : tensor<i1>
  %2 = graph.xor %x, %y : tensor<i1>
  %3 = graph.not %x : tensor<i1>
  func.return
}

// CHECK-LABEL: func.func @elements(
// CHECK:         %0 = graph.add %a, %a : tensor<2xi8>
// CHECK-NEXT:    %1 = graph.add %b, %b : tensor<2xi16>
// CHECK-NEXT:    %2 = graph.add %c, %c : tensor<2xi32>
// CHECK-NEXT:    %3 = graph.add %d, %d : tensor<2xi64>
// CHECK-NEXT:    %4 = graph.add %e, %e : tensor<2xui16>
// CHECK-NEXT:    %5 = graph.add %f, %f : tensor<2xui32>
// CHECK-NEXT:    %6 = graph.add %g, %g : tensor<2xui64>
// CHECK-NEXT:    %7 = graph.add %h, %h : tensor<2xf16>
// CHECK-NEXT:    %8 = graph.add %i, %i : tensor<2xbf16>
// CHECK-NEXT:    %9 = graph.add %j, %j : tensor<2xf64>
func.func @elements(%a: tensor<2xi8>, %b: tensor<2xi16>, %c: tensor<2xi32>, %d: tensor<2xi64>, %e: tensor<2xui16>, %f: tensor<2xui32>, %g: tensor<2xui64>, %h: tensor<2xf16>, %i: tensor<2xbf16>, %j: tensor<2xf64>) {
  %0 = graph.add %a, %a : tensor<2xi8>
  %1 = graph.add %b, %b : tensor<2xi16>
  %2 = graph.add %c, %c : tensor<2xi32>
  %3 = graph.add %d, %d : tensor<2xi64>
  %4 = graph.add %e, %e : tensor<2xui16>
  %5 = graph.add %f, %f : tensor<2xui32>
  %6 = graph.add %g, %g : tensor<2xui64>
  %7 = graph.add %h, %h : tensor<2xf16>
  %8 = graph.add %i, %i : tensor<2xbf16>
  %9 = graph.add %j, %j : tensor<2xf64>
  func.return
}

// CHECK-LABEL: func.func @compare(
// CHECK:         %0 = graph.compare eq %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %1 = graph.compare ne %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %2 = graph.compare lt %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %3 = graph.compare le %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %4 = graph.compare gt %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %5 = graph.compare ge %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @compare(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %y: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.compare eq %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %1 = graph.compare ne %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %2 = graph.compare lt %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %3 = graph.compare le %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %4 = graph.compare gt %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  %5 = graph.compare ge %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @select(
// CHECK:         %0 = graph.select %c, %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @select(%c: tensor<?x4xi1, #graph.dims<[N, 4]>>, %x: tensor<?x4xf32, #graph.dims<[N, 4]>>, %y: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.select %c, %x, %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @cast(
// CHECK:         %0 = graph.cast %x : tensor<?x4xf32, #graph.dims<[N, 4]>> to tensor<?x4xui8, #graph.dims<[N, 4]>>
// CHECK-NEXT:    %1 = graph.cast %0 : tensor<?x4xui8, #graph.dims<[N, 4]>> to tensor<?x4xi1, #graph.dims<[N, 4]>>
func.func @cast(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.cast %x : tensor<?x4xf32, #graph.dims<[N, 4]>> to tensor<?x4xui8, #graph.dims<[N, 4]>>
  %1 = graph.cast %0 : tensor<?x4xui8, #graph.dims<[N, 4]>> to tensor<?x4xi1, #graph.dims<[N, 4]>>
  func.return
}

// CHECK-LABEL: func.func @attributes(
// CHECK:         %0 = graph.exp %x {note = "kept"} : tensor<?x4xf32, #graph.dims<[N, 4]>>
func.func @attributes(%x: tensor<?x4xf32, #graph.dims<[N, 4]>>) attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.exp %x {note = "kept"} : tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return
}
