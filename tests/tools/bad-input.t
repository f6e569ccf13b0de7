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

system("echo 'a_number = 1' | as -o $folder/numbers.o") == 0 or die "as\n";
system('as', '-o', "$folder/calls.o", "$FindBin::Bin/calls.s") == 0 or die "as\n";
system('ld', '--build-id=none', '-o', "$folder/without_id", "$folder/calls.o") == 0 or die "ld\n";
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
    ['an ELF that is cut', 2, qr/short\.elf: no symbol table; use an ELF that is not stripped\n\z/, ['--elf', $short, '--script']],
    ['an ELF whose symbols name nothing', 2, qr/numbers\.o: no usable symbols in the symbol table\n\z/,
        ['--elf', "$folder/numbers.o", '--script']],
    ['an ELF without a build id', 1,
        qr/without_id: not the kernel that wrote this dump \(build id none, dump has \S{40}\): symbols not used\n\z/,
        ['--elf', "$folder/without_id", '--csv']],
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
    (map { ["$_ over the log", 2, qr/\/log: is read, and would be overwritten; name another file to write\n\z/, [$_, $log]] } '--html', '--perf-data'),
    ['a kind of record that there is not', 2, qr/--only: unknown kind of record 'ptw'; want bts, pebs or lbr\n\z/,
        ['--only', 'bts,ptw']],
    (map { ["a history of '$_'", 2, qr/--history: want a number from 0 to 64, not '\Q$_\E'\n\z/, ['--history', $_]] }
        '65', '-1', '+1', '', 'x', '5x', '0x10', '99999999999999999999'),
    ['no kind of record', 2, qr/--only: unknown kind of record ''; want bts, pebs or lbr\n\z/, ['--only', '']],
    ['--only without a kind', 2, qr/--only: missing kind of record: bts, pebs or lbr\n\z/, ['--only'], 'no log'],
    ['--history without a number', 2, qr/--history: missing number from 0 to 64\n\z/, ['--history'], 'no log'],
    ['--html without a file', 2, qr/--html: missing file name\n\z/, ['--html'], 'no log'],
    ['--perf-data without a file', 2, qr/--perf-data: missing file name\n\z/, ['--perf-data'], 'no log'],
    (map { ["@$_", 2, qr/\Q$$_[1]\E: only one form of output can be chosen\n\z/, $_] }
        ['--raw', '--text'], ['--text', '--text'], ['--stats', '--csv'], ['--csv', '--stats'], ['--stats', '--stats']),
    (map { ["the option $_", 2, qr/\Q$_\E: unknown option; dsdump --help lists them\n\z/, [$_]] }
        '--nosuch', '--', '-x', '--tex', '--texts'),
    ['two logs', 2, qr/: only one log can be given\n\z/, [$log]],
    ['a log that is not there', 2, qr/\/nowhere: No such file or directory\n\z/, ["$folder/nowhere"], 'no log'],
    ['a folder as log', 2, qr/\Q$folder\E: Is a directory\n\z/, [$folder], 'no log'],
    ['nothing on standard input', 1, qr/\Adsdump: standard input: no dump in this log: boot the kernel with dump=raw to get one\n\z/,
        [], 'no log'],
    ['likewise if it is named', 1, qr/\Adsdump: standard input: no dump in this log/, ['-'], 'no log'],
    ['an empty log', 1, qr/\Adsdump: \/dev\/null: no dump in this log/, ['/dev/null'], 'no log'],
);
for my $case (@cases) {
    my ($what, $status, $said, $arguments, $no_log) = @$case;
    my ($is, $out, $err) = run_program({ folder => $folder }, $dsdump, @$arguments, $no_log ? () : $log);
    is $is, $status, "$what: status";
    like $err, qr/\Adsdump: [^\n]*\n\z/, "$what: one sentence";
    like $err, $said, "$what: which says so";
}

for my $way (qw(text raw stats)) {
    my ($status, undef, $err) = run_program({ folder => $folder, stdout => '/dev/full' }, $dsdump, "--$way", $log);
    is $status, 1, "--$way to a full disk: status";
    is $err, "dsdump: standard output: cannot write: No space left on device\n", "--$way to a full disk: said once";
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

# The options, all of them.
my ($helped, $help) = run_program({ folder => $folder }, $dsdump, '--help');
is $helped, 0, '--help: status';
is $help, <<'END', '--help names each option';
usage: dsdump [OPTION..] [FILE]
       dsdump --code TEXT..
       dsdump --compare LOG LOG [--accept FILE] [--html FILE]
Reads the raw dump in a dstest86 log, from FILE or standard input, and writes one of:
  --text               the kernel's own lines (default)
  --raw                each record's fields beside its bytes
  --script             every record as perf script prints it
  --branches           BTS records as FROM sym => TO sym
  --brstack            LBR stacks as perf script -F brstack
  --folded             stacks of calls for flame graphs
  --trace-json         a timeline in the Trace Event Format
  --csv                a row for each record
  --perf-data FILE     a perf.data file for perf script, report and mem
  --html FILE          a page that shows all of the log
  --history N          branches in the stack of each BTS record in perf.data: 0 to 64 (default 16)
  --branch-counters    what LBR entries count, in perf.data: for perf 6.8 and later
  --elf FILE           take symbols and source lines from the kernel's ELF, 32-bit or 64-bit
  --stats              verify every frame and print counts only
  --only KIND[,KIND..] read only these records: bts, pebs, lbr
  --help               print this text
With --code it prints the results in the texts of QR codes, or with - in those of standard input.
With --compare it prints what two logs say differently, but for what the patterns in FILE accept.
END

my (undef, $with) = run_program({ folder => $folder }, $dsdump, '--elf', $other, '--branches', $log);
unlike $with, qr/\+0x/, 'no symbol comes from an ELF of another build';
(undef, $with) = run_program({ folder => $folder }, $dsdump, '--elf', $other, '--folded', $log);
unlike $with, qr/\[unknown\];\[unknown\]/, 'and no calls, which only its code would tell from jumps';

done_testing;
