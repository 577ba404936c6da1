"""The target `cuda`: what can be told of it without a GPU.

The driver is a stand-in (`test/gpu/stand_in.py`), whose kernels the PTX emulator runs when somebody
waits for them.
"""

import gc
import importlib
import struct
import subprocess
import sys
import threading
import weakref
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from stand_in import StandIn, Stream
from stand_in import machine as machine  # a fixture

import teenyir as ty
from teenyir.diagnostics import CompileError, RunError
from teenyir.emulator import Module
from teenyir.runtime.cuda import dlpack
from teenyir.runtime.cuda.arrays import DeviceArray
from teenyir.runtime.cuda.driver import check_capability
from teenyir.runtime.cuda.libcuda import Graph
from teenyir.runtime.cuda.program import MOST_BINDINGS
from teenyir.runtime.cuda.steps import Addresses, Launch, Layout, Loop, Place, launches
from teenyir.runtime.cuda_emulated import program_of
from teenyir.targets import cuda

RANDOM = np.random.default_rng(3)
N = ty.Dim("N", min=0, max=4096)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def two_kernels(x: Any, w: Any) -> Any:
    scores = x @ w
    return (scores - scores.max(axis=-1, keepdims=True)) @ w.T


TWO = ty.trace(two_kernels, ty.Spec((N, 8), ty.float32), ty.Spec((8, 40), ty.float32))
"""Launches with a buffer in the arena."""
SUM = ty.trace(lambda x: x + 1, ty.Spec((N, 3), ty.float32))


def compiled(traced: Any) -> Any:
    return traced.lower(target="cuda").compile(cache=False)


def message(problem: CompileError) -> str:
    return " ".join(str(problem).split())


# --- what is missing ------------------------------------------------------------------------------


def test_without_pycuda_there_is_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycuda", None)
    monkeypatch.delitem(sys.modules, "pycuda.driver", raising=False)
    with pytest.raises(CompileError, match="needs pycuda, which is not installed") as problem:
        compiled(SUM)
    assert "teenyir[cuda]" in message(problem.value) and "cuda-emulated" in message(problem.value)


def test_what_pycuda_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ModuleNotFoundError("No module named 'pytools'", name="pytools.prefork")

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(CompileError, match="pycuda needs pytools, which is not installed"):
        compiled(SUM)


def test_without_a_driver_there_is_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(CompileError, match=r"pycuda cannot be loaded: libcuda\.so\.1") as problem:
        compiled(SUM)
    assert "cuda-emulated" in message(problem.value)


