"""Programs as PTX in the emulator, checked: the results are those of the CPU."""

import numpy as np
import pytest
from safetensors.numpy import load_file

import teenyir as ty
from examples.digits import model as digits
from teenyir.emulator import CheckError
from teenyir.pipeline.ir import parse_module
from teenyir.runtime.lowered import lower

RANDOM = np.random.default_rng(5)


def floats(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def on_both(function, *arrays: np.ndarray, target: str = "cuda-emulated") -> None:
    specs = [ty.Spec(array.shape, getattr(ty, str(array.dtype))) for array in arrays]
    traced = ty.trace(function, *specs)
    found = traced.lower(target=target).compile(cache=False)(*arrays)
    expected = traced.lower(target="cpu").compile(cache=False)(*arrays)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("size", [1, 31, 256, 1031])
def test_elementwise_chain(size: int) -> None:
    on_both(lambda x: ty.exp(x) * 2 + ty.sqrt(ty.abs(x)), floats(size))


def test_kernels_say_how_they_are_launched() -> None:
    compiled = ty.trace(lambda x: x * 2, ty.Spec((ty.Dim("N", min=1, max=4096),), ty.float32))
    (kernel,) = compiled.lower(target="cuda-emulated").compile(cache=False).kernels
    assert kernel.block == (256,)
    assert [str(size) for size in kernel.grid] == ["(N + 255) floordiv 256"]


def test_softmax() -> None:
    on_both(ty.softmax, floats(37, 50))


def test_product_with_what_follows_it() -> None:
    on_both(lambda a, b: ty.maximum(a @ b, 0), floats(33, 40), floats(40, 17))


def test_sums_of_all_and_of_none() -> None:
    on_both(lambda x: x.sum(), floats(9, 5))
    on_both(lambda x: x.sum(axis=1), floats(0, 5))
    on_both(lambda x: x.sum(axis=0), floats(0, 5))


@pytest.mark.parametrize("dtype", ["int8", "float16", "int32"])
def test_loads_with_a_gap_between_them_read_nothing_behind_the_buffer(dtype: str) -> None:
    spec = ty.Spec((3,), getattr(ty, dtype))
    ends = ty.trace(lambda x: ty.stack([x[0] + x[2], x[0] - x[2]]), spec)
    compiled = ends.lower(target="cuda-emulated").compile(cache=False)
    assert compiled(np.array([7, 100, 2], dtype)).tolist() == [9, 5]


def test_scan_and_scatter() -> None:
    on_both(lambda x: ty.cumsum(x, axis=0), floats(40, 3))
    on_both(lambda x, u: x.at[np.array([3, 1, 3])].add(u), floats(6, 4), floats(3, 4))


@pytest.mark.parametrize("capability", ["sm_75", "sm_80", "sm_90", "sm_120"])
def test_every_architecture(capability: str) -> None:
    on_both(ty.softmax, floats(5, 7), target=f"cuda-emulated{{capability={capability}}}")


def test_extents_are_bound_at_each_call() -> None:
    rows = ty.Dim("N", min=0, max=1024)
    compiled = ty.trace(ty.softmax, ty.Spec((rows, 6), ty.float32)).lower(target="cuda-emulated")
    call = compiled.compile(cache=False)
    for count in (300, 1, 0):
        x = floats(count, 6)
        expected = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(call(x), expected, rtol=1e-5)


def test_texts_and_statistics() -> None:
    compiled = ty.trace(lambda x: x + 1, ty.Spec((300,), ty.float32)).lower(target="cuda-emulated")
    call = compiled.compile(cache=False)
    call(floats(300))
    assert ".entry add" in call.asm["ptx"] and "ptx_kernel" in call.asm["llvmir"]
    assert call.entry.statistics["add"].instructions["add.rn.f32"] == 300


RACE = """
uop.func @turn(out %y: !uop.ptr<f32>, in %x: !uop.ptr<f32>) grid [1] block [64] {
  %t = uop.special thread.x
  %s = uop.local [64] : !uop.ptr<f32, shared>
  %v = uop.load %x[%t] : f32
  uop.store %v, %s[%t]
  BARRIER
  %c63 = arith.constant 63 : index
  %u = arith.subi %c63, %t : index
  %w = uop.load %s[%u] : f32
  uop.store %w, %y[%t]
}
program.func @main(in %x: !kernel.buf<[64] x f32>, out %y: !kernel.buf<[64] x f32>) {
  program.launch @turn(%y, %x)
}
"""


def turned(text: str, x: np.ndarray) -> np.ndarray:
    module = parse_module(text, "turn.mlir")
    return lower(module, "cuda-emulated").compile(cache=False)(x)


def test_a_barrier_orders_shared_memory() -> None:
    x = floats(64)
    assert (turned(RACE.replace("BARRIER", "uop.barrier"), x) == x[::-1]).all()


def test_the_text_of_the_machine_floor_runs_as_the_program_did() -> None:
    lowered = lower(parse_module(RACE.replace("BARRIER", "uop.barrier"), ""), "cuda-emulated")
    again = lower(parse_module(lowered.as_text("machine"), "machine.mlir"), "cuda-emulated")
    x = floats(64)
    assert (again.compile(cache=False)(x) == x[::-1]).all()
    assert again.llvmir == lowered.llvmir and '"target-features"' in again.llvmir


def test_a_missing_barrier_is_a_race() -> None:
    with pytest.raises(CheckError, match="shared-race"):
        turned(RACE.replace("BARRIER", ""), floats(64))


def test_a_store_beyond_its_buffer_is_reported() -> None:
    text = RACE.replace("BARRIER", "uop.barrier").replace("%w, %y[%t]", "%w, %y[%far]")
    text = text.replace("  uop.store %w", "  %far = arith.addi %t, %c63 : index\n  uop.store %w")
    with pytest.raises(CheckError, match="out-of-bounds"):
        turned(text, floats(64))


def test_kernels_named_as_functions_of_c_or_in_no_ascii() -> None:
    module = parse_module(RACE.replace("@turn", '@"sin(π)"').replace("BARRIER", "uop.barrier"), "")
    x = floats(64)
    lowered = lower(module, "cuda-emulated")
    assert (lowered.compile(cache=False)(x) == x[::-1]).all()


@pytest.mark.parametrize("shape", [(4, 1, 3, 2), (2, 1, 2, 1, 3), (7, 5, 64), (3, 300, 2)])
def test_ranks_and_permutations(shape: tuple[int, ...]) -> None:
    on_both(lambda x: ty.permute_dims(x, tuple(range(len(shape)))[::-1]) + 1, floats(*shape))


def test_shifts_by_more_than_32_bits_count() -> None:
    """LLVM 22 looks at 32 bits of the amount of a shift of 64."""
    values = np.array([1, -5, 7, 3, 3, 3], np.int64)
    amounts = np.array([3, 64, 2**32 + 3, 63, -1, 0], np.int64)
    for shift in (lambda a, b: a << b, lambda a, b: a >> b):
        on_both(shift, values, amounts)
        on_both(shift, values.view(np.uint64), amounts.view(np.uint64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remainders(dtype: type[np.floating]) -> None:
    x, y = (floats(200).astype(dtype) * scale for scale in (50, 3))
    on_both(lambda x, y: (x % y) + ty.floor_divide(x, y), x, y)


def test_long_reductions_are_shared_by_a_block() -> None:
    x = floats(3, 1000)
    on_both(lambda x: ty.max(x, axis=1), x)
    on_both(lambda x: ty.max(x), x)
    on_both(lambda x: ty.max(x, axis=1) - ty.min(x, axis=1), x)
    specs = ty.Spec(x.shape, ty.float32)
    compiled = ty.trace(lambda x: ty.sum(x, axis=1), specs).lower(target="cuda-emulated").compile()
    np.testing.assert_allclose(compiled(x), x.astype(np.float64).sum(axis=1), rtol=1e-5, atol=1e-5)
    assert "bar.sync" in compiled.asm["ptx"] and "st.shared" in compiled.asm["ptx"]


@pytest.mark.parametrize("length", [64, 130])
def test_rows_whose_elements_depend_on_their_places(length: int) -> None:
    on_both(lambda x: ty.softmax(ty.where(ty.tril(x * 0 + 1) > 0, x, -1e9)), floats(length, length))
    on_both(lambda x: (x * ty.arange(length, dtype=ty.float32)).sum(axis=1), floats(5, length))


@pytest.mark.parametrize("target", ["cuda-emulated", "cuda-c-emulated"])
def test_a_trained_network(target: str) -> None:
    images = load_file(digits.HERE / "heldout.safetensors")["images"][:3].astype(np.float32)
    traced = digits.traced()
    expected = traced.lower("cpu").compile()(images)
    found = traced.lower(target).compile(cache=False)(images)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(found.argmax(1), expected.argmax(1))
