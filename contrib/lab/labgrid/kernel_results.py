# SPDX-License-Identifier: MIT
"""The results in the lines of the kernel's log (docs/output.md, "The frame")."""
import re
from dataclasses import dataclass


@dataclass
class Result:
    id: str
    outcome: str  # pytest's word: passed, skipped or failed
    reason: str  # empty if passed
    lines: list  # the kernel's output during the test


def results(lines):
    """Yields a Result for each result line, as soon as it arrives."""
    said = []
    for line in lines:
        if line.startswith("# test "):
            said = []
        said.append(line)
        match = re.fullmatch(r"(not )?ok \d+ ([a-z0-9._]+)(?: # (.*))?", line)
        if match:
            yield _result(match, said)
            said = []


def _result(match, said):
    failed, name, directive = match.groups(default="")
    if failed:
        wrong = [line[2:] for line in said if line.startswith("# wrong: ")]
        return Result(name, "failed", "\n".join(wrong + [directive] if directive else wrong) or "not ok", said)
    if directive.startswith("SKIP"):
        return Result(name, "skipped", directive[len("SKIP"):].strip(), said)
    return Result(name, "passed", "", said)