def test_without_a_gpu_there_is_a_way_out(
    machine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = sys.modules["pycuda.driver"]

    def none() -> None:
        raise driver.Error("cuInit failed: no CUDA-capable device is detected")

    monkeypatch.setattr(driver, "init", none)
    with pytest.raises(CompileError, match="no CUDA-capable device is detected"):
        compiled(SUM)


def test_a_gpu_that_is_older_than_the_program(machine: StandIn) -> None:
    machine.capability = (7, 5)
    with pytest.raises(CompileError, match="for sm_80, and the GPU here, Stand-in, is sm_75") as e:
        compiled(SUM)
    assert "cuda{capability=sm_75}" in message(e.value)


@pytest.mark.parametrize(
    ("capability", "found", "fits"),
    [
        *(("80", (9, 0), True), ("90a", (9, 0), True), ("90a", (10, 0), False)),
        *(("100f", (10, 3), True), ("100f", (12, 0), False), ("103f", (10, 0), False)),
    ],
)
def test_which_gpus_run_a_program(capability: str, found: tuple[int, int], fits: bool) -> None:
    gpu = cuda.find(capability)
    if fits:
        check_capability(gpu, found, "GPU")
    else:
        with pytest.raises(CompileError, match=f"is sm_{found[0]}{found[1]}"):
            check_capability(gpu, found, "GPU")


def test_a_driver_that_refuses_the_ptx(machine: StandIn) -> None:
    machine.refusal = "the provided PTX was compiled with an unsupported toolchain."
    with pytest.raises(CompileError, match="refuses the PTX: the provided PTX") as problem:
        compiled(SUM)
    assert "CUDA 12.4" in message(problem.value) and "ptx-version" in message(problem.value)


def test_too_little_memory_is_an_error_with_a_reason(machine: StandIn) -> None:
    call = compiled(SUM)
    machine.bytes_of_memory = 4096
    with pytest.raises(RunError, match="the GPU has too little memory"):
        call(floats(2000, 3))
    np.testing.assert_array_equal(call(x := floats(3, 3)), x + np.float32(1))


# --- arrays of the host ---------------------------------------------------------------------------


def test_launches_are_those_of_the_emulator(
    machine: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same kernels, grids, blocks and extents, and each buffer where the plan says it is."""
    x, w = floats(37, 8), floats(8, 40)
    result = compiled(TWO)(x, w)
    ours = [(name, grid, block, words[-8:]) for name, grid, block, words in machine.launches]
    theirs: list[Any] = []
    real = Module.launch

    def launch(self: Module, kernel: str, **how: Any) -> Any:
        extents = np.array([v for v in how["args"] if isinstance(v, np.int64)])
        theirs.append((kernel, tuple(how["grid"]), tuple(how["block"]), extents.tobytes()))
        return real(self, kernel, **how)

    monkeypatch.setattr(Module, "launch", launch)
    expected = TWO.lower(target="cuda-emulated").compile(cache=False)(x, w)
    np.testing.assert_array_equal(result, expected)
    assert len(ours) == 3 and ours == theirs


def test_the_plan_of_launches_for_extents() -> None:
    lowered = TWO.lower(target="cuda")
    layout = Layout(program_of(lowered.module, lowered.signature.entry))
    found = launches(layout.steps({"N": 37}))
    assert found is not None and [launch.extents for launch in found] == [(37,)] * 3
    kinds = [[place.kind for place in launch.buffers] for launch in found]
    assert kinds == [["arena", "input", "input"], ["arena"], ["output", "arena", "input"]]
    assert layout.steps({"N": 0}) == ()  # a grid without a block is no launch


def test_parameters_are_addresses_and_then_extents() -> None:
    places = (Place("arena", 64), Place("input", 1), Place("output", 0), Place("constant", 0))
    launch = Launch("f", (2,), (32,), places, (7, 9))
    words = struct.unpack("=6Q", launch.arguments(Addresses([1, 2], [3], [4], 4096)))
    assert words == (4160, 2, 3, 4, 7, 9)


def test_extents_are_bound_again(machine: StandIn) -> None:
    call = compiled(TWO)
    w = floats(8, 40)
    for count in (37, 1, 0, 37):
        x = floats(count, 8)
        scores = x @ w
        expected = (scores - scores.max(axis=1, keepdims=True, initial=-np.inf)) @ w.T
        np.testing.assert_allclose(call(x, w), expected, rtol=1e-4, atol=1e-5)
    assert machine.graph_launches == 3  # none for no rows


def test_buffers_and_graphs_are_made_once(machine: StandIn) -> None:
    call = compiled(TWO)
    x, w = floats(5, 8), floats(8, 40)
    first = call(x, w)
    held = (len(machine.memory), len(machine.pinned), len(machine.captured))
    np.testing.assert_array_equal(call(x, w), first)
    np.testing.assert_array_equal(call(x + 1, w), call(x + 1, w))
    assert held == (len(machine.memory), len(machine.pinned), len(machine.captured))


def test_everything_is_given_back(machine: StandIn) -> None:
    call = compiled(TWO)
    captured = call.capture(floats(5, 8), floats(8, 40))
    call(floats(5, 8), floats(8, 40))
    assert machine.memory and machine.captured
    del call, captured
    assert not machine.memory and not machine.pinned and not machine.captured


def test_parameters_and_constants_are_in_the_gpu(machine: StandIn) -> None:
    class Model(ty.nn.Module):
        def __init__(self) -> None:
            self.weight = floats(4, 6)

        def forward(self, x: Any) -> Any:
            return (x @ self.weight) * np.array([1, -2, 3, 0.5, 7, 9], np.float32)

    model = Model()
    call = compiled(ty.trace(model, ty.Spec((3, 4), ty.float32)))
    x = floats(3, 4)
    expected = (x @ model.weight) * np.array([1, -2, 3, 0.5, 7, 9], np.float32)
    np.testing.assert_allclose(call(x), expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["bool", "uint32", "bfloat16", "float8_e4m3fn", "int4"])
def test_element_types(machine: StandIn, dtype: str) -> None:
    ours = getattr(ty, dtype)
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(ours.numpy())
    call = compiled(ty.trace(lambda x: (x.T, x.astype(ty.float32)), ty.Spec((2, 3), ours)))
    turned, wide = call(x)
    assert turned.dtype == x.dtype
    np.testing.assert_array_equal(turned.astype(np.float32), x.T.astype(np.float32))
    np.testing.assert_array_equal(wide, x.astype(np.float32))


def test_outputs_that_show_inputs(machine: StandIn) -> None:
    call = compiled(ty.trace(lambda x: (x[1:3], x * 2), ty.Spec((4, 4), ty.float32)))
    x = floats(4, 4)
    part, doubled = call(x)
    np.testing.assert_array_equal(part, x[1:3])
    np.testing.assert_array_equal(doubled, x * 2)
    array = call.to_device(x)
    shown, _ = call(array)
    assert shown.address == array.address + 16
    np.testing.assert_array_equal(shown.numpy(), x[1:3])
    with pytest.raises(BufferError, match="may only be read"):
        shown.__dlpack__()
    said = dlpack.described(shown.__dlpack__(max_version=(1, 1)))
    assert (said.address, said.writable) == (shown.address, False)
    out = (call.to_device(floats(2, 4)), call.to_device(x))
    call(array, out=out)
    np.testing.assert_array_equal(out[0].numpy(), x[1:3])


def test_a_part_that_lies_where_kernels_cannot_read_it_is_refused(machine: StandIn) -> None:
    cut = compiled(ty.trace(lambda x: (x[1:], x * 2), ty.Spec((5, 3), ty.float32)))
    part, _ = cut(cut.to_device(floats(5, 3)))
    again = compiled(ty.trace(lambda x: x + 1, ty.Spec((4, 3), ty.float32)))
    with pytest.raises(RunError, match="no multiple of 16 bytes"):
        again(part)
    with pytest.raises(RunError, match="no multiple of 16 bytes"):
        again.capture(part)
    x = part.numpy()
    np.testing.assert_array_equal(again(again.to_device(x)).numpy(), x + np.float32(1))


def test_loops_look_at_what_was_computed(machine: StandIn) -> None:
    traced = ty.trace(
        lambda n: ty.while_loop(lambda c: c < 100, lambda c: c + c, n), ty.Spec((), ty.int32)
    )
    lowered = traced.lower(target="cuda")
    steps = Layout(program_of(lowered.module, lowered.signature.entry)).steps({})
    assert any(isinstance(step, Loop) for step in steps) and launches(steps) is None
    call = lowered.compile(cache=False)
    assert call(np.array(3, np.int32)) == 192 and call(np.array(200, np.int32)) == 200
    captured = call.capture(np.array(5, np.int32))
    assert captured().numpy() == 160 and machine.graph_launches == 0


def test_a_program_without_kernels(machine: StandIn) -> None:
    call = compiled(ty.trace(lambda x: x.reshape(6), ty.Spec((2, 3), ty.float32)))
    x = floats(2, 3)
    np.testing.assert_array_equal(call(x), x.reshape(6))


# --- arrays of the GPU ----------------------------------------------------------------------------


def test_arrays_of_the_gpu_stay_there_and_nothing_waits(machine: StandIn) -> None:
    call = compiled(TWO)
    x, w = floats(9, 8), floats(8, 40)
    there, weights = call.to_device(x), call.to_device(w)
    result = call(there, weights)
    assert isinstance(result, DeviceArray) and not machine.launches
    np.testing.assert_array_equal(np.asarray(result), call(x, w))
    chained = call(there, weights), call(there, w=w)
    np.testing.assert_array_equal(chained[1].numpy(), chained[0].numpy())


def test_results_into_arrays_of_the_gpu(machine: StandIn) -> None:
    call = compiled(SUM)
    x = floats(6, 3)
    out = call.to_device(np.zeros_like(x))
    assert call(call.to_device(x), out=out) is out
    np.testing.assert_array_equal(out.numpy(), x + np.float32(1))
    for wrong, why in [
        (call.to_device(floats(5, 3)), "it has the shape"),
        (call.to_device(np.zeros((6, 3), np.int32)), "it is of int32"),
        (np.zeros((6, 3), np.float32), "no array of the GPU"),
    ]:
        with pytest.raises(RunError, match=f"output 'output' cannot be written .*{why}"):
            call(call.to_device(x), out=wrong)
    with pytest.raises(RunError, match="shares memory"):
        call(out, out=out)


def test_a_captured_program_is_one_graph(machine: StandIn) -> None:
    call = compiled(TWO)
    x, w = floats(9, 8), floats(8, 40)
    there = call.to_device(x)
    captured = call.capture(there, w)
    first, second = captured(), captured()
    assert first is second and machine.graph_launches == 2 and not machine.launches
    np.testing.assert_array_equal(first.numpy(), call(x, w))
    assert captured.seconds(3) == pytest.approx(3e-3)  # the stand-in's clock counts launches


class Foreign:
    """An array of another library, in the stand-in's memory."""

    def __init__(self, array: DeviceArray, how: str, **changes: Any):
        self.array = array
        if how == "interface":
            self.__cuda_array_interface__ = array.__cuda_array_interface__ | changes
            return
        self.__dlpack_device__ = array.__dlpack_device__
        self.__dlpack__ = array.__dlpack__
        if how == "dlpack before 1":
            self.__dlpack__ = lambda stream: array.__dlpack__(stream=stream)


@pytest.mark.parametrize("how", ["dlpack", "dlpack before 1", "interface"])
def test_arrays_of_others_are_used_where_they_lie(machine: StandIn, how: str) -> None:
    call = compiled(SUM)
    x = floats(4, 3)
    lent = call.to_device(x)
    held = len(machine.memory)
    result = call(Foreign(lent, how))
    assert len(machine.memory) == held + 2  # the output and the arena
    np.testing.assert_array_equal(result.numpy(), x + np.float32(1))


def test_what_others_compute_is_waited_for(machine: StandIn) -> None:
    call = compiled(SUM)
    x = floats(4, 3)
    array = call.to_device(np.zeros_like(x))
    place = machine.at(array.address, array.nbytes)
    machine.streams[1].put(lambda: np.copyto(place, x.reshape(-1).view(np.uint8)))
    result = call(Foreign(array, "interface", stream=1))
    np.testing.assert_array_equal(result.numpy(), x + np.float32(1))


def test_what_we_compute_is_waited_for(machine: StandIn) -> None:
    call = compiled(SUM)
    array = call.to_device(floats(4, 3))
    result = call(array)
    result.__dlpack__(stream=-1)
    machine.streams[1].tail.finish()
    assert not machine.launches
    result.__dlpack__(stream=1)
    machine.streams[1].tail.finish()
    assert machine.launches
    with pytest.raises(RunError, match="cuStreamWaitEvent: invalid resource handle"):
        result.__dlpack__(stream=12345)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"strides": (4, 16)}, "do not lie in row-major order"),
        ({"strides": (13, 4)}, "do not lie next to each other"),
        ({"data": 4}, "no multiple of 16 bytes"),
        ({"typestr": "<f8"}, "expected float32"),
        ({"mask": np.ones((4, 3), bool)}, "are masked"),
        ({"stream": 0}, "one of two default streams"),
        ({"data": 1 << 40}, "cuPointerGetAttribute: invalid"),
    ],
)
def test_arrays_that_kernels_cannot_take(
    machine: StandIn, changes: dict[str, Any], why: str
) -> None:
    call = compiled(SUM)
    lent = call.to_device(floats(4, 3))
    if "data" in changes:
        changes = {"data": (lent.address + changes["data"], False)}
    with pytest.raises(RunError, match=f"input 'x': .*{why}"):
        call(Foreign(lent, "interface", **changes))


