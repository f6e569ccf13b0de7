#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# GDB's commands ds and perfmon: every field of the management area, compared with the kernel's variables; problems of an area
# that is broken on purpose; counters, event selects, LVT entry and status.
use strict;
use warnings;
use Cwd 'realpath';
use File::Temp;
use FindBin;
use lib $FindBin::Bin;
use Gdb 'gdb';
use Math::BigInt;
use Test::More;

my $open = 'hbreak ds_close if processors[0]->open_for';

# The fields that ds prints, and GDB's own reading of the struct that the kernel encoded.
sub fields
{
    my ($text) = @_;
    my %field = $text =~ /^  ((?:bts|pebs)\.\w+(?:\[\d+\])?) +0x([0-9a-f]+)/mg;
    return { map { $_ => Math::BigInt->from_hex($field{$_})->bstr } keys %field };
}

sub kernels_fields
{
    my ($text) = @_;
    my %field;
    while ($text =~ /(bts|pebs) = \{base = (0x[0-9a-f]+), index = (0x[0-9a-f]+), maximum = (0x[0-9a-f]+), threshold = (0x[0-9a-f]+)\}/g) {
        @field{"$1.base", "$1.maximum", "$1.threshold"} = map { Math::BigInt->from_hex($_)->bstr } $2, $4, $5;
    }
    return \%field;
}

