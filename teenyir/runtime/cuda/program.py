"""A program's kernels in a GPU: loaded once, launched over buffers at given places."""

from __future__ import annotations

import struct
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from teenyir.analysis.signature import Signature
from teenyir.dialects import program
from teenyir.dialects.expr import ZERO
from teenyir.runtime.compiled import Array, Plan, Program
from teenyir.runtime.cuda.arrays import DeviceArray, empty, upload
from teenyir.runtime.cuda.driver import Memory, Pinned, Session, give_back
from teenyir.runtime.cuda.libcuda import Graph
from teenyir.runtime.cuda.steps import Addresses, Branch, Launch, Layout, Loop, Steps, launches
from teenyir.runtime.cuda_emulated import program_of
from teenyir.targets.cuda import Cuda

MOST_BINDINGS = 16
"""Values of the extents whose buffers for arrays of the host are kept."""


class Kernels:
    """The kernels of a program in a GPU."""

    def __init__(self, session: Session, function: program.FuncOp, ptx: str, gpu: Cuda | None):
        """`function` dispatches the kernels of `ptx`, which is for `gpu`; where there are none it
        is for None. The context is current. Raises CompileError where the GPU cannot run it."""
        self.session = session
        self.functions: dict[str, Any] = {}
        if gpu is None:
            return
        module = session.load(ptx, gpu)
        for op in function.body.walk():
            if isinstance(op, program.DispatchOp):
                name = op.kernel.string_value()
                self.functions[name] = module.get_function(name)
        weakref.finalize(self, _unload, session, [module, self.functions])

    def issue(self, steps: Steps, places: Addresses, stream: Any) -> None:
        """Put steps into a stream; the context is current. It waits where what is launched depends
        on what is computed."""
        for step in steps:
            match step:
                case Launch():
                    arguments = step.arguments(places)
                    function = self.functions[step.kernel]
                    function._launch_kernel(step.grid, step.block, arguments, 0, stream)
                case Branch():
                    holds = self._holds(places.of(step.condition), stream)
                    self.issue(step.then if holds else step.otherwise, places, stream)
                case Loop():
                    self.issue(step.cond, places, stream)
                    while self._holds(places.of(step.condition), stream):
                        self.issue(step.body, places, stream)
                        self.issue(step.cond, places, stream)

    def _holds(self, address: int, stream: Any) -> bool:
        """Whether a buffer of one i1 holds true, when what computes it is done."""
        value = bytearray(1)
        self.session.driver.memcpy_dtoh_async(value, address, stream)
        stream.synchronize()
        return bool(value[0])


