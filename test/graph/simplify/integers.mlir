// Powers of two, constants that meet, and what holds of integers: each row firing, and not firing (`_stays`).
// RUN: teeny-opt %s -p simplify-graph | filecheck %s

func.func @floordiv_power_of_two(%x: tensor<4xi8>) -> tensor<4xi8> {
  %dc = graph.constant dense<8> : tensor<i8>
  %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.floordiv %x, %d : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @mod_power_of_two(%x: tensor<4xui8>) -> tensor<4xui8> {
  %dc = graph.constant dense<16> : tensor<ui8>
  %d = graph.broadcast %dc axes [] : tensor<ui8> -> tensor<4xui8>
  %r = graph.mod %x, %d : tensor<4xui8>
  func.return %r : tensor<4xui8>
}

func.func @mod_power_of_two_signed(%x: tensor<4xi8>) -> tensor<4xi8> {
  %dc = graph.constant dense<16> : tensor<i8>
  %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.mod %x, %d : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @mod_three_stays(%x: tensor<4xi8>) -> tensor<4xi8> {
  %dc = graph.constant dense<3> : tensor<i8>
  %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.mod %x, %d : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @mod_minus_four_stays(%x: tensor<4xi8>) -> tensor<4xi8> {
  %dc = graph.constant dense<-4> : tensor<i8>
  %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
  %r = graph.mod %x, %d : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @floordiv_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<8.0> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.floordiv %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @div_power_of_two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<-8.0> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @div_three_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<3.0> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @div_great_power_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dc = graph.constant dense<1.7014118346046923e+38> : tensor<f32>
  %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.div %x, %d : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @constants_meet(%x: tensor<4xi8>) -> tensor<4xi8> {
  %ac = graph.constant dense<100> : tensor<i8>
  %a = graph.broadcast %ac axes [] : tensor<i8> -> tensor<4xi8>
  %bc = graph.constant dense<100> : tensor<i8>
  %b = graph.broadcast %bc axes [] : tensor<i8> -> tensor<4xi8>
  %s = graph.add %x, %a : tensor<4xi8>
  %r = graph.add %s, %b : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @constants_meet_and(%x: tensor<4xi8>) -> tensor<4xi8> {
  %ac = graph.constant dense<12> : tensor<i8>
  %a = graph.broadcast %ac axes [] : tensor<i8> -> tensor<4xi8>
  %bc = graph.constant dense<6> : tensor<i8>
  %b = graph.broadcast %bc axes [] : tensor<i8> -> tensor<4xi8>
  %s = graph.and %x, %a : tensor<4xi8>
  %r = graph.and %s, %b : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @constants_of_floats_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ac = graph.constant dense<1.0e+20> : tensor<f32>
  %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
  %bc = graph.constant dense<-1.0e+20> : tensor<f32>
  %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
  %s = graph.add %x, %a : tensor<4xf32>
  %r = graph.add %s, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @bounds_meet(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ac = graph.constant dense<-1.0> : tensor<f32>
  %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
  %bc = graph.constant dense<2.0> : tensor<f32>
  %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
  %s = graph.max %x, %a : tensor<4xf32>
  %r = graph.max %s, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @bounds_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  %ac = graph.constant dense<-1.0> : tensor<f32>
  %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
  %bc = graph.constant dense<2.0> : tensor<f32>
  %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
  %s = graph.max %x, %a : tensor<4xf32>
  %r = graph.min %s, %b : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @minus_itself(%x: tensor<4xi8>) -> tensor<4xi8> {
  %r = graph.sub %x, %x : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @xor_itself(%x: tensor<4xi8>) -> tensor<4xi8> {
  %r = graph.xor %x, %x : tensor<4xi8>
  func.return %r : tensor<4xi8>
}

func.func @minus_itself_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.sub %x, %x : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @pow_two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %pc = graph.constant dense<2.0> : tensor<f32>
  %p = graph.broadcast %pc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %p : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @pow_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %pc = graph.constant dense<-0.0> : tensor<f32>
  %p = graph.broadcast %pc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %p : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @pow_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %pc = graph.constant dense<-1.0> : tensor<f32>
  %p = graph.broadcast %pc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %p : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

func.func @pow_half_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %pc = graph.constant dense<0.5> : tensor<f32>
  %p = graph.broadcast %pc axes [] : tensor<f32> -> tensor<4xf32>
  %r = graph.pow %x, %p : tensor<4xf32>
  func.return %r : tensor<4xf32>
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @floordiv_power_of_two(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<3> : tensor<i8>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.shr %x, %1 : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @mod_power_of_two(%x: tensor<4xui8>) -> tensor<4xui8> {
// CHECK-NEXT:     %0 = graph.constant dense<15> : tensor<ui8>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<ui8> -> tensor<4xui8>
// CHECK-NEXT:     %r = graph.and %x, %1 : tensor<4xui8>
// CHECK-NEXT:     func.return %r : tensor<4xui8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @mod_power_of_two_signed(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<15> : tensor<i8>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.and %x, %1 : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @mod_three_stays(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %dc = graph.constant dense<3> : tensor<i8>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.mod %x, %d : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @mod_minus_four_stays(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %dc = graph.constant dense<-4> : tensor<i8>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.mod %x, %d : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @floordiv_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %dc = graph.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.floordiv %x, %d : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @div_power_of_two(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<-1.250000e-01> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.mul %x, %1 : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @div_three_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %dc = graph.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.div %x, %d : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @div_great_power_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %dc = graph.constant dense<1.70141183e+38> : tensor<f32>
// CHECK-NEXT:     %d = graph.broadcast %dc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.div %x, %d : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @constants_meet(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<-56> : tensor<i8>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.add %x, %1 : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @constants_meet_and(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<4> : tensor<i8>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     %r = graph.and %x, %1 : tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @constants_of_floats_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %ac = graph.constant dense<1.000000e+20> : tensor<f32>
// CHECK-NEXT:     %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %bc = graph.constant dense<-1.000000e+20> : tensor<f32>
// CHECK-NEXT:     %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %s = graph.add %x, %a : tensor<4xf32>
// CHECK-NEXT:     %r = graph.add %s, %b : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @bounds_meet(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.max %x, %1 : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @bounds_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %ac = graph.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %a = graph.broadcast %ac axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %bc = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:     %b = graph.broadcast %bc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %s = graph.max %x, %a : tensor<4xf32>
// CHECK-NEXT:     %r = graph.min %s, %b : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @minus_itself(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<0> : tensor<i8>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @xor_itself(%x: tensor<4xi8>) -> tensor<4xi8> {
// CHECK-NEXT:     %0 = graph.constant dense<0> : tensor<i8>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<i8> -> tensor<4xi8>
// CHECK-NEXT:     func.return %r : tensor<4xi8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @minus_itself_of_floats_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.sub %x, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @pow_two(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %r = graph.mul %x, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @pow_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %r = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @pow_minus_one(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %0 = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %1 = graph.broadcast %0 axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.div %1, %x : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.func @pow_half_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:     %pc = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:     %p = graph.broadcast %pc axes [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT:     %r = graph.pow %x, %p : tensor<4xf32>
// CHECK-NEXT:     func.return %r : tensor<4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
