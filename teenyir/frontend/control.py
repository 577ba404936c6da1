"""Branches and loops whose course a tensor decides, and kernels written by hand.

Functions that are given are traced once, each into a region of its own, whether it will run or
not. What they use from around them (tensors, numpy arrays, modules) they see as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Block, Region

from teenyir.dialects import dtypes, graph, kernel
from teenyir.frontend.arguments import checked
from teenyir.frontend.core import (
    ArrayLike,
    TensorBase,
    Trace,
    as_tensor,
    current,
    is_scalar,
    promoted,
)
from teenyir.frontend.elementwise import add, less
from teenyir.frontend.errors import fail
from teenyir.frontend.tensor import Tensor
from teenyir.frontend.trees import Tree, flatten
from teenyir.pipeline.ir import parse_module


@checked
def cond(
    pred: ArrayLike,
    true_function: Callable[..., Any],
    false_function: Callable[..., Any],
    /,
    *operands: Any,
) -> Any:
    """`true_function(*operands)` where `pred` holds, otherwise `false_function(*operands)`.

    Only one of them is computed. `pred` is a boolean of rank 0; an operand is a tensor, or a tuple,
    list or dict of them. Both functions return the same nest of tensors of the same dtypes and
    shapes; a Python number takes those of the other side. Raises TraceError where they differ.
    """
    trace = current()
    condition = _condition(as_tensor(pred), "the condition of a branch")
    blocks = Block(), Block()
    found: list[tuple[list[Any], Tree]] = []
    for function, block in zip((true_function, false_function), blocks, strict=True):
        with trace.inside(block):
            found.append(flatten(function(*operands)))
    (one, tree), (other, other_tree) = found
    if tree != other_tree:
        fail(f"the branches return {_nest(tree)} and {_nest(other_tree)}")
    if not one:
        fail("the branches return no tensor")
    for block, leaves, others in ((blocks[0], one, other), (blocks[1], other, one)):
        with trace.inside(block):
            pairs = zip(leaves, others, strict=True)
            leaves[:] = [_lifted(trace, leaf, like) for leaf, like in pairs]
            trace.insert(graph.YieldOp([leaf.value for leaf in leaves]))
    for path, a, b in zip(tree.paths(), one, other, strict=True):
        if a.type != b.type:
            what = f"{path} as " if path else ""
            fail(f"the branches return {what}{_type(a)} and {_type(b)}; both are to be alike")
    regions = (Region(block) for block in blocks)
    return tree.build(trace.insert(graph.IfOp(condition.value, *regions)))


@checked
def while_loop(condition: Callable[..., ArrayLike], body: Callable[..., Any], /, *init: Any) -> Any:
    """What is left of `init` by `value = body(value)` while `condition(value)` holds.

    `condition` returns a boolean of rank 0. What is carried is a tensor, or a tuple, list or dict
    of them; the body returns the same nest, of the same dtypes and shapes. With several initial
    values both functions take as many arguments, and the body returns a tuple of as many.

    Raises TraceError where the body returns something else than it takes.
    """
    single = len(init) == 1
    carried = init[0] if single else init

    def go_on(value: Any) -> ArrayLike:
        return condition(value) if single else condition(*value)

    def step(value: Any) -> Any:
        return body(value) if single else _as_tuple(body(*value))

    return _loop(current(), carried, go_on, step)


@checked
def fori_loop(lower: ArrayLike, upper: ArrayLike, body: Callable[..., Any], /, *init: Any) -> Any:
    """What is left of `init` by `value = body(i, value)` for each i from `lower` to `upper`.

    The bounds are integers of rank 0, or Python numbers and dims, which count in int64; `upper` is
    not reached. The rest is as in `while_loop`.
    """
    trace = current()
    start, stop = promoted(lower, upper)
    for bound in (start, stop):
        if bound.dtype.kind not in ("int", "uint") or bound.ndim:
            fail(f"a bound of a loop is an integer of rank 0, got {_type(bound)}")
    single = len(init) == 1
    carried = init[0] if single else init
    leaves, tree = _tensors(carried)

    def step(state: Any) -> Any:
        i, value = state
        after = body(i, value) if single else _as_tuple(body(i, *value))
        return add(i, 1), tree.build(_carried(trace, after, leaves, tree))

    return _loop(trace, (start, tree.build(leaves)), lambda state: less(state[0], stop), step)[1]


@checked
def custom_call(text: str, /, *operands: ArrayLike) -> Any:
    """The results of a kernel written as IR: text that holds one `kernel.func`.

    The operands are its `in` and `inout` buffers, the results its `out` and `inout` ones, each in
    order: one tensor, or a tuple of them. Its named extents are those of the traced function.
    Signless integers are signed ones in the results.

    Raises CompileError where the text is no such kernel, and TraceError where another kernel of
    its name is called already.
    """
    trace = current()
    func = _kernel_of(text)
    name = func.sym_name.data
    known = trace.kernels.setdefault(name, func)
    if name == "main" or not known.is_structurally_equivalent(func):
        fail(f"@{name} is the name of something else in this program")
    types = [_tensor_type(buffer.type) for mode, buffer in func.buffers if mode in graph.GIVEN]
    tensors = [as_tensor(operand) for operand in operands]
    op = graph.CustomCallOp(name, [tensor.value for tensor in tensors], types)
    results = trace.insert(op)
    return results[0] if len(results) == 1 else tuple(results)


# --- loops ----------------------------------------------------------------------------------------


def _loop(
    trace: Trace,
    init: Any,
    condition: Callable[[Any], ArrayLike],
    step: Callable[[Any], Any],
) -> Any:
    """A `graph.while` over a nest."""
    leaves, tree = _tensors(init)
    values = [leaf.value for leaf in leaves]
    head, body = graph.WhileOp.block(values), graph.WhileOp.block(values)
    with trace.inside(head) as arguments:
        going = as_tensor(condition(tree.build(arguments)))
        holds = _condition(going, "the condition of a loop")
        trace.insert(graph.YieldOp([holds.value]))
    with trace.inside(body) as arguments:
        after = _carried(trace, step(tree.build(arguments)), leaves, tree)
        trace.insert(graph.YieldOp([leaf.value for leaf in after]))
    return tree.build(trace.insert(graph.WhileOp(values, Region(head), Region(body))))


def _tensors(nest: Any) -> tuple[list[Tensor], Tree]:
    leaves, tree = flatten(nest)
    if not leaves:
        fail("a loop carries one tensor at least")
    return [as_tensor(leaf) for leaf in leaves], tree


def _carried(trace: Trace, nest: Any, before: Sequence[Tensor], tree: Tree) -> list[Tensor]:
    """The leaves of what a body returns, which are to be like those that it takes."""
    leaves, found = flatten(nest)
    if found != tree:
        fail(f"the body takes {_nest(tree)} and returns {_nest(found)}")
    after = [_lifted(trace, leaf, like) for leaf, like in zip(leaves, before, strict=True)]
    for path, taken, given in zip(tree.paths(), before, after, strict=True):
        if taken.type != given.type:
            what = f"{path} as " if path else ""
            fail(f"the body takes {what}{_type(taken)} and returns {_type(given)}")
    return after


def _as_tuple(result: Any) -> Any:
    return tuple(cast("list[Any]", result)) if isinstance(result, list) else result


# --- what both have -------------------------------------------------------------------------------


def _condition(value: Tensor, what: str) -> Tensor:
    if value.dtype != dtypes.BOOL or value.ndim:
        fail(f"{what} is a boolean of rank 0, got {_type(value)}")
    return value


def _lifted(trace: Trace, leaf: Any, like: Any) -> Tensor:
    """A leaf as a tensor; a number takes dtype and extents of a tensor in the same place."""
    if is_scalar(leaf) and isinstance(like, TensorBase):
        return trace.broadcast(as_tensor(leaf, like.dtype), like.extents)
    return as_tensor(leaf)


def _type(tensor: TensorBase) -> str:
    return f"{tensor.dtype}{graph.as_text(tensor.extents)}"


def _nest(tree: Tree) -> str:
    """A nest in words: `(tensor, [tensor, tensor])`."""
    if tree.container is None:
        return "a tensor"
    inner = [(key, _nest(branch).removeprefix("a ")) for key, branch in tree.branches]
    if tree.container is dict:
        return f"{{{', '.join(f'{key}: {text}' for key, text in inner)}}}"
    opened, closed = "[]" if tree.container is list else "()"
    return f"{opened}{', '.join(text for _, text in inner)}{closed}"


# --- kernels --------------------------------------------------------------------------------------


def _kernel_of(text: str) -> kernel.FuncOp:
    found = list(parse_module(text, "<kernel>").body.block.ops)
    if len(found) != 1 or not isinstance(found[0], kernel.FuncOp):
        fail("a custom call takes the text of one kernel.func")
    found[0].detach()
    return found[0]


def _tensor_type(buffer: Any) -> graph.Tensor:
    assert isinstance(buffer, kernel.BufferType)  # the parser has seen to it
    return graph.tensor(buffer.element, buffer.extents)
