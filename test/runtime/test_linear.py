"""Programs twice as long take twice as much work to compile: counted in calls, not in seconds."""

import sys
from collections.abc import Callable

import pytest

import teenyir as ty
from teenyir.pipeline.manager import PassManager

X = ty.Spec((16, 16), ty.float32)


def calls_of(work: Callable[[], object]) -> int:
    """The calls of Python functions that some work makes."""
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def elementwise(x, count: int):
    """One kernel of so many ops."""
    for number in range(count):
        x = x * 1.5 if number % 2 else x + 0.5
    return x


def wide(x, count: int):
    """One kernel of so many ops, which all read the same."""
    return ty.stack([x * float(number) for number in range(count)]).sum(axis=0)


def reductions(x, count: int):
    """A kernel for each of so many sums, each unlike the one before."""
    for number in range(count):
        x = x - x.sum(axis=0) * float(number)
    return x


def products(x, count: int):
    """A launch for each of so many products, all of one kernel."""
    for _ in range(count):
        x = x @ x
    return x


def flips(x, count: int):
    """Movement alone, of which the simplifications of graphs would leave nothing."""
    for _ in range(count):
        x = ty.flip(x, axis=0)
    return x


@pytest.mark.parametrize(
    ("program", "count"), [(elementwise, 20), (wide, 6), (reductions, 3), (products, 6)]
)
def test_compiling_takes_work_in_proportion_to_the_ops(program, count: int) -> None:
    def work(times: int) -> int:
        traced = ty.trace(lambda x: program(x, times * count), X)
        return calls_of(lambda: traced.lower().llvmir)

    is_in_proportion(work)


def test_kernels_of_movement_take_work_in_proportion_to_the_ops() -> None:
    def work(times: int) -> int:
        # an even number of flips would be no kernel
        module = ty.trace(lambda x: flips(x, times * 50 + 1), X).module
        return calls_of(lambda: PassManager.parse("graph-to-kernel").run(module))

    is_in_proportion(work)


def is_in_proportion(work: Callable[[int], int]) -> None:
    """Hold what doubling a program adds against what doubling it before did."""
    work(1)  # what is imported, or worked out once
    one, two, four = (work(times) for times in (1, 2, 4))
    assert four - two < 2.3 * (two - one), f"{one}, {two}, {four} calls"
