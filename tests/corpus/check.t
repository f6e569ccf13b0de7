#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# slow: only `make full-test` runs it
# contrib/corpus/check accepts the stored logs, finds a planted contradiction, refuses a log with one mistake for only that
# mistake, and writes the matrix's rows for machines.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use File::Temp qw(tempdir);
use FindBin;
use Test::More;
use lib "$FindBin::Bin/../../contrib/corpus", "$FindBin::Bin/../../scripts/lib";
use Claims qw(contradicted matrix read_claims);
use Files qw(boot read_file run write_file);

my $root = "$FindBin::Bin/../..";
my $folder = tempdir(CLEANUP => 1);
my $stored = "$root/contrib/corpus/0x000506e3/0xf0/synthetic";

# Runs contrib/corpus/check; returns its output and exit status.
sub check
{
    my ($status, $said, $errors) = run("$root/contrib/corpus/check", '-o', "$folder/matrix.md", @_);
    return ("$said$errors", $status);
}

# Writes a file's log after an edit, with a form (right sum, then edited); returns its path.
my $log = read_file("$stored.log");
my $form = read_file("$stored.form");
sub variant
{
    my ($edit, $edit_form, $from) = @_;
    local $_ = $from // $log;
    $edit->() if $edit;
    my $text = $_;
    write_file("$folder/log.log", $text);
    $_ = $form =~ s/^sha256: .*/'sha256: ' . sha256_hex($text =~ s{\r}{}gr)/mer;
    $edit_form->() if $edit_form;
    write_file("$folder/log.form", $_);
    return "$folder/log.log";
}

