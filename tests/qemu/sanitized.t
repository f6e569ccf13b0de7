#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
"""The plugin in QEMU, built with the address sanitizer and the sanitizer of undefined behaviour: tests pass on four machines,
and neither sanitizer reports anything."""
import os
import subprocess
import sys

import machine
import tap

COMPILER = os.environ.get('HOST_CC', 'gcc')
# QEMU loads the sanitizers' libraries before all others. QEMU itself frees less than it allocates.
libraries = [subprocess.run([COMPILER, f'-print-file-name=lib{name}.so'], stdout=subprocess.PIPE, text=True).stdout.strip()
             for name in ('asan', 'ubsan')]
if not all(map(os.path.exists, libraries)):
    print(f"1..0 # SKIP the sanitizers of {COMPILER} are not gcc's libraries")
    sys.exit()
os.environ.update(LD_PRELOAD=' '.join(libraries), ASAN_OPTIONS='detect_leaks=0')
for tests, *options in (('bts.*,ds.*,lbr.*,pebs.*', '-p', 'skylake'), ('arch.*,lbr.*', '-p', 'clearwaterforest'),
                        ('all_cpus.*,pebs.adaptive.*', '-p', 'alderlake', '-s', '4'),
                        ('all_cpus.*.at_once', '-p', 'skylake', '-s', '64')):
    _, log, errors = machine.boot('-m', f'{tap.BUILD}/host/dsmodel.so', '-o', f'timeout=100 run={tests}', *options)
    tap.like(log, r'(?m)^# end dstest86 verdict=pass ', f'{" ".join(options)}: {tests} pass')
    # The address sanitizer also warns of QEMU's coroutines.
    tap.ok('ERROR: ' not in errors and 'runtime error: ' not in errors, f'{" ".join(options)}: no report of a sanitizer', errors)
tap.done()
