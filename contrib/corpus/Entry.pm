# SPDX-License-Identifier: MIT
#
# A log of the corpus with its form (docs/corpus.md): its contents, and the reasons to refuse it. dsdump verifies the
# checksums of the records, in the frames of the raw dump.
package Entry;
use strict;
use warnings;
use Cwd qw(realpath);
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use File::Basename qw(dirname);
use Files qw(lines_in read_file run);
use KernelLog qw(clean judge results_in);
our @EXPORT_OK = qw($root $dsdump read_entry blank_form);

our $root   = realpath(dirname(__FILE__) . "/../..");
our $dsdump = "$root/build/dsdump";

my @fields = qw(source machine firmware signature microcode sha256);
my @more   = qw(remarks contradicts);
my $byte     = qr/[0-9a-f]{2}/i;
my $octet    = qr/\d{1,3}/;
my @personal = (
    ['a UUID', qr/\b$byte{4}-(?:$byte{2}-){3}$byte{6}\b|\b[GU]UID\W{0,3}$byte{4}[ -]?(?:$byte{2}[ -]?){3}$byte{6}\b/i],
    ['a MAC address', qr/(?<!\w)$byte([:-])(?:$byte\1){4}$byte(?!\w)|(?<![\w.])(?:$byte{2}\.){2}$byte{2}(?!\.?\w)
        |\bMAC\W{0,3}(?:addr\w*\W+)?(?:$byte[ ]?){5}$byte\b/xi],
    ['a serial number', qr{serial[\s_-]*(?:number|no\b|\#)|\b(?:serial|s/?n)\s*[:=\#]\s*\S|\bs/n\s+\S|\b(?:asset|service)[ -]tag\W+\w}i],
    ['a mail address', qr/[\w.+-]+\@[\w-]+\.\w/],
    # Four numbers alone may be a section of a manual, or a version.
    ['a network address', qr{\b[a-z]+://\S|(?<![\d.])(?:10\.$octet|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.$octet\.$octet\b
        |\bIP(?:v[46])?\b\W{1,3}(?:\d+(?:\.\d+){3}|[0-9a-f]*:[0-9a-f]*:)|\bfe80:}xi]);

sub read_lines { return map { clean($_) } split /\n/, read_file($_[0]) }

# The form of a log, undef if there is none: FIELD => text; and its problems.
sub read_form
{
    my ($path) = @_;
    return undef if !-e $path;
    my @lines = read_lines($path);
    my (%form, @wrong);
    for (grep { !/^\s*(?:#|$)/ } @lines) {
        my ($field, $text) = /^\s*([a-z0-9-]+):\s*(.*?)\s*$/ or push(@wrong, "the form: not a line FIELD: TEXT: $_"), next;
        push @wrong, "the form has no field named $field; it has @fields @more" if !grep { $_ eq $field } @fields, @more;
        push @wrong, "the form has $field twice" if exists $form{$field};
        $form{$field} = $text;
    }
    push @wrong, map { "the form lacks $_" } grep { ($form{$_} // '') =~ /^\.*$/ } @fields;    # dots: as blank_form() has it
    push @wrong, map { "$_ (of the form)" } check_personal(@lines);
    return { %form, wrong => \@wrong };
}

# An empty form for a log, with dots to fill in.
sub blank_form
{
    my ($entry) = @_;
    my %known = (%$entry, source => $entry->{synthetic} ? 'synthetic' : 'machine');
    return map { "$_: " . ($known{$_} // '...') } @fields;
}

# The records in the printed lines or in the dump, by test, without symbols, because the dump has none.
sub records_in
{
    my ($printed, $test) = ({}, '');
    for (@_) {
        $test = $1 if /^# test ([a-z0-9._]+)$/;
        next if !/^# (?:bts|pebs) \d+ |^# lbr (?:\d+ |stack (?!\d+ goes on$))/;
        my $line = s{ (?:-|\S+\+0x[0-9a-f]+)/(?:-|\S+\+0x[0-9a-f]+)$}{}r =~ s/ \S+\+0x[0-9a-f]+//gr;
        $printed->{$test}{$line} = $_;
    }
    return $printed;
}

# Parses a log into a hash, without judging it.
sub read_log
{
    my ($path) = @_;
    my @lines = read_lines($path);
    my ($results, $verdict) = results_in(\@lines);
    my %log = (path => $path, lines => \@lines, result => $results, verdict => $verdict, ids => [], reason => {},
        sha256 => sha256_hex(map { "$_\n" } @lines), synthetic => scalar grep({ /^# synthetic\b/ } @lines));
    for (@lines) {
        if (/^# begin dstest86 (\S+) (\S+) (\d+)$/) {
            @log{qw(version revision width)} = ($1, $2, $3);
        } elsif (/^# cpu \S+ family \S+ model \S+ stepping \S+ signature (0x[0-9a-f]+) (.*)$/) {
            $log{signature} //= $1;
            $log{core} //= $2;
        } elsif (/^# cpu physical .*, (under a|no) hypervisor(?:, microcode (0x[0-9a-f]+))?$/) {
            $log{hypervisor} ||= $1 eq 'under a';
            $log{microcode} //= $2 // '0x0';
        } elsif (/^(?:not )?ok \d+ ([a-z0-9._]+)(?: # SKIP (.*))?$/) {
            push @{$log{ids}}, $1;
            $log{reason}{$1} = $2 if defined $2;
        } elsif (/^# (?:fail|differs|error) ([a-z0-9._]+): (.*)$/) {
            $log{reason}{$1} = $2;
        }
    }
    return \%log;
}

# Checks that the raw dump has all frames, intact, and is of this machine.
sub check_dump
{
    my ($log) = @_;
    my ($status, $said, $complaints) = run($dsdump, '--stats', $log->{path});
    return map { "the dump: $_" } map { s/^dsdump: //r } lines_in($complaints) if $status;
    my ($signature) = map { /# dsdump\/1 0 head .* signature=(0x[0-9a-f]+) / } @{$log->{lines}};
    $log->{records} = join ' ', $said =~ /^((?:bts|pebs|lbr) \d+) lost/mg;
    return hex $signature != hex($log->{signature} // 0) ? "the dump is of signature $signature" : ();
}

# Checks that the printed records are in the dump.
sub check_printed
{
    my ($log) = @_;
    my (undef, $said) = run($dsdump, '--text', $log->{path});
    my ($right, $printed) = (records_in(split /\n/, $said), records_in(@{$log->{lines}}));
    my @wrong = map { "edited: a record that no kernel prints like this: $_" }
        grep { /^\s*#\s+(?:bts|pebs|lbr)\s+\d/ && !/^# \w+ \d+ \S/ } @{$log->{lines}};
    for my $test (sort keys %$printed) {
        my @strange = grep { !exists $right->{$test}{$_} } sort keys %{$printed->{$test}};
        push @wrong, "edited: no record in the dump of $test reads: $printed->{$test}{$strange[0]}" if @strange;
    }
    return @wrong;
}

# Personal data. Skips the codes of records.
sub check_personal
{
    my (@lines) = @_;
    my @wrong;
    for my $n (0 .. $#lines) {
        my $text = $lines[$n] =~ s/^# dsdump\/\S+ .*?\K\bdata=\S+//r;
        push @wrong, map { "personal: line " . ($n + 1) . " has $_->[0]" } grep { $text =~ $_->[1] } @personal;
    }
    return @wrong;
}

sub check_form
{
    my ($log) = @_;
    my $form = $log->{form} or return 'it has no form';
    my @wrong = @{$form->{wrong}};
    for my $field (grep { defined $form->{$_} } qw(signature microcode sha256)) {
        my $own = $log->{$field} // 'nothing';
        push @wrong, "the form says $field $form->{$field}, the log has $own" if $form->{$field} ne $own;
    }
    my $source = $form->{source} // '';
    push @wrong, "the form says source $source; expected machine or synthetic" if $source !~ /^(?:machine|synthetic|)$/;
    push @wrong, 'the form says machine, the log says that it is synthetic' if $source eq 'machine' && $log->{synthetic};
    push @wrong, 'the form says synthetic, and the log has no line "# synthetic"' if $source eq 'synthetic' && !$log->{synthetic};
    push @wrong, 'the form says contradicts, which only synthetic logs may have' if $source ne 'synthetic' && defined $form->{contradicts};
    my $own = join '/', map { $_ // '' } @$log{qw(signature microcode)};
    push @wrong, "its place is contrib/corpus/$own/" if realpath($log->{path}) =~ m{^\Q$root\E/contrib/corpus/(.*)/[^/]+$} && $1 ne $own;
    return @wrong;
}

# A log and its form. The reasons to refuse it: {wrong} for the log, {badly_formed} for the form.
sub read_entry
{
    my ($path) = @_;
    my $log = read_log($path);
    $log->{form} = read_form($path =~ s/(?:\.log)?$/.form/r);
    my (undef, @wrong) = judge($log->{lines});
    push @wrong, 'the line "# begin" is not "# begin dstest86 VERSION REVISION WIDTH": send the unchanged log'
        if !defined $log->{version} && grep { /^# begin dstest86\b/ } @{$log->{lines}};
    push @wrong, check_dump($log) if defined $log->{version};
    push @wrong, check_printed($log) if !@wrong;
    push @wrong, 'it ran under a hypervisor: the corpus has logs of machines, and synthetic ones, which say so by a line "# synthetic"'
        if $log->{hypervisor} && !$log->{synthetic};
    $log->{wrong} = [@wrong, check_personal(@{$log->{lines}})];
    $log->{badly_formed} = [check_form($log)];
    return $log;
}

1;
