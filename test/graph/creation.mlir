// Round trips of the ops without operands, in the custom and in the generic form.
// RUN: teeny-opt %s | filecheck %s
// RUN: teeny-opt %s --print-op-generic | teeny-opt | filecheck %s

// CHECK-LABEL: func.func @constant(
// CHECK:         %0 = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %1 = graph.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT:    %2 = graph.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
// CHECK-NEXT:    %3 = graph.constant dense<255> : tensor<ui8>
// CHECK-NEXT:    %4 = graph.constant dense<0xff800000> : tensor<f32>
// CHECK-NEXT:    %5 = graph.constant dense<[0x7fc0, 0xff80]> : tensor<2xbf16>
// CHECK-NEXT:    %6 = graph.constant dense<-0.000000e+00> : tensor<3xf16>
// CHECK-NEXT:    %7 = graph.constant dense<> : tensor<0x3xf64>
// CHECK-NEXT:    %8 = graph.constant {note = "kept"} dense<1> : tensor<i64>
func.func @constant() {
  %0 = graph.constant dense<1.000000e+00> : tensor<f32>
  %1 = graph.constant dense<[true, false]> : tensor<2xi1>
  %2 = graph.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>
  %3 = graph.constant dense<255> : tensor<ui8>
  %4 = graph.constant dense<0xff800000> : tensor<f32>
  %5 = graph.constant dense<[0x7fc0, 0xff80]> : tensor<2xbf16>
  %6 = graph.constant dense<-0.000000e+00> : tensor<3xf16>
  %7 = graph.constant dense<> : tensor<0x3xf64>
  %8 = graph.constant {note = "kept"} dense<1> : tensor<i64>
  func.return
}

// CHECK-LABEL: func.func @iota(
// CHECK:         %0 = graph.iota axis 0 : tensor<?x4xi32, #graph.dims<[N floordiv 2 + 1, 4]>>
// CHECK-NEXT:    %1 = graph.iota axis 1 : tensor<2x3xf32>
func.func @iota() attributes {graph.symbols = #graph.symbols<[N in 1..1024 step 8]>} {
  %0 = graph.iota axis 0 : tensor<?x4xi32, #graph.dims<[N floordiv 2 + 1, 4]>>
  %1 = graph.iota axis 1 : tensor<2x3xf32>
  func.return
}
