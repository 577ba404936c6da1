"""Recurrent layers: RNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from teenyir.dialects import dtypes
from teenyir.dialects.expr import Expr
from teenyir.frontend import activations, elementwise
from teenyir.frontend.core import current
from teenyir.frontend.creation import zeros
from teenyir.frontend.dims import Extent
from teenyir.frontend.elementwise import add, astype, clip, less, multiply, subtract, where
from teenyir.frontend.errors import fail
from teenyir.frontend.linear import linear, matmul
from teenyir.frontend.movement import flip, matrix_transpose, move, moveaxis, stack
from teenyir.frontend.onnx.nodes import Node
from teenyir.frontend.onnx.operators.looping import at, from_behind, looped
from teenyir.frontend.onnx.operators.table import operator
from teenyir.frontend.onnx.values import Value
from teenyir.frontend.tensor import Tensor

Activation = Callable[[Tensor], Tensor]


def _affine(x: Tensor, alpha: float, beta: float) -> Tensor:
    return add(multiply(x, alpha), beta)


def _scaled_tanh(x: Tensor, alpha: float, beta: float) -> Tensor:
    return multiply(elementwise.tanh(multiply(x, beta)), alpha)


def _hard_sigmoid(x: Tensor, alpha: float, beta: float) -> Tensor:
    return clip(_affine(x, alpha, beta), 0.0, 1.0)


def _thresholded(x: Tensor, alpha: float, beta: float) -> Tensor:
    return where(less(x, alpha), 0.0, x)


_ACTIVATIONS: dict[str, tuple[Callable[[Tensor, float, float], Tensor], float, float]] = {
    "relu": (lambda x, alpha, beta: activations.relu(x), 0.0, 0.0),
    "tanh": (lambda x, alpha, beta: elementwise.tanh(x), 0.0, 0.0),
    "sigmoid": (lambda x, alpha, beta: activations.sigmoid(x), 0.0, 0.0),
    "affine": (_affine, 1.0, 0.0),
    "leakyrelu": (lambda x, alpha, beta: activations.leaky_relu(x, alpha), 0.01, 0.0),
    "thresholdedrelu": (_thresholded, 1.0, 0.0),
    "scaledtanh": (_scaled_tanh, 1.0, 1.0),
    "hardsigmoid": (_hard_sigmoid, 0.2, 0.5),
    "elu": (lambda x, alpha, beta: activations.elu(x, alpha), 1.0, 0.0),
    "softsign": (lambda x, alpha, beta: activations.softsign(x), 0.0, 0.0),
    "softplus": (lambda x, alpha, beta: activations.softplus(x), 0.0, 0.0),
}
"""By name in lower case, the function and its usual alpha and beta."""


@dataclass(frozen=True)
class Weights:
    """What one direction of a layer is made of, and how it runs."""

    w: Tensor
    """[gates * hidden, inputs]"""
    r: Tensor
    """[gates * hidden, hidden]"""
    wb: Tensor
    """[gates * hidden]"""
    rb: Tensor
    """[gates * hidden]"""
    peephole: Tensor | None
    """[3 * hidden]"""
    functions: Sequence[Activation]
    hidden: int
    clip: float | None

    def bounded(self, x: Tensor) -> Tensor:
        """What an activation is given."""
        return x if self.clip is None else clip(x, -self.clip, self.clip)

    def gate(self, x: Tensor, k: int) -> Tensor:
        """The part of one gate."""
        return x[..., k * self.hidden : (k + 1) * self.hidden]


Cell = Callable[[Weights, Tensor, "list[Tensor]"], "list[Tensor]"]
"""The next state, of which the first is what a step gives, from the input's share and the state."""


def _rnn(weights: Weights, x: Tensor, state: list[Tensor]) -> list[Tensor]:
    own = add(linear(state[0], weights.r), weights.rb)
    return [weights.functions[0](weights.bounded(add(x, own)))]


def _gru(linear_before_reset: bool, weights: Weights, x: Tensor, state: list[Tensor]):
    (hidden,) = state
    f, g = weights.functions
    size = 2 * weights.hidden
    own = add(linear(hidden, weights.r[:size]), weights.rb[:size])
    update = f(weights.bounded(add(weights.gate(x, 0), own[..., : weights.hidden])))
    reset = f(weights.bounded(add(weights.gate(x, 1), own[..., weights.hidden :])))
    r, rb = weights.r[size:], weights.rb[size:]
    if linear_before_reset:
        mixed = multiply(reset, add(linear(hidden, r), rb))
    else:
        mixed = add(linear(multiply(reset, hidden), r), rb)
    new = g(weights.bounded(add(weights.gate(x, 2), mixed)))
    return [add(multiply(subtract(1.0, update), new), multiply(update, hidden))]


def _lstm(input_forget: bool, weights: Weights, x: Tensor, state: list[Tensor]) -> list[Tensor]:
    hidden, cell = state
    f, g, h = weights.functions
    gates = add(x, add(linear(hidden, weights.r), weights.rb))
    given, output, forget, new = (weights.gate(gates, k) for k in range(4))
    given = f(weights.bounded(_peeped(weights, given, cell, 0)))
    forget = f(weights.bounded(_peeped(weights, forget, cell, 2)))
    if input_forget:
        forget = subtract(1.0, given)
    after = add(multiply(forget, cell), multiply(given, g(weights.bounded(new))))
    output = f(weights.bounded(_peeped(weights, output, after, 1)))
    return [multiply(output, h(after)), after]


