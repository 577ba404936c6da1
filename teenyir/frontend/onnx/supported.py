"""Whether the operators of a model are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from teenyir.diagnostics import Diagnostic, InputError, error, note
from teenyir.frontend.onnx.definitions import defined
from teenyir.frontend.onnx.nodes import shown
from teenyir.frontend.onnx.operators.table import LATEST, find

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

MOST_LISTED = 20
"""Nodes that are listed where operators are missing."""


def plain_domain(name: str) -> str:
    """The name of a set of operators, of which ONNX's own has two."""
    return "" if name == "ai.onnx" else name


def check_opsets(proto: ModelProto, name: str) -> None:
    """Raise InputError where a model is made of operators of versions that are not known."""
    versions = {plain_domain(each.domain): each.version for each in proto.opset_import}
    if not versions and proto.ir_version > 2:
        raise InputError(f"{name}: does not say which version of operators it is made of")
    for domain, version in versions.items():
        latest = LATEST.get(domain)
        if latest is not None and not 1 <= version <= latest:
            called = domain or "ai.onnx"
            raise InputError(
                f"{name}: needs version {version} of the operators {called}, of which 1 to "
                f"{latest} are known; convert it with onnx.version_converter"
            )


def check_operators(proto: ModelProto, name: str) -> None:
    """Raise InputError that lists every node whose operator is not there."""
    known = {(plain_domain(f.domain), f.name) for f in proto.functions}
    opsets = {plain_domain(each.domain): each.version for each in proto.opset_import}
    missing: dict[str, list[str]] = {}
    places = [(proto.graph.node, opsets)]
    for function in proto.functions:
        own = {plain_domain(each.domain): each.version for each in function.opset_import}
        places.append((function.node, {**opsets, **own}))
    for nodes, versions in places:
        for node in _all_nodes(nodes):
            domain = plain_domain(node.domain)
            version = versions.get(domain, 1)
            if (domain, node.op_type) in known or find(domain, node.op_type, version):
                continue
            if not defined(domain, node.op_type, version):
                kind = f"{domain + '.' if domain else ''}{node.op_type} (version {version})"
                label = node.name or next(iter(node.output), "")
                missing.setdefault(shown(kind), []).append(f"'{shown(label)}'")
    if missing:
        raise InputError(_missing(missing, name))


def _missing(missing: Mapping[str, Sequence[str]], name: str) -> Diagnostic:
    count = len(missing)
    what = "operator is" if count == 1 else "operators are"
    found = error(f"{name}: {count} {what} not supported: {', '.join(sorted(missing))}")
    for kind in sorted(missing):
        nodes = missing[kind]
        more = f" and {len(nodes) - MOST_LISTED} more" if len(nodes) > MOST_LISTED else ""
        found = found.with_notes(note(f"{kind}: {', '.join(nodes[:MOST_LISTED])}{more}"))
    return found


def _all_nodes(nodes: Sequence[NodeProto]) -> Iterator[NodeProto]:
    """Nodes, and those of graphs in their attributes."""
    pending = [iter(nodes)]
    while pending:
        if (node := next(pending[-1], None)) is None:
            pending.pop()
            continue
        yield node
        pending += [iter(each.g.node) for each in node.attribute if each.HasField("g")]
