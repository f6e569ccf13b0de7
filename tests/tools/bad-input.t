#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# dsdump reports each error in one sentence that names the cause, with a status that is not 0. Prints TAP.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($dsdump boot elf run_program);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my $log    = boot("$folder/log", 64, 'skylake', 'run=bts.*,lbr.kinds');

sub copy_of_elf
{
    my ($name, $edit) = @_;
    open my $in, '<:raw', elf(64) or die "$!\n";
    my $bytes = do { local $/; <$in> };
    $edit->() for $bytes;
    open my $out, '>:raw', "$folder/$name" or die "$!\n";
    print $out $bytes;
    close $out or die "$!\n";
    return "$folder/$name";
}

# A note of GNU's with a build id: its name, then 20 bytes.
my $other = copy_of_elf('other.elf',
    sub { s/(GNU\0)(.)(.{19})/$1 . chr(ord($2) ^ 1) . $3/se or die "no build id in the ELF\n" });
my $text  = copy_of_elf('text.elf', sub { $_ = "no ELF at all\n" });
my $short = copy_of_elf('short.elf', sub { $_ = substr $_, 0, 100 });
system('objcopy', '--strip-all', elf(64), "$folder/stripped.elf") == 0 or die "objcopy\n";

my @cases = (
    # what, status, what is said, arguments
    ['an ELF of another build', 1,
        qr/other\.elf: not the kernel that wrote this dump \(build id \S{40}, dump has \S{40}\): symbols not used\n\z/,
        ['--elf', $other, '--script']],
    ['the ELF of the other width', 1, qr/dstest86-32\.elf: not the kernel that wrote this dump/,
        ['--elf', elf(32), '--script']],
    ['an ELF without symbols', 2, qr/stripped\.elf: no symbol table; use an ELF that is not stripped\n\z/,
        ['--elf', "$folder/stripped.elf", '--script']],
    ['a file that is no ELF', 2, qr/text\.elf: not an ELF file\n\z/, ['--elf', $text, '--script']],
    ['an ELF that is cut', 2, qr/short\.elf: /, ['--elf', $short, '--script']],
    ['an ELF that is not there', 2, qr/nowhere\.elf: No such file or directory\n\z/,
        ['--elf', "$folder/nowhere.elf", '--script']],
    ['two ELFs', 2, qr/--elf: only one ELF can be given\n\z/, ['--elf', elf(64), '--elf', elf(64)]],
    ['--elf without a file', 2, qr/--elf: missing file name\n\z/, ['--elf'], 'no log'],
    ['stacks without an ELF', 2, qr/--folded: needs --elf FILE/, ['--folded']],
    ['a folder that is not there', 2, qr/\/nowhere\/x: cannot write: No such file or directory\n\z/,
        ['--perf-data', "$folder/nowhere/x"]],
    ['likewise for the page', 2, qr/\/nowhere\/x: cannot write: No such file or directory\n\z/,
        ['--html', "$folder/nowhere/x"]],
    ['perf.data into what cannot be sought in', 2, qr/\/dev\/null: not a regular file: perf\.data needs one, since its header is written last\n\z/,
        ['--perf-data', '/dev/null']],
    ['a page for a full disk', 1, qr/\/dev\/full: cannot write: No space left on device\n\z/, ['--html', '/dev/full']],
    ['a kind of record that there is not', 2, qr/--only: unknown kind of record 'ptw'; want bts, pebs or lbr\n\z/,
        ['--only', 'bts,ptw']],
    ['a history that is too long', 2, qr/--history: want a number from 0 to 64, not '65'\n\z/, ['--history', '65']],
    ['--only without a kind', 2, qr/--only: missing kind of record: bts, pebs or lbr\n\z/, ['--only'], 'no log'],
    ['--history without a number', 2, qr/--history: missing number from 0 to 64\n\z/, ['--history'], 'no log'],
);
for my $case (@cases) {
    my ($what, $status, $said, $arguments, $no_log) = @$case;
    my ($is, $out, $err) = run_program({ folder => $folder }, $dsdump, @$arguments, $no_log ? () : $log);
    is $is, $status, "$what: status";
    like $err, qr/\Adsdump: [^\n]*\n\z/, "$what: one sentence";
    like $err, $said, "$what: which says so";
}

for my $way (qw(script branches brstack csv trace-json folded)) {
    my ($status, undef, $err) = run_program({ folder => $folder, stdout => '/dev/full' }, $dsdump, '--elf', elf(64),
        "--$way", $log);
    is $status, 1, "--$way to a full disk: status";
    is $err, "dsdump: standard output: cannot write: No space left on device\n", "--$way to a full disk: said once";
}

# A limit on the size of a file.
my ($status, undef, $err) = run_program({ folder => $folder }, 'sh', '-c', 'ulimit -f 8; exec "$@"', 'sh', $dsdump,
    '--perf-data', "$folder/cut.data", $log);
is $status, 1, 'perf.data that hits a limit: status';
is $err, "dsdump: $folder/cut.data: cannot write: File too large\n", 'perf.data that hits a limit: said once';

my (undef, $with) = run_program({ folder => $folder }, $dsdump, '--elf', $other, '--branches', $log);
unlike $with, qr/\+0x/, 'no symbol comes from an ELF of another build';

done_testing;
