"""`ty.jit`: a function or model that is traced and compiled when it is first called.

    fast = ty.jit(model)
    y = fast(x)                         # traces, compiles, runs
    y = fast(x[:5])                     # runs: the program is for every number of rows

The leading extent of the first input, and the leading extents that equal it, become the named
extent `N`, so that one program serves every size of a batch. Where the function does not allow
that (it needs the number itself), the program is for these very shapes.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from teenyir.diagnostics import CompileError
from teenyir.forking import renewed, tell_child
from teenyir.frontend.arguments import shown
from teenyir.frontend.core import check_unmasked
from teenyir.frontend.dims import Dim, Extent, Spec
from teenyir.frontend.errors import fail
from teenyir.frontend.nn.module import Module
from teenyir.frontend.tracing import Traced, trace
from teenyir.frontend.trees import Leaf, Tree, flatten
from teenyir.runtime.compiled import Compiled
from teenyir.runtime.lowered import CUDA, Lowered, parse_target

BATCH = Dim("N", min=1)
"""What the leading extents are called."""

MOST_MET = 1024
"""Shapes that are remembered; beyond that all are forgotten, and found again when needed."""

Layout: TypeAlias = "tuple[Tree, tuple[tuple[Any, tuple[Extent | None, ...]], ...]]"
"""A nest, and the dtype and extents of each leaf; None for the extent of the batch."""


class Jit:
    """What `ty.jit` gives: called with arrays, or nests of them, as the function is.

    Parameters keep the values that they have when a program is compiled. Several threads may call.
    """

    def __init__(self, function: Callable[..., Any], target: str = "cpu") -> None:
        """`target` is what to compile for, as in `Traced.lower`."""
        if not callable(cast(object, function)):
            fail(f"what is compiled is a function or a module, got {shown(function)}")
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.target = target
        self._is_for_gpu = parse_target(target)[0] == CUDA
        self._compiled: dict[Layout, Compiled] = {}
        self._met: dict[tuple[tuple[Any, Any], ...], Compiled] = {}
        """The programs of arrays that came as they are: by dtype and shape of each."""
        self._refused: set[Layout] = set()
        """Layouts that there is no program for, since the function needs the size of the batch."""
        self._lock = threading.RLock()
        tell_child(self)

    def forked(self) -> None:
        """What another thread was about to compile, the child of a fork compiles by itself."""
        self._lock = renewed(self._lock)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickled are the function and the target; what is compiled is compiled anew."""
        name = getattr(self, "__qualname__", "")
        found: object = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:  # of a decorated function, in a class or not, which has this name
            return name
        return Jit, (self.function, self.target)

    def __call__(self, *inputs: Any, out: Any = None, **named: Any) -> Any:
        """What the function computes of these arrays, passed in order or by name.

        `out` are arrays to write the results into, as in `Compiled`. Raises TraceError where an
        input is no array, and CompileError where the function cannot be compiled.
        """
        if not named:
            try:
                # Of what is no array the dtype or the shape is missing, or no key of these.
                met = self._met[tuple([(array.dtype, array.shape) for array in inputs])]
            except (AttributeError, KeyError, TypeError):
                pass
            else:
                return met(*inputs) if out is None else met(*inputs, out=out)
        leaves, tree = flatten(self._in_order(inputs, named))
        if self._is_for_gpu:
            leaves = _adopted(leaves)
        general, exact = _layouts(leaves, tree)
        program = self._compiled.get(general) or self._compiled.get(exact)
        program = program or self._compile(general, exact)
        if all(type(array) is np.ndarray for array in inputs) and not named:
            if len(self._met) >= MOST_MET:
                self._met.clear()
            self._met[exact[1]] = program
        return program(*leaves) if out is None else program(*leaves, out=out)

    def trace(self, *examples: Any) -> Traced:
        """The program on the graph floor for specs, whose extents stay as they are, or arrays."""
        general, exact = _layouts(*flatten(list(examples)))
        try:
            return self._trace(general)
        except CompileError:
            return self._trace(exact)

    def lower(self, *examples: Any) -> Lowered:
        """That program lowered for the target."""
        return self.trace(*examples).lower(self.target)

    def _in_order(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        if not named:
            return list(inputs)
        target = self.function.forward if isinstance(self.function, Module) else self.function
        try:
            bound = inspect.signature(target).bind(*inputs, **named)
        except TypeError as problem:
            fail(f"the inputs do not suit the function: {problem}")
        if bound.kwargs:
            fail(f"'{next(iter(bound.kwargs))}' is keyword-only: inputs are passed by position")
        return list(bound.args)

    def _compile(self, general: Layout, exact: Layout) -> Compiled:
        """Make a program for every size of a batch or, where there can be none, for this one."""
        with self._lock:
            if general not in self._refused:
                try:
                    return self._make(general)
                except CompileError:
                    self._refused.add(general)
            return self._make(exact)

    def _make(self, layout: Layout) -> Compiled:
        if layout not in self._compiled:  # another thread may have been first
            self._compiled[layout] = self._trace(layout).lower(self.target).compile()
        return self._compiled[layout]

    def _trace(self, layout: Layout) -> Traced:
        tree, leaves = layout
        specs = [
            Spec([BATCH if extent is None else extent for extent in shape], dtype)
            for dtype, shape in leaves
        ]
        return trace(self.function, *tree.build(specs))


def jit(function: Callable[..., Any], *, target: str = "cpu") -> Jit:
    """A function or model of tensors as one of arrays, compiled for `target` when it is called.

    One program serves every number of rows; `lower` shows its stages. Fits as a decorator.
    """
    return Jit(function, target)


def _adopted(leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, with a dtype and shape as numpy has them where they are in a GPU."""
    from teenyir.runtime.cuda.arrays import adopt, is_on_gpu
    from teenyir.runtime.cuda.driver import session

    return [adopt(session(), leaf) if is_on_gpu(leaf) else leaf for leaf in leaves]


def _is_array(leaf: Leaf) -> bool:
    check_unmasked(leaf)
    if isinstance(leaf, np.ndarray | np.generic | Spec):
        return True
    arrays = sys.modules.get("teenyir.runtime.cuda.arrays")
    return arrays is not None and isinstance(leaf, arrays.DeviceArray)


def _layouts(leaves: Sequence[Leaf], tree: Tree) -> tuple[Layout, Layout]:
    """The layout of inputs with their batch left open, and as it is. Specs stay as they are."""
    for leaf in leaves:
        if not _is_array(leaf):
            fail(f"an input is an array, or a ty.Spec to lower for; got {type(leaf).__name__}")
    exact = tuple((leaf.dtype, leaf.shape) for leaf in leaves)
    sizes = [leaf.shape[0] for leaf in leaves if not isinstance(leaf, Spec) and leaf.shape]
    if not sizes or not sizes[0]:
        return (tree, exact), (tree, exact)
    general = tuple(
        (dtype, shape if isinstance(leaf, Spec) else _open(shape, sizes[0]))
        for leaf, (dtype, shape) in zip(leaves, exact, strict=True)
    )
    return (tree, general), (tree, exact)


def _open(shape: tuple[int, ...], batch: int) -> tuple[int | None, ...]:
    return (None, *shape[1:]) if shape and shape[0] == batch else shape
