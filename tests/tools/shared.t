#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# What the tests of dsdump share, Dump.pm: programs are run and their ends told, and lines of two versions of perf become one form.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($build $dsdump elf run_program perfs same_form);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my %of = (folder => $folder);
open STDIN, '<', $0 or die "$0: $!\n";

# ---- programs
is_deeply([run_program(\%of, 'sh', '-c', 'echo out; echo err >&2; exit 3')], [3, "out\n", "err\n"], 'status, output and errors');
is_deeply([run_program(\%of, 'sh', '-c', 'kill -SEGV $$')], [139, '', ''], 'a signal');
is_deeply([run_program(\%of, 'cat')], [0, '', ''], 'no input');
is_deeply([run_program({ %of, chdir => '/proc' }, 'pwd')], [0, "/proc\n", ''], 'another folder');
is_deeply([run_program({ %of, stdout => '/dev/full' }, 'sh', '-c', 'echo 2>/dev/null || echo full >&2')], [0, '', "full\n"], 'another output');
is_deeply([run_program(\%of, 'sh', '-c', 'echo $PAGER $PERF_PAGER')], [0, "cat cat\n", ''], 'no pager');
my ($status, $out, $err) = run_program(\%of, "$folder/none");
ok($status != 0 && $err =~ m{^\Q$folder\E/none: No such file or directory$}m, 'a program that is not there');
is(elf(32), "$build/dstest86-32.elf", 'the kernel of a width');
like($dsdump, qr{^/.*/build/dsdump$}, 'dsdump');

# ---- perf
sub perf
{
    my ($text) = @_;
    open my $file, '>', "$folder/perf" or die "perf: $!\n";
    print $file "#!/bin/sh\n$text\n";
    close $file or die "perf: $!\n";
    chmod 0755, "$folder/perf";
    local $ENV{PATH} = "$folder:$ENV{PATH}";
    return map { $_->[1] eq 'perf' ? "@$_" : () } perfs();
}
is(join('|', perf('[ "$1" = --version ] && echo "perf version 6.1.99"')), '6.1.99 perf', 'a perf of the system');
is(join('|', perf('echo "perf version 6.1"; exit 1')), '', '... one that fails');
is(join('|', perf('echo "WARNING: perf not found for kernel"')), '', '... one that is none');
{
    local $ENV{TMPDIR} = "$folder/temporary";
    mkdir $ENV{TMPDIR};
    perfs();
    is(join(' ', glob "$ENV{TMPDIR}/*"), '', '... and no file is left');
}
is(scalar(grep { $_->[1] =~ m{/ld-linux} } perfs()), -x "$build/linux/usr/bin/perf" ? 1 : 0, "Linux's perf, where it was fetched");

# ---- lines of perf script
my $mem = '|OP LOAD|LVL %s|SNP None|TLB N/A|LCK No|BLK%s 7 401000';
for (
    ["  a   b  \n   c d   \n", "a b\nc d\n", 'blanks'],
    [sprintf($mem, 'L1 or L1 hit', ' N/A'), sprintf($mem, 'L1 hit', ' N/A'), 'a level that is named twice'],
    [sprintf($mem, 'RAM or N/A hit', ' N/A'), sprintf($mem, 'RAM hit', ' N/A'), 'a level whose other name is not known'],
    [sprintf($mem, 'Remote RAM or N/A miss', ' N/A'), sprintf($mem, 'Remote RAM miss', ' N/A'), '... a remote one'],
    [sprintf($mem, 'Remote Cache or RAM hit', ' N/A'), sprintf($mem, 'Remote RAM hit', ' N/A'), '... twice'],
    [sprintf($mem, 'RAM or N/A', ' N/A'), sprintf($mem, 'RAM', ' N/A'), '... without a hit or a miss'],
    [sprintf($mem, 'L2 hit', ' '), sprintf($mem, 'L2 hit', ' N/A'), 'blocks that are cut'],
    [sprintf($mem, 'L2 hit', '  N'), sprintf($mem, 'L2 hit', ' N/A'), '... in the middle'],
    [sprintf($mem, 'L2 hit', ' Data'), sprintf($mem, 'L2 hit', ' Data'), '... and one that is said']) {
    my ($text, $form, $what) = @$_;
    is(same_form($text), $form, $what);
}
done_testing;
