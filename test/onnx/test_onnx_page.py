"""The page on ONNX lists every operator. `UPDATE_DOCUMENTS=1` rewrites its table."""

import os
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from teenyir.frontend.onnx.operators.table import FAMILIES, LATEST, table

PAGE = Path(__file__).parents[2] / "docs" / "onnx.md"
HEAD = "| | |\n|---|---|\n"


def rows() -> str:
    """A row for each family: its operators by name."""
    families: defaultdict[str, set[str]] = defaultdict(set)
    for (domain, name), found in table().items():
        families[found[-1].family].add(f"`{domain}.{name}`" if domain else f"`{name}`")
    lines = [f"| {family} | {', '.join(sorted(families[family]))} |\n" for family in FAMILIES]
    return HEAD + "".join(lines)


def test_the_page_lists_every_operator():
    text = PAGE.read_text()
    start = text.index(HEAD)
    if os.environ.get("UPDATE_DOCUMENTS"):
        PAGE.write_text(text[:start] + rows())
    assert PAGE.read_text()[start:] == rows()


def test_ranges_of_versions_do_not_overlap():
    for (domain, name), found in table().items():
        ranges = sorted((row.since, row.until) for row in found)
        assert ranges[-1][1] <= LATEST[domain], name
        for (_, end), (start, _) in pairwise(ranges):
            assert end < start, name


def test_every_operator_is_one_of_onnx():
    from onnx import defs

    known = {(schema.domain, schema.name) for schema in defs.get_all_schemas_with_history()}
    assert table().keys() <= known


def test_the_versions_that_have_been_read_are_those_of_the_package():
    from onnx import defs

    newest: defaultdict[str, int] = defaultdict(int)
    for schema in defs.get_all_schemas_with_history():
        newest[schema.domain] = max(newest[schema.domain], schema.since_version)
    assert all(newest[domain] <= version for domain, version in LATEST.items())
