// RUN: teeny-opt %s -p "graph-to-kernel{columns=true}" | grep -o "program.launch.*\|program.func @[a-z_]*\|kernel.store.*\|kernel.range.*" | FileCheck %s
// RUN: teeny-opt %s -p graph-to-kernel | grep -o "program.launch.*\|program.func @[a-z_]*" | FileCheck %s --check-prefix=ROWS
// RUN: teeny-opt %s -p "graph-to-kernel{columns=true}" --check-each -o /dev/null

// The loops are in another order where what is reduced along columns is then computed once.

func.func @centred(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %s = graph.reduce add %x axes [0] : tensor<32x16xf32> -> tensor<16xf32>
  %b = graph.broadcast %s axes [1] : tensor<16xf32> -> tensor<32x16xf32>
  %y = graph.sub %x, %b : tensor<32x16xf32>
  func.return %y : tensor<32x16xf32>
}

// The sums are a result too: the loop over columns stores them.
func.func @both(%x: tensor<32x16xf32>) -> (tensor<32x16xf32>, tensor<16xf32>) {
  %s = graph.reduce add %x axes [0] : tensor<32x16xf32> -> tensor<16xf32>
  %b = graph.broadcast %s axes [1] : tensor<16xf32> -> tensor<32x16xf32>
  %y = graph.sub %x, %b : tensor<32x16xf32>
  func.return %y, %s : tensor<32x16xf32>, tensor<16xf32>
}

// Runs of 64 numbers are read in order, of whatever there is.
func.func @channels(%x: tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>>) -> tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %s = graph.reduce max %x axes [0, 2, 3] : tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>> -> tensor<32xf32>
  %b = graph.broadcast %s axes [1] : tensor<32xf32> -> tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>>
  %y = graph.sub %x, %b : tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>>
  func.return %y : tensor<?x32x8x8xf32, #graph.dims<[N, 32, 8, 8]>>
}

// Too short runs, too many rows, rows too far apart, columns that do not fill vectors, any number.
func.func @short(%x: tensor<64x32x7x7xf32>) -> tensor<64x32x7x7xf32> {
  %s = graph.reduce max %x axes [0, 2, 3] : tensor<64x32x7x7xf32> -> tensor<32xf32>
  %b = graph.broadcast %s axes [1] : tensor<32xf32> -> tensor<64x32x7x7xf32>
  %y = graph.sub %x, %b : tensor<64x32x7x7xf32>
  func.return %y : tensor<64x32x7x7xf32>
}

func.func @tall(%x: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %s = graph.reduce add %x axes [0] : tensor<1024x64xf32> -> tensor<64xf32>
  %b = graph.broadcast %s axes [1] : tensor<64xf32> -> tensor<1024x64xf32>
  %y = graph.sub %x, %b : tensor<1024x64xf32>
  func.return %y : tensor<1024x64xf32>
}

func.func @wide(%x: tensor<16x1024xf32>) -> tensor<16x1024xf32> {
  %s = graph.reduce add %x axes [0] : tensor<16x1024xf32> -> tensor<1024xf32>
  %b = graph.broadcast %s axes [1] : tensor<1024xf32> -> tensor<16x1024xf32>
  %y = graph.sub %x, %b : tensor<16x1024xf32>
  func.return %y : tensor<16x1024xf32>
}

func.func @uneven(%x: tensor<100x60xf32>) -> tensor<100x60xf32> {
  %s = graph.reduce add %x axes [0] : tensor<100x60xf32> -> tensor<60xf32>
  %b = graph.broadcast %s axes [1] : tensor<60xf32> -> tensor<100x60xf32>
  %y = graph.sub %x, %b : tensor<100x60xf32>
  func.return %y : tensor<100x60xf32>
}

func.func @any(%x: tensor<?x16xf32, #graph.dims<[N, 16]>>) -> tensor<?x16xf32, #graph.dims<[N, 16]>> attributes {graph.symbols = #graph.symbols<[N in 1..]>} {
  %s = graph.reduce add %x axes [0] : tensor<?x16xf32, #graph.dims<[N, 16]>> -> tensor<16xf32>
  %b = graph.broadcast %s axes [1] : tensor<16xf32> -> tensor<?x16xf32, #graph.dims<[N, 16]>>
  %y = graph.sub %x, %b : tensor<?x16xf32, #graph.dims<[N, 16]>>
  func.return %y : tensor<?x16xf32, #graph.dims<[N, 16]>>
}

// Both rows and columns are reduced: whatever the order, one of them is computed again and again.
func.func @twice(%x: tensor<32x16xf32>) -> tensor<32x16xf32> {
  %s = graph.reduce add %x axes [0] : tensor<32x16xf32> -> tensor<16xf32>
  %b = graph.broadcast %s axes [1] : tensor<16xf32> -> tensor<32x16xf32>
  %t = graph.reduce add %x axes [1] : tensor<32x16xf32> -> tensor<32xf32>
  %c = graph.broadcast %t axes [0] : tensor<32xf32> -> tensor<32x16xf32>
  %y = graph.sub %b, %c : tensor<32x16xf32>
  func.return %y : tensor<32x16xf32>
}

