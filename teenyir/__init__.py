"""Compiler infrastructure you can read: a tensor program walks down a tower of SSA dialects.

    import teenyir as ty

Everything here is imported when it is first used: `import teenyir` alone loads nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from teenyir import emulator as emulator
    from teenyir.diagnostics import CompileError as CompileError
    from teenyir.diagnostics import Diagnostic as Diagnostic
    from teenyir.frontend import array as array
    from teenyir.frontend import nn as nn
    from teenyir.frontend import random as random
    from teenyir.frontend.activations import celu as celu
    from teenyir.frontend.activations import elu as elu
    from teenyir.frontend.activations import gelu as gelu
    from teenyir.frontend.activations import glu as glu
    from teenyir.frontend.activations import hardsigmoid as hardsigmoid
    from teenyir.frontend.activations import hardswish as hardswish
    from teenyir.frontend.activations import hardtanh as hardtanh
    from teenyir.frontend.activations import leaky_relu as leaky_relu
    from teenyir.frontend.activations import logsigmoid as logsigmoid
    from teenyir.frontend.activations import mish as mish
    from teenyir.frontend.activations import prelu as prelu
    from teenyir.frontend.activations import relu as relu
    from teenyir.frontend.activations import relu6 as relu6
    from teenyir.frontend.activations import selu as selu
    from teenyir.frontend.activations import sigmoid as sigmoid
    from teenyir.frontend.activations import silu as silu
    from teenyir.frontend.activations import softplus as softplus
    from teenyir.frontend.activations import softsign as softsign
    from teenyir.frontend.arrangement import atleast_1d as atleast_1d
    from teenyir.frontend.arrangement import broadcast_arrays as broadcast_arrays
    from teenyir.frontend.arrangement import broadcast_shapes as broadcast_shapes
    from teenyir.frontend.arrangement import diagonal as diagonal
    from teenyir.frontend.arrangement import eye as eye
    from teenyir.frontend.arrangement import isclose as isclose
    from teenyir.frontend.arrangement import linspace as linspace
    from teenyir.frontend.arrangement import meshgrid as meshgrid
    from teenyir.frontend.arrangement import repeat as repeat
    from teenyir.frontend.arrangement import result_type as result_type
    from teenyir.frontend.arrangement import roll as roll
    from teenyir.frontend.arrangement import split as split
    from teenyir.frontend.arrangement import swapaxes as swapaxes
    from teenyir.frontend.arrangement import tile as tile
    from teenyir.frontend.arrangement import tril as tril
    from teenyir.frontend.arrangement import triu as triu
    from teenyir.frontend.arrangement import unstack as unstack
    from teenyir.frontend.attention import attention_weights as attention_weights
    from teenyir.frontend.attention import (
        scaled_dot_product_attention as scaled_dot_product_attention,
    )
    from teenyir.frontend.bits import bitcast as bitcast
    from teenyir.frontend.bits import copysign as copysign
    from teenyir.frontend.bits import fmod as fmod
    from teenyir.frontend.bits import nextafter as nextafter
    from teenyir.frontend.bits import signbit as signbit
    from teenyir.frontend.bits import view as view
    from teenyir.frontend.control import cond as cond
    from teenyir.frontend.control import custom_call as custom_call
    from teenyir.frontend.control import fori_loop as fori_loop
    from teenyir.frontend.control import while_loop as while_loop
    from teenyir.frontend.creation import arange as arange
    from teenyir.frontend.creation import asarray as asarray
    from teenyir.frontend.creation import full as full
    from teenyir.frontend.creation import full_like as full_like
    from teenyir.frontend.creation import ones as ones
    from teenyir.frontend.creation import ones_like as ones_like
    from teenyir.frontend.creation import zeros as zeros
    from teenyir.frontend.creation import zeros_like as zeros_like
    from teenyir.frontend.ctc import ctc_loss as ctc_loss
    from teenyir.frontend.dims import Dim as Dim
    from teenyir.frontend.dims import Spec as Spec
    from teenyir.frontend.distances import cosine_similarity as cosine_similarity
    from teenyir.frontend.distances import pairwise_distance as pairwise_distance
    from teenyir.frontend.dtype_names import bfloat16 as bfloat16
    from teenyir.frontend.dtype_names import bool as bool
    from teenyir.frontend.dtype_names import float4_e2m1fn as float4_e2m1fn
    from teenyir.frontend.dtype_names import float8_e4m3b11fnuz as float8_e4m3b11fnuz
    from teenyir.frontend.dtype_names import float8_e4m3fn as float8_e4m3fn
    from teenyir.frontend.dtype_names import float8_e4m3fnuz as float8_e4m3fnuz
    from teenyir.frontend.dtype_names import float8_e5m2 as float8_e5m2
    from teenyir.frontend.dtype_names import float8_e5m2fnuz as float8_e5m2fnuz
    from teenyir.frontend.dtype_names import float8_e8m0fnu as float8_e8m0fnu
    from teenyir.frontend.dtype_names import float16 as float16
    from teenyir.frontend.dtype_names import float32 as float32
    from teenyir.frontend.dtype_names import float64 as float64
    from teenyir.frontend.dtype_names import int2 as int2
    from teenyir.frontend.dtype_names import int4 as int4
    from teenyir.frontend.dtype_names import int8 as int8
    from teenyir.frontend.dtype_names import int16 as int16
    from teenyir.frontend.dtype_names import int32 as int32
    from teenyir.frontend.dtype_names import int64 as int64
    from teenyir.frontend.dtype_names import uint2 as uint2
    from teenyir.frontend.dtype_names import uint4 as uint4
    from teenyir.frontend.dtype_names import uint8 as uint8
    from teenyir.frontend.dtype_names import uint16 as uint16
    from teenyir.frontend.dtype_names import uint32 as uint32
    from teenyir.frontend.dtype_names import uint64 as uint64
    from teenyir.frontend.einsum import einsum as einsum
    from teenyir.frontend.elementwise import abs as abs
    from teenyir.frontend.elementwise import absolute as absolute
    from teenyir.frontend.elementwise import add as add
    from teenyir.frontend.elementwise import arctan2 as arctan2
    from teenyir.frontend.elementwise import astype as astype
    from teenyir.frontend.elementwise import atan2 as atan2
    from teenyir.frontend.elementwise import bitwise_and as bitwise_and
    from teenyir.frontend.elementwise import bitwise_invert as bitwise_invert
    from teenyir.frontend.elementwise import bitwise_left_shift as bitwise_left_shift
    from teenyir.frontend.elementwise import bitwise_or as bitwise_or
    from teenyir.frontend.elementwise import bitwise_right_shift as bitwise_right_shift
    from teenyir.frontend.elementwise import bitwise_xor as bitwise_xor
    from teenyir.frontend.elementwise import ceil as ceil
    from teenyir.frontend.elementwise import clip as clip
    from teenyir.frontend.elementwise import cos as cos
    from teenyir.frontend.elementwise import divide as divide
    from teenyir.frontend.elementwise import equal as equal
    from teenyir.frontend.elementwise import erf as erf
    from teenyir.frontend.elementwise import exp as exp
    from teenyir.frontend.elementwise import exp2 as exp2
    from teenyir.frontend.elementwise import floor as floor
    from teenyir.frontend.elementwise import floor_divide as floor_divide
    from teenyir.frontend.elementwise import greater as greater
    from teenyir.frontend.elementwise import greater_equal as greater_equal
    from teenyir.frontend.elementwise import invert as invert
    from teenyir.frontend.elementwise import isfinite as isfinite
    from teenyir.frontend.elementwise import isinf as isinf
    from teenyir.frontend.elementwise import isnan as isnan
    from teenyir.frontend.elementwise import left_shift as left_shift
    from teenyir.frontend.elementwise import less as less
    from teenyir.frontend.elementwise import less_equal as less_equal
    from teenyir.frontend.elementwise import log as log
    from teenyir.frontend.elementwise import log2 as log2
    from teenyir.frontend.elementwise import logical_and as logical_and
    from teenyir.frontend.elementwise import logical_not as logical_not
    from teenyir.frontend.elementwise import logical_or as logical_or
    from teenyir.frontend.elementwise import logical_xor as logical_xor
    from teenyir.frontend.elementwise import maximum as maximum
    from teenyir.frontend.elementwise import minimum as minimum
    from teenyir.frontend.elementwise import mod as mod
    from teenyir.frontend.elementwise import multiply as multiply
    from teenyir.frontend.elementwise import negative as negative
    from teenyir.frontend.elementwise import not_equal as not_equal
    from teenyir.frontend.elementwise import positive as positive
    from teenyir.frontend.elementwise import pow as pow
    from teenyir.frontend.elementwise import power as power
    from teenyir.frontend.elementwise import reciprocal as reciprocal
    from teenyir.frontend.elementwise import remainder as remainder
    from teenyir.frontend.elementwise import right_shift as right_shift
    from teenyir.frontend.elementwise import round as round
    from teenyir.frontend.elementwise import rsqrt as rsqrt
    from teenyir.frontend.elementwise import sign as sign
    from teenyir.frontend.elementwise import sin as sin
    from teenyir.frontend.elementwise import sqrt as sqrt
    from teenyir.frontend.elementwise import square as square
    from teenyir.frontend.elementwise import subtract as subtract
    from teenyir.frontend.elementwise import tanh as tanh
    from teenyir.frontend.elementwise import trunc as trunc
    from teenyir.frontend.elementwise import where as where
    from teenyir.frontend.errors import TraceError as TraceError
    from teenyir.frontend.gathering import dynamic_slice as dynamic_slice
    from teenyir.frontend.gathering import dynamic_update_slice as dynamic_update_slice
    from teenyir.frontend.gathering import embedding as embedding
    from teenyir.frontend.gathering import nonzero as nonzero
    from teenyir.frontend.gathering import one_hot as one_hot
    from teenyir.frontend.gathering import take as take
    from teenyir.frontend.gathering import take_along_axis as take_along_axis
    from teenyir.frontend.gathering import unravel_index as unravel_index
    from teenyir.frontend.jit import Jit as Jit
    from teenyir.frontend.jit import jit as jit
    from teenyir.frontend.linear import conv as conv
    from teenyir.frontend.linear import conv_transpose as conv_transpose
    from teenyir.frontend.linear import linear as linear
    from teenyir.frontend.linear import matmul as matmul
    from teenyir.frontend.linear import outer as outer
    from teenyir.frontend.linear import tensordot as tensordot
    from teenyir.frontend.linear import vecdot as vecdot
    from teenyir.frontend.losses import binary_cross_entropy as binary_cross_entropy
    from teenyir.frontend.losses import (
        binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    )
    from teenyir.frontend.losses import cross_entropy as cross_entropy
    from teenyir.frontend.losses import huber_loss as huber_loss
    from teenyir.frontend.losses import kl_div as kl_div
    from teenyir.frontend.losses import l1_loss as l1_loss
    from teenyir.frontend.losses import mse_loss as mse_loss
    from teenyir.frontend.losses import nll_loss as nll_loss
    from teenyir.frontend.losses import smooth_l1_loss as smooth_l1_loss
    from teenyir.frontend.margins import cosine_embedding_loss as cosine_embedding_loss
    from teenyir.frontend.margins import gaussian_nll_loss as gaussian_nll_loss
    from teenyir.frontend.margins import hinge_embedding_loss as hinge_embedding_loss
    from teenyir.frontend.margins import margin_ranking_loss as margin_ranking_loss
    from teenyir.frontend.margins import multi_margin_loss as multi_margin_loss
    from teenyir.frontend.margins import multilabel_margin_loss as multilabel_margin_loss
    from teenyir.frontend.margins import multilabel_soft_margin_loss as multilabel_soft_margin_loss
    from teenyir.frontend.margins import poisson_nll_loss as poisson_nll_loss
    from teenyir.frontend.margins import soft_margin_loss as soft_margin_loss
    from teenyir.frontend.margins import triplet_margin_loss as triplet_margin_loss
    from teenyir.frontend.margins import (
        triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
    )
    from teenyir.frontend.movement import broadcast_to as broadcast_to
    from teenyir.frontend.movement import concat as concat
    from teenyir.frontend.movement import expand_dims as expand_dims
    from teenyir.frontend.movement import flatten as flatten
    from teenyir.frontend.movement import flip as flip
    from teenyir.frontend.movement import matrix_transpose as matrix_transpose
    from teenyir.frontend.movement import moveaxis as moveaxis
    from teenyir.frontend.movement import pad as pad
    from teenyir.frontend.movement import permute_dims as permute_dims
    from teenyir.frontend.movement import reshape as reshape
    from teenyir.frontend.movement import squeeze as squeeze
    from teenyir.frontend.movement import stack as stack
    from teenyir.frontend.movement import transpose as transpose
    from teenyir.frontend.normalization import batch_norm as batch_norm
    from teenyir.frontend.normalization import group_norm as group_norm
    from teenyir.frontend.normalization import instance_norm as instance_norm
    from teenyir.frontend.normalization import layer_norm as layer_norm
    from teenyir.frontend.normalization import log_softmax as log_softmax
    from teenyir.frontend.normalization import rms_norm as rms_norm
    from teenyir.frontend.normalization import softmax as softmax
    from teenyir.frontend.onnx.model import OnnxModel as OnnxModel
    from teenyir.frontend.onnx.model import load_onnx as load_onnx
    from teenyir.frontend.pooling import adaptive_avg_pool as adaptive_avg_pool
    from teenyir.frontend.pooling import adaptive_max_pool as adaptive_max_pool
    from teenyir.frontend.pooling import avg_pool as avg_pool
    from teenyir.frontend.pooling import global_avg_pool as global_avg_pool
    from teenyir.frontend.pooling import global_max_pool as global_max_pool
    from teenyir.frontend.pooling import lp_pool as lp_pool
    from teenyir.frontend.pooling import max_pool as max_pool
    from teenyir.frontend.pooling import max_pool_with_indices as max_pool_with_indices
    from teenyir.frontend.reductions import all as all
    from teenyir.frontend.reductions import any as any
    from teenyir.frontend.reductions import argmax as argmax
    from teenyir.frontend.reductions import argmin as argmin
    from teenyir.frontend.reductions import count_nonzero as count_nonzero
    from teenyir.frontend.reductions import fold as fold
    from teenyir.frontend.reductions import logsumexp as logsumexp
    from teenyir.frontend.reductions import max as max
    from teenyir.frontend.reductions import mean as mean
    from teenyir.frontend.reductions import min as min
    from teenyir.frontend.reductions import prod as prod
    from teenyir.frontend.reductions import std as std
    from teenyir.frontend.reductions import sum as sum
    from teenyir.frontend.reductions import var as var
    from teenyir.frontend.scans import cumprod as cumprod
    from teenyir.frontend.scans import cumsum as cumsum
    from teenyir.frontend.scans import cumulative_max as cumulative_max
    from teenyir.frontend.scans import cumulative_min as cumulative_min
    from teenyir.frontend.scans import cumulative_prod as cumulative_prod
    from teenyir.frontend.scans import cumulative_sum as cumulative_sum
    from teenyir.frontend.scans import diff as diff
    from teenyir.frontend.scans import scan as scan
    from teenyir.frontend.sorting import argsort as argsort
    from teenyir.frontend.sorting import lexsort as lexsort
    from teenyir.frontend.sorting import searchsorted as searchsorted
    from teenyir.frontend.sorting import sort as sort
    from teenyir.frontend.sorting import top_k as top_k
    from teenyir.frontend.sorting import unique_all as unique_all
    from teenyir.frontend.sorting import unique_counts as unique_counts
    from teenyir.frontend.sorting import unique_inverse as unique_inverse
    from teenyir.frontend.sorting import unique_values as unique_values
    from teenyir.frontend.tensor import Tensor as Tensor
    from teenyir.frontend.tracing import Traced as Traced
    from teenyir.frontend.tracing import parse as parse
    from teenyir.frontend.tracing import trace as trace
    from teenyir.frontend.transcendental import acos as acos
    from teenyir.frontend.transcendental import acosh as acosh
    from teenyir.frontend.transcendental import arccos as arccos
    from teenyir.frontend.transcendental import arccosh as arccosh
    from teenyir.frontend.transcendental import arcsin as arcsin
    from teenyir.frontend.transcendental import arcsinh as arcsinh
    from teenyir.frontend.transcendental import arctan as arctan
    from teenyir.frontend.transcendental import arctanh as arctanh
    from teenyir.frontend.transcendental import asin as asin
    from teenyir.frontend.transcendental import asinh as asinh
    from teenyir.frontend.transcendental import atan as atan
    from teenyir.frontend.transcendental import atanh as atanh
    from teenyir.frontend.transcendental import cosh as cosh
    from teenyir.frontend.transcendental import expm1 as expm1
    from teenyir.frontend.transcendental import hypot as hypot
    from teenyir.frontend.transcendental import log1p as log1p
    from teenyir.frontend.transcendental import log10 as log10
    from teenyir.frontend.transcendental import logaddexp as logaddexp
    from teenyir.frontend.transcendental import sinh as sinh
    from teenyir.frontend.transcendental import tan as tan
    from teenyir.frontend.unpooling import (
        adaptive_max_pool_with_indices as adaptive_max_pool_with_indices,
    )
    from teenyir.frontend.unpooling import fractional_max_pool as fractional_max_pool
    from teenyir.frontend.unpooling import max_unpool as max_unpool
    from teenyir.pipeline.instruments.printing import PrintAfterChange as PrintAfterChange
    from teenyir.pipeline.instruments.printing import PrintDiff as PrintDiff
    from teenyir.pipeline.instruments.printing import PrintIR as PrintIR
    from teenyir.pipeline.instruments.printing import PrintTree as PrintTree
    from teenyir.pipeline.instruments.statistics import Remarks as Remarks
    from teenyir.pipeline.instruments.statistics import Rewrites as Rewrites
    from teenyir.pipeline.instruments.statistics import Statistics as Statistics
    from teenyir.pipeline.instruments.timing import Timing as Timing
    from teenyir.pipeline.manager import PassManager as PassManager
    from teenyir.runtime.compiled import Compiled as Compiled
    from teenyir.runtime.lowered import Lowered as Lowered


_HOMES = {
    "teenyir.diagnostics": "CompileError Diagnostic",
    "teenyir.frontend.activations": (
        "celu elu gelu glu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish prelu relu "
        "relu6 selu sigmoid silu softplus softsign"
    ),
    "teenyir.frontend.arrangement": (
        "atleast_1d broadcast_arrays broadcast_shapes diagonal eye isclose linspace meshgrid "
        "repeat result_type roll split swapaxes tile tril triu unstack"
    ),
    "teenyir.frontend.attention": "attention_weights scaled_dot_product_attention",
    "teenyir.frontend.bits": "bitcast copysign fmod nextafter signbit view",
    "teenyir.frontend.control": "cond custom_call fori_loop while_loop",
    "teenyir.frontend.creation": "arange asarray full full_like ones ones_like zeros zeros_like",
    "teenyir.frontend.ctc": "ctc_loss",
    "teenyir.frontend.dims": "Dim Spec",
    "teenyir.frontend.distances": "cosine_similarity pairwise_distance",
    "teenyir.frontend.dtype_names": (
        "bfloat16 bool float16 float32 float4_e2m1fn float64 float8_e4m3b11fnuz float8_e4m3fn "
        "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu int16 int2 int32 int4 int64 "
        "int8 uint16 uint2 uint32 uint4 uint64 uint8"
    ),
    "teenyir.frontend.einsum": "einsum",
    "teenyir.frontend.elementwise": (
        "abs absolute add arctan2 astype atan2 bitwise_and bitwise_invert bitwise_left_shift "
        "bitwise_or bitwise_right_shift bitwise_xor ceil clip cos divide equal erf exp exp2 floor "
        "floor_divide greater greater_equal invert isfinite isinf isnan left_shift less less_equal "
        "log log2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply "
        "negative not_equal positive pow power reciprocal remainder right_shift round rsqrt sign "
        "sin sqrt square subtract tanh trunc where"
    ),
    "teenyir.frontend.errors": "TraceError",
    "teenyir.frontend.gathering": (
        "dynamic_slice dynamic_update_slice embedding nonzero one_hot take take_along_axis "
        "unravel_index"
    ),
    "teenyir.frontend.jit": "Jit jit",
    "teenyir.frontend.linear": "conv conv_transpose linear matmul outer tensordot vecdot",
    "teenyir.frontend.losses": (
        "binary_cross_entropy binary_cross_entropy_with_logits cross_entropy huber_loss kl_div "
        "l1_loss mse_loss nll_loss smooth_l1_loss"
    ),
    "teenyir.frontend.margins": (
        "cosine_embedding_loss gaussian_nll_loss hinge_embedding_loss margin_ranking_loss "
        "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss poisson_nll_loss "
        "soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss"
    ),
    "teenyir.frontend.movement": (
        "broadcast_to concat expand_dims flatten flip matrix_transpose moveaxis pad permute_dims "
        "reshape squeeze stack transpose"
    ),
    "teenyir.frontend.normalization": (
        "batch_norm group_norm instance_norm layer_norm log_softmax rms_norm softmax"
    ),
    "teenyir.frontend.onnx.model": "OnnxModel load_onnx",
    "teenyir.frontend.pooling": (
        "adaptive_avg_pool adaptive_max_pool avg_pool global_avg_pool global_max_pool lp_pool "
        "max_pool max_pool_with_indices"
    ),
    "teenyir.frontend.reductions": (
        "all any argmax argmin count_nonzero fold logsumexp max mean min prod std sum var"
    ),
    "teenyir.frontend.scans": (
        "cumprod cumsum cumulative_max cumulative_min cumulative_prod cumulative_sum diff scan"
    ),
    "teenyir.frontend.sorting": (
        "argsort lexsort searchsorted sort top_k unique_all unique_counts unique_inverse "
        "unique_values"
    ),
    "teenyir.frontend.tensor": "Tensor",
    "teenyir.frontend.tracing": "Traced parse trace",
    "teenyir.frontend.transcendental": (
        "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cosh expm1 "
        "hypot log10 log1p logaddexp sinh tan"
    ),
    "teenyir.frontend.unpooling": "adaptive_max_pool_with_indices fractional_max_pool max_unpool",
    "teenyir.pipeline.instruments.printing": "PrintAfterChange PrintDiff PrintIR PrintTree",
    "teenyir.pipeline.instruments.statistics": "Remarks Rewrites Statistics",
    "teenyir.pipeline.instruments.timing": "Timing",
    "teenyir.pipeline.manager": "PassManager",
    "teenyir.runtime.compiled": "Compiled",
    "teenyir.runtime.lowered": "Lowered",
}
"""Where each name comes from; the imports above say the same to type checkers."""

_ORIGIN: dict[str, str] = {name: home for home, names in _HOMES.items() for name in names.split()}

_MODULES: dict[str, str] = {
    "array": "teenyir.frontend.array",
    "emulator": "teenyir.emulator",
    "nn": "teenyir.frontend.nn",
    "random": "teenyir.frontend.random",
}
"""Names that are modules."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    elif name in _ORIGIN:
        value = getattr(import_module(_ORIGIN[name]), name)
    else:
        raise AttributeError(f"module 'teenyir' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ORIGIN, *_MODULES})
