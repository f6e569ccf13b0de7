#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
# The gates end to end, by their exit status: scripts/boots, latitude, prove and checks, each on machines that must pass and on
# machines that must fail. A stub in place of scripts/machine prints the logs. machine.t tests `scripts/machine run` in this way,
# tests/lint/tap.t tests/lint/tap, and tests/corpus/check.t the corpus.
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'tests/tools'))
import tap    # noqa: E402

# Ends as the environment variable STUB says. With "proven", only the machine with a fault fails.
MACHINE = r'''
my $how = $ENV{STUB};
my ($folder) = map { /^--folder=(.*)/ ? $1 : () } @ARGV;
$how = (grep { $_ eq '-f' } @ARGV) ? 'fail' : 'pass' if $how eq 'proven';
if (defined $folder) {
    for (['truth', "dsmodel truth 1\n"], ['violations', $how eq 'violation' ? "violation vcpu=0 rip=0x1 pmi-lost: a PMI [SDM]\n" : '']) {
        open my $file, '>', "$folder/$_->[0]" or die;
        print $file $_->[1];
    }
}
$| = 1;
exit 33 if $how eq 'silent';
my ($ok, $area, $reason, $verdict, $counts) = $how eq 'fail' ? ('not ok', '0 0 1', "# fail bts.one: bad\n", 'fail', 'pass=0 fail=1')
    : ('ok', '1 0 0', '', 'pass', 'pass=1 fail=0');
print "# begin dstest86 0.1.0 abc 64\n1..1\n# test bts.one\n", $how eq 'fail' ? "# check bts/one.c:1\n" : '', "$ok 1 bts.one\n",
    "# area pass differs fail skip error\n# area bts $area 0 0\n$reason# facility bts $verdict 1 of 1\n# facility pebs not selected\n",
    "# facility lbr not selected\n# end dstest86 verdict=$verdict $counts skip=0 error=0 differs=0\n";
kill 'SEGV', $$ if $how eq 'crash';
sleep 100 if $how eq 'hang';
exit($how eq 'off' ? 0 : $how eq 'fail' ? 35 : 33);
'''
FAULT = 'bts.threshold.ignored skylake : bts.one\n'
FILES = {
    'scripts/machine': MACHINE,
    'build/qemu-ds': '#!/bin/sh\ncase $2 in profiles) echo "skylake 64  S" ;; *) echo "bts.threshold.ignored  the threshold" ;; esac\n',
    'tests/qemu/cases': '64 pvh skylake pass\n64 pvh skylake pass exit=none\n', 'tests/qemu/violations': '',
    'tests/qemu/faults': FAULT, 'tests/qemu/unproven': 'checks : 1\n', 'bts/one.c': '    test_equal(run, 1, 2);\n',
}
BOOTS = ['boots', '--seconds=1', 'pass$']
DOWN = ['boots', '--seconds=1', 'exit=none']
LATITUDE = ['latitude', '--seconds=1', '--seeds=1', 'skylake 64']
PROVE = ['prove', '--seconds=1', '--file=tests/qemu/faults', 'skylake']
CHECKS = ['checks']
# The command; what the machines do, or for `checks` the file that is changed; the exit status.
ROWS = [
    (BOOTS, 'pass', 0), (BOOTS, 'fail', 1), (BOOTS, 'crash', 1), (BOOTS, 'silent', 1), (BOOTS, 'hang', 1), (BOOTS, 'violation', 1),
    (DOWN, 'off', 0), (DOWN, 'crash', 1),
    (LATITUDE, 'pass', 0), (LATITUDE, 'violation', 0), (LATITUDE, 'fail', 1), (LATITUDE, 'crash', 1), (LATITUDE, 'silent', 1),
    (PROVE, 'proven', 0), (PROVE, 'pass', 1), (PROVE, 'fail', 1), (PROVE, 'silent', 1),
    (CHECKS, None, 0), (CHECKS, ('tests/qemu/unproven', 'checks : 2\n'), 1), (CHECKS, ('bts/one.c', '\n    test_equal(run, 1, 2);\n'), 1),
    (CHECKS, ('tests/qemu/faults', FAULT + FAULT), 1), (CHECKS, ('tests/qemu/faults', 'bts.threshold.ignored skylake : bts.two\n'), 1),
]


def write(tree, files):
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)


with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder)
    for path in 'scripts', 'scripts/lib', 'ds':
        (tree / path).mkdir()
        for file in (TOP / path).iterdir():
            if file.is_file() and (file.suffix in ('.pm', '.inc') or file.name in ('boots', 'latitude', 'prove', 'checks')):
                shutil.copy(file, tree / path)
    write(tree, FILES)
    (tree / 'build/dsdump').symlink_to(TOP / 'build/dsdump')
    for command, how, status in ROWS:
        write(tree, FILES | {'build/prove/001-bts.threshold.ignored-skylake/serial': '# test bts.one\n# check bts/one.c:1\n'} if command is CHECKS
              else FILES)
        if isinstance(how, tuple):
            write(tree, dict([how]))
        done = subprocess.run([tree / 'scripts' / command[0], *command[1:]], cwd=tree, env=os.environ | {'STUB': str(how)}, capture_output=True,
                              text=True, timeout=100)
        tap.ok(done.returncode == status, f'{" ".join(command)}, {how}: status {status}') or tap.note(f'{done.returncode}\n{done.stdout}{done.stderr}')
tap.done()
