"""Which elements are computed in several loops over a row all the same, since these become one.

A row that is too long to be staged, or of any length, would be written: as the scores of attention,
which a maximum, the sum of the exponentials and the products all ask for. A target whose schedules
take a maximum and the sums relative to it in one pass over blocks of the row (`running-folds`)
computes and stages a block of it instead. Here is only decided what is worth trying: whether the
loops of the kernel become one is found out by doing it (`computes_once`), and where they do not,
the tensors are written after all. They may where

- each request has a loop of its own along one axis, the row, and the same index along the others,
  or, where nothing but maxima and sums is formed, loops over all of these axes: what is reduced
  along a middle axis is kept for each column, in further loops over the columns;
- what is asked for first, if it is no contraction itself, is relative to a maximum;
- a contraction is formed once for each row and each position along it;
- where it goes into products, the other factor has not its rows, so that many share it; and its
  elements take products too: a row that is in memory is as fast in a kernel of its own;
- what is asked for once more by the loops over the result, as softmax's exponentials are, is no
  contraction.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from teenyir.dialects import graph
from teenyir.dialects.expr import ZERO
from teenyir.lowering.graph_to_kernel.builder import extents_of
from teenyir.lowering.graph_to_kernel.costs import CONTRACTIONS
from teenyir.lowering.graph_to_kernel.joining import Kernels
from teenyir.lowering.graph_to_kernel.requests import Request


def may_run(kernels: Kernels, op: Operation, requests: Sequence[Request]) -> bool:
    """Whether the loops that ask for a row of an op may become one, that of a running fold."""
    root, *more = dict.fromkeys(request.root for request in requests)
    if more or any(request.gated or request.overlapping for request in requests):
        return False
    inner = _inner_axis(requests)
    if inner is None and not _is_product(op, requests):
        inner = _middle_axis(op, requests)
    if inner is None:
        return False
    extent = extents_of(op.results[0])[inner]
    for request in requests:
        if root.builder.loops.get(request.index[inner].name or "") != (ZERO, extent):
            return False
    if not all(_has_rows(request) for request in requests if request.multiplied):
        return False
    if type(op) in CONTRACTIONS:
        return all(
            request.index[inner].name not in root.axes and _is_of_rows(request)
            for request in requests
        )
    return root.rows is not None or _is_relative(kernels, op, requests, inner)


def rows_of(requests: Sequence[Request]) -> frozenset[str]:
    """The loops over the results of a kernel that each of the rows it asks for belongs to."""
    return frozenset(requests[0].root.axes).intersection(*(r.names for r in requests))


def _is_of_rows(request: Request) -> bool:
    """Whether a contraction is asked for once for each row that runs, and each position along it;
    or, where none does so far, for no products, which alone would not make it run."""
    root = request.root
    if root.rows is None:
        return not request.multiplied
    return root.rows <= request.names >= set(request.loops) - set(root.axes)


def _has_rows(request: Request) -> bool:
    """Whether a factor of products has rows, those that run, that the other factors have not."""
    beside = frozenset[str]().union(*(expr.names for _, at in request.beside for expr in at))
    own, rows = request.names - beside, request.root.rows
    return bool(request.beside and (own if rows is None else own & rows))


def _is_relative(kernels: Kernels, op: Operation, requests: Sequence[Request], inner: int) -> bool:
    """Whether a row is relative to a maximum; and, where it is for products, takes some itself.

    What a contraction makes is a row of its own, whatever maxima its operands are relative to.
    """
    has_maximum = False
    has_products = not any(request.multiplied for request in requests)
    for request in requests:
        for each, asked in kernels.needed(op, request, beyond=False):
            has_maximum |= type(each) is graph.ReduceOp and each.kind == "max"
            own = type(each) in CONTRACTIONS and request.index[inner].names <= asked.names
            has_products |= own
            if has_maximum and has_products:
                return True
    return False


def _is_product(op: Operation, requests: Sequence[Request]) -> bool:
    return type(op) in CONTRACTIONS or any(request.multiplied for request in requests)


def _middle_axis(op: Operation, requests: Sequence[Request]) -> int | None:
    """The axis along which requests have their innermost loops, where there are columns beside it;
    None where these are not whole."""
    root, extents = requests[0].root, extents_of(op.results[0])
    own = [request for request in requests if request.loops != root.axes]
    innermost = {axis for r in own for axis, expr in enumerate(r.index) if expr.name == r.loops[-1]}
    if len(innermost) != 1:
        return None
    (inner,) = innermost
    for axis, extent in enumerate(extents):
        indices = {request.index[axis] for request in requests}
        loops = [root.builder.loops.get(index.name or "") for index in indices]
        if axis != inner and len(indices) > 1 and any(loop != (ZERO, extent) for loop in loops):
            return None
    return inner


def _inner_axis(requests: Sequence[Request]) -> int | None:
    """The one axis along which requests have loops of their own; None where there are several."""
    first, *rest = requests
    axes = set(first.root.axes)
    inner = [
        axis
        for axis in range(len(first.index))
        if any(request.index[axis].names - axes for request in requests)
    ]
    if len(inner) != 1:
        return None
    others = [axis for axis in range(len(first.index)) if axis != inner[0]]
    same = all(request.index[axis] == first.index[axis] for request in rest for axis in others)
    return inner[0] if same else None
