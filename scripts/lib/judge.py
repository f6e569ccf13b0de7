# SPDX-License-Identifier: MIT
"""Compares a finished boot with its row: its exit status, and the files in its folder (serial, stderr, truth, violations)."""
import collections
import pathlib
import re
import subprocess
from collections.abc import Iterator

import table
import truth

DSDUMP = table.ROOT / 'build/dsdump'
# QEMU's exit status is the debug exit device's value * 2 + 1; 1 is QEMU's own failure.
NOTICES = 'fail', 'error', 'differs'
VERDICT_OF_STATUS = {33: 'pass', 35: 'fail', 37: 'skip', 39: 'error', 41: 'panic', 45: 'incomplete'}
ESCAPE = re.compile(r'\x1b\[[0-9;?=]*[A-Za-z]|\r')
RESULT = re.compile(r'(not )?ok \d+ ([a-z0-9._]+)(?: # (\w*).*)?$')
RECORD = re.compile(r'# (?:bts|pebs|lbr) (?:\d|stack)')


def read_lines(path: pathlib.Path) -> list[str] | None:
    """The lines that are not empty, without firmware's escape sequences; None if there is no such file."""
    try:
        return [line for line in ESCAPE.sub('', path.read_text(encoding='latin-1')).split('\n') if line]
    except FileNotFoundError:
        return None


def results_in(lines: list[str]) -> tuple[dict[str, str], str | None]:
    """The results, ID => pass, differs, fail, skip or error, and the verdict: None if there is none."""
    results, differs, verdict = {}, False, None
    for line in lines:
        if line.startswith('# differs: '):
            differs = True
        elif match := RESULT.match(line):
            bad, test, word = match.groups()
            results[test] = (('error' if word == 'ERROR' else 'fail') if bad
                             else 'skip' if word == 'SKIP' else 'differs' if differs else 'pass')
            differs = False
        elif match := re.match(r'# end dstest86 .*\bverdict=(\w+)', line):
            verdict = verdict or match[1]
    return results, verdict


def judged(path: pathlib.Path | str, log: str = '') -> tuple[int, list[str]]:
    """The exit status of dsdump --judge on a log, and what makes the log unusable. What dsdump says of others is advice. The path
    '-' is for the log."""
    done = subprocess.run([DSDUMP, '--judge', path], input=log, capture_output=True, text=True, encoding='latin-1')
    if done.returncode < 0 or 126 <= done.returncode != 134:
        return 2, [f'dsdump failed: {done.stderr}; run make tools']
    said = re.findall(r'^dsdump: [^:]+: (?:line \d+: )?(.*)', done.stderr, re.M)
    return done.returncode, (said or ['dsdump calls the log unusable']) if done.returncode == 2 else []


def refusal_problems(row: table.Row, status: int, lines: list[str], errors: list[str]) -> Iterator[str]:
    """Of a machine that must be refused: by QEMU with status 1, or by scripts/machine itself."""
    if status not in (1, 2):
        yield f'status {status}, not a refusal'
    if lines:
        yield 'the machine started'
    if len(errors) != 1:
        yield f'one line of errors expected, got {len(errors)}'
    for text in row.texts:
        if not any(text in line for line in errors):
            yield f'the refusal does not contain "{text}"'


def violation_problems(results: dict[str, str], said: list[str]) -> Iterator[str]:
    """Violations that the model's referee reported without reason, or failed to report. If several tests expect the same one, a
    single report may do, because the referee does not repeat it at the same instruction."""
    ran = [re.sub(r'\.(?:core|atom|kind)\d*$', '', test) for test, result in results.items() if result != 'skip']
    wanted = collections.Counter(name for test in ran for name in table.read_violations().get(test, []))
    count = collections.Counter()
    for line in said:
        if line.startswith('violation '):
            name = (re.search(r' rip=\S+ ([^:]+): ', line) or ['', ''])[1]
            count[name] += 1
            if count[name] > wanted[name]:
                yield line
    yield from (f'the referee did not report {name}' for name in sorted(wanted) if not count[name])


def sections(lines: list[str]) -> list[list]:
    """[TEST, its lines], for each test in order; the lines before the first belong to ''."""
    found = [['', []]]
    for line in lines:
        if line.startswith('# test '):
            found.append([line.split()[2], []])
        found[-1][1].append(line)
    return found


def with_records(path: pathlib.Path, lines: list[str]) -> tuple[list[str], list[str]]:
    """A boot's lines, with dsdump's text of each test's records in the place of what the kernel printed of them, behind the test's
    other lines; and what is wrong with the dump."""
    read = subprocess.run([DSDUMP, '--text', path], stdout=subprocess.PIPE, text=True, encoding='latin-1')
    if read.returncode:
        return [], ['dsdump cannot read the dump']
    dumped, out = collections.deque(sections(read.stdout.splitlines())[1:]), []
    for test, own in sections(lines):
        if dumped and dumped[0][0] == test:
            own = [line for line in own if not RECORD.match(line)] + dumped.popleft()[1][1:]
        out += own
    return out, [f'the log has no test {test} where the dump has records of it' for test, _ in dumped]


