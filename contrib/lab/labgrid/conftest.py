# SPDX-License-Identifier: MIT
import time

import pytest


@pytest.fixture
def machine(strategy):
    """The strategy of a machine that is started for the test, and switched off after it."""
    strategy.transition("started")
    yield strategy
    strategy.transition("off")


@pytest.fixture
def report(request, capsys):
    """Reports a kernel test as a pytest test. Its duration is the time since the previous result."""
    item = request.node
    path, line, name = item.location
    last = time.monotonic()

    def report_result(result):
        nonlocal last
        before, last = last, time.monotonic()
        nodeid = f"{item.nodeid}[{result.id}]"
        location = (path, line, f"{name}[{result.id}]")
        longrepr = {
            "passed": None,
            "skipped": (path, line, f"Skipped: {result.reason}"),
            "failed": result.reason,
        }[result.outcome]
        test = pytest.TestReport(
            nodeid=nodeid, location=location, keywords={result.id: 1}, outcome=result.outcome, longrepr=longrepr, when="call",
            sections=[("the kernel's lines", "\n".join(result.lines))], duration=last - before)
        with capsys.disabled():
            item.ihook.pytest_runtest_logstart(nodeid=nodeid, location=location)
            item.ihook.pytest_runtest_logreport(report=test)
            item.ihook.pytest_runtest_logfinish(nodeid=nodeid, location=location)

    return report_result
