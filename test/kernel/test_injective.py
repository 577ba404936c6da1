"""What is said of indices that tell iterations apart, against all iterations."""

import itertools
import random

import pytest
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import kernel
from teenyir.dialects.kernel.injective import told_apart
from teenyir.pipeline.ir import parse_module


def store_of(ranges: list[str], indices: list[str], dims: str = "") -> kernel.StoreOp:
    lines = [
        f"  %{name} = kernel.range {bounds}" for name, bounds in zip("abcd", ranges, strict=False)
    ]
    extents = ", ".join(["100000"] * len(indices))
    text = (
        f"kernel.func @f(out %y: !kernel.buf<[{extents}] x f32>) {dims} {{\n"
        + "\n".join(lines)
        + f"\n  %v = arith.constant 1.0 : f32\n  kernel.store %v, %y[{', '.join(indices)}]\n}}"
    )
    module = parse_module(text, "store.mlir")
    (func,) = module.body.ops
    assert isinstance(func, kernel.FuncOp)
    return next(op for op in func.body.block.ops if isinstance(op, kernel.StoreOp))


def is_injective(store: kernel.StoreOp) -> bool:
    """Whether all iterations of all ranges address different elements."""
    owners = [value.owner for value in store.values]
    sizes = [owner.extent.evaluate({}) for owner in owners if isinstance(owner, kernel.RangeOp)]
    seen = set()
    for numbers in itertools.product(*map(range, sizes)):
        at = {f"_{k}": n for k, n in enumerate(numbers)}
        seen.add(tuple(expr.evaluate(at) for expr in store.exprs))
    count = 1
    for size in sizes:
        count *= size
    return len(seen) == count


@pytest.mark.parametrize(
    ("ranges", "indices"),
    [
        (
            ["0 to 9 grid.x", "0 to 64 thread.x"],
            ["(%a * 64 + %b) floordiv 50", "(%a * 64 + %b) mod 50"],
        ),
        (["0 to 24"], ["%a floordiv 6", "(%a floordiv 2) mod 3", "%a mod 2"]),
        (["0 to 24"], ["%a floordiv 6 * 6 + (%a floordiv 2) mod 3 * 2 + %a mod 2"]),
        (
            ["0 to 3 grid.x", "0 to 32 thread.x", "0 to 4 unroll"],
            ["%a * 16 + %b floordiv 4 + %c floordiv 2 * 8", "%b mod 4 * 2 + %c mod 2"],
        ),
        (
            ["0 to 6 grid.x", "0 to 64 thread.x", "0 to 4 unroll"],
            [
                "%a floordiv 2 * 16 + (%b mod 32) floordiv 4 + %c floordiv 2 * 8",
                "%a mod 2 * 16 + %b floordiv 32 * 8 + %b mod 4 * 2 + %c mod 2",
            ],
        ),
    ],
)
def test_told_apart(ranges: list[str], indices: list[str]) -> None:
    store = store_of(ranges, indices)
    assert len(told_apart(store)) == len(ranges)
    assert is_injective(store)


@pytest.mark.parametrize(
    "indices",
    [
        ["%a floordiv (N * N)", "(%a floordiv N) mod N * N + %a mod N"],
        ["%a floordiv (N * N)", "(%a floordiv N) mod N * N * 3 + %a mod N * 3"],
        ["%a floordiv (N * N) * N * N + (%a floordiv N) mod N * N + %a mod N"],
    ],
)
def test_digits_of_a_base_that_has_a_name(indices: list[str]) -> None:
    """What a reshaping stores whose extents are read off one number."""
    assert len(told_apart(store_of(["0 to N * N * 5"], indices, "dims(N in 1..5)"))) == 1


@pytest.mark.parametrize(
    "indices",
    [
        ["%a floordiv (N * N)", "(%a floordiv N) mod N + %a mod N"],
        ["%a floordiv (N * N)", "(%a floordiv N) mod N * N + %a mod M"],
        ["(%a floordiv N) mod N * N + %a mod N"],
    ],
)
def test_digits_that_are_missing_or_mixed_up(indices: list[str]) -> None:
    with pytest.raises(VerifyException, match="do not tell them apart"):
        store_of(["0 to N * N * 5"], indices, "dims(M in 1..5, N in 1..5)").parent_op().verify()


def test_never_wrong() -> None:
    """Random indices: whatever is said to be told apart is."""
    draw = random.Random(3)
    found = 0
    for _ in range(400):
        kinds = draw.choices(["", " thread.x", " unroll"], k=2)
        ranges = [f"0 to {draw.randint(2, 12)}{kind}" for kind in kinds]

        def term() -> str:
            base = draw.choice(["%a", "%b", f"(%a * {draw.randint(1, 12)} + %b)"])
            wrap = draw.choice(["{}", "({} floordiv {d})", "({} mod {d})"])
            return wrap.format(base, d=draw.randint(2, 6)) + f" * {draw.randint(1, 12)}"

        indices = [" + ".join(term() for _ in range(draw.randint(1, 2))) for _ in range(2)]
        try:
            store = store_of(ranges, indices)
        except VerifyException:
            continue
        owners = {value.owner for value in store.values}
        if owners and owners <= told_apart(store):
            found += 1
            assert is_injective(store), (ranges, indices)
    assert found > 40


@pytest.mark.parametrize(("stride", "apart"), [(8, 2), (7, 0)])
def test_ranges_that_others_clip(stride: int, apart: int) -> None:
    """What a range adds to an index is bounded by the constant in its end, whatever else is."""
    ranges = ["0 to 4", f"0 to min(8, 30 - %a * {stride})"]
    assert len(told_apart(store_of(ranges, [f"%a * {stride} + %b"]))) == apart


def test_ranges_that_start_elsewhere() -> None:
    """What a range adds that starts at another index is not its own."""
    assert not told_apart(store_of(["0 to 4", "%a to min(8, 30 - %a * 8)"], ["%b * 2 + %a"]))
