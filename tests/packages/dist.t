#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""`make dist` writes the same bytes from every clone, and all files have the version of NEWS."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/tools'))
import tap    # noqa: E402

FOLDER = pathlib.Path(tap.folder)
os.environ.pop('SOURCE_DATE_EPOCH', None)    # of the make that runs this test


def run(command, text=''):
    """(status, output with errors) of a shell command."""
    done = subprocess.run(command, shell=True, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


version = re.search(r'^## (\S+) \(', (ROOT / 'NEWS').read_text(), re.M)[1]
sums = []
for umask in '022', '077':
    clone = FOLDER / f'clone{umask}'
    status, said = run(f"umask {umask} && git clone -q '{ROOT}' '{clone}' && make -s -C '{clone}' dist")
    tap.ok(status == 0, f'make dist in a clone, umask {umask}', said)
    sums.append(hashlib.sha256((clone / f'build/dstest86-{version}.tar.gz').read_bytes()).hexdigest())
tap.same(sums[1], sums[0], 'the bytes are the same')
tap.same(run(f"tar -C '{FOLDER}' -xf '{FOLDER}/clone022/build/dstest86-{version}.tar.gz'"), (0, ''), 'the tarball can be unpacked')
tree = FOLDER / f'dstest86-{version}'
tap.like((tree / 'debian/changelog').read_text(), rf'\Adstest86 \({re.escape(version)}\) unstable; urgency=medium\n\n  \* \S',
         "Debian's changelog begins with that version")
_, database = run(f"make -C '{tree}' -pn help")
_, commit = run(f"git -C '{ROOT}' rev-parse --short=12 HEAD")
for pattern, what in ((rf'VERSION := {re.escape(version)}', 'a build from it has the version of NEWS'),
                      (f'REVISION := {commit.strip()}', '... the revision of its commit, without git'),
                      (r'(?:export )?SOURCE_DATE_EPOCH := \d{10}', "... and the commit's date")):
    tap.ok(re.search(f'^{pattern}$', database, re.M), what)

CHANGELOG = f"'{ROOT}/debian/make-changelog'"
for news, said in (('', 'there is no version'),
                   ('News\n\n## 1.0\n', 'line 3: expected a version, as in "## 1.2.3 (2026-01-31)", or "- " and what is new: ## 1.0'),
                   ('News\n\n## 1.0 (2026-01-31)\n', 'no news under 1.0')):
    tap.same(run(CHANGELOG, news), (1, f'make-changelog: NEWS: {said}\n'), f'refused: {said}')
status, said = run(CHANGELOG, 'News\n\n## 1.1 (2026-01-31)\n\n- one\n- two, which\n  goes on\n\n## 1.0 (2025-12-01)\n- first\n')
tap.same(re.sub('^ -- .*?>  ', 'BY ', said, flags=re.M),
         'dstest86 (1.1) unstable; urgency=medium\n\n  * one\n  * two, which goes on\n\nBY Sat, 31 Jan 2026 12:00:00 +0000\n\n'
         'dstest86 (1.0) unstable; urgency=medium\n\n  * first\n\nBY Mon, 01 Dec 2025 12:00:00 +0000\n\n', 'a changelog')
tap.done()
