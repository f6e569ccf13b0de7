#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# scripts/machine: refused arguments, QEMU arguments that no boot of tests/qemu/cases has, the exit status of `run`, and the
# report on KVM. A script replaces QEMU. Its tree's path has a comma, which QEMU's options need doubled.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../scripts/lib";
use Files qw(run write_file);
use Kvm;
use Test::More;

my $top = realpath(tempdir(CLEANUP => 1)) . '/a,b';
my $qemu = "$top/build/qemu-system-x86_64";
write_file("$top/build/$_",
    '') for qw(dstest86-64.elf firmware-64.elf BOOTX64.EFI dsmodel.so toolchain/ovmf/OVMF_CODE.fd toolchain/ovmf/OVMF_VARS.fd);
write_file("$top/scripts/none", '');
symlink "$FindBin::Bin/../../scripts/$_", "$top/scripts/$_" or die "$_: $!\n" for qw(machine lib);
write_file($qemu, "#!/bin/sh\nprintf ' [%s]' \"\$@\"\nexit 77\n");
chmod 0755, $qemu;

sub machine { return run("$top/scripts/machine", @_) }

# ---- QEMU's arguments
my ($status, $out) = machine('boot', '-p', 'core2', '-f', 'x,y', '-q', 'z', '-L', '7:u,v', '-d', 'F,D');
my $doubled = $top =~ s/,/,,/gr;
like($out, qr{ \[-plugin\] \[\Q$doubled\E/build/dsmodel.so,profile=core2,truth=F,,D/truth,violations=F,,D/violations,quirk=z,latitude=7:u,,v,fault=x,,y\]$},
    'commas are doubled');
is($status, 77, 'boot passes on the status of QEMU');
like((machine('boot', '--', '-m', 16))[1], qr/ \[-m\] \[256\] .* \[-m\] \[16\]$/, "the user's QEMU options come last");
is((machine(qw(boot --route=pvh --width= --profile=none --options= --fault= --latitude=)))[0], 77,
    'empty options, as make passes them, mean the defaults');
unlike((machine(qw(boot -p none -d F -f x -q y -L 7)))[1], qr/plugin/, 'no model with the profile none');
unlike((machine(qw(boot -R -p none -k), $qemu))[1], qr/no-reboot/, 'a machine that restarts');

# ---- refused arguments
for (['boot -w 16', "unknown width '16'; expected 32 or 64"],
    (map { ["boot -s $_", "--processors: expected a number from 1 to 999, not '$_'"] } 0, 1000, 'x', '1x'),
    ["boot -r uefi -k $qemu", "--image=$qemu: route uefi starts only the kernels inside the loader; use --route=pvh"],
    ['boot -b x2apic,acpi', qr/^--firmware: unknown 'acpi'; expected some of: absent device /],
    ['boot -b lvt -r cd', '--firmware=lvt: route cd has firmware of its own; use --route=pvh'],
    ['boot -r pxe', qr/^unknown route 'pxe'; expected one of: bios-cd /],
    ['boot -r usb -R', '--restart writes to the image; give a copy of it as --image=FILE'],
    ['boot -r net -o list',
        'route net gets its loader and its options from a server; omit --image, --width and --options'],
    ['boot -m /no/such.so', '--model=/no/such.so: no such file'], ['boot -k /no/such.elf',
        '--image=/no/such.elf: no such file'],
    ['boot -a hvf', "unknown accelerator 'hvf'; expected tcg or kvm"],
    (map { ["boot -a kvm --$_=x", qr/^--accel=kvm --$_=\S+: there is no model on a real processor/] }
        qw(fault quirk latitude folder firmware cores model)),
    ['boot -r cd', 'build/dstest86.iso is missing; run ./bootstrap, then make'],
    ['run -w 32', 'build/dstest86-32.elf is missing; run ./bootstrap, then make'],
    ['boot --unknown', qr/see machine --help/], ['start', qr/^unknown subcommand 'start'/],
    ['', qr/^unknown subcommand ''/]) {
    my ($arguments, $said) = @$_;
    my ($status, undef, $err) = machine(split ' ', $arguments);
    $err =~ s/^Unknown option.*\n//;
    ref $said ? like($err =~ s/^machine: //r, $said, "$arguments is refused") : is($err, "machine: $said\n",
        "$arguments is refused");
    is($status, 2, '... with status 2');
}
my ($helped, $help) = machine('--help');
ok($helped == 0 && $help eq (machine('run', '--help'))[1], '--help prints the same with and without a subcommand');
my @long = $help =~ /^ +-\w, --(\w+)/mg;
is_deeply([grep { (machine('boot', "--$_"))[2] =~ /Unknown option/ } @long],
    [], 'each option in the help exists');

# ---- run: the verdict, on which the log and QEMU's exit status must agree
my $begin = '# begin dstest86 0.1.0 abc 64';
my @panic = ($begin, '# panic vector 8', '# end dstest86 verdict=panic pass=0 fail=0 skip=0 error=0 differs=0');
my @fail = ($begin, '1..1', 'not ok 1 bts.one', '# area pass differs fail skip error', '# area bts 0 0 1 0 0',
    '# fail bts.one: bad',
    '# facility bts fail 1 of 1', '# facility pebs not selected', '# facility lbr not selected',
    '# end dstest86 verdict=fail pass=0 fail=1 skip=0 error=0 differs=0');
