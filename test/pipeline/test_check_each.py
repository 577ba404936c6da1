"""`--check-each`: every planted miscompilation is found and named, and nothing else is."""

import re
import sys
from pathlib import Path

import pytest

from teenyir.diagnostics import DifferenceError
from teenyir.pipeline.build import Registry
from teenyir.pipeline.instruments.check import CheckEach
from teenyir.pipeline.instruments.statistics import Statistics
from teenyir.pipeline.instruments.verify import VerifyEach
from teenyir.pipeline.ir import parse_module
from teenyir.pipeline.manager import PassManager
from teenyir.pipeline.registry import PASSES
from teenyir.runtime.check import NativeCheck
from teenyir.tools.command import DIFFERS
from teenyir.tools.teeny_opt import main

sys.path.insert(0, str(Path(__file__).parent))

from golden_commands import ROOT, golden_commands
from planted import PLANTED, SQUARE, Planted


def manager(pipeline: str, planted: Planted, heard: list[str]) -> PassManager:
    registry = Registry()
    miscompile = planted.as_pass()
    registry.passes[planted.name] = lambda: miscompile
    check = CheckEach(NativeCheck(), lambda diagnostic: heard.append(diagnostic.message))
    return PassManager.parse(pipeline, registry=registry, instruments=[check, VerifyEach()])


def test_there_are_at_least_twenty():
    assert len({planted.name for planted in PLANTED}) == len(PLANTED) >= 20


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_miscompilation_is_found_and_named(planted: Planted):
    heard: list[str] = []
    # what else is there does no harm, and what comes after it is not to blame
    pipeline = f"{planted.before}cse,{planted.name},canonicalize"
    with pytest.raises(DifferenceError) as caught:
        manager(pipeline, planted, heard).run(parse_module(planted.text, "planted.mlir"))
    message = caught.value.render()
    assert heard == []
    assert f"note: in pass {planted.name} (#" in message
    differs = (
        r"@main has another meaning: output '\w+': \d+ of \d+ elements? differ, the worst at \["
    )
    faulty = r"@main has become faulty"
    assert re.search(f"error: ({differs}|{faulty})", message), message
    assert re.search(r"note: on (random inputs|edge cases|small inputs)", message)


@pytest.mark.parametrize("element", ["i1", "i8", "ui16", "f16", "bf16", "f8E4M3FN", "f64"])
def test_programs_of_every_kind_of_element_are_checked_down_to_native_code(element: str):
    heard: list[str] = []
    text = """
      func.func @main(%x: tensor<T>, %y: tensor<3xT>) -> tensor<4xT> {
        %p = graph.pad %y, %x low [1] high [0] : (tensor<3xT>, tensor<T>) -> tensor<4xT>
        func.return %p : tensor<4xT>
      }""".replace("T>", f"{element}>")
    check = CheckEach(NativeCheck(), lambda diagnostic: heard.append(diagnostic.message))
    PassManager.parse("cpu", instruments=[check]).run(parse_module(text, "all.mlir"))
    assert heard == []


@pytest.mark.parametrize("pipeline", ["cuda", "cuda-emulated"])
def test_a_program_for_a_gpu_is_run_by_the_emulator(pipeline: str):
    heard: list[str] = []
    check = CheckEach(NativeCheck(), lambda diagnostic: heard.append(diagnostic.message))
    PassManager.parse(pipeline, instruments=[check]).run(parse_module(SQUARE, "square.mlir"))
    assert heard == []


# what is asked to change what a program means is no false alarm
LEFT_OUT = re.compile(r"%t|--bisect|wrong_passes|fast-math=true|tf32=true|--run-reproducer|--help")
GOLDEN = [
    pytest.param(path, arguments, id=f"{path.relative_to(ROOT)} {' '.join(arguments)}")
    for path, arguments in golden_commands()
    if not LEFT_OUT.search(" ".join(arguments))
]


@pytest.mark.long
@pytest.mark.parametrize("path, arguments", GOLDEN)
def test_no_false_alarm_on_the_golden_tests(
    path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
):
    code = main([str(path), *arguments, "--check-each"])
    assert code != DIFFERS, capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("path, arguments", GOLDEN)
def test_our_passes_lose_no_locations_on_the_golden_tests(
    path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
):
    with Statistics() as statistics:
        main([str(path), *arguments, "--pass-statistics"])
    counters = statistics.counters
    lost = {name for name, counter in counters if counter == "locations lost"}
    assert not lost & PASSES.keys(), capsys.readouterr().out
