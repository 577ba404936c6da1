"""Connectionist temporal classification: all ways to spell a target, summed in one pass over time.

Graves et al., "Connectionist temporal classification" (2006), equations 6 to 8, in logarithms. A
target of n labels has 2 n + 1 states: its labels, and a blank before, between and after them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from teenyir.dialects import dtypes
from teenyir.frontend.arguments import checked
from teenyir.frontend.control import fori_loop
from teenyir.frontend.core import ArrayLike, as_tensor, cast_to, composite
from teenyir.frontend.creation import arange, full, zeros_like
from teenyir.frontend.elementwise import (
    add,
    divide,
    equal,
    exp,
    floor_divide,
    less,
    log,
    maximum,
    not_equal,
    remainder,
    subtract,
    where,
)
from teenyir.frontend.errors import fail
from teenyir.frontend.gathering import as_indices, take, take_along_axis
from teenyir.frontend.losses import Reduction, reduced
from teenyir.frontend.movement import concat, expand_dims, squeeze
from teenyir.frontend.reductions import computing
from teenyir.frontend.scans import scan

if TYPE_CHECKING:
    from teenyir.frontend.tensor import Tensor


@checked
@composite("ctc_loss")
def ctc_loss(
    log_probs: ArrayLike,
    targets: ArrayLike,
    input_lengths: ArrayLike,
    target_lengths: ArrayLike,
    /,
    *,
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The negative of the logarithm of the chance to read a target off steps in time.

    `log_probs` is [steps, batch, classes] or, without a batch, [steps, classes]; `targets` [batch,
    labels], or all labels in a row; the lengths say how many steps and labels count, one for each.
    The mean is that of losses divided by their numbers of labels. A target that no way leads to
    costs infinity, or with `zero_infinity` nothing.
    """
    tensor, labels = as_tensor(log_probs), as_indices(targets, "ctc_loss")
    lengths = [
        cast_to(as_indices(n, "ctc_loss"), dtypes.INT64) for n in (input_lengths, target_lengths)
    ]
    if is_alone := tensor.ndim == 2:
        lengths = [n.reshape((1,)) for n in lengths]
        labels = labels.reshape((1, -1))
    logs = computing(expand_dims(tensor, axis=1) if is_alone else tensor)
    if logs.ndim != 3 or labels.ndim not in (1, 2) or any(n.ndim != 1 for n in lengths):
        fail(
            "ctc_loss takes [steps, batch, classes], [batch, labels] and two lengths for each, "
            f"got {tensor.shape}, {labels.shape}, {lengths[0].shape} and {lengths[1].shape}"
        )
    steps, spelled = lengths
    rows = cast_to(labels, dtypes.INT64)
    losses = _losses(
        logs, rows if labels.ndim == 2 else _rows(rows, spelled), steps, spelled, blank
    )
    if zero_infinity:
        losses = where(equal(losses, math.inf), 0.0, losses)
    if reduction == "mean":
        losses = divide(losses, cast_to(maximum(spelled, 1), losses.dtype))
    losses = squeeze(losses, 0) if is_alone and reduction == "none" else losses
    return reduced(losses, tensor.dtype, reduction)


def _rows(labels: Tensor, lengths: Tensor) -> Tensor:
    """Labels in a row as [batch, labels]; what is after the last of each does not matter."""
    first = expand_dims(scan("add", lengths, axis=0, exclusive=True), axis=1)
    return take(labels, add(first, arange(labels.shape[0])), axis=0)


def _losses(logs: Tensor, labels: Tensor, steps: Tensor, spelled: Tensor, blank: int) -> Tensor:
    _, batch, _ = logs.shape
    state = arange(labels.shape[1] * 2 + 1)
    is_label = equal(remainder(state, 2), 1)
    after = concat([labels, full((batch, 1), blank, dtype=labels.dtype)], axis=1)
    letters = where(is_label, take(after, floor_divide(state, 2), axis=1), blank)
    # a blank between two labels may be left out unless they are the same
    before = _moved(letters, 2, blank)
    skips = is_label & not_equal(letters, before)
    sounds = take_along_axis(logs, expand_dims(letters, axis=0), axis=2)  # [steps, batch, states]
    none = zeros_like(sounds[0]) - math.inf
    start = where(equal(state, 0), 0.0, none)  # before the first step

    def step(i: Tensor, ways: Tensor) -> Tensor:
        skipped = where(skips, _moved(ways, 2, -math.inf), -math.inf)
        come = _summed([ways, _moved(ways, 1, -math.inf), skipped])
        return where(expand_dims(less(i, steps), axis=1), add(come, take(sounds, i, axis=0)), ways)

    ways = fori_loop(0, as_tensor(logs.shape[0]), step, start)
    last = expand_dims(spelled * 2, axis=1)
    ends = take_along_axis(ways, last, axis=1), take_along_axis(ways, maximum(last - 1, 0), axis=1)
    label_end = where(equal(last, 0), -math.inf, ends[1])
    return -squeeze(_summed([ends[0], label_end]), 1)


def _moved(x: Tensor, count: int, value: float) -> Tensor:
    """[batch, states] with a value in front, and as many states less at the end."""
    front = full((x.shape[0], count), value, dtype=x.dtype)
    return concat([front, x], axis=1)[:, : x.shape[1]]


def _summed(logs: list[Tensor]) -> Tensor:
    """The logarithm of the sum of what logarithms stand for; minus infinity stands for 0."""
    most = logs[0]
    for each in logs[1:]:
        most = maximum(most, each)
    most = where(equal(most, -math.inf), 0.0, most)
    total = exp(subtract(logs[0], most))
    for each in logs[1:]:
        total = add(total, exp(subtract(each, most)))
    return add(log(total), most)