my @pass = map { s/^not ok/ok/r =~ s/bts 0 0 1/bts 1 0 0/r =~ s/fail 1 of/pass 1 of/r =~ s/verdict=fail pass=0 fail=1/verdict=pass pass=1 fail=0/r }
    grep { !/^# fail / } @fail;
my @skip = map { s/^ok 1 \S+\K/ # SKIP no DS/r =~ s/bts 1 0 0 0/bts 0 0 0 1/r =~ s/pass 1 of 1/none: no DS/r =~ s/verdict=pass pass=1 fail=0 skip=0/verdict=skip pass=0 fail=0 skip=1/r } @pass;
my @error = map { s/ # SKIP.*/ # ERROR no plan/r =~ s/^ok/not ok/r =~ s/bts 0 0 0 1 0/bts 0 0 0 0 1/r =~ s/none: no DS/fail 1 of 1/r =~ s/verdict=skip (.*) skip=1 error=0/verdict=error $1 skip=0 error=1/r } @skip;
splice @error, 5, 0, '# error bts.one: no plan';
my @incomplete = map { s/none: no DS/untested: no APIC/r =~ s/verdict=skip/verdict=incomplete/r } @skip;

sub run_log
{
    my ($ending, $errors, @lines) = @_;
    write_file($qemu, join "\n", '#!/bin/sh', "cat <<'X'", @lines, 'X', "cat >&2 <<'X'", "${errors}X", $ending, '');
    return join '|', machine(qw(run -p none));
}

for ([33, 0, @pass], [35, 1, @fail], [45, 3, @incomplete], [37, 77, @skip], [39, 99, @error], [41, 134, @panic]) {
    my ($qemu_status, $status, @lines) = @$_;
    my ($verdict, $log) = ($lines[-1] =~ /verdict=(\w+)/, join '', map { "$_\n" } @lines);
    is(run_log("exit $qemu_status", '', @lines), "$status|$log|", "$verdict: status $status");
    is(run_log('exit 0', '', @lines), "$status|$log|", "$verdict, then a shutdown: status 0 is accepted");
    my $other = $qemu_status == 33 ? 35 : 33;
    like(run_log("exit $other", '', @lines), qr/^2\|.*\|machine: the log says $verdict, QEMU's exit status $other says /s, "$verdict, but QEMU's status is another verdict");
    like(run_log('kill -SEGV $$', '', @lines), qr/^2\|.*\|machine: QEMU's exit status 139 is not a verdict\n/s, "$verdict, but QEMU crashes");
}
like(run_log('exit 33', '', @pass[0 .. $#pass - 1]), qr/^2\|.*\|machine: no "# end dstest86" line: the log is cut short\n/s, 'a log without its end');
is(run_log('exit 1', "no such device\n"), "2||no such device\n", 'QEMU does not start');
is(run_log('exec sleep 100', '', "\e[2Jloader\r", '', 'dstest86: no kernel started; returning to the firmware in 30 seconds, or after a key'),
    "99|loader\ndstest86: no kernel started; returning to the firmware in 30 seconds, or after a key\n|", 'a loader that starts no kernel ends the run');
my $stick = Kvm::is_other('/sys') ? '' : 'boot this machine from a stick, or ';
like(run_log('exec sleep 100', "KVM internal error. Suberror: 1\n", $begin), qr/^99\|.*\|KVM internal error.*\nmachine: KVM cannot continue this guest: [^;]*; ${stick}use the model/s,
    "an error of KVM ends the run, with advice that fits the host's processor");

run_log('exit 33', '', @pass);
is(join('|', run('sh', '-c', "'$top/scripts/machine' run -p none >/dev/full")), "99||machine: standard output: No space left on device\n", 'a full disk ends the run');

# ---- kvm
for (['0000', qr/: load the module kvm_intel; /], ['0002', qr/, and this host's processor is not Intel's: .*; use the model \(without accel=kvm\)/]) {
    write_file("$top/sys/devices/system/cpu/modalias", "cpu:type:x86,ven$_->[0]fam0019mod0001:feature:\n");
    like(join('|', machine('kvm', "$top/kvm", "$top/sys")), qr/^1\|\|kvm: there is no \Q$top\E\/kvm$_->[1]/, "no KVM on vendor $_->[0]");
}
is(join('|', machine('kvm', '/dev/null')), "1||kvm: /dev/null is not KVM: it reports no API version\n", 'a device other than KVM');
SKIP: {
    skip '/dev/kvm is missing or not accessible', 4 if !-r '/dev/kvm' || !-w _;
    my ($status, $cpu, $said) = machine('kvm');
    is($status, 0, 'KVM answers');
    like($cpu, qr/^host,migratable=off,pmu=on(?:,lbr-fmt=0x[1-9a-f][0-9a-f]?)?$/, '... with a processor for QEMU');
    skip 'this processor has counters: its verdict is unknown in advance', 2 if $said !~ /no counters|every test will be skipped/;
    my $log = qx(timeout 120 $FindBin::Bin/../../scripts/machine run -a kvm -o 'run=lbr.calls timeout=20');
    is($? >> 8, 77, 'without counters the verdict is skip');
    like($log, qr/^# hypervisor \S.*\n(?:.*\n)*# facility lbr none: .*\n# end dstest86 verdict=skip pass=0 /m, '... the log names the hypervisor');
}
done_testing;
