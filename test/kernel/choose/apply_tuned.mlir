// RUN: teeny-opt %s -p "kernel.func(apply-tuned{database=%S/Inputs/tuned machine=golden})" | FileCheck %s
// RUN: teeny-opt %s -p "kernel.func(apply-tuned{database=%S/Inputs/tuned machine=golden})" --remarks -o /dev/null 2>&1 | grep -o "remark: .*" | FileCheck %s --check-prefix=REMARK

// It was found for a kernel with other names.
kernel.func @product(out %y: !kernel.buf<[100, 96] x f32>, in %a: !kernel.buf<[100, 70] x f32>, in %b: !kernel.buf<[70, 96] x f32>) {
  %i = kernel.range 0 to 100
  %j = kernel.range 0 to 96
  %k = kernel.range 0 to 70
  %x = kernel.load %a[%i, %k]
  %w = kernel.load %b[%k, %j]
  %p = arith.mulf %x, %w : f32
  %s = kernel.reduce %p over(%k) {kind = "add"}
  kernel.store %s, %y[%i, %j]
}

// What is stored names a range that there is none of.
kernel.func @other_range(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
  %i = kernel.range 0 to 64
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// What is stored is no schedule.
kernel.func @no_schedule(out %y: !kernel.buf<[65] x f32>, in %x: !kernel.buf<[65] x f32>) {
  %i = kernel.range 0 to 65
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// The file is cut short.
kernel.func @damaged(out %y: !kernel.buf<[66] x f32>, in %x: !kernel.buf<[66] x f32>) {
  %i = kernel.range 0 to 66
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// Rules were as fast.
kernel.func @by_rules(out %y: !kernel.buf<[67] x f32>, in %x: !kernel.buf<[67] x f32>) {
  %i = kernel.range 0 to 67
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// Nothing is stored.
kernel.func @unknown(out %y: !kernel.buf<[68] x f32>, in %x: !kernel.buf<[68] x f32>) {
  %i = kernel.range 0 to 68
  %v = kernel.load %x[%i]
  kernel.store %v, %y[%i]
}

// CHECK:      builtin.module {
// CHECK-NEXT:   kernel.func @product(out %out: !kernel.buf<[100, 96] x f32>, in %left: !kernel.buf<[100, 70] x f32>, in %right: !kernel.buf<[70, 96] x f32>) {
// CHECK-NEXT:     %no = kernel.range 0 to 6
// CHECK-NEXT:     %mo = kernel.range 0 to 20
// CHECK-NEXT:     %mu = kernel.range 0 to 5 unroll
// CHECK-NEXT:     %m = kernel.index %mo * 5 + %mu
// CHECK-NEXT:     %nv = kernel.range 0 to 16 vector
// CHECK-NEXT:     %n = kernel.index %no * 16 + %nv
// CHECK-NEXT:     %k = kernel.range 0 to 70
// CHECK-NEXT:     %x = kernel.load %left[%m, %k]
// CHECK-NEXT:     %nop = kernel.range 0 to 6
// CHECK-NEXT:     %kp = kernel.range 0 to 70
// CHECK-NEXT:     %nvp = kernel.range 0 to 16 vector
// CHECK-NEXT:     %n_1 = kernel.index %nop * 16 + %nvp
// CHECK-NEXT:     %w = kernel.load %right[%kp, %n_1]
// CHECK-NEXT:     %right_panel = kernel.stage %w[%nop, %kp, %nvp] over(%nop, %kp, %nvp) : !kernel.buf<[6, 70, 16] x f32, local>
// CHECK-NEXT:     %w_1 = kernel.load %right_panel[%no, %k, %nv]
// CHECK-NEXT:     %p = arith.mulf %x, %w_1 : f32
// CHECK-NEXT:     %s = kernel.reduce %p over(%k) {kind = "add"}
// CHECK-NEXT:     kernel.store %s, %out[%m, %n]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @other_range(out %y: !kernel.buf<[64] x f32>, in %x: !kernel.buf<[64] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 64
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @no_schedule(out %y: !kernel.buf<[65] x f32>, in %x: !kernel.buf<[65] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 65
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @damaged(out %y: !kernel.buf<[66] x f32>, in %x: !kernel.buf<[66] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 66
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @by_rules(out %y: !kernel.buf<[67] x f32>, in %x: !kernel.buf<[67] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 67
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   kernel.func @unknown(out %y: !kernel.buf<[68] x f32>, in %x: !kernel.buf<[68] x f32>) {
// CHECK-NEXT:     %i = kernel.range 0 to 68
// CHECK-NEXT:     %v = kernel.load %x[%i]
// CHECK-NEXT:     kernel.store %v, %y[%i]
// CHECK-NEXT:   }
// CHECK-NEXT: }

// REMARK:      remark: measured as 2.00 times as fast: split-range{range=m by=5 outer=mo inner=mu loads=clamped},split-range{range=n by=16 outer=no inner=nv loads=gated},set-kind{range=mu kind=unroll},set-kind{range=nv kind=vector},pack-buffer{buffer=right over=no,k,nv},order-ranges{order=no,mo} [apply-tuned, passed]
// REMARK-NEXT: remark: the stored schedule does not apply: @other_range has no range 'l'; there are i [apply-tuned, missed]
// REMARK-NEXT: remark: the stored schedule does not apply: 'tile' is not the name of a primitive with options [apply-tuned, missed]
// REMARK-NEXT: remark: e63b73e775095fe1fbeed116a9585dd5.json is damaged: it is not JSON [apply-tuned, missed]
// REMARK-NEXT: remark: what is chosen without measuring was as fast as any schedule tried [apply-tuned, missed]
// REMARK-NEXT: remark: no schedule is stored for it (fa1570a9cc212db60d4f9dac83b589f1) [apply-tuned, missed]
