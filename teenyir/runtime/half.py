"""Conversions between f16 and f32 for hosts whose CPU has none.

LLVM calls `__extendhfsf2` and `__truncsfhf2` there, which a compiler's own library defines and no
shared one need have. The bit arithmetic is Fabian Giesen's ("Half to float done quick", 2012):
exact, rounding half to even, NaN kept.
"""

SYMBOLS = ("__extendhfsf2", "__truncsfhf2")

LLVM_IR = """
define float @__extendhfsf2(half %half) {
  %short = bitcast half %half to i16
  %bits = zext i16 %short to i32
  %size = and i32 %bits, 32767
  ; the exponent in its place, and its bias mended by a product, which denormals survive
  %placed = shl i32 %size, 13
  %small = bitcast i32 %placed to float
  %scaled = fmul float %small, 0x46F0000000000000
  %finite = bitcast float %scaled to i32
  %special = or i32 %finite, 2139095040
  %is_special = icmp uge i32 %size, 31744
  %chosen = select i1 %is_special, i32 %special, i32 %finite
  %sign = and i32 %bits, 32768
  %sign_placed = shl i32 %sign, 16
  %all = or i32 %chosen, %sign_placed
  %result = bitcast i32 %all to float
  ret float %result
}

define half @__truncsfhf2(float %single) {
  %bits = bitcast float %single to i32
  %size = and i32 %bits, 2147483647
  ; infinity from 65520 on, and NaN with its upper digits and the quiet bit
  %is_nan = icmp ugt i32 %size, 2139095040
  %digits = lshr i32 %size, 13
  %payload = and i32 %digits, 1023
  %nan = or i32 %payload, 32256
  %special = select i1 %is_nan, i32 %nan, i32 31744
  %is_special = icmp uge i32 %size, 1199566848
  ; a denormal is rounded by adding one half, whose last place is that of denormals
  %magnitude = bitcast i32 %size to float
  %sum = fadd float %magnitude, 5.0e-01
  %sum_bits = bitcast float %sum to i32
  %denormal = sub i32 %sum_bits, 1056964608
  %is_denormal = icmp ult i32 %size, 947912704
  ; a normal number is rounded half to even on its bits
  %last = and i32 %digits, 1
  %rebased = add i32 %size, -939520001
  %rounded = add i32 %rebased, %last
  %normal = lshr i32 %rounded, 13
  %finite = select i1 %is_denormal, i32 %denormal, i32 %normal
  %chosen = select i1 %is_special, i32 %special, i32 %finite
  %sign = lshr i32 %bits, 16
  %sign_placed = and i32 %sign, 32768
  %all = or i32 %chosen, %sign_placed
  %short = trunc i32 %all to i16
  %result = bitcast i16 %short to half
  ret half %result
}
"""
