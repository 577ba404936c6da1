"""The dtypes under the array API's names: `ty.float32`, `ty.bool`."""

from teenyir.dialects.dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)

bool = BOOL
int8, int16, int32, int64 = INT8, INT16, INT32, INT64
uint8, uint16, uint32, uint64 = UINT8, UINT16, UINT32, UINT64
float16, bfloat16, float32, float64 = FLOAT16, BFLOAT16, FLOAT32, FLOAT64