def boot_problems(row: table.Row, status: int, lines: list[str], errors: list[str]) -> tuple[list[str], str | None]:
    """Of a machine that must reach a verdict; and a remark."""
    results, verdict = results_in(lines)
    modelled = row.profile != 'none'
    (_, wrong), remark = judged(row.folder / 'serial'), None
    width = next((line.split()[-1] for line in lines if line.startswith('# begin dstest86 ')), row.width)
    if width != row.width:
        wrong.append(f'the {width}-bit kernel started')
    # With exit=none the kernel does not use the exit device; QEMU is shut down instead.
    said = verdict if 'exit=none' in row.options and status == 0 else VERDICT_OF_STATUS.get(status)
    if not said:
        wrong.append(f"QEMU's exit status {status} is not a verdict")
    elif said != verdict:
        wrong.append(f"QEMU's exit status {status} says {said}, the log says {verdict or 'nothing'}")
    if verdict != row.verdict:
        wrong.append(f'verdict {verdict or "none"}, expected {row.verdict}')
        if verdict in ('fail', 'error'):
            wrong.append('not ok: ' + ' '.join(test for test, result in results.items() if result in ('fail', 'error')))

    def wanted(line):
        return any(text in line for text in row.texts)
    if modelled and 'latitude' not in row.settings:    # then the model behaves typically; with a quirk, failed tests may differ, too
        differs = re.compile(r'# differs \S+: ' if 'quirk' in row.settings else r'# differs')
        wrong += [line[2:] for line in lines if differs.match(line) and not wanted(line)]
    wrong += [f'neither the log nor stderr contains "{text}"' for text in row.texts if not any(text in line for line in lines + errors)]
    wrong += [f'stderr: {line}' for line in errors if not wanted(line)]

    # With a quirk the kernel breaks rules without knowing.
    if modelled and 'quirk' not in row.settings:
        violations = read_lines(row.folder / 'violations')
        wrong += ['the model wrote no violations file'] if violations is None else violation_problems(results, violations)
    if modelled and row.records():
        happened = read_lines(row.folder / 'truth')
        if row.records() == 'raw':
            lines, unplaced = with_records(row.folder / 'serial', lines)
            wrong += unplaced
        if happened is None:
            wrong.append('the model wrote no truth log')
        else:
            remark, different = truth.compare(lines, happened)
            wrong += different
    return wrong, remark


def problems(row: table.Row, status: int, killed: int | None) -> tuple[list[str], str | None]:
    """The problems of a boot that ended with this status, or was killed after so many seconds; and a remark or None."""
    lines, errors = (read_lines(row.folder / name) or [] for name in ('serial', 'stderr'))
    if killed:
        return [f'timed out after {killed} seconds; the last line is: {lines[-1] if lines else "none"}'], None
    if row.verdict == 'refused':
        return list(refusal_problems(row, status, lines, errors)), None
    return boot_problems(row, status, lines, errors)


def fault_problems(row: table.Row, faulty: dict[str, str], verdict: str | None, killed: int | None,
                   healthy: dict[str, str]) -> tuple[list[str], set[str], bool]:
    """Why a boot with a fault proves nothing, the tests that noticed, and whether they, or a panic, show the fault; given the
    results without the fault."""
    ran = [test for test, result in healthy.items() if result == 'pass']
    noticed = {test: 'differs' if faulty.get(test) == 'differs' else 'fail' for test in ran if faulty.get(test) in NOTICES}
    must, idle = table.matching(row.globs, ran)
    differ, _ = table.matching(row.differ, ran)
    caught = bool(noticed) or row.panic and verdict == 'panic'
    if killed:
        wrong = [f'timed out after {killed} seconds']
    elif not verdict:
        wrong = ['the kernel printed no verdict']
    else:
        wrong = ['the kernel did not panic' if row.panic else 'the kernel panicked'] if (verdict == 'panic') != row.panic else []
        wrong += [f'did not notice: {" ".join(sorted(must - noticed.keys()))}'] if must - noticed.keys() else []
        wrong += [f'{test}: {noticed[test]} instead of {"differs" if test in differ else "fail"}' for test in sorted(must & noticed.keys())
                  if (noticed[test] == 'differs') != (test in differ)]
        wrong += [f'matches no test that runs there: {" ".join(idle)}'] if idle else []
        wrong += [f'noticed by: {" ".join(sorted(noticed)) or "none"}'] if wrong else []
    return wrong, must & noticed.keys(), caught