# Boots with these options; returns a synthetic log.
sub synthetic { return "# synthetic\n" . (boot(@_))[1] =~ s/\r//gr }

sub refusals
{
    my ($said, $status) = check(@_);
    return join "\n", $status, $said =~ /^  refused: (.*)$/mg;
}

# ---- stored logs ---------------------------------------------------------------------------------------------------------
my ($said, $status) = check();
is $status, 0, 'the stored logs are accepted' or diag $said;
unlike read_file("$folder/matrix.md"), qr/\| seen on/, '... and are not counted in the matrix';
unlike $said, qr/: machine, /, 'all are synthetic so far';
($said, $status) = check("$stored-contradicted.log");
is $status, 0, 'the planted contradiction is found' or diag $said;
is_deeply [$said =~ /^  (contradicted \S+): \S/mg], ['contradicted bts.cpl.off_both', 'contradicted bts.cpl.off_os'], '... with the contradicted claims';

($said, $status) = check("$stored.log", "$folder/none.log");
like "$status $said", qr/^2 .*none\.log: No such file or directory$/m, 'a missing log';

# ---- refused logs --------------------------------------------------------------------------------------------------------
is refusals(variant()), '0', 'an unchanged copy is accepted';
is refusals(variant(sub { s/\n/\r\n/g })), '0', '... also with other line ends';
my $mailed = variant(sub { s/^/someone\@example.org\n/ });
is refusals(@$_), "1\npersonal: line 1 has a mail address", 'a good log and a bad one, in either order' for ["$stored.log", $mailed], [$mailed, "$stored.log"];
my @cases = (
    ['a log that is cut', sub { s/^# facility pebs.*//ms }, qr/^1\nno line for the facility lbr\n|no line for the facility pebs/],
    ['an edited verdict', sub { s/verdict=pass/verdict=fail/ }, qr/^1\nverdict=fail, but the results make it pass$/],
    ['an edited result', sub { s/^ok 9 bts\.calls/not ok 9 bts.calls/m }, qr/^1\n\S/],
    ['another microcode', sub { s/microcode 0xf0/microcode 0xf4/ }, qr/^1\nthe form says microcode 0xf0, the log has 0xf4$/],
    ['another signature', sub { s/signature 0x000506e3/signature 0x000906e9/ },
        qr/^1\nthe dump is of signature 0x506e3\nthe form says signature 0x000506e3, the log has 0x000906e9$/],
    ['a record edited in the dump', sub { s/( bts test=bts\.calls .* data=.{9})(.)/$1 . ($2 eq 'A' ? 'B' : 'A')/me },
        qr/^1\nthe dump: .*: damaged frame: its checksum does not match\n(?:the dump: .*\n?)+$/],
    ['a record missing in the dump', sub { s/^# dsdump\S+ \d+ bts .*\n//m }, qr/^1\n(?:the dump: .*\n?)+$/],
    ['no dump', sub { s/^# dsdump.*\n//mg }, qr/^1\nthe dump: .*no dump in this log\b.*$/],
    ['a printed record edited', sub { s/^(# bts 0 0x)\S+( calls_1)/${1}0000000000228697$2/m },
        qr/^1\nedited: no record in the dump of detect\.dtes64 reads: # bts 0 0x0000000000228697 calls_1\+0x0 => .*$/],
    ['an edited LBR entry', sub { s{^(# lbr 3 \S+?)/[MP]/}{$1/-/}m }, qr/^1\nedited: no record in the dump of lbr\.kinds reads: # lbr 3 .*$/],
    ['an edited register', sub { s/^(# pebs 0 rax) \S+/$1 0x1/m }, qr/^1\nedited: no record in the dump of detect\.pebs\.record_size reads: # pebs 0 rax 0x1 .*$/],
    ['an extra blank in the first line', sub { s/^(# begin .*)/$1 /m; s/microcode 0xf0/microcode 0xf4/ },
        qr/^1\nthe line "# begin" is not "# begin dstest86 VERSION REVISION WIDTH": send the unchanged log\nthe form says microcode /],
    ['an extra blank in a record', sub { s/^# (pebs 0 rax) \S+/ # $1 0x1/m }, qr/^1\nedited: a record that no kernel prints like this:  # pebs 0 rax 0x1 .*$/],
    ['something else', sub { $_ = "hello\n" }, qr/^1\nno "# begin dstest86" line\n/],
    ['a log that does not say that it is synthetic', sub { s/^# synthetic.*\n//m },
        qr/^1\nit ran under a hypervisor: .*\nthe form says synthetic, and the log has no line "# synthetic"$/],
);
like refusals(variant($_->[1])), $_->[2], $_->[0] for @cases;

# Personal data in firmware's lines, and harmless lines that look similar.
my @personal = (
    ['a UUID', '4c4c4544-0051-3010-8052-b4c04f4e4d31', 'GUID: 4C4C4544 0051 3010 8052 B4C04F4E4D31', 'UUID: 4C4C4544005130108052B4C04F4E4D31'],
    ['a mail address', 'from someone@example.org'],
    ['a MAC address', 'PXE over 52:54:00:AB:cd:01', '52-54-00-12-34-56', 'CLIENT MAC ADDR: 52 54 00 12 34 56', 'MAC: 5254.0012.3456', 'MAC 525400123456', 'PCIROOT(0)/PCI(1f,6)/MAC(525400123456,0x1)',
        '52:54:00:12:34:56:', 'MAC-52:54:00:12:34:56', '# pebs data=52:54:00:12:34:56'],
    ['a serial number', 'System Serial Number XYZ', 'service tag: 7XW2', 'SerialNumber: 12AB', 'Serial-Number: 12AB', 'serial_number=12AB', 'Serial #12AB', 'S/N 12AB', 'SN: 12AB', 'Asset Tag 55'],
    ['a network address', 'tftp://192.0.2.1/x', 'CLIENT IP: 192.168.1.17', 'at 10.0.2.15', 'inet6 fe80::5054:ff:fe12:3456', 'IPv6(2001:db8::1)', 'IPv4(192.0.2.4)']);
my @told = map { my ($what, @lines) = @$_; map { [$_, $what] } @lines } @personal;
my @harmless = ('sections 16.4.9.2 and 18.18.8.1', 'BIOS 1.12.0 of 12-31-2024 10:11:12', 'serial port COM1: 115200', 'Machine 525400123456',
    'BIOS WYLPT10H.86A.0041.2015.0720.1108, ME 10.0.30.1072', '10 12 14 16 18 20 22');
is refusals(variant(sub { my $lines = join "\n", (map { $_->[0] } @told), @harmless, '# begin'; s/^# begin/$lines/m })),
    join("\n", 1, map { 'personal: line ' . ($_ + 3) . " has $told[$_][1]" } 0 .. $#told), 'personal data in firmware lines';

@cases = (
    ['no form', sub { $_ = '' }, qr/^1\n(?:the form lacks \S+\n?){6}$/],
    ['a field less', sub { s/^machine: .*\n//m }, qr/^1\nthe form lacks machine$/],
    ['an empty field', sub { s/^(machine:).*/$1/m }, qr/^1\nthe form lacks machine$/],
    ['a field as in the blank form', sub { s/^(machine:).*/$1 .../m }, qr/^1\nthe form lacks machine$/],
    ['a field more', sub { s/\z/owner: me\n/ }, qr/^1\nthe form has no field named owner; it has source .*$/],
    ['a field twice', sub { s/\z/source: synthetic\n/ }, qr/^1\nthe form has source twice$/],
    ['a line without a field', sub { s/\z/hello\n/ }, qr/^1\nthe form: not a line FIELD: TEXT: hello$/],
    ["another log's sum", sub { s/^(sha256: ).*/$1 . '0' x 64/me }, qr/^1\nthe form says sha256 0{64}, the log has [0-9a-f]{64}$/],
    ['another source', sub { s/^source: .*/source: virtual/m }, qr/^1\nthe form says source virtual; expected machine or synthetic$/],
    ['a synthetic log as a machine', sub { s/^source: .*/source: machine/m }, qr/^1\nthe form says machine, the log says that it is synthetic$/],
    ['a serial number', sub { s/^(machine: .*)/$1, S\/N: 12/m }, qr/^1\npersonal: line \d has a serial number \(of the form\)$/],
    ['a comment', sub { s/\A/# MAC 52:54:00:12:34:56\n/ }, qr/^1\npersonal: line 1 has a MAC address \(of the form\)$/],
    ['a contradiction that the log does not have', sub { s/\z/contradicts: bts.calls\n/ }, qr/^1\nthe form says contradicts: bts\.calls, which the log does not show$/],
);
like refusals(variant(undef, $_->[1])), $_->[2], "a form: $_->[0]" for @cases;
like refusals(variant(undef, undef, read_file("$stored-contradicted.log"))),
    qr/^1\nthe form lacks contradicts: bts\.cpl\.off_both\nthe form lacks contradicts: bts\.cpl\.off_os$/, 'a contradiction that was not planted';
variant();
unlink "$folder/log.form";
($said, $status) = check("$folder/log.log");
like $said, qr/^  refused: it has no form\n  the form to fill in, .*\n    source: synthetic\n    machine: \.\.\.\n/m, 'no form: a blank form is printed';
my ($printed) = $said =~ /^  the form to fill in, .*:\n((?:    .*\n)+)/m;
like refusals(variant(undef, sub { $_ = $printed })), qr/^1\nthe form lacks machine\nthe form lacks firmware$/, '... the blank form is refused';
is refusals(variant(undef, sub { $_ = $printed =~ s/\.\.\.$/filled in/mgr })), '0', '... the filled-in form is accepted';

# ---- fresh logs ------------------------------------------------------------------------------------------------------
my $fresh = synthetic(qw(-p skylake -o), 'run=bts.calls dump=raw');
is refusals(variant(undef, undef, $fresh)), '0', 'a log of this build';

my $held = synthetic(qw(-p skylake -f lbr.entry.cycles_zero -o), 'dump=raw run=lbr.info');
like $held, qr/^# lbr stack \d+ goes on$/m, 'a log with LBR entries that were held back';
is refusals(variant(undef, undef, $held)), '0', '... is not reported as edited';

# A claim fails only on the second kind of core.
my $hybrid = synthetic(qw(-p alderlake -s 2 -c PE -f bts.cpl.off_os_ignored@1 -o), 'dump=raw run=bts.cpl.off_os,bts.calls');
my $of_hybrid = sub { s/0x000506e3/0x00090672/; s/^(microcode: ).*/${1}0x38/m; s/\z/contradicts: bts.cpl.off_os\n/ };
is refusals(variant(undef, $of_hybrid, $hybrid)), '0', 'a hybrid';
($said) = check(variant(undef, $of_hybrid, $hybrid));
is_deeply [$said =~ /^  (contradicted \S+ .*)$/mg],
    ['contradicted bts.cpl.off_os.atom: BTS record 0 is a branch at CPL 0'], 'the kind whose claim fails, with the reason';

# A log like that of a machine: the kernel does not detect the hypervisor.
sub of_a_machine { return synthetic(@_, '--', '-cpu', 'max,-hypervisor') =~ s/^# synthetic\n//r }
my $options = 'dump=raw exit=debug run=bts.calls,bts.cpl.off_os';
my $as_machine = sub { s/^source: .*/source: machine/m; s/^machine: .*/machine: a box/m };
is refusals(variant(undef, $as_machine, of_a_machine('-o', $options))), '0', "a machine's log is accepted";
like read_file("$folder/matrix.md"), qr/^\| `bts\.calls` \| architectural \| seen on 1 machine \|/m, '... and is in the matrix';
like read_file("$folder/matrix.md"), qr/^\| `arch\.\S+` \| architectural \| modelled \| pantherlake, clearwaterforest/m,
    '... next to a claim that is only modelled';
my $machine = of_a_machine(qw(-f bts.cpl.off_os_ignored -o), $options);
is refusals(variant(undef, $as_machine, $machine)), '0', 'a log with a contradiction is accepted';
like read_file("$folder/matrix.md"), qr/^\| `bts\.cpl\.off_os` \| architectural \| contradicted \| a box, 0x000506e3, 0xf0: BTS /m,
    '... and is in the matrix';
like refusals(variant(undef, sub { $as_machine->(); s/\z/contradicts: bts.calls\n/ }, $machine)),
    qr/^1\nthe form says contradicts, which only synthetic logs may have$/, 'a log of a machine must not contradict on purpose';

# ---- the matrix ----------------------------------------------------------------------------------------------------------
sub entry
{
    my ($box, %result) = @_;
    return { form => { machine => $box, signature => '0x1', microcode => '0x2' }, ids => [sort keys %result], result => \%result,
        reason => { map { $_ => "why $box" } grep { $result{$_} ne 'pass' } keys %result } };
}
my @claims = map { { id => "a.$_", level => 'architectural', profiles => $_ eq 'e' ? '-' : 'all' } } 'a' .. 'h';
my $page = matrix(\@claims, 'these', entry('x', 'a.a' => 'pass', 'a.b' => 'pass', 'a.c' => 'skip', 'a.f' => 'differs', 'a.g' => 'pass', 'a.g.atom' => 'fail', 'a.h' => 'error'),
    entry('y', 'a.a' => 'pass', 'a.b' => 'fail', 'a.c' => 'skip', 'a.f' => 'pass', 'a.h' => 'skip'), entry('y', 'a.a' => 'pass'));
is_deeply [$page =~ /^\| `a\..*$/mg], ['| `a.a` | architectural | seen on 2 machines |  |', '| `a.b` | architectural | contradicted | y, 0x1, 0x2: why y |',
    '| `a.c` | architectural | cannot be seen | x, 0x1, 0x2: why x; y, 0x1, 0x2: why y |', '| `a.d` | architectural | modelled | all |',
    '| `a.e` | architectural | not run |  |', '| `a.f` | architectural | seen on 2 machines | differs on x, 0x1, 0x2: why x |',
    '| `a.g` | architectural | contradicted | x, 0x1, 0x2: why x |', '| `a.h` | architectural | no verdict | x, 0x1, 0x2: why x |'], 'each state of a claim';
like $page, qr/^cannot be seen: 1, contradicted: 2, modelled: 1, no verdict: 1, not run: 1, seen: 2$/m, '... with the totals';
is_deeply [contradicted(entry('x', 'a.a' => 'fail', 'a.a.atom' => 'fail', 'a.b' => 'pass', 'a.c' => 'error'))], ['a.a'], 'a claim fails once on all kinds of cores';
my ($counted) = read_file("$root/docs/conformance.md") =~ /^\| all \| \| (\d+) \|/m;
is scalar(read_claims("$root/docs/conformance.md")), $counted, 'every claim is read';
done_testing;
