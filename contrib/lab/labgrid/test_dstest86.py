# SPDX-License-Identifier: MIT
"""Boots the test kernel. Each kernel test is a pytest result; test_run checks the plan and the verdict."""
import pathlib
import subprocess

import pytest
from kernel_results import results
from labgrid.strategy import StrategyError

JUDGE = pathlib.Path(__file__).parents[1] / "judge"


def judge(log):
    """The verdict of a log, and the problems of the log itself."""
    judged = subprocess.run([JUDGE, log], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    verdict = judged.stdout.strip()
    return verdict, f"verdict={verdict}, but {log} is wrong:\n{judged.stderr}" if judged.returncode else ""


def test_run(machine, report):
    try:
        for result in results(machine.lines()):
            report(result)
    except StrategyError as error:
        failure = f"{error}; what came is in {machine.log_path}"
    else:
        verdict, failure = judge(machine.log_path)
    if failure:
        pytest.fail(failure, pytrace=False)
    if verdict == "skip":
        pytest.skip("verdict=skip")
    if verdict != "pass":
        pytest.fail(f"verdict={verdict}", pytrace=False)