// CHECK:      kernel.range 0 to 16
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.store %3, %out[%j, %i]
// CHECK-NEXT: program.func @centred
// CHECK-NEXT: program.launch @sum_32_sub(%output, %x)
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.store %3, %out_1[%j, %i]
// CHECK-NEXT: program.func @both
// CHECK-NEXT: program.launch @sum_32_sub_1(%output1, %output0, %x)
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to N
// CHECK-NEXT: kernel.range 0 to 8
// CHECK-NEXT: kernel.range 0 to 8
// CHECK-NEXT: kernel.range 0 to N
// CHECK-NEXT: kernel.range 0 to 8
// CHECK-NEXT: kernel.range 0 to 8
// CHECK-NEXT: kernel.store %3, %out[%j, %i, %k, %l]
// CHECK-NEXT: program.func @channels
// CHECK-NEXT: program.launch @max_sub(%output, %x)
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 64
// CHECK-NEXT: kernel.range 0 to 7
// CHECK-NEXT: kernel.range 0 to 7
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to 64
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 7
// CHECK-NEXT: kernel.range 0 to 7
// CHECK-NEXT: kernel.store %2, %out[%i, %j, %k, %l]
// CHECK-NEXT: program.func @short
// CHECK-NEXT: program.launch @max_64x7x7(%s, %x)
// CHECK-NEXT: program.launch @sub(%output, %x, %s)
// CHECK-NEXT: kernel.range 0 to 64
// CHECK-NEXT: kernel.range 0 to 1024
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to 1024
// CHECK-NEXT: kernel.range 0 to 64
// CHECK-NEXT: kernel.store %2, %out[%i, %j]
// CHECK-NEXT: program.func @tall
// CHECK-NEXT: program.launch @sum_1024(%s, %x)
// CHECK-NEXT: program.launch @sub_1(%output, %x, %s)
// CHECK-NEXT: kernel.range 0 to 1024
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.range 0 to 1024
// CHECK-NEXT: kernel.store %2, %out[%i, %j]
// CHECK-NEXT: program.func @wide
// CHECK-NEXT: program.launch @sum_16(%s, %x)
// CHECK-NEXT: program.launch @sub_2(%output, %x, %s)
// CHECK-NEXT: kernel.range 0 to 60
// CHECK-NEXT: kernel.range 0 to 100
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to 100
// CHECK-NEXT: kernel.range 0 to 60
// CHECK-NEXT: kernel.store %2, %out[%i, %j]
// CHECK-NEXT: program.func @uneven
// CHECK-NEXT: program.launch @sum_100(%s, %x)
// CHECK-NEXT: program.launch @sub_3(%output, %x, %s)
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.range 0 to N
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to N
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.store %2, %out[%i, %j]
// CHECK-NEXT: program.func @any
// CHECK-NEXT: program.launch @sum(%s, %x)
// CHECK-NEXT: program.launch @sub_4(%output, %x, %s)
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.store %1, %out[%i]
// CHECK-NEXT: kernel.range 0 to 16
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.range 0 to 32
// CHECK-NEXT: kernel.store %3, %out[%j, %i]
// CHECK-NEXT: program.func @twice
// CHECK-NEXT: program.launch @sum_16_1(%t, %x)
// CHECK-NEXT: program.launch @sum_32_sub_2(%output, %x, %t)

// ROWS:      program.func @centred
// ROWS-NEXT: program.launch @sum_32(%s, %x)
// ROWS-NEXT: program.launch @sub(%output, %x, %s)
// ROWS-NEXT: program.func @both
// ROWS-NEXT: program.launch @sum_32_1(%output1, %x)
// ROWS-NEXT: program.launch @sub_1(%output0, %x, %output1)
// ROWS-NEXT: program.func @channels
// ROWS-NEXT: program.launch @max(%s, %x)
// ROWS-NEXT: program.launch @sub_2(%output, %x, %s)
// ROWS-NEXT: program.func @short
// ROWS-NEXT: program.launch @max_64x7x7(%s, %x)
// ROWS-NEXT: program.launch @sub_3(%output, %x, %s)
// ROWS-NEXT: program.func @tall
// ROWS-NEXT: program.launch @sum_1024(%s, %x)
// ROWS-NEXT: program.launch @sub_4(%output, %x, %s)
// ROWS-NEXT: program.func @wide
// ROWS-NEXT: program.launch @sum_16(%s, %x)
// ROWS-NEXT: program.launch @sub_5(%output, %x, %s)
// ROWS-NEXT: program.func @uneven
// ROWS-NEXT: program.launch @sum_100(%s, %x)
// ROWS-NEXT: program.launch @sub_6(%output, %x, %s)
// ROWS-NEXT: program.func @any
// ROWS-NEXT: program.launch @sum(%s, %x)
// ROWS-NEXT: program.launch @sub_7(%output, %x, %s)
// ROWS-NEXT: program.func @twice
// ROWS-NEXT: program.launch @sum_32_2(%s, %x)
// ROWS-NEXT: program.launch @sum_16_sub(%output, %s, %x)
