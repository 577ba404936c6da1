"""How often memory is searched for garbage while a program is compiled, and how deep it nests."""

import gc
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from teenyir.pipeline.limits import deep_recursion, rare_collections


@pytest.mark.parametrize(
    ("work", "setting"),
    [(rare_collections, gc.get_threshold), (deep_recursion, sys.getrecursionlimit)],
)
def test_threads_that_overlap_put_back_what_was(
    work: Callable[[], AbstractContextManager[None]], setting: Callable[[], object]
):
    before = setting()
    first, second = work(), work()
    first.__enter__()
    during = setting()
    second.__enter__()
    first.__exit__(None, None, None)
    assert setting() == during != before
    second.__exit__(None, None, None)
    assert setting() == before


def test_who_never_collects_is_left_alone():
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with rare_collections():
            assert gc.get_threshold()[0] == 0
        assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
