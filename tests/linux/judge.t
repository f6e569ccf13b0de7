#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tests/linux/run must detect mistakes: judges the logs of the last `make linux-test` again, with one change each.
use strict;
use warnings;
no warnings 'portable';    # addresses have 64 bits
use Cwd qw(realpath);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib "$FindBin::Bin/../../scripts/lib";
use Files qw(read_file write_file);
my $logs = realpath("$FindBin::Bin/../../build") . '/linux-test';
my $folder = tempdir(CLEANUP => 1);
my %at = map { /^([0-9a-f]+) \w (\w+)$/ ? ($2 => sprintf '%x', hex $1) : () } qx(nm "$FindBin::Bin/../../build/linux-program");

# Changes to the lines of a section. In TO, \1 is the first group of FROM.
sub drop { my ($pattern) = @_; return sub { my ($n) = grep { $_[0][$_] =~ $pattern } 0 .. $#{ $_[0] }; splice @{ $_[0] }, $n, 1 if defined $n } }
sub keep { my ($count) = @_; return sub { splice @{ $_[0] }, $count } }
sub add { my ($line) = @_; return sub { push @{ $_[0] }, $line } }

sub edit
{
    my ($from, $to) = @_;
    return sub {
        for (@{ $_[0] }) {
            my $kept = /$from/ ? $1 : next;
            s/$from/defined $kept ? $to =~ s{\\1}{$kept}r : $to/e;
            return;
        }
    };
}

# Judges a profile's logs after changes, each to a section of its output or to a file. Returns the failed checks.
sub failed
{
    my ($profile, @changes) = @_;
    my %lines;
    mkdir "$folder/$profile";
    for (qw(console stderr truth violations)) {
        unlink "$folder/$profile/$_";
        symlink "$logs/$profile/$_", "$folder/$profile/$_" or die "judge.t: $_: $!\n";
    }
    for (@changes) {
        my ($where, $change) = @$_;
        my $name = $where =~ /^(?:truth|violations|console)$/ ? $where : 'console';
        my $all = $lines{$name} //= [split /\r?\n/, read_file("$logs/$profile/$name")];
        my ($first) = $where eq $name ? 0 : grep { $all->[ $_ - 1 ] eq "\@\@ $where" } 1 .. @$all;
        die "judge.t: $profile has no section $where\n" if !defined $first;
        my ($past) = grep { $_ == @$all || $first && $all->[$_] =~ /^@@ / } $first .. @$all;
        my @part = @$all[$first .. $past - 1];
        $change->(\@part);
        splice @$all, $first, $past - $first, @part;
    }
    for (keys %lines) {
        unlink "$folder/$profile/$_";
        write_file("$folder/$profile/$_", join '', map { "$_\n" } @{ $lines{$_} });
    }
    my $out = qx("$FindBin::Bin/run" -r "$folder" $profile 2>&1);
    return $out =~ /^not ok \d+ - [^:]+: (.*)$/mg;
}

my ($other, $kernel) = ($at{finish}, 'ffffffff8d0ffdae');
# SECTION, the change, and a pattern for the names of the checks that must fail.
my @any = (
    ['console', edit('^@@ end', '@@ ended'), 'powers itself off'],
    ['kernel', edit('(.*)Performance Events: ', '\1'), 'Linux names the processor and its features'],
    ['kernel', edit('Brought up 1 node', 'Brought up 2 nodes'), 'isolation|x2apic'],
    (map { ['kernel', add("[ 1.0] $_"), 'prints no warning'] } 'WARNING: CPU: 0', 'unchecked MSR access error', 'Call Trace:',
        'perfevents: irq loop stuck', 'Oops: 0000'),
    ['stat', edit('^\d+(,,instructions)', '270015\1'), 'counts exactly'],
    ['stat', drop(qr/taken/), 'counts exactly'],
    ['bare', edit('status 0', 'status 139'), 'perf stat without events'],
    ['watchdog', edit('1', '0'), 'NMI watchdog'],
    ['rings', edit('^\d+(,,instructions:?u)', '270015\1'), 'add up'],
    ['any', edit('^ *\w+', "  $at{inner}"), '-j any: '],
    ['any', keep(9), '-j any: '],
    ['any', edit('^( *\w+) .*', '\1'), '-j any: '],
    ['violations', add('violation vcpu=1 rip=0x1 pmi-lost: a PMI was lost [SDM]'), 'no violation'],
);
my %more = (
    skylake => [
        ['precise_p', edit('[0-9a-f]{6}$', $at{call_outer}), 'precise events with p '],
        ['precise_pp', edit('[0-9a-f]{6}$', $at{inner}), 'precise events with pp '],
        ['precise_ppp', keep(60), 'precise events with ppp '],
        ['many', edit('BX:0xc7', 'BX:0xc6'), 'large PEBS'],
        ['truth', sub { @{ $_[0] } = map { /^pebs/ ? ($_, 'pmi vcpu=0') : $_ } @{ $_[0] } }, 'large PEBS'],
        ['registers', edit('R15:0x\w+', 'R15:0x123456'), 'registers of each sample'],
        ['registers', edit('^ *[0-9a-f]+', "  $at{leaf}"), 'registers of each sample'],
        ['instructions', edit('[0-9a-f]{6}$', $kernel), 'precise samples of instructions'],
        ['kernel_instructions', edit('ffffffff\w+', $other), 'precise samples of only the kernel'],
        ['anywhere_1', edit('^ *\w+', "  $other"), 'different address'],
        ['any_call', edit('0x\w+/', "0x$at{inner_return}/"), '-j any_call'],
        ['any_kernel', edit('/0xffffffff\w+', "/0x$at{main}"), '-j any,k'],
        ['call_graph', sub { @{ $_[0] } = grep { !/outer/ } @{ $_[0] } }, 'chain of calls'],
        ['bts', drop(qr{=> +$at{inner}}), 'intel_bts'],
        ['all', keep(30), 'samples both processors'],
        ['turns_stat_first', edit('^\d+(,,instructions)', '99634\1'), 'its own counts'],
        ['turns_sample_first', edit('[0-9a-f]{6}$', $at{leaf}), 'its own samples'],
        ['turns_chain_first', sub { @{ $_[0] } = grep { !/main|take_turns/ } @{ $_[0] } }, 'first one\'s call stack'],
        ['counter', sub { $_ = '80000001 0000ffff' for @{ $_[0] } }, 'full width'],
        ['mem_near', sub { s/L1 (?:or L1 )?hit/L3 hit/ for @{ $_[0] } }, 'near ring'],
        ['mem_middle', keep(5), 'middle ring'],
        ['mem_far', sub { s/RAM/L3/g for @{ $_[0] } }, 'far ring'],
    ],
    ivybridge => [
        ['registers', edit('^ *[0-9a-f]+', "  $at{leaf}"), 'registers of each sample'],    # the record's own address
        ['registers', edit('BX:0x\w+', 'BX:0x123456'), 'registers of each sample'],
    ],
    clearwaterforest => [
        ['sampled', keep(5), 'samples without PEBS'],
        ['refused', keep(0), 'precise samples are refused'],
        ['counted', sub { s/([1-9a-f])$/0/ for @{ $_[0] } }, 'counts of the group'],
    ],
);
my @profiles = grep { -e "$logs/$_/console" } sort keys %more;
plan skip_all => 'no logs of Linux: make linux-test profiles="' . join(' ', sort keys %more) . '"' if !@profiles;
for my $profile (@profiles) {
    is(join(' | ', failed($profile)), '', "$profile: the unchanged log passes");
    # Several changes at a time, of different sections, for different checks; without its end, a log is not judged further.
    my @groups;
    for my $each (@any, @{ $more{$profile} }) {
        my ($group) = grep { !grep { $_->[0] eq $each->[0] || $_->[2] eq $each->[2] || $_->[0] eq 'console' } @$_ } @groups;
        push @groups, $group = [] if !$group;
        push @$group, $each;
    }
    for my $group (@groups) {
        my @failed = failed($profile, @$group);
        for (@$group) {
            my ($where, undef, $checks) = @$_;
            ok((grep { /$checks/ } @failed), "$profile: a change in $where");
        }
        my @others = grep { my $name = $_; !grep { $name =~ /$_->[2]/ } @$group } @failed;
        is("@others", '', "$profile: no other check fails");
    }
}
done_testing;
