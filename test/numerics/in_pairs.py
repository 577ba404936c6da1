"""Cases of several axes: enough of them for every pair of values, and the rest where time is long.

A fault is mostly one of a value or of two that meet. The cases in which each value of an axis meets
each of every other are few: as many as the two longest axes have, not the product of all.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import pytest

Place = tuple[int, ...]


def in_pairs(*axes: Sequence[Any]) -> list[Any]:
    """Every combination of the axes' values, marked `long` unless a pair of values needs it."""
    places = list(product(*(range(len(axis)) for axis in axes)))
    needed = covering(places)
    return [
        pytest.param(
            *(axis[k] for axis, k in zip(axes, place, strict=True)),
            marks=() if place in needed else pytest.mark.long,
        )
        for place in places
    ]


def covering(places: Sequence[Place]) -> set[Place]:
    """Some of the places in which every pair of coordinates is that all have, taken greedily."""
    pairs = {place: set(combinations(enumerate(place), 2)) for place in places}
    left = set().union(*pairs.values())
    chosen: set[Place] = set()
    while left:
        best = max(places, key=lambda place: len(left & pairs[place]))
        chosen.add(best)
        left -= pairs[best]
    return chosen