class OnDevice(Program):
    """A program in a GPU, called with arrays of the host; its methods launch over any buffers."""

    def __init__(
        self, module: ModuleOp, signature: Signature, ptx: str, gpu: Cuda | None, session: Session
    ):
        """`module` holds the program that dispatches the kernels of `ptx`, which is for `gpu`; a
        program without kernels has neither. Raises CompileError where the GPU cannot run it."""
        function = program_of(module, signature.entry)
        super().__init__(signature, ZERO if function.arena is None else function.arena.data)
        self.session = session
        self.layout = Layout(function)
        self._staged: dict[bytes, list[_Staged]] = {}
        self._arena: Memory | None = None
        with session.entered():
            self.kernels = Kernels(session, function, ptx, gpu)
            self._constants = [upload(session, array) for array in self.layout.constants]

    def steps(self, plan: Plan) -> Steps:
        """What the program does for the extents of a plan."""
        names = [dim.name for dim in self.signature.dims]
        return self.layout.steps(
            dict(zip(names, struct.unpack(f"={len(names)}q", plan.dims), strict=True))
        )

    # --- over buffers of a GPU ------------------------------------------------------------------

    def launch(self, plan: Plan, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Put the program into the stream over buffers at these addresses, each a multiple of 16;
        the context is current."""
        with self.session.lock:
            if self._arena is None or self._arena.size < plan.arena:
                self._arena = None  # what it was is free before the new one is allocated
                self._arena = Memory(self.session, plan.arena)
            places = self._addresses(inputs, outputs, self._arena)
            self.kernels.issue(self.steps(plan), places, self.session.stream)

    def bind(self, plan: Plan, inputs: Sequence[int], outputs: Sequence[int]) -> Bound:
        """The program over buffers at these addresses, to be launched again and again. The
        context is current."""
        arena = Memory(self.session, plan.arena)
        places = self._addresses(inputs, outputs, arena)
        return Bound(self.kernels, self.steps(plan), places, (arena, self._constants))

    def _addresses(self, inputs: Sequence[int], outputs: Sequence[int], arena: Memory) -> Addresses:
        constants = [constant.address for constant in self._constants]
        return Addresses(inputs, outputs, constants, arena.address)

    # --- over arrays of the host ----------------------------------------------------------------

    def run(self, inputs: Sequence[Array | DeviceArray], plan: Plan) -> list[Array]:
        """The outputs, on the host. Parameters are in the GPU already."""
        with self.session.entered():
            staged = self._kept(plan) or self._stage_in_what_there_is(inputs, plan)
            outputs = staged.run(self.session, inputs)
            self._keep(plan, staged)
            return outputs

    def _kept(self, plan: Plan) -> _Staged | None:
        with self.session.lock:
            kept = self._staged.get(plan.dims)
            return kept.pop() if kept else None

    def _keep(self, plan: Plan, staged: _Staged) -> None:
        with self.session.lock:
            self._staged.setdefault(plan.dims, []).append(staged)
            if len(self._staged) > MOST_BINDINGS:
                del self._staged[next(iter(self._staged))]

    def _stage_in_what_there_is(
        self, handles: Sequence[Array | DeviceArray], plan: Plan
    ) -> _Staged:
        """Buffers; in the memory of those of other extents, where there is no more."""
        try:
            return self._stage(handles, plan)
        except self.session.driver.MemoryError:
            if not self._staged:
                raise
        # here nothing holds any more what there was memory for
        with self.session.lock:
            self._staged.clear()
        return self._stage(handles, plan)

    def _stage(self, handles: Sequence[Array | DeviceArray], plan: Plan) -> _Staged:
        session = self.session
        inputs: list[DeviceArray] = []
        pinned: list[Pinned | None] = []
        for handle in handles:
            own = isinstance(handle, DeviceArray)
            inputs.append(handle if own else empty(session, handle.shape, handle.dtype))
            pinned.append(None if own else Pinned(session, handle.shape, handle.dtype))
        outputs = [
            empty(session, shape, argument.dtype.numpy())
            for shape, argument in zip(plan.outputs, self.signature.outputs, strict=True)
        ]
        bound = self.bind(plan, [a.address for a in inputs], [a.address for a in outputs])
        results = [Pinned(session, array.shape, array.dtype) for array in outputs]
        return _Staged(bound, inputs, pinned, outputs, results)


class Bound:
    """A program over certain buffers, which whoever has this keeps: one graph, where all that it
    launches is known beforehand."""

    def __init__(self, kernels: Kernels, steps: Steps, places: Addresses, kept: Any):
        """`kept` is what must live for as long; the context is current."""
        self.session = session = kernels.session
        self._kernels, self._steps, self._places, self._kept = kernels, steps, places, kept
        self._graph: Graph | None = None
        if launches(steps):
            with session.lock:
                stream = session.capturing
                self._graph = Graph(stream.handle, lambda: kernels.issue(steps, places, stream))
            weakref.finalize(self, give_back, session, self._graph.free)

    def launch(self) -> None:
        """Put it into the stream; the context is current."""
        session = self.session
        with session.lock:
            if self._graph is not None:
                self._graph.launch(session.handle)
            else:
                self._kernels.issue(self._steps, self._places, session.stream)


@dataclass
class _Staged:
    """Buffers for one call at a time with arrays of the host, and the program bound to them."""

    bound: Bound
    inputs: list[DeviceArray]
    pinned: list[Pinned | None] = field(repr=False)
    """What inputs are copied from; None for parameters."""
    outputs: list[DeviceArray]
    results: list[Pinned] = field(repr=False)

    def run(self, session: Session, handles: Sequence[Array | DeviceArray]) -> list[Array]:
        for handle, pinned, array in zip(handles, self.pinned, self.inputs, strict=True):
            if pinned is not None and not isinstance(handle, DeviceArray):
                pinned.array[...] = handle.view(pinned.array.dtype)  # the same bits, of any sign
                session.upload(pinned.array, array.address)
        self.bound.launch()
        for array, pinned in zip(self.outputs, self.results, strict=True):
            session.download(array.address, pinned.array)
        session.stream.synchronize()
        return [pinned.array.copy() for pinned in self.results]


def _unload(session: Session, held: list[Any]) -> None:
    """Let pycuda's module and functions go."""

    def unload() -> None:
        held[1].clear()
        held.clear()

    give_back(session, unload)
