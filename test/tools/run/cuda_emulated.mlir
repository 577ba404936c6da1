// A program as PTX in the emulator, compared with the interpreter; options of the target.
// RUN: teeny-run %s --target=cuda-emulated --compare=interpret --print | filecheck %s
// RUN: teeny-run %s --target=cuda-emulated{capability=sm_90} --input x=range --print | filecheck %s --check-prefix=RANGE
// RUN: teeny-run %s --target=cuda-emulated{tf32=true} --capability=sm-90 --print | filecheck %s
// RUN: not teeny-run %s --target=cuda-emulated{capability=80} --capability=90 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not teeny-run %s --capability=90 2>&1 | filecheck %s --check-prefix=CPU
// RUN: not teeny-run %s --target=cuda-emulated{capability=sm_9} 2>&1 | filecheck %s --check-prefix=ERROR

// CHECK: output
// RANGE: [0. 2. 4.]
// ERROR: no compute capability 'sm_9'; did you mean 'sm_90'?
// ERROR: note: there is sm_75, sm_80
// TWICE: option 'capability' is given twice
// CPU: 'cpu' has no option 'capability'
func.func @main(%x: tensor<3xf32> {graph.name = "x"}) -> tensor<3xf32> {
  %0 = graph.add %x, %x : tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
