"""What is said of indices that tell iterations apart, against all iterations."""

import itertools
import random

import pytest
from xdsl.utils.exceptions import VerifyException

from teenyir.dialects import kernel
from teenyir.dialects.expr import Expr
from teenyir.dialects.kernel.injective import told_apart
from teenyir.pipeline.ir import parse_module


def store_of(
    ranges: list[str],
    indices: list[str],
    dims: str = "",
    below: tuple[str, int] | None = None,
    less: str = "slt",
) -> kernel.StoreOp:
    """A store; with `below` only where an expression is less than a number."""
    lines = [
        f"  %{name} = kernel.range {bounds}" for name, bounds in zip("abcd", ranges, strict=False)
    ]
    extents = ", ".join(["100000"] * len(indices))
    gate = ""
    if below is not None:
        lines += [f"  %e = kernel.index {below[0]}", f"  %n = kernel.index {below[1]}"]
        lines.append(f"  %g = arith.cmpi {less}, %e, %n : index")
        gate = " if %g"
    text = (
        f"kernel.func @f(out %y: !kernel.buf<[{extents}] x f32>) {dims} {{\n"
        + "\n".join(lines)
        + "\n  %v = arith.constant 1.0 : f32"
        + f"\n  kernel.store %v, %y[{', '.join(indices)}]{gate}\n}}"
    )
    module = parse_module(text, "store.mlir")
    (func,) = module.body.ops
    assert isinstance(func, kernel.FuncOp)
    return next(op for op in func.body.block.ops if isinstance(op, kernel.StoreOp))


def is_injective(store: kernel.StoreOp) -> bool:
    """Whether all iterations of all ranges, but for those that are gated off, address different
    elements."""
    exprs, limit = list(store.exprs), None
    values = list(store.values)
    if store.gate is not None:
        comparison = store.gate.owner
        exprs, values = kernel.written_out(
            [*exprs, Expr.of(f"_{len(values)}")], [*values, comparison.lhs]
        )
        limit = comparison.rhs.owner.expr.data.constant
    sizes = [value.owner.extent.evaluate({}) for value in values]
    seen: dict[tuple[int, ...], tuple[int, ...]] = {}
    told = [k for k, value in enumerate(values) if value in store.values]
    for numbers in itertools.product(*map(range, sizes)):
        at = {f"_{k}": n for k, n in enumerate(numbers)}
        place = tuple(expr.evaluate(at) for expr in exprs)
        if limit is not None and place[-1] >= limit:
            continue
        iteration = tuple(numbers[k] for k in told)
        if seen.setdefault(place[: len(store.exprs)], iteration) != iteration:
            return False
    return True


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
    found = [0, 0]
    for _ in range(400):
        kinds = draw.choices(["", " thread.x", " unroll"], k=2)
        ranges = [f"0 to {draw.randint(2, 12)}{kind}" for kind in kinds]

        def term() -> str:
            base = draw.choice(["%a", "%b", f"(%a * {draw.randint(1, 12)} + %b)"])
            wrap = draw.choice(["{}", "({} floordiv {d})", "({} mod {d})"])
            return wrap.format(base, d=draw.randint(2, 6)) + f" * {draw.randint(1, 12)}"

        indices = [" + ".join(term() for _ in range(draw.randint(1, 2))) for _ in range(2)]
        below = (f"%a * {draw.randint(0, 2)} + %b", draw.randint(1, 12))
        for gate in (None, below):
            try:
                store = store_of(ranges, indices, below=gate)
            except VerifyException:
                continue
            owners = {value.owner for value in store.values}
            if owners and owners <= told_apart(store):
                found[gate is not None] += 1
                assert is_injective(store), (ranges, indices, gate)
    assert found[0] > 40 and found[1] > found[0]


def test_what_a_gate_leaves_out() -> None:
    """Columns of a tile that lie beyond a group are those of the next one, and are not stored."""
    ranges = ["0 to 3 grid.x", "0 to 4 thread.x", "0 to 2 unroll"]
    indices = ["%a * 5 + %b * 2 + %c"]
    with pytest.raises(VerifyException, match="do not tell them apart"):
        store_of(ranges, indices).parent_op().verify()
    with pytest.raises(VerifyException, match="do not tell them apart"):
        store_of(ranges, indices, below=("%b * 2 + %c", 6)).parent_op().verify()
    store = store_of(ranges, indices, below=("%b * 2 + %c", 5))
    assert len(told_apart(store)) == 3 and is_injective(store)


@pytest.mark.parametrize(
    ("less", "end", "apart"),
    [("slt", -1, 1), ("slt", 3, 0), ("ult", 2, 1), ("ult", 3, 0), ("ult", -1, 0)],
)
def test_gates_compare_as_their_predicates_say(less: str, end: int, apart: int) -> None:
    """No index is below -1, but as an unsigned number -1 is above all of them."""
    store = store_of(["0 to 8 thread.x"], ["%a mod 2"], below=("%a", end), less=less)
    assert len(told_apart(store)) == apart


@pytest.mark.parametrize(("stride", "apart"), [(8, 2), (7, 0)])
def test_ranges_that_others_clip(stride: int, apart: int) -> None:
    """What a range adds to an index is bounded by the constant in its end, whatever else is."""
    ranges = ["0 to 4", f"0 to min(8, 30 - %a * {stride})"]
    assert len(told_apart(store_of(ranges, [f"%a * {stride} + %b"]))) == apart


def test_ranges_that_start_elsewhere() -> None:
    """What a range adds that starts at another index is not its own."""
    assert not told_apart(store_of(["0 to 4", "%a to min(8, 30 - %a * 8)"], ["%b * 2 + %a"]))
