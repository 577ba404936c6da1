"""What is known by its form. Of two forms that fit, the first one in the table names the ops."""

from __future__ import annotations

import math

from teenyir.dialects import graph
from teenyir.passes.graph.recognize.match import (
    Anything,
    Form,
    Guarded,
    LeadsTo,
    Mean,
    Number,
    Of,
    Pattern,
    Product,
    Reduced,
    Shared,
    Sum,
)


def _exp(x: Pattern) -> Pattern:
    return Of(graph.ExpOp, (x,))


def _log(x: Pattern) -> Pattern:
    return Of(graph.LogOp, (x,))


def _times(coefficient: float, *factors: Pattern) -> Product:
    return Product(coefficient, tuple((factor, 1) for factor in factors))


def _plus(offset: float | None, *terms: Pattern) -> Sum:
    return Sum(offset, tuple((term, 1) for term in terms))


def _over(numerator: Pattern, denominator: Pattern, *factors: Pattern, power: float = 1) -> Product:
    return Product(1, ((numerator, 1), (denominator, -power), *((other, 1) for other in factors)))


X = Anything("x")
WEIGHT, BIAS, VALUES = Anything("weight"), Anything("bias"), Anything("values")

# --- softmax and its like -------------------------------------------------------------------------

# an infinite maximum may be left out, and a sum of zero
_TOP = Shared("top", Reduced("max", X))
_BELOW_TOP = Shared("below", Sum(0, ((X, 1), (Guarded(_TOP), -1))))
_LOG_SUM_BELOW_TOP = _log(Reduced("add", _exp(_BELOW_TOP)))


def _softmax(x: Pattern) -> Pattern:
    exp = Shared("exp", _exp(x))
    return _over(exp, Guarded(Reduced("add", exp)))


_PRODUCT = Of(graph.DotOp, (Anything("queries"), Anything("keys")))

# --- norms ----------------------------------------------------------------------------------------

_CENTRED = Shared("centred", Sum(0, ((X, 1), (Mean(X), -1))))
_VARIANCE = _plus(None, Mean(Product(1, ((_CENTRED, 2),))))
_NORMAL_GROUPS = Of(graph.ReshapeOp, (_over(_CENTRED, _VARIANCE, power=0.5),))
_SQUARE = _plus(None, Mean(Product(1, ((X, 2),))))

# --- activations ----------------------------------------------------------------------------------

_ROOT = math.sqrt(2 / math.pi)
_CUBIC = 0.044715


def _gelu(gate: Pattern) -> Product:
    """`x / 2 * (1 + gate)`"""
    return _times(0.5, X, _plus(1, gate))


def _tanh(x: Pattern) -> Pattern:
    return Of(graph.TanhOp, (x,))


def _sigmoid(slope: float) -> Pattern:
    """`1 + exp(-slope * x)`, which a sigmoid divides by"""
    return _plus(1, _exp(_times(-slope, X)))


FORMS = (
    # softmax(q @ k, scaled or masked) @ v
    Form("scaled_dot_product_attention", Of(graph.DotOp, (_softmax(LeadsTo(_PRODUCT)), VALUES))),
    # exp(x - max(x)) / sum(exp(x - max(x))), exp(x) / sum(exp(x))
    Form("softmax", _softmax(_BELOW_TOP)),
    Form("softmax", _softmax(X)),
    # (x - max(x)) - log(sum(exp(x - max(x)))), x - (log(sum(exp(x - max(x)))) + max(x))
    Form("log_softmax", Sum(0, ((_BELOW_TOP, 1), (_LOG_SUM_BELOW_TOP, -1)))),
    Form("log_softmax", Sum(0, ((X, 1), (Guarded(_TOP), -1), (_LOG_SUM_BELOW_TOP, -1)))),
    # x - log(sum(exp(x)))
    Form("log_softmax", Sum(0, ((X, 1), (_log(Reduced("add", _exp(X))), -1)))),
    # log(sum(exp(x - max(x)))) + max(x), log(sum(exp(x)))
    Form("logsumexp", _plus(0, _LOG_SUM_BELOW_TOP, Guarded(_TOP))),
    Form("logsumexp", _log(Reduced("add", _exp(X)))),
    # (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * weight + bias
    Form("layer_norm", _plus(0, _over(_CENTRED, _VARIANCE, WEIGHT, power=0.5), BIAS)),
    Form("layer_norm", _over(_CENTRED, _VARIANCE, WEIGHT, power=0.5)),
    Form("layer_norm", _over(_CENTRED, _VARIANCE, power=0.5)),
    # the same of groups of channels, weighed as channels
    Form("group_norm", _plus(0, _times(1, _NORMAL_GROUPS, WEIGHT), BIAS)),
    # x / sqrt(mean(x^2) + eps) * weight
    Form("rms_norm", _over(X, _SQUARE, WEIGHT, power=0.5)),
    Form("rms_norm", _over(X, _SQUARE, power=0.5)),
    # x / 2 * (1 + erf(x / sqrt(2)))
    Form("gelu", _gelu(Of(graph.ErfOp, (_times(math.sqrt(0.5), X),)))),
    # x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), or with x put outside
    Form("gelu", _gelu(_tanh(_times(_ROOT, _plus(0, X, Product(_CUBIC, ((X, 3),))))))),
    Form("gelu", _gelu(_tanh(_times(_ROOT, X, _plus(1, Product(_CUBIC, ((X, 2),))))))),
    # x * sigmoid(1.702 * x)
    Form("gelu", _over(X, _sigmoid(1.702))),
    # x * sigmoid(x)
    Form("silu", _over(X, _sigmoid(1))),
    # 1 / (1 + exp(-x))
    Form("sigmoid", Product(1, ((_sigmoid(1), -1),))),
    # max(x, 0)
    Form("relu", Of(graph.MaxOp, (X, Number(0)))),
    Form("relu", Of(graph.MaxOp, (Number(0), X))),
)
