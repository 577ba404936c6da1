"""What runs each time of cases with several axes has every pair of values, and is not all."""

from itertools import combinations, product

import pytest
from in_pairs import covering, in_pairs


@pytest.mark.parametrize(
    ("sizes", "most"), [((3,), 3), ((4, 3), 12), ((3, 5, 3), 15), ((6, 3, 3, 2), 20)], ids=str
)
def test_every_pair_is_there(sizes: tuple[int, ...], most: int) -> None:
    places = list(product(*map(range, sizes)))
    chosen = covering(places)
    assert len(chosen) <= most
    for one, other in combinations(range(len(sizes)), 2):
        found = {(place[one], place[other]) for place in chosen}
        assert found == set(product(range(sizes[one]), range(sizes[other])))


def test_the_others_are_long() -> None:
    cases = in_pairs("ab", "xyz", [0, 1])
    assert [case.values for case in cases] == list(product("ab", "xyz", [0, 1]))
    assert 0 < sum(case.marks == () for case in cases) < len(cases)
