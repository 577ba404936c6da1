"""CUDA C from uop functions and the program that launches them: one file, for NVRTC or nvcc.

It is the printer of C (`c`) with another table: `CUDA_C` says what differs. What a GPU has besides
is in `cuda_c_ops`: ids of threads, barriers, shared memory, matrix instructions, wide accesses.
`cuda_c_entry` prints the program, as a table of launches in a comment and as a function of the host
that launches them; NVRTC, which knows no host, does not see that function.

    %t = uop.special thread.x      -->     const int64_t t = threadIdx.x;
    %a = uop.load %x[%t] : f32             const float a = x[t];
    uop.barrier                            __syncthreads();
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from teenyir.dialects import uop
from teenyir.lowering.render.c import named_functions, source_text
from teenyir.lowering.render.c_language import Language
from teenyir.lowering.render.c_rows import ROWS
from teenyir.lowering.render.c_statements import STATEMENTS
from teenyir.lowering.render.c_types import comment, words
from teenyir.lowering.render.cuda_c_entry import cuda_entry_text
from teenyir.lowering.render.cuda_c_ops import DEVICE_HELPERS, DEVICE_ROWS, DEVICE_STATEMENTS

_HEAD = """\
/* CUDA C++17. Compile it with --fmad=false, so that no two operations are fused. */
#ifdef __CUDACC_RTC__
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_C(number) number##ll
#define UINT64_C(number) number##ull
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#else
#include <math.h>
#include <stdint.h>
#endif
#define isunordered(a, b) (isnan(a) || isnan(b))
#define islessgreater(a, b) ((a) < (b) || (a) > (b))
"""

_RESERVED = words(
    "alignas alignof and and_eq asm bitand bitor catch char16_t char32_t class compl constexpr "
    "const_cast decltype delete dynamic_cast explicit export false friend mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast "
    "static_assert static_cast template this thread_local throw true try typeid typename using "
    "virtual wchar_t xor xor_eq threadIdx blockIdx blockDim gridDim warpSize dim3 min max umin "
    "umax llmin llmax ullmin ullmax clock clock64 rsqrt rsqrtf sincos sincosf sinpi cospi exp10 "
    "exp10f rcbrt erfinv erfcinv erfcx normcdf normcdfinv norm rnorm rhypot saturate mul24 "
    "umul24 mulhi stream error flag holds pointers pointer"
)
"""Words of C++, what CUDA declares for all code, and what the function of the host uses."""


def _kernel(func: uop.FuncOp, private: bool) -> str:
    """A program launches a kernel by its name, whether it is in the file or not."""
    _, block = func.launch or ((), (1,))
    threads = 1
    for size in block:
        threads *= size
    return f'extern "C" __global__ void __launch_bounds__({threads})'


def _note(func: uop.FuncOp) -> str:
    """How a kernel is launched."""
    grid, block = func.launch or ((1,), (1,))
    sizes = (", ".join(map(str, sizes)) for sizes in (grid, block))
    return comment(": grid [{}] block [{}]".format(*sizes))


CUDA_C = Language(
    name="CUDA C",
    head=_HEAD,
    restrict="__restrict__",
    kernel=_kernel,
    note=_note,
    rows={**ROWS, **DEVICE_ROWS},
    statements={**STATEMENTS, **DEVICE_STATEMENTS},
    inline="static __device__ __forceinline__",
    inline_index="[[maybe_unused]] static __host__ __device__ __forceinline__",
    helpers=DEVICE_HELPERS,
    reserved=_RESERVED,
)


def cuda_c_text(module: ModuleOp) -> str:
    """The CUDA C of a module of uop functions and programs.

    Kernels are `extern "C"`, and named as in the module but for names that mean something in C,
    CUDA or C++, which get `teeny_` before them. Raises PassError, at the op, for what CUDA C has no
    form for.
    """
    return source_text(module, CUDA_C, cuda_entry_text)


def cuda_c_symbols(module: ModuleOp) -> dict[str, str]:
    """By a function's name in the module its name in the CUDA C of it."""
    return named_functions(module, CUDA_C).symbols
