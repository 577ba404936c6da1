"""How often memory is searched for garbage around a compilation, and how deep it recurses."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from teenyir.pipeline import limits
from teenyir.pipeline.limits import UNSEEN_OBJECTS, deep_recursion, rare_collections


@pytest.fixture
def collections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The generations that are searched, as they are."""
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            found.append(info["generation"])

    monkeypatch.setattr(limits.Unseen, "count", 0)
    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def cycles(count: int) -> None:
    for _ in range(count):
        itself: list[object] = []
        itself.append(itself)


def test_a_little_garbage_is_not_looked_for(collections: list[int]):
    before = gc.get_threshold()
    with rare_collections():
        cycles(5_000)
    assert not collections
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_garbage_is_found_in_the_end(collections: list[int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits.Unseen, "count", UNSEEN_OBJECTS - 1_000)
    with rare_collections():
        cycles(5_000)
    assert collections == [2]
    assert limits.Unseen.count == 0


def test_frozen_objects_stay_so():
    gc.freeze()
    frozen = gc.get_freeze_count()
    try:
        with rare_collections():
            cycles(100)
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()


def test_a_collector_that_is_switched_off_is_left_alone(
    collections: list[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits.Unseen, "count", UNSEEN_OBJECTS)
    gc.disable()
    try:
        with rare_collections():
            cycles(5_000)
    finally:
        gc.enable()
    assert not collections


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


def test_who_never_collects_is_left_alone(collections: list[int]):
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with rare_collections():
            cycles(5_000)
        assert gc.get_threshold()[0] == 0
        assert limits.Unseen.count == 0
    finally:
        gc.set_threshold(*before)
    assert not collections