def test_arrays_of_another_gpu(machine: StandIn) -> None:
    call = compiled(SUM)
    lent = call.to_device(floats(4, 3))
    machine.elsewhere.add(lent.address)
    with pytest.raises(RunError, match="it is on GPU 1, and programs run on GPU 0"):
        call(Foreign(lent, "interface"))


def test_what_is_lent_is_kept_until_it_is_read(machine: StandIn) -> None:
    """Who lent it may let it go at once: its memory must not be somebody else's before."""
    call = compiled(SUM)
    x = floats(4, 3)
    lent = Foreign(call.to_device(x), "dlpack")
    there = weakref.ref(lent)
    result = call(lent)
    del lent
    gc.collect()
    assert there() is not None and not machine.launches
    np.testing.assert_array_equal(result.numpy(), x + np.float32(1))
    gc.collect()
    assert there() is None


@pytest.mark.parametrize(("how", "stream"), [("dlpack", 1), ("interface", 1 << 4)])
def test_what_is_lent_is_not_written_before_it_is_read(
    machine: StandIn, how: str, stream: int
) -> None:
    """The stream that the other library works in waits for us, once we have read or written."""
    call = compiled(SUM)
    other = machine.streams.setdefault(stream, Stream(machine, stream))
    x = floats(4, 3)
    changes = {"stream": stream} if how == "interface" else {}
    lent = Foreign(array := call.to_device(x), how, **changes)
    result = call(lent)
    place = machine.at(array.address, array.nbytes)
    other.put(lambda: place.fill(0))
    other.tail.finish()  # runs ahead of ours, as far as it may
    np.testing.assert_array_equal(result.numpy(), x + np.float32(1))

    out = Foreign(call.to_device(np.zeros_like(x)), how, **changes)
    call(call.to_device(x), out=out)
    other.tail.finish()
    assert len(machine.launches) == 2


