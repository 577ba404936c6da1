"""A program in a GPU, called with arrays of the host or of the GPU.

Arrays of the host go there and back again, and the call returns with the results. Where an input is
in the GPU already, nothing waits: the results are arrays of the GPU, still being computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from teenyir.diagnostics import RunError
from teenyir.runtime.compiled import Compiled, Plan, Shown, as_array, ready
from teenyir.runtime.cuda.arrays import DeviceArray, adopt, empty, is_on_gpu, lenders, upload
from teenyir.runtime.cuda.driver import Session
from teenyir.runtime.cuda.program import Bound, OnDevice
from teenyir.runtime.stages import Way


class CompiledOnDevice(Compiled):
    """A program in a GPU, as `Compiled` is one of the CPU."""

    entry: OnDevice

    def __init__(
        self,
        entry: OnDevice,
        parameters: Mapping[str, Any] | None = None,
        asm: Mapping[str, str] | None = None,
        gather: Callable[[list[Any]], Any] | None = None,
        way: Way | None = None,
    ):
        """As that of `Compiled`; parameters go to the GPU at once."""
        super().__init__(entry, parameters, asm, gather, way)
        with entry.session.entered():
            self._fixed = [
                None if array is None else upload(entry.session, array) for array in self._fixed
            ]

    def __call__(
        self,
        *inputs: Any,
        dims: Mapping[str, int] | None = None,
        out: Any = None,
        **named: Any,
    ) -> Any:
        """Run on the inputs, in order or by name, as `Compiled` does.

        Where one of them, or of `out`, is in the GPU (it has `__dlpack__` or the CUDA Array
        Interface), it is used where it lies, others are copied there, and the outputs are
        `DeviceArray`s, or those of `out`; the call does not wait for them.
        """
        several = isinstance(out, tuple | list)
        given: list[Any] = list(cast(Sequence[Any], out)) if several else [out]
        if not any(map(is_on_gpu, (*inputs, *named.values(), *given))):
            return super().__call__(*inputs, dims=dims, out=out, **named)
        arrays, plan = self._on_gpu(inputs, named, dims)
        with self.entry.session.entered():
            outputs = self._outputs(plan) if out is None else self._given(given, plan, arrays)
            self.entry.launch(plan, _places(arrays), _places(outputs))
            if out is not None:
                self._copy_views(plan, arrays, outputs)
            _keep_what_is_lent(self.entry.session, [*arrays, *outputs])
        return self._gather(_shown(plan, arrays, outputs) if out is None else given)

    def capture(
        self, *inputs: Any, dims: Mapping[str, int] | None = None, **named: Any
    ) -> Captured:
        """The program bound to these inputs, for the extents that they have, as one CUDA graph.

        What is not in the GPU is copied there once. To run on other values, write them into the
        same arrays, which must stay where they are; the outputs are always the same.
        """
        arrays, plan = self._on_gpu(inputs, named, dims)
        with self.entry.session.entered():
            outputs = self._outputs(plan)
            bound = self.entry.bind(plan, _places(arrays), _places(outputs))
        results = self._gather(_shown(plan, arrays, outputs))
        return Captured(bound, arrays, outputs, results)

    def to_device(self, array: Any) -> DeviceArray:
        """A copy of an array in the memory of the GPU that the program is in."""
        with self.entry.session.entered():
            return upload(self.entry.session, ready(np.asarray(array)))

    def _on_gpu(
        self, inputs: Sequence[Any], named: Mapping[str, Any], dims: Mapping[str, int] | None
    ) -> tuple[list[DeviceArray], Plan]:
        """Every input in the GPU, parameters among them, and the plan for their shapes."""
        session = self.entry.session
        own: list[Any] = []
        for value, argument in zip(self._arranged(inputs, named), self.inputs, strict=True):
            try:
                own.append(adopt(session, value) if is_on_gpu(value) else as_array(value, argument))
            except RunError as problem:
                raise RunError(f"input '{argument.name}': {problem}") from None
        plan = self._plan(own, dims)
        arrays: list[DeviceArray] = list(self._fixed)
        with session.entered():
            for place, array in zip(self._places, own, strict=True):
                is_there = isinstance(array, DeviceArray)
                arrays[place] = array if is_there else upload(session, ready(array))
        return arrays, plan

    def _outputs(self, plan: Plan) -> list[DeviceArray]:
        return [
            empty(self.entry.session, shape, argument.dtype.numpy())
            for shape, argument in zip(plan.outputs, self.signature.outputs, strict=True)
        ]

    def _given(
        self, out: Sequence[Any], plan: Plan, read: Sequence[DeviceArray]
    ) -> list[DeviceArray]:
        """Arrays of the GPU to write into. Raises RunError for what does not fit."""
        if len(out) != len(self.signature.outputs):
            raise RunError(
                f"@{self.signature.entry} has {len(self.signature.outputs)} outputs, got {len(out)}"
            )
        shapes = list(plan.outputs)
        for view in plan.views:
            shapes[view.output] = view.shape
        found: list[DeviceArray] = []
        for value, argument, shape in zip(out, self.signature.outputs, shapes, strict=True):
            problem = "it is no array of the GPU"
            if is_on_gpu(value):
                array = adopt(self.entry.session, value)
                problem = _why_not_into(array, shape, argument.dtype.numpy(), [*read, *found])
                found.append(array)
            if problem is not None:
                raise RunError(f"output '{argument.name}' cannot be written into `out`: {problem}")
        return found

    def _copy_views(
        self, plan: Plan, arrays: Sequence[DeviceArray], outputs: Sequence[DeviceArray]
    ) -> None:
        """Fill the outputs that show inputs, which nothing computes."""
        session = self.entry.session
        for view in plan.views:
            part = _part(view, arrays[view.source])
            if part.size:
                session.driver.memcpy_dtod_async(
                    outputs[view.output].address, part.address, part.nbytes, session.stream
                )


class Captured:
    """A program bound to arrays of a GPU, as one graph. A call puts it into the stream, waits for
    nothing, and returns the outputs: the same arrays every time."""

    def __init__(
        self,
        bound: Bound,
        inputs: Sequence[DeviceArray],
        buffers: Sequence[DeviceArray],
        outputs: Any,
    ):
        self._bound = bound
        self._session = bound.session
        self.inputs = tuple(inputs)
        """All that it reads, parameters among it."""
        self._buffers = tuple(buffers)
        self._foreign = lenders(inputs)[0]
        self.outputs = outputs
        """As a call of the program returns them."""

    def __call__(self) -> Any:
        """Run it on what its inputs hold, when what writes them is done.

        Raises RunError where an array of another library is not where it was.
        """
        self._wait_for_inputs()
        with self._session.entered():
            self._bound.launch()
            _keep_what_is_lent(self._session, self._foreign)
        return self.outputs

    def _wait_for_inputs(self) -> None:
        for array in self._foreign:
            if adopt(self._session, array.source).address != array.address:
                raise RunError("an input of a captured program is at another place by now")

    def seconds(self, times: int = 1) -> float:
        """How long a run takes in the GPU, by events round `times` of them. Waits for all."""
        self._wait_for_inputs()
        with self._session.entered():
            start, end = self._session.driver.Event(), self._session.driver.Event()
            start.record(self._session.stream)
            for _ in range(times):
                self._bound.launch()
            end.record(self._session.stream)
            end.synchronize()
            seconds = end.time_since(start) * 1e-3 / times
            del start, end  # pycuda gives them back while the context is current
            return seconds


def _keep_what_is_lent(session: Session, arrays: Sequence[DeviceArray]) -> None:
    """Have other libraries leave alone what they lent until it is read or written."""
    foreign, streams = lenders(arrays)
    if foreign:
        session.keep(foreign, streams)


def _places(arrays: Sequence[DeviceArray]) -> list[int]:
    return [array.address for array in arrays]


def _part(view: Shown, source: DeviceArray) -> DeviceArray:
    """The part of an input that an output shows, which cannot be written."""
    address = source.address + view.part.start * source.dtype.itemsize
    return DeviceArray(source.session, view.shape, source.dtype, address, source, writable=False)


def _shown(
    plan: Plan, inputs: Sequence[DeviceArray], outputs: Sequence[DeviceArray]
) -> list[DeviceArray]:
    """The outputs, with parts of inputs where they show these."""
    shown = {view.output: _part(view, inputs[view.source]) for view in plan.views}
    return [shown.get(number, array) for number, array in enumerate(outputs)]


def _why_not_into(
    array: DeviceArray,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    others: Sequence[DeviceArray],
) -> str | None:
    """Why results of a shape and dtype cannot be written into an array; None if they can."""
    if array.shape != shape:
        return f"it has the shape {array.shape}, not {shape}"
    if array.dtype != dtype:
        return f"it is of {array.dtype}, not {dtype}"
    if not array.writable:
        return "it is read-only"
    for other in others:
        first, last = sorted((array, other), key=lambda each: each.address)
        if first.nbytes and last.nbytes and first.address + first.nbytes > last.address:
            return "it shares memory with an input or another output"
    return None
