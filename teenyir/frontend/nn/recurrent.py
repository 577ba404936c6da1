"""Recurrent layers, and their single steps, in PyTorch's layout.

What a layer's weights are called says whose they are: `weight_ih_l0` takes the input of the first
layer, `weight_hh_l0` its hidden state, and `weight_ih_l0_reverse` goes from the last step to the
first. Each holds the rows of all gates, one gate after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from teenyir.dialects import graph
from teenyir.dialects.expr import Expr
from teenyir.frontend import activations, elementwise, linear
from teenyir.frontend.arguments import (
    MOST_REPEATS,
    Chance,
    Count,
    Natural,
    Within,
    checked,
)
from teenyir.frontend.control import fori_loop
from teenyir.frontend.core import Array, ArrayLike, as_tensor
from teenyir.frontend.creation import zeros
from teenyir.frontend.dtypes import DTypeLike, as_dtype
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import dynamic_update_slice, take
from teenyir.frontend.movement import concat, expand_dims, flip, stack
from teenyir.frontend.nn.module import Module, refuse
from teenyir.frontend.nn.weights import check_room, uniform

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor

Stacked = Annotated[int, Within(1, MOST_REPEATS)]

State = list["Tensor"]
"""The hidden state and, of an LSTM, the cell's: each [batch, hidden]."""


class _Step(Module):
    """What becomes of a state in one step."""

    GATES: ClassVar[int]
    STATES: ClassVar[int] = 1

    def step(self, given: Tensor, own: Tensor, state: State) -> State:
        """The next state, from the input's and the hidden state's shares of all gates."""
        raise NotImplementedError


class _Plain(_Step):
    GATES = 1
    nonlinearity: Literal["tanh", "relu"]

    def step(self, given: Tensor, own: Tensor, state: State) -> State:
        function = elementwise.tanh if self.nonlinearity == "tanh" else activations.relu
        return [function(given + own)]


class _Gated(_Step):
    GATES = 3

    def step(self, given: Tensor, own: Tensor, state: State) -> State:
        parts = zip(_gates(given, 3), _gates(own, 3), strict=True)
        (reset_x, reset_h), (update_x, update_h), (new_x, new_h) = parts
        reset = activations.sigmoid(reset_x + reset_h)
        update = activations.sigmoid(update_x + update_h)
        new = elementwise.tanh(new_x + reset * new_h)
        return [(1.0 - update) * new + update * state[0]]


class _LongShort(_Step):
    GATES = 4
    STATES = 2

    def step(self, given: Tensor, own: Tensor, state: State) -> State:
        taken, kept, new, shown = _gates(given + own, 4)
        cell = activations.sigmoid(kept) * state[1]
        cell = cell + activations.sigmoid(taken) * elementwise.tanh(new)
        return [activations.sigmoid(shown) * elementwise.tanh(cell), cell]


def _gates(x: Tensor, count: int) -> list[Tensor]:
    size = x.shape[-1]
    assert isinstance(size, int)  # weights have constant extents
    size //= count
    return [x[..., k * size : (k + 1) * size] for k in range(count)]


def _weights(
    gates: int, inputs: int, hidden: int, bias: bool, dtype: DTypeLike, projected: int = 0
) -> list[Any]:
    """Those of the input and of the state, the biases of both, and where there is a projection of
    the hidden state, that."""
    found, bound = as_dtype(dtype), 1 / math.sqrt(max(hidden, 1))
    shapes = _shapes(gates, inputs, hidden, projected)
    return [uniform(bound, shape, found) if len(shape) == 2 or bias else None for shape in shapes]


def _shapes(gates: int, inputs: int, hidden: int, projected: int) -> list[tuple[int, ...]]:
    rows = gates * hidden
    shapes = [(rows, inputs), (rows, projected or hidden), (rows,), (rows,)]
    return [*shapes, (projected, hidden)] if projected else shapes


# --- layers ---------------------------------------------------------------------------------------