for my $case ([ 'skylake', 64, 'pebs.with_bts', 8 ], [ 'goldencove', 64, 'pebs.with_bts', 8 ], [ 'core2', 64, 'bts.calls', 8 ],
    [ 'netburst', 32, 'pebs.tagging.with_bts', 4 ]) {
    my ($profile, $width, $test, $bytes) = @$case;
    my ($out, $serial) = gdb({ width => $width, profile => $profile, options => "run=$test",
        commands => [ $open, 'continue', 'ds', 'p/x processors[0]->opened', 'perfmon', 'continue' ] });
    my $fields = fields($out->[2] // '');
    my $kernels = kernels_fields($out->[3] // '');
    is(scalar keys %$kernels, 6, "$profile: the kernel's variables");
    is_deeply({ map { $_ => $fields->{$_} } keys %$kernels }, $kernels, "$profile, $width bits: ds prints the area's fields");
    like($out->[2], qr/^management area at 0x[0-9a-f]+ \(IA32_DS_AREA\): \d+ bytes, addresses of $bytes$/m, "$profile: the width of addresses");
    my ($record) = $out->[2] =~ /^BTS: \d+ of \d+ records of (\d+) bytes/m;
    is($record, 3 * $bytes, "$profile: the record's size");
    my ($used, $all) = $out->[2] =~ /^BTS: (\d+) of (\d+) records/m;
    is($used, ($fields->{'bts.index'} - $fields->{'bts.base'}) / $record, "$profile: the number of records in the BTS buffer");
    is($all, ($fields->{'bts.maximum'} - $fields->{'bts.base'}) / $record, "$profile: the BTS buffer's capacity");
    like($out->[2], qr/^no problem found$/m, "$profile: no problem");
    like($out->[4], qr/^LVT performance counter entry 0xe1: vector 0xe1, fixed, not masked$/m, "$profile: perfmon: the LVT entry");
    ok(scalar(grep { /^ok 1 \S+$/ } @$serial), "$profile: $test passes under the debugger");
}

# For an area that is broken on purpose, ds prints each broken rule with the field and its value, like the kernel.
{
    my $area = '(*(unsigned long (*)[12])processors[0]->management_area)';
    my $up = 0x300000; # sets bit 20 of the address
    my ($out) = gdb({ profile => 'skylake', options => 'run=bts.calls', commands => [ $open, 'continue', 'ds', "set var ${area}[0] += $up, ${area}[1] += $up, ${area}[2] += $up, ${area}[3] += $up + 4", 'ds',
            "set var ${area}[1] = ${area}[0] - 24", 'ds', "set var ${area}[0] = 0x900000000000", 'ds'] });
    my $fields = fields($out->[2]);
    my $threshold = sprintf '0x%x', $fields->{'bts.threshold'} + $up + 4;
    like($out->[4], qr/^wrong: bts\.threshold $threshold is not base \+ k \* record\n +SDM Vol\. 3A \(253668-032\), "BTS and DS Save Area", 16\.4\.9$/m, 'a threshold between two records');
    like($out->[4], qr/\A(?!.*(?:no problem found|wrong: bts 0x\w+ has bit 20)).*^note: bit 20 is set in the address of bts: /ms, '... is a problem; bit 20 is a note');
    my $index = sprintf '0x%x', $fields->{'bts.base'} + $up - 24;
    like($out->[6], qr/^wrong: bts\.index $index is outside the buffer\n +SDM Vol\. 3A/m, 'an index before the base');
    like($out->[6], qr/^wrong: bts\.threshold $threshold /m, '... the threshold is still reported');
    like($out->[6], qr/^BTS: fill level unknown/m, '... the fill level is unknown');
    like($out->[8], qr/^wrong: bts\.base 0x900000000000 is not a canonical address/m, 'a non-canonical address');
}

# The check also reads the processor's state and the page tables, through GDB.
{
    my ($out) = gdb({ profile => 'skylake', options => 'run=bts.calls', commands => [ 'hbreak ds_force', 'continue', 'finish', 'ds',
        'set var *(unsigned long *)processors[0]->management_area = 24', 'ds' ] });
    like($out->[3], qr/^no problem found$/m, 'an area that the kernel has just written');
    like($out->[5], qr/^wrong: bts 0x18 is on a page that is not mapped\n/m, 'a page that is not mapped') or diag $out->[5];
}

# The counter selects the size of adaptive PEBS records. Nine basic records; then two of them become one record of 64 bytes;
# then two counters are on, one of them with the adaptive bit; then both counters are off.
{
    my $state = sub { "python path = State.path(); state = open(path).read(); open(path, 'w').write($_[0])" };
    my $first = '*(unsigned long *)processors[0]->opened.pebs.base';
    my ($out) = gdb({ profile => 'goldencove', options => 'run=pebs.adaptive.ignored', commands => [ $open, 'continue', 'ds',
        "set var $first = 64UL << 48 | 1", 'ds', "set var $first = 32UL << 48",
        $state->(q{state.replace('msr 0x3f1 0x2\n', 'msr 0x3f1 0x3\n').replace('msr 0x186 0x0\n', 'msr 0x186 0x400000000\n')}), 'ds',
        $state->(q{state.replace('msr 0x3f1 0x3\n', 'msr 0x3f1 0x0\n')}), 'ds' ] });
    for my $case ([ 2, 'of a counter without the adaptive bit', 'on' ], [ 9, 'of counters that are off', 'off' ]) {
        my ($n, $what, $on) = @$case;
        like($out->[$n], qr/^  pebs\.index +0x[0-9a-f]+  base \+ 9 records$/m, "records $what are basic records");
        like($out->[$n], qr/^PEBS: 9 of 320 records of 32 bytes .*; $on/m, '... the fill level counts them so');
        like($out->[$n], qr/^no problem found$/m, '... no problem');
    }
    for my $case ([ 4, 'records of two sizes' ], [ 7, 'two counters, one adaptive' ]) {
        my ($n, $what) = @$case;
        like($out->[$n], qr/^  pebs\.index +0x[0-9a-f]+$/m, "$what: the number of records is unknown");
        like($out->[$n], qr/^PEBS: 288 of 10240 bytes \(2 %\), records vary in size, 9888 bytes to the threshold; on/m, '... the fill level is in bytes');
        like($out->[$n], qr/^no problem found$/m, '... no problem');
    }
}

# perfmon prints the counters: programmed events by name, enabled counters, overflows.
{
    my ($out) = gdb({ profile => 'skylake', options => 'run=pebs.loads', commands => [ 'hbreak load_33', 'continue', 'perfmon' ] });
    like($out->[2], qr/^  PMC0 +0x[0-9a-f]{12}  overflows after \d+; IA32_PERFEVTSEL0 0x[0-9a-f]+: MEM_INST_RETIRED\.ALL_LOADS OS.*, PEBS$/m, "perfmon: the event's name, and PEBS")
        or diag $out->[2];
    like($out->[2], qr/^IA32_PERF_GLOBAL_CTRL 0x[0-9a-f]*1$/m, 'perfmon: the enabled counters');
}

# Architectural PEBS has no area: the buffer is physical memory.
{
    my ($out) = gdb({ profile => 'clearwaterforest', options => 'run=pebs.loads', commands => [ 'ds', $open, 'continue', 'ds', 'perfmon' ] });
    like($out->[4], qr/^  PMC\d +0x[0-9a-f]{12}  .*: \S+ OS.*, PEBS/m, 'perfmon, architectural PEBS: CFG_C says which counter samples');
    like($out->[4], qr/^IA32_PEBS_INDEX 0x[0-9a-f]+, IA32_DEBUGCTL 0x/m, 'perfmon, architectural PEBS: IA32_PEBS_INDEX');
    like($out->[0], qr/^PEBS: no buffer has been set up on this processor$/m, 'architectural PEBS: before the set-up');
    like($out->[3], qr/^PEBS is architectural: its records do not go into a DS area/m, 'architectural PEBS: ds reports it');
    like($out->[3], qr/^  IA32_PEBS_BASE +0x[0-9a-f]{16}  address 0x[0-9a-f]+, \d+ bytes$/m, '... with its buffer');
    like($out->[3], qr/^PEBS: [1-9]\d* of \d+ bytes \(\d+ %\)$/m, '... and fill level');
    like($out->[3], qr/^IA32_DS_AREA is 0: no management area/m, '... without a management area');
}

# Each processor has its own area: GDB's thread selects it.
{
    my ($out) = gdb({ profile => 'skylake', options => 'run=all_cpus.bts*', boot => [ '-s', 2 ],
        commands => [ 'hbreak ds_close if processors[1] && processors[1]->open_for', 'continue', 'thread 2', 'p/x processors[1]->opened',
            'ds', 'thread 1', 'ds' ] });
    my $kernels = kernels_fields($out->[3] // '');
    my $fields = fields($out->[4] // '');
    is_deeply({ map { $_ => $fields->{$_} } keys %$kernels }, $kernels, "the second processor's area");
    like($out->[6], qr/^IA32_DS_AREA is 0: no management area has been set up on this processor$/m, "the first processor has no area");
}

# ds uses the model's state file only if it is complete and of this stop, and checks its values.
{
    my $write = sub { "python open(State.folder + '/0', 'w').write($_[0])" };
    my ($out, undef, $text) = gdb({ profile => 'skylake', options => 'run=bts.calls', commands => [ $open, 'continue',
        "python state = open(State.path()).read(); import re; print('end', repr(state[-5:]))", 'ds',
        $write->(q{state[:state.index('msr ')]}), 'ds', $write->(q{state[:-5]}), 'ds',
        $write->(q{re.sub('rip 0x', 'rip 0x1', state)}), 'ds', 'stepi', 'ds', 'python state = open(State.path()).read()',
        $write->(q{re.sub('register idt.*\\n', '', state)}), 'ds',
        $write->(q{re.sub('cr0 0x8', 'cr0 0x0', re.sub('efer .*', 'efer 0x500', state))}), 'ds',
        $write->('state'), "python PROGRAM = State.folder + '/dies'",
        q{python open(PROGRAM, 'w').write('#!/bin/sh\nkill -SEGV $$\n'); os.chmod(PROGRAM, 0o755)}, 'ds',
        q{python os.symlink('/dev/full', State.folder + '/0.new')}, 'stepi', 'ds' ] });
    is($out->[2], "end '\\nend\\n'\n\n", 'the model ends its file with "end"');
    like($out->[3], qr/^no problem found$/m, 'a complete state');
    like($out->[5], qr{^\S+/0 is incomplete: its last line is not \"end\"$}m, 'a state cut between two lines');
    like($out->[7], qr{^\S+/0 is incomplete: its last line is not \"end\"$}m, 'a state cut in a line');
    like($out->[9], qr{^\S+/0 is from another stop \(rip 0x1[0-9a-f]+, GDB is at 0x[0-9a-f]+\): step once, or was QEMU started with state=\S+\?$}m,
        'a state of another stop');
    like($out->[11], qr/^no problem found$/m, 'stepi replaces it');
    like($out->[14], qr/^no problem found\n\(the state has no register idt: whether the vector has a handler was not checked\)$/m,
        'a state without the IDT');
    like($out->[16], qr/^no problem found$/m, 'without paging: no user pages');
    like($text, qr{^dsmodel: the file of processor 0 in state=\S+ could not be written: No space left on device$}m, 'a full disk');
    like($out->[23], qr{^\S+/0 is from another stop }m, '... leaves the older state');
    like($out->[20], qr{^\S+/dies was ended by signal 11: this is a defect, please report it$}m, 'a helper that crashes');
}

# GDB for i386 truncates addresses to 32 bits. A stub other than QEMU's would read linear instead of physical addresses.
{
    my ($out) = gdb({ width => 32, profile => 'netburst', commands => [ 'python print(read_linear(0x100000000, 4))',
        'python print(read_linear(0xffffffff, 2))', 'python print(read_physical(0x100200000, 4))', 'python print(len(read_physical(0x200000, 4)))',
        q{python execute = gdb.execute; gdb.execute = lambda text, **rest: '' if 'PhyMem' in text else execute(text, **rest)},
        'python print(read_physical(0x200000, 4))' ] });
    is($out->[$_] =~ s/\n.*//sr, 'None', 'an address above 4 GiB') for 0 .. 2;
    like($out->[3], qr/^4$/m, 'a valid address');
    like($out->[5], qr/physical memory cannot be read: GDB is not connected to QEMU/, 'a stub without physical memory');
}

# Without the model, the commands report what is missing and what to do.
{
    my ($out) = gdb({ profile => 'none', commands => [ 'ds', 'perfmon' ] });
    like($out->[0], qr{^\S+/0 does not exist: the model writes it when processor 0 stops; was QEMU started with state=}m, 'no model: the message');
    my (undef, undef, $bogus) = gdb({ profile => 'bogus', commands => [ 'ds' ] });
    like($bogus, qr/\A(?:Reading symbols from .*\n)?dsmodel: profile=bogus is not known.*\n(?:.*Connection refused\.\n)?\z/, 'an unknown profile: only the model reports it')
        or diag $bogus;
    my ($help) = gdb({ profile => 'none', commands => [ 'help ds', 'ds 5', 'help bts' ] });
    like($help->[0], qr/^Print the DS management area of this processor with every field/m, 'help');
    like($help->[1], qr/^ds takes no argument$/m, 'a superfluous argument');
}
# Without a machine, ds-state accepts a folder silently, prints it on request, and removes files of an earlier GDB.
{
    my $home = File::Temp->newdir;
    mkdir "$home/state";
    for (0, 'my') {
        open my $left, '>', "$home/state/$_.watch" or die "$home: $!\n";
        close $left;
    }
    local $ENV{HOME} = $home;
    my $folder = qx(gdb -q -nx -batch -x "$FindBin::Bin/../../tools/gdb/dstest86.py" -ex 'ds-state ~/state' -ex ds-state 2>&1);
    is($folder, realpath("$home/state") . "\n", 'ds-state: a folder in the home directory');
    ok(!-e "$home/state/0.watch" && -e "$home/state/my.watch", "... without an earlier GDB's watch; other files remain");
    my $said = qx(gdb -q -nx -batch -x "$FindBin::Bin/../../tools/gdb/dstest86.py" -ex ds-state -ex 'ds-state /' -ex 'echo taken\\n' -ex ds-state 2>&1);
    is($said, "no folder is known\ntaken\n/\n", 'ds-state');
}
done_testing;
