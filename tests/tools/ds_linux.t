#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""ds-linux on this host, whatever it offers: the log is whole, its status is the exit status, and it names no host. tests/linux/run
runs it on processors whose answers are known."""
import re
import socket
import subprocess

from tap import BUILD, done, ok


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


own = run(BUILD / "ds-linux")
log = own.stdout
judged = run(BUILD / "dsdump", "--judge", "-", input=log)
wrong = run(BUILD / "ds-linux", "--raw")
plan = int(re.search(r"^1\.\.(\d+)$", log, re.M)[1])
offered = re.search(r"^# linux cpu\w*: perf type [1-9]", log, re.M)
checks = {
    "no test fails on this host": own.returncode in ((0, 77) if offered else (77,)),
    "dsdump --judge reads the log, and gives the exit status": judged.returncode == own.returncode and not judged.stderr,
    "the log begins as the kernel's": re.match(r"# begin dstest86 \d+\.\d+\.\d+ \S+ linux\n(# cpuid .*\n)+# linux .*\n# cpu \S+ \w+ stepping \d", log),
    "each test has a result": plan > 20 and len(re.findall(r"^(?:not )?ok \d+ ", log, re.M)) == plan,
    "without counters, a sentence says why": offered or re.search(r"^# no test can run: \w", log, re.M),
    "the log does not name the host": socket.gethostname() not in log,
    "an unknown option is an error": wrong.returncode == 2 and wrong.stderr.startswith("usage: ds-linux ") and not wrong.stdout,
}
for name, right in checks.items():
    ok(right, name)
done()
