#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""With CI=true, a skipped test fails unless tests/lint/skips permits its reason. Without CI=true, skips pass."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / 'tests/tools'))
import tap    # noqa: E402

folder = pathlib.Path(tap.folder)
(folder / 'lint').mkdir()
(folder / 'lint/skips').write_text('# no reason\n./test : no KVM here\n./other : no perf here\n')
(folder / 'lint/tap').symlink_to(HERE / 'tap')


def write_test(script):
    (folder / 'test').write_text(f'#!/bin/sh\n{script}\n')
    (folder / 'test').chmod(0o755)


def run(ci, script, **environment):
    """Runs this script as a test: its output, and its status behind it."""
    write_test(script)
    done = subprocess.run(['lint/tap', './test', 'one'], cwd=folder, env={**os.environ, 'CI': ci, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f'{done.stdout}{done.returncode}'


no = 'tests/lint/skips does not permit skipping'
for what, text, *in_ci in (
        ('a failure', '1..2\nok 1 - a\nnot ok 2 - b\n'),
        ('a permitted skip', '1..1\nok 1 # SKIP no KVM here\n'),
        ('a permitted skip of all', '1..0 # SKIP no KVM here\n'),
        ('a skip for another reason', '1..2\nok 1 - a # SKIP no KVM\nok 2\n', f'1..2\nnot ok 1 - {no} this: no KVM\nok 2\n'),
        ('a skip permitted only for another test', '1..1\nok 1 # skip no perf here\n', f'1..1\nnot ok 1 - {no} this: no perf here\n'),
        ('a skip without a reason', 'ok 1 - a # SKIP\n1..1\n', f'not ok 1 - {no} this: \n1..1\n'),
        ('a skip as a failure', '1..1\nnot ok 1 - a # SKIP no perf here\n', f'1..1\nnot ok 1 - {no} this: no perf here\n'),
        ('a skip of all', '1..0 # SKIP no perf here\n', f'1..1\nnot ok 1 - {no} all of it: no perf here\n'),
        ('a remark', '1..1\nok 1\n# ok 2 # SKIP no perf here\n'),
        ('a name with the word', '1..1\nok 1 - a skip is a failure\n')):
    tap.same(run('true', f"cat <<'END'\n{text}END"), f'{(in_ci or [text])[0]}0', what)
    tap.same(run('', f"cat <<'END'\n{text}END"), f'{text}0', f'{what}, outside of CI')
for ci in 'true', '':
    tap.same(run(ci, 'echo 1..1; exit 3'), '1..1\n3', f"the test's status with CI={ci}")
    tap.same(run(ci, 'echo $1 $CMOCKA_MESSAGE_OUTPUT'), 'one TAP\n0', f'its arguments and environment with CI={ci}')
    tap.same(run(ci, 'echo "$MAKEFLAGS"', MAKEFLAGS=' -j10 --jobserver-auth=3,4 -- A=-j5'), ' -- A=-j5\n0', f"no jobs of make's with CI={ci}")
tap.same(run('true', 'echo 1..1; kill -SEGV $$'), '1..1\n139', 'a test that crashes')
os.environ['CI'] = 'true'
absent = subprocess.run(['lint/tap', './absent'], cwd=folder, stderr=subprocess.PIPE, text=True)
tap.ok(absent.returncode and absent.stderr == 'tap: ./absent: No such file or directory\n', 'a missing test')

# Lines are printed at once, not at the end: this test continues only when its first line has been read.
write_test('echo ok 1\nfor _ in $(seq 100); do [ -e read ] && echo ok 2 && break; sleep 0.1; done')
with subprocess.Popen(['lint/tap', './test'], cwd=folder, stdout=subprocess.PIPE, text=True) as running:
    tap.same(running.stdout.readline(), 'ok 1\n', 'a line passes')
    (folder / 'read').touch()
    tap.same(running.stdout.readline(), 'ok 2\n', '... before the test prints the next one')

# tests/tools/tap.py, which this test uses, too.
script = f"import sys; sys.path.insert(0, '{ROOT}/tests/tools'); from tap import *; " \
    "ok(1, 'a #1'); ok(0, 'b', 'why'); same([1, 2], [1, 3], 'c'); same(1, 1, 'd'); like('ab', 'b', 'e'); like('b', 'a', 'f'); skip('g', 'no'); done()"
done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True)
if (done.stdout, done.returncode) != ('ok 1 - a \\#1\nnot ok 2 - b\nnot ok 3 - c\nok 4 - d\nok 5 - e\nnot ok 6 - f\nok 7 - g # SKIP no\n1..7\n', 1):
    sys.exit(f'tests/tools/tap.py reports other results: {done.stdout}, status {done.returncode}')

skips = [line.split(' : ') for line in (HERE / 'skips').read_text().splitlines() if line and not line.startswith('#')]
tap.same([entry for entry in skips if len(entry) != 2 or not entry[1] or not os.access(ROOT / entry[0], os.X_OK)], [],
         'tests/lint/skips lists tests of this tree, with reasons')
tap.done()
