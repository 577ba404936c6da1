// RUN: teeny-translate %s --to=dot | filecheck %s

// The ops of each kernel in a cluster, with what a launch of it costs. A broadcast makes no code of
// its own: it is with its user.
func.func @main(%x: tensor<?x64xf32, #graph.dims<[N, 64]>> {graph.name = "x"}, %w: tensor<64x4xf32> {graph.name = "w"}) -> tensor<?x4xf32, #graph.dims<[N, 4]>> attributes {graph.symbols = #graph.symbols<[N in 1..1024]>} {
  %e = graph.exp %x : tensor<?x64xf32, #graph.dims<[N, 64]>>
  %s = graph.reduce add %e axes [1] : tensor<?x64xf32, #graph.dims<[N, 64]>> -> tensor<?xf32, #graph.dims<[N]>>
  %b = graph.broadcast %s axes [0] : tensor<?xf32, #graph.dims<[N]>> -> tensor<?x64xf32, #graph.dims<[N, 64]>>
  %p = graph.div %e, %b : tensor<?x64xf32, #graph.dims<[N, 64]>>
  %t = graph.reduce max %p axes [0] : tensor<?x64xf32, #graph.dims<[N, 64]>> -> tensor<64xf32>
  %tb = graph.broadcast %t axes [1] : tensor<64xf32> -> tensor<?x64xf32, #graph.dims<[N, 64]>>
  %q = graph.mul %p, %tb : tensor<?x64xf32, #graph.dims<[N, 64]>>
  %y = graph.dot %q, %w contract [1] x [0] : (tensor<?x64xf32, #graph.dims<[N, 64]>>, tensor<64x4xf32>) -> tensor<?x4xf32, #graph.dims<[N, 4]>>
  func.return %y : tensor<?x4xf32, #graph.dims<[N, 4]>>
}

// CHECK:      digraph {
// CHECK-NEXT:   node [shape=box, fontname="monospace", fontsize=10]
// CHECK-NEXT:   subgraph cluster_n1 {
// CHECK-NEXT:     label="@main"
// CHECK-NEXT:     n2 [label="%x\ntensor<?x64xf32, #graph.dims<[N, 64]>>", shape=ellipse]
// CHECK-NEXT:     n3 [label="%w\ntensor<64x4xf32>", shape=ellipse]
// CHECK-NEXT:     n4 [label="func.return"]
// CHECK-NEXT:     subgraph cluster_n5 {
// CHECK-NEXT:       label="@exp_sum_64_div\nN * 256 bytes read, N * 256 written\nN * 192 FLOPs"
// CHECK-NEXT:       n6 [label="graph.exp\ntensor<?x64xf32, #graph.dims<[N, 64]>>"]
// CHECK-NEXT:       n7 [label="graph.reduce\nkind \"add\"\naxes [1]\ntensor<?xf32, #graph.dims<[N]>>"]
// CHECK-NEXT:       n8 [label="graph.broadcast\naxes [0]\ntensor<?x64xf32, #graph.dims<[N, 64]>>"]
// CHECK-NEXT:       n9 [label="graph.div\ntensor<?x64xf32, #graph.dims<[N, 64]>>"]
// CHECK-NEXT:     }
// CHECK-NEXT:     subgraph cluster_n10 {
// CHECK-NEXT:       label="@max\nN * 256 bytes read, 256 written\nN * 64 FLOPs"
// CHECK-NEXT:       n11 [label="graph.reduce\nkind \"max\"\naxes [0]\ntensor<64xf32>"]
// CHECK-NEXT:     }
// CHECK-NEXT:     subgraph cluster_n12 {
// CHECK-NEXT:       label="@mul\nN * 256 + 256 bytes read, N * 256 written\nN * 64 FLOPs"
// CHECK-NEXT:       n13 [label="graph.broadcast\naxes [1]\ntensor<?x64xf32, #graph.dims<[N, 64]>>"]
// CHECK-NEXT:       n14 [label="graph.mul\ntensor<?x64xf32, #graph.dims<[N, 64]>>"]
// CHECK-NEXT:     }
// CHECK-NEXT:     subgraph cluster_n15 {
// CHECK-NEXT:       label="@dot\nN * 256 + 1024 bytes read, N * 16 written\nN * 512 FLOPs"
// CHECK-NEXT:       n16 [label="graph.dot\nlhs_contract [1]\nrhs_contract [0]\ntensor<?x4xf32, #graph.dims<[N, 4]>>"]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   n16 -> n4
// CHECK-NEXT:   n2 -> n6
// CHECK-NEXT:   n6 -> n7
// CHECK-NEXT:   n7 -> n8
// CHECK-NEXT:   n6 -> n9
// CHECK-NEXT:   n8 -> n9
// CHECK-NEXT:   n9 -> n11
// CHECK-NEXT:   n11 -> n13
// CHECK-NEXT:   n9 -> n14
// CHECK-NEXT:   n13 -> n14
// CHECK-NEXT:   n14 -> n16
// CHECK-NEXT:   n3 -> n16
// CHECK-NEXT: }