def test_a_captured_program_waits_for_what_writes_its_inputs(machine: StandIn) -> None:
    call = compiled(SUM)
    array = call.to_device(floats(4, 3))
    captured = call.capture(Foreign(array, "interface", stream=1))
    x = floats(4, 3)
    place = machine.at(array.address, array.nbytes)
    machine.streams[1].put(lambda: np.copyto(place, x.reshape(-1).view(np.uint8)))
    np.testing.assert_array_equal(captured().numpy(), x + np.float32(1))
    assert captured.seconds(2) == pytest.approx(1e-3)
    (held,) = captured._foreign
    held.source.__cuda_array_interface__["data"] = (array.address + 16, False)
    with pytest.raises(RunError, match="at another place"):
        captured()


def test_an_array_without_elements_has_no_place(machine: StandIn) -> None:
    call = compiled(SUM)
    result = call(call.to_device(floats(0, 3)))
    assert result.__cuda_array_interface__["data"] == (0, False)
    assert dlpack.described(result.__dlpack__()).address == 0
    assert call(Foreign(result, "interface")).shape == (0, 3)


def test_a_capture_that_fails_says_what_was_wrong(machine: StandIn) -> None:
    def fail() -> None:
        raise sys.modules["pycuda.driver"].Error("cuLaunchKernel failed: invalid argument")

    own = compiled(SUM).entry.session
    with pytest.raises(RunError, match="cuLaunchKernel failed"), own.entered():
        Graph(own.capturing.handle, fail)
    assert own.capturing.recording is None and not machine.captured


