builtin.module {
  uop.func @sub(out %out: !uop.ptr<f32>, in %a: !uop.ptr<f32>, in %b: !uop.ptr<f32>) dims(%N: N in 1..64) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %N step %c1 {
      %0 = uop.load %a[%i] : f32
      %1 = uop.load %b[%i] : f32
      %2 = arith.subf %0, %1 : f32
      uop.store %2, %out[%i]
    } {uop.parallel}
  }
  program.func @main(in %a: !kernel.buf<[N] x f32>, in %b: !kernel.buf<[N] x f32>, out %output: !kernel.buf<[N] x f32>) dims(N in 1..64) attributes {program.names = ["a", "b", "output"]} {
    program.launch @sub(%output, %a, %b)
  }
}
