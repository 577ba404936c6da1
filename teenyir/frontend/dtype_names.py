"""The dtypes under the array API's names: `ty.float32`, `ty.bool`."""

from teenyir.dialects.dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT4_E2M1FN,
    FLOAT8_E4M3B11FNUZ,
    FLOAT8_E4M3FN,
    FLOAT8_E4M3FNUZ,
    FLOAT8_E5M2,
    FLOAT8_E5M2FNUZ,
    FLOAT8_E8M0FNU,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT2,
    INT4,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT2,
    UINT4,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)

bool = BOOL
int2, int4, int8, int16, int32, int64 = INT2, INT4, INT8, INT16, INT32, INT64
uint2, uint4, uint8, uint16, uint32, uint64 = UINT2, UINT4, UINT8, UINT16, UINT32, UINT64
float16, bfloat16, float32, float64 = FLOAT16, BFLOAT16, FLOAT32, FLOAT64
float8_e4m3fn, float8_e5m2 = FLOAT8_E4M3FN, FLOAT8_E5M2
float8_e4m3fnuz, float8_e5m2fnuz = FLOAT8_E4M3FNUZ, FLOAT8_E5M2FNUZ
float8_e4m3b11fnuz, float8_e8m0fnu = FLOAT8_E4M3B11FNUZ, FLOAT8_E8M0FNU
float4_e2m1fn = FLOAT4_E2M1FN
