#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# What dsdump cannot do, it says in one sentence that names the thing, and its status is not 0. TAP.
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
        qr/other\.elf: is not the kernel of this dump \(build id \S{40}, the dump's is \S{40}\); no symbols\n\z/,
        ['--elf', $other, '--script']],
    ['the ELF of the other width', 1, qr/dstest86-32\.elf: is not the kernel of this dump/,
        ['--elf', elf(32), '--script']],
    ['an ELF without symbols', 2, qr/stripped\.elf: has no symbol table\n\z/,
        ['--elf', "$folder/stripped.elf", '--script']],
    ['a file that is no ELF', 2, qr/text\.elf: is not an ELF file\n\z/, ['--elf', $text, '--script']],
    ['an ELF that is cut', 2, qr/short\.elf: /, ['--elf', $short, '--script']],
    ['an ELF that is not there', 2, qr/nowhere\.elf: No such file or directory\n\z/,
        ['--elf', "$folder/nowhere.elf", '--script']],
    ['two ELFs', 2, qr/--elf: one ELF at a time\n\z/, ['--elf', elf(64), '--elf', elf(64)]],
    ['--elf without a file', 2, qr/--elf: the name of a file has to follow\n\z/, ['--elf'], 'no log'],
    ['stacks without an ELF', 2, qr/--folded needs the kernel's ELF/, ['--folded']],
    ['a folder that is not there', 2, qr/cannot write \S+\/nowhere\/x: No such file or directory\n\z/,
        ['--perf-data', "$folder/nowhere/x"]],
    ['likewise for the page', 2, qr/cannot write \S+\/nowhere\/x: No such file or directory\n\z/,
        ['--html', "$folder/nowhere/x"]],
    ['perf.data into what cannot be sought in', 2, qr/\/dev\/null: is no file whose beginning can be written last\n\z/,
        ['--perf-data', '/dev/null']],
    ['a page for a full disk', 1, qr/cannot write \/dev\/full: No space left on device\n\z/, ['--html', '/dev/full']],
    ['a kind of record that there is not', 2, qr/--only: ptw is no kind of record; there are bts, pebs and lbr\n\z/,
        ['--only', 'bts,ptw']],
    ['a history that is too long', 2, qr/--history: 65 is no number from 0 to 64\n\z/, ['--history', '65']],
    ['--only without a kind', 2, qr/--only: kinds of records have to follow\n\z/, ['--only'], 'no log'],
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
    is $err, "dsdump: cannot write standard output: No space left on device\n", "--$way to a full disk: said once";
}

# A file that may not grow as large as it has to.
my ($status, undef, $err) = run_program({ folder => $folder }, 'sh', '-c', 'ulimit -f 8; exec "$@"', 'sh', $dsdump,
    '--perf-data', "$folder/cut.data", $log);
is $status, 1, 'perf.data that hits a limit: status';
is $err, "dsdump: cannot write $folder/cut.data: File too large\n", 'perf.data that hits a limit: said once';

my (undef, $with) = run_program({ folder => $folder }, $dsdump, '--elf', $other, '--branches', $log);
unlike $with, qr/\+0x/, 'no symbol comes from an ELF of another build';

done_testing;
