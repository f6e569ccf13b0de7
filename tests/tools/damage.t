#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Whatever damages a log, dsdump reports it with its line, counts what is lost, reads the rest, and exits with status 1:
# for the dump of a boot, and for logs larger than memory. Prints TAP.
use strict;
use warnings;
use Fcntl qw(SEEK_END);
use File::Temp qw(tempdir);
use FindBin;
use lib $FindBin::Bin;
use Dump qw($dsdump boot run_program);
use Test::More;

my $folder = tempdir(CLEANUP => 1);
my $whole  = boot("$folder/whole", 64, 'skylake', 'run=bts.*,lbr.kinds,pebs.loads');

sub read_lines
{
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    return <$in>;
}

sub write_lines
{
    my ($file, @lines) = @_;
    open my $out, '>:raw', $file or die "$file: $!\n";
    print $out @lines;
    close $out or die "$file: $!\n";
    return $file;
}

# What --stats says: { bts => [read, lost], .. }.
sub stats
{
    my ($text) = @_;
    return { map { /^(bts|pebs|lbr) (\d+) lost (\d+)$/ ? ($1 => [$2, $3]) : () } split /\n/, $text };
}

my @lines  = read_lines($whole);
my @frames = grep { $lines[$_] =~ /^# dsdump\/1 \d+ bts / } 0 .. $#lines;
my ($status, $out, $said) = run_program({ folder => $folder }, $dsdump, '--stats', $whole);
my $all = stats($out);
is "$status$said", '0', 'the whole log is whole';
ok $all->{bts}[0] > 1000 && $all->{pebs}[0] > 1 && $all->{lbr}[0] == 1, 'and has records of each kind';

my $at = $frames[@frames / 2];
my ($number) = $lines[$at] =~ /^# dsdump\/1 (\d+)/;
my ($count) = $lines[$at] =~ / count=(\d+)/;
my $line = $at + 1;
my $next = $line + 1 + (grep { $lines[$at + 1 + $_] =~ /^# dsdump/ } 0 .. 50)[0];

my $missing = qr/frame $number: missing before this line/;
my $sum     = qr/$count of \d+ bts records are lost/;

my @cases = (
    # what, how many BTS records are lost, what is said in order, what is done to the lines
    ['a flipped bit', $count, [qr/line $line: damaged frame: its checksum does not match/, qr/line $next: $missing/, $sum],
        sub { substr($_[0][$at], 60, 1) ^= "\1" }],
    ['a frame cut short', $count, [qr/line $line: truncated frame: no checksum at its end/, $missing, $sum],
        sub { $_[0][$at] = substr($_[0][$at], 0, 60) . "\r\n" }],
    ['a frame gone', $count, [qr/line ${\($next - 1)}: $missing/, $sum], sub { splice @{ $_[0] }, $at, 1 }],
    ['a frame doubled', 0, [qr/line ${\($line + 1)}: frame $number: duplicate, ignored/],
        sub { splice @{ $_[0] }, $at, 0, $_[0][$at] }],
    ['two frames exchanged', $count, [qr/line $line: $missing/, qr/line $next: frame $number: out of order, ignored/, $sum],
        sub { @{ $_[0] }[$at, $next - 1] = @{ $_[0] }[$next - 1, $at] }],
    ['another version in a frame', $count, [qr/line $line: damaged frame: its checksum does not match/, $missing, $sum],
        sub { $_[0][$at] =~ s/dsdump\/1/dsdump\/7/ }],
    ['lines of others in between', 0, [],
        sub { splice @{ $_[0] }, $at, 0, "firmware says hello\n", "\e[2J# dsdump is a word\r\n", "\0\xff\n" }],
    ['a line in the middle of a frame', $count, [qr/line $line: truncated frame: no checksum at its end/, $missing, $sum],
        sub { substr($_[0][$at], 50, 0) = "\r\n# wrong: something\r\n" }],
    ['the end cut off', undef, [qr/line \d+: the dump breaks off here/], sub { splice @{ $_[0] }, $at + 1 }],
    ['cut in the middle of a line', undef,
        [qr/line $line: truncated frame: no checksum at its end/, qr/line $line: the dump breaks off here/],
        sub { splice @{ $_[0] }, $at + 1; $_[0][$at] = substr $_[0][$at], 0, 100 }],
    ['no frames', undef, [qr/no dump in this log/], sub { @{ $_[0] } = grep { !/dsdump/ } @{ $_[0] } }],
    ['nothing at all', undef, [qr/no dump in this log/], sub { @{ $_[0] } = () }],
);
for my $case (@cases) {
    my ($what, $lost, $wanted, $edit) = @$case;
    my @edited = @lines;
    $edit->(\@edited);
    my $file = write_lines("$folder/log", @edited);
    my ($is, $counts, $err) = run_program({ folder => $folder }, $dsdump, '--stats', $file);
    my @said = split /\n/, $err;
    is $is, @$wanted ? 1 : 0, "$what: status";
    is @said, @$wanted, "$what: " . @$wanted . ' complaints';
    like $said[$_] // '', qr/\Adsdump: \Q$file\E: .*$wanted->[$_]/, "$what: complaint " . ($_ + 1) for 0 .. $#$wanted;
    my $stats = stats($counts);
    is_deeply $stats->{bts}, [$all->{bts}[0] - $lost, $lost], "$what: $lost records lost, the rest read"
        if defined $lost;
    my ($again, $text, $same) = run_program({ folder => $folder }, $dsdump, $file);
    is "$again$same", "$is$err", "$what: --text says the same";
    is scalar(() = $text =~ /^# bts \d/mg), $stats->{bts}[0], "$what: and has as many records";
}

# 4 GiB: of a file with a hole, which is one line without an end, and a log behind it.
SKIP: {
    open my $big, '>:raw', "$folder/big" or die "$folder/big: $!\n";
    print $big @lines[0 .. $at];
    truncate $big, 1 << 32 or skip 'no files of 4 GiB here', 4;
    seek $big, 0, SEEK_END;
    print $big "\n", @lines[$at + 1 .. $#lines];
    close $big or skip "$folder/big: $!", 4;
    my ($is, $counts, $err) = run_program({ folder => $folder }, 'bash', '-c', 'ulimit -v 200000 && exec "$@"', 'bash',
        $dsdump, '--stats', "$folder/big");
    is "$is$err", '0', 'a log of 4 GiB, in 200 MB of memory';
    is_deeply stats($counts), $all, 'all its records are read';
    unlink "$folder/big";
}

# A log from a pipe, as text, is not kept in memory.
my ($is, $text, $err) = run_program({ folder => $folder }, 'bash', '-c',
    "for n in {1..200}; do cat '$whole'; done | (ulimit -v 100000; exec '$dsdump' --stats -)");
is "$is$err", '0', 'two hundred boots through a pipe';
is_deeply stats($text), { map { $_ => [200 * $all->{$_}[0], 0] } keys %$all }, 'each is counted';

# A log without a dump, and an output that cannot be written.
my @refused = (
    ['a folder', qr/: Is a directory$/, $folder],
    ['a file that is not there', qr/nowhere: No such file/, "$folder/nowhere"],
    ['an option that is none', qr/--nosuch: unknown option/, '--nosuch'],
    ['two logs', qr/only one log can be given/, $whole, $whole],
    ['two outputs', qr/only one form of output can be chosen/, '--raw', '--text', $whole],
);
for my $case (@refused) {
    my ($what, $why, @arguments) = @$case;
    my ($got, undef, $why_not) = run_program({ folder => $folder }, $dsdump, @arguments);
    like $why_not, $why, "$what: said";
    is $got, 2, "$what: status";
}
my ($full, undef, $why) = run_program({ folder => $folder, stdout => '/dev/full' }, $dsdump, $whole);
is $full, 1, 'a full disk: status';
like $why, qr/standard output: cannot write: No space left on device$/, 'a full disk: said';
done_testing;
