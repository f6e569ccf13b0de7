#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The kernel's tests of reserved bits try exactly the intended bits. On a modelled processor that accepts all bits, each test
# prints the accepted ones. The masks follow from SDM Vol. 4 (335592-081) and the number of the processor's counters.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(boot);
use Test::More;

my %common = (
    IA32_PERF_GLOBAL_CTRL => '0xfffe0000ffffff00',
    IA32_PERF_GLOBAL_OVF_CTRL => '0x3e0000ffffff00',
    IA32_PERFEVTSELx => '0xffff000000000000',
    IA32_DEBUGCTL => '0xffffffff00000000',
);
my %expected = (
    icelake => {
        %common,
        IA32_FIXED_CTR_CTRL => '0xe0000000ffff0000',
        MSR_LBR_SELECT => '0xffffffffffff0000',
        IA32_PEBS_ENABLE => '0xfff000000000000',
        MSR_PEBS_DATA_CFG => '0xff00000000000000',
    },
    clearwaterforest => {
        %common,
        IA32_FIXED_CTR_CTRL => '0xe0000000f000f000',    # fixed counters 3 and 7 do not exist
        IA32_LBR_CTL => '0xffffffffff80fff0',
        IA32_PMC_GPx_CFG_B => '0xfffffffcffffff03',     # missing counters, which cannot cause a reload
        IA32_PMC_FXx_CFG_B => '0xfffffffcffffff03',
    },
);

for my $profile (sort keys %expected) {
    my (undef, $log) = boot('-p', $profile, '-f', 'perfmon.msr.reserved_taken',
        '-o', 'run=*.reserved.*,lbr.arch.reserved,perfmon.reload.refused');
    my %masks;
    $masks{$2}{$1} = 1 while $log =~ /^# differs: WRMSR of (?:the reserved bits )?(0x\w+) to (\w+)/mg;
    my %got = map { $_ => join ' ', sort keys %{$masks{$_}} } keys %masks;
    is_deeply(\%got, $expected{$profile}, "$profile: the bits of each register");
}
done_testing;
