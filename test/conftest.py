"""What all tests share: where there is no excuse to skip (CI), a skipped test fails the run."""

import gc
import os
from collections.abc import Iterator

import hypothesis
import numpy as np
import pytest

# how long an example takes says more of the machine than of the code
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")

# so that programs are the same, and kernels run in threads, whatever the machine
os.environ.setdefault("TEENYIR_NUM_THREADS", "2")
os.environ["TEENYIR_TUNED"] = "none"

_FIRST_STATES: dict[int, tuple[np.random.Generator, object]] = {}
"""Generators of modules, by identity, with the state that they were imported with."""


@pytest.fixture(autouse=True)
def same_random_numbers(request: pytest.FixtureRequest) -> None:
    """Have the generators of a test's module begin anew: alone and in any order it draws the same.

    A number that it draws is then one that it fails with again.
    """
    for generator in vars(request.module).values() if hasattr(request, "module") else ():
        if isinstance(generator, np.random.Generator):
            now = generator.bit_generator.state
            first = _FIRST_STATES.setdefault(id(generator), (generator, now))[1]
            generator.bit_generator.state = first


def pytest_collection_finish() -> None:
    """Leave what importing the tests made out of each search for garbage: it stays to the end."""
    gc.collect()
    gc.freeze()


IN_CI = os.environ.get("CI", "").lower() == "true"


def skipped(terminal: pytest.TerminalReporter) -> list[pytest.TestReport]:
    """Return the reports of the tests that did not run."""
    return terminal.stats.get("skipped", [])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Turn a run with skips into a failed one, before the summary line is printed."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and terminal is not None and skipped(terminal) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that CI does not allow to skip, and why they did."""
    if IN_CI:
        for report in skipped(terminalreporter):
            terminalreporter.write_line(f"SKIPPED IN CI {report.nodeid}: {report.longrepr}")
