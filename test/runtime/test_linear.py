"""Programs twice as long take twice as much work to compile: counted in calls, not in seconds."""

import sys
from collections.abc import Callable

import pytest

import teenyir as ty

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


def maxima(x, count: int):
    """One kernel of a chain of maxima."""
    for number in range(count):
        x = ty.maximum(x, x * (0.5 + number))
    return x


def turns(x, count: int):
    """One kernel of a chain of ops that move elements, none of which cancel each other."""
    for _ in range(count):
        x = ty.flip(x.permute_dims(1, 0), axis=0)
    return x + 1.0


@pytest.mark.parametrize(
    ("program", "count"),
    [(elementwise, 20), (wide, 6), (reductions, 3), (products, 6), (maxima, 60), (turns, 60)],
)
def test_compiling_takes_work_in_proportion_to_the_ops(program, count: int) -> None:
    def work(times: int) -> int:
        traced = ty.trace(lambda x: program(x, times * count), X)
        return calls_of(lambda: traced.lower().llvmir)

    work(1)  # what is imported, or worked out once
    one, two, four = (work(times) for times in (1, 2, 4))
    assert four - two < 2.3 * (two - one), f"{one}, {two}, {four} calls"
