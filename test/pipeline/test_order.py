"""Ordering constraints: about passes that exist, obeyed by our own pipelines, checked up front."""

import pytest

from teenyir.diagnostics import PipelineError
from teenyir.lowering.graph_to_kernel.lower import GraphToKernel
from teenyir.lowering.kernel_to_uop.lower import KernelToUop
from teenyir.pipeline.build import Nested, build_pipeline
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.order import ORDER, Order, Placed, check_order
from teenyir.pipeline.registry import PASSES, PIPELINES


def test_constraints_are_about_passes_that_there_are():
    assert {name for order in ORDER for name in (order.first, order.then)} <= PASSES.keys()
    assert len({(order.first, order.then) for order in ORDER}) == len(ORDER)


def test_constraints_have_no_cycle():
    check_order([Placed(name) for name in ("simplify-graph", "graph-to-kernel", "kernel-to-uop")])
    before = {order.first: {o.then for o in ORDER if o.first == order.first} for order in ORDER}
    for start in before:
        reached, pending = set[str](), list(before[start])
        while pending:
            reached.add(name := pending.pop())
            pending += before.get(name, set()) - reached
        assert start not in reached


@pytest.mark.parametrize("name", PIPELINES)
def test_named_pipelines_obey_them(name: str):
    build_pipeline(name)


def test_every_run_of_the_one_comes_before_every_run_of_the_other():
    order = [Order("a", "b", "so it is")]
    check_order(map(Placed, "aab"), order)
    check_order(map(Placed, "ba"), [])
    with pytest.raises(PipelineError) as caught:
        check_order(map(Placed, "abaa"), order)
    assert len(caught.value.diagnostics) == 2
    assert "'a' has to come before 'b': so it is" in caught.value.render()


def test_a_pipeline_made_of_objects_is_checked_as_well():
    passes = (KernelToUop(), Nested("any", (GraphToKernel(),)))
    with pytest.raises(PipelineError):
        PassManager(Nested("builtin.module", passes))