def _peeped(weights: Weights, gate: Tensor, cell: Tensor, k: int) -> Tensor:
    if weights.peephole is None:
        return gate
    return add(gate, multiply(weights.gate(weights.peephole, k), cell))


@operator("RNN", ranks=(3, 3, 3))
def rnn(
    node: Node,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    hidden: Tensor | None = None,
) -> list[Value]:
    """The simple recurrent layer."""
    return _layer(node, _rnn, 1, ["Tanh"], x, w, r, b, lengths, [hidden], None)


@operator("GRU", ranks=(3, 3, 3))
def gru(
    node: Node,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    hidden: Tensor | None = None,
) -> list[Value]:
    """The gated recurrent layer: update, reset and new."""
    cell = partial(_gru, node.flag("linear_before_reset"))
    usual = ["Sigmoid", "Tanh"]
    return _layer(node, cell, 3, usual, x, w, r, b, lengths, [hidden], None)


@operator("LSTM", ranks=(3, 3, 3))
def lstm(
    node: Node,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    lengths: Tensor | None = None,
    hidden: Tensor | None = None,
    cell: Tensor | None = None,
    peephole: Tensor | None = None,
) -> list[Value]:
    """The layer with a memory: input, output, forget and new."""
    step = partial(_lstm, node.flag("input_forget"))
    usual = ["Sigmoid", "Tanh", "Tanh"]
    return _layer(node, step, 4, usual, x, w, r, b, lengths, [hidden, cell], peephole)


def _layer(
    node: Node,
    cell: Cell,
    gates: int,
    usual: Sequence[str],
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None,
    lengths: Tensor | None,
    state: Sequence[Tensor | None],
    peephole: Tensor | None,
) -> list[Value]:
    """All steps [steps, directions, batch, hidden], and last [directions, batch, hidden].

    With the layout 1 the batch is the first axis of `x`, of the results and of the state.
    """
    batch_first = node.flag("layout")
    x = moveaxis(x, 0, 1) if batch_first else x
    direction = node.choice("direction", "forward", ("forward", "reverse", "bidirectional"))
    backward = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    size = r.shape[-1]
    if not isinstance(size, int) or w.ndim != 3 or w.shape[0] != len(backward):
        fail(f"takes weights [{len(backward)}, {gates} * hidden, inputs], got {w!r}")
    functions = _functions(node, usual, len(backward))
    every: list[Tensor] = []
    last: list[list[Tensor]] = []
    for k, is_backward in enumerate(backward):
        bias = zeros((2 * gates * size,), dtype=x.dtype) if b is None else b[k]
        weights = Weights(
            w[k],
            r[k],
            bias[: gates * size],
            bias[gates * size :],
            None if peephole is None else peephole[k],
            functions[k * len(usual) : (k + 1) * len(usual)],
            size,
            node.number("clip") if "clip" in node else None,
        )
        start = [_start(each, k, x.shape[1], size, x, batch_first) for each in state]
        after, outputs = _run(cell, weights, x, lengths, start, is_backward)
        every.append(outputs)
        last.append(after)
    steps = stack(every, axis=1)
    ends = [stack(list(each)) for each in zip(*last, strict=True)]
    if batch_first:
        return [steps.permute_dims(2, 0, 1, 3), *[moveaxis(each, 0, 1) for each in ends]]
    return [steps, *ends]


def _start(
    given: Tensor | None, k: int, batch: Extent, size: int, x: Tensor, batch_first: bool
) -> Tensor:
    if given is None:
        return zeros((batch, size), dtype=x.dtype)
    return given[:, k] if batch_first else given[k]


def _functions(node: Node, usual: Sequence[str], directions: int) -> list[Activation]:
    names = node.texts("activations", list(usual) * directions)
    if len(names) != len(usual) * directions:
        fail(f"takes {len(usual) * directions} activations, got {len(names)}")
    alphas = iter(node.numbers("activation_alpha", []))
    betas = iter(node.numbers("activation_beta", []))
    found: list[Activation] = []
    for name in names:
        if name.lower() not in _ACTIVATIONS:
            fail(f"'{name}' is no activation")
        function, alpha, beta = _ACTIVATIONS[name.lower()]
        takes_alpha, takes_beta = alpha != 0.0, beta != 0.0 or name.lower() == "affine"
        a = next(alphas, alpha) if takes_alpha else alpha
        c = next(betas, beta) if takes_beta else beta
        found.append(_with(function, a, c))
    return found


def _with(function: Callable[[Tensor, float, float], Tensor], a: float, b: float) -> Activation:
    return lambda x: function(x, a, b)


def _run(
    cell: Cell,
    weights: Weights,
    x: Tensor,
    lengths: Tensor | None,
    start: list[Tensor],
    backward: bool,
) -> tuple[list[Tensor], Tensor]:
    """The state in the end and what the steps give, the first step first.

    Beyond the length of a sequence the state stays as it is, and what is given is 0.
    """
    count = x.shape[0]
    # the input's share of all steps at once
    shares = add(matmul(x, matrix_transpose(weights.w)), weights.wb)

    def step(i: Tensor, state: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        place = from_behind(count, i) if backward else i
        after = cell(weights, at(shares, place), state)
        if lengths is None:
            return after, [after[0]]
        column = move(astype(lengths, dtypes.INT64), [lengths.extents[0], Expr.of(1)])
        inside = less(place, column)
        kept = [where(inside, new, old) for new, old in zip(after, state, strict=True)]
        return kept, [where(inside, after[0], 0.0)]

    state, (outputs,) = looped(current(), count, step, start)
    return state, flip(outputs, axis=0) if backward else outputs
