#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# If QEMU lacks something that the model needs, the model reports it once, with the cost, and uses no wrong value. Only the
# tests that depend on it fail. hide.c hides or replaces QEMU's symbols.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my $hide   = realpath("$FindBin::Bin/../../build/hide.so") // die "losses.t: build/hide.so is missing; make qemu-test makes it\n";

# Tests that some loss makes fail, and tests that must always pass.
my @tests = qw(bts.calls bts.interrupt.threshold lbr.calls lbr.debug_exception.disables lbr.debug_exception.kept_out
  pebs.loads pebs.registers pebs.interrupt.threshold pebs.record.tsc perfmon.count perfmon.rdpmc.beyond);

my @exception = qw(lbr.debug_exception.disables lbr.debug_exception.kept_out);
my @object    = (@exception, qw(pebs.registers pebs.record.tsc));
my $object    = 'PEBS records lack CF, PF, AF, ZF, SF, DF and OF and have';
my $flags     = 'PEBS records lack CF, PF, AF, ZF, SF, DF and OF';
my $memory    = 'BTS is a tenth slower';
my $slower    = 'PEBS is slower, and code mapped at several addresses';

# HIDE, the reason and the cost in the message, the tests that notice
my @cases = (
    [ 'vmstate_x86_cpu', 'does not export vmstate_x86_cpu', $object, @object ],
    [ 'vmstate_x86_cpu=vmstate_cpu_common',
        'does not list env.regs, env.eip and env.eflags first in vmstate_x86_cpu', $object, @object ],
    [ 'vmstate_x86_cpu=misplaced_fields', 'has impossible register offsets in vmstate_x86_cpu', $object, @object ],
    [ 'vmstate_x86_cpu=shifted_fields', 'gives plugins register values that differ from those found with vmstate_x86_cpu',
        $object, @object ],
    [ 'current_cpu', 'does not export current_cpu', $object, @object ],
    [ 'object_dynamic_cast', 'does not export object_dynamic_cast', $object, @object ],
    [ 'object_dynamic_cast=nothing', 'has no x86 processor in current_cpu', $object, @object ],
    [ 'g_free', 'has no heap object in current_cpu', $object, @object ],
    [ 'helper_read_eflags', 'does not export helper_read_eflags', "$flags\n", 'pebs.registers' ],
    [ 'helper_read_eflags=cpu_get_tsc', 'computes wrong flags for a copy with helper_read_eflags', "$flags\n",
        'pebs.registers' ],
    [ 'cpu_restore_state', 'does not export cpu_restore_state', "$flags, and PMIs", 'pebs.registers' ],
    [ 'raise_exception_err_ra', 'does not export raise_exception_err_ra', 'RDPMC of a missing counter' ],
    [ 'cpu_x86_cpuid', 'does not export cpu_x86_cpuid', 'features that -cpu lacks' ],
    [ 'cpu_dump_state', 'does not export cpu_dump_state', 'a debug exception does not clear LBR', @exception ],
    [ 'cpu_get_tsc', 'does not export cpu_get_tsc', q(records have the host's clock), 'pebs.record.tsc' ],
    [ 'tlb_vaddr_to_host', 'does not export tlb_vaddr_to_host', $memory ],
    [ 'cpu_mmu_index_kernel', 'does not export cpu_mmu_index_kernel', $memory ],
    [ 'tlb_vaddr_to_host=other_memory', 'gives plugins memory contents that differ from those found with tlb_vaddr_to_host',
        $memory ],
    [ 'tcg_cflags_has', 'does not export tcg_cflags_has', $slower ],
    [ 'tcg_cflags_has=same_as_at_first', 'does not keep in exactly one word the flags read by tcg_cflags_has', $slower ],
    [ 'use_icount', 'does not export use_icount', '-icount, thread=single and accelerators' ],
);

# The verdict, output, and the model's messages of a boot.
sub boot_without
{
    my ($hidden, @machine) = @_;
    local @ENV{qw(LD_PRELOAD HIDE)} = ($hide, $hidden);
    return boot('-o', 'run=' . join(',', @tests), @machine);
}

sub failed
{
    my ($out) = @_;
    return join ' ', sort $out =~ /^not ok \d+ (\S+)/mg;
}

my ($status, $out, $err) = boot_without('');
is("$status $err" . failed($out), 'pass ', 'no symbol hidden: no message, and all tests pass') or diag $out;

for my $case (@cases) {
    my ($hidden, $reason, $cost, @noticing) = @$case;
    ($status, $out, $err) = boot_without($hidden);
    like($err, qr/\Adsmodel: QEMU \d+\.\d+\.\d+ \Q$reason: $cost\E.*\Z/, "HIDE=$hidden is reported once, with its cost");
    is(failed($out), join(' ', sort @noticing), '... exactly the tests that depend on it fail');
    is($status, @noticing ? 'fail' : 'pass', '... the guest runs to its end');
}

($status, $out, $err) = boot_without('vmstate_x86_cpu', '-s', 2);
is(scalar(() = $err =~ /^dsmodel: /mg), 1, 'two processors: one report');
($status, $out, $err) = boot_without('use_icount qmp_query_version');
like($err, qr/\Adsmodel: this QEMU does not export use_icount: /,
    'if QEMU does not report its release, the message omits it');
done_testing();
