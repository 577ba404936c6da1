"""The numbers behind `expand-math`: polynomials, split constants, and how good each function is.

The polynomials are minimax fits of our own, made by `test/uop/fit_math.py`, which prints this
table; each says what it approximates, where, and the largest error, relative to the function that
it is for. Constants are cut from their decimal expansions: a `_HI` part has few enough digits that
its product with the integers that it meets is exact, `_LO` is the rest.
"""

from __future__ import annotations

Polynomial = tuple[float, ...]
"""Coefficients from the constant term on, each a number of the type it is used in."""

# --- polynomials in f32 ---------------------------------------------------------------------------

# (exp(r) - 1 - r) / r^2 of r, |r| <= ln(2)/2; error 3.2e-09
EXP: Polynomial = (0.49999994, 0.166665167, 0.0416681021, 0.00836921297, 0.00138393149)

# (exp(2r) - 1) / r of r, |r| <= ln(2)/4; error 1.6e-08
EXP_OF_TWICE: Polynomial = (*(2.0, 1.99999499, 1.33332348, 0.66720587, 0.26772359, 0.0760673583),)

# (2^r - 1) / r of r, |r| <= 1/2; error 1.2e-08
EXP2: Polynomial = (
    *(0.693147182, 0.240225941, 0.0555036627),
    *(0.00962544605, 0.0013387932, 0.000133321111),
)

# (log(1 + f) - f + f^2/2) / f^3 of f, sqrt(1/2) <= 1 + f <= sqrt(2); error 1.6e-09
LOG: Polynomial = (
    *(0.333333135, -0.250001699, 0.20002225, -0.166592121, 0.14209424),
    *(-0.125522122, 0.121122412, -0.109034382, 0.0531654879),
)

# (sin(r) - r) / r^3 of r^2, |r| <= pi/4; error 4.0e-09
SIN: Polynomial = (-0.166666552, 0.00833218917, -0.00019518286)

# (cos(r) - 1 + r^2/2) / r^4 of r^2, |r| <= pi/4; error 1.1e-10
COS: Polynomial = (0.0416666456, -0.00138873013, 2.44306702e-05)

# (tanh(a) - a) / a^3 of a^2, a <= 0.625; error 4.9e-09
TANH: Polynomial = (-0.333332807, 0.133314058, -0.0537365079, 0.0206280984, -0.00569211319)

# -log(1 - erf(a)) / a - 1 of a, a <= 3.925; error 5.1e-09
ERFC: Polynomial = (
    *(0.128379166, 0.636619568, 0.102776304, -0.0191482976, -0.000167284627),
    *(0.00167185278, -0.000634296972, 0.000117706986, -9.22368326e-06),
)

# (atan(a) - a) / a^3 of a^2, a <= 1; error 3.5e-09
ATAN: Polynomial = (
    *(-0.333332986, 0.199985296, -0.142640159, 0.109508768, -0.0839926526),
    *(0.0578797981, -0.0310941357, 0.0108662751, -0.00178204046),
)

# --- polynomials in f64 ---------------------------------------------------------------------------

# log2((1 + s) / (1 - s)) / s of s^2, |s| <= (sqrt(2) - 1)^2; error 7.7e-14
POW_LOG2: Polynomial = (
    *(2.8853900817778495, 0.96179669411422597, 0.57707794211439756),
    *(0.41220927715721528, 0.31990469765905644, 0.28291424816421179),
)

# 2^r of r, |r| <= 1/2; error 1.9e-10
POW_EXP2: Polynomial = (
    *(0.99999999996164635, 0.69314718206243342, 0.24022651203025588, 0.055504095514324912),
    *(0.009618015058863014, 0.0013333118256724499, 0.00015474798107452281),
    1.5594345896045198e-05,
)

# --- constants ------------------------------------------------------------------------------------

LOG2_E = float.fromhex("0x1.715476p+0")
LOG2_E_LO = float.fromhex("0x1.4ae0cp-26")
"""What the one before lacks of log2(e)."""
LOG2_E_LESS_1 = float.fromhex("0x1.c551dap-2")
"""log2(e) - 1: most of what a product with log2(e) rounds away is kept by adding the number."""

LN2 = float.fromhex("0x1.62e43p-1")
"""Near enough where errors of n ln(2) are divided by 2^n, or by more."""
LN2_HI = float.fromhex("0x1.62e4p-1")
"""15 digits: exact times any exponent of an f32."""
LN2_LO = float.fromhex("0x1.7f7d1cp-20")

PI_HI, PI_LO = float.fromhex("0x1.921fb6p+1"), float.fromhex("-0x1.777a5cp-24")
HALF_PI_HI, HALF_PI_LO = float.fromhex("0x1.921fb6p+0"), float.fromhex("-0x1.777a5cp-25")

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
"""f64."""
QUARTER = float.fromhex("0x1.921fb54442d18p+0")
"""pi/2, in f64."""
QUARTER_HI = float.fromhex("0x1.921fb5p+0")
"""pi/2 in 25 digits of an f64: exact times integers below 2^28."""
QUARTER_LO = float.fromhex("0x1.110b4611a6263p-26")

TWO_OVER_PI_WORDS = (
    *(0x28BE60DB, 0x9391054A, 0x7F09D5F4, 0x7D4D3770),
    *(0x36D8A566, 0x4F10E410, 0x7F9458EA),
)
"""2/pi / 4 in binary, 32 digits a word, the first word just behind the point."""
