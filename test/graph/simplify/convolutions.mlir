// A batch normalization goes into the weights of the convolution before it, under fast-math: each row
// firing, and not firing (`_stays`) where the weights are an argument or something else needs the
// convolution.
// RUN: teeny-opt %s -p 'simplify-graph{fast-math=true},cse,dce' | filecheck %s

func.func @folded(%x: tensor<1x1x5xf32>) -> tensor<1x2x4xf32> {
  %w = graph.constant dense<[[[1.0, -2.0]], [[3.0, 0.5]]]> : tensor<2x1x2xf32>
  %biasc = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %bias = graph.broadcast %biasc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %meanc = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = graph.broadcast %meanc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %scalec = graph.constant dense<[2.0, -4.0]> : tensor<2xf32>
  %scale = graph.broadcast %scalec axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %shiftc = graph.constant dense<[0.5, 8.0]> : tensor<2xf32>
  %shift = graph.broadcast %shiftc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %y = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
  %p = graph.add %y, %bias : tensor<1x2x4xf32>
  %q = graph.sub %p, %mean : tensor<1x2x4xf32>
  %r = graph.mul %q, %scale : tensor<1x2x4xf32>
  %s = graph.add %r, %shift : tensor<1x2x4xf32>
  func.return %s : tensor<1x2x4xf32>
}

func.func @of_an_argument_stays(%x: tensor<1x1x5xf32>, %w: tensor<2x1x2xf32>) -> tensor<1x2x4xf32> {
  %biasc = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %bias = graph.broadcast %biasc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %meanc = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = graph.broadcast %meanc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %scalec = graph.constant dense<[2.0, -4.0]> : tensor<2xf32>
  %scale = graph.broadcast %scalec axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %shiftc = graph.constant dense<[0.5, 8.0]> : tensor<2xf32>
  %shift = graph.broadcast %shiftc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %y = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
  %p = graph.add %y, %bias : tensor<1x2x4xf32>
  %q = graph.sub %p, %mean : tensor<1x2x4xf32>
  %r = graph.mul %q, %scale : tensor<1x2x4xf32>
  %s = graph.add %r, %shift : tensor<1x2x4xf32>
  func.return %s : tensor<1x2x4xf32>
}

func.func @of_two_users_stays(%x: tensor<1x1x5xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %w = graph.constant dense<[[[1.0, -2.0]], [[3.0, 0.5]]]> : tensor<2x1x2xf32>
  %biasc = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %bias = graph.broadcast %biasc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %meanc = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = graph.broadcast %meanc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %scalec = graph.constant dense<[2.0, -4.0]> : tensor<2xf32>
  %scale = graph.broadcast %scalec axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %shiftc = graph.constant dense<[0.5, 8.0]> : tensor<2xf32>
  %shift = graph.broadcast %shiftc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
  %y = graph.conv %x, %w stride [1] pad [[0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
  %p = graph.add %y, %bias : tensor<1x2x4xf32>
  %q = graph.sub %p, %mean : tensor<1x2x4xf32>
  %r = graph.mul %q, %scale : tensor<1x2x4xf32>
  %s = graph.add %r, %shift : tensor<1x2x4xf32>
  func.return %s, %y : tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @folded(%x: tensor<1x1x5xf32>) -> tensor<1x2x4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<{{\[\[}}[2.000000e+00, -4.000000e+00]], {{\[\[}}-1.200000e+01, -2.000000e+00]]]> : tensor<2x1x2xf32>
// CHECK-NEXT:     %1 = graph.conv %x, %0 stride [1] pad {{\[\[}}0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:     %2 = graph.constant dense<[-5.000000e-01, 1.500000e+01]> : tensor<2xf32>
// CHECK-NEXT:     %3 = graph.broadcast %2 axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %s = graph.add %1, %3 : tensor<1x2x4xf32>
// CHECK-NEXT:     func.return %s : tensor<1x2x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @of_an_argument_stays(%x: tensor<1x1x5xf32>, %w: tensor<2x1x2xf32>) -> tensor<1x2x4xf32> {
// CHECK-NEXT:     %biasc = graph.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-NEXT:     %bias = graph.broadcast %biasc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %meanc = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %mean = graph.broadcast %meanc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %scalec = graph.constant dense<[2.000000e+00, -4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %scale = graph.broadcast %scalec axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %shiftc = graph.constant dense<[5.000000e-01, 8.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %shift = graph.broadcast %shiftc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %y = graph.conv %x, %w stride [1] pad {{\[\[}}0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:     %p = graph.add %y, %bias : tensor<1x2x4xf32>
// CHECK-NEXT:     %q = graph.sub %p, %mean : tensor<1x2x4xf32>
// CHECK-NEXT:     %r = graph.mul %q, %scale : tensor<1x2x4xf32>
// CHECK-NEXT:     %s = graph.add %r, %shift : tensor<1x2x4xf32>
// CHECK-NEXT:     func.return %s : tensor<1x2x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @of_two_users_stays(%x: tensor<1x1x5xf32>) -> (tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
// CHECK-NEXT:     %w = graph.constant dense<{{\[\[}}[1.000000e+00, -2.000000e+00]], {{\[\[}}3.000000e+00, 5.000000e-01]]]> : tensor<2x1x2xf32>
// CHECK-NEXT:     %biasc = graph.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-NEXT:     %bias = graph.broadcast %biasc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %meanc = graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %mean = graph.broadcast %meanc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %scalec = graph.constant dense<[2.000000e+00, -4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %scale = graph.broadcast %scalec axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %shiftc = graph.constant dense<[5.000000e-01, 8.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:     %shift = graph.broadcast %shiftc axes [1] : tensor<2xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT:     %y = graph.conv %x, %w stride [1] pad {{\[\[}}0, 0]] dilation [1] groups 1 : (tensor<1x1x5xf32>, tensor<2x1x2xf32>) -> tensor<1x2x4xf32>
// CHECK-NEXT:     %p = graph.add %y, %bias : tensor<1x2x4xf32>
// CHECK-NEXT:     %q = graph.sub %p, %mean : tensor<1x2x4xf32>
// CHECK-NEXT:     %r = graph.mul %q, %scale : tensor<1x2x4xf32>
// CHECK-NEXT:     %s = graph.add %r, %shift : tensor<1x2x4xf32>
// CHECK-NEXT:     func.return %s, %y : tensor<1x2x4xf32>, tensor<1x2x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