class _Layers(_Step):
    """Layers one after the other, each perhaps in both directions.

    Inputs are [steps, batch, features], with `batch_first` [batch, steps, features], or without a
    batch; states are [layers * directions, batch, hidden].
    """

    NAMES: ClassVar[tuple[str, ...]] = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
    proj_size = 0

    @checked
    def __init__(
        self,
        input_size: Natural,
        hidden_size: Count,
        num_layers: Stacked = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: Chance = 0.0,
        bidirectional: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        check_room(_shapes(self.GATES, 0, hidden_size, self.proj_size), num_layers)
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else self._shown * len(self._directions)
            for direction in self._directions:
                made = _weights(self.GATES, inputs, hidden_size, bias, dtype, self.proj_size)
                for name, weight in zip(self.NAMES, made, strict=False):
                    setattr(self, f"{name}_l{layer}{direction}", weight)

    @property
    def _directions(self) -> tuple[str, ...]:
        return ("", "_reverse") if self.bidirectional else ("",)

    @property
    def _shown(self) -> int:
        """How many elements of a step are shown to the next one and the next layer."""
        return self.proj_size or self.hidden_size

    def run(self, x: Tensor, states: Sequence[ArrayLike] | None) -> tuple[Tensor, State]:
        """All steps' hidden states, and the states after the last."""
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size:
            refuse(self, f"of {self.input_size} features", x)
        is_alone = x.ndim == 2
        batch_axis = 0 if self.batch_first else 1
        x = expand_dims(x, axis=batch_axis) if is_alone else x
        x = x.permute_dims(1, 0, 2) if self.batch_first else x
        given = None if states is None else [as_tensor(each) for each in states]
        if given is not None and is_alone:
            given = [expand_dims(each, axis=1) for each in given]
        self._check_states(x, given or [])
        ends: list[State] = []
        for layer in range(self.num_layers):
            x, after = self._layer(x, layer, given)
            ends += after
        last = [stack(list(each)) for each in zip(*ends, strict=True)]
        x = x.permute_dims(1, 0, 2) if self.batch_first else x
        if is_alone:
            return x.squeeze(batch_axis), [each.squeeze(1) for each in last]
        return x, last

    def _check_states(self, x: Tensor, states: State) -> None:
        layers = self.num_layers * len(self._directions)
        for each, size in zip(states, (self._shown, self.hidden_size), strict=False):
            wanted = (layers, x.shape[1], size)
            if each.shape != wanted:
                shape = graph.as_text([Expr.of(layers), x.extents[1], Expr.of(size)])
                refuse(self, f"takes states {shape} to start with", each)

    def _layer(self, x: Tensor, layer: int, states: State | None) -> tuple[Tensor, list[State]]:
        outputs: list[Tensor] = []
        ends: list[State] = []
        for k, direction in enumerate(self._directions):
            place = layer * len(self._directions) + k
            start = None if states is None else [each[place] for each in states]
            output, end = self._direction(x, f"_l{layer}{direction}", start)
            outputs.append(output)
            ends.append(end)
        return (outputs[0] if len(outputs) == 1 else concat(outputs, axis=-1)), ends

    def _direction(self, x: Tensor, suffix: str, start: State | None) -> tuple[Tensor, State]:
        of_input, of_state, bias, own_bias, projection = (
            cast(Array, getattr(self, name + suffix, None)) for name in self.NAMES
        )
        steps, batch, _ = x.shape
        shares = linear.linear(x, of_input, bias)  # the input's, of all steps at once
        if is_backward := suffix.endswith("_reverse"):
            shares = flip(shares, axis=0)
        room = zeros((steps, batch, self._shown), dtype=x.dtype)
        if start is None:
            sizes = (self._shown, self.hidden_size)[: self.STATES]
            start = [zeros((batch, size), dtype=x.dtype) for size in sizes]

        def step(i: Tensor, state: State, filled: Tensor) -> tuple[State, Tensor]:
            own = linear.linear(state[0], of_state, own_bias)
            after = self.step(take(shares, i, axis=0), own, state)
            if self.proj_size:
                after[0] = linear.linear(after[0], projection)
            return after, dynamic_update_slice(filled, expand_dims(after[0], axis=0), [i, 0, 0])

        end, outputs = fori_loop(0, as_tensor(steps), step, start, room)
        return (flip(outputs, axis=0) if is_backward else outputs), end


class RNN(_Layers, _Plain):
    """Layers of `tanh` or `relu` of what comes in and the state; see `LSTM`."""

    @checked
    def __init__(
        self,
        input_size: Natural,
        hidden_size: Count,
        num_layers: Stacked = 1,
        nonlinearity: Literal["tanh", "relu"] = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: Chance = 0.0,
        bidirectional: bool = False,
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(
            *(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional),
            dtype=dtype,
        )
        self.nonlinearity: Literal["tanh", "relu"] = nonlinearity

    def forward(self, x: Tensor, hx: ArrayLike | None = None) -> tuple[Tensor, Tensor]:
        output, (hidden,) = self.run(x, None if hx is None else [hx])
        return output, hidden


class GRU(_Layers, _Gated):
    """Layers whose state is updated and reset by gates; see `LSTM`."""

    def forward(self, x: Tensor, hx: ArrayLike | None = None) -> tuple[Tensor, Tensor]:
        output, (hidden,) = self.run(x, None if hx is None else [hx])
        return output, hidden


class LSTM(_Layers, _LongShort):
    """Layers with a cell's state beside the hidden one: [steps, batch, features] to the same of
    the last layer's hidden states, and the states in the end, [layers * directions, batch, hidden].

    With `proj_size` the hidden states are projected to so many elements.
    """

    @checked
    def __init__(
        self,
        input_size: Natural,
        hidden_size: Count,
        num_layers: Stacked = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: Chance = 0.0,
        bidirectional: bool = False,
        proj_size: Natural = 0,
        dtype: DTypeLike = "float32",
    ) -> None:
        if proj_size >= hidden_size:
            fail(f"proj_size is from 0 to below the hidden size {hidden_size}, got {proj_size}")
        self.proj_size = proj_size
        super().__init__(
            *(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional),
            dtype=dtype,
        )

    def forward(
        self, x: Tensor, hx: tuple[ArrayLike, ArrayLike] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        output, (hidden, cell) = self.run(x, hx)
        return output, (hidden, cell)


# --- single steps ---------------------------------------------------------------------------------


class _Cell(_Step):
    """One step: the input [batch, features], or without a batch, and the state."""

    weight_ih: Array
    weight_hh: Array
    bias_ih: Array | None
    bias_hh: Array | None

    @checked
    def __init__(
        self,
        input_size: Natural,
        hidden_size: Count,
        bias: bool = True,
        dtype: DTypeLike = "float32",
    ) -> None:
        made = _weights(self.GATES, input_size, hidden_size, bias, dtype)
        self.input_size, self.hidden_size = input_size, hidden_size
        self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh = made

    def advance(self, x: Tensor, states: Sequence[ArrayLike] | None) -> State:
        """The next state; it starts with zeros."""
        if states is None:
            empty = zeros((*x.shape[:-1], self.hidden_size), dtype=x.dtype)
            states = [empty] * self.STATES
        state = [as_tensor(each) for each in states]
        if not x.ndim or x.shape[-1] != self.input_size:
            refuse(self, f"of {self.input_size} features", x)
        for each in state:
            if each.shape != (*x.shape[:-1], self.hidden_size):
                refuse(self, f"takes states of {self.hidden_size} elements to start with", each)
        given = linear.linear(x, self.weight_ih, self.bias_ih)
        return self.step(given, linear.linear(state[0], self.weight_hh, self.bias_hh), state)


class RNNCell(_Cell, _Plain):
    """One step of `RNN`."""

    @checked
    def __init__(
        self,
        input_size: Natural,
        hidden_size: Count,
        bias: bool = True,
        nonlinearity: Literal["tanh", "relu"] = "tanh",
        dtype: DTypeLike = "float32",
    ) -> None:
        super().__init__(input_size, hidden_size, bias, dtype)
        self.nonlinearity: Literal["tanh", "relu"] = nonlinearity

    def forward(self, x: Tensor, hx: ArrayLike | None = None) -> Tensor:
        return self.advance(x, None if hx is None else [hx])[0]


class GRUCell(_Cell, _Gated):
    """One step of `GRU`."""

    def forward(self, x: Tensor, hx: ArrayLike | None = None) -> Tensor:
        return self.advance(x, None if hx is None else [hx])[0]


class LSTMCell(_Cell, _LongShort):
    """One step of `LSTM`."""

    def forward(
        self, x: Tensor, hx: tuple[ArrayLike, ArrayLike] | None = None
    ) -> tuple[Tensor, Tensor]:
        hidden, cell = self.advance(x, hx)
        return hidden, cell
