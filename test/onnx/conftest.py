"""Prints how many cases of ONNX's test suite pass."""

from typing import Any

from onnx_cases import REPORT


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in REPORT:
        terminalreporter.write_line(line)