def test_memory_of_other_extents_is_given_up_where_there_is_no_more(machine: StandIn) -> None:
    call = compiled(SUM)
    call(floats(2000, 3))
    machine.bytes_of_memory = 60_000
    np.testing.assert_array_equal(call(x := floats(2100, 3)), x + np.float32(1))
    machine.bytes_of_memory = 1000
    with pytest.raises(RunError, match="too little memory"):
        call(floats(2200, 3))


def test_calls_from_several_threads(machine: StandIn) -> None:
    """Each has buffers of its own; the stand-in's streams are one thread's at a time."""
    call = compiled(SUM)
    errors: list[BaseException] = []
    turn = threading.Lock()

    def work(seed: int) -> None:
        try:
            for count in range(1, 20):
                x = np.full((count + seed, 3), seed, np.float32)
                with turn:
                    found = call(x)
                np.testing.assert_array_equal(found, x + np.float32(1))
        except BaseException as problem:
            errors.append(problem)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and len(call.entry._staged) <= MOST_BINDINGS


def test_a_function_that_is_compiled_when_called(machine: StandIn) -> None:
    fast = ty.jit(lambda x, y: x * y + 1, target="cuda")
    x, y = floats(5, 3), floats(5, 3)
    np.testing.assert_array_equal(fast(x, y), x * y + np.float32(1))
    program = compiled(SUM)
    result = fast(Foreign(program.to_device(x), "dlpack"), y)
    assert isinstance(result, DeviceArray)
    np.testing.assert_array_equal(result.numpy(), fast(x, y))
    assert len(fast._compiled) == 1


# --- DLPack ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int8, np.uint64, np.bool_, np.float16, ml_dtypes.bfloat16]
)
def test_capsules_of_ours_are_read_as_they_were_made(dtype: Any) -> None:
    array = dlpack.Described(0x1000, (2, 3), (3, 1), np.dtype(dtype), (2, 0))
    assert dlpack.described(dlpack.lent(None, array)) == array
    for writable in (True, False):
        array = replace(array, writable=writable)
        assert dlpack.described(dlpack.lent(None, array, versioned=True)) == array


def test_numpy_understands_our_capsules_and_we_numpy_s() -> None:
    x = floats(3, 4)
    for version in (None, (1, 0)):
        theirs = dlpack.described(capsule := x.T.__dlpack__(max_version=version))
        assert (theirs.shape, theirs.strides, theirs.device) == ((4, 3), (1, 4), (1, 0))
        assert theirs.address == x.ctypes.data and theirs.writable
        assert ("versioned" in repr(capsule)) == (version is not None)
    x.flags.writeable = False
    assert not dlpack.described(x.__dlpack__(max_version=(1, 0))).writable
    x.flags.writeable = True

    class Lent:
        def __dlpack__(self, max_version: Any = None, **how: Any) -> Any:
            array = dlpack.Described(x.ctypes.data, x.shape, None, x.dtype, (1, 0), writable)
            return dlpack.lent(x, array, max_version is not None)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    before = len(dlpack._LENT)
    for writable in (True, False):
        array = np.from_dlpack(Lent())
        assert len(dlpack._LENT) == before + 1 and array.flags.writeable == writable
        np.testing.assert_array_equal(array, x)
        del array
        assert len(dlpack._LENT) == before


def test_a_capsule_may_outlive_what_made_it() -> None:
    code = """
import numpy as np, sys
from teenyir.runtime.cuda import dlpack
array = dlpack.Described(64, (1,), None, np.dtype(np.float32), (2, 0))
sys.kept = [dlpack.lent(None, array, versioned) for versioned in (False, True)]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_capsule_that_nobody_takes_is_let_go() -> None:
    array = dlpack.Described(64, (), None, np.dtype(np.int8), (2, 0))
    capsules = [dlpack.lent(None, array, versioned) for versioned in (False, True)]
    before = len(dlpack._LENT)
    capsules.clear()
    assert len(dlpack._LENT) == before - 2


def test_a_dlpack_that_is_not_known_is_refused() -> None:
    array = dlpack.Described(64, (), None, np.dtype(np.int8), (2, 0))
    capsule = dlpack.lent(None, array, versioned=True)
    _, managed, *_ = next(reversed(dlpack._LENT.values()))
    managed.major = 2
    with pytest.raises(RunError, match=r"handed over by DLPack 2\.0"):
        dlpack.described(capsule)


def test_the_types_that_dlpack_has() -> None:
    with pytest.raises(BufferError, match="DLPack has no int4"):
        dlpack.lent(None, dlpack.Described(64, (1,), None, np.dtype(ml_dtypes.int4), (2, 0)))
